/* SPDX-License-Identifier: MIT
 * address_map: what addresses of a process are: the libraries that it has mapped, and names, where a profile has
 * them. */
#ifndef INGEST_ADDRESS_MAP_H
#define INGEST_ADDRESS_MAP_H

#include "base/array.h"
#include "ingest/whole_input.h"

struct mapped { uint64_t from, to; struct stk_text file; };
struct named { uint64_t address, size; struct stk_text name; };	/* size 0: that address only */
struct address_frame { uint64_t address; uint32_t id; };

struct address_map {
	ARRAY(struct mapped) mapped;
	ARRAY(struct named) named;
	bool sorted;
	struct address_frame *cache;
};

/* A line of /proc/PID/maps, or "FROM-TO: FILE". False: it is none. */
bool address_map_line(struct address_map *map, struct stk_text line);
/* Texts are borrowed until the release. */
void address_map_name(struct address_map *map, uint64_t address, uint64_t size, struct stk_text name);

/* The name of an address; empty without one. */
struct stk_text address_map_named(struct address_map *map, uint64_t address);
/* The id of the frame at an address, of which callers have that after their call. Without a name it is "[unknown]" in
 * its file. */
uint32_t address_map_frame(struct address_map *map, struct collect *collect, uint64_t address, bool caller);

void address_map_release(struct address_map *map);

#endif
