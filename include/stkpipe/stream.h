/* SPDX-License-Identifier: MIT
 * stream: reading and writing record streams, block by block. FORMAT.md (installed as share/doc/stkpipe/FORMAT.md) says
 * what is in a file.
 *
 * A reader gives whole blocks. Nothing of a block is decompressed until a column of it is asked for, so that a filter
 * passes on unchanged what it does not need. A writer takes rows, or whole blocks of a reader. Neither prints, and
 * neither opens files: bytes come and go through functions. A reader and a writer are each used by one thread at a
 * time; different ones have nothing in common.
 *
 * A filter, in short (examples/deepest.c is one, whole):
 *
 *	stk_writer_open(&writer, &(struct stk_writer_options){ .write = put, .level = STK_LEVEL_PIPE }, &err)
 *	stk_reader_open(&reader, &(struct stk_reader_options){ .read = get, .damage = report, .writer = writer }, &err)
 *	while ((got = stk_reader_next(reader, &block, &err)) > 0) {
 *		if (take(reader, &block, &err) < 0 || stk_writer_pass(writer, reader, &err) < 0) {
 *			if (err.code != STK_EDATA)
 *				break;			the system failed: exit status 3
 *			stk_error_clear(&err);		damaged, and reported: skip the block and continue
 *		}
 *	}
 *	stk_reader_state(reader, &state)			damages > 0: some of the input was lost: exit status 1
 *	stk_reader_close(reader)
 *	stk_writer_close(writer, got == 0, &err) */
#ifndef STKPIPE_STREAM_H
#define STKPIPE_STREAM_H

#include "stkpipe/error.h"
#include "stkpipe/resources.h"
#include "stkpipe/rows.h"
#include "stkpipe/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

STK_DECLARATIONS_BEGIN

#define STK_FORMAT_MAJOR 1
#define STK_FORMAT_MINOR 0

#define STK_BLOCK_ROWS_MAX  (1u << 18)		/* rows of a block */
#define STK_BLOCK_HEADER_MAX (1u << 16)		/* bytes of a block's header */
#define STK_COLUMN_BYTES_MAX (1u << 26)		/* bytes of a column, decompressed */

/* The current block of a reader. These are the facts of its header; the columns are decoded on request and valid until
 * the next stk_reader_next. */
struct stk_block {
	unsigned kind;
	uint32_t rows;
	uint32_t first_id;			/* of a definition kind: the id of row 0; else 0 */
	/* every row has a known, valid time, and these are the earliest and the latest */
	bool has_time;
	int64_t from_ns, to_ns;
	/* the stream's own of this kind, until the next head; NULL when the stream does not declare it */
	const struct stk_kind_schema *schema;
	int64_t offset;				/* of the block in the input */
	uint64_t bytes;				/* that the block takes in the input, header included */
};

struct stk_reader;
struct stk_writer;

/* --- reading --- */

/* Puts up to size bytes (size > 0) at to. Returns how many; 0 at the end of the input; -1 with *err, which ends the
 * reading. */
typedef long stk_read_function(void *context, void *to, size_t size, struct stk_error *err);

/* Moves to an offset from the start of the input. 0; -1 when that cannot be done: then the reader continues from where
 * it was. */
typedef int stk_seek_function(void *context, int64_t offset);

/* Reports damage of the input as it is met: the offset, how many bytes of the input are lost there (0: none, or
 * unknown), and why, in one line that is valid during the call. */
typedef void stk_damage_function(void *context, int64_t offset, uint64_t bytes, const char *what);

struct stk_reader_options {
	stk_read_function *read;
	stk_seek_function *seek;	/* NULL: the input is a pipe */
	void *context;			/* of both */
	stk_damage_function *damage;	/* may be NULL: then damage is only counted (stk_reader_state) */
	void *damage_context;
	int64_t size;			/* bytes of the input; only with seek */
	/* The writer that what is read goes to, or NULL. It is notified at once of what is lost (stk_writer_lost), so
	 * that readers of its stream know. Borrowed until the reader closes. */
	struct stk_writer *writer;
};

/* Opens a reader. The options are copied; functions, contexts and the writer are borrowed until stk_reader_close.
 * Nothing is read yet. 0, or -1 with *err (STK_ESYSTEM: no decompressor) and *out NULL. */
int stk_reader_open(struct stk_reader **out, const struct stk_reader_options *options,
		struct stk_error *err) STK_MUST_CHECK;

/* Frees the reader and everything it returned. The caller closes what it reads from. NULL does nothing. */
void stk_reader_close(struct stk_reader *reader);

/* Moves to the next block: 1 and *block, 0 at the end of the input, -1 with *err when it cannot continue because
 * reading failed or the stream's major version is newer than the library. After 0 and -1 only stk_reader_state and
 * stk_reader_close may follow. Reads the header of the block; what was not asked for of the block before is skipped, by
 * seeking where that is cheaper.
 *
 * Damage is not -1: it is reported and counted, and the reader continues with the next whole block; an input that is
 * not a stream at all is one incident and then the end. HEAD blocks are returned like others: a stream begins, and all
 * ids start anew. INDEX and END blocks are not returned. */
