/* SPDX-License-Identifier: MIT
 * reader: blocks out of bytes. Framing is trusted where a header's checksum is right; what is between right headers is
 * reported as lost. The frames of a block are read only when a column is wanted or the block is passed on, and
 * decompressed column by column. */
#include "stream/reader.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/time_range.h"
#include "stream/column.h"
#include "stream/foreign_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define FOREIGN_LOOKED_AT 4096	/* bytes of an input that is not a record stream */
#define BUFFER_LEAST (256u << 10)
#define GROW_MOST    (4u << 20)		/* the buffer grows as bytes arrive, not as a header promises */
#define FRAME_LEAST  13			/* bytes of a zstd frame with content size and checksum: of nothing */
#define FRAME_DESCRIPTOR 4		/* where its header's flags are */
#define FRAME_HAS_CHECKSUM 4
#define SEEK_LEAST   (512u << 10)	/* shorter distances are read: cheaper than a seek and a new buffer */

struct stk_reader {
	struct stk_reader_options options;
	unsigned char *buffer;
	size_t room, at, end;			/* what is read and not consumed: buffer[at..end) */
	int64_t offset;				/* of buffer[at] in the input */
	bool at_end;				/* the input has no more */

	struct block_header header;		/* of the present block */
	size_t header_bytes;
	uint64_t block_bytes;			/* header and frames; 0: there is no current block */
	bool supposed;				/* the current block is a head that was lost */
	bool damaged;				/* reported already */
	uint64_t *values[STK_COLUMN_MAX];	/* decoded, or NULL */
	uint64_t *written[STK_COLUMN_MAX];	/* the same before invalid values were replaced; only while
						 * `has_written` */
	bool has_written[STK_COLUMN_MAX];
	size_t values_room[STK_COLUMN_MAX];
	enum { NOT_DECODED, DECODED_WORDS, DECODED_TEXTS } decoded[STK_COLUMN_MAX];
	struct stk_text *texts[STK_COLUMN_MAX];
	size_t texts_room[STK_COLUMN_MAX];
	unsigned char *content[STK_COLUMN_MAX];	/* of text columns: texts point into it */
	size_t content_room[STK_COLUMN_MAX];
	unsigned char *unpacked;		/* content of a word column */
	size_t unpacked_room;
	struct column_scratch scratch;
	ZSTD_DCtx *zstd;

	struct stk_schema *schema;		/* of the current stream; NULL: the library's own is assumed */
	bool in_stream;				/* a head was met and not its end */
	int64_t stream_offset;			/* where it began */
	uint64_t stream_blocks;
	bool stream_damaged;			/* so its counts may be wrong */
	bool is_text;				/* a text: skipping it is not damage, and its size is not reported */
	uint32_t next_id[STK_KIND_MAX];
	struct stk_block pending;		/* the block after a supposed head */
	bool has_pending;
	bool gone;				/* stk_reader_go: the next block is returned, whatever it is */
	bool quiet;				/* reader_look_at: damage is not reported */
	bool has_leaps;				/* reader_leaps was called */
	reader_growing_function *growing;
	void *growing_context;
	reader_leap_function *leap;
	reader_leap_close_function *leap_close;
	void *leap_context;
	int64_t read_to;			/* up to here there is no leap; 0: not known */

	const bool *wanted;
	unsigned wanted_kinds;
	int64_t from_ns, to_ns;
	struct stk_reader_state state;
};

/* --- bytes --- */

static void
make_room(struct stk_reader *reader, size_t wanted)
{
	size_t held = reader->end - reader->at, grown;

	if (reader->at > 0) {
		memmove(reader->buffer, reader->buffer + reader->at, held);
		reader->at = 0;
		reader->end = held;
	}
	if (wanted <= reader->room)
		return;
	grown = held + GROW_MOST < wanted ? held + GROW_MOST : wanted;
	if (grown <= reader->room)
		return;
	reader->buffer = mem_resize(reader->buffer, grown, 1);
	reader->room = grown;
}

/* How much to read in advance, when the buffer is to have `wanted` bytes. */
static size_t
read_size(const struct stk_reader *reader, size_t wanted)
{
	size_t held = reader->end - reader->at, room = reader->room - reader->end;
	int64_t left = reader->read_to - reader->offset - (int64_t)held;

	return left > 0 && (uint64_t)left < room && held + (uint64_t)left >= wanted ? (size_t)left : room;
}

/* Tries to have `wanted` bytes in the buffer. Returns how many there are (fewer only at the end of the input), or
 * -1. */
static long
peek(struct stk_reader *reader, size_t wanted, struct stk_error *err)
{
	while (reader->end - reader->at < wanted && !reader->at_end) {
		long got;

		if (reader->room - reader->end == 0 || reader->room - reader->at < wanted)
			make_room(reader, wanted > BUFFER_LEAST ? wanted : BUFFER_LEAST);
		got = reader->options.read(reader->options.context, reader->buffer + reader->end,
					   read_size(reader, wanted), err);
		if (got < 0)
			return -1;
		if (got == 0)
			reader->at_end = true;
		reader->end += (size_t)got;
	}
	return (long)(reader->end - reader->at);
}

