/* SPDX-License-Identifier: MIT
 * fuzz/path_gcno: any bytes as a .gcno. */
#include "path/gcno.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct stk_error err = { 0 };
	struct gcno gcno;

	if (gcno_is(bytes, size) && gcno_read(&gcno, "gcno", bytes, size, &err) == 0)
		gcno_release(&gcno);
	return 0;
}
