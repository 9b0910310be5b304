/* SPDX-License-Identifier: MIT
 * fuzz/metric_table: any bytes as metrics: tables of time, name and value, and what jstat prints. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&metric_table_format, bytes, size) | format_fuzz(&jstat_format, bytes, size);
}
