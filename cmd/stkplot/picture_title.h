/* SPDX-License-Identifier: MIT
 * picture_title: what a picture is of, for those who did not make it. */
#ifndef STKPLOT_PICTURE_TITLE_H
#define STKPLOT_PICTURE_TITLE_H

#include "stkplot.h"

#include "program/filter.h"

#define PICTURE_TITLE_MOST 500

/* The name of a file without its folders, or "standard input". */
const char *input_name(const char *path);
/* --title, or `what` with the names of the inputs: "Trends of a.stk and 2 more". After all was read: that part of the
 * input was lost is in the title, because the messages do not travel with the picture. */
const char *picture_title(const struct plot_settings *settings, const struct filter *filter, const char *what,
			  char **operands, int count, char to[PICTURE_TITLE_MOST]);

#endif
