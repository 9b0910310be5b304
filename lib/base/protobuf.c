/* SPDX-License-Identifier: MIT
 * protobuf: a field is a key, which has its number and kind, and a value. */
#include "base/protobuf.h"

#define FIELD_MOST   ((1u << 29) - 1)
#define VARINT_BYTES 10u		/* of 64 bits, 7 a byte */

static bool
long_varint(struct proto_reader *reader, uint64_t *value)
{
	const unsigned char *at = reader->at;
	unsigned shift = 0;

	for (*value = 0; at < reader->end && shift < 64; shift += 7) {
		unsigned char byte = *at++;

		if (shift == 63 && byte > 1)
			return false;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			reader->at = at;
			return true;
		}
	}
	return false;
}

static inline bool
proto_varint(struct proto_reader *reader, uint64_t *value)
{
	if (reader->at == reader->end || *reader->at >= 0x80)
		return long_varint(reader, value);
	*value = *reader->at++;
	return true;
}

static inline bool
take_fixed(struct proto_reader *reader, unsigned size, uint64_t *value)
{
	if ((size_t)(reader->end - reader->at) < size)
		return false;
	*value = 0;
	for (unsigned b = 0; b < size; b++)
		*value |= (uint64_t)*reader->at++ << (8 * b);
	return true;
}

static inline bool
take_value(struct proto_reader *reader, struct proto_field *field)
{
	uint64_t size;

	switch ((int)field->wire) {
	case PROTO_NUMBER:  return proto_varint(reader, &field->value);
	case PROTO_FIXED64: return take_fixed(reader, 8, &field->value);
	case PROTO_FIXED32: return take_fixed(reader, 4, &field->value);
	case PROTO_BYTES:
		if (!proto_varint(reader, &size))
			return false;
		if (size > (uint64_t)(reader->end - reader->at)) {
			if (!reader->beginning)
				return false;
			size = (uint64_t)(reader->end - reader->at);
		}
		field->bytes = text_of((const char *)reader->at, (size_t)size);
		reader->at += size;
		return true;
	default:
		return false;
	}
}

bool
proto_next(struct proto_reader *reader, struct proto_field *field)
{
	const unsigned char *from = reader->at;
	uint64_t key;

	*field = (struct proto_field){ 0 };
	if (reader->broken || reader->at == reader->end)
		return false;
	if (proto_varint(reader, &key) && key >> 3 >= 1 && key >> 3 <= FIELD_MOST) {
		field->number = (uint32_t)(key >> 3);
		field->wire = (enum proto_wire)(key & 7);
		if (take_value(reader, field))
			return true;
	}
	reader->at = from;
	reader->broken = true;
	return false;
}

bool
proto_next_number(struct proto_numbers *numbers, uint64_t *value)
{
	struct proto_reader *reader = &numbers->reader;

	if (numbers->is_alone) {
		*value = numbers->alone;
		numbers->is_alone = false;
		return true;
	}
	if (reader->broken || reader->at == reader->end)
		return false;
	reader->broken = !(numbers->each == PROTO_NUMBER    ? proto_varint(reader, value)
			   : numbers->each == PROTO_FIXED64 ? take_fixed(reader, 8, value)
							    : take_fixed(reader, 4, value));
	return !reader->broken;
}

/* --- writing --- */

void
add_proto_packed(struct text_buffer *to, uint64_t value)
{
	char *at;

	array_reserve(to, VARINT_BYTES);
	at = to->at + to->count;
	for (; value >= 0x80; value >>= 7)
		*at++ = (char)(value | 0x80);
	*at++ = (char)value;
	to->count = (size_t)(at - to->at);
}

void
add_proto_packed64(struct text_buffer *to, uint64_t value)
{
	char *at;

	array_reserve(to, 8);
	at = to->at + to->count;
	for (unsigned byte = 0; byte < 8; byte++)
		at[byte] = (char)(value >> 8 * byte);
	to->count += 8;
}

void
add_proto_fixed64(struct text_buffer *to, uint32_t field, uint64_t value)
{
	add_proto_packed(to, (uint64_t)field << 3 | PROTO_FIXED64);
	add_proto_packed64(to, value);
}

void
add_proto_number(struct text_buffer *to, uint32_t field, uint64_t value)
{
	if (value == 0)
		return;
	add_proto_packed(to, (uint64_t)field << 3 | PROTO_NUMBER);
	add_proto_packed(to, value);
}

void
add_proto_element(struct text_buffer *to, uint32_t field, struct stk_text text)
{
	add_proto_packed(to, (uint64_t)field << 3 | PROTO_BYTES);
	add_proto_packed(to, text.size);
	add_text(to, text);
}

size_t
proto_begin(struct text_buffer *to, uint32_t field, unsigned room)
{
	add_proto_packed(to, (uint64_t)field << 3 | PROTO_BYTES);
	array_reserve(to, room);
	to->count += room;
	return to->count;
}

/* A size that is smaller than its room has bytes of 0 bits at its end, which readers take. */
void
proto_end(struct text_buffer *to, size_t begun, unsigned room)
{
	size_t size = to->count - begun;
	unsigned needed = 1;
	char *at;

	if (size < 0x80 && room == 1) {
		to->at[begun - 1] = (char)size;
		return;
	}
	while (needed < PROTO_SIZE_MAX && size >> 7 * needed != 0)
		needed++;
	if (needed > room) {
		array_reserve(to, needed - room);
		memmove(to->at + begun + needed - room, to->at + begun, size);
		to->count += needed - room;
	} else {
		needed = room;
	}
	at = to->at + begun - room;
	for (; needed > 1; needed--, size >>= 7)
		*at++ = (char)(size | 0x80);
	*at = (char)size;
}

void
add_proto_text(struct text_buffer *to, uint32_t field, struct stk_text text)
{
	if (text.size > 0)
		add_proto_element(to, field, text);
}
