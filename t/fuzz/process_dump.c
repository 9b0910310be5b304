/* SPDX-License-Identifier: MIT
 * fuzz/process_dump: any bytes as stacks that a tool printed of a process. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&process_dump_format, bytes, size);
}
