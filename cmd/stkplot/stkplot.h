/* SPDX-License-Identifier: MIT
 * stkplot: the pictures. */
#ifndef STKPLOT_STKPLOT_H
#define STKPLOT_STKPLOT_H

#include "program/sample_choice.h"

enum plot_kind {
	PLOT_FLAME, PLOT_ICICLE, PLOT_DIFF, PLOT_HEAT, PLOT_STATES, PLOT_LOCKS, PLOT_REPORT, PLOT_GRAPH,
	PLOT_TREND, PLOT_GROUPS, PLOT_CLASSES, PLOT_TOP, PLOT_ROWS
};

static inline bool
is_of_threads(enum plot_kind kind)
{
	return kind == PLOT_STATES || kind == PLOT_LOCKS;
}

struct plot_settings {
	const char *function;		/* graph: NULL, the one with the highest counts */
	int64_t paths;			/* graph: how many are listed */
	const char *source;		/* graph: the folder of the source; NULL: this one */
	struct sample_choice choice;	/* which samples; not of a graph */
	bool samples;			/* count them, not their weights */
	const char *by;			/* keys that paths begin with; NULL */
	const char *scheme;		/* whose groups colour frames; NULL */
	const char *with;		/* diff: one file or window; NULL */
	struct option_lists others;	/* diff: files and windows of the second side, or two windows */
	int palette;			/* enum palette */
	int shares;			/* diff: of samples, not samples a second; as --rate chose */
	const char *rules;		/* states, locks, report: a file of thresholds; NULL */
	const char *title;		/* NULL: made of the operands */
	const char *command;		/* of stktree or stkdiag, which gives the same numbers; of diff in shares */
	const char *selection;		/* the options and operands of it, without times */
	int64_t cell_ns;		/* heat, top: 0: the default */
	int64_t max_bytes;		/* of a page; 0: the default */
	bool text;			/* a page without raw bytes */
	bool beside;			/* heat: fine cells in a file beside the page */
};

/* Draw and return main's status. */
int draw_graph(const struct plot_settings *settings, char **operands, int count);
int draw_rows(const struct plot_settings *settings, char **operands, int count);
int draw_flame(const struct plot_settings *settings, enum plot_kind kind, char **operands, int count);
int draw_threads(const struct plot_settings *settings, enum plot_kind kind, char **operands, int count);
int draw_report(const struct plot_settings *settings, char **operands, int count);
int draw_chart(const struct plot_settings *settings, enum plot_kind kind, char **operands, int count);
int draw_diff(const struct plot_settings *settings, char **operands, int count);
int draw_top(const struct plot_settings *settings, char **operands, int count);
int draw_heat(const struct plot_settings *settings, char **operands, int count);

#endif
