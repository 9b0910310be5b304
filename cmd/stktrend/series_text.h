/* SPDX-License-Identifier: MIT
 * series_text: what people are shown of series: what they are called, amounts with their units, moments. */
#ifndef STKTREND_SERIES_TEXT_H
#define STKTREND_SERIES_TEXT_H

#include "report/row_printer.h"
#include "trend/series_set.h"

#define SERIES_FAIR 30		/* characters of a name that columns give way to */

/* --- what series are called --- */

/* Of classes and segments the frames that tell them apart; of groups and metrics their names. Those that are called the
 * same though they are not are numbered by the beginnings of their hashes. */
struct series_labels {
	const struct series_set *set;
	ARRAY(uint32_t) numbers;
	ARRAY(struct stk_text) labels;
	bool kinds;			/* they are of several */
	bool parts, alike;		/* ... and of several sources, pools, states, which alone tell some apart */
	bool hashes;			/* they have names that are not shown */
	bool threads, counted;		/* all of them count threads, or some */
	struct text_buffer stacks, room, more;
};

/* Zeroed: empty. Add series in the order of rows, as often as they are shown, then make the labels. */
void series_labels_add(struct series_labels *labels, const struct series_set *set, uint32_t number);
void series_labels_make(struct series_labels *labels);
void series_labels_release(struct series_labels *labels);

#define SERIES_NAMES 3	/* columns that they add at most: series, kind, part; hash last, by itself */

/* Adds the names of the columns of a series, for row_printer_begin, and returns how many. */
unsigned series_columns(const struct series_labels *labels, const char **names);
/* The values of these columns, for the i-th series that was added. */
void series_cells(const struct series_labels *labels, size_t i, struct row_printer *rows);
/* A name that --series and --explain take, with "*" after it. */
void series_hash_cell(const struct series_labels *labels, size_t i, struct row_printer *rows);

/* For programs: two values, its kind, and what it is about. */
void row_kind_and_about(const struct series *series, struct row_printer *rows);

/* A remark of where all are from, when that is one source, which no column says. */
void series_remark(const struct series_labels *labels, struct printer *to);

/* In a line of text: "heap.used@gc.log", "5c9a4e43585e8f05 (Thread.sleep < Shop.wait)". */
void add_series(const struct series *series, struct text_buffer *to);

/* STK_EUSAGE: an option names a series that is not there; where some would match as a part of their names, how to write
 * that. -1. */
int fail_no_series(const struct series_set *set, const char *option, const char *pattern, struct stk_error *err);

/* The zone that was fitted to its days: "the zone Europe/Berlin (one of 34 ...)", "a zone of +05:30 from UTC". */
void add_fitted_zone(const struct series *series, struct text_buffer *to);

/* --- amounts --- */

/* A value of a series: 4.0G bytes (powers of 1024), 12.5ms, 3.2/s, 17.6 threads. */
void add_amount(const struct series *series, double value, struct text_buffer *to);
/* Up to three digits and a letter for thousands. "-" for what is not known. */
void add_number(double value, struct text_buffer *to);
/* For people as above, with a + or - when it is a change; for programs as it is. */
void row_amount(struct row_printer *rows, const struct series *series, double value);
void row_change(struct row_printer *rows, const struct series *series, double value);
void row_number(struct row_printer *rows, double value);

/* What was found, without its kind: "from 3.2 to 8.9", "360M, expected 240M", "for 20m, 6 dumps". NULL: of a
 * thread. */
void add_finding(const struct series *series, const struct found_change *found, struct text_buffer *to);
/* It is a new level: before and after it count, and not the worst value. */
bool is_new_level(const struct found_change *found);

/* --- time --- */

/* "2026-11-20 23:54" */
void add_minute(int64_t time_ns, const struct time_zone *zone, struct text_buffer *to);
void row_minute(struct row_printer *rows, int64_t time_ns, const struct time_zone *zone);
/* "12 days" */
void add_distance(int64_t ns, struct text_buffer *to);

#endif
