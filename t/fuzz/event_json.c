/* SPDX-License-Identifier: MIT
 * fuzz/event_json: any bytes as events in JSON. */
#include "recording_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return recording_fuzz(&event_json_format, bytes, size);
}
