/* SPDX-License-Identifier: MIT
 * fuzz/kernel_events: any bytes as events of the kernel's tracer, of strace and of babeltrace. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&ftrace_format, bytes, size) | format_fuzz(&strace_format, bytes, size) |
	       format_fuzz(&babeltrace_format, bytes, size);
}
