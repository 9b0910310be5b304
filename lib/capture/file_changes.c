/* SPDX-License-Identifier: MIT
 * file_changes: a file as its directory and its blocks show it. */
#include "capture/file_changes.h"

#include "stream/stream_file.h"

#include <errno.h>

bool
file_is_named(const char *path, const struct stat *is)
{
	struct stat named;

	if (stat(path, &named) < 0)
		return errno != ENOENT && errno != ENOTDIR && errno != ELOOP;	/* unknown when it cannot be examined */
	return named.st_dev == is->st_dev && named.st_ino == is->st_ino;
}

enum file_state
file_state_of(int fd, const char *path, int64_t left_bytes, int64_t *bytes)
{
	struct stat is;

	if (fstat(fd, &is) < 0)
		return FILE_AS_LEFT;
	*bytes = is.st_size;
	if (is.st_nlink == 0)
		return FILE_REMOVED;
	if (!file_is_named(path, &is))
		return FILE_MOVED;
	if (is.st_size == left_bytes)
		return FILE_AS_LEFT;
	return is.st_size < left_bytes ? FILE_CUT : FILE_GROWN;
}

static void
expect_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	(void)context;
	(void)offset;
	(void)bytes;
	(void)what;
}

static void
add_stream(struct file_rows *rows, const struct stream_file *file, unsigned stream)
{
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(file, stream, &count);

	for (size_t i = 0; i < count; i++) {
		if ((uint64_t)blocks[i].offset + blocks[i].bytes > stream_file_size(file))
			continue;
		rows->dumps += blocks[i].kind == STK_DUMP ? blocks[i].rows : 0;
		rows->samples += blocks[i].kind == STK_SAMPLE ? blocks[i].rows : 0;
	}
}

struct file_rows
file_rows_from(const char *path, int64_t began)
{
	struct file_rows rows = { 0 };
	struct stk_error unused = { 0 };
	struct stream_file *file;

	if (stream_file_open(&file, path, expect_damage, NULL, &unused) < 0)
		return rows;
	for (unsigned s = 0; s < stream_file_streams(file); s++)
		if (stream_file_start(file, s) >= began)
			add_stream(&rows, file, s);
	stream_file_close(file);
	return rows;
}
