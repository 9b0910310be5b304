/* SPDX-License-Identifier: MIT
 * scan_text: line ends by 64 bytes at a time where the machine can, numbers, and the hash of a stack's text. */
#include "ingest/scan_text.h"
#include "ingest/scan_hash_avx2.h"

#include <stdatomic.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The machine-dependent part. Every variant gives the same results; t/unit/scan_text.c compares them with plain
 * loops. */
struct scanner {
	const char *(*newline_then)(const char *from, const char *end, char second, uint32_t *lines);
	const char *(*newline_then_not)(const char *from, const char *end, char second, uint32_t *lines);
	uint32_t (*count_lines)(const char *from, const char *end);
	struct text_hash (*hash)(struct stk_text text);
};

/* scan_newline_then, but followed by any other byte than `second`. perf_script.c has the same line, which belongs in
 * scan_text.h. */

/* --- plain C: other machines, and the last bytes of a piece --- */

static inline const char *
plain_newline(const char *from, const char *end, char second, bool wanted, uint32_t *lines)
{
	uint32_t count = 0;

	for (; from < end; from++) {
		if (*from != '\n')
			continue;
		if (end - from > 1 && (from[1] == second) == wanted)
			break;
		count++;
	}
	*lines += count;
	return from;
}

static uint32_t
plain_count_lines(const char *from, const char *end)
{
	uint32_t count = 0;

	for (; from < end; from++)
		count += *from == '\n';
	return count;
}

static struct text_hash
plain_hash(struct stk_text text)
{
	XXH128_hash_t hash = XXH3_128bits(text.data, text.size);

	return (struct text_hash){ hash.low64, hash.high64 };
}

#if !defined __x86_64__
static const char *
plain_newline_then(const char *from, const char *end, char second, uint32_t *lines)
{
	return plain_newline(from, end, second, true, lines);
}

static const char *
plain_newline_then_not(const char *from, const char *end, char second, uint32_t *lines)
{
	return plain_newline(from, end, second, false, lines);
}

static const struct scanner plain = { plain_newline_then, plain_newline_then_not, plain_count_lines, plain_hash };
#endif

/* --- x86: 64 bytes become a word with a bit for each byte. A macro makes the loops, once for each width of register.
 * --- */

#if defined __x86_64__
#include <immintrin.h>

#define WIDTH 64
#define PLACES static inline __attribute__((always_inline)) uint64_t	/* bit n: from[n] is wanted */
#define SSE2	/* what every x86-64 has */
#define AVX2 __attribute__((target("avx2,popcnt,bmi")))

SSE2 PLACES
sse2_places(const char *from, char wanted)
{
	const __m128i *at = (const __m128i *)(const void *)from;
	const __m128i all = _mm_set1_epi8(wanted);
	uint64_t a = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(at), all));
	uint64_t b = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(at + 1), all));
	uint64_t c = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(at + 2), all));
	uint64_t d = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(at + 3), all));

	return a | b << 16 | c << 32 | d << 48;
}

AVX2 PLACES
avx2_places(const char *from, char wanted)
{
	const __m256i *at = (const __m256i *)(const void *)from;
	const __m256i all = _mm256_set1_epi8(wanted);
	uint64_t a = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(at), all));
	uint64_t b = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(at + 1), all));

	return a | b << 32;
}

/* wanted: 0 looks for `second`, ~0 for any other byte. */
#define NEWLINE_THEN(TARGET, name, places, wanted) \
TARGET static const char * \
name(const char *from, const char *end, char second, uint32_t *lines) \
{ \
	uint32_t count = 0; \
 \
	for (; end - from > WIDTH; from += WIDTH) {	/* the byte after the last one is read, too */ \
		uint64_t newlines = places(from, '\n'); \
		uint64_t hits = newlines & (places(from + 1, second) ^ (wanted)); \
 \
		if (hits != 0) { \
			*lines += count + (uint32_t)__builtin_popcountll(newlines & (hits - 1) & ~hits); \
			return from + __builtin_ctzll(hits); \
		} \
		count += (uint32_t)__builtin_popcountll(newlines); \
	} \
	*lines += count; \
	return plain_newline(from, end, second, (wanted) == 0, lines); \
}

#define COUNT_LINES(TARGET, name, places) \
TARGET static uint32_t \
name(const char *from, const char *end) \
{ \
	uint32_t count = 0; \
 \
	for (; end - from >= WIDTH; from += WIDTH) \
		count += (uint32_t)__builtin_popcountll(places(from, '\n')); \
	return count + plain_count_lines(from, end); \
}

NEWLINE_THEN(SSE2, sse2_newline_then, sse2_places, UINT64_C(0))
NEWLINE_THEN(SSE2, sse2_newline_then_not, sse2_places, ~UINT64_C(0))
COUNT_LINES(SSE2, sse2_count_lines, sse2_places)
NEWLINE_THEN(AVX2, avx2_newline_then, avx2_places, UINT64_C(0))
NEWLINE_THEN(AVX2, avx2_newline_then_not, avx2_places, ~UINT64_C(0))
COUNT_LINES(AVX2, avx2_count_lines, avx2_places)

static const struct scanner sse2 = { sse2_newline_then, sse2_newline_then_not, sse2_count_lines, plain_hash };
static const struct scanner avx2 = { avx2_newline_then, avx2_newline_then_not, avx2_count_lines, scan_hash_avx2 };
#endif

/* --- the choice, made at the first call. Threads that race for it choose the same. --- */

