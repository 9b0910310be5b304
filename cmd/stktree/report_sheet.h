/* SPDX-License-Identifier: MIT
 * report_sheet: the rows of a report. For programs they begin with their window where there are several; people read
 * the window in the heading. */
#ifndef STKTREE_REPORT_SHEET_H
#define STKTREE_REPORT_SHEET_H

#include "tree_reports.h"

#include "report/row_printer.h"

#define SHEET_NAMES_MOST 13

struct sheet {
	struct row_printer rows;
	const char *names[SHEET_NAMES_MOST];
	struct text_buffer header;	/* a name with a unit in it */
	bool time;			/* amounts are nanoseconds */
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];
	bool windows;
	bool failed;			/* rows could not be written: why is in */
	struct stk_error failure;
};

#define NO_FRAMES "(no frames)"	/* in place of a function: samples of threads without a stack */
#define UNIT "{unit}"		/* in a name: what is counted */

/* The names are those of the form that is asked for; one of them may have UNIT in it. */
void sheet_begin(struct sheet *sheet, const struct window_report *report, const char *const *for_people,
		 const char *const *for_programs);
/* Before the values of each row. Rows for programs are written as they come. */
void sheet_row(struct sheet *sheet);
/* What a row has: for people, time as durations. */
void sheet_amount(struct sheet *sheet, uint64_t amount);
/* A part of a whole: for people in percent, else the share itself. */
void sheet_share(struct sheet *sheet, uint64_t part, uint64_t whole);

/* Prints what is left. -1: the output failed. */
int sheet_end(struct sheet *sheet, struct stk_error *err) STK_MUST_CHECK;
/* The least and the most that a count can be; nothing where counts have no bounds. What is left out is no count of one
 * stack or function: there it is what one can have of it. */
void sheet_bounds(struct sheet *sheet, const struct window_report *report, struct bounded_count count);
/* Of the self and the total of a node of the call tree; the row ends with them. */
void sheet_node_bounds(struct sheet *sheet, const struct window_report *report, uint32_t node);
/* After all else of a row: where counts have bounds, how much of the window they cover. */
void sheet_coverage(struct sheet *sheet, const struct window_report *report);
struct bounded_count bounds_left_out(const struct window_report *report, uint64_t count, bool of_stack);

/* How many of the rows --top lets through. */
size_t rows_shown(const struct settings *settings, size_t count);
/* Whether --min leaves a part out; what is nothing always is. */
bool is_small(const struct settings *settings, uint64_t part, uint64_t whole);
/* The same where a count may be estimated: a row is also for what `possible` says can be there. */
bool is_small_within(const struct window_report *report, uint64_t part, uint64_t possible, uint64_t whole);

/* Of `all` rows, --min lets `large` through, and --top `shown` of these. */
struct left_out_rows { size_t shown, large, all; const char *one, *many; };
/* A remark for people on rows that are left out. -1: the output failed. */
int remark_left_out(const struct window_report *report, struct left_out_rows rows,
		    struct stk_error *err) STK_MUST_CHECK;

#endif
