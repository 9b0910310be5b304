/* SPDX-License-Identifier: MIT
 * fuzz/status_text: any bytes as the answer of a capture; what was read and written again is read alike. */
#include "capture/status_text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text_buffer first = { 0 }, second = { 0 };
	struct stk_error err = { 0 };
	struct status status, again;

	if (status_read(&status, text_of((const char *)bytes, size), &err) == 0) {
		status_write(&first, &status);
		if (status_read(&again, text_in(&first, 0), &err) < 0 || !again.whole)
			abort();
		status_write(&second, &again);
		if (again.processes.count != status.processes.count ||
		    (first.count < 65536 && !text_equal(text_in(&first, 0), text_in(&second, 0))))
			abort();
		status_release(&again);
	}
	status_release(&status);
	array_release(&first);
	array_release(&second);
	return 0;
}
