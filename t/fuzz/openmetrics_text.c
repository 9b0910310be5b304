/* SPDX-License-Identifier: MIT
 * fuzz/openmetrics_text: any bytes as what Prometheus scrapes. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&openmetrics_text_format, bytes, size);
}
