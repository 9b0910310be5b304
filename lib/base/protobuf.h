/* SPDX-License-Identifier: MIT
 * protobuf: messages of protocol buffers field by field, without a schema: a caller knows its fields by number. Nothing
 * is copied; a message in a message is a text, read in the same way. */
#ifndef BASE_PROTOBUF_H
#define BASE_PROTOBUF_H

#include "base/bytes.h"
#include "base/text_buffer.h"

#include <stdbool.h>
#include <stdint.h>

enum proto_wire { PROTO_NUMBER = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 };

struct proto_field {
	uint32_t number;
	enum proto_wire wire;
	uint64_t value;			/* of a number; of bytes: 0 */
	struct stk_text bytes;
};

struct proto_reader {
	const unsigned char *at, *end;
	bool broken;			/* at is where it is not a message */
	bool beginning;			/* set by the caller: of a message that may go on; its last field of bytes has
					 * what is there of it */
};

static inline struct proto_reader
proto_read(struct stk_text message)
{
	const unsigned char *at = (const unsigned char *)message.data;

	return (struct proto_reader){ .at = at, .end = at == NULL ? at : at + message.size };
}

/* The next field. False: the message is over, or broken. */
bool proto_next(struct proto_reader *reader, struct proto_field *field);

/* The numbers of a repeated field, be it packed or one alone, which are PROTO_NUMBER or of a fixed size. */
struct proto_numbers { struct proto_reader reader; enum proto_wire each; uint64_t alone; bool is_alone; };

static inline struct proto_numbers
proto_numbers(const struct proto_field *field, enum proto_wire each)
{
	return (struct proto_numbers){ proto_read(field->bytes), each, field->value, field->wire == each };
}

/* The next of them. False: they are over, or broken. */
bool proto_next_number(struct proto_numbers *numbers, uint64_t *value);

/* A field of a message that is being written; numbers of 0 and empty texts are what a reader takes without them, and
 * are left out. */
void add_proto_number(struct text_buffer *to, uint32_t field, uint64_t value);
void add_proto_text(struct text_buffer *to, uint32_t field, struct stk_text text);
/* The same also when it is empty: an element of a repeated field. */
void add_proto_element(struct text_buffer *to, uint32_t field, struct stk_text text);
/* An element whose bytes are added after this, and end at proto_end. room: for the size of so many bytes, 1 to
 * PROTO_SIZE_MAX; a larger one moves what was added. */
#define PROTO_SIZE_MAX 5u		/* of what is less than 2^35 bytes */
size_t proto_begin(struct text_buffer *to, uint32_t field, unsigned room);
void proto_end(struct text_buffer *to, size_t begun, unsigned room);
/* A number of eight bytes, also when it is 0. */
void add_proto_fixed64(struct text_buffer *to, uint32_t field, uint64_t value);
/* A number of a packed field, which a caller adds as an element. */
void add_proto_packed(struct text_buffer *to, uint64_t value);
void add_proto_packed64(struct text_buffer *to, uint64_t value);	/* of eight bytes */

#endif
