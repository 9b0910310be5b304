/* SPDX-License-Identifier: MIT
 * protobuf: fields of each kind at their edges; what is not a message ends where it is not one. */
#include "../lib/tap.h"

#include "base/protobuf.h"

/* The fields as a text: NUMBER=VALUE or NUMBER:BYTES, with blanks between; "!OFFSET" where it is broken. */
static const char *
walk(const char *bytes, size_t size)
{
	static struct text_buffer to;
	struct proto_reader reader = proto_read(text_of(bytes, size));
	struct proto_field field;

	to.count = 0;
	while (proto_next(&reader, &field)) {
		add_format(&to, "%s%u", to.count > 0 ? " " : "", field.number);
		if (field.wire == PROTO_BYTES) {
			add_char(&to, ':');
			add_text(&to, field.bytes);
		} else {
			add_format(&to, "=%llu", (unsigned long long)field.value);
		}
	}
	if (reader.broken)
		add_format(&to, "%s!%zu", to.count > 0 ? " " : "", (size_t)((const char *)reader.at - bytes));
	add_char(&to, '\0');
	return to.at;
}

#define WALK(bytes) walk("" bytes, sizeof bytes - 1)

static void
reading(void)
{
	is_text(walk(NULL, 0), "", "no bytes are a message without fields");
	is_text(WALK("\x08\x96\x01"), "1=150", "a number of two bytes");
	is_text(WALK("\x08\x00"), "1=0", "0");
	is_text(WALK("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "1=18446744073709551615", "the largest number");
	is_text(WALK("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), "!0", "one larger than 64 bits");
	is_text(WALK("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), "!0", "one of eleven bytes");
	is_text(WALK("\x12\x02hi\x18\x01"), "2:hi 3=1", "bytes, and what follows");
	is_text(WALK("\x12\x00"), "2:", "no bytes");
	is_text(WALK("\x12\x03hi"), "!0", "bytes that are cut");
	is_text(WALK("\x08\x01\x12"), "1=1 !2", "a field that is cut: what precedes it is there");
	is_text(WALK("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "!0", "a size beyond the end of memory");
	is_text(WALK("\x0d\x01\x00\x00\x80"), "1=2147483649", "four bytes, the least first");
	is_text(WALK("\x09\x01\x00\x00\x00\x00\x00\x00\x80"), "1=9223372036854775809", "eight");
	is_text(WALK("\x0d\x01\x00\x00"), "!0", "three of four");
	is_text(WALK("\x0b\x08\x01\x0c"), "!0", "groups are not read");
	is_text(WALK("\x00\x01"), "!0", "field 0 is none");
	is_text(WALK("\xf8\xff\xff\xff\x0f\x01"), "536870911=1", "the highest field");
	is_text(WALK("\xf8\xff\xff\xff\x1f\x01"), "!0", "a higher one");
}

/* The numbers of a field as a text, with blanks between; "!" where they are broken. */
static const char *
walk_numbers(struct proto_field field, enum proto_wire each)
{
	static struct text_buffer to;
	struct proto_numbers numbers = proto_numbers(&field, each);
	uint64_t value;

	to.count = 0;
	while (proto_next_number(&numbers, &value))
		add_format(&to, "%s%llu", to.count > 0 ? " " : "", (unsigned long long)value);
	add_format(&to, "%s%c", numbers.reader.broken ? "!" : "", 0);
	return to.at;
}

#define PACKED(bytes) ((struct proto_field){ 1, PROTO_BYTES, 0, { bytes, sizeof(bytes) - 1 } })

static void
packed(void)
{
	const struct proto_field alone = { 1, PROTO_NUMBER, 7, { NULL, 0 } };
	const struct proto_field fixed = { 1, PROTO_FIXED64, 9, { NULL, 0 } };

	is_text(walk_numbers(PACKED(""), PROTO_NUMBER), "", "no number in no bytes");
	is_text(walk_numbers(PACKED("\x03\x8e\x02"), PROTO_NUMBER), "3 270", "two packed numbers");
	is_text(walk_numbers(PACKED("\x03\x8e"), PROTO_NUMBER), "3!", "the second is cut");
	is_text(walk_numbers(alone, PROTO_NUMBER), "7", "a number that is not packed");
	is_text(walk_numbers(PACKED("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\x80"), PROTO_FIXED64), "1 9223372036854775810",
		"two of 8 bytes");
	is_text(walk_numbers(PACKED("\1\0\0\0\0\0\0\0\2"), PROTO_FIXED64), "1!", "the second of 8 bytes is cut");
	is_text(walk_numbers(fixed, PROTO_FIXED64), "9", "one of 8 bytes that is not packed");
	is_text(walk_numbers(PACKED("\1\0\0\0"), PROTO_FIXED32), "1", "one of 4 bytes");
	is_text(walk_numbers(alone, PROTO_FIXED64), "", "a number of another kind is none");
}

static void
writing(void)
{
	struct text_buffer to = { 0 };

	add_proto_number(&to, 1, 0);
	add_proto_text(&to, 2, text_of("", 0));
	is_u64(to.count, 0, "0 and the empty text are left out");
	add_proto_number(&to, 1, UINT64_MAX);
	add_proto_number(&to, 16, 127);
	add_proto_number(&to, 3, 128);
	add_proto_element(&to, 2, text_of("", 0));
	add_proto_text(&to, 536870911, text_from("hi"));
	is_text(walk(to.at, to.count), "1=18446744073709551615 16=127 3=128 2: 536870911:hi", "what was written is read");
	array_release(&to);
}

/* An element that is begun and ended is the one whose bytes were known before, whatever room its size had. */
static void
elements_in_place(void)
{
	static const size_t sizes[] = { 0, 1, 127, 128, 16383, 16384, 2097151, 2097152, 3000000 };
	struct text_buffer wanted = { 0 }, to = { 0 }, bytes = { 0 }, read = { 0 };

	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		while (bytes.count < sizes[s])
			add_char(&bytes, (char)('a' + bytes.count % 23));
		wanted.count = 0;
		add_proto_number(&wanted, 1, 7);
		add_proto_element(&wanted, 300, text_of(bytes.at, sizes[s]));
		add_proto_number(&wanted, 2, 9);
		for (unsigned room = 1; room <= PROTO_SIZE_MAX; room += 2) {
			size_t begun;

			to.count = 0;
			add_proto_number(&to, 1, 7);
			begun = proto_begin(&to, 300, room);
			add_bytes(&to, bytes.at, sizes[s]);
			proto_end(&to, begun, room);
			add_proto_number(&to, 2, 9);
			ok(room > 1 || (to.count == wanted.count && memcmp(to.at, wanted.at, to.count) == 0),
			   "%zu bytes: the same bytes", sizes[s]);
			read.count = 0;
			add_string(&read, walk(wanted.at, wanted.count));
			ok(text_is(text_in(&read, 0), walk(to.at, to.count)), "%zu bytes with room %u are read",
			   sizes[s], room);
		}
	}
	array_release(&wanted);
	array_release(&to);
	array_release(&bytes);
	array_release(&read);
}

int
main(void)
{
	reading();
	packed();
	writing();
	elements_in_place();
	return tap_end();
}
