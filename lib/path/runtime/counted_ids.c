/* SPDX-License-Identifier: MIT
 * counted_ids: a hash table over an array that only grows. The number of entries is published after they are complete,
 * and an array that is replaced is not returned, so that readers need no lock. */
#include "counted_ids.h"

#include "counts_image.h"
#include "runtime_memory.h"

#include <string.h>
#include <sys/mman.h>

#define ROOM_FIRST 128u

static uint64_t
slot_of(const struct counted_ids *t, uint64_t a, uint64_t b)
{
	uint64_t hash = (a ^ b * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;

	return (hash ^ hash >> 32) & (t->room * 2 - 1);
}

static void
grow(struct counted_ids *t)
{
	struct counted_ids larger = *t;

	larger.room = t->room == 0 ? ROOM_FIRST : t->room * 2;
	larger.entries = counts_image_take(larger.room * sizeof *larger.entries);
	larger.slots = runtime_pages(larger.room * 2 * sizeof *larger.slots);
	for (uint64_t i = 0; i < t->count; i++) {
		uint64_t slot = slot_of(&larger, t->entries[i].a, t->entries[i].b);

		larger.entries[i] = t->entries[i];
		while (larger.slots[slot] != 0)
			slot = (slot + 1) & (larger.room * 2 - 1);
		larger.slots[slot] = (uint32_t)i + 1;
	}
	if (t->room > 0)
		munmap(t->slots, t->room * 2 * sizeof *t->slots);
	if (counts_image_has(t->entries) && !counts_image_has(larger.entries)) {
		t->in_image = t->entries;
		t->in_image_count = t->count;
	}
	__atomic_store_n(&t->entries, larger.entries, __ATOMIC_RELEASE);
	t->slots = larger.slots;
	t->room = larger.room;
}

uint64_t
counted_ids_place(struct counted_ids *t, uint64_t a, uint64_t b)
{
	uint64_t slot;

	if (t->count == t->room)
		grow(t);
	for (slot = slot_of(t, a, b); t->slots[slot] != 0; slot = (slot + 1) & (t->room * 2 - 1))
		if (t->entries[t->slots[slot] - 1].a == a && t->entries[t->slots[slot] - 1].b == b)
			return t->slots[slot] - 1;
	t->entries[t->count] = (struct counted_id){ .a = a, .b = b };
	t->slots[slot] = (uint32_t)t->count + 1;
	__atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELEASE);
	return t->count - 1;
}

void
counted_ids_count(struct counted_ids *t, uint64_t a, uint64_t b)
{
	uint64_t place = counted_ids_place(t, a, b);

	__atomic_store_n(&t->entries[place].count, t->entries[place].count + 1, __ATOMIC_RELAXED);
}

uint64_t
counted_ids_total(const struct counted_ids *t)
{
	return __atomic_load_n(&t->count, __ATOMIC_ACQUIRE);
}

struct counted_id
counted_ids_entry(const struct counted_ids *t, uint64_t place)
{
	const struct counted_id *entry = &__atomic_load_n(&t->entries, __ATOMIC_ACQUIRE)[place];

	return (struct counted_id){ entry->a, entry->b, __atomic_load_n(&entry->count, __ATOMIC_RELAXED) };
}

/* Of an array that was just replaced, counts are late: they are found the next time. */
uint64_t
counted_ids_take(struct counted_ids *t, uint64_t place)
{
	uint64_t now = counted_ids_entry(t, place).count, since;

	if (place >= t->written_room) {
		uint64_t room = t->written_room == 0 ? ROOM_FIRST : t->written_room;
		uint64_t *written;

		while (room <= place)
			room *= 2;
		written = counts_image_take(room * sizeof *written);
		if (t->written != NULL) {
			memcpy(written, t->written, t->written_room * sizeof *written);
			counts_image_give_back(t->written, t->written_room * sizeof *written);
		}
		t->written = written;
		t->written_room = room;
	}
	if (now < t->written[place])
		return 0;
	since = now - t->written[place];
	t->written[place] = now;
	return since;
}

bool
counted_ids_changed(const struct counted_ids *t)
{
	uint64_t total = counted_ids_total(t);

	for (uint64_t i = 0; i < total; i++)
		if (counted_ids_entry(t, i).count != (i < t->written_room ? t->written[i] : 0))
			return true;
	return false;
}

void
counted_ids_release(struct counted_ids *t)
{
	if (t->room > 0) {
		counts_image_give_back(t->entries, t->room * sizeof *t->entries);
		munmap(t->slots, t->room * 2 * sizeof *t->slots);
	}
	if (t->written != NULL)
		counts_image_give_back(t->written, t->written_room * sizeof *t->written);
	*t = (struct counted_ids){ 0 };
}
