/* SPDX-License-Identifier: MIT
 * go_places: files, lines and inlined functions of tables of each version, made here; the program's description of
 * itself; tables that lie, or are cut. */
#include "../lib/tap.h"

#include "base/text_buffer.h"
#include "capture/go_places.h"

#include <stdlib.h>

struct version { uint32_t magic; unsigned words, field, fixed; const char *about; };

static const struct version versions[] = { { 0xfffffffa, 7, 8, 36, "1.16 and 1.17" },
					   { 0xfffffff0, 8, 4, 36, "1.18 and 1.19" },
					   { 0xfffffff1, 8, 4, 40, "1.20 and later" } };

#define TEXT  UINT64_C(0x401000)	/* where the code begins, */
#define TABLE UINT64_C(0x500000)	/* the table is in memory, */
#define DATA  UINT64_C(0x600000)	/* what functions' data count from, */
#define TREE  0x40u			/* and from there the tree of inlined calls */
#define DESCRIPTION UINT64_C(0x700000)
#define DESCRIPTION_WORDS 64u

static const char names[] = "\0main.main\0main.shop\0main.sell";
static const char files[] = "/src/main.go\0/src/shop.go";
/* A function of 0x40 bytes: 16 of its own, 16 of shop, 16 of sell that was inlined in shop, and 16 of its own. */
static const char lines[] = "\x16\x10\x14\x10\x14\x10\x25\x10";	/* 10, 20, 30, 11 */
static const char file_steps[] = "\x02\x10\x02\x20\x01\x10";
static const char call_steps[] = "\0\x10\x02\x10\x02\x10\x03\x10";

struct image {
	struct text_buffer table, calls;
	uint64_t description[DESCRIPTION_WORDS];
};

static void
put(struct text_buffer *to, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		add_char(to, i < 8 ? (char)(value >> 8 * i) : 0);
}

static void
put_call(struct text_buffer *to, const struct version *v, unsigned name, unsigned at)
{
	put(to, 0, v->fixed == 40 ? 4 : 12);
	put(to, name, 4);
	put(to, at, 4);
	if (v->fixed == 40)
		put(to, 0, 4);
}

/* The i-th word after the head. */
static void
set_word(struct text_buffer *to, unsigned i, uint64_t value)
{
	store64(to->at + 8 + (size_t)i * 8, value);
}

static void
add_function(struct text_buffer *to, const struct version *v, const unsigned steps[3])
{
	size_t at = to->count;

	put(to, v->field == 4 ? 0 : TEXT, v->field);
	put(to, 1, 4);			/* its name */
	put(to, 0, 12);
	put(to, steps[0], 4);		/* files, */
	put(to, steps[1], 4);		/* lines */
	put(to, 3, 4);			/* and three columns more */
	put(to, 1, 4);			/* its files begin with the second of the units' */
	put(to, 0, v->fixed - 33);
	put(to, 4, 1);			/* how many data it has */
	put(to, 0, 8);
	put(to, steps[2], 4);
	if (v->field == 8 && (to->count - at) % 8 != 0)
		put(to, 0, 4);
	for (unsigned i = 0; i < 3; i++)
		put(to, v->field == 4 ? UINT32_MAX : 0, v->field);
	put(to, v->field == 4 ? TREE : DATA + TREE, v->field);
}

static struct image
make(const struct version *v)
{
	struct image image = { 0 };
	struct text_buffer *to = &image.table;
	unsigned first = v->field == 4 ? 3 : 2, steps[3];
	size_t list, begin;

	put(to, v->magic, 4);
	put(to, UINT64_C(0x08010000), 4);
	put(to, 1, 8);
	put(to, 0, (v->words - 1) * 8);
	if (v->field == 4)
		set_word(to, 2, TEXT);
	set_word(to, first, to->count);
	add_bytes(to, names, sizeof names);
	set_word(to, first + 1, to->count);
	put(to, UINT32_MAX, 4);
	put(to, 0, 4);
	put(to, 13, 4);
	set_word(to, first + 2, to->count);
	add_bytes(to, files, sizeof files);
	set_word(to, first + 3, begin = to->count);
	add_char(to, '\0');
	steps[0] = (unsigned)(to->count - begin);
	add_bytes(to, file_steps, sizeof file_steps);
	steps[1] = (unsigned)(to->count - begin);
	add_bytes(to, lines, sizeof lines);
	steps[2] = (unsigned)(to->count - begin);
	add_bytes(to, call_steps, sizeof call_steps);
	while (to->count % 8 != 0)
		add_char(to, '\0');
	set_word(to, first + 4, list = to->count);
	put(to, v->field == 4 ? 0 : TEXT, v->field);
	put(to, 4 * v->field, v->field);
	put(to, v->field == 4 ? 0x40 : TEXT + 0x40, v->field);
	put(to, 0, v->field);
	add_function(to, v, steps);
	put_call(&image.calls, v, 11, 0x08);
	put_call(&image.calls, v, 21, 0x18);
	image.description[3] = TABLE;		/* it begins here */
	image.description[3 + 20] = image.description[3 + 22] = TEXT;
	image.description[3 + 21] = image.description[3 + 23] = TEXT + 0x40;
	image.description[3 + (v->fixed == 40 ? 40 : 38)] = DATA;
	return image;
}

