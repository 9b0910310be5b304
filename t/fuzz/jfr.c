/* SPDX-License-Identifier: MIT
 * fuzz/jfr: any bytes as a Java Flight Recording. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&jfr_format, bytes, size);
}
