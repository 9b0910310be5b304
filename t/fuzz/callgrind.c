/* SPDX-License-Identifier: MIT
 * fuzz/callgrind: any bytes as a profile of callgrind. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&callgrind_format, bytes, size);
}