static void
consume(struct stk_reader *reader, size_t size)
{
	reader->at += size;
	reader->offset += (int64_t)size;
}

/* Moves over size bytes, by seeking when more than far_bytes of them are not yet read: how many there were, or -1. */
static int64_t
skip(struct stk_reader *reader, uint64_t size, uint64_t far_bytes, struct stk_error *err)
{
	uint64_t left = size, held = reader->end - reader->at;
	int64_t room = reader->options.size - reader->offset;

	if (held < size && size - held > far_bytes && reader->options.seek != NULL && room > 0) {
		uint64_t far = size < (uint64_t)room ? size : (uint64_t)room;

		if (reader->options.seek(reader->options.context, reader->offset + (int64_t)far) == 0) {
			reader->at = reader->end = 0;
			reader->offset += (int64_t)far;
			return (int64_t)far;
		}
	}
	while (left > 0) {
		long got = peek(reader, 1, err);

		if (got < 0)
			return -1;
		if (got == 0)
			break;
		if ((uint64_t)got > left)
			got = (long)left;
		consume(reader, (size_t)got);
		left -= (uint64_t)got;
	}
	return (int64_t)(size - left);
}

/* --- damage --- */

static void
pass_on_lost(struct stk_reader *reader, uint64_t incidents)
{
	if (reader->options.writer != NULL)
		stk_writer_lost(reader->options.writer, incidents);
}

static void
tell(struct stk_reader *reader, int64_t offset, uint64_t bytes, const char *what)
{
	reader->state.damages++;
	reader->state.lost_bytes += bytes;
	reader->stream_damaged = true;
	pass_on_lost(reader, 1);
	if (reader->options.damage != NULL)
		reader->options.damage(reader->options.damage_context, offset, reader->is_text ? 0 : bytes, what);
}

/* The current block cannot be used; reported once. */
static int
block_damaged(struct stk_reader *reader, struct stk_error *err, const char *what)
{
	uint64_t bytes = reader->block_bytes;
	struct stk_error unheard = { 0 };

	if (reader->quiet)
		return stk_fail(err, STK_EDATA, "%s", what);
	if (!reader->damaged) {
		/* no more is lost than is there; the next read reports a failure */
		long held = peek(reader, bytes, &unheard);

		tell(reader, reader->offset, held >= 0 && (uint64_t)held < bytes ? (uint64_t)held : bytes, what);
	}
	reader->damaged = true;
	return stk_fail(err, STK_EDATA, "%s", what);
}

/* Some values of the current block are impossible; the block itself is whole. */
static void
tell_values(struct stk_reader *reader, const char *what)
{
	reader->state.damages++;
	pass_on_lost(reader, 1);
	if (reader->options.damage != NULL)
		reader->options.damage(reader->options.damage_context, reader->offset, 0, what);
}

/* Moves to the next right header: the bytes before it are lost. 1 found, 0 the input ends, -1. */
static int
find_block(struct stk_reader *reader, const char *what, struct stk_error *err)
{
	int64_t begin = reader->offset;

	for (;;) {
		const unsigned char *from, *magic;
		const char *unused;
		long got, size;

		consume(reader, 1);
		got = peek(reader, BLOCK_PREFIX, err);
		if (got < 0)
			return -1;
		from = reader->buffer + reader->at;
		magic = got < 4 ? NULL : memchr(from, BLOCK_MAGIC & 0xff, (size_t)got);
		if (magic == NULL) {
			consume(reader, got < 4 ? (size_t)got : (size_t)got - 1);
			if (reader->at_end && got < 4) {
				tell(reader, begin, (uint64_t)(reader->offset - begin), what);
				return 0;
			}
			continue;
		}
		if (magic > from) {
			consume(reader, (size_t)(magic - from) - 1);		/* the loop consumes one more */
			continue;
		}
		size = block_header_find(from, (size_t)got, &unused);
		if (size == 0 && got >= 8) {
			got = peek(reader, load32(from + 4) + 8, err);
			if (got < 0)
				return -1;
			size = block_header_find(reader->buffer + reader->at, (size_t)got, &unused);
		}
		if (size > 0) {
			tell(reader, begin, (uint64_t)(reader->offset - begin), what);
			return 1;
		}
	}
}

/* --- headers --- */

/* The message for an input that does not begin like a record stream. */
static const char *
no_stream(struct stk_reader *reader)
{
	struct stk_error unheard = { 0 };
	long held = peek(reader, FOREIGN_LOOKED_AT, &unheard);
	const char *text = held > 0 ? foreign_text(reader->buffer + reader->at, (size_t)held) : NULL;

	reader->is_text = text != NULL;
	return reader->is_text ? text : "not a record stream (expected the output of stkcap)";
}

/* At the end of the input: whether its writer only has not come further. */
static bool
is_growing(struct stk_reader *reader)
{
	if (!reader->in_stream || reader->growing == NULL || !reader->growing(reader->growing_context))
		return false;
	reader->in_stream = false;
	return true;
}

/* Whether the current block is the last one of an input that its writer has written in part so far. Only what was at
 * the end of the file, when it was opened, is looked at. 1, 0, -1. */
