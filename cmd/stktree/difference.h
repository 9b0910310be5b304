/* SPDX-License-Identifier: MIT
 * difference: what is shown of a comparison. */
#ifndef STKTREE_DIFFERENCE_H
#define STKTREE_DIFFERENCE_H

#include "tree_settings.h"

#include "report/row_printer.h"
#include "timetree/comparison.h"

#define DIFFERENCE_NAMES_MOST 16
#define DIFFERENCE_SIDES_MOST (OPTION_TEXTS_MOST + 1)

/* A comparison that was counted. names: of the sides, as they were typed. */
struct difference_report {
	const struct settings *settings;
	struct comparison *comparison;
	struct recording *const *recordings;	/* of all sides */
	int recordings_count;
	const char *const *names;
	unsigned sides;
	bool share;
	struct printer *printer;
	struct row_printer rows;
	double growth[DIFFERENCE_SIDES_MOST];	/* of all samples, as a factor of those of the first side at the same
						 * length; 0: not known, or no more than chance */
	bool by_total;				/* a row was compared by its total */
	bool weighed;				/* there is a column of overweight */
	const char *columns[DIFFERENCE_NAMES_MOST];
	bool failed;				/* rows could not be written: why is in */
	struct stk_error failure;
};

/* difference_tables.c: functions, stacks, classes, pools, or callers and callees, by settings->compared. */
int report_difference_table(struct difference_report *r, struct stk_error *err);
/* Whether functions are compared by their totals too: where these changed more, the row says so. */
bool difference_shows_totals(const struct settings *s);
/* difference_tree.c: each function below its caller. */
int report_difference_tree(struct difference_report *r, struct stk_error *err);

/* difference_cells.c. The columns of all: before, values of the view, its last ones. "self", "total": a part of the samples in both sides;
 * for people with their unit. NULL-terminated. */
void difference_begin(struct difference_report *r, const char *const *for_people, const char *const *for_programs);
/* Begins a row, with its side where there are several. For programs, writes the rows before it. */
void difference_row(struct difference_report *r, const struct compared_row *row);
/* A count as part of its side. */
void difference_part(struct difference_report *r, const struct compared_row *row, unsigned side, uint64_t count);
/* The difference itself: delta, limits, mark. */
void difference_cells(struct difference_report *r, const struct compared_row *row);
/* For people, about units and marks, and about what was left out; writes all that is left. */
int difference_end(struct difference_report *r, const struct compared_row *all, size_t count, size_t left,
		   const char *one, const char *many, struct stk_error *err) STK_MUST_CHECK;

#endif
