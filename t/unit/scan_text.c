/* SPDX-License-Identifier: MIT
 * scan_text: every variant of every loop gives what a plain loop gives, on any text, from any place, and reads nothing
 * behind the end; numbers. */
#include "../lib/tap.h"
#include "../lib/edge.h"

#include "ingest/scan_text.c"	/* the variants that this machine would not choose are static */

struct variant { const char *name; const struct scanner *scanner; };

static const char *
slow_newline(const char *from, const char *end, char second, bool wanted, uint32_t *lines)
{
	for (; from < end; from++) {
		if (*from == '\n' && from + 1 < end && (from[1] == second) == wanted)
			return from;
		*lines += *from == '\n';
	}
	return end;
}

static uint32_t
slow_count(const char *from, const char *end)
{
	uint32_t count = 0;

	while (from < end)
		count += *from++ == '\n';
	return count;
}

/* Texts of few different bytes, so that what is looked for is there often, rarely, or never. */
static void
fill(char *text, size_t size, unsigned *seed, unsigned rarity)
{
	for (size_t i = 0; i < size; i++) {
		*seed = *seed * 1103515245 + 12345;
		text[i] = "\n\ta\n"[(*seed >> 16) % (2 + rarity) < 4 ? (*seed >> 20) % 4 : 2];
	}
}

/* All newlines of the text as one variant finds them, against the plain loop. */
static bool
finds_the_same(const struct scanner *s, const char *text, const char *end, char second, bool wanted)
{
	for (const char *at = text; at < end; ) {
		uint32_t lines = 7, slow_lines = 7;
		const char *slow = slow_newline(at, end, second, wanted, &slow_lines);
		const char *fast = wanted ? s->newline_then(at, end, second, &lines)
					  : s->newline_then_not(at, end, second, &lines);

		if (fast != slow || lines != slow_lines)
			return false;
		at = slow + 1;
	}
	return true;
}

static bool
agrees(const struct scanner *s, const char *text, const char *end)
{
	return finds_the_same(s, text, end, '\n', true) && finds_the_same(s, text, end, '\t', true) &&
	       finds_the_same(s, text, end, '\t', false) && s->count_lines(text, end) == slow_count(text, end);
}

static void
test_variant(const struct variant *variant)
{
	char text[700];
	unsigned seed = 1, wrong = 0;

	for (unsigned round = 0; round < 40; round++)
		for (size_t size = 0; size <= 300; size++) {
			const char *edge;

			fill(text, size, &seed, round * round);
			edge = at_edge(text, size);
			wrong += !agrees(variant->scanner, edge, edge + size);
		}
	is_u64(wrong, 0, "%s: finds and counts as plain loops do, in texts of 0 to 300 bytes at the edge of memory",
	       variant->name);
}

static void
test_hashes(const struct variant *variant)
{
	static char text[5000];
	unsigned seed = 5, wrong = 0;

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)((seed = seed * 1103515245 + 12345) >> 16);
	for (size_t size = 0; size < sizeof text; size += size < 600 ? 1 : 37) {
		const char *edge = at_edge(text, size);
		struct text_hash got = variant->scanner->hash(text_of(edge, size)),
				 wanted = plain_hash(text_of(edge, size));

		wrong += got.low != wanted.low || got.high != wanted.high;
	}
	is_u64(wrong, 0, "%s: the hash is the same, and of the bytes given only", variant->name);
}

static void
test_known_hashes(void)
{
	struct text_hash empty = scan_hash(text_of("", 0));
	struct text_hash a = scan_hash(text_of("abc", 3)), b = scan_hash(text_of("abd", 3));

	is_u64(empty.high, UINT64_C(0x99aa06d3014798d8), "the hash is XXH3: its high word of nothing");
	is_u64(empty.low, UINT64_C(0x6001c324468d497f), "and its low word");
	ok(a.low != b.low && a.high != b.high, "one letter changes both words");
}

static void
test_public(void)
{
	static const char text[] = "one\ntwo\n\nthree\n\tfour\n";
	const char *end = text + sizeof text - 1;
	uint32_t lines = 10;

	ok(scan_newline_then(text, end, '\n', &lines) == text + 7, "the newline before an empty line is found");
	is_u64(lines, 11, "and the newlines before it are counted");
	ok(scan_newline_then(text, end, 'x', &lines) == end, "what is not there is at the end");
	is_u64(lines, 16, "and all newlines are counted");
	ok(scan_newline_then(text, text + 8, '\n', &lines) == text + 8,
	   "a newline that ends the text is followed by nothing");
	ok(scan_newline_then_not(text + 7, end, '\n', &lines) == text + 8,
	   "a newline followed by anything else is found");
	is_u64(scan_count_lines(text, end), 5, "lines are counted");
	is_u64(scan_count_lines(end, end), 0, "there are none in nothing");
	ok(scan_line_end(text, end) == text + 3, "a line ends at its newline");
	ok(scan_line_end(text, text + 2) == text + 2, "or at the end of the text");
	ok(scan_line_end(end, end) == end, "an empty text ends where it begins");
}

