/* SPDX-License-Identifier: MIT
 * fuzz/folded_arrows: any bytes as folded stacks with arrows. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&folded_arrows_format, bytes, size);
}
