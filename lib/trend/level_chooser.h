/* SPDX-License-Identifier: MIT
 * level_chooser: which of the places at which a level may have changed people would mark: a logistic regression of
 * figures of each place, whose weights scripts/fit-changes learns from series that people marked. Pure computation. */
#ifndef TREND_LEVEL_CHOOSER_H
#define TREND_LEVEL_CHOOSER_H

#include <stdbool.h>
#include <stddef.h>

#define LEVEL_FIGURES 15
#define CLEAR_COUNTS  3

struct level_candidate {
	size_t at;			/* the first value of the new level */
	double clear;			/* the limit of scores up to which it is kept, beside the others that are */
};

/* A record, and the candidates in it in their order. */
struct level_record {
	const double *x;
	size_t count;
	const struct level_candidate *candidates;
	size_t candidate_count;
	/* filled by level_record_begin() */
	double limit;			/* candidates as clear as this are kept for now */
	double squares;			/* of all values about their mean */
	double spread;			/* standard deviation about the levels between those that are kept */
	double alike;			/* how alike neighbouring values are about them: 0 to 0.95 */
	double clearest;
	double counts[CLEAR_COUNTS];	/* logarithms of 1 and those as clear as three limits */
};

/* Measures a record whose first four members are filled, with the candidates as clear as the limit as its levels. */
void level_record_begin(struct level_record *r, double limit);
/* How alike neighbours of a record are once those levels are taken away. */
double level_record_alike(const struct level_record *r, double limit);
/* The places of the nearest ones that are kept, or the ends of the record. */
size_t level_kept_before(const struct level_record *r, size_t candidate);
size_t level_kept_after(const struct level_record *r, size_t candidate);
/* The figures of a candidate beside those that are kept. */
void level_record_figures(const struct level_record *r, size_t candidate, double figures[LEVEL_FIGURES]);
/* The chance that somebody would mark a place with such figures; worth_marking: whether it is high enough. */
double level_chance(const double figures[LEVEL_FIGURES]);
bool is_worth_marking(double chance);

/* Welch's t of count values before and after a place, or all that there are. */
double level_step(const double *x, size_t from, size_t at, size_t to, size_t most);

#endif