static int
is_being_written(struct stk_reader *reader, struct stk_error *err)
{
	long held;

	if (reader->growing == NULL || reader->options.seek == NULL ||
	    (uint64_t)reader->offset + reader->block_bytes <= (uint64_t)reader->options.size)
		return 0;
	held = peek(reader, reader->block_bytes, err);
	if (held < 0)
		return -1;
	return (uint64_t)held < reader->block_bytes && is_growing(reader);
}

/* Reads the header at the current place into reader->header. 1, 0 at the end of the input, -1. */
static int
read_header(struct stk_reader *reader, struct stk_error *err)
{
	for (;;) {
		struct stk_error why = { 0 };
		const char *what;
		long got = peek(reader, BLOCK_PREFIX, err), size;
		int found;

		if (got <= 0)
			return (int)got;
		size = block_header_find(reader->buffer + reader->at, (size_t)got, &what);
		if (size == 0 && got >= BLOCK_PREFIX) {
			got = peek(reader, load32(reader->buffer + reader->at + 4) + 8, err);
			if (got < 0)
				return -1;
			size = block_header_find(reader->buffer + reader->at, (size_t)got, &what);
		}
		if (size > 0 &&
		    block_header_read(&reader->header, reader->buffer + reader->at, (size_t)size, &why) < 0) {
			what = why.text;
			size = -1;
		}
		if (size > 0) {
			reader->header_bytes = (size_t)size;
			reader->block_bytes = (uint64_t)size + reader->header.stored_bytes;
			found = is_being_written(reader, err);
			return found == 0 ? 1 : found < 0 ? -1 : 0;
		}
		if (size == 0 && is_growing(reader))
			return 0;
		if (size == 0)
			what = "the input ends in the middle of a block";
		else if (reader->offset == 0)
			what = no_stream(reader);
		found = find_block(reader, what, err);
		reader->is_text = false;
		if (found <= 0)
			return found;
	}
}

/* Moves past the current block. 0, or -1. */
static int
leave_block(struct stk_reader *reader, struct stk_error *err)
{
	uint64_t bytes = reader->block_bytes;
	int64_t offset = reader->offset, passed;

	if (bytes == 0)
		return 0;
	reader->block_bytes = 0;
	passed = skip(reader, bytes, SEEK_LEAST, err);
	if (passed < 0)
		return -1;
	if ((uint64_t)passed < bytes && !reader->damaged)
		tell(reader, offset, (uint64_t)passed, "the input ends in the middle of a block");
	return 0;
}

/* --- columns --- */

static const struct block_column *
described(const struct stk_reader *reader, unsigned number)
{
	for (unsigned c = 0; c < reader->header.columns; c++)
		if (reader->header.column[c].number == number)
			return &reader->header.column[c];
	return NULL;
}

/* How much of a block must be in the buffer for a column: no more than its frame where the input has all of the block
 * for sure. */
static size_t
bytes_to_column(const struct stk_reader *reader, const struct block_column *column)
{
	if (reader->options.size - reader->offset < (int64_t)reader->block_bytes)
		return reader->block_bytes;
	return reader->header_bytes + (size_t)(column->stored_at + column->stored_bytes);
}

/* Decompresses a column's frame into `to`, which has content_bytes of room. */
static int
unpack(struct stk_reader *reader, const struct block_column *column, unsigned char *to, struct stk_error *err)
{
	size_t wanted = bytes_to_column(reader, column);
	long got = peek(reader, wanted, err);
	const unsigned char *frame;
	size_t frame_bytes = (size_t)column->stored_bytes, size;

	if (got < 0)
		return -1;
	if ((size_t)got < wanted)
		return block_damaged(reader, err, "the input ends in the middle of a block");
	frame = reader->buffer + reader->at + reader->header_bytes + column->stored_at;
	if (frame_bytes < FRAME_LEAST || (frame[FRAME_DESCRIPTOR] & FRAME_HAS_CHECKSUM) == 0 ||
	    load32(frame + frame_bytes - 4) != column->stored_check)
		return block_damaged(reader, err, "a column's frame is not the one of the block's header");
	if (ZSTD_getFrameContentSize(frame, frame_bytes) != column->content_bytes ||
	    ZSTD_findFrameCompressedSize(frame, frame_bytes) != frame_bytes)
		return block_damaged(reader, err, "a column's frame is not of the size in the block's header");
	size = ZSTD_decompressDCtx(reader->zstd, to, (size_t)column->content_bytes, frame, frame_bytes);
	if (ZSTD_isError(size) || size != column->content_bytes)
		return block_damaged(reader, err,
				     ZSTD_isError(size) && ZSTD_getErrorCode(size) == ZSTD_error_checksum_wrong
					     ? "the block's checksum differs"
					     : "a column of the block cannot be decompressed");
	return 0;
}

/* The content is lost. With more room than is wanted: blocks differ a little, and pages given back and taken again cost
 * more than reading into them. */
static void *
with_room(void *old, size_t *room, size_t wanted)
{
	if (wanted <= *room)
		return old;
	free(old);
	*room = wanted + wanted / 4;
	return mem_resize(NULL, *room, 1);
}

