/* SPDX-License-Identifier: MIT
 * go_functions: tables of each version, made here; an address within, before and after functions; their
 * frames; tables that lie. */
#include "../lib/tap.h"

#include "base/text_buffer.h"
#include "capture/go_functions.h"

#include <stdlib.h>

struct version {
	uint32_t magic;
	unsigned words;			/* after the head */
	unsigned names, steps, list;	/* which of them say where names, changes of frames and functions are */
	unsigned field, flags;		/* bytes of numbers; where flags are behind a function's address */
	const char *about;
};

static const struct version versions[] = { { 0xfffffffb, 1, 0, 0, 0, 8, 0, "1.2 to 1.15" },
					   { 0xfffffffa, 7, 2, 5, 6, 8, 33, "1.16 and 1.17" },
					   { 0xfffffff0, 8, 3, 6, 7, 4, 33, "1.18 and 1.19" },
					   { 0xfffffff1, 8, 3, 6, 7, 4, 37, "1.20 and later" } };

#define TEXT    0x401000u		/* where the code begins */
#define NUMBERS 40u			/* bytes of a function's numbers behind its address */

static void
put(struct text_buffer *to, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		add_char(to, (char)(value >> 8 * i));
}

static void
put_at(struct text_buffer *to, size_t at, uint64_t value)
{
	store64(to->at + at, value);
}

/* Two functions: "main.main" of 0x20 bytes, which is the first of its stack, and "main.spend" of 0x30, which has a frame
 * of 200 bytes from its fourth to its last byte but one. */
static struct text_buffer
make(const struct version *v)
{
	static const char texts[] = "\0main.main\0main.spend\0\x02\x20\0\x02\x04\x90\x03\x2b\x8f\x03\x01";
	const unsigned at_name[] = { 1, 11 }, at_steps[] = { 22, 25 };
	const uint64_t begins[] = { 0, 0x20, 0x50 };
	struct text_buffer to = { 0 };
	uint64_t base = v->field == 4 ? 0 : TEXT;
	size_t list, at_texts = 0;

	put(&to, v->magic, 4);
	put(&to, UINT64_C(0x08010000), 4);
	for (unsigned i = 0; i < v->words; i++)
		put(&to, i == 0 ? 2 : 0, 8);
	if (v->field == 4)
		put_at(&to, 8 + 2 * 8, TEXT);
	if (v->names != 0) {
		put_at(&to, 8 + v->names * 8, to.count);
		put_at(&to, 8 + v->steps * 8, to.count);
		put_at(&to, 8 + v->list * 8, to.count + sizeof texts);
		add_bytes(&to, texts, sizeof texts);
	}
	list = to.count;
	for (size_t i = 0; i < 3; i++) {
		put(&to, base + begins[i], v->field);
		if (i < 2)
			put(&to, (v->names == 0 ? list : 0) + 5 * v->field + i * (v->field + NUMBERS), v->field);
	}
	if (v->names == 0)
		at_texts = list + 5 * v->field + 2 * (v->field + NUMBERS);
	for (size_t i = 0; i < 2; i++) {
		size_t details = to.count;

		put(&to, base + begins[i], v->field);
		for (unsigned k = 0; k < NUMBERS / 8; k++)
			put(&to, 0, 8);
		store32(to.at + details + v->field, (uint32_t)(at_texts + at_name[i]));
		store32(to.at + details + v->field + 12, (uint32_t)(at_texts + at_steps[i]));
		if (i == 0 && v->flags != 0)
			to.at[details + v->field + v->flags] = 1;
	}
	if (v->names == 0)
		add_bytes(&to, texts, sizeof texts);
	return to;
}

static bool
is(const struct go_functions *go, uint64_t address, const char *name, uint64_t from)
{
	struct go_function found;

	if (!go_functions_find(go, address, &found))
		return name == NULL;
	return name != NULL && text_is(found.name, name) && found.from == from;
}

static bool
has_frame(const struct go_functions *go, uint64_t address, bool is_entry, uint32_t size)
{
	struct go_frame frame;

	return go_functions_frame(go, address, &frame) && frame.is_entry == is_entry && frame.size == size;
}

/* What a table with one byte changed, or cut, says is no matter, but that it is read within its bounds. */
static unsigned
survive(const struct text_buffer *good)
{
	unsigned known = 0;

	for (size_t i = 0; i < good->count; i++)
		for (int change = 0; change < 3; change++) {
			size_t size = change == 2 ? i : good->count;
			char *bytes = malloc(size + 1);	/* of that size, so that what is beyond is seen */
			struct go_functions go;
			struct go_function found;
			struct go_frame frame;

			memcpy(bytes, good->at, size);
			if (change < 2)
				bytes[i] = change == 0 ? '\xff' : (char)(bytes[i] ^ 0x10);
			if (go_functions_read(&go, text_of(bytes, size)))
				for (uint64_t at = TEXT - 1; at < TEXT + 0x60; at++)
					known += (go_functions_find(&go, at, &found) && found.name.size > 0) +
						 go_functions_frame(&go, at, &frame);
			free(bytes);
		}
	return known;
}

int
main(void)
{
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		struct text_buffer table = make(&versions[i]);
		struct go_functions go;

		ok(go_functions_read(&go, text_in(&table, 0)) && is(&go, TEXT, "main.main", TEXT) &&
			   is(&go, TEXT + 0x1f, "main.main", TEXT) && is(&go, TEXT + 0x20, "main.spend", TEXT + 0x20) &&
			   is(&go, TEXT + 0x4f, "main.spend", TEXT + 0x20),
		   "Go %s: functions, at their first and last bytes", versions[i].about);
		ok(is(&go, TEXT - 1, NULL, 0) && is(&go, TEXT + 0x50, NULL, 0) && is(&go, 0, NULL, 0) &&
			   is(&go, UINT64_MAX, NULL, 0), "... and no others");
		ok(go_functions_text_at(&go) == (versions[i].field == 4 ? 24u : 0u), "... and where the code begins");
		ok(has_frame(&go, TEXT, versions[i].flags != 0, 0) &&
			   has_frame(&go, TEXT + 0x23, false, 0) && has_frame(&go, TEXT + 0x24, false, 200) &&
			   has_frame(&go, TEXT + 0x4e, false, 200) && has_frame(&go, TEXT + 0x4f, false, 0) &&
			   !has_frame(&go, TEXT - 1, false, 0) && !has_frame(&go, TEXT + 0x50, false, 0),
		   "... and frames, where they begin and end");
		ok(survive(&table) > 0, "... and tables that lie, or are cut");
		array_release(&table);
	}
	return tap_end();
}
