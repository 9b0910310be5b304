/* SPDX-License-Identifier: MIT
 * tick_ring: records come whole and in order wherever the ring's end falls into them; what lies about its length is
 * thrown away and read no further. */
#include "../lib/tap.h"

#include "capture/tick_ring.h"

#include <stdlib.h>
#include <string.h>

#define RING 256u

static _Alignas(8) unsigned char memory[4096 + RING];
static struct perf_event_mmap_page *const ring = (void *)memory;
static unsigned char *const data = memory + 4096;

static void
reset(uint64_t at)
{
	memset(memory, 0, sizeof memory);
	ring->data_offset = 4096;
	ring->data_size = RING;
	ring->data_head = ring->data_tail = at;
}

/* As the kernel does: byte after byte, around the end. */
static void
put(uint16_t stated, unsigned bytes, unsigned char value)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = stated };

	for (unsigned i = 0; i < bytes; i++)
		data[(ring->data_head + i) % RING] = i < sizeof header ? ((unsigned char *)&header)[i] : value;
	ring->data_head += bytes;
}

static bool
is_record(const unsigned char *record, size_t size, unsigned bytes, unsigned char value)
{
	bool same = size == bytes && ((const struct perf_event_header *)(const void *)record)->size == bytes;

	for (size_t i = sizeof(struct perf_event_header); same && i < size; i++)
		same = record[i] == value;
	return same;
}

int
main(void)
{
	_Alignas(8) unsigned char record[RING];
	unsigned wrong = 0;
	size_t size = 0;

	for (uint64_t at = 0; at < 4 * RING; at += 8) {
		reset(at);
		for (unsigned round = 0; round < 20; round++) {		/* more than goes into the ring at once */
			put(64, 64, (unsigned char)(2 * round));
			put(24, 24, (unsigned char)(2 * round + 1));
			wrong += !tick_ring_next(ring, record, sizeof record, &size) ||
				 !is_record(record, size, 64, (unsigned char)(2 * round));
			wrong += !tick_ring_next(ring, record, sizeof record, &size) ||
				 !is_record(record, size, 24, (unsigned char)(2 * round + 1));
			wrong += tick_ring_next(ring, record, sizeof record, &size) ||
				 ring->data_tail != ring->data_head;
		}
	}
	ok(wrong == 0, "records that begin at every place of the ring, and go round its end: %u wrong", wrong);

	reset(RING - 16);
	put(128, 128, 7);
	put(16, 16, 8);
	ok(tick_ring_next(ring, record, 40, &size) && size == 40 && ring->data_tail == RING - 16 + 128,
	   "a record longer than there is room for is cut, and left behind whole");
	ok(tick_ring_next(ring, record, sizeof record, &size) && is_record(record, size, 16, 8),
	   "the next one is there");

	wrong = 0;
	for (unsigned stated = 0; stated < 65536; stated += stated < 300 ? 1 : 997) {
		bool valid = stated >= sizeof(struct perf_event_header) && stated <= 32;

		reset(8);
		put((uint16_t)stated, 32, 1);
		wrong += tick_ring_next(ring, record, sizeof record, &size) != valid;
		wrong += ring->data_tail != (valid ? 8 + stated : ring->data_head);
	}
	ok(wrong == 0, "a length that is none, or more than is there: %u wrong", wrong);

	reset(0);
	ring->data_head = RING + 8;	/* more than fits */
	ok(!tick_ring_next(ring, record, sizeof record, &size) && ring->data_tail == ring->data_head,
	   "a head that is further than the ring is long");
	reset(64);
	ring->data_head = 0;
	ok(!tick_ring_next(ring, record, sizeof record, &size), "a head behind the tail");
	return tap_end();
}