static void
fill(uint64_t *values, uint32_t rows, uint64_t word)
{
	for (uint32_t i = 0; i < rows; i++)
		values[i] = word;
}

static const struct stk_kind_schema *
kind_schema(const struct stk_reader *reader, unsigned kind)
{
	const struct stk_schema *schema = stk_reader_schema(reader);

	return schema != NULL && kind < schema->kinds && schema->kind[kind].name != NULL ? &schema->kind[kind] : NULL;
}

/* --- valid values --- */

enum belief { ANYTHING, TIMES, MEASURES };

/* The index repeats what the headers of blocks say, and is checked there. Reals that are not measures are states and
 * findings, which may be infinite. */
static enum belief
belief_of(const struct stk_reader *reader, unsigned number)
{
	unsigned kind = reader->header.kind;
	const struct stk_kind_schema *schema = kind_schema(reader, kind);

	if (schema == NULL || number >= schema->columns || kind == STK_INDEX)
		return ANYTHING;
	if (schema->column[number].type == STK_TYPE_TIME)
		return TIMES;
	return schema->column[number].type == STK_TYPE_REAL &&
			       (kind == STK_METRIC || kind == STK_EVENT || kind == STK_INTENSITY)
		       ? MEASURES
		       : ANYTHING;
}

static double
real_of(uint64_t word)
{
	double real;

	memcpy(&real, &word, sizeof real);
	return real;
}

static bool
is_believed(enum belief belief, uint64_t word)
{
	switch (belief) {
	case TIMES:    return (int64_t)word == STK_TIME_UNKNOWN || stk_time_is_believed((int64_t)word);
	case MEASURES: return stk_measure_is_believed(real_of(word));
	case ANYTHING: break;
	}
	return true;
}

/* Whether the times of a block are those in its header. */
static bool
is_in_range(const struct stk_reader *reader, unsigned number, const uint64_t *values, uint32_t rows)
{
	const struct stk_kind_schema *schema = kind_schema(reader, reader->header.kind);
	int64_t least = INT64_MAX, most = INT64_MIN;

	if (!reader->header.has_time || schema == NULL || schema->time != (int)number)
		return true;
	for (uint32_t i = 0; i < rows; i++) {
		least = (int64_t)values[i] < least ? (int64_t)values[i] : least;
		most = (int64_t)values[i] > most ? (int64_t)values[i] : most;
	}
	return least == reader->header.from_ns && most == reader->header.to_ns;
}

static uint32_t
count_doubtful(enum belief belief, const uint64_t *values, uint32_t rows)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < rows && belief != ANYTHING; i++)
		count += !is_believed(belief, values[i]);
	return count;
}

/* Replaces impossible values of a decoded column, and reports them. Columns that are predicted by this one need it as
 * it was written. */
static void
judge(struct stk_reader *reader, unsigned number)
{
	static const char *const forms[] = {
		[TIMES] = "times outside 1823 to 2116 in %u of %u rows; they count as unknown",
		[MEASURES] = "values not finite or beyond 1e100 in %u of %u rows; they are left out"
	};
	enum belief belief = belief_of(reader, number);
	uint64_t *values = reader->values[number], none = (uint64_t)STK_TIME_UNKNOWN;
	uint32_t rows = reader->header.rows, doubtful = count_doubtful(belief, values, rows);
	double nan = NAN;
	char text[128];

	if (doubtful == 0)
		return;
	if (belief == MEASURES)
		memcpy(&none, &nan, sizeof none);
	free(reader->written[number]);
	reader->written[number] = mem_new(rows, sizeof *values);
	memcpy(reader->written[number], values, rows * sizeof *values);
	reader->has_written[number] = true;
	for (uint32_t i = 0; i < rows; i++)
		if (!is_believed(belief, values[i]))
			values[i] = none;
	snprintf(text, sizeof text, forms[belief], doubtful, rows);
	tell_values(reader, text);
}

/* The common start of both kinds of columns. 1: the values or texts are there already; 0: they must be decoded; -1. */
static int
begin_column(struct stk_reader *reader, unsigned number, bool texts, struct stk_error *err)
{
	const struct stk_kind_schema *kind = kind_schema(reader, reader->header.kind);

	if (reader->block_bytes == 0 || number >= STK_COLUMN_MAX)
		return stk_fail(err, STK_EUSAGE, "there is no column %u", number);
	if (reader->supposed)		/* a head that was lost has no rows */
		return 1;
	if (reader->quiet && belief_of(reader, number) != ANYTHING)
		return stk_fail(err, STK_EDATA, "what is wrong with the values would have to be reported");
	if (reader->damaged)
		return block_damaged(reader, err, "the block is damaged");
	if (kind != NULL && number < kind->columns && (kind->column[number].type == STK_TYPE_TEXT) != texts)
		return block_damaged(reader, err,
				     texts ? "a column of numbers is used as texts"
					   : "a column of texts is used as numbers");
	return reader->decoded[number] == (texts ? DECODED_TEXTS : DECODED_WORDS);
}

