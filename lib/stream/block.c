/* SPDX-License-Identifier: MIT
 * block: the header of a block, as FORMAT.md section 2 says. */
#include "stream/block.h"

#include <zlib.h>

static const char letters[4] = { 's', 't', 'k', '1' };

/* --- writing --- */

/* Room is checked before each column: nothing but a constant text is larger than this. */
#define COLUMN_HEADER_MAX (12 * VARINT_MAX)

static unsigned char *
put_stored(unsigned char *to, const struct block_column *column)
{
	to = put_varint(to, column->stored_bytes);
	store32(to, column->stored_check);
	return to + 4;
}

static unsigned char *
put_coding(unsigned char *to, const struct column_coding *coding)
{
	*to++ = (unsigned char)coding->prediction;
	if (column_is_keyed(coding->prediction)) {
		*to++ = (unsigned char)coding->keys;
		for (unsigned k = 0; k < coding->keys; k++)
			to = put_varint(to, coding->key[k]);
	}
	if (coding->prediction == STK_SAME) {
		*to++ = (unsigned char)(coding->grouped | coding->listed_step << 1);
		to = put_varint(to, coding->listed);
	}
	to = put_varint(to, coding->scale);
	to = put_varint(to, zigzag((int64_t)coding->base));
	to = put_varint(to, coding->dictionary);
	if (coding->dictionary > 0)
		to = put_varint(to, coding->dictionary_bytes);
	*to++ = (unsigned char)coding->low;
	*to++ = (unsigned char)coding->packed;
	*to++ = (unsigned char)coding->high;
	return to;
}

static unsigned char *
put_column(unsigned char *to, const struct block_column *column)
{
	to = put_varint(to, column->number);
	*to++ = (unsigned char)column->encoding;
	switch (column->encoding) {
	case ENCODING_WORD:
		return put_varint(to, zigzag((int64_t)column->word));
	case ENCODING_TEXT:
		to = put_varint(to, column->text.size);
		memcpy(to, column->text.data, column->text.size);
		return to + column->text.size;
	case ENCODING_TEXTS:
		to = put_varint(to, column->content_bytes);
		return put_stored(to, column);
	case ENCODING_WORDS:
		return put_stored(put_coding(to, &column->coding), column);
	}
	return to;
}

size_t
block_header_write(const struct block_header *header, unsigned char *to, size_t least)
{
	unsigned char *at = to + BLOCK_PREFIX, *end = to + STK_BLOCK_HEADER_MAX;
	size_t size;

	at = put_varint(at, header->kind);
	at = put_varint(at, header->rows);
	at = put_varint(at, header->first_id);
	*at++ = header->has_time;
	if (header->has_time) {
		at = put_varint(at, zigzag(header->from_ns));
		at = put_varint(at, (uint64_t)header->to_ns - (uint64_t)header->from_ns);
	}
	at = put_varint(at, header->columns);
	for (unsigned c = 0; c < header->columns; c++) {
		size_t text = header->column[c].encoding == ENCODING_TEXT ? header->column[c].text.size : 0;

		if ((size_t)(end - at) < COLUMN_HEADER_MAX + text)
			return 0;
		at = put_column(at, &header->column[c]);
	}
	size = (size_t)(at - to);
	if (size < least) {
		memset(at, 0, least - size);
		size = least;
	}
	store32(to, BLOCK_MAGIC);
	store32(to + 4, (uint32_t)size - 8);
	memcpy(to + 8, letters, sizeof letters);
	store32(to + 12, (uint32_t)crc32(0, to + BLOCK_PREFIX, (unsigned)(size - BLOCK_PREFIX)));
	return size;
}

/* --- reading --- */

long
block_header_find(const unsigned char *from, size_t size, const char **what)
{
	uint32_t follow;

	*what = "no block here";
	if (size >= 4 && load32(from) != BLOCK_MAGIC)
		return -1;
	if (size < BLOCK_PREFIX)
		return 0;
	follow = load32(from + 4);
	if (follow < 12 || follow > STK_BLOCK_HEADER_MAX - 8 || memcmp(from + 8, letters, sizeof letters) != 0)
		return -1;
	if (size < follow + 8)
		return 0;
	*what = "the block's header is damaged: its checksum differs";
	if ((uint32_t)crc32(0, from + BLOCK_PREFIX, follow + 8 - BLOCK_PREFIX) != load32(from + 12))
		return -1;
	return (long)follow + 8;
}

static int
take_keys(struct cursor *at, struct column_coding *coding, unsigned number)
{
	const unsigned char *count = take_bytes(at, 1);

	if (count == NULL || *count > 2)
		return -1;
	coding->keys = *count;
	for (unsigned k = 0; k < coding->keys; k++) {
		uint64_t key = take_varint(at);

		if (key >= number)
			return -1;
		coding->key[k] = (unsigned)key;
	}
	return 0;
}

static int
take_listed(struct cursor *at, struct column_coding *coding, uint32_t rows)
{
	const unsigned char *flags = take_bytes(at, 1);
	uint64_t listed = take_varint(at);

	if (flags == NULL || *flags > 3 || listed > rows)
		return -1;
	coding->grouped = *flags & 1;
	coding->listed_step = *flags >> 1;
	coding->listed = (uint32_t)listed;
	return 0;
}

static int
take_dictionary(struct cursor *at, struct column_coding *coding)
{
	uint64_t entries = take_varint(at), bytes = entries > 0 ? take_varint(at) : 0;

	if (entries > STK_BLOCK_ROWS_MAX || bytes > entries * VARINT_MAX ||
	    (entries > 0 && coding->prediction != STK_PLAIN && coding->prediction != STK_SAME))
		return -1;
	coding->dictionary = (uint32_t)entries;
	coding->dictionary_bytes = (uint32_t)bytes;
	return 0;
}

