/* SPDX-License-Identifier: MIT
 * level_changes: the places at which the level of a whole record changed, found when all of it is there: what a person
 * would mark in a picture of it. Order and size of values count, not their times. */
#ifndef TREND_LEVEL_CHANGES_H
#define TREND_LEVEL_CHANGES_H

#include "trend/level_chooser.h"

#include <stddef.h>

#define LEVEL_CHANGES_LEAST 12		/* values: of fewer nothing can be said */

struct level_rules {
	double limit;			/* scores of the levels beside which a change is judged; default 3.8 */
	double correlated;		/* with neighbours more alike it is raised, and lower ones are none; 0.5 */
};

extern const struct level_rules level_rules_usual;

struct level_change {
	size_t from;			/* the first value of the new level */
	double before, after;		/* means of the values from the change before it, and to the next one */
	double score;			/* from three statistics of Welch */
	double steps;			/* Welch's t of all values on both sides: the difference in standard errors */
};

/* The changes of count finite values, in their order, into *changes, which is freed by the caller. Returns how many
 * there are. A record that grows all the time has none. */
size_t level_changes_find(const double *values, size_t count, const struct level_rules *rules,
			  struct level_change **changes);

/* What is judged in a record, changes or not: for learning what people mark. As above, into *places. */
struct judged_place { size_t at; double figures[LEVEL_FIGURES]; };
size_t level_places_judge(const double *values, size_t count, const struct level_rules *rules,
			  struct judged_place **places);

/* The score of a change at `at` between the changes at `from` and `to`. */
double level_change_score(const double *values, size_t from, size_t at, size_t to);
/* How well the ranks of the first `at` values separate from those of the others: the z of Mann and Whitney. */
double rank_difference(const double *values, size_t count, size_t at);

#endif
