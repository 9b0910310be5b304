/* SPDX-License-Identifier: MIT
 * fuzz/cpuprofile: any bytes as a profile of V8. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&cpuprofile_format, bytes, size);
}
