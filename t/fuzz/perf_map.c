/* SPDX-License-Identifier: MIT
 * fuzz/perf_map: any bytes as a VM's map of compiled code, and addresses around every number in it. */
#include "capture/perf_map.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct perf_map *map;
	size_t sum = 0;

	perf_map_of(&map, (const char *)bytes, size);
	for (uint64_t i = 0; i < 64; i++) {
		const char *name = perf_map_name(map, i < 32 ? i * 16 : UINT64_MAX - i);

		sum += name != NULL ? strlen(name) : 0;
	}
	perf_map_close(map);
	return sum == 1 ? 0 : 0;
}
