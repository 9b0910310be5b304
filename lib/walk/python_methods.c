/* SPDX-License-Identifier: MIT
 * python_methods: first argument -> its class -> the classes that this one inherits from -> their functions. Only a
 * function that has the very code that runs is believed, so that an argument that was given another value, or a class
 * that changes, costs the name of the class, and never gives a wrong one. */
#include "walk/python_methods.h"

#include <string.h>

#define CLASSES_MAX 64u			/* that one class inherits from */
#define CELLS_MAX 256u			/* variables of a function that inner functions use */
#define IS_CLASS (UINT64_C(1) << 31)	/* flag of the type of a class */
#define SIZE_AT 16u			/* of a tuple, in objects that it has, */
#define ITEMS_AT 24u			/* and these */
#define WRAPPED_AT 16u			/* what a class method wraps; a property: first of its three functions */
#define CELL_AT 16u			/* the value of a cell */

static uint64_t
type_of(const struct python_heap *heap, uint64_t object)
{
	return object == 0 || object % 8 != 0 ? 0 : remote_word(heap->memory, object + heap->layout.object.type);
}

/* --- the first argument --- */

/* An argument that inner functions use is moved into a cell, after all other variables. */
static uint64_t
moved_argument(const struct python_heap *heap, uint64_t locals, uint64_t code)
{
	const struct python_layout *layout = &heap->layout;
	uint64_t cells = remote_word(heap->memory, code + layout->code.cells);
	uint64_t arguments = remote_word(heap->memory, code + layout->code.cell_arguments);
	uint64_t count = cells != 0 ? remote_word(heap->memory, cells + SIZE_AT) : 0;
	uint64_t others = (uint32_t)remote_word(heap->memory, code + layout->code.variables), which;

	for (uint64_t i = 0; arguments != 0 && i < count && i < CELLS_MAX; i++)
		if (remote_read(heap->memory, arguments + 8 * i, &which, sizeof which) && which == 0) {
			uint64_t cell = remote_word(heap->memory, locals + 8 * (others + i));

			return cell == 0 ? 0 : remote_word(heap->memory, cell + CELL_AT);
		}
	return 0;
}

static uint64_t
first_argument(const struct python_heap *heap, uint64_t frame, uint64_t code)
{
	const struct python_layout *layout = &heap->layout;
	uint64_t locals = frame + layout->frame.locals, first;

	if ((uint32_t)remote_word(heap->memory, code + layout->code.arguments) == 0)
		return 0;
	first = remote_word(heap->memory, locals);
	return first != 0 ? first : moved_argument(heap, locals, code);
}

/* --- the function --- */

/* The function with this code that an entry of a class is, or wraps; 0: none. */
static uint64_t
function_of(const struct python_heap *heap, uint64_t value, uint64_t code)
{
	uint64_t type = type_of(heap, value);
	unsigned wrapped = type == 0 ? 0 : type == heap->property_type ? 3 : type == heap->class_method_type;

	if (type != 0 && type == heap->function_type)
		return remote_word(heap->memory, value + heap->layout.function.code) == code ? value : 0;
	for (unsigned i = 0; i < wrapped; i++) {
		uint64_t inner = remote_word(heap->memory, value + WRAPPED_AT + 8 * i);

		if (type_of(heap, inner) == heap->function_type &&
		    remote_word(heap->memory, inner + heap->layout.function.code) == code)
			return inner;
	}
	return 0;
}

/* A class has a function whose name begins with two underscores under another one, which has the name of the class. */
static bool
is_renamed(const struct python_heap *heap, uint64_t name)
{
	struct text_buffer text = { 0 };
	bool renamed = python_text_add(heap, name, &text) && text_starts(text_in(&text, 0), "__");

	array_release(&text);
	return renamed;
}

/* In a class, or in one that it inherits from; 0: none has it. */
static uint64_t
find_function(const struct python_heap *heap, struct python_methods *methods, uint64_t class, uint64_t name,
	      uint64_t code)
{
	const struct python_layout *layout = &heap->layout;
	uint64_t order = remote_word(heap->memory, class + layout->type.order), found = 0;
	uint64_t count = order != 0 ? remote_word(heap->memory, order + SIZE_AT) : 0;
	bool renamed = is_renamed(heap, name);

	for (uint64_t c = 0; c < count && c < CLASSES_MAX && found == 0 && methods->left > 0; c++) {
		uint64_t one = remote_word(heap->memory, order + ITEMS_AT + 8 * c);
		const struct python_entries *entries = &methods->entries;

		if (one == 0 ||
		    !python_dict_read(heap, remote_word(heap->memory, one + layout->type.dict), &methods->entries))
			continue;
		methods->left -= entries->list.count < methods->left ? entries->list.count : methods->left;
		for (size_t i = 0; i < entries->list.count && found == 0; i++)
			if (renamed || entries->list.at[i].key == name)	/* there is one object of each name */
				found = function_of(heap, entries->list.at[i].value, code);
	}
	return found;
}

bool
python_method_add(const struct python_heap *heap, struct python_methods *methods, uint64_t frame, uint64_t code,
		  struct text_buffer *to)
{
	const struct python_layout *layout = &heap->layout;
	uint64_t first = first_argument(heap, frame, code), class = type_of(heap, first), found = 0;
	uint64_t name = remote_word(heap->memory, code + layout->code.name);

	if (class == 0 || class % 8 != 0)
		return false;
	if ((remote_word(heap->memory, class + layout->type.flags) & IS_CLASS) != 0)
		found = find_function(heap, methods, first, name, code);
	if (found == 0)
		found = find_function(heap, methods, class, name, code);
	return found != 0 && python_text_add(heap, remote_word(heap->memory, found + layout->function.qualified), to);
}
