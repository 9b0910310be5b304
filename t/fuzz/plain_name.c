/* SPDX-License-Identifier: MIT
 * fuzz/plain_name: any bytes as the name of a function, in memory of exactly their size. */
#include "model/plain_name.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *function = mem_new(size + 1, 1);
	struct text_buffer room = { 0 };
	struct stk_text name;

	if (size > 0) {
		memcpy(function, bytes + 1, size - 1);
		name = plain_name(bytes[0] & (2 * PLAIN_ALL - 1), text_of(function, size - 1), &room);
		if (name.size > size - 1 + 16 * size + PLAIN_NAME_MAX)
			abort();
	}
	array_release(&room);
	free(function);
	return 0;
}
