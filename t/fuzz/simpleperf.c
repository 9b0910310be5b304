/* SPDX-License-Identifier: MIT
 * fuzz/simpleperf: any bytes as a trace of simpleperf. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&simpleperf_format, bytes, size);
}
