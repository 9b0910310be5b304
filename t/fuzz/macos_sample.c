/* SPDX-License-Identifier: MIT
 * fuzz/macos_sample: any bytes as a call graph of macOS' sample. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&macos_sample_format, bytes, size);
}
