/* SPDX-License-Identifier: MIT
 * fuzz/firefox: any bytes as a profile in JSON. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&firefox_format, bytes, size);
}