static const struct scanner *
best_scanner(void)
{
#if defined __x86_64__
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi")
		       ? &avx2
		       : &sse2;
#else
	return &plain;
#endif
}

static const struct scanner *
scanner(void)
{
	static _Atomic(const struct scanner *) chosen;
	const struct scanner *s = atomic_load_explicit(&chosen, memory_order_relaxed);

	if (s == NULL) {
		s = best_scanner();
		atomic_store_explicit(&chosen, s, memory_order_relaxed);
	}
	return s;
}

const char *
scan_newline_then(const char *from, const char *end, char second, uint32_t *lines)
{
	return scanner()->newline_then(from, end, second, lines);
}

const char *
scan_newline_then_not(const char *from, const char *end, char second, uint32_t *lines)
{
	return scanner()->newline_then_not(from, end, second, lines);
}

uint32_t
scan_count_lines(const char *from, const char *end)
{
	return scanner()->count_lines(from, end);
}

/* Lines are short and libc's memchr is made for this machine already. */
const char *
scan_line_end(const char *from, const char *end)
{
	const char *at = from < end ? memchr(from, '\n', (size_t)(end - from)) : NULL;

	return at != NULL ? at : end;
}

struct text_hash
scan_hash(struct stk_text text)
{
	return scanner()->hash(text);
}

/* --- numbers --- */

bool
scan_decimal(const char **at, const char *end, uint64_t *value)
{
	const char *from = *at;
	const char *safe = end - from > 19 ? from + 19 : end;	/* 19 digits always fit */
	const char *p = from;
	uint64_t number = 0;

	for (; p < safe && (unsigned char)(*p - '0') < 10; p++)
		number = number * 10 + (uint64_t)(*p - '0');
	if (p == from)
		return false;
	if (p == safe)
		for (; p < end && (unsigned char)(*p - '0') < 10; p++)
			if (__builtin_mul_overflow(number, 10u, &number) ||
			    __builtin_add_overflow(number, (uint64_t)(*p - '0'), &number))
				return false;
	*at = p;
	*value = number;
	return true;
}

/* 0 to 15, or more when it is not a digit. */
static inline unsigned
hex_digit(char c)
{
	unsigned digit = (unsigned char)(c - '0');

	if (digit < 10)
		return digit;
	digit = (unsigned char)((c | 0x20) - 'a');
	return digit < 6 ? digit + 10 : 16;
}

bool
scan_hex(const char **at, const char *end, uint64_t *value)
{
	const char *p = *at;
	const char *digits;
	uint64_t number = 0;
	unsigned digit;

	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x' && hex_digit(p[2]) < 16)
		p += 2;
	for (digits = p; p < end && (digit = hex_digit(*p)) < 16; p++) {
		if (number >> 60 != 0)
			return false;
		number = number << 4 | digit;
	}
	if (p == digits)
		return false;
	*at = p;
	*value = number;
	return true;
}

bool
scan_fixed(const char **at, const char *end, unsigned digits, uint64_t *value)
{
	const char *p = *at;
	uint64_t number;

	if (!scan_decimal(&p, end, &number))
		return false;
	if (end - p > 1 && *p == '.' && (unsigned char)(p[1] - '0') < 10)
		p++;
	else
		end = p;	/* no fraction: zeros follow */
	for (; digits > 0; digits--) {
		unsigned digit = p < end ? (unsigned char)(*p - '0') : 10;

		if (__builtin_mul_overflow(number, 10u, &number) ||
		    (digit < 10 && __builtin_add_overflow(number, (uint64_t)digit, &number)))
			return false;
		p += digit < 10;
	}
	while (p < end && (unsigned char)(*p - '0') < 10)
		p++;
	*at = p;
	*value = number;
	return true;
}

/* --- strings --- */

#if defined(__SSE2__) && !defined(SCAN_TEXT_PORTABLE)
#include <emmintrin.h>

/* Of 16 places: a bit for each that has the first byte, and the last one as far behind. */
static inline unsigned
places_like(const char *at, size_t last, __m128i first_byte, __m128i last_byte)
{
	__m128i begins = _mm_loadu_si128((const __m128i *)(const void *)at);
	__m128i ends = _mm_loadu_si128((const __m128i *)(const void *)(at + last));

	return (unsigned)_mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(begins, first_byte),
							 _mm_cmpeq_epi8(ends, last_byte)));
}

/* Looks at 16 places at once; the last of them once more than the others where their number does not divide. */
const char *
scan_find(struct stk_text text, const char *string, size_t size)
{
	const char *at = text.data, *last_place;
	__m128i first_byte, last_byte;

	if (size == 0 || text.size < size)
		return size == 0 ? text.data : NULL;
	if (text.size < size + 15)
		return memmem(text.data, text.size, string, size);
	first_byte = _mm_set1_epi8(string[0]);
	last_byte = _mm_set1_epi8(string[size - 1]);
	last_place = text.data + (text.size - size - 15);	/* at which 16 can be looked at */
	for (;;) {
		unsigned places = places_like(at, size - 1, first_byte, last_byte);

		for (; places != 0; places &= places - 1) {
			const char *place = at + __builtin_ctz(places);

			if (memcmp(place, string, size) == 0)
				return place;
		}
		if (at == last_place)
			return NULL;
		at = last_place - at < 16 ? last_place : at + 16;
	}
}

#else

const char *
scan_find(struct stk_text text, const char *string, size_t size)
{
	return text.size > 0 ? memmem(text.data, text.size, string, size) : size == 0 ? text.data : NULL;
}

#endif
