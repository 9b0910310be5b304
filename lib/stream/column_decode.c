/* SPDX-License-Identifier: MIT
 * column_decode: bytes to what a prediction left, and that to values. */
#include "base/bytes.h"
#include "stream/column.h"
#include "stream/column_dictionary.h"
#include "stream/column_keys.h"
#include "stream/column_planes.h"
#include "stream/column_work.h"

/* The listed numbers of SAME to values. */
static void
undo_listed(const struct column_coding *coding, uint64_t *numbers)
{
	uint64_t sum = coding->base;

	for (uint32_t i = 0; i < coding->listed; i++)
		numbers[i] = coding->listed_step ? (sum += (uint64_t)unzigzag(numbers[i]) * coding->scale)
						 : coding->base + numbers[i] * coding->scale;
}

/* Bits of a byte of four codes: those of CODE_LISTED, counted. */
static inline unsigned
listed_of_four(unsigned char codes)
{
	unsigned pairs = (codes >> 1 & 0x11) + (codes >> 3 & 0x11);

	return (pairs + (pairs >> 4)) & 7;
}

static inline unsigned
code_at(const unsigned char *codes, uint32_t i)
{
	return codes[i / 4] >> 2 * (i % 4) & 3;
}

/* How many of the codes from..to-1 are CODE_LISTED. */
static uint32_t
listed_between(const unsigned char *codes, uint32_t from, uint32_t to)
{
	uint32_t listed = 0;

	for (; from < to && from % 4 != 0; from++)
		listed += code_at(codes, from) == CODE_LISTED;
	for (; from + 4 <= to; from += 4)
		listed += listed_of_four(codes[from / 4]);
	for (; from < to; from++)
		listed += code_at(codes, from) == CODE_LISTED;
	return listed;
}

static bool
codes_are_right(const unsigned char *codes, uint32_t rows)
{
	for (uint32_t i = 0; i < rows / 4; i++)
		if ((codes[i] >> 1 & codes[i] & 0x55) != 0)
			return false;
	for (uint32_t i = rows / 4 * 4; i < rows; i++)
		if (code_at(codes, i) > CODE_LISTED)
			return false;
	return true;
}

/* The value of a code, and the memory after it. Without branches, because codes cannot be predicted. */
static inline uint64_t
follow(struct column_seen *seen, unsigned code, uint64_t listed)
{
	uint64_t last = seen->last, value = code == CODE_LISTED ? listed : code == CODE_BEFORE ? seen->before : last;

	seen->before = value != last ? last : seen->before;
	seen->last = value;
	return value;
}

static void
follow_rows(const struct column_coding *coding, const unsigned char *codes, const column_keys keys, uint64_t *values,
	    uint32_t rows, struct column_scratch *scratch)
{
	const uint64_t *next = scratch->numbers;

	for (uint32_t i = 0; i < rows; i++) {
		unsigned code = code_at(codes, i);

		values[i] = follow(&scratch->seen[column_key_of(coding, keys, i)], code, *next);
		next += code == CODE_LISTED;
	}
}

static void
find_few_groups(const struct column_coding *coding, const unsigned char *codes, const column_keys keys, uint32_t rows,
		struct column_scratch *scratch)
{
	uint64_t before = COLUMN_KEYS;
	uint32_t listed = 0;

	column_sort_few(coding, keys, rows, scratch);
	for (uint32_t i = 0; i < rows; i++) {
		uint64_t key = scratch->ranks[i] >> 32;

		if (key != before) {
			scratch->seen[key].code = i;
			scratch->seen[key].listed = listed;
		}
		listed += code_at(codes, i) == CODE_LISTED;
		before = key;
	}
}

/* Gives each key the places of its first code and of its first listed value. */
static void
find_groups(const struct column_coding *coding, const unsigned char *codes, const column_keys keys, uint32_t rows,
	    struct column_scratch *scratch)
{
	uint32_t code = 0, listed = 0;

