/* SPDX-License-Identifier: MIT
 * calm_lines: where the indented and empty lines end, by 64 bytes at a time where the machine can. */
#include "ingest/calm_lines.h"

#include <stdatomic.h>

typedef const char *lines_end(const char *from, const char *end, uint32_t *lines);

static const char *
plain_lines_end(const char *from, const char *end, uint32_t *lines)
{
	uint32_t count = 0;

	for (; from < end; from++) {
		if (*from != '\n')
			continue;
		if (end - from > 1 && (unsigned char)from[1] > ' ')
			break;
		count++;
	}
	*lines += count;
	return from;
}

#if defined __x86_64__
#include <immintrin.h>

#define WIDTH 64

/* Bit n of *newlines: from[n] is a newline. Bit n of the result: from[n] is above ' '. */
static inline __attribute__((always_inline)) uint64_t
sse2_places(const char *from, uint64_t *newlines)
{
	const __m128i newline = _mm_set1_epi8('\n'), blank = _mm_set1_epi8(' ');
	uint64_t calm = 0;

	*newlines = 0;
	for (unsigned i = 0; i < WIDTH; i += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(from + i));

		*newlines |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, newline)) << i;
		calm |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, blank), bytes)) << i;
	}
	return ~calm;
}

#define AVX2 __attribute__((target("avx2,popcnt,bmi")))

AVX2 static inline __attribute__((always_inline)) uint64_t
avx2_places(const char *from, uint64_t *newlines)
{
	const __m256i newline = _mm256_set1_epi8('\n'), blank = _mm256_set1_epi8(' ');
	uint64_t calm = 0;

	*newlines = 0;
	for (unsigned i = 0; i < WIDTH; i += 32) {
		__m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(from + i));

		*newlines |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, newline)) << i;
		calm |= (uint64_t)(uint32_t)_mm256_movemask_epi8(
				_mm256_cmpeq_epi8(_mm256_min_epu8(bytes, blank), bytes))
			<< i;
	}
	return ~calm;
}

/* The last newline of a word is judged with the byte that follows the word, so the loop leaves one byte at the end. */
#define LINES_END(name, places, target) \
target static const char * \
name(const char *from, const char *end, uint32_t *lines) \
{ \
	uint32_t count = 0; \
 \
	for (; end - from > WIDTH; from += WIDTH) { \
		uint64_t newlines; \
		uint64_t above = places(from, &newlines); \
		uint64_t hits = newlines & (above >> 1 | (uint64_t)((unsigned char)from[WIDTH] > ' ') << 63); \
 \
		if (hits != 0) { \
			*lines += count + (uint32_t)__builtin_popcountll(newlines & (hits - 1) & ~hits); \
			return from + __builtin_ctzll(hits); \
		} \
		count += (uint32_t)__builtin_popcountll(newlines); \
	} \
	*lines += count; \
	return plain_lines_end(from, end, lines); \
}

LINES_END(sse2_lines_end, sse2_places, )
LINES_END(avx2_lines_end, avx2_places, AVX2)

static lines_end *
best(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi")
		       ? avx2_lines_end
		       : sse2_lines_end;
}
#else
static lines_end *
best(void)
{
	return plain_lines_end;
}
#endif

/* The choice is made at the first call; threads that race for it choose the same. */
const char *
calm_lines_end(const char *from, const char *end, uint32_t *lines)
{
	static _Atomic(lines_end *) chosen;
	lines_end *function = atomic_load_explicit(&chosen, memory_order_relaxed);

	if (function == NULL) {
		function = best();
		atomic_store_explicit(&chosen, function, memory_order_relaxed);
	}
	return function(from, end, lines);
}
