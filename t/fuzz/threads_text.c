/* SPDX-License-Identifier: MIT
 * fuzz/threads_text: any bytes as what Thread.dump_to_file writes. The seeds are of a JDK 25: five threads of a program
 * that wait, park and are blocked, two of them virtual; jdk25-other of threads_json is the same moment in JSON. */
#include "format_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return format_fuzz(&threads_text_format, bytes, size);
}
