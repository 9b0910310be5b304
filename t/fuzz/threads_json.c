/* SPDX-License-Identifier: MIT
 * fuzz/threads_json: any bytes as threads in JSON. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&threads_json_format, bytes, size);
}
