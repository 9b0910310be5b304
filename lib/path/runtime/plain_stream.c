/* SPDX-License-Identifier: MIT
 * plain_stream: every column is one zstd frame, or a constant in the header. */
#include "plain_stream.h"

#include "packed_block.h"

#include "stkpipe/rows.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define BLOCK_ROWS   16384u
#define BLOCK_TEXT   (1u << 22)
#define CONTENT_MOST 131072u		/* bytes of a block of a zstd frame */
#define SHORT_TEXT   4096u		/* longest constant text in the header */
#define END_BYTES    64u

/* Blocks of these kinds are written here, with all columns of the table. */
#define COLUMN(name, type, prediction, key, about) + 1
#define WRITES(NAME, columns) \
	_Static_assert((0 STK_COLUMNS_##NAME(COLUMN)) == (columns), #NAME " has other columns in the table")
WRITES(HEAD, 3);
WRITES(INDEX, 6);		/* the last, `holds`, is left out: not known */
WRITES(END, 4);
#undef WRITES
#undef COLUMN

/* --- memory --- */

void
plain_put(struct plain_bytes *to, const void *from, size_t size)
{
	if (to->count + size > to->room) {
		size_t room = (to->room * 2 + size + 65535) & ~(size_t)65535;
		void *at = to->at == NULL ? mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
					  : mremap(to->at, to->room, room, MREMAP_MAYMOVE);

		if (at == MAP_FAILED) {
			to->failed = true;
			return;
		}
		to->at = at;
		to->room = room;
	}
	memcpy(to->at + to->count, from, size);
	to->count += size;
}

static void
give_back(struct plain_bytes *bytes)
{
	if (bytes->at != NULL)
		munmap(bytes->at, bytes->room);
	*bytes = (struct plain_bytes){ 0 };
}

static void
put_byte(struct plain_bytes *to, unsigned value)
{
	unsigned char byte = (unsigned char)value;

	plain_put(to, &byte, 1);
}

static void
put_varint(struct plain_bytes *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put_byte(to, (unsigned)(value & 0x7f) | 0x80);
	put_byte(to, (unsigned)value);
}

static void
put_zvarint(struct plain_bytes *to, uint64_t value)
{
	put_varint(to, (value << 1) ^ (value >> 63 != 0 ? UINT64_MAX : 0));
}

static void
put_u32(struct plain_bytes *to, uint32_t value)
{
	const unsigned char bytes[4] = { (unsigned char)value, (unsigned char)(value >> 8),
					 (unsigned char)(value >> 16), (unsigned char)(value >> 24) };

	plain_put(to, bytes, 4);
}

/* --- frames and headers --- */

enum { BLOCK_RAW = 0, BLOCK_PACKED = 2 };	/* zstd's types */

static uint32_t
crc32_of(const unsigned char *at, size_t size)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < size; i++) {
		crc ^= at[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* The head of a block of a frame, in the room for it. */
static void
set_block_head(struct plain_bytes *to, size_t at, size_t size, unsigned type, bool last)
{
	uint32_t head = (uint32_t)(size << 3) | type << 1 | last;
	const unsigned char bytes[3] = { (unsigned char)head, (unsigned char)(head >> 8), (unsigned char)(head >> 16) };

	if (!to->failed)
		memcpy(to->at + at, bytes, sizeof bytes);
}

/* A zstd frame, with content size and checksum; its size. */
static size_t
put_frame(struct plain_bytes *to, const struct plain_bytes *content)
{
	size_t from = to->count, done = 0;
	struct packing packing;

	put_u32(to, 0xfd2fb528u);
	put_byte(to, 0xa4);			/* four bytes of content size, one segment, a checksum */
	put_u32(to, (uint32_t)content->count);
	packing_begin(&packing, content->at, content->count);
	do {
		size_t left = content->count - done, size = left < CONTENT_MOST ? left : CONTENT_MOST, at = to->count;
		bool packed;

		plain_put(to, "\0\0", 3);		/* the head comes when the size is known */
		packed = packing_put(&packing, to, done, size);
		if (!packed)
			plain_put(to, content->at + done, size);
		done += size;
		set_block_head(to, at, to->count - at - 3, packed ? BLOCK_PACKED : BLOCK_RAW, done == content->count);
	} while (done < content->count);
	packing_end(&packing);
	put_u32(to, (uint32_t)XXH64(content->at, content->count, 0));
	return to->count - from;
}

static uint64_t
word_at(const struct plain_column *column, uint32_t row)
{
	uint64_t value;

	memcpy(&value, column->words.at + (size_t)row * sizeof value, sizeof value);
	return value;
}

/* Whether all rows have the same text, and it is short enough for the header. */
static bool
is_constant(const struct plain_column *column, uint32_t rows)
{
	uint64_t first = word_at(column, 0);

	if (column->is_text && first > SHORT_TEXT)
		return false;
	for (uint32_t i = 1; i < rows; i++)
		if (word_at(column, i) != first ||
		    (column->is_text && memcmp(column->bytes.at + i * first, column->bytes.at, first) != 0))
			return false;
	return true;
}

static void
put_column(struct plain_bytes *head, struct plain_bytes *frames, const struct plain_column *column, uint32_t rows)
{
	struct plain_bytes content = { 0 };
	size_t size;

	if (is_constant(column, rows)) {
		put_byte(head, column->is_text);
		if (!column->is_text) {
			put_zvarint(head, word_at(column, 0));
			return;
		}
		put_varint(head, word_at(column, 0));
		plain_put(head, column->bytes.at, (size_t)word_at(column, 0));
		return;
	}
	if (column->is_text) {
		for (uint32_t i = 0; i < rows; i++)
			put_varint(&content, word_at(column, i));
		plain_put(&content, column->bytes.at, column->bytes.count);
		size = put_frame(frames, &content);
		put_byte(head, 3);
		put_varint(head, content.count);
	} else {
		size = put_frame(frames, &column->words);
		put_byte(head, 2);
		put_byte(head, 0);			/* nothing is predicted */
		put_varint(head, 1);			/* scale */
		put_zvarint(head, 0);			/* base */
		put_varint(head, 0);			/* no dictionary */
		plain_put(head, "\10\10\0", 3);		/* eight bytes each, one after another */
	}
	put_varint(head, size);
	if (!frames->failed)
		plain_put(head, frames->at + frames->count - 4, 4);
	content.failed |= frames->failed;
	head->failed |= content.failed;
	give_back(&content);
}

static void
put_description(struct plain_bytes *head, struct plain_bytes *frames, const struct plain_block *block)
{
	put_varint(head, block->kind);
	put_varint(head, block->rows);
	put_varint(head, block->first_id);
	if (block->time_column == plain_none) {
		put_byte(head, 0);
	} else {					/* all rows of one writing have the same time */
		put_byte(head, 1);
		put_zvarint(head, word_at(&block->column[block->time_column], 0));
		put_zvarint(head, 0);
	}
	put_varint(head, block->columns);
	for (unsigned c = 0; c < block->columns; c++) {
		put_varint(head, c);
		put_column(head, frames, &block->column[c], block->rows);
	}
}

static void
write_all(struct plain_stream *s, const struct plain_bytes *bytes)
{
	size_t done = 0;

	if (bytes->failed && !s->failed) {
		s->failed = true;
		s->error = ENOMEM;
	}
	while (done < bytes->count && !s->failed) {
		ssize_t got = write(s->fd, bytes->at + done, bytes->count - done);

		if (got < 0 && errno != EINTR) {
			s->failed = true;
			s->error = errno;
		}
		done += got > 0 ? (size_t)got : 0;
	}
	s->offset += bytes->count;
}

/* pad: to how many bytes the header is filled up. */
static void
write_block(struct plain_stream *s, const struct plain_block *block, size_t pad)
{
	struct plain_bytes description = { 0 }, frames = { 0 }, out = { 0 };
	static const unsigned char zeros[END_BYTES];

	put_description(&description, &frames, block);
	if (description.count + 16 < pad)
		plain_put(&description, zeros, pad - 16 - description.count);
	put_u32(&out, 0x184d2a53u);
	put_u32(&out, (uint32_t)description.count + 8);
	plain_put(&out, "stk1", 4);
	put_u32(&out, crc32_of(description.at, description.count));
	plain_put(&out, description.at, description.count);
	if (frames.count > 0)
		plain_put(&out, frames.at, frames.count);
	out.failed |= description.failed | frames.failed;
	if (block->kind != STK_INDEX && block->kind != STK_END) {
		plain_word(&s->index, block->kind);
		plain_word(&s->index, block->rows);
		plain_word(&s->index, s->offset);
		plain_word(&s->index, block->time_column == plain_none
					      ? (uint64_t)STK_TIME_UNKNOWN
					      : word_at(&block->column[block->time_column], 0));
		plain_word(&s->index, 0);
		s->index.rows++;
	}
	s->blocks++;
	write_all(s, &out);
	give_back(&description);
	give_back(&frames);
	give_back(&out);
}

/* --- rows --- */

static struct plain_column *
next_column(struct plain_block *block)
{
	unsigned c = 0;

	while (c < block->columns && block->column[c].words.count > (size_t)block->rows * sizeof(uint64_t))
		c++;
	return &block->column[c];
}

void
plain_word(struct plain_block *block, uint64_t value)
{
	plain_put(&next_column(block)->words, &value, sizeof value);
}

void
plain_text(struct plain_block *block, const char *text, size_t size)
{
	struct plain_column *column = next_column(block);
	uint64_t word = size;

	column->is_text = true;
	plain_put(&column->words, &word, sizeof word);
	plain_put(&column->bytes, text, size);
	block->text_bytes += size;
}

static bool
has_failed(const struct plain_block *block)
{
	bool failed = false;

	for (unsigned c = 0; c < block->columns; c++)
		failed |= block->column[c].words.failed | block->column[c].bytes.failed;
	return failed;
}

void
plain_flush(struct plain_stream *s, struct plain_block *block)
{
	if (has_failed(block) && !s->failed) {
		s->failed = true;
		s->error = ENOMEM;
	}
	if (block->rows > 0 && !s->failed)
		write_block(s, block, 0);
	block->first_id += block->first_id > 0 ? block->rows : 0;
	plain_forget(block);
}

void
plain_forget(struct plain_block *block)
{
	block->rows = 0;
	block->text_bytes = 0;
	for (unsigned c = 0; c < block->columns; c++)
		block->column[c].words.count = block->column[c].bytes.count = 0;
}

void
plain_row(struct plain_stream *s, struct plain_block *block)
{
	block->rows++;
	if (block->rows == BLOCK_ROWS || block->text_bytes > BLOCK_TEXT)
		plain_flush(s, block);
}

void
plain_release(struct plain_block *block)
{
	for (unsigned c = 0; c < block->columns; c++) {
		give_back(&block->column[c].words);
		give_back(&block->column[c].bytes);
	}
}

/* --- streams --- */

void
plain_stream_begin(struct plain_stream *s, int fd, const char *schema)
{
	struct plain_block head = { .kind = STK_HEAD, .columns = 3, .time_column = plain_none };

	*s = (struct plain_stream){ .fd = fd, .index = { .kind = STK_INDEX, .columns = 5, .time_column = plain_none } };
	plain_word(&head, 1);
	plain_word(&head, 0);
	plain_text(&head, schema, strlen(schema));
	plain_row(s, &head);
	plain_flush(s, &head);
	plain_release(&head);
}

void
plain_stream_end(struct plain_stream *s)
{
	struct plain_block end = { .kind = STK_END, .columns = 4, .time_column = plain_none };
	uint64_t index = s->offset;

	plain_flush(s, &s->index);
	plain_word(&end, s->blocks);
	plain_word(&end, index);
	plain_word(&end, s->offset + END_BYTES);
	plain_word(&end, 0);
	end.rows = 1;
	if (!s->failed)
		write_block(s, &end, END_BYTES);
	plain_release(&end);
	plain_release(&s->index);
}
