/* SPDX-License-Identifier: MIT
 * fuzz/go_profile: any bytes as a text profile of Go. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&go_profile_format, bytes, size);
}
