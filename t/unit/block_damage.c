/* SPDX-License-Identifier: MIT
 * The bounds of FORMAT.md, one by one: a description on the bound is read, one past it is refused. And headers that lie
 * with a right CRC, as no accident makes them: no crash, no hang, no memory beyond the bounds. */
#include "../lib/damage.h"
#include "../lib/tap.h"
#include "stream/block.h"

#include <sys/resource.h>
#include <zlib.h>

#define END_OF_LIST UINT64_MAX

static struct some_bytes header;

/* --- a description, number by number --- */

static void
begin(void)
{
	static const unsigned char prefix[16];

	header.size = 0;
	bytes_add(&header, prefix, sizeof prefix);
}

static void
varints(uint64_t first, ...)
{
	va_list args;

	va_start(args, first);
	for (uint64_t n = first; n != END_OF_LIST; n = va_arg(args, uint64_t)) {
		unsigned char bytes[VARINT_MAX];

		bytes_add(&header, bytes, (size_t)(put_varint(bytes, n) - bytes));
	}
	va_end(args);
}

/* As each number goes through a va_list, it is a word. */
#define PUT1(a)                varints((uint64_t)(a), END_OF_LIST)
#define PUT2(a, b)             varints((uint64_t)(a), (uint64_t)(b), END_OF_LIST)
#define PUT3(a, b, c)          varints((uint64_t)(a), (uint64_t)(b), (uint64_t)(c), END_OF_LIST)
#define PUT4(a, b, c, d)       varints((uint64_t)(a), (uint64_t)(b), (uint64_t)(c), (uint64_t)(d), END_OF_LIST)

static void
seal(void)
{
	store32(header.at, BLOCK_MAGIC);
	store32(header.at + 4, (uint32_t)header.size - 8);
	memcpy(header.at + 8, "stk1", 4);
	store32(header.at + 12, (uint32_t)crc32(0, header.at + 16, (unsigned)header.size - 16));
}

static struct block_header read_back;

static bool
is_read(void)
{
	struct stk_error err = { 0 };
	const char *what;
	long size;
	bool result;
	unsigned char *copy;

	seal();
	copy = mem_new(header.size, 1);		/* exactly as large: what is read behind it is seen */
	memcpy(copy, header.at, header.size);
	size = block_header_find(copy, header.size, &what);
	result = size == (long)header.size && block_header_read(&read_back, copy, (size_t)size, &err) == 0;
	if (size == (long)header.size && !result && (err.code != STK_EDATA || err.text[0] == '\0'))
		ok(false, "a refusal says why");
	free(copy);
	return result;
}

/* kind, rows, first id, flag, columns */
static bool
block_is_read(uint64_t kind, uint64_t rows, uint64_t first_id, uint64_t flag)
{
	begin();
	PUT3(kind, rows, first_id);
	PUT2(flag, 0);
	return is_read();
}

/* A block of 10 rows with one column of words, number 3. */
struct words {
	uint64_t prediction, keys, key[3], flags, listed, scale, base, dictionary, differences, low, packed, high, size;
};

static bool
words_are_read(struct words w)
{
	begin();
	PUT3(9, 10, 0);
	PUT2(0, 1);
	PUT3(3, 2, w.prediction);
	if (w.prediction >= 2) {
		PUT1(w.keys);
		for (unsigned k = 0; k < w.keys && k < 3; k++)
			PUT1(w.key[k]);
	}
	if (w.prediction == 4)
		PUT2(w.flags, w.listed);
	PUT3(w.scale, w.base, w.dictionary);
	if (w.dictionary > 0)
		PUT1(w.differences);
	PUT4(w.low, w.packed, w.high, w.size);
	PUT4(1, 2, 3, 4);			/* the frame's check */
	return is_read();
}

static bool
texts_are_read(uint64_t rows, uint64_t content, uint64_t stored)
{
	begin();
	PUT3(32, rows, 0);
	PUT2(0, 1);
	PUT4(1, 3, content, stored);
	PUT4(1, 2, 3, 4);
	return is_read();
}

