/* SPDX-License-Identifier: MIT
 * picture_title: names are cut, so that what follows them is always there. */
#include "picture_title.h"

#include <stdio.h>
#include <string.h>

const char *
input_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strcmp(path, "-") == 0 ? "standard input" : slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

const char *
picture_title(const struct plot_settings *s, const struct filter *filter, const char *what, char **operands, int count,
	      char to[PICTURE_TITLE_MOST])
{
	const char *lost = filter->lost > 0 ? " (incomplete: part of the input was lost)" : "";
	const char *name = count > 0 ? input_name(operands[0]) : "standard input";

	if (s->title != NULL && filter->lost == 0)
		return s->title;
	if (s->title != NULL)
		(void)snprintf(to, PICTURE_TITLE_MOST, "%.400s%s", s->title, lost);
	else if (count > 1)
		(void)snprintf(to, PICTURE_TITLE_MOST, "%.150s%.150s and %d more%s", what, name, count - 1, lost);
	else
		(void)snprintf(to, PICTURE_TITLE_MOST, "%.150s%.150s%s", what, name, lost);
	return to;
}
