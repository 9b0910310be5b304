/* SPDX-License-Identifier: MIT
 * fuzz/austin: any bytes as samples of austin. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&austin_format, bytes, size);
}
