/* SPDX-License-Identifier: MIT
 * fuzz/go_heap: any bytes as a text profile of the heap or of contention. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&go_heap_format, bytes, size);
}