int stk_reader_next(struct stk_reader *reader, struct stk_block *block, struct stk_error *err) STK_MUST_CHECK;

/* A column of the current block: *values has one word a row: ids, counts and enumerations as they are, NUMBER, TIME and
 * SPAN as int64_t, REAL as the bits of a double. For a column of texts: stk_reader_texts. The array is the reader's and
 * valid until the next stk_reader_next. Decompresses the column at the first call, and costs nothing after. A column
 * that the block does not have, because all its values are 0 or empty or its writer did not know it, is zeros.
 *
 * -1 with *err and *values NULL: STK_EDATA when the bytes are damaged, or when it is not a column of that type: then
 * skip the whole block and continue reading; it is reported and counted once, however often the block is asked.
 * STK_ESYSTEM: reading failed. A time that is not valid (rows.h) is STK_TIME_UNKNOWN here, such a measure is NaN:
 * reported and counted once per column, and the block is whole. */
int stk_reader_column(struct stk_reader *reader, unsigned column, const uint64_t **values,
		struct stk_error *err) STK_MUST_CHECK;
int stk_reader_texts(struct stk_reader *reader, unsigned column, const struct stk_text **texts,
		struct stk_error *err) STK_MUST_CHECK;

/* Whether the block's header says that all rows have the same word in a column: then that is *word, and nothing need be
 * decoded. Costs nothing. False too where stk_reader_column has something to report. */
bool stk_reader_is_constant(struct stk_reader *reader, unsigned column, uint64_t *word);

/* Decodes all columns that the row struct of the block's kind has (struct stk_sample, ...), so that stk_reader_row
 * cannot fail. 0, or -1 with *err: STK_EDATA as stk_reader_column; STK_EUSAGE for a kind of a newer version, which has
 * no struct. */
int stk_reader_rows(struct stk_reader *reader, struct stk_error *err) STK_MUST_CHECK;

/* Fills the row struct of the block's kind at `to` with a row below block.rows. Only after stk_reader_rows was 0 for
 * this block. Texts point into the reader, until the next stk_reader_next. Copies all columns: use stk_reader_column
 * for a few columns of many rows. */
void stk_reader_row(struct stk_reader *reader, uint32_t row, void *to);

/* Checks every checksum of the current block, as decoding all of it would. 0, or -1 as stk_reader_column. */
int stk_reader_check(struct stk_reader *reader, struct stk_error *err) STK_MUST_CHECK;

/* Reads the current block to its end, so that nothing that is asked of it later waits for the input. 0, also when the
 * input ends before the block does, which is reported when the block is used; -1 with *err when reading failed. */
int stk_reader_fetch(struct stk_reader *reader, struct stk_error *err) STK_MUST_CHECK;

/* Skips blocks of kinds that are not wanted without reading them: wanted[kind] for kinds below `kinds`; others are
 * wanted. Definitions that rows refer to, and heads, should be wanted. `wanted` is borrowed until the reader closes;
 * NULL: everything is wanted (the default). */
void stk_reader_want(struct stk_reader *reader, const bool *wanted, unsigned kinds);

/* Skips blocks whose header says that all their rows are outside [from, to). Rows of other blocks may be outside too.
 * Definitions, time trees and their nodes, which last, and blocks without times are not skipped. */
void stk_reader_window(struct stk_reader *reader, int64_t from_ns, int64_t to_ns);

/* Moves to the block at an offset from an index; what is between is neither read nor reported. The next stk_reader_next
 * returns that block, whatever it is, also INDEX and END. The schema remains that of the last head returned. 0, or -1
 * with *err: the input cannot seek. */
int stk_reader_go(struct stk_reader *reader, int64_t offset, struct stk_error *err) STK_MUST_CHECK;

struct stk_reader_state {
	uint64_t damages;		/* incidents reported so far: 0 is whole */
	uint64_t lost_bytes;
	uint64_t streams;		/* heads met */
	uint64_t ended;			/* streams whose end was met */
	/* sum of `lost` of the end records: what those who wrote the input had lost of theirs */
	uint64_t writer_lost;
	int64_t offset;			/* bytes of input taken so far */
	int64_t from_ns, to_ns;		/* of all blocks met so far whose headers have their times, also of those
					 * skipped; STK_TIME_UNKNOWN: none */
};

/* The result of the reading so far. Cheap; at any time before stk_reader_close. */
void stk_reader_state(const struct stk_reader *reader, struct stk_reader_state *state);

/* The schema of the current stream (of the last head met), or NULL before the first. Owned by the reader; valid until
 * the next head. */
const struct stk_schema *stk_reader_schema(const struct stk_reader *reader);

/* --- writing --- */

/* Takes all of size bytes. 0, or -1 with *err, which ends the writing. Called in the thread that calls the writer,
 * never in another. */
typedef int stk_write_function(void *context, const void *from, size_t size, struct stk_error *err);

/* Levels of zstd: the cheapest between filters, a good one for streams that are kept. From 3 on a writer also takes the
 * time to choose among encodings. */
#define STK_LEVEL_PIPE 1
#define STK_LEVEL_FILE 9

