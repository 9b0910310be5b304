/* SPDX-License-Identifier: MIT
 * fuzz/folded_dumps: any bytes as folded stacks over time. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&folded_dumps_format, bytes, size);
}
