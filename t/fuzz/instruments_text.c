/* SPDX-License-Identifier: MIT
 * fuzz/instruments_text: any bytes as a tree of calls copied from Instruments. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&instruments_text_format, bytes, size);
}