struct stk_writer_options {
	stk_write_function *write;
	void *context;
	int level;			/* of zstd, 1 to 22 */
	/* rows after which a block is written, at most STK_BLOCK_ROWS_MAX / 2; 0 for the default, 49,152 */
	uint32_t block_rows;
	/* compress in these (resources.h), borrowed; NULL: in the calling thread. The bytes are the same */
	struct stk_workers *workers;
};

/* Opens a writer. The options are copied; functions, context and workers are borrowed until stk_writer_close. Nothing
 * is written yet. Holds a block of each kind that is added, and one per thread that is being compressed. 0, or -1 with
 * *err (STK_EUSAGE: block_rows) and *out NULL. */
int stk_writer_open(struct stk_writer **out, const struct stk_writer_options *options,
		struct stk_error *err) STK_MUST_CHECK;

/* The calls below that return int: 0, or -1 with *err. STK_ESYSTEM is a failure of the output or of compression: only
 * stk_writer_close may follow, with whole = false. STK_EUSAGE and STK_EDATA leave the writer unchanged. */

/* Begins a stream: writes its head with this schema (NULL: the library's own), which is copied, and ends the stream
 * before it. Ids start anew. stk_writer_pass does this for a head, and so does the first row that is added when no
 * stream was begun. */
int stk_writer_head(struct stk_writer *writer, const struct stk_schema *schema, struct stk_error *err) STK_MUST_CHECK;

/* Adds a row of a kind that this library knows; row is its struct (struct stk_sample, ...); texts are copied.
 * Definitions get the next id, which stk_writer_next_id returns beforehand. They reach the output before any row that
 * was added after them; ids of rows are not checked. A block is written when it is full. STK_EUSAGE: a text of more
 * than 16 MiB. */
int stk_writer_add(struct stk_writer *writer, enum stk_kind kind, const void *row,
		struct stk_error *err) STK_MUST_CHECK;

/* The id that the next definition of a kind will have in the current stream: from 1. */
uint32_t stk_writer_next_id(const struct stk_writer *writer, enum stk_kind kind);

/* While held, full blocks are not written until they are twice as large, so that a dump can be changed until its
 * samples are added. */
void stk_writer_hold(struct stk_writer *writer, bool hold);

/* Replaces a row of a definition that was added and is not yet written; false when it is. For kinds without texts. */
bool stk_writer_amend(struct stk_writer *writer, enum stk_kind kind, uint32_t id, const void *row);

/* Passes the reader's current block on, unchanged and undecoded where possible, after what was added so far, which is
 * written out. Definitions keep their ids, so a filter that passes definitions on adds none of the same kind. A head
 * begins a stream, with the schema of the input plus what only the library's own has.
 *
 * STK_EDATA: the block is incomplete; nothing of it was written, and the reader has reported and counted it. Continue
 * with the next block. */
int stk_writer_pass(struct stk_writer *writer, struct stk_reader *reader, struct stk_error *err) STK_MUST_CHECK;

/* Writes what was added so far, so that a reader sees it at once. Small blocks compress badly: call it seldom. */
int stk_writer_flush(struct stk_writer *writer, struct stk_error *err) STK_MUST_CHECK;

/* The compression level of later blocks, 1 to 22. */
void stk_writer_set_level(struct stk_writer *writer, int level);

/* Ends the block of a kind, so that what follows is in another one; for readers that read single blocks. */
int stk_writer_cut(struct stk_writer *writer, enum stk_kind kind, struct stk_error *err) STK_MUST_CHECK;

/* Resumes a stream whose index and end are to be overwritten: its blocks so far, in their order, the bytes they take,
 * and the next id of each kind; all copied. Called instead of stk_writer_head on a writer that was just opened; the
 * output is at the end of those blocks. */
void stk_writer_resume(struct stk_writer *writer, const struct stk_index *blocks, size_t count,
		uint64_t bytes, const uint32_t next_id[STK_KIND_COUNT]);

/* Gives no definition of the kind an id below this one, because rows passed on refer to ids whose definitions were
 * lost. Called after stk_writer_flush. */
void stk_writer_skip_ids(struct stk_writer *writer, enum stk_kind kind, uint32_t next_id);

/* Notes that part of the input was lost, in this number of incidents. The end record of the current stream, or of the
 * next when none is begun, says so to readers. A reader that was opened with this writer calls it by itself; call it
 * for other losses. */
void stk_writer_lost(struct stk_writer *writer, uint64_t incidents);

/* Flushes, writes the index and the end record, and frees the writer, whatever happens. whole = false (interrupted, or
 * something failed): what was added is flushed, without index and end, so that a reader sees a truncated stream. A
 * writer to which nothing was added writes an empty stream. The caller closes and checks the output. 0, or -1 with
 * *err. writer may be NULL: 0. */
int stk_writer_close(struct stk_writer *writer, bool whole, struct stk_error *err) STK_MUST_CHECK;

/* Rows of a kind below STK_KIND_MAX that were written or are being compressed, of all streams of this writer. */
uint64_t stk_writer_rows(const struct stk_writer *writer, unsigned kind);

STK_DECLARATIONS_END

#endif
