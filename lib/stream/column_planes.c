/* SPDX-License-Identifier: MIT
 * column_planes: numbers as planes of bytes, and a plane of some bits between. */
#include "stream/column_planes.h"

#include "base/bytes.h"
#include "stream/wide_clones.h"

#include <string.h>

static inline unsigned char *
put_plane(unsigned char *to, const uint64_t *numbers, size_t count, unsigned shift)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (unsigned char)(numbers[i] >> shift);
	return to + count;
}

static inline unsigned char *
put_packed_by(unsigned char *to, const uint64_t *numbers, size_t count, unsigned shift, unsigned bits)
{
	unsigned mask = (1u << bits) - 1, each = 8 / bits;
	size_t i = 0;

	for (; i + each <= count; i += each) {
		unsigned byte = 0;

		for (unsigned j = 0; j < each; j++)
			byte |= ((unsigned)(numbers[i + j] >> shift) & mask) << j * bits;
		*to++ = (unsigned char)byte;
	}
	if (i == count)
		return to;
	*to = 0;
	for (unsigned j = 0; i < count; i++, j++)
		*to |= (unsigned char)(((unsigned)(numbers[i] >> shift) & mask) << j * bits);
	return to + 1;
}

/* A loop for each number of bits, which is then a constant. */
static inline unsigned char *
put_packed(unsigned char *to, const uint64_t *numbers, size_t count, unsigned shift, unsigned bits)
{
	return bits == 1   ? put_packed_by(to, numbers, count, shift, 1)
	       : bits == 2 ? put_packed_by(to, numbers, count, shift, 2)
			   : put_packed_by(to, numbers, count, shift, 4);
}

static void
put_whole(unsigned char *to, const uint64_t *numbers, size_t count, unsigned bytes)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned byte = 0; byte < bytes; byte++)
			*to++ = (unsigned char)(numbers[i] >> 8 * byte);
}

WIDE_CLONES void
column_put_planes(const struct column_coding *coding, unsigned char *to, const uint64_t *numbers, size_t count)
{
	unsigned above = 8 * coding->low + coding->packed;

	if (coding->packed == COLUMN_WHOLE) {
		put_whole(to, numbers, count, coding->low);
		return;
	}
	for (unsigned plane = 0; plane < coding->low; plane++)
		to = put_plane(to, numbers, count, 8 * plane);
	if (coding->packed != 0)
		to = put_packed(to, numbers, count, 8 * coding->low, coding->packed);
	for (unsigned plane = 0; plane < coding->high && above + 8 * plane < 64; plane++)
		to = put_plane(to, numbers, count, above + 8 * plane);
}

/* Rows are put together in runs that stay in the processor's first cache while plane after plane is added; a multiple
 * of 8, so that packed planes begin at a byte. */
#define RUN 1024

static inline void
take_plane(const unsigned char *from, uint64_t *numbers, size_t count, unsigned shift)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] |= (uint64_t)from[i] << shift;
}

static inline void
take_packed(const unsigned char *from, uint64_t *numbers, size_t count, unsigned shift, unsigned bits)
{
	unsigned mask = (1u << bits) - 1, each = 8 / bits;
	size_t i = 0;

	for (; i + each <= count; i += each, from++)
		for (unsigned j = 0; j < each; j++)
			numbers[i + j] |= (uint64_t)(*from >> j * bits & mask) << shift;
	for (unsigned j = 0; i < count; i++, j++)
		numbers[i] |= (uint64_t)(*from >> j * bits & mask) << shift;
}

/* The low planes of a run: what is most common in one pass. */
static inline void
take_low(const unsigned char *from, uint64_t *numbers, size_t count, size_t plane_bytes, unsigned planes)
{
	const unsigned char *second = from + plane_bytes, *third = second + plane_bytes;
	unsigned plane = planes > 3 ? 3 : planes;

	if (plane == 0)
		memset(numbers, 0, count * sizeof *numbers);
	else if (plane == 1)
		for (size_t i = 0; i < count; i++)
			numbers[i] = from[i];
	else if (plane == 2)
		for (size_t i = 0; i < count; i++)
			numbers[i] = from[i] | (uint64_t)second[i] << 8;
	else
		for (size_t i = 0; i < count; i++)
			numbers[i] = from[i] | (uint64_t)second[i] << 8 | (uint64_t)third[i] << 16;
	for (; plane < planes; plane++)
		take_plane(from + plane * plane_bytes, numbers, count, 8 * plane);
}

/* Eight bytes at a time, of which some belong to the next numbers; for the last ones there are no eight. */
static void
take_whole(const unsigned char *from, uint64_t *numbers, size_t count, unsigned bytes)
{
	size_t fast = bytes == 0 || count * bytes < 8 ? 0 : (count * bytes - 8) / bytes + 1, i = 0;
	uint64_t mask = bytes == 0 ? 0 : UINT64_MAX >> (64 - 8 * bytes);

	for (; i < fast; i++, from += bytes)
		numbers[i] = load64(from) & mask;
	for (; i < count; i++) {
		uint64_t number = 0;

		for (unsigned byte = 0; byte < bytes; byte++)
			number |= (uint64_t)*from++ << 8 * byte;
		numbers[i] = number;
	}
}

WIDE_CLONES void
column_take_planes(const struct column_coding *coding, const unsigned char *from, uint64_t *numbers, size_t count)
{
	unsigned above = 8 * coding->low + coding->packed;
	const unsigned char *packed = from + coding->low * count;
	const unsigned char *high = packed + column_packed_size(coding->packed, count);

	if (coding->packed == COLUMN_WHOLE) {
		take_whole(from, numbers, count, coding->low);
		return;
	}
	for (size_t run = 0; run < count; run += RUN) {
		size_t rows = count - run < RUN ? count - run : RUN;

		take_low(from + run, numbers + run, rows, count, coding->low);
		if (coding->packed != 0)
			take_packed(packed + run * coding->packed / 8, numbers + run, rows, 8 * coding->low,
				    coding->packed);
		for (unsigned plane = 0; plane < coding->high && above + 8 * plane < 64; plane++)
			take_plane(high + plane * count + run, numbers + run, rows, above + 8 * plane);
	}
}