static bool
planes_are_right(const struct column_coding *coding)
{
	unsigned above = 8 * coding->low + coding->packed;

	if (coding->packed == COLUMN_WHOLE)
		return coding->low <= 8 && coding->high == 0;
	return coding->low <= 8 && coding->high <= 8 && coding->packed <= 4 && coding->packed != 3 &&
	       (coding->high == 0 ? above <= 64 : above < 64);
}

static int
take_coding(struct cursor *at, struct column_coding *coding, unsigned number, uint32_t rows)
{
	const unsigned char *prediction = take_bytes(at, 1);
	const unsigned char *planes;

	if (prediction == NULL || *prediction > STK_BACK)
		return -1;
	coding->prediction = (enum stk_prediction)*prediction;
	if (column_is_keyed(coding->prediction) && take_keys(at, coding, number) < 0)
		return -1;
	if (coding->prediction == STK_SAME && take_listed(at, coding, rows) < 0)
		return -1;
	coding->scale = take_varint(at);
	coding->base = (uint64_t)unzigzag(take_varint(at));
	if (take_dictionary(at, coding) < 0)
		return -1;
	planes = take_bytes(at, 3);
	if (planes == NULL || coding->scale == 0)
		return -1;
	coding->low = planes[0];
	coding->packed = planes[1];
	coding->high = planes[2];
	return planes_are_right(coding) ? 0 : -1;
}

static void
take_stored(struct cursor *at, struct block_column *column)
{
	const unsigned char *check;

	column->stored_bytes = take_varint(at);
	check = take_bytes(at, 4);
	column->stored_check = check == NULL ? 0 : load32(check);
}

static int
take_column(struct cursor *at, const unsigned char *from, struct block_column *column, uint32_t rows, unsigned *least)
{
	uint64_t number = take_varint(at), size;
	const unsigned char *encoding = take_bytes(at, 1);

	if (encoding == NULL || number < *least || number >= STK_COLUMN_MAX || *encoding > ENCODING_TEXTS)
		return -1;
	*least = (unsigned)number + 1;
	column->number = (unsigned)number;
	column->encoding = (enum block_encoding)*encoding;
	switch (column->encoding) {
	case ENCODING_WORD:
		column->word = (uint64_t)unzigzag(take_varint(at));
		break;
	case ENCODING_TEXT:
		size = take_varint(at);
		if (size > STK_BLOCK_HEADER_MAX)
			return -1;
		column->text_at = (size_t)(at->at - from);
		column->text_size = (size_t)size;
		(void)take_bytes(at, (size_t)size);
		break;
	case ENCODING_WORDS:
		if (take_coding(at, &column->coding, column->number, rows) < 0)
			return -1;
		column->content_bytes = column_size(&column->coding, rows);
		take_stored(at, column);
		break;
	case ENCODING_TEXTS:
		column->content_bytes = take_varint(at);
		take_stored(at, column);
		if (column->content_bytes < rows)
			return -1;
		break;
	}
	return at->bad || column->content_bytes > STK_COLUMN_BYTES_MAX || column->stored_bytes > BLOCK_STORED_MAX ? -1
														  : 0;
}

int
block_header_read(struct block_header *header, const unsigned char *from, size_t size, struct stk_error *err)
{
	struct cursor at = { from + BLOCK_PREFIX, from + size, false };
	uint64_t kind = take_varint(&at), rows = take_varint(&at), first_id = take_varint(&at), columns;
	const unsigned char *flag = take_bytes(&at, 1);
	unsigned least = 0;

	memset(header, 0, offsetof(struct block_header, column));
	header->stored_bytes = 0;
	if (flag == NULL || *flag > 1 || kind >= STK_KIND_MAX || rows == 0 || rows > STK_BLOCK_ROWS_MAX ||
	    first_id > UINT32_MAX - rows)
		return stk_fail(err, STK_EDATA, "the block's header is not as expected: kind %llu, %llu rows",
				(unsigned long long)kind, (unsigned long long)rows);
	header->kind = (unsigned)kind;
	header->rows = (uint32_t)rows;
	header->first_id = (uint32_t)first_id;
	header->has_time = *flag == 1;
	if (header->has_time) {
		header->from_ns = unzigzag(take_varint(&at));
		header->to_ns = (int64_t)((uint64_t)header->from_ns + take_varint(&at));
	}
	columns = take_varint(&at);
	if (at.bad || columns > STK_COLUMN_MAX || (header->has_time && header->to_ns < header->from_ns))
		return stk_fail(err, STK_EDATA, "the block's header is not as expected");
	header->columns = (unsigned)columns;
	for (unsigned c = 0; c < header->columns; c++) {
		struct block_column *column = &header->column[c];

		memset(column, 0, sizeof *column);
		if (take_column(&at, from, column, header->rows, &least) < 0)
			return stk_fail(err, STK_EDATA, "column %u of the block's header is not as expected", c);
		column->stored_at = header->stored_bytes;
		header->stored_bytes += column->stored_bytes;
	}
	if (header->stored_bytes > BLOCK_STORED_MAX)
		return stk_fail(err, STK_EDATA, "the block's header gives %llu bytes, expected at most %llu",
				(unsigned long long)header->stored_bytes, (unsigned long long)BLOCK_STORED_MAX);
	return 0;
}
