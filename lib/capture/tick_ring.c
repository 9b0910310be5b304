/* SPDX-License-Identifier: MIT
 * tick_ring: records may wrap around the ring's end. */
#include "capture/tick_ring.h"

#include <stdint.h>
#include <string.h>

static void
copy(const struct perf_event_mmap_page *ring, uint64_t at, void *to, size_t size)
{
	const unsigned char *data = (const unsigned char *)ring + ring->data_offset;
	uint64_t room = ring->data_size;
	size_t first = at % room + size <= room ? size : (size_t)(room - at % room);

	memcpy(to, data + at % room, first);
	memcpy((unsigned char *)to + first, data, size - first);
}

bool
tick_ring_next(struct perf_event_mmap_page *ring, void *record, size_t room, size_t *size)
{
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), tail = ring->data_tail;
	struct perf_event_header header;

	if (tail >= head)
		return false;
	if (head - tail >= sizeof header && head - tail <= ring->data_size)
		copy(ring, tail, &header, sizeof header);
	else
		header.size = 0;
	if (header.size < sizeof header || header.size > head - tail) {
		__atomic_store_n(&ring->data_tail, head, __ATOMIC_RELEASE);
		return false;
	}
	*size = header.size < room ? header.size : room;
	copy(ring, tail, record, *size);
	__atomic_store_n(&ring->data_tail, tail + header.size, __ATOMIC_RELEASE);
	return true;
}
