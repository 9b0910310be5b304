/* SPDX-License-Identifier: MIT
 * range_code: an adaptive binary range coder, written so that a decoder needs no number above 2^31: in JavaScript
 * that is whole numbers throughout. A decision is coded with a probability that the decisions before it made. */
#ifndef PLOT_RANGE_CODE_H
#define PLOT_RANGE_CODE_H

#include "base/text_buffer.h"

/* The chance that the next decision is 0, of 65,536. */
typedef uint16_t range_chance;

#define RANGE_EVEN 32768

void range_chances_reset(range_chance *chances, size_t count);

struct range_writer {
	struct text_buffer *to;
	uint64_t low;
	uint32_t range;
	uint8_t held; /* the last byte, to which a carry may come */
	uint64_t holds; /* it, and bytes of 255 that follow it */
};

void range_write_begin(struct range_writer *writer, struct text_buffer *to);
void range_write_end(struct range_writer *writer);
/* From range_write_bit when the range is small. */
void range_write_byte(struct range_writer *writer);

struct range_reader {
	const uint8_t *at, *end;
	uint32_t code, range;
	uint8_t last; /* its lowest bit is not yet in code */
	bool over; /* bytes beyond the end were asked for */
};

void range_read_begin(struct range_reader *reader, struct stk_text from);
void range_read_byte(struct range_reader *reader);

static inline void
range_write_bit(struct range_writer *writer, range_chance *chance, unsigned bit)
{
	uint32_t bound = (writer->range >> 12) * (uint32_t)(*chance >> 4);

	if (bit != 0) {
		writer->low += bound;
		writer->range -= bound;
		*chance = (range_chance)(*chance - (*chance >> 5));
	} else {
		writer->range = bound;
		*chance = (range_chance)(*chance + ((65504 - *chance) >> 5));
	}
	while (writer->range < UINT32_C(1) << 23)
		range_write_byte(writer);
}

static inline unsigned
range_read_bit(struct range_reader *reader, range_chance *chance)
{
	uint32_t bound = (reader->range >> 12) * (uint32_t)(*chance >> 4);
	unsigned bit = reader->code >= bound;

	if (bit != 0) {
		reader->code -= bound;
		reader->range -= bound;
		*chance = (range_chance)(*chance - (*chance >> 5));
	} else {
		reader->range = bound;
		*chance = (range_chance)(*chance + ((65504 - *chance) >> 5));
	}
	while (reader->range < UINT32_C(1) << 23)
		range_read_byte(reader);
	return bit;
}

/* The `bits` lowest bits of a value, of which nothing is known; at most 64. */
void range_write_plain(struct range_writer *writer, uint64_t value, unsigned bits);
uint64_t range_read_plain(struct range_reader *reader, unsigned bits);

#endif
