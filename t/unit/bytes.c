/* SPDX-License-Identifier: MIT
 * bytes: words, varints, zigzag and characters there and back, and malformed varints refused. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "base/terminal_text.h"

static const uint64_t numbers[] = { 0,
				    1,
				    0x7f,
				    0x80,
				    0x3fff,
				    0x4000,
				    0xffffffff,
				    UINT64_C(0x100000000),
				    UINT64_MAX >> 1,
				    (UINT64_MAX >> 1) + 1,
				    UINT64_MAX - 1,
				    UINT64_MAX };

static const int64_t signed_numbers[] = { 0, -1, 1, -2, 2, INT64_MAX, INT64_MIN, INT64_MIN + 1 };

static void
test_varints(void)
{
	unsigned char bytes[VARINT_MAX];

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		unsigned char *end = put_varint(bytes, numbers[i]);
		struct cursor whole = { bytes, end, false }, cut = { bytes, end - 1, false };

		is_u64(take_varint(&whole), numbers[i], "%" PRIu64 " comes back", numbers[i]);
		ok(!whole.bad && whole.at == end, "%" PRIu64 " is read to its end", numbers[i]);
		ok(take_varint(&cut) == 0 && cut.bad, "%" PRIu64 " without its last byte is bad", numbers[i]);
	}
	is_u64((uint64_t)(put_varint(bytes, UINT64_MAX) - bytes), VARINT_MAX, "the largest number takes all the room");
}

static bool
refuses(const char *bytes, size_t size)
{
	struct cursor c = { (const unsigned char *)bytes, (const unsigned char *)bytes + size, false };

	return take_varint(&c) == 0 && c.bad;
}

static void
test_malformed(void)
{
	static const char large[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
			  endless[] = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01";
	struct cursor c = { (const unsigned char *)"\x05\x06", NULL, true };

	ok(refuses("", 0), "nothing is no varint");
	ok(refuses(large, sizeof large - 1), "65 bits are refused");
	ok(refuses(endless, sizeof endless - 1), "11 bytes are refused");
	c.end = c.at + 2;
	ok(take_varint(&c) == 0 && c.bad, "a bad cursor gives 0 for ever");
	ok(take_bytes(&c, 1) == NULL, "a bad cursor gives no bytes");
}

static void
test_bytes(void)
{
	struct cursor c = { (const unsigned char *)"abc", NULL, false };
	const unsigned char *p;

	c.end = c.at + 3;
	p = take_bytes(&c, 2);
	ok(p != NULL && p[1] == 'b', "bytes are given in place");
	ok(take_bytes(&c, 0) != NULL && !c.bad, "no bytes can be taken");
	ok(take_bytes(&c, 2) == NULL && c.bad, "bytes beyond the end are refused");
}

static void
test_words(void)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		store64(bytes, numbers[i]);
		is_u64(load64(bytes), numbers[i], "word %" PRIu64 " comes back", numbers[i]);
	}
	store32(bytes, 0x04030201);
	is_bytes(bytes, 4, "\1\2\3\4", 4, "words are little-endian");
	is_u64(load32("\xff\xff\xff\xff"), UINT32_MAX, "words are unsigned");
}

static void
test_zigzag(void)
{
	for (size_t i = 0; i < sizeof signed_numbers / sizeof *signed_numbers; i++)
		is_i64(unzigzag(zigzag(signed_numbers[i])), signed_numbers[i], "%" PRId64 " comes back",
		       signed_numbers[i]);
	is_u64(zigzag(-1), 1, "-1 becomes 1");
	is_u64(zigzag(1), 2, "1 becomes 2");
	is_u64(zigzag(INT64_MIN), UINT64_MAX, "the lowest becomes the highest");
}

static void
test_texts(void)
{
	ok(text_is(text_of("abcd", 3), "abc"), "a text is as long as it says");
	ok(!text_is(text_of("abcd", 3), "abcd"), "and no longer");
	ok(text_equal(text_of(NULL, 0), text_from("")), "texts without bytes are equal");
	ok(text_starts(text_from("abc"), "ab") && !text_starts(text_from("a"), "ab"),
	   "a text starts with what it starts with");
}

static void
test_characters(void)
{
	char at[4];
	uint32_t wrong = 0;

	for (uint32_t number = 0; number <= 0x10ffff; number++) {
		size_t size = utf8_write(at, number);
		uint32_t again = number >= 0xd800 && number < 0xe000 ? 0xfffd : number;

		wrong += utf8_size(at, at + size) != size || utf8_number(at, size) != again;
	}
	ok(wrong == 0, "every character is written as valid UTF-8 that reads as it; half a surrogate pair as U+FFFD");
}

int
main(void)
{
	test_characters();
	test_varints();
	test_malformed();
	test_bytes();
	test_words();
	test_zigzag();
	test_texts();
	return tap_end();
}
