/* SPDX-License-Identifier: MIT
 * word_set: a sorted list. */
#include "path/word_set.h"

#include <stdlib.h>

static int
compare_words(const void *a, const void *b)
{
	path_word x = *(const path_word *)a, y = *(const path_word *)b;

	return x < y ? -1 : x > y;
}

void
word_set_settle(struct word_set *set)
{
	size_t kept = 0;

	if (set->list.count > 0)
		qsort(set->list.at, set->list.count, sizeof *set->list.at, compare_words);
	for (size_t i = 0; i < set->list.count; i++)
		if (kept == 0 || set->list.at[kept - 1] != set->list.at[i])
			set->list.at[kept++] = set->list.at[i];
	set->list.count = kept;
}

bool
word_set_has(const struct word_set *set, path_word value)
{
	return set->list.count > 0 &&
	       bsearch(&value, set->list.at, set->list.count, sizeof value, compare_words) != NULL;
}
