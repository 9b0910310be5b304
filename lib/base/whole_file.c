/* SPDX-License-Identifier: MIT
 * whole_file: chunks, until there are no more or too many. */
#include "base/whole_file.h"

#include "base/input.h"

#define CHUNK_BYTES 65536u

int
whole_file_read(struct text_buffer *to, const char *path, size_t most, struct stk_error *err)
{
	size_t before = to->count;
	struct stk_error why = { 0 };
	struct input *in;
	long got = 1;

	if (input_open(&in, path, NULL, &why) < 0)
		return stk_fail(err, why.code, "%s: %s", path, why.text);
	while (got > 0 && to->count - before <= most) {
		array_reserve(to, CHUNK_BYTES);
		got = input_read(in, to->at + to->count, CHUNK_BYTES, &why);
		to->count += got > 0 ? (size_t)got : 0;
	}
	input_close(in);
	if (got < 0)
		return stk_fail(err, why.code, "%s: %s", path, why.text);
	return to->count - before > most ? stk_fail(err, STK_EUSAGE, "%s: more than %zu bytes", path, most) : 0;
}
