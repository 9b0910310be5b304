/* SPDX-License-Identifier: MIT
 * fuzz/bpftrace: any bytes as maps of bpftrace. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&bpftrace_format, bytes, size);
}
