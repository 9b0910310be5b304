/* SPDX-License-Identifier: MIT
 * fuzz/folded: any bytes as folded stacks; whatever is found must lie within them. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&folded_format, bytes, size);
}