static const uint64_t *
as_written(const struct stk_reader *reader, unsigned number)
{
	return reader->has_written[number] ? reader->written[number] : reader->values[number];
}

int
stk_reader_column(struct stk_reader *reader, unsigned number, const uint64_t **values, struct stk_error *err)
{
	const struct block_column *column;
	column_keys keys = { NULL, NULL };
	uint32_t rows = reader->header.rows;
	int begun = begin_column(reader, number, false, err);

	*values = begun > 0 ? reader->values[number] : NULL;
	if (begun != 0)
		return begun < 0 ? -1 : 0;
	column = described(reader, number);
	reader->values[number] =
		with_room(reader->values[number], &reader->values_room[number], (size_t)rows * sizeof(uint64_t));
	if (column == NULL || column->encoding == ENCODING_WORD) {
		fill(reader->values[number], rows, column == NULL ? 0 : column->word);
	} else if (column->encoding != ENCODING_WORDS) {
		return block_damaged(reader, err, "a column holds texts where numbers are expected");
	} else {
		for (unsigned k = 0; k < column->coding.keys; k++) {
			if (stk_reader_column(reader, column->coding.key[k], &keys[k], err) < 0)
				return -1;
			keys[k] = as_written(reader, column->coding.key[k]);
		}
		reader->unpacked =
			with_room(reader->unpacked, &reader->unpacked_room, (size_t)column->content_bytes + 1);
		if (unpack(reader, column, reader->unpacked, err) < 0)
			return -1;
		if (column_decode(&column->coding, reader->unpacked, keys, reader->values[number], rows,
				  &reader->scratch) < 0)
			return block_damaged(reader, err, "a column holds a code that does not exist");
	}
	if (!is_in_range(reader, number, reader->values[number], rows))
		return block_damaged(reader, err, "the times of the block are not those in its header");
	judge(reader, number);
	reader->decoded[number] = DECODED_WORDS;
	*values = reader->values[number];
	return 0;
}

bool
reader_look_at(struct stk_reader *reader, unsigned column, const uint64_t **values)
{
	struct stk_error unheard = { 0 };
	int result;

	reader->quiet = true;
	result = stk_reader_column(reader, column, values, &unheard);
	reader->quiet = false;
	return result == 0;
}

bool
stk_reader_is_constant(struct stk_reader *reader, unsigned number, uint64_t *word)
{
	const struct stk_kind_schema *kind = kind_schema(reader, reader->header.kind);
	const struct block_column *column = described(reader, number);

	if (reader->block_bytes == 0 || reader->supposed || reader->damaged ||
	    (column != NULL && column->encoding != ENCODING_WORD) ||
	    (kind != NULL && number < kind->columns && kind->column[number].type == STK_TYPE_TEXT))
		return false;
	*word = column == NULL ? 0 : column->word;
	/* else stk_reader_column reports it */
	return is_believed(belief_of(reader, number), *word) && is_in_range(reader, number, word, 1);
}

/* The content of a text column to texts. */
static int
split_texts(struct stk_reader *reader, unsigned number, uint64_t content_bytes, struct stk_error *err)
{
	struct cursor sizes = { reader->content[number], reader->content[number] + content_bytes, false };
	struct cursor bytes;
	uint32_t rows = reader->header.rows;

	for (uint32_t i = 0; i < rows; i++) {
		uint64_t size = take_varint(&sizes);

		if (sizes.bad || size > content_bytes)
			return block_damaged(reader, err, "a column of texts is not as expected");
		reader->texts[number][i].size = (size_t)size;
	}
	bytes = sizes;
	for (uint32_t i = 0; i < rows; i++) {
		reader->texts[number][i].data = (const char *)take_bytes(&bytes, reader->texts[number][i].size);
		if (bytes.bad)
			return block_damaged(reader, err, "a column of texts is not as expected");
	}
	if (bytes.at != bytes.end)
		return block_damaged(reader, err, "a column of texts is not as expected");
	return 0;
}

int
stk_reader_texts(struct stk_reader *reader, unsigned number, const struct stk_text **texts, struct stk_error *err)
{
	const struct block_column *column;
	uint32_t rows = reader->header.rows;
	int begun = begin_column(reader, number, true, err);

	*texts = begun > 0 ? reader->texts[number] : NULL;
	if (begun != 0)
		return begun < 0 ? -1 : 0;
	column = described(reader, number);
	reader->texts[number] =
		with_room(reader->texts[number], &reader->texts_room[number], (size_t)rows * sizeof(struct stk_text));
	if (column == NULL || column->encoding == ENCODING_TEXT) {
		struct stk_text text = { "", 0 };

		if (column != NULL) {		/* the header's bytes move with the buffer */
			reader->content[number] = with_room(reader->content[number], &reader->content_room[number],
							    column->text_size + 1);
			memcpy(reader->content[number], reader->buffer + reader->at + column->text_at,
			       column->text_size);
			text = text_of((const char *)reader->content[number], column->text_size);
		}
		for (uint32_t i = 0; i < rows; i++)
			reader->texts[number][i] = text;
	} else if (column->encoding != ENCODING_TEXTS) {
		return block_damaged(reader, err, "a column holds numbers where texts are expected");
	} else {
		reader->content[number] = with_room(reader->content[number], &reader->content_room[number],
						    (size_t)column->content_bytes + 1);
		if (unpack(reader, column, reader->content[number], err) < 0 ||
		    split_texts(reader, number, column->content_bytes, err) < 0)
			return -1;
	}
	reader->decoded[number] = DECODED_TEXTS;
	*texts = reader->texts[number];
	return 0;
}

