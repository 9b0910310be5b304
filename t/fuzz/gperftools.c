/* SPDX-License-Identifier: MIT
 * fuzz/gperftools: any bytes as a profile of gperftools. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&gperftools_format, bytes, size);
}