/* --- numbers --- */

static const struct { const char *text; size_t used; uint64_t value;
} decimals[] = { { "0", 1, 0 },
		 { "7x", 1, 7 },
		 { "007", 3, 7 },
		 { "18446744073709551615", 20, UINT64_MAX },
		 { "18446744073709551616", 0, 0 },
		 { "99999999999999999999", 0, 0 },
		 { "9999999999999999999", 19, UINT64_C(9999999999999999999) },
		 { "0000000000000000000000000012", 28, 12 },
		 { "", 0, 0 },
		 { "-1", 0, 0 },
		 { "x", 0, 0 },
		 { " 1", 0, 0 },
		 { "184467440737095516150", 0, 0 } },
  hexes[] = { { "0", 1, 0 },
	      { "1f", 2, 0x1f },
	      { "1Fg", 2, 0x1f },
	      { "0x1f", 4, 0x1f },
	      { "0X1f ", 4, 0x1f },
	      { "0x", 1, 0 },
	      { "0xg", 1, 0 },
	      { "ffffffffffffffff", 16, UINT64_MAX },
	      { "10000000000000000", 0, 0 },
	      { "0x00000000000000000000001", 25, 1 },
	      { "", 0, 0 },
	      { "g", 0, 0 },
	      { "x1", 0, 0 } },
  hundredths[] = { { "12", 2, 1200 },
		   { "12.3", 4, 1230 },
		   { "12.34", 5, 1234 },
		   { "12.349ms", 6, 1234 },
		   { "0.05", 4, 5 },
		   { "12.", 2, 1200 },
		   { "12.x", 2, 1200 },
		   { ".5", 0, 0 },
		   { "", 0, 0 },
		   { "184467440737095516.15", 21, UINT64_MAX },
		   { "184467440737095516.16", 0, 0 },
		   { "184467440737095517", 0, 0 } };

static bool
scan_hundredths(const char **at, const char *end, uint64_t *value)
{
	return scan_fixed(at, end, 2, value);
}

#define TEST_NUMBERS(table, function) \
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) { \
		size_t size = strlen(table[i].text); \
		const char *text = at_edge(table[i].text, size); \
		const char *at = text; \
		uint64_t value = 99; \
		bool good = function(&at, text + size, &value); \
\
		ok(good == (table[i].used > 0), #function " of '%s' %s", table[i].text, \
		   table[i].used > 0 ? "is a number" : "is none"); \
		is_u64((uint64_t)(at - text), table[i].used, #function " of '%s' goes on where it should", \
		       table[i].text); \
		is_u64(value, good ? table[i].value : 99, #function " of '%s' has its value", table[i].text); \
	}

/* As memmem, in texts of few different bytes that end where no byte may be read. */
static void
test_find(void)
{
	unsigned seed = 5, different = 0, found = 0;
	char bytes[90], string[8];

	for (unsigned n = 0; n < 100000; n++) {
		size_t size = n % 90, wanted = 1 + n / 90 % sizeof string;
		const char *text, *should, *got;

		fill(bytes, size, &seed, n % 7);
		text = at_edge(bytes, size);
		fill(string, sizeof string, &seed, n % 5);
		should = size > 0 ? memmem(text, size, string, wanted) : NULL;
		got = scan_find(text_of(text, size), string, wanted);
		different += got != should;
		found += got != NULL;
	}
	is_u64(different, 0, "strings are found where memmem finds them");
	ok(found > 5000 && found < 95000, "some are, and some are not (%u)", found);
}

int
main(void)
{
	struct variant variants[3] = { { "chosen", best_scanner() } };
	size_t count = 1;

#if defined __x86_64__
	variants[count++] = (struct variant){ "sse2", &sse2 };
	if (best_scanner() == &avx2)
		variants[count++] = (struct variant){ "avx2", &avx2 };
	else
		skip("no AVX2 here", "avx2 does as plain loops do");
#endif
	for (size_t i = 0; i < count; i++) {
		test_variant(&variants[i]);
		test_hashes(&variants[i]);
	}
	test_known_hashes();
	test_public();
	test_find();
	TEST_NUMBERS(decimals, scan_decimal)
	TEST_NUMBERS(hexes, scan_hex)
	TEST_NUMBERS(hundredths, scan_hundredths)
	return tap_end();
}
