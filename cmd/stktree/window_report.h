/* SPDX-License-Identifier: MIT
 * window_report: the reports of stktree: recordings, windows, tables, and the messages about them. */
#ifndef STKTREE_WINDOW_REPORT_H
#define STKTREE_WINDOW_REPORT_H

#include "tree_settings.h"

#include "base/output.h"

/* Reports the windows of the settings over all operands together. */
int report_windows(
	const struct settings *settings, struct output *output, char **operands, int count, struct stk_error *err);

/* The requested windows, in order; one of all times when there is none. How many. */
unsigned chosen_windows(const struct settings *settings, struct tree_interval windows[OPTION_TEXTS_MOST + 1]);

/* difference.c: each of the others with the first. Rules: findings raise the status. */
int report_difference(
	const struct settings *settings, struct output *output, char **operands, int count, struct stk_error *err);

#endif
