/* SPDX-License-Identifier: MIT
 * counted_ids: pairs of numbers, and how often each was counted. One thread adds and counts; any other may read
 * meanwhile, and finds each pair whole. */
#ifndef PATH_RUNTIME_COUNTED_IDS_H
#define PATH_RUNTIME_COUNTED_IDS_H

#include <stdbool.h>
#include <stdint.h>

struct counted_id { uint64_t a, b, count; };

struct counted_ids {
	struct counted_id *entries;	/* after growth another array; the old one stays, because others may read it */
	uint32_t *slots;
	uint64_t count, room;
	struct counted_id *in_image;	/* the last array there, if the present one is not; NULL */
	uint64_t in_image_count;	/* of its entries */
	uint64_t *written;		/* of each entry, by those who write it; room for written_room of them */
	uint64_t written_room;
};

/* The place of a pair, from 0; it is added when it is new. A zeroed struct has none. */
uint64_t counted_ids_place(struct counted_ids *ids, uint64_t a, uint64_t b);
/* For the thread that counts. */
void counted_ids_count(struct counted_ids *ids, uint64_t a, uint64_t b);

/* For others: how many entries there are now; one of them, from 0; what was counted of it since the last call. */
uint64_t counted_ids_total(const struct counted_ids *ids);
struct counted_id counted_ids_entry(const struct counted_ids *ids, uint64_t place);
uint64_t counted_ids_take(struct counted_ids *ids, uint64_t place);
bool counted_ids_changed(const struct counted_ids *ids);		/* since it was taken */
void counted_ids_release(struct counted_ids *ids);

#endif
