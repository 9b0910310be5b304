/* SPDX-License-Identifier: MIT
 * perf_memory: which bytes are the performance memory of a VM, which entries are kept, and that all values are read
 * again from the file: the first, those between and the last. */
#include "../lib/tap.h"

#include "capture/perf_memory.c"	/* the file of a VM lies where only a VM writes */

static struct stk_error err;

struct image { unsigned char at[1000]; uint32_t size, last; };

/* An entry of a number or, with a vector, of a text. Returns its offset. */
static uint32_t
add_entry(struct image *image, const char *name, uint32_t vector, const void *value, uint32_t size)
{
	unsigned char *to = image->at + image->size;
	uint32_t name_bytes = ((uint32_t)strlen(name) + 8) & ~7u, at = ENTRY_BYTES + name_bytes;

	image->last = image->size;
	memset(to, 0, at);
	store32(to, at + size);
	store32(to + 4, ENTRY_BYTES);
	store32(to + 8, vector);
	to[12] = vector == 0 ? 'J' : 'B';
	store32(to + 16, at);
	memcpy(to + ENTRY_BYTES, name, strlen(name));
	memcpy(to + at, value, size);
	image->size += at + size;
	store32(image->at + 28, load32(image->at + 28) + 1);
	return image->last;
}

static void
make_image(struct image *image, uint64_t first, const char text[8], uint64_t last)
{
	static const unsigned char header[HEADER_BYTES] = { 0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1 };

	memcpy(image->at, header, sizeof header);
	store32(image->at + 24, HEADER_BYTES);
	image->size = HEADER_BYTES;
	(void)add_entry(image, "first", 0, &first, 8);
	(void)add_entry(image, "text", 8, text, 8);
	(void)add_entry(image, "last", 0, &last, 8);
}

/* How many entries are taken; -1: refused. */
static int
entries_of(const struct image *image, size_t size)
{
	struct perf_memory *memory;
	unsigned char *copy = mem_new(size + 1, 1);	/* exactly as large: what is read past the end is seen */
	int count = -1;

	memcpy(copy, image->at, size);
	stk_error_clear(&err);
	if (perf_memory_of(&memory, copy, size, &err) == 0)
		count = (int)memory->entries.count;
	else if (memory != NULL || err.code != STK_EDATA)
		ok(false, "refused with a reason");
	perf_memory_close(memory);
	free(copy);
	return count;
}

static void
test_layout(void)
{
	struct image good, bad;
	struct perf_memory *memory;

	make_image(&good, 5, "hello\0x", 7);
	is_i64(entries_of(&good, good.size), 3, "three entries");
	for (uint32_t size = 0; size < good.size; size++) {
		int left = size < HEADER_BYTES ? -1 : entries_of(&good, size);

		if (left > 2 || (size < HEADER_BYTES && entries_of(&good, size) != -1))
			ok(false, "of %u bytes %d entries", (unsigned)size, left);
	}
	is_i64(entries_of(&good, good.size - 1), 2, "one that is cut is left out, those before it are kept");
	is_i64(entries_of(&good, HEADER_BYTES), -1, "none at all is refused");
	for (unsigned byte = 0; byte < 8; byte++) {
		bad = good;
		bad.at[byte] ^= 2;
		is_i64(entries_of(&bad, bad.size), byte == 6 ? 3 : -1, "another byte %u of the header", byte);
	}
	if (perf_memory_of(&memory, good.at, good.size, &err) < 0)
		abort();
	is_i64(perf_memory_number_of(memory, "first"), 5, "the first number");
	is_i64(perf_memory_number_of(memory, "last"), 7, "the last number");
	is_u64(perf_memory_text_of(memory, "text").size, 5, "a text ends at its NUL");
	is_i64(perf_memory_number_of(memory, "text"), 0, "a text is not a number");
	is_u64(perf_memory_text_of(memory, "last").size, 0, "nor a number a text");
	is_i64(perf_memory_find(memory, "las"), -1, "names are whole");
	ok(perf_memory_is(memory, 1, "hello") && !perf_memory_is(memory, 1, "hell") && !perf_memory_is(memory, 1, "help!") &&
		   !perf_memory_is(memory, 3, "hello") && !perf_memory_is(memory, -1, "hello"),
	   "a text is compared as a whole");
	is_i64(perf_memory_now(memory, 2), 7, "without a file a number is what it was");
	ok(perf_memory_refresh(memory) && perf_memory_refresh_one(memory, 0), "without a file all is as it was");
	perf_memory_close(memory);
}

