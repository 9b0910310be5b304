/* SPDX-License-Identifier: MIT
 * alter: a stream with one value changed, checksums right: `alter KIND COLUMN ROW VALUE <good.stk >bad.stk`. Rows of a
 * kind count from 0 over all its blocks; all: every row. VALUE is a word, below 0 too, or a text, as the column is.
 * Exit status: 2 when there is no such row. */
#include "../lib/lies.h"

static struct some_bytes
read_stdin(void)
{
	struct some_bytes bytes = { 0 };
	char room[65536];
	size_t got;

	while ((got = fread(room, 1, sizeof room, stdin)) > 0)
		bytes_add(&bytes, room, got);
	return bytes;
}

static void
set(struct lie_block *block, unsigned column, uint32_t row, const char *value)
{
	if (block->column[column].texts != NULL)
		block->column[column].texts[row] = text_from(value);
	else
		block->column[column].words[row] =
			*value == '-' ? (uint64_t)strtoll(value, NULL, 10) : strtoull(value, NULL, 10);
}

/* Counts rows of the kind on from `rows`. True when a row was changed. */
static bool
alter(struct lie_file *file, struct lie_block *block, unsigned column, const char *which, const char *value,
      uint64_t *rows)
{
	uint64_t from = *rows, wanted = strtoull(which, NULL, 10);
	bool all = strcmp(which, "all") == 0;

	*rows += block->rows;
	if (!all && (wanted < from || wanted >= *rows))
		return false;
	lie_block_own(file, block, block->rows);
	for (uint32_t r = 0; r < block->rows; r++)
		if (all || from + r == wanted)
			set(block, column, r, value);
	return true;
}

int
main(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct lie_file file = { .arena = &arena };
	struct some_bytes bytes = { 0 };
	const struct stk_kind_schema *kind = argc == 5 ? stk_schema_find(stk_schema(), text_from(argv[1])) : NULL;
	unsigned column = 0;
	uint64_t rows = 0;
	bool found = false;

	while (kind != NULL && column < kind->columns && strcmp(kind->column[column].name, argv[2]) != 0)
		column++;
	if (kind == NULL || column == kind->columns) {
		fprintf(stderr, "usage: alter KIND COLUMN ROW|all VALUE <good.stk >bad.stk\n");
		return 2;
	}
	lie_file_read(&file, read_stdin());
	for (size_t b = 0; b < file.blocks.count; b++)
		if (file.blocks.at[b].kind == kind->number)
			found |= alter(&file, &file.blocks.at[b], column, argv[3], argv[4], &rows);
	lie_file_bytes(&file, &bytes);
	return fwrite(bytes.at, 1, bytes.size, stdout) != bytes.size || fflush(stdout) != 0 ? 3 : found ? 0 : 2;
}
