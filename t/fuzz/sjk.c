/* SPDX-License-Identifier: MIT
 * fuzz/sjk: any bytes as a trace of SJK. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&sjk_format, bytes, size);
}
