/* SPDX-License-Identifier: MIT
 * whole_numbers: columns whose numbers are stored one after the other are decoded to what was stored, to the last byte
 * and not beyond it. */
#include "../lib/tap.h"

#include "stream/column.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of so many bytes, of which the highest are set. */
static uint64_t
number(unsigned bytes, uint32_t row)
{
	uint64_t mixed = (row + 1) * UINT64_C(0x9e3779b97f4a7c15);

	return bytes == 0 ? 0 : (mixed | UINT64_C(1) << 63) >> (64 - 8 * bytes);
}

static bool
is_decoded(unsigned bytes, uint32_t rows, struct column_scratch *scratch)
{
	struct column_coding coding = { .prediction = STK_PLAIN, .scale = 1, .low = bytes, .packed = COLUMN_WHOLE };
	unsigned char *content = malloc((size_t)rows * bytes + (bytes == 0));	/* sanitizers see what is read beyond */
	uint64_t *values = calloc(rows + 1, sizeof *values);
	bool right;

	for (uint32_t row = 0; row < rows; row++)
		for (unsigned byte = 0; byte < bytes; byte++)
			content[row * bytes + byte] = (unsigned char)(number(bytes, row) >> 8 * byte);
	right = column_decode(&coding, content, NULL, values, rows, scratch) == 0 && values[rows] == 0;
	for (uint32_t row = 0; row < rows; row++)
		right = right && values[row] == number(bytes, row);
	free(content);
	free(values);
	return right;
}

int
main(void)
{
	static const uint32_t rows[] = { 1, 2, 3, 4, 7, 8, 9, 63, 64, 65, 1000 };
	struct column_scratch scratch = { 0 };

	for (unsigned bytes = 0; bytes <= 8; bytes++) {
		bool right = true;

		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
			right = right && is_decoded(bytes, rows[i], &scratch);
		ok(right, "numbers of %u bytes are decoded as they were stored", bytes);
	}
	column_scratch_release(&scratch);
	return tap_end();
}
