/* SPDX-License-Identifier: MIT
 * arena, memory and array: pieces are apart, aligned, and stay where they are. */
#include "../lib/tap.h"

#include "base/arena.h"
#include "base/array.h"

#define PIECES 2000

/* Sizes that meet every way of allocating: small, at the edge of a chunk, alone. */
static size_t
size_of_piece(size_t i)
{
	return i % 97 == 0 ? 5000 * (i % 5) : i % 50;
}

static void
fill(struct arena *arena, unsigned char **pieces)
{
	for (size_t i = 0; i < PIECES; i++) {
		pieces[i] = arena_alloc(arena, size_of_piece(i));
		memset(pieces[i], (int)(i & 0xff), size_of_piece(i));
	}
}

static bool
all_intact(unsigned char **pieces)
{
	for (size_t i = 0; i < PIECES; i++)
		for (size_t k = 0; k < size_of_piece(i); k++)
			if (pieces[i][k] != (i & 0xff))
				return false;
	return true;
}

static bool
all_aligned(unsigned char **pieces)
{
	for (size_t i = 0; i < PIECES; i++)
		if ((uintptr_t)pieces[i] % 16 != 0)
			return false;
	return true;
}

static void
test_arena(void)
{
	static unsigned char *pieces[PIECES];
	struct arena arena = { 0 };
	size_t held;

	arena_reset(&arena);
	ok(arena.bytes == 0, "an empty arena can be reset");
	fill(&arena, pieces);
	ok(all_intact(pieces), "pieces do not overlap");
	ok(all_aligned(pieces), "pieces are aligned to 16");
	held = arena.bytes;
	arena_reset(&arena);
	ok(arena.bytes < held, "a reset gives memory back");
	fill(&arena, pieces);
	ok(all_intact(pieces), "after a reset pieces do not overlap either");
	ok(arena_alloc(&arena, 0) != arena_alloc(&arena, 0), "pieces of no bytes are apart");
	arena_release(&arena);
	ok(arena.bytes == 0 && arena.chunks == NULL, "a released arena holds nothing");
	is_text(arena_copy(&arena, "abcdef", 3), "abc", "a copy ends with a NUL, and a released arena is usable");
	is_text(arena_copy(&arena, NULL, 0), "", "a copy of nothing is an empty text");
	arena_release(&arena);
}

/* The first piece alone, before there is a chunk to stand behind. */
static void
test_large_first(void)
{
	struct arena arena = { 0 };
	char *large = arena_alloc(&arena, 100000), *small;

	memset(large, 1, 100000);
	small = arena_alloc(&arena, 10);
	memset(small, 2, 10);
	ok(large[99999] == 1 && small[9] == 2, "a large piece may come first");
	arena_reset(&arena);
	large = arena_alloc(&arena, 90000);
	memset(large, 3, 90000);
	ok(large[89999] == 3, "the largest chunk is kept by a reset");
	arena_release(&arena);
}

static void
test_array(void)
{
	ARRAY(int) numbers = { 0 };
	bool good = true;

	for (int i = 0; i < 1000; i++)
		*array_push(&numbers) = i;
	for (int i = 0; i < 1000; i++)
		good = good && numbers.at[i] == i;
	ok(good && numbers.count == 1000 && numbers.room >= 1000, "an array keeps what is pushed");
	array_reserve(&numbers, 5000);
	ok(numbers.room >= 6000, "an array makes room for more at once");
	array_release(&numbers);
	ok(numbers.at == NULL && numbers.count == 0, "a released array is empty");
}

static void
test_memory(void)
{
	char *zeroed = mem_new(100, 10), *resized, *none = mem_new(0, 8);
	bool good = true;

	for (int i = 0; i < 1000; i++)
		good = good && zeroed[i] == 0;
	ok(good, "new memory is zeroed");
	ok(none != NULL, "no bytes are not a failure");
	zeroed[999] = 7;
	resized = mem_resize(zeroed, 2000, 1);
	ok(resized[999] == 7, "resizing keeps what was there");
	free(resized);
	free(none);
}

int
main(void)
{
	test_arena();
	test_large_first();
	test_array();
	test_memory();
	return tap_end();
}
