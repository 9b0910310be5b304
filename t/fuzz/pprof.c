/* SPDX-License-Identifier: MIT
 * fuzz/pprof: any bytes as a profile of pprof. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&pprof_format, bytes, size);
}
