/* SPDX-License-Identifier: MIT
 * repetition: finds the bracket, and reads the number behind it. */
#include "path/repetition.h"

#include <stdlib.h>

/* The ')' that belongs to the '(' at the beginning, or NULL. */
static const char *
closing(const char *from, const char *end)
{
	unsigned depth = 0;

	for (; from < end; from++) {
		depth += *from == '(';
		if (*from == ')' && --depth == 0)
			return from;
	}
	return NULL;
}

static bool
is_blank(const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	return from == to;
}

bool
repetition_read(const char *from, const char *end, unsigned long most, struct repetition *out)
{
	const char *stop = closing(from, end);
	char *rest;

	if (stop == NULL || end - stop <= 2 || stop[1] != '*')
		return false;
	*out = (struct repetition){ .from = from + 1, .to = stop, .times = strtoul(stop + 2, &rest, 10) };
	out->rest = rest;
	/* nothing, many times, one within another, would take for ever to be nothing */
	if (out->times > most || (rest < end && *rest != ' ') || is_blank(out->from, out->to))
		out->times = 0;
	return true;
}
