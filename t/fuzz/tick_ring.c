/* SPDX-License-Identifier: MIT
 * fuzz/tick_ring: any bytes as a ring of perf records, with head and tail anywhere. */
#include "capture/tick_ring.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	_Alignas(8) unsigned char record[200];
	struct perf_event_mmap_page *ring;
	size_t room = 64, taken;

	if (size < 4)
		return 0;
	while (room * 2 <= size - 2)
		room *= 2;
	ring = calloc(1, sizeof *ring + room);
	if (ring == NULL)
		return 0;
	ring->data_offset = sizeof *ring;
	ring->data_size = room;
	ring->data_tail = bytes[0];
	ring->data_head = bytes[0] + (uint64_t)bytes[1] * 4;
	memcpy((char *)ring + sizeof *ring, bytes + 2, size - 2 < room ? size - 2 : room);
	while (tick_ring_next(ring, record, sizeof record, &taken))
		if (taken > sizeof record)
			abort();
	if (ring->data_tail < ring->data_head)
		abort();
	free(ring);
	return 0;
}
