/* SPDX-License-Identifier: MIT
 * fuzz/instruments: any bytes as an export of Instruments. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&instruments_format, bytes, size);
}
