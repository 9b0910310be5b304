/* SPDX-License-Identifier: MIT
 * stream: reading and writing record streams, block by block. FORMAT.md beside lib/stream says what stands in a file.
 *
 * A reader gives whole blocks. Nothing of a block is decompressed until a column of it is asked for, so that a filter passes on what it does not need
 * as it came. A writer takes rows, or whole blocks of a reader. Neither prints, and neither opens files: bytes come and go through functions. */
#ifndef STKPIPE_STREAM_H
#define STKPIPE_STREAM_H

#include "stkpipe/error.h"
#include "stkpipe/rows.h"
#include "stkpipe/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STK_FORMAT_MAJOR 1
#define STK_FORMAT_MINOR 0

#define STK_BLOCK_ROWS_MAX  (1u << 18)		/* rows of a block */
#define STK_BLOCK_HEADER_MAX (1u << 16)		/* bytes of a block's header */
#define STK_COLUMN_BYTES_MAX (1u << 26)		/* bytes of a column, decompressed */

/* A block that a reader stands on. The header's facts are here; the columns are decoded on request and valid until the next stk_reader_next. */
struct stk_block {
	unsigned kind;
	uint32_t rows;
	uint32_t first_id;			/* of a definition kind: the id of row 0; else 0 */
	bool has_time;				/* every row has a known time that is believed, and these are the earliest and the latest */
	int64_t from_ns, to_ns;
	const struct stk_kind_schema *schema;	/* the stream's own of this kind; NULL when the stream does not declare it */
	int64_t offset;				/* of the block in the input */
	uint64_t bytes;				/* that the block takes in the input, header included */
};

struct stk_reader;

/* Gives up to size bytes; 0 at the end, -1 with *err. */
typedef long stk_read_function(void *context, void *to, size_t size, struct stk_error *err);
/* Moves to an offset from the start; -1 when that cannot be done. */
typedef int stk_seek_function(void *context, int64_t offset);

/* What was wrong with the input, told as it is met. offset and bytes say what part of the input is lost. */
typedef void stk_damage_function(void *context, int64_t offset, uint64_t bytes, const char *what);

struct stk_reader_options {
	stk_read_function *read;
	stk_seek_function *seek;	/* NULL: the input is a pipe */
	void *context;			/* of both */
	stk_damage_function *damage;	/* may be NULL: then damage is only counted */
	void *damage_context;
	int64_t size;			/* bytes of the input; only with seek */
};

int  stk_reader_open(struct stk_reader **out, const struct stk_reader_options *options, struct stk_error *err) STK_MUST_CHECK;
void stk_reader_close(struct stk_reader *reader);

/* Moves to the next block: 1 and *block, 0 at the end of the input, -1 when it cannot go on (a system error, a major version from the future).
 * Damage is not -1: it is told and counted, and the reader goes on with the next whole block. HEAD blocks are given like others (ids start anew);
 * INDEX and END blocks are not given. */
int stk_reader_next(struct stk_reader *reader, struct stk_block *block, struct stk_error *err) STK_MUST_CHECK;

/* The values of a column of the present block, one a row: ids, counts and enumerations as they are, NUMBER, TIME and SPAN as int64_t, REAL as the bits of a double.
 * -1 with *err (STK_EDATA) when the column's bytes are damaged: then the whole block is to be left out. The block's damage is told and counted once.
 * A time that is not believed is STK_TIME_UNKNOWN here, and a measure that is not is NaN: told and counted once a column, and no damage to the block. */
int stk_reader_column(struct stk_reader *reader, unsigned column, const uint64_t **values, struct stk_error *err) STK_MUST_CHECK;
int stk_reader_texts(struct stk_reader *reader, unsigned column, const struct stk_text **texts, struct stk_error *err) STK_MUST_CHECK;

/* Whether all rows have the same word in a column: then it need not be decoded. */
bool stk_reader_is_constant(struct stk_reader *reader, unsigned column, uint64_t *word);

/* Decodes all columns that this program's row struct has, so that stk_reader_row cannot fail. */
int  stk_reader_rows(struct stk_reader *reader, struct stk_error *err) STK_MUST_CHECK;
/* Fills the row struct of the block's kind. After stk_reader_rows. */
void stk_reader_row(struct stk_reader *reader, uint32_t row, void *to);

/* Checks every checksum of the block without keeping what it says. 0, or -1 when it is damaged. */
int stk_reader_check(struct stk_reader *reader, struct stk_error *err) STK_MUST_CHECK;

/* Reads the present block to its end, so that nothing that is asked of it waits for the input. What is missing at the end of the input is told when it is used. */
int stk_reader_fetch(struct stk_reader *reader, struct stk_error *err) STK_MUST_CHECK;

/* Leaves out, without reading them, blocks of kinds that are not wanted: wanted[kind] for kinds below `kinds`, others are wanted. Definitions and heads should stay.
 * `wanted` is borrowed until the reader closes. */
