/* SPDX-License-Identifier: MIT
 * fuzz/vtune: any bytes as a top-down report of VTune. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&vtune_format, bytes, size);
}