	if (column_has_few_rows(scratch, rows)) {
		find_few_groups(coding, codes, keys, rows, scratch);
		return;
	}
	for (uint32_t i = 0; i < rows; i++)
		scratch->seen[column_key_of(coding, keys, i)].code++;
	for (unsigned key = 0; key < scratch->keys; key++) {
		struct column_seen *seen = &scratch->seen[key];
		uint32_t count = seen->code;

		seen->code = code;
		seen->listed = listed;
		listed += listed_between(codes, code, code + count);
		code += count;
	}
}

static void
follow_groups(const struct column_coding *coding, const unsigned char *codes, const column_keys keys, uint64_t *values,
	      uint32_t rows, struct column_scratch *scratch)
{
	find_groups(coding, codes, keys, rows, scratch);
	for (uint32_t i = 0; i < rows; i++) {
		struct column_seen *seen = &scratch->seen[column_key_of(coding, keys, i)];
		unsigned code = code_at(codes, seen->code++);

		values[i] = follow(seen, code, scratch->numbers[seen->listed]);
		seen->listed += code == CODE_LISTED;
	}
}

static int
decode_same(const struct column_coding *coding, const unsigned char *codes, const column_keys keys, uint64_t *values,
	    uint32_t rows, struct column_scratch *scratch)
{
	const unsigned char *dictionary = codes + column_packed_size(2, rows);

	if (!codes_are_right(codes, rows) || listed_between(codes, 0, rows) != coding->listed)
		return -1;
	ROOM(scratch, numbers, coding->listed + 1);		/* one more, which is read but not used */
	column_take_planes(coding, dictionary + coding->dictionary_bytes + coding->dictionary, scratch->numbers,
			   coding->listed);
	if (coding->dictionary > 0 &&
	    column_undo_dictionary(coding, dictionary, scratch->numbers, coding->listed, scratch) < 0)
		return -1;
	undo_listed(coding, scratch->numbers);
	scratch->numbers[coding->listed] = 0;
	column_forget_keys(coding, keys, rows, scratch);
	if (coding->grouped)
		follow_groups(coding, codes, keys, values, rows, scratch);
	else
		follow_rows(coding, codes, keys, values, rows, scratch);
	return 0;
}

static void
undo_by(const struct column_coding *coding, const column_keys keys, uint64_t *values, uint32_t rows,
	struct column_seen *seen)
{
	uint64_t step = 0;

	for (uint32_t i = 0; i < rows; i++) {
		uint64_t *mine = &seen[column_key_of(coding, keys, i)].last;
		uint64_t difference = (uint64_t)unzigzag(values[i]) * coding->scale + step;

		if (coding->prediction == STK_BYSTEP)
			step = difference;
		*mine += difference;
		values[i] = *mine;
	}
}

int
column_decode(const struct column_coding *coding, const unsigned char *content, const column_keys keys,
	      uint64_t *values, uint32_t rows, struct column_scratch *scratch)
{
	uint64_t sum = coding->base;

	if (coding->prediction == STK_SAME)
		return decode_same(coding, content, keys, values, rows, scratch);
	column_take_planes(coding, content + coding->dictionary_bytes + coding->dictionary, values, rows);
	if (coding->dictionary > 0 && column_undo_dictionary(coding, content, values, rows, scratch) < 0)
		return -1;
	switch (coding->prediction) {
	case STK_PLAIN:
		if (coding->base != 0 || coding->scale != 1)
			for (uint32_t i = 0; i < rows; i++)
				values[i] = coding->base + values[i] * coding->scale;
		return 0;
	case STK_BACK:
		for (uint32_t i = 0; i < rows; i++)
			values[i] = coding->base + i - values[i] * coding->scale;
		return 0;
	case STK_STEP:
		for (uint32_t i = 0; i < rows; i++)
			values[i] = sum += (uint64_t)unzigzag(values[i]) * coding->scale;
		return 0;
	default:
		column_forget_keys(coding, keys, rows, scratch);
		undo_by(coding, keys, values, rows, scratch->seen);
		return 0;
	}
}