int
stk_reader_rows(struct stk_reader *reader, struct stk_error *err)
{
	const struct stk_kind_schema *kind =
		reader->header.kind < STK_KIND_COUNT ? &stk_schema()->kind[reader->header.kind] : NULL;

	if (kind == NULL || kind->name == NULL)
		return stk_fail(err, STK_EUSAGE, "rows of kind %u are not known to this version",
				reader->header.kind);
	for (unsigned c = 0; c < kind->columns; c++) {
		const struct stk_text *texts;
		const uint64_t *values;

		if ((kind->column[c].type == STK_TYPE_TEXT ? stk_reader_texts(reader, c, &texts, err)
							   : stk_reader_column(reader, c, &values, err)) < 0)
			return -1;
	}
	return 0;
}

void
stk_reader_row(struct stk_reader *reader, uint32_t row, void *to)
{
	const struct stk_kind_schema *kind = &stk_schema()->kind[reader->header.kind];

	for (unsigned c = 0; c < kind->columns; c++) {
		char *field = (char *)to + kind->column[c].offset;

		if (kind->column[c].type == STK_TYPE_TEXT)
			memcpy(field, &reader->texts[c][row], sizeof(struct stk_text));
		else
			memcpy(field, &reader->values[c][row], sizeof(uint64_t));
	}
}

int
stk_reader_check(struct stk_reader *reader, struct stk_error *err)
{
	for (unsigned c = 0; c < reader->header.columns; c++) {
		const struct block_column *column = &reader->header.column[c];
		const struct stk_text *texts;
		const uint64_t *values;

		if ((column->encoding == ENCODING_TEXT || column->encoding == ENCODING_TEXTS
			     ? stk_reader_texts(reader, column->number, &texts, err)
			     : stk_reader_column(reader, column->number, &values, err)) < 0)
			return -1;
	}
	return 0;
}

/* --- heads and ends --- */

static void
begin_stream(struct stk_reader *reader)
{
	stk_schema_free(reader->schema);
	reader->schema = NULL;
	reader->in_stream = true;
	reader->stream_offset = reader->offset;
	reader->stream_blocks = 0;
	reader->stream_damaged = false;
	reader->state.streams++;
	memset(reader->next_id, 0, sizeof reader->next_id);
}

static void
stream_was_cut(struct stk_reader *reader)
{
	if (is_growing(reader))
		return;
	if (reader->in_stream && !reader->stream_damaged)
		tell(reader, reader->offset, 0, "the stream ends without its end record: it is truncated");
	reader->in_stream = false;
}

/* A head: its schema is that of what follows. -1 when its major version is newer than the program. */
static int
read_head(struct stk_reader *reader, struct stk_error *err)
{
	struct stk_error why = { 0 };
	const struct stk_text *schema;
	const uint64_t *major;

	stream_was_cut(reader);
	begin_stream(reader);
	reader->stream_blocks = 1;
	if (reader->header.rows != 1 || reader->header.first_id != 0) {
		(void)block_damaged(reader, &why, "a head does not have one row");
		return 0;
	}
	if (stk_reader_column(reader, STK_COLUMN(head, major), &major, &why) < 0 ||
	    stk_reader_texts(reader, STK_COLUMN(head, schema), &schema, &why) < 0)
		return 0;		/* reported; the library's own schema is assumed */
	if (*major != STK_FORMAT_MAJOR)
		return stk_fail(
			err, STK_ESYSTEM,
			"the stream is of format version %llu, and this program reads version %d: use a newer stkpipe",
			(unsigned long long)*major, STK_FORMAT_MAJOR);
	if (stk_schema_parse(&reader->schema, *schema, &why) < 0)
		(void)block_damaged(reader, &(struct stk_error){ 0 }, why.text);
	return 0;
}

static void
read_end(struct stk_reader *reader)
{
	struct stk_error why = { 0 };
	const uint64_t *blocks, *bytes, *lost;

	if (stk_reader_column(reader, STK_COLUMN(end, blocks), &blocks, &why) < 0 ||
	    stk_reader_column(reader, STK_COLUMN(end, bytes), &bytes, &why) < 0 ||
	    stk_reader_column(reader, STK_COLUMN(end, lost), &lost, &why) < 0)
		return;
	if (reader->in_stream && !reader->stream_damaged &&
	    (*blocks != reader->stream_blocks ||
	     *bytes != (uint64_t)(reader->offset - reader->stream_offset) + reader->block_bytes))
		tell(reader, reader->offset, 0,
		     "the stream's end record counts a different number of blocks: a part is missing");
	reader->state.writer_lost += *lost;
	pass_on_lost(reader, *lost);
	reader->state.ended++;
	reader->in_stream = false;
}

