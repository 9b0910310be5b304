/* SPDX-License-Identifier: MIT
 * fuzz/chrome: any bytes as a profile in JSON. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&chrome_format, bytes, size);
}