static bool
read_part(uint64_t address, uint64_t begin, const void *part, size_t part_size, void *to, size_t size)
{
	if (address < begin || size > part_size || address - begin > part_size - size)
		return false;
	memcpy(to, (const char *)part + (address - begin), size);
	return true;
}

static bool
read_image(void *of, uint64_t address, void *to, size_t size)
{
	const struct image *image = of;

	return read_part(address, TABLE, image->table.at, image->table.count, to, size) ||
	       read_part(address, DATA + TREE, image->calls.at, image->calls.count, to, size) ||
	       read_part(address, DESCRIPTION, image->description, sizeof image->description, to, size);
}

static bool
is_place(const struct go_place *place, const char *function, const char *file, unsigned line)
{
	return text_is(place->function, function) && text_is(place->file, file) && place->line == line;
}

static void
try(const struct version *v)
{
	struct image image = make(v);
	struct go_memory memory = { read_image, &image, TABLE, 0 };
	struct go_functions go;
	struct go_place at[GO_PLACES_MAX];
	bool found;

	ok(go_functions_read(&go, text_in(&image.table, 0)), "Go %s: a table", v->about);
	found = go_places_seek(&go, &memory, DESCRIPTION, sizeof image.description);
	ok(v->field == 8 ? !found : found && go.text == TEXT && memory.data == DATA, "... and its program's description");
	ok(go_places_find(&go, &memory, TEXT, at) == 1 && is_place(&at[0], "main.main", "/src/main.go", 10) &&
		   go_places_find(&go, &memory, TEXT + 0x3f, at) == 1 &&
		   is_place(&at[0], "main.main", "/src/main.go", 11), "... a function's own lines");
	ok(go_places_find(&go, &memory, TEXT + 0x10, at) == 2 && is_place(&at[0], "main.shop", "/src/shop.go", 20) &&
		   is_place(&at[1], "main.main", "/src/main.go", 10), "... of what was inlined");
	ok(go_places_find(&go, &memory, TEXT + 0x2f, at) == 3 && is_place(&at[0], "main.sell", "/src/shop.go", 30) &&
		   is_place(&at[1], "main.shop", "/src/shop.go", 20) &&
		   is_place(&at[2], "main.main", "/src/main.go", 10), "... and of what was inlined in that");
	ok(go_places_find(&go, &memory, TEXT - 1, at) == 0 && go_places_find(&go, &memory, TEXT + 0x40, at) == 0,
	   "... and none of another address");
	image.calls.count = 0;
	ok(go_places_find(&go, &memory, TEXT, at) == 1 && at[0].line == 10 &&
		   go_places_find(&go, &memory, TEXT + 0x2f, at) == 1 && is_place(&at[0], "main.main", "", 0),
	   "... no line of another function where the inlined ones cannot be read");
	array_release(&image.table);
	array_release(&image.calls);
}

/* Each says that the other is its caller. */
static void
try_ring(const struct version *v)
{
	struct image image = make(v);
	struct go_memory memory = { read_image, &image, TABLE, DATA };
	struct go_functions go;
	struct go_place at[GO_PLACES_MAX];

	image.calls.count = 0;
	put_call(&image.calls, v, 11, 0x28);
	put_call(&image.calls, v, 21, 0x18);
	ok(go_functions_read(&go, text_in(&image.table, 0)) && go_places_find(&go, &memory, TEXT + 0x10, at) == 1 &&
		   at[0].line == 0, "Go %s: calls in a ring end", v->about);
	array_release(&image.table);
	array_release(&image.calls);
}

/* What a table with one byte changed, or cut, says is no matter, but that it is read within its bounds. */
static unsigned
survive(const struct version *v)
{
	struct image image = make(v);
	struct text_buffer good = image.table;
	unsigned known = 0;

	for (size_t i = 0; i < good.count; i++)
		for (int change = 0; change < 3; change++) {
			size_t size = change == 2 ? i : good.count;
			struct go_memory memory = { read_image, &image, TABLE, DATA };
			struct go_place at[GO_PLACES_MAX];
			struct go_functions go;

			image.table = (struct text_buffer){ .at = malloc(size + 1), .count = size };
			memcpy(image.table.at, good.at, size);
			if (change < 2)
				image.table.at[i] = change == 0 ? '\xff' : (char)(good.at[i] ^ 0x10);
			if (go_functions_read(&go, text_in(&image.table, 0)))
				for (uint64_t address = TEXT - 1; address < TEXT + 0x44; address += 3)
					known += go_places_find(&go, &memory, address, at) > 0;
			free(image.table.at);
		}
	array_release(&good);
	array_release(&image.calls);
	return known;
}

int
main(void)
{
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		try(&versions[i]);
		try_ring(&versions[i]);
		ok(survive(&versions[i]) > 0, "... and tables that lie, or are cut");
	}
	return tap_end();
}
