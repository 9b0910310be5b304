/* SPDX-License-Identifier: MIT
 * fuzz/go_functions: any bytes as the table of functions of a Go program. */
#include "capture/go_functions.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct go_functions go;
	struct go_function found;
	struct go_frame frame;
	size_t sum = 0;

	if (!go_functions_read(&go, text_of((const char *)bytes, size)))
		return 0;
	for (uint64_t i = 0; i < 64; i++) {
		uint64_t address = go.text + (i < 32 ? i * 16 : UINT64_MAX - i);

		if (go_functions_find(&go, address, &found))
			sum += found.name.size;
		if (go_functions_frame(&go, address, &frame))
			sum += frame.size;
	}
	return sum == 1 ? 0 : 0;
}