/* A range with invalid times says nothing: the rows are examined. */
static bool
range_is_believed(const struct block_header *header)
{
	return header->has_time && stk_time_is_believed(header->from_ns) && stk_time_is_believed(header->to_ns);
}

static void
describe(const struct stk_reader *reader, struct stk_block *block)
{
	const struct block_header *header = &reader->header;
	bool has_time = range_is_believed(header);

	*block = (struct stk_block){ .kind = header->kind,
				     .rows = header->rows,
				     .first_id = header->first_id,
				     .has_time = has_time,
				     .from_ns = has_time ? header->from_ns : 0,
				     .to_ns = has_time ? header->to_ns : 0,
				     .schema = kind_schema(reader, header->kind),
				     .offset = reader->offset,
				     .bytes = reader->block_bytes };
}

bool
reader_kind_lasts(unsigned kind)
{
	return kind == STK_TREE || kind == STK_TREE_NODE;
}

static bool
is_wanted(const struct stk_reader *reader)
{
	const struct block_header *header = &reader->header;

	if (reader->wanted != NULL && header->kind < reader->wanted_kinds && !reader->wanted[header->kind])
		return false;
	return !range_is_believed(header) || header->first_id != 0 || reader_kind_lasts(header->kind) ||
	       (header->to_ns >= reader->from_ns && header->from_ns < reader->to_ns);
}

/* Rows of definitions have ids, others none. Reports a block that breaks this. */
static bool
ids_are_right(struct stk_reader *reader)
{
	const struct stk_kind_schema *kind = kind_schema(reader, reader->header.kind);

	if (kind == NULL || kind->definition == (reader->header.first_id != 0))
		return true;
	(void)block_damaged(reader, &(struct stk_error){ 0 }, "the block's first id is not as expected of its kind");
	return false;
}

/* Definitions whose ids begin anew without a head: the head was lost. */
static bool
head_was_lost(struct stk_reader *reader)
{
	const struct block_header *header = &reader->header;
	bool lost = !reader->in_stream || (header->first_id != 0 && header->first_id < reader->next_id[header->kind]);

	if (header->first_id != 0)
		reader->next_id[header->kind] = header->first_id + header->rows;
	return lost;
}

/* Supposes a head where one was lost; the current block comes after it. */
static void
suppose_head(struct stk_reader *reader, struct stk_block *block)
{
	uint32_t next = reader->header.first_id + reader->header.rows;

	if (reader->in_stream || reader->state.damages == 0)
		tell(reader, reader->offset, 0, "a stream's head is missing here: ids begin anew");
	begin_stream(reader);
	reader->stream_damaged = true;
	if (reader->header.first_id != 0)
		reader->next_id[reader->header.kind] = next;
	describe(reader, &reader->pending);
	reader->has_pending = true;
	reader->supposed = true;
	*block = (struct stk_block){ .kind = STK_HEAD,
				     .schema = kind_schema(reader, STK_HEAD),
				     .offset = reader->offset };
}

static void
note_times(struct stk_reader *reader)
{
	struct time_range range = { reader->state.from_ns, reader->state.to_ns };

	if (!range_is_believed(&reader->header))
		return;
	time_range_add(&range, reader->header.from_ns);
	time_range_add(&range, reader->header.to_ns);
	reader->state.from_ns = range.from_ns;
	reader->state.to_ns = range.to_ns;
}

/* Moves past what need not be read. It counts as met. */
static int
leap(struct stk_reader *reader, struct stk_error *err)
{
	struct time_range range = { reader->state.from_ns, reader->state.to_ns };
	struct reader_leap far = { .bytes = 0 };
	int64_t passed;

	reader->leap(reader->leap_context, reader->offset, &far);
	reader->read_to = reader->offset + (int64_t)(far.bytes + far.wanted);
	if (far.bytes == 0)
		return 0;
	passed = skip(reader, far.bytes, 0, err);
	if (passed < 0)
		return -1;
	time_range_add(&range, far.from_ns);
	time_range_add(&range, far.to_ns);
	reader->state.from_ns = range.from_ns;
	reader->state.to_ns = range.to_ns;
	reader->stream_blocks += far.blocks;
	return 0;
}

static int
next_block(struct stk_reader *reader, struct stk_block *block, struct stk_error *err)
{
	if (reader->has_pending) {
		reader->has_pending = reader->supposed = false;
		*block = reader->pending;
		if (block->kind != STK_INDEX && is_wanted(reader))
			return 1;
	}
	for (;;) {
		int got;

		if (leave_block(reader, err) < 0)
			return -1;
		if (reader->leap != NULL && !reader->gone && leap(reader, err) < 0)
			return -1;
		reader->damaged = false;
		memset(reader->decoded, 0, sizeof reader->decoded);
		memset(reader->has_written, 0, sizeof reader->has_written);
		got = read_header(reader, err);
		if (got <= 0) {
			if (got == 0)
				stream_was_cut(reader);
			return got;
		}
		if (reader->header.kind == STK_HEAD) {
			reader->gone = false;
			if (read_head(reader, err) < 0)
				return -1;
			describe(reader, block);
			return 1;
		}
		if (reader->gone) {
			reader->gone = false;
			describe(reader, block);
			return 1;
		}
		if (reader->header.kind == STK_END) {
			read_end(reader);
			continue;
		}
		if (head_was_lost(reader)) {
			suppose_head(reader, block);
			return 1;
		}
		reader->stream_blocks++;
		note_times(reader);
		if (reader->header.kind == STK_INDEX || !ids_are_right(reader) || !is_wanted(reader))
			continue;
		describe(reader, block);
		return 1;
	}
}

