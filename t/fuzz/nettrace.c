/* SPDX-License-Identifier: MIT
 * fuzz/nettrace: any bytes as a trace of .NET. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&nettrace_format, bytes, size);
}
