/* SPDX-License-Identifier: MIT
 * stkplot: the pictures. */
#ifndef STKPLOT_STKPLOT_H
#define STKPLOT_STKPLOT_H

#include "program/sample_choice.h"

struct plot_settings {
	const char *function; /* graph: NULL, the one with the highest counts */
	int64_t paths; /* graph: how many are listed */
	struct sample_choice choice; /* heat: which samples */
	bool samples; /* heat: count them, not their weights */
	int64_t cell_ns; /* heat: 0: the default */
	int64_t max_bytes; /* heat: of a page */
	const char *title; /* heat: NULL, made of the operands */
	bool text; /* heat: a page without raw bytes */
	const char *command; /* heat: of stktree, which gives the same numbers for the same operands */
};

/* Draw and return main's status. */
int draw_graph(const struct plot_settings *settings, char **operands, int count);
int draw_heat(const struct plot_settings *settings, char **operands, int count);

#endif
