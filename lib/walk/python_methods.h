/* SPDX-License-Identifier: MIT
 * python_methods: before 3.11 a code object does not know the class that its function is in. The first argument of a
 * method does: one of its classes has a function with this code. */
#ifndef WALK_PYTHON_METHODS_H
#define WALK_PYTHON_METHODS_H

#include "walk/python_objects.h"

struct python_methods {
	struct python_entries entries;	/* scratch: of a class */
	size_t left;			/* how many entries may be looked at; none, and no class is found */
};

/* Adds the name with its class, as "Shop.sell", of the function that runs in a frame object. False: no class of its
 * first argument has that function (it is not a method, or a static one), and nothing is added. */
bool python_method_add(const struct python_heap *heap, struct python_methods *methods, uint64_t frame, uint64_t code,
		       struct text_buffer *to);

#endif
