/* SPDX-License-Identifier: MIT
 * column_encode: values to what a prediction leaves of them, and that to bytes. */
#include "base/bytes.h"
#include "stream/column.h"
#include "stream/column_dictionary.h"
#include "stream/column_keys.h"
#include "stream/column_layouts.h"
#include "stream/column_planes.h"
#include "stream/column_work.h"
#include "stream/wide_clones.h"

#include <string.h>

#define LAYOUTS_JUDGED 3	/* how many of the best are tried */

/* --- choosing the scale --- */

static bool
all_multiples(const uint64_t *values, size_t count, uint64_t of)
{
	/* a division by a constant becomes a multiplication: hence one loop for each */
#define EACH(constant) \
	case constant: \
		for (size_t i = 0; i < count; i++) \
			if ((int64_t)values[i] % (int64_t)constant != 0) \
				return false; \
		return true;
	switch (of) {
	EACH(1000000000) EACH(100000000) EACH(10000000) EACH(1000000) EACH(100000) EACH(10000) EACH(1000)
	}
#undef EACH
	return false;
}

/* The largest power of ten from 10^3 to 10^9, else power of two, that divides all values (less the base, which PLAIN
 * may have). */
static uint64_t
choose_scale(const uint64_t *values, size_t count)
{
	uint64_t all = 0;
	unsigned zeros;

	for (size_t i = 0; i < count; i++)
		all |= values[i];
	if (all == 0)
		return 1;
	zeros = (unsigned)__builtin_ctzll(all);
	for (uint64_t ten = 1000000000; ten >= 1000; ten /= 10)		/* 10^k has k factors of two */
		if (zeros >= (unsigned)__builtin_ctzll(ten) && all_multiples(values, count, ten))
			return ten;
	return zeros >= 2 && zeros < 32 ? UINT64_C(1) << zeros : 1;
}

/* --- predictions --- */

/* Division of what is a multiple: the factors of two are shifted out, and the rest is multiplied by its inverse modulo
 * 2^64, which is many times as fast as to divide. */
struct divisor { unsigned shift; uint64_t inverse; };

static struct divisor
divisor_of(uint64_t scale)
{
	struct divisor by = { (unsigned)__builtin_ctzll(scale), 1 };
	uint64_t odd = scale >> by.shift;

	for (unsigned bits = 1; bits < 64; bits *= 2)		/* Newton: each step doubles the bits that are right */
		by.inverse *= 2 - odd * by.inverse;
	return by;
}

static inline int64_t
divided(uint64_t multiple, struct divisor by)
{
	return (int64_t)((uint64_t)((int64_t)multiple >> by.shift) * by.inverse);
}

WIDE_CLONES static void
residuals_plain(struct column_coding *coding, const uint64_t *values, uint32_t rows, uint64_t *to)
{
	int64_t least = (int64_t)values[0], most = least;
	struct divisor by;

	for (uint32_t i = 1; i < rows; i++) {
		least = (int64_t)values[i] < least ? (int64_t)values[i] : least;
		most = (int64_t)values[i] > most ? (int64_t)values[i] : most;
	}
	/* the base helps only when it saves a byte or a sign */
	coding->base = least < 0 || most - least < most / 2 ? (uint64_t)least : 0;
	if ((uint64_t)most - (uint64_t)least > INT64_MAX ||
	    (coding->base != 0 && coding->scale != 1 && least % (int64_t)coding->scale != 0))
		coding->scale = 1;
	by = divisor_of(coding->scale);
	for (uint32_t i = 0; i < rows; i++)
		to[i] = coding->scale == 1 ? values[i] - coding->base : (uint64_t)divided(values[i] - coding->base, by);
}

static void
residuals_step(struct column_coding *coding, const uint64_t *values, uint32_t rows, uint64_t *to)
{
	uint64_t previous = coding->base = values[0];
	struct divisor by = divisor_of(coding->scale);

	for (uint32_t i = 0; i < rows; i++) {		/* `to` may be `values` */
		uint64_t value = values[i];

		to[i] = zigzag(divided(value - previous, by));
		previous = value;
	}
}

/* How far before its own row's id an id is. */
static void
residuals_back(const struct column_coding *coding, const uint64_t *values, uint32_t rows, uint64_t *to)
{
	for (uint32_t i = 0; i < rows; i++)
		to[i] = coding->base + i - values[i];
}

static void
residuals_by(const struct column_coding *coding, const uint64_t *values, const column_keys keys, uint32_t rows,
	     uint64_t *to, struct column_seen *seen)
{
	struct divisor by = divisor_of(coding->scale);
	uint64_t step = 0;

	for (uint32_t i = 0; i < rows; i++) {
		uint64_t *mine = &seen[column_key_of(coding, keys, i)].last;
		uint64_t difference = values[i] - *mine;

		to[i] = zigzag(divided(difference - step, by));
		if (coding->prediction == STK_BYSTEP)
			step = difference;
		*mine = values[i];
	}
}

