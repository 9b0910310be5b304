/* SPDX-License-Identifier: MIT
 * fuzz/gc_log: any bytes as a log of garbage collections, with dates and without. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&gc_log_format, bytes, size) | format_fuzz(&gc_log_uptime_format, bytes, size);
}