int
stk_reader_next(struct stk_reader *reader, struct stk_block *block, struct stk_error *err)
{
	int got = next_block(reader, block, err);

	if (got < 0)
		pass_on_lost(reader, 1);	/* the rest of the input */
	return got;
}

int
stk_reader_go(struct stk_reader *reader, int64_t offset, struct stk_error *err)
{
	if (reader->options.seek == NULL || reader->options.seek(reader->options.context, offset) < 0)
		return stk_fail(err, STK_ESYSTEM, "the input cannot seek (is it a pipe?): write it to a file first");
	reader->at = reader->end = 0;
	reader->offset = offset;
	reader->at_end = reader->in_stream = reader->has_pending = reader->supposed = false;
	reader->block_bytes = 0;
	reader->gone = true;
	return 0;
}

/* --- the rest --- */

int
stk_reader_open(struct stk_reader **out, const struct stk_reader_options *options, struct stk_error *err)
{
	struct stk_reader *reader;

	*out = NULL;
	reader = mem_new(1, sizeof *reader);
	reader->options = *options;
	reader->state.from_ns = reader->state.to_ns = STK_TIME_UNKNOWN;
	reader->from_ns = INT64_MIN;
	reader->to_ns = INT64_MAX;
	reader->zstd = ZSTD_createDCtx();
	if (reader->zstd == NULL) {
		free(reader);
		return stk_fail(err, STK_ESYSTEM, "zstd cannot create a decompressor");
	}
	*out = reader;
	return 0;
}

void
stk_reader_close(struct stk_reader *reader)
{
	if (reader == NULL)
		return;
	if (reader->leap_close != NULL)
		reader->leap_close(reader->leap_context);
	for (unsigned c = 0; c < STK_COLUMN_MAX; c++) {
		free(reader->values[c]);
		free(reader->written[c]);
		free(reader->texts[c]);
		free(reader->content[c]);
	}
	free(reader->buffer);
	free(reader->unpacked);
	column_scratch_release(&reader->scratch);
	stk_schema_free(reader->schema);
	ZSTD_freeDCtx(reader->zstd);
	free(reader);
}

int
stk_reader_fetch(struct stk_reader *reader, struct stk_error *err)
{
	return peek(reader, reader->block_bytes, err) < 0 ? -1 : 0;
}

void
stk_reader_want(struct stk_reader *reader, const bool *wanted, unsigned kinds)
{
	reader->wanted = wanted;
	reader->wanted_kinds = kinds;
}

void
stk_reader_window(struct stk_reader *reader, int64_t from_ns, int64_t to_ns)
{
	reader->from_ns = from_ns;
	reader->to_ns = to_ns;
}

void
stk_reader_state(const struct stk_reader *reader, struct stk_reader_state *state)
{
	*state = reader->state;
	state->offset = reader->offset;
}

const struct stk_schema *
stk_reader_schema(const struct stk_reader *reader)
{
	return reader->schema != NULL ? reader->schema : reader->state.streams > 0 ? stk_schema() : NULL;
}

const struct block_header *
reader_header(const struct stk_reader *reader)
{
	return &reader->header;
}

int
reader_raw(struct stk_reader *reader, const struct block_header **header, const unsigned char **bytes, size_t *size,
	   struct stk_error *err)
{
	static const struct block_header lost_head = { .kind = STK_HEAD };
	long got;

	*header = &reader->header;
	*bytes = NULL;
	if (reader->supposed) {
		*header = &lost_head;
		return 0;
	}
	got = peek(reader, reader->block_bytes, err);
	if (got < 0)
		return -1;
	if ((uint64_t)got < reader->block_bytes)
		return block_damaged(reader, err, "the input ends in the middle of a block");
	*bytes = reader->buffer + reader->at;
	*size = (size_t)reader->block_bytes;
	return 0;
}

const struct stk_reader_options *
reader_lend(const struct stk_reader *reader)
{
	return reader->has_leaps || reader->options.seek == NULL ? NULL : &reader->options;
}

void
reader_growing(struct stk_reader *reader, reader_growing_function *growing, void *context)
{
	reader->growing = growing;
	reader->growing_context = context;
}

void
reader_leaps(struct stk_reader *reader, reader_leap_function *next, reader_leap_close_function *close, void *context)
{
	reader->has_leaps = true;
	reader->leap = next;
	reader->leap_close = close;
	reader->leap_context = context;
	/* what was lent was moved: to where the buffer ends. If that fails the input ends there, which is reported */
	if (reader->options.seek(reader->options.context, reader->offset + (int64_t)(reader->end - reader->at)) < 0)
		reader->at_end = true;
}
