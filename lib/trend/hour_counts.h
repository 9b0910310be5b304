/* SPDX-License-Identifier: MIT
 * hour_counts: how many threads each class had in the dumps of every hour, and the least and the mean of each metric:
 * what a heap is explained by. Sources are apart, by number. Rows may come in any order of time. */
#ifndef TREND_HOUR_COUNTS_H
#define TREND_HOUR_COUNTS_H

#include "base/array.h"

#define HOUR_COUNTS_DAYS 60 /* that a state keeps */

#include <stdbool.h>
#include <stdint.h>

/* Sums over every second dump of an hour, and over the others. */
struct hour_cell {
	int64_t hour;
	float odd, even;
};
struct hour_measures {
	int64_t hour;
	double least, sum;
	double count; /* in the sum; 0: a state kept the least alone */
};
struct hour_cells {
	struct hour_cell *at;
	size_t count, room;
};
struct hours_of_metric {
	struct hour_measures *at;
	size_t count, room;
};

struct hour_counts;

struct hour_counts *hour_counts_open(void);
void hour_counts_close(struct hour_counts *counts); /* NULL does nothing */

/* A dump of a source; then what it had, a series at a time. */
void hour_counts_dump(struct hour_counts *counts, uint32_t source, int64_t time_ns);
void hour_counts_add(struct hour_counts *counts, uint32_t series, double amount);
void hour_counts_measure(struct hour_counts *counts, uint32_t series, int64_t time_ns, double value);
/* Adds what a state kept: threads of a series in the odd or the even dumps of an hour; of series 0: the dumps. */
void hour_counts_restore(struct hour_counts *counts, uint32_t source, uint32_t series, const struct hour_cell *cell);
/* The same of a metric: its least, or what its sum and the number of its measures are more. */
void hour_counts_restore_measures(struct hour_counts *counts, uint32_t series, const struct hour_measures *kept);
/* Drops what is older than HOUR_COUNTS_DAYS before the latest dump. */
void hour_counts_forget(struct hour_counts *counts);

/* The dumps of a source by hour; NULL: it had none. */
const struct hour_cells *hour_counts_dumps(const struct hour_counts *counts, uint32_t source);
uint32_t hour_counts_sources(const struct hour_counts *counts); /* numbers are below */
/* The threads of a series in the dumps of a source; the measures of a metric. NULL: there are none. */
const struct hour_cells *hour_counts_of(const struct hour_counts *counts, uint32_t source, uint32_t series);
const struct hours_of_metric *hour_counts_measures(const struct hour_counts *counts, uint32_t series);

#endif