static void
test_block_bounds(void)
{
	ok(block_is_read(9, 1, 0, 0), "a kind, a row, no columns: that is a block");
	ok(block_is_read(1023, 1, 0, 0) && !block_is_read(1024, 1, 0, 0), "kinds are below 1,024");
	ok(!block_is_read(9, 0, 0, 0), "no block without rows");
	ok(block_is_read(9, 1 << 18, 0, 0) && !block_is_read(9, (1 << 18) + 1, 0, 0), "rows are at most 2^18");
	ok(!block_is_read(9, UINT64_MAX - 1, 0, 0) && !block_is_read(UINT64_MAX - 1, 1, 0, 0),
	   "not even by 2^64 less some");
	ok(!block_is_read(1, 10, UINT64_MAX - 5, 0), "ids do not wrap round");
	ok(!block_is_read(9, 1, 0, 2) && !block_is_read(9, 1, 0, 255), "the time flag is 0 or 1");
	begin(), PUT3(9, 1, 0), PUT4(1, 1, 5, 0);
	ok(is_read() && read_back.has_time && read_back.from_ns == -1 && read_back.to_ns == 4,
	   "with flag 1 the range follows");
	begin(), PUT3(9, 1, 0), PUT4(1, zigzag(INT64_MAX), 5, 0);
	ok(!is_read(), "... which does not end before it begins");
	begin(), PUT3(9, 1, 0), PUT1(0);
	ok(!is_read(), "the number of columns must stand there");
	begin(), PUT3(9, 1, 0), PUT2(0, 65);
	for (unsigned c = 0; c < 65; c++)
		PUT3(c, 0, 0);
	ok(!is_read(), "columns are at most 64");
	begin(), PUT3(9, 1, 0), PUT2(0, 64);
	for (unsigned c = 0; c < 64; c++)
		PUT3(c, 0, c * 2);
	ok(is_read() && read_back.column[63].word == 63, "... and 64 are read");
	begin(), PUT3(9, 1, 0), PUT2(0, 1), PUT3(64, 0, 0);
	ok(!is_read(), "their numbers are below 64");
	begin(), PUT3(9, 1, 0), PUT2(0, 2), PUT3(2, 0, 0), PUT3(2, 0, 0);
	ok(!is_read(), "... and ascend");
	begin(), PUT3(9, 1, 0), PUT2(0, 1), PUT3(0, 4, 0);
	ok(!is_read(), "encodings are 0 to 3");
	begin(), PUT3(9, 1, 0), PUT2(0, 1), PUT3(0, 1, 1000);
	ok(!is_read(), "a text ends within the header");
	begin(), PUT3(9, 1, 0), PUT2(0, 1), PUT3(0, 1, UINT64_MAX - 1);
	ok(!is_read(), "... also when its size is near 2^64");
	begin(), PUT3(9, 1, 0), PUT2(0, 0);
	for (unsigned i = 0; i < 40; i++)
		PUT1(0);
	ok(is_read(), "zeros behind are padding");
}

static void
test_column_bounds(void)
{
	const struct words plain = { .prediction = 0, .scale = 1, .low = 1, .size = 20 };
	const struct words same = { .prediction = 4, .listed = 10, .scale = 1, .low = 1, .size = 20 };
	struct words w;

	ok(words_are_read(plain) && read_back.column[0].content_bytes == 10, "a column of words: a byte a row");
	w = plain, w.prediction = 6;
	ok(!words_are_read(w), "predictions are 0 to 5");
	w = plain, w.scale = 0;
	ok(!words_are_read(w), "a scale of 0 is refused");
	w = plain, w.low = 8;
	ok(words_are_read(w), "8 whole bytes are a word");
	w.packed = 1;
	ok(!words_are_read(w), "... and no bit more");
	w = plain, w.low = 9;
	ok(!words_are_read(w), "9 planes are too many");
	w = plain, w.packed = 3;
	ok(!words_are_read(w), "3 packed bits are refused");
	w = plain, w.packed = 8;
	ok(words_are_read(w) && read_back.column[0].content_bytes == 10,
	   "8: numbers one after another, as many bytes each as L says");
	w.high = 1;
	ok(!words_are_read(w), "... and nothing above");
	w = plain, w.packed = 9;
	ok(!words_are_read(w), "9 is refused");
	w = plain, w.low = 8, w.high = 1;
	ok(!words_are_read(w), "nothing is above 64 bits");
	w = plain, w.high = 9;
	ok(!words_are_read(w), "9 planes above are too many");
	w = plain, w.prediction = 2, w.keys = 2, w.key[0] = 0, w.key[1] = 2;
	ok(words_are_read(w) && read_back.column[0].coding.key[1] == 2, "two key columns before this one");
	w.key[1] = 3;
	ok(!words_are_read(w), "a column is not its own key");
	w.keys = 3, w.key[1] = 1, w.key[2] = 2;
	ok(!words_are_read(w), "three keys are too many");
	ok(words_are_read(same) && read_back.column[0].content_bytes == 13, "SAME: codes and listed numbers");
	w = same, w.listed = 11;
	ok(!words_are_read(w), "no more are listed than there are rows");
	w = same, w.flags = 4;
	ok(!words_are_read(w), "unknown flags are refused");
	w = plain, w.dictionary = 1 << 18, w.differences = 1 << 18;
	ok(words_are_read(w), "2^18 entries of a dictionary");
	w.dictionary++;
	ok(!words_are_read(w), "and no more");
	w = plain, w.dictionary = 4, w.differences = 41;
	ok(!words_are_read(w), "a difference takes 10 bytes at most");
	w = plain, w.prediction = 1, w.dictionary = 4, w.differences = 4;
	ok(!words_are_read(w), "STEP has no dictionary");
	w = plain, w.size = UINT64_C(1) << 27;
	ok(words_are_read(w), "the frames of a block take 2^27 bytes at most");
	w.size++;
	ok(!words_are_read(w), "... and no byte more");
	ok(texts_are_read(10, 1 << 26, 100) && !texts_are_read(10, (1 << 26) + 1, 100),
	   "the content of a column takes 2^26 bytes at most");
	ok(!texts_are_read(10, 9, 100), "texts need a byte of size each");
	ok(!texts_are_read(10, UINT64_MAX - 1, 100) && !texts_are_read(10, 100, UINT64_MAX - 1),
	   "... also by 2^64 less some");
	begin(), PUT3(9, 1, 0), PUT2(0, 2), PUT4(0, 3, 100, UINT64_C(1) << 26),
		PUT4(1, 3, 100, (UINT64_C(1) << 26) + 1);
	ok(!is_read(), "all frames together count");
}

