/* SPDX-License-Identifier: MIT
 * index_lies: a file of one stream with another index, checksums right: `index_lies HOW good.stk >bad.stk`. HOW is what
 * becomes of `holds`, what the index knows of the ids in blocks: keep, none (as files of before have it), cut (its last
 * byte is missing, so that it is not valid), shift (each has that of the block of its kind before it). */
#include "base/array.h"
#include "base/bytes.h"
#include "stream/stream_file.h"

#include <stdio.h>

static int
write_stdout(void *context, const void *from, size_t size, struct stk_error *err)
{
	(void)context;
	return fwrite(from, 1, size, stdout) == size ? 0 : stk_fail_errno(err, "standard output");
}

static struct stk_text
lie(const char *how, struct stk_text holds, struct stk_text before)
{
	if (*how == 'k')
		return holds;
	if (*how == 'n')
		return text_of("", 0);
	if (*how == 'c')
		return text_of(holds.data, holds.size - (holds.size > 0));
	return before;
}

static void
copy(const char *path, int64_t bytes)
{
	FILE *file = fopen(path, "rb");
	int byte;

	while (bytes-- > 0 && file != NULL && (byte = getc(file)) != EOF)
		putchar(byte);
	if (file != NULL)
		fclose(file);
}

int
main(int argc, char **argv)
{
	static const uint32_t unused[STK_KIND_COUNT];
	struct stk_writer_options options = { .write = write_stdout, .level = STK_LEVEL_FILE };
	struct stk_text before[STK_KIND_MAX] = { { NULL, 0 } };
	const struct file_block *blocks;
	struct stk_error err = { 0 };
	struct stk_writer *writer;
	struct stream_file *file;
	struct stk_index *index;
	size_t count;

	if (argc < 3 || stream_file_open(&file, argv[2], NULL, NULL, &err) < 0 || stream_file_streams(file) != 1 ||
	    stk_writer_open(&writer, &options, &err) < 0)
		return 3;
	blocks = stream_file_all_blocks(file, 0, &count);
	index = mem_new(count, sizeof *index);
	for (size_t b = 0; b < count; b++) {
		const struct file_block *at = &blocks[b];

		index[b] = (struct stk_index){ .kind = at->kind,
					       .rows = at->rows,
					       .offset = (uint64_t)at->offset,
					       .time = at->has_time ? at->from_ns : STK_TIME_UNKNOWN,
					       .length = at->has_time ? at->to_ns - at->from_ns : 0,
					       .holds = lie(argv[1], at->holds, before[at->kind]) };
		before[at->kind] = at->holds;
	}
	copy(argv[2], stream_file_blocks_end(file, 0));
	stk_writer_resume(writer, index, count, (uint64_t)stream_file_blocks_end(file, 0), unused);
	free(index);
	stream_file_close(file);
	return stk_writer_close(writer, true, &err) < 0 || fflush(stdout) != 0 ? 3 : 0;
}
