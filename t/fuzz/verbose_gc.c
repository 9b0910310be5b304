/* SPDX-License-Identifier: MIT
 * fuzz/verbose_gc: any bytes as a log of collections of OpenJ9. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&verbose_gc_format, bytes, size);
}
