/* SPDX-License-Identifier: MIT
 * fuzz/coroutines: any bytes as a dump of coroutines. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&coroutines_format, bytes, size);
}