void stk_reader_want(struct stk_reader *reader, const bool *wanted, unsigned kinds);
/* Leaves out blocks that have a time and lie outside [from, to). Definitions have none and stay. */
void stk_reader_window(struct stk_reader *reader, int64_t from_ns, int64_t to_ns);

/* Moves to a block that the index names; what lies between is not looked at, and nothing is said of it. stk_reader_next gives that block, whatever it is:
 * INDEX and END too. The schema stays that of the last head given. -1: the input cannot seek. */
int stk_reader_go(struct stk_reader *reader, int64_t offset, struct stk_error *err) STK_MUST_CHECK;

struct stk_reader_state {
	uint64_t damages;		/* incidents told so far */
	uint64_t lost_bytes;
	uint64_t streams;		/* heads met */
	uint64_t ended;			/* streams whose end was met */
	uint64_t writer_lost;		/* sum of `lost` of the end records: what the writers themselves had lost */
	int64_t offset;			/* bytes of input taken so far */
	int64_t from_ns, to_ns;		/* of all blocks met so far whose headers know their times, also of those left out; STK_TIME_UNKNOWN: none */
};
void stk_reader_state(const struct stk_reader *reader, struct stk_reader_state *state);
/* The schema of the present stream (the last head met), or NULL before the first. */
const struct stk_schema *stk_reader_schema(const struct stk_reader *reader);

struct stk_writer;

/* Takes all of size bytes. 0, or -1 with *err. */
typedef int stk_write_function(void *context, const void *from, size_t size, struct stk_error *err);

struct workers;

/* Levels of zstd: the cheapest between filters, a good one where the stream stays. From 3 on a writer also takes the time to choose among encodings. */
#define STK_LEVEL_PIPE 1
#define STK_LEVEL_FILE 9

struct stk_writer_options {
	stk_write_function *write;
	void *context;
	int level;
	uint32_t block_rows;		/* rows after which a block is written; 0 for the default, 49,152 */
	struct workers *workers;	/* compress in these; NULL: in the calling thread. The bytes are the same */
};

int stk_writer_open(struct stk_writer **out, const struct stk_writer_options *options, struct stk_error *err) STK_MUST_CHECK;

/* Begins a stream: its head, with this schema (NULL: the library's own). Ids start anew. Called by stk_writer_pass for a head, and by the first row added otherwise. */
int stk_writer_head(struct stk_writer *writer, const struct stk_schema *schema, struct stk_error *err) STK_MUST_CHECK;

/* Adds a row of a kind that this program knows; row is its struct, texts are copied. Definitions get the next id, returned through
 * stk_writer_next_id. They reach the output before any row that was added after them. */
int stk_writer_add(struct stk_writer *writer, enum stk_kind kind, const void *row, struct stk_error *err) STK_MUST_CHECK;
uint32_t stk_writer_next_id(const struct stk_writer *writer, enum stk_kind kind);

/* While held, blocks are not written because they are full, up to twice as large: a dump stays changeable until its samples are in. */
void stk_writer_hold(struct stk_writer *writer, bool hold);
/* Replaces a row of a definition that is not yet written; false when it is. For kinds without texts. */
bool stk_writer_amend(struct stk_writer *writer, enum stk_kind kind, uint32_t id, const void *row);

/* Passes the reader's present block on as it is, after what was added so far. Definitions keep their ids. */
int stk_writer_pass(struct stk_writer *writer, struct stk_reader *reader, struct stk_error *err) STK_MUST_CHECK;

/* Writes what was added so far, so that a reader sees it at once. */
int stk_writer_flush(struct stk_writer *writer, struct stk_error *err) STK_MUST_CHECK;

/* The level of blocks to come. */
void stk_writer_set_level(struct stk_writer *writer, int level);

/* Ends the block of a kind, so that what follows is in another: for who reads blocks one by one. */
int stk_writer_cut(struct stk_writer *writer, enum stk_kind kind, struct stk_error *err) STK_MUST_CHECK;

/* Goes on with a stream whose index and end are to be written over: its blocks so far, the bytes they take, and the next id of each kind. */
void stk_writer_resume(struct stk_writer *writer, const struct stk_index *blocks, size_t count, uint64_t bytes, const uint32_t next_id[STK_KIND_COUNT]);

/* Gives no id below this one to a definition of the kind: rows passed on refer to it, and its definition was lost. After stk_writer_flush. */
void stk_writer_skip_ids(struct stk_writer *writer, enum stk_kind kind, uint32_t next_id);

/* Notes that something of the input was lost; the end record of the present stream, or of the next when none is begun, says so. */
void stk_writer_lost(struct stk_writer *writer, uint64_t incidents);

/* Flushes, writes the index and the end record, frees. whole = false (interrupted): neither, so that a reader sees a cut stream. writer may be NULL. */
int stk_writer_close(struct stk_writer *writer, bool whole, struct stk_error *err) STK_MUST_CHECK;

/* Bytes and rows written so far by kind, for statistics. */
uint64_t stk_writer_rows(const struct stk_writer *writer, unsigned kind);

#endif
