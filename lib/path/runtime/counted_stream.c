/* SPDX-License-Identifier: MIT
 * counted_stream: the schema comes from the common table, so that both cannot differ. */
#include "counted_stream.h"

#include "stkpipe/rows.h"

#include <string.h>

#define T_TEXT    "text"
#define T_COUNT   "count"
#define T_NUMBER  "number"
#define T_TIME    "time"
#define T_SOURCE  "id:source"
#define T_STRING  "id:string"
#define T_RUNTIME "enum:unknown|jvm|native|script"
#define T_CLOCK   "enum:unknown|wall|monotonic"
#define COLUMN(name, type, prediction, key, about) "column " #name " " T_##type "\n"

/* What is written: kinds of the table, and how many columns of each. */
#define KINDS_WRITTEN(KIND) \
	KIND(STRING, string, 1, definition, 1) \
	KIND(SOURCE, source, 4, definition, 8) \
	KIND(CFG, cfg, 29, row, 5) \
	KIND(PATH_CALL, path_call, 30, row, 9) \
	KIND(PATH_COUNT, path_count, 31, row, 6) \
	KIND(NOTE, note, 32, row, 3) \
	KIND(PATH_STEP, path_step, 50, row, 7)

#define KIND(NAME, name, number, role, columns) "kind " #number " " #name " " #role "\n" STK_COLUMNS_##NAME(COLUMN)
static const char schema[] = KINDS_WRITTEN(KIND);
#undef KIND
#undef COLUMN

/* A column that the table got later would be missing in our blocks. */
#define COLUMN(name, type, prediction, key, about) + 1
#define KIND(NAME, name, number, role, columns) \
	_Static_assert(STK_##NAME == (number), #name " has another number in the table"); \
	_Static_assert((0 STK_COLUMNS_##NAME(COLUMN)) == (columns), #name " has other columns in the table");
KINDS_WRITTEN(KIND)
#undef KIND
#undef COLUMN
_Static_assert(STK_RUNTIME_SCRIPT == 3 && STK_CLOCK_MONOTONIC == 2, "T_RUNTIME and T_CLOCK have all names");

static void
put_string(struct plain_stream *stream, struct plain_block *strings, const char *text)
{
	plain_text(strings, text, strlen(text));
	plain_row(stream, strings);
}

static void
put_source(struct plain_stream *stream, const struct counted_program *program)
{
	struct plain_block strings = { .kind = STK_STRING, .columns = 1, .time_column = plain_none, .first_id = 1 };
	struct plain_block source = { .kind = STK_SOURCE, .columns = 8, .time_column = plain_none, .first_id = 1 };
	const uint64_t row[8] = { 1, 2, program->pid, 1, 0, STK_RUNTIME_NATIVE, STK_CLOCK_WALL, 0 };

	put_string(stream, &strings, program->name);
	put_string(stream, &strings, program->host);
	plain_flush(stream, &strings);
	for (int c = 0; c < 8; c++)
		plain_word(&source, row[c]);
	plain_row(stream, &source);
	plain_flush(stream, &source);
	plain_release(&strings);
	plain_release(&source);
}

void
counted_stream_begin(struct plain_stream *stream, int fd, const struct counted_program *program)
{
	plain_stream_begin(stream, fd, schema);
	put_source(stream, program);
}

void
counted_stream_left_out(struct plain_stream *stream, struct plain_block *notes, const char *text)
{
	if (notes->columns == 0)
		*notes = (struct plain_block){ .kind = STK_NOTE, .columns = 3, .time_column = plain_none };
	plain_word(notes, 1);		/* the source */
	plain_text(notes, "no probes", strlen("no probes"));
	plain_text(notes, text, strlen(text));
	plain_row(stream, notes);
}
