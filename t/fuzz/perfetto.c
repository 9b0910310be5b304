/* SPDX-License-Identifier: MIT
 * fuzz/perfetto: any bytes as a trace of perfetto. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&perfetto_format, bytes, size);
}
