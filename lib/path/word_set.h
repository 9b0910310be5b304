/* SPDX-License-Identifier: MIT
 * word_set: a set of machine words, such as the values that r may have at a block. A zeroed struct is an empty one. */
#ifndef PATH_WORD_SET_H
#define PATH_WORD_SET_H

#include "base/array.h"

#include <stdbool.h>

__extension__ typedef unsigned __int128 path_word;

struct word_set { ARRAY(path_word) list; };	/* ascending once it is settled */

static inline void
word_set_add(struct word_set *set, path_word value)
{
	*array_push(&set->list) = value;
}

/* When all are added: sorts them, and drops those that are there twice. */
void word_set_settle(struct word_set *set);
bool word_set_has(const struct word_set *set, path_word value);

static inline void
word_set_release(struct word_set *set)
{
	array_release(&set->list);
}

#endif
