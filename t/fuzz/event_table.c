/* SPDX-License-Identifier: MIT
 * fuzz/event_table: any bytes as lines of events. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&event_table_format, bytes, size);
}
