/* SPDX-License-Identifier: MIT
 * fuzz/otlp: any bytes as profiles of OpenTelemetry, in protocol buffers or JSON. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&otlp_format, bytes, size);
}