/* The code of a row's value, which is listed at `to` in case it must be; *listed grows if so. Without branches, because
 * codes cannot be predicted. */
static inline unsigned
same_code(struct column_seen *seen, uint64_t value, uint64_t *to, uint32_t *listed)
{
	bool last = value == seen->last, other = !last && value != seen->before;

	to[*listed] = value;
	*listed += other;
	seen->before = last ? seen->before : seen->last;
	seen->last = value;
	return last ? CODE_LAST : other ? CODE_LISTED : CODE_BEFORE;
}

/* Codes of rows without a key, four a byte; the first `rows` - `rows` % 4. How many are listed. */
static uint32_t
same_without_key(const uint64_t *values, uint32_t rows, struct column_seen *of, struct column_scratch *scratch)
{
	struct column_seen seen = *of;
	uint64_t *numbers = scratch->numbers;
	unsigned char *to = scratch->codes;
	uint32_t listed = 0;

	for (uint32_t i = 0; i + 4 <= rows; i += 4) {
		unsigned codes = same_code(&seen, values[i], numbers, &listed);

		codes |= same_code(&seen, values[i + 1], numbers, &listed) << 2;
		codes |= same_code(&seen, values[i + 2], numbers, &listed) << 4;
		codes |= same_code(&seen, values[i + 3], numbers, &listed) << 6;
		*to++ = (unsigned char)codes;
	}
	*of = seen;
	return listed;
}

/* Codes to scratch->codes, listed values to scratch->numbers. */
static void
residuals_same(struct column_coding *coding, const uint64_t *values, const column_keys keys, uint32_t rows,
	       struct column_scratch *scratch)
{
	bool ordered = coding->grouped && coding->keys > 0;	/* by a single key: as they are */
	uint32_t listed = 0, begin = 0;
	unsigned codes = 0;

	if (ordered)
		column_order_by_key(coding, keys, rows, scratch);
	else
		column_forget_keys(coding, keys, rows, scratch);
	ROOM(scratch, codes, column_packed_size(2, rows));
	if (coding->keys == 0) {
		listed = same_without_key(values, rows, &scratch->seen[0], scratch);
		begin = rows / 4 * 4;
	}
	for (uint32_t i = begin; i < rows; i++) {
		uint32_t row = ordered ? scratch->order[i] : i;
		struct column_seen *seen = &scratch->seen[column_key_of(coding, keys, row)];

		codes |= same_code(seen, values[row], scratch->numbers, &listed) << 2 * (i % 4);
		if (i % 4 == 3 || i + 1 == rows) {
			scratch->codes[i / 4] = (unsigned char)codes;
			codes = 0;
		}
	}
	coding->listed = listed;
	scratch->count = coding->listed;
}

/* Listed values that mostly grow (new ids) are smaller as differences. */
WIDE_CLONES static bool
grows(const uint64_t *values, uint32_t count)
{
	uint32_t near = 0;

	for (uint32_t i = 1; i < count; i++)
		near += values[i] - values[i - 1] < 64;
	return count > 1 && near > count / 2;
}

static void
encode_listed(struct column_coding *coding, struct column_scratch *scratch)
{
	uint32_t count = coding->listed;

	coding->scale = 1;
	coding->listed_step = grows(scratch->numbers, count);
	if (count == 0)
		return;
	if (coding->listed_step)
		residuals_step(coding, scratch->numbers, count, scratch->numbers);
	else
		residuals_plain(coding, scratch->numbers, count, scratch->numbers);
}

/* Values so large that a difference of differences could leave 63 bits: then no scale, whose division has a sign. That
 * is those whose three highest bits are not the same. */
static bool
are_far(const uint64_t *values, uint32_t rows)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < rows; i++)
		all |= values[i] + (UINT64_C(1) << 61);
	return all >> 62 != 0;
}

static void
encode_all(struct column_coding *coding, const uint64_t *values, const column_keys keys, uint32_t rows,
	   struct column_scratch *scratch)
{
	coding->scale = choose_scale(values, rows);
	if (coding->scale != 1 && are_far(values, rows))
		coding->scale = 1;
	scratch->count = rows;
	if (coding->prediction == STK_BACK) {
		coding->scale = 1;
		residuals_back(coding, values, rows, scratch->numbers);
	} else if (coding->prediction == STK_PLAIN) {
		residuals_plain(coding, values, rows, scratch->numbers);
	} else if (coding->prediction == STK_STEP) {
		residuals_step(coding, values, rows, scratch->numbers);
	} else {
		column_forget_keys(coding, keys, rows, scratch);
		residuals_by(coding, values, keys, rows, scratch->numbers, scratch->seen);
	}
}

