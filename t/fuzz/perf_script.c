/* SPDX-License-Identifier: MIT
 * fuzz/perf_script: any bytes as perf script; whatever is found must lie within them. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&perf_script_format, bytes, size);
}
