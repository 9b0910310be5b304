/* SPDX-License-Identifier: MIT
 * range_code: carries go into bytes that were held back, as in LZMA; the register has 31 bits, so the bytes of the
 * decoder are one bit off. */
#include "plot/range_code.h"

#define PLAIN_AT_ONCE 8

void
range_chances_reset(range_chance *chances, size_t count)
{
	for (size_t i = 0; i < count; i++)
		chances[i] = RANGE_EVEN;
}

/* --- writing --- */

void
range_write_begin(struct range_writer *writer, struct text_buffer *to)
{
	*writer = (struct range_writer){ .to = to, .range = INT32_MAX };
}

void
range_write_byte(struct range_writer *writer)
{
	uint8_t carry = (uint8_t)(writer->low >> 31);

	if (writer->low < UINT32_C(0xFF) << 23 || carry != 0) {
		for (; writer->holds > 0; writer->holds--) {
			add_char(writer->to, (char)(writer->held + carry));
			writer->held = 255;
		}
		writer->held = (uint8_t)(writer->low >> 23);
	}
	writer->holds++;
	writer->low = (writer->low & ((1 << 23) - 1)) << 8;
	writer->range <<= 8;
}

void
range_write_end(struct range_writer *writer)
{
	for (unsigned i = 0; i < 5; i++)
		range_write_byte(writer);
}

void
range_write_plain(struct range_writer *writer, uint64_t value, unsigned bits)
{
	while (bits > 0) {
		unsigned now = bits < PLAIN_AT_ONCE ? bits : PLAIN_AT_ONCE;

		bits -= now;
		writer->range >>= now;
		writer->low += writer->range * (value >> bits & ((1u << now) - 1));
		while (writer->range < UINT32_C(1) << 23)
			range_write_byte(writer);
	}
}

/* --- reading --- */

static uint8_t
next_byte(struct range_reader *reader)
{
	if (reader->at < reader->end)
		return *reader->at++;
	reader->over = true;
	return 0;
}

void
range_read_byte(struct range_reader *reader)
{
	uint8_t byte = next_byte(reader);

	reader->code = (reader->code << 8 | (reader->last & 1u) << 7 | byte >> 1) & INT32_MAX;
	reader->range <<= 8;
	reader->last = byte;
}

void
range_read_begin(struct range_reader *reader, struct stk_text from)
{
	*reader = (struct range_reader){ .at = (const uint8_t *)from.data,
					 .end = (const uint8_t *)from.data + from.size };
	for (unsigned i = 0; i < 4; i++)
		range_read_byte(reader);
	reader->range = INT32_MAX;
}

uint64_t
range_read_plain(struct range_reader *reader, unsigned bits)
{
	uint64_t value = 0;

	while (bits > 0) {
		unsigned now = bits < PLAIN_AT_ONCE ? bits : PLAIN_AT_ONCE;
		uint32_t part;

		bits -= now;
		reader->range >>= now;
		part = reader->code / reader->range;
		if (part >= 1u << now) { /* damage */
			part = (1u << now) - 1;
			reader->over = true;
		}
		reader->code -= part * reader->range;
		value = value << now | part;
		while (reader->range < UINT32_C(1) << 23)
			range_read_byte(reader);
	}
	return value;
}
