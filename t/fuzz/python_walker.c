/* SPDX-License-Identifier: MIT
 * fuzz/python_walker: any bytes as the memory of a Python program: the first byte says which version it claims. */
#include "walk/python_walker.h"

#include <string.h>

#define BASE UINT64_C(0x1000)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct piece {
	const uint8_t *bytes;
	size_t size;
};

static bool
read_piece(void *of, uint64_t from, void *to, size_t size)
{
	const struct piece *piece = of;

	if (from < BASE || from - BASE > piece->size || size > piece->size - (size_t)(from - BASE))
		return false;
	memcpy(to, piece->bytes + (from - BASE), size);
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct piece piece = { bytes + 1, size - 1 };
	struct remote_memory memory = { .other = read_piece, .of = &piece };
	struct python_heap known = { .text_type = 1, .bytes_type = 2, .dict_type = 3, .code_type = 4,
				      .function_type = 5, .class_method_type = 6, .property_type = 7 };
	struct python_threads threads = { 0 };
	struct text_buffer text = { 0 };
	struct python_walker *walker;
	struct stk_error err = { 0 };

	if (size < 1 || python_layout_read(&known.layout, 8 + bytes[0] % 6, &memory, BASE, &err) < 0)
		return 0;
	python_walker_of(&walker, &memory, &known, BASE);
	if (python_walker_threads(walker, &threads)) {
		python_walker_read_names(walker);
		for (size_t i = 0; i < threads.list.count && i < 4; i++) {
			(void)python_walker_stack(walker, &threads.list.at[i], &text);
			(void)python_walker_name(walker, &threads.list.at[i], &text);
		}
	}
	(void)python_line(known.layout.lines, text_of((const char *)piece.bytes, piece.size), 1, bytes[0]);
	array_release(&threads.list);
	array_release(&text);
	python_walker_close(walker);
	return 0;
}
