/* SPDX-License-Identifier: MIT
 * key_sets: lists of keys, compared as they are written. */
#include "timetree/key_sets.h"

#include <stdio.h>
#include <string.h>

unsigned
key_sets_count(const struct key_sets *sets)
{
	return sets->count == 0 ? 1 : sets->count;
}

const char *
key_sets_by(const struct key_sets *sets, unsigned set)
{
	return set >= sets->count || sets->by[set] == NULL ? "" : sets->by[set];
}

int
key_sets_find(const struct key_sets *sets, const char *by)
{
	for (unsigned i = 0; i < key_sets_count(sets); i++)
		if (strcmp(key_sets_by(sets, i), by) == 0)
			return (int)i;
	return -1;
}

bool
key_sets_equal(const struct key_sets *a, const struct key_sets *b)
{
	bool equal = key_sets_count(a) == key_sets_count(b);

	for (unsigned i = 0; equal && i < key_sets_count(a); i++)
		equal = strcmp(key_sets_by(a, i), key_sets_by(b, i)) == 0;
	return equal;
}

int
key_sets_add(struct key_sets *sets, const char *by, struct stk_error *err)
{
	if (sets->count == KEY_SETS_MOST)
		return stk_fail(err, STK_EUSAGE, "--by: more than %d sets of keys", KEY_SETS_MOST);
	if (strlen(by) >= KEYS_TEXT_MAX)
		return stk_fail(err, STK_EUSAGE, "--by: '%.40s...' is too long", by);
	if (sets->count > 0 && key_sets_find(sets, by) >= 0)
		return stk_fail(err, STK_EUSAGE, "--by %s: given twice", *by == '\0' ? "default" : by);
	sets->by[sets->count++] = by;
	return 0;
}

char *
key_sets_print(char *to, size_t room, const struct key_sets *sets)
{
	size_t used = 0;

	*to = '\0';
	for (unsigned i = 0; i < key_sets_count(sets) && used < room; i++) {
		const char *by = key_sets_by(sets, i);

		used += (size_t)snprintf(to + used, room - used, "%s%s", i == 0 ? "" : "' and '",
			*by == '\0' ? "pool or command" : by);
	}
	return to;
}
