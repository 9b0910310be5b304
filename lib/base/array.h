/* SPDX-License-Identifier: MIT
 * array: a growing array of any type. ARRAY(int) numbers = {0}; *array_push(&numbers) = 7; numbers.at[0];
 * array_release(&numbers). */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define ARRAY(type) struct { type *at; size_t count, room; }

/* Makes room for `more` further elements. */
#define array_reserve(array, more) \
	((array)->count + (more) <= (array)->room ? (void)0 : \
	 (void)((array)->at = array_grown((array)->at, &(array)->room, (array)->count + (more), sizeof *(array)->at)))

/* Points at a new last element, not zeroed. */
#define array_push(array) (array_reserve((array), 1), &(array)->at[(array)->count++])

/* Makes it at least `wanted` long; new elements are all zero. */
#define array_lengthen(array, wanted) \
	do { \
		if ((array)->count < (wanted)) { \
			array_reserve((array), (wanted) - (array)->count); \
			memset((array)->at + (array)->count, 0, ((wanted) - (array)->count) * sizeof *(array)->at); \
			(array)->count = (wanted); \
		} \
	} while (0)

#define array_release(array) (free((array)->at), (array)->at = NULL, (array)->count = (array)->room = 0)

static inline void *
array_grown(void *old, size_t *room, size_t needed, size_t size)
{
	size_t grown = *room + *room / 2 + 8;

	*room = grown < needed ? needed : grown;
	return mem_resize(old, *room, size);
}

#endif
