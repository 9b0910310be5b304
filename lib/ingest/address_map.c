/* SPDX-License-Identifier: MIT
 * address_map: sorted arrays, which are searched by halves; what was found lately is kept. */
#include "ingest/address_map.h"

#include "base/memory.h"
#include "ingest/text_lines.h"

#include <stdlib.h>

#define CACHED 4096u	/* frames; a power of two */

/* --- building --- */

bool
address_map_line(struct address_map *map, struct stk_text line)
{
	const char *at = line.data, *end = line.data + line.size;
	struct mapped is;

	if (!scan_hex(&at, end, &is.from) || at == end || *at++ != '-' || !scan_hex(&at, end, &is.to) || at == end)
		return false;
	if (*at == ':') {
		at++;
	} else {
		for (unsigned word = 0; word < 4; word++) {	/* what is allowed, offset, device, inode */
			at = unindented(between(at, end)).data;
			while (at < end && *at != ' ' && *at != '\t')
				at++;
		}
	}
	is.file = trimmed(unindented(between(at, end)));
	if (is.to <= is.from)
		return false;
	*array_push(&map->mapped) = is;
	map->sorted = false;
	return true;
}

void
address_map_name(struct address_map *map, uint64_t address, uint64_t size, struct stk_text name)
{
	*array_push(&map->named) = (struct named){ address, size, name };
	map->sorted = false;
}

static int
by_start(const void *a, const void *b)
{
	const struct mapped *p = a, *q = b;

	return p->from < q->from ? -1 : p->from > q->from;
}

static int
by_address(const void *a, const void *b)
{
	const struct named *p = a, *q = b;

	return p->address < q->address ? -1 : p->address > q->address;
}

static void
sort(struct address_map *map)
{
	if (map->sorted)
		return;
	if (map->mapped.count > 0)
		qsort(map->mapped.at, map->mapped.count, sizeof *map->mapped.at, by_start);
	if (map->named.count > 0)
		qsort(map->named.at, map->named.count, sizeof *map->named.at, by_address);
	free(map->cache);
	map->cache = mem_new(CACHED, sizeof *map->cache);
	map->sorted = true;
}

void
address_map_release(struct address_map *map)
{
	array_release(&map->mapped);
	array_release(&map->named);
	free(map->cache);
}

/* --- finding --- */

struct stk_text
address_map_named(struct address_map *map, uint64_t address)
{
	size_t low = 0, high;

	sort(map);
	for (high = map->named.count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (map->named.at[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0) {
		const struct named *is = &map->named.at[low - 1];

		if (is->address == address || address - is->address < is->size)
			return is->name;
	}
	return text_of("", 0);
}

static struct stk_text
file_at(const struct address_map *map, uint64_t address)
{
	size_t low = 0;

	for (size_t high = map->mapped.count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (map->mapped.at[middle].from <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < map->mapped.at[low - 1].to ? map->mapped.at[low - 1].file : text_of("", 0);
}

static uint32_t
make_frame(struct address_map *map, struct collect *collect, uint64_t address, bool caller)
{
	uint64_t within = address - (caller && address > 0);
	struct frame_parts parts = { .function = address_map_named(map, within), .module = file_at(map, within),
				     .form = STK_FORM_NATIVE, .address = address, .is_symbol = true };

	if (parts.function.size == 0 && caller)
		parts.function = address_map_named(map, address);
	if (parts.function.size == 0)
		parts.function = text_from("[unknown]");
	return recording_frame(collect, &parts);
}

uint32_t
address_map_frame(struct address_map *map, struct collect *collect, uint64_t address, bool caller)
{
	struct address_frame *cached;
	uint64_t hash = (address << 1 | caller) * UINT64_C(0x9e3779b97f4a7c15);

	sort(map);
	cached = &map->cache[hash >> 32 & (CACHED - 1)];
	if (cached->id == 0 || cached->address != (address << 1 | caller))
		*cached = (struct address_frame){ address << 1 | caller, make_frame(map, collect, address, caller) };
	return cached->id;
}