/* The last entry with one number changed. */
static void
test_entries(void)
{
	static const struct { unsigned at; int by, wanted; const char *fact; } cases[] = {
		{ 0, 1, 2, "longer than what there is" },
		{ 0, -1, 2, "too short for its number" },
		{ 4, 1000, 2, "a name beyond its end" },
		{ 8, 9, 2, "a vector longer than it is" },
		{ 8, 8, 3, "a vector as long as it is" },
		{ 16, 1, 2, "a number that goes beyond its end" },
		{ 16, 8, 2, "a value at its end" },
		{ 16, 1000, 2, "a value beyond its end" },
	};
	struct image image;
	unsigned char *at;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		make_image(&image, 5, "hello\0x", 7);
		at = image.at + image.last + cases[i].at;
		store32(at, load32(at) + (uint32_t)cases[i].by);
		is_i64(entries_of(&image, image.size), cases[i].wanted, "%s", cases[i].fact);
	}
	make_image(&image, 5, "hello\0x", 7);
	memset(image.at + image.last + ENTRY_BYTES, 'x', image.size - image.last - ENTRY_BYTES);
	is_i64(entries_of(&image, image.size), 2, "a name without an end");
	make_image(&image, 5, "hello\0x", 7);
	store32(image.at + image.last, ENTRY_BYTES - 1);
	is_i64(entries_of(&image, image.size), 2, "shorter than an entry can be");
}

static void
test_refresh(void)
{
	struct image image;
	struct perf_memory *memory;
	char path[400];
	FILE *file;

	snprintf(path, sizeof path, "%s/memory", scratch());
	make_image(&image, 5, "hello\0x", 7);
	if (perf_memory_of(&memory, image.at, image.size, &err) < 0 || (file = fopen(path, "w+")) == NULL)
		abort();
	memory->fd = dup(fileno(file));
	make_image(&image, 6, "adieu\0x", 8);
	fwrite(image.at, 1, image.size, file);
	fflush(file);
	ok(perf_memory_is(memory, 1, "adieu") && !perf_memory_is(memory, 1, "hello"), "a text is compared with the file");
	is_i64(perf_memory_number_of(memory, "last"), 7, "a number is as it was");
	is_i64(perf_memory_now(memory, 2), 8, "or, where that is asked, as it is now");
	is_i64(perf_memory_now(memory, 1) + perf_memory_now(memory, -1) + perf_memory_now(memory, 3), 0, "no number: 0");
	ok(perf_memory_refresh_one(memory, 2) && perf_memory_number_of(memory, "last") == 8 &&
		   perf_memory_number_of(memory, "first") == 5,
	   "one is read again, and no other");
	ok(!perf_memory_refresh_one(memory, 3) && !perf_memory_refresh_one(memory, -1), "what is not there is not");
	make_image(&image, 9, "third\0x", 10);
	rewind(file);
	fwrite(image.at, 1, image.size, file);
	fflush(file);
	ok(perf_memory_refresh(memory), "all are read again");
	is_i64(perf_memory_number_of(memory, "first"), 9, "the first");
	ok(text_is(perf_memory_text_of(memory, "text"), "third"), "those between");
	is_i64(perf_memory_number_of(memory, "last"), 10, "the last");
	if (ftruncate(fileno(file), image.size - 1) != 0)
		abort();
	ok(!perf_memory_refresh(memory) && !perf_memory_refresh_one(memory, 2) && perf_memory_refresh_one(memory, 1),
	   "of a file that became shorter what is gone is not read");
	fclose(file);
	perf_memory_close(memory);
}

int
main(void)
{
	test_layout();
	test_entries();
	test_refresh();
	return tap_end();
}
