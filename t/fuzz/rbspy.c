/* SPDX-License-Identifier: MIT
 * fuzz/rbspy: any bytes as a recording of rbspy. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&rbspy_format, bytes, size);
}
