/* SPDX-License-Identifier: MIT
 * watched_counts: the counts of a set's classes and segments, dump by dump, under a watch for each clock; and which of
 * what is found belongs together. */
#ifndef TREND_WATCHED_COUNTS_H
#define TREND_WATCHED_COUNTS_H

#include "trend/count_watch.h"

struct series_set;

#define ALL_THREADS "all threads" /* what a finding of them is of */

struct clock_watch {
	struct count_watch watch;
	ARRAY(uint32_t) series; /* by place: its number in the set; 0: all threads */
	uint32_t whole; /* place of all threads, plus 1; 0: there is none */
	double dumps; /* of the moment at hand */
};

struct watched_counts {
	ARRAY(struct clock_watch) clocks;
	int64_t moment_ns; /* at hand; STK_TIME_UNKNOWN: none is */
	bool late; /* rows at hand are older than that: they are not watched */
	ARRAY(struct count_finding) found; /* in the dump at hand, of the series with that number */
};

void watched_counts_release(struct watched_counts *counts);

/* Another moment: the one before it is over. */
void watched_counts_come_to(struct series_set *set, int64_t time_ns);
void watched_counts_tick(struct series_set *set, uint32_t clock);
void watched_counts_add(struct series_set *set, uint32_t series, double amount);
/* The moment at hand is over. */
void watched_counts_end(struct series_set *set);
/* A series begins as a copy of another one. */
void watched_counts_copy(struct series_set *set, uint32_t from, uint32_t to);
/* Whether the watch of a series tells of it, so that nothing else need. */
bool watched_counts_tell(const struct series_set *set, uint32_t series);
/* The watch of a clock, made when it is new, and the place of a series in it. */
struct clock_watch *watched_counts_clock(struct series_set *set, uint32_t clock);
uint32_t watched_counts_place(struct series_set *set, uint32_t series);
/* The whole of a clock has a place, too. */
uint32_t watched_counts_whole(struct series_set *set, uint32_t clock);

#endif