/* --- the whole --- */

struct column_shape
column_shape_of(const struct column_coding *coding)
{
	return (struct column_shape){ true, coding->low, coding->packed, coding->dictionary > 0 };
}

/* The layout of this shape that has room for the largest number, and no plane that is empty. */
static struct column_layout
shaped_layout(const struct column_shape *shape, const uint64_t *numbers, uint32_t count)
{
	unsigned bits = column_bits_of(numbers, count), bytes = (bits + 7) / 8;
	struct column_layout layout = { .dictionary = shape->dictionary, .low = bytes };

	if (shape->packed == COLUMN_WHOLE || shape->low < bytes)
		layout.packed = shape->packed;
	if (layout.packed != COLUMN_WHOLE && shape->low < bytes) {
		unsigned above = 8 * shape->low + shape->packed;

		layout.low = shape->low;
		layout.high = above >= bits ? 0 : (bits - above + 7) / 8;
	}
	return layout;
}

static bool
may_have_dictionary(const struct column_coding *coding)
{
	return coding->prediction == STK_PLAIN || coding->prediction == STK_SAME;
}

/* The layouts worth trying; how many. */
static unsigned
choose_layouts(const struct column_coding *coding, bool thorough, struct column_scratch *scratch,
	       struct column_layout layouts[COLUMN_LAYOUTS_MAX])
{
	unsigned most = thorough ? LAYOUTS_JUDGED : 1;
	unsigned count = column_judge_layouts(scratch->numbers, scratch->count, false, most, layouts);

	/* Numbers that come in the same sequences: zstd finds these only where each number is whole. That cannot be
	 * estimated, only tried. */
	if (thorough) {
		unsigned bytes = (column_bits_of(scratch->numbers, scratch->count) + 7) / 8;

		layouts[count++] = (struct column_layout){ .low = bytes, .packed = COLUMN_WHOLE };
	}
	if (thorough && may_have_dictionary(coding) && column_make_dictionary(scratch))
		count += column_judge_layouts(scratch->ranks, scratch->count, true, LAYOUTS_JUDGED, layouts + count);
	return count;
}

unsigned
column_encode(struct column_coding *coding, const uint64_t *values, const column_keys keys, uint32_t rows,
	      bool thorough, const struct column_shape *shape, struct column_scratch *scratch,
	      struct column_layout layouts[COLUMN_LAYOUTS_MAX])
{
	ROOM(scratch, numbers, rows);
	if (coding->prediction != STK_BACK)
		coding->base = 0;
	coding->listed = coding->dictionary = coding->dictionary_bytes = 0;
	coding->grouped = coding->listed_step = false;
	if (coding->prediction == STK_SAME) {
		coding->grouped = thorough;
		residuals_same(coding, values, keys, rows, scratch);
		if (coding->listed > rows - rows / 8) {		/* nothing is gained */
			coding->prediction = STK_PLAIN;
			coding->grouped = false;
			coding->listed = coding->keys = 0;
		} else {
			encode_listed(coding, scratch);
		}
	}
	if (coding->prediction != STK_SAME)
		encode_all(coding, values, keys, rows, scratch);
	scratch->dictionary_count = 0;
	if (shape == NULL || !shape->known ||
	    (shape->dictionary && (!may_have_dictionary(coding) || !column_make_dictionary(scratch))))
		return choose_layouts(coding, thorough, scratch, layouts);
	layouts[0] = shaped_layout(shape, shape->dictionary ? scratch->ranks : scratch->numbers, scratch->count);
	return 1;
}

void
column_pack(struct column_coding *coding, const struct column_layout *layout, uint32_t rows,
	    struct column_scratch *scratch)
{
	unsigned char *at;
	size_t codes = coding->prediction == STK_SAME ? column_packed_size(2, rows) : 0, dictionary;

	coding->low = layout->low;
	coding->packed = layout->packed;
	coding->high = layout->high;
	coding->dictionary = layout->dictionary ? scratch->dictionary_count : 0;
	coding->dictionary_bytes = layout->dictionary ? scratch->dictionary_bytes : 0;
	dictionary = coding->dictionary + coding->dictionary_bytes;
	ROOM(scratch, bytes, column_size(coding, rows) + 1);
	at = scratch->bytes;
	if (codes > 0)
		memcpy(at, scratch->codes, codes);
	if (dictionary > 0)
		memcpy(at + codes, scratch->dictionary, dictionary);
	column_put_planes(coding, at + codes + dictionary, layout->dictionary ? scratch->ranks : scratch->numbers,
			  scratch->count);
}
