/* SPDX-License-Identifier: MIT
 * stream_mend: the blocks before the first damaged one are kept, except definitions that nothing uses: of a dump whose
 * threads were not written not even its head is kept. A writer resumes after them only to end the stream. */
#include "stream/stream_mend.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "stkpipe/stream.h"
#include "stream/block.h"
#include "stream/stream_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int
write_to(void *context, const void *from, size_t size, struct stk_error *err)
{
	const int *fd = context;
	const char *at = from;

	while (size > 0) {
		ssize_t written = write(*fd, at, size);

		if (written < 0 && errno != EINTR)
			return stk_fail_errno(err, "cannot write");
		if (written > 0) {
			at += written;
			size -= (size_t)written;
		}
	}
	return 0;
}

/* Damage is expected here. */
static void
expect_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	(void)context, (void)offset, (void)bytes, (void)what;
}

/* Its header was written, but not everything that the header describes. */
static bool
is_cut(const struct stream_file *file, const struct file_block *block)
{
	return (uint64_t)block->offset + block->bytes > stream_file_size(file);
}

/* How many blocks are kept, and where they end. */
static size_t
keep_blocks(const struct stream_file *file, unsigned stream, int64_t *end)
{
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(file, stream, &count);

	while (count > 0 &&
	       (is_cut(file, &blocks[count - 1]) ||
		(blocks[count - 1].kind < STK_KIND_COUNT && stk_schema()->kind[blocks[count - 1].kind].definition)))
		count--;
	*end = count == 0 ? stream_file_start(file, stream)
			  : blocks[count - 1].offset + (int64_t)blocks[count - 1].bytes;
	return count;
}

static void
resume(struct stk_writer *writer, const struct stream_file *file, unsigned stream, size_t keep, int64_t end)
{
	static const uint32_t unused[STK_KIND_COUNT];	/* ids: no row is added any more */
	int64_t start = stream_file_start(file, stream);
	struct stk_index *index = mem_new(keep + 1, sizeof *index);
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(file, stream, &count);

	for (size_t i = 0; i < keep; i++)
		index[i] = (struct stk_index){ .kind = blocks[i].kind,
					       .rows = blocks[i].rows,
					       .offset = (uint64_t)(blocks[i].offset - start),
					       .time = blocks[i].has_time ? blocks[i].from_ns : STK_TIME_UNKNOWN,
					       .length = blocks[i].has_time ? blocks[i].to_ns - blocks[i].from_ns : 0,
					       .holds = blocks[i].holds };
	stk_writer_resume(writer, index, keep, (uint64_t)(end - start), unused);
	free(index);
}

/* Ends the last stream after what is kept of it. */
static int
end_stream(const char *path, const struct stream_file *file, unsigned stream, uint64_t *cut, struct stk_error *err)
{
	struct stk_writer_options to = { .write = write_to, .level = STK_LEVEL_FILE };
	int64_t end;
	size_t keep = keep_blocks(file, stream, &end);
	int fd = open_file(path, O_WRONLY, 0), result = -1;
	struct stk_writer *writer;

	to.context = &fd;
	*cut = stream_file_size(file) - (uint64_t)end;
	if (fd < 0)
		return stk_fail_errno(err, "cannot write to %s", path);
	if (ftruncate(fd, end) < 0 || lseek(fd, end, SEEK_SET) != end)
		(void)stk_fail_errno(err, "cannot shorten %s", path);
	else if (keep == 0)
		result = 0;		/* not even its head was whole */
	else if (stk_writer_open(&writer, &to, err) == 0) {
		resume(writer, file, stream, keep, end);
		stk_writer_lost(writer, *cut > 0);
		result = stk_writer_close(writer, true, err);
	}
	close(fd);
	return result;
}

/* Not even the header of its first block was written. */
static bool
is_beginning(const char *path)
{
	unsigned char first[STK_BLOCK_HEADER_MAX], magic[4];
	const char *unused;
	int fd = open_file(path, O_RDONLY, 0);
	long got = fd < 0 ? -1 : read(fd, first, sizeof first);

	if (fd >= 0)
		close(fd);
	store32(magic, BLOCK_MAGIC);
	return got > 0 && memcmp(first, magic, got < 4 ? (size_t)got : 4) == 0 &&
	       block_header_find(first, (size_t)got, &unused) == 0;
}

int
stream_mend(const char *path, uint64_t *cut, struct stk_error *err)
{
	struct stream_file *file = NULL;
	unsigned streams;
	struct stat is;
	int result = 0;

	*cut = 0;
	if (stat(path, &is) == 0 && is.st_size == 0)
		return 0;
	if (stream_file_open(&file, path, expect_damage, NULL, err) < 0)
		result = -1;
	streams = file == NULL ? 0 : stream_file_streams(file);
	if (result == 0 && streams == 0 && is_beginning(path)) {
		*cut = (uint64_t)is.st_size;
		result = truncate(path, 0) < 0 ? stk_fail_errno(err, "cannot shorten %s", path) : 0;
	} else if (result == 0 && streams == 0) {
		result = stk_fail(err, STK_EDATA, "%s exists and is not a record stream", path);
	} else if (result == 0 && !stream_file_is_whole(file, streams - 1)) {
		result = end_stream(path, file, streams - 1, cut, err);
	}
	stream_file_close(file);
	return result;
}
