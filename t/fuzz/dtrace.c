/* SPDX-License-Identifier: MIT
 * fuzz/dtrace: any bytes as stacks with counts of DTrace and SystemTap. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&dtrace_format, bytes, size);
}