/* Every prefix of a good header, with its CRC made right for so few bytes. */
static void
test_short_headers(void)
{
	struct words w = { .prediction = 4,
			   .keys = 2,
			   .key = { 0, 1 },
			   .flags = 3,
			   .listed = 7,
			   .scale = 1000,
			   .base = 77777,
			   .dictionary = 3,
			   .differences = 5,
			   .low = 1,
			   .packed = 2,
			   .high = 1,
			   .size = 300 };
	unsigned bad = 0;
	size_t whole;

	ok(words_are_read(w), "a header with everything is read");
	whole = header.size;
	for (size_t size = 20; size < whole; size++) {
		header.size = size;
		bad += is_read();
	}
	is_u64(bad, 0, "no shorter header passes for it");
}

static void
test_sizes(void)
{
	const char *what;
	unsigned char bytes[64] = { 0 };

	store32(bytes, BLOCK_MAGIC);
	memcpy(bytes + 8, "stk1", 4);
	store32(bytes + 4, 11);
	is_i64(block_header_find(bytes, 64, &what), -1, "a header has 12 bytes at least");
	store32(bytes + 4, 65529);
	is_i64(block_header_find(bytes, 64, &what), -1, "... and 65,528 at most");
	store32(bytes + 4, UINT32_MAX);
	is_i64(block_header_find(bytes, 64, &what), -1, "... also when 8 more than it says is 7");
	store32(bytes + 4, 65528);
	is_i64(block_header_find(bytes, 64, &what), 0, "where more bytes are needed it says so");
	is_i64(block_header_find(bytes, 3, &what), 0, "likewise of three bytes");
	bytes[9] = 'x';
	is_i64(block_header_find(bytes, 64, &what), -1, "the letters must be right");
}

/* --- lies with a right CRC --- */

static struct original original;

/* Goes through the blocks of the stream that was made and harms one description; bytes behind it stay. */
static void
lie(struct some_bytes *copy, unsigned block)
{
	unsigned char *at = copy->at + (block < original.count ? original.blocks[block].from : 0);
	uint32_t size = load32(at + 4) + 8;

	for (unsigned n = 1 + (unsigned)damage_chance(3); n > 0; n--) {
		unsigned char *byte = at + 16 + damage_chance(size - 16);

		*byte = damage_chance(2) == 0 ? (unsigned char)damage_chance(256)
					      : (unsigned char)(*byte + (damage_chance(2) == 0 ? 1 : -1));
	}
	store32(at + 12, (uint32_t)crc32(0, at + 16, size - 16));
}

static void
test_lies(unsigned times)
{
	unsigned failed = 0, steps = 0;

	for (unsigned i = 0; i < times; i++) {
		struct some_bytes copy = { 0 };
		struct reading reading;

		bytes_add(&copy, original.bytes.at, original.bytes.size);
		lie(&copy, (unsigned)damage_chance(original.count + 1));
		reading_take(&reading, &original, copy.at, copy.size, 0);
		failed += reading.failed && reading.state.damages > 1000;
		steps = reading.steps > steps ? reading.steps : steps;
		free(copy.at);
	}
	is_u64(failed, 0, "%u headers that lie with a right CRC: the reader comes to an end", times);
	ok(steps < 100, "... in as many steps as there are blocks (%u)", steps);
}

int
main(void)
{
	struct rusage used;

	test_block_bounds();
	test_column_bounds();
	test_short_headers();
	test_sizes();
	original_make(&original, 1);
	test_lies(6000);
	getrusage(RUSAGE_SELF, &used);
#if defined(SANITIZED)
	skip("memory is the sanitizer's", "memory stays below the bounds");
#else
	/* 2^20 rows of 16 columns, all decoded, and one column's content. */
	ok(used.ru_maxrss < 320 << 10, "memory stays below the bounds (%ld kB)", used.ru_maxrss);
#endif
	free(original.bytes.at);
	free(header.at);
	return tap_end();
}
