/* SPDX-License-Identifier: MIT
 * fuzz/pyspy_json: any bytes as threads of py-spy in JSON. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&pyspy_json_format, bytes, size);
}
