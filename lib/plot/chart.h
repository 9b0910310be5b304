/* SPDX-License-Identifier: MIT
 * chart: curves over time, before they are drawn: panels with one time axis, which is cut into columns of equal
 * length. A value of a column that nobody knows is NAN. Texts are in the chart's arena. */
#ifndef PLOT_CHART_H
#define PLOT_CHART_H

#include "base/arena.h"
#include "base/array.h"
#include "base/text_buffer.h"
#include "base/time_math.h"
#include "base/time_text.h"
#include "plot/palette.h"

#include <stdbool.h>
#include <stdint.h>

#define CHART_COLUMNS 960u	/* at most: more than a screen has pixels to tell apart */
#define CHART_FILLS   ((unsigned)PALETTE_GROUPS)	/* the first eight are told apart, the others are hatched */
#define CHART_OTHER   CHART_FILLS	/* the colour of what is not kept apart */

enum chart_role {
	CHART_AREA,		/* one of several that are stacked, the first at the bottom */
	CHART_MEASURED,		/* what was seen */
	CHART_EXPECTED,		/* what was, or is, expected; the panel has its interval */
	CHART_LEVEL		/* without the season */
};

struct chart_line { enum chart_role role; struct stk_text name, say; unsigned colour; double *at; };

/* Something at a moment, or from one to another. */
struct chart_mark { int64_t from_ns, until_ns; struct stk_text what, say; };
struct chart_span { int64_t from_ns, to_ns; uint32_t lane; struct stk_text say; };

/* A row of a tree: how much there was of it, as shades. */
struct chart_row {
	struct stk_text name, frames;
	unsigned depth;
	uint64_t total, now, own;
	int64_t since_ns;
	double *at;
	double most;			/* of at */
};

struct chart_panel {
	struct stk_text name, say;	/* say: one sentence about it */
	bool part;			/* of the panels before it: small, with their colours and legend */
	const char *unit;		/* "threads", "bytes"; powers of 1024 for bytes */
	ARRAY(struct chart_line) lines;
	double *low, *high;		/* of CHART_EXPECTED; NULL: none */
	double limit;			/* NAN: none */
	struct stk_text limit_say;
	int64_t reached_ns, earliest_ns, latest_ns;	/* the limit; STK_TIME_UNKNOWN */
	double now;			/* where the line to the limit begins, with the last column that was seen */
	ARRAY(struct chart_mark) marks;
	ARRAY(struct stk_text) lanes;
	ARRAY(struct chart_span) spans;
	ARRAY(struct chart_row) rows;
};

struct chart {
	struct stk_text title, answer;	/* answer: what a stranger should see first */
	const char *kind;		/* "trend", "groups", "classes" */
	int64_t begin_ns, column_ns;
	unsigned columns, seen;		/* columns from `seen` on are to come; */
	unsigned foreseen;		/* from here on only limits are reached: small pictures end here */
	const struct time_zone *zone;	/* NULL: UTC */
	const char *zone_name;		/* "" */
	bool monotonic;			/* times count from an unknown start */
	enum palette palette;
	const char *command;		/* that gives the same numbers */
	ARRAY(struct chart_panel) panels;
	ARRAY(struct stk_text) notes;	/* what is left out, and the like: a sentence each */
	struct arena arena;
};

void chart_release(struct chart *chart);		/* a zeroed one is empty */

/* The axis: steps of step_ns from begin to end, as many to a column as make it at most CHART_COLUMNS. */
void chart_set_axis(struct chart *chart, int64_t begin_ns, int64_t end_ns, int64_t step_ns);
static inline int64_t
chart_end_ns(const struct chart *chart)
{
	return time_sum(chart->begin_ns, time_product(chart->column_ns, chart->columns));
}
/* The column of a moment; chart->columns when it has none. */
unsigned chart_column(const struct chart *chart, int64_t time_ns);
/* Values of all columns, NAN or 0. */
double *chart_values(struct chart *chart, double value);

struct stk_text chart_text(struct chart *chart, struct stk_text text);	/* a copy */
struct stk_text chart_take(struct chart *chart, struct text_buffer *text);	/* a copy, and the buffer is empty */
struct chart_panel *chart_panel(struct chart *chart, struct stk_text name, const char *unit);
struct chart_line *chart_line(struct chart *chart, struct chart_panel *panel, enum chart_role role,
			      struct stk_text name);
void chart_note(struct chart *chart, const char *format, ...) STK_PRINTF(2, 3);

/* The mean of the values of columns from..to - 1 that are known; NAN: none is. */
double chart_mean(const double *at, unsigned from, unsigned to);
/* The column at which the mean changes most, by what the two parts explain: *gain, half of it for a decrease, so that
 * one is reported only if no increase is half as large. 0: nowhere. */
unsigned chart_change(const double *at, unsigned columns, double *gain);
/* What the panel's axis ends with: a round number above all values and, if it is not far, the limit. */
double chart_top(const struct chart_panel *panel, unsigned columns);
bool chart_is_stacked(const struct chart_panel *panel);

/* "12.3", "4.0G", "0.05": three digits, with a letter for powers of 1024 (bytes) or of 1000. */
void chart_add_number(struct text_buffer *to, double value, const char *unit);
/* "2026-11-20 23:54", or of a chart without dates "12.5 s". */
void chart_add_moment(struct text_buffer *to, const struct chart *chart, int64_t time_ns);
/* Where an axis has its ticks: round moments in the chart's zone, at most `most`, from the first on. */
struct chart_tick { int64_t time_ns; char text[24]; };
unsigned chart_ticks(const struct chart *chart, struct chart_tick *to, unsigned most);

#endif
