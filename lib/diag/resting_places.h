/* SPDX-License-Identifier: MIT
 * resting_places: where the threads of a pool stand as a habit. A thread that sleeps between two rounds of its work is
 * found in one place again and again, as is one that waits for work with a timeout; what it does there is no incident.
 * Memory grows with the pools and the places in which their threads stood without being known as idle. */
#ifndef DIAG_RESTING_PLACES_H
#define DIAG_RESTING_PLACES_H

#include <stdbool.h>
#include <stdint.h>

struct resting_places;

void resting_places_open(struct resting_places **out);
void resting_places_close(struct resting_places *places);

/* What was seen of a place. */
struct rest_counts {
	uint64_t samples;		/* threads, summed over dumps */
	uint64_t stays;			/* of one thread each */
};

enum habit_kind {
	HABIT_NONE,
	HABIT_OF_RETURNING,		/* its threads come there often, and stay as long */
	HABIT_OF_WAITING		/* they are hardly anywhere else, and always wait there for a time */
};

/* A thread of the pool stands there in a dump. begins: it did not in the dump before. timed: it will wake by itself. */
void resting_places_note(struct resting_places *places, uint32_t process, uint32_t pool, uint32_t place, bool begins,
			 bool timed);
/* In a dump the pool has so many threads, wherever they are. */
void resting_places_count(struct resting_places *places, uint32_t process, uint32_t pool, uint32_t threads);
/* What was seen so far. */
struct rest_counts resting_places_counts(const struct resting_places *places, uint32_t process, uint32_t pool,
					 uint32_t place);

/* Whether it is a habit of the pool to be there, so that a stay of `run` dumps is nothing. within: what was seen during
 * the incident that is judged, of which others may be part; it shows no habit. run 0: not by returning. chance: how
 * often such a stay may be expected by chance in what was seen, to be something. part: of the samples of the pool,
 * those that are there. */
enum habit_kind resting_places_habit(const struct resting_places *places, uint32_t process, uint32_t pool,
				     uint32_t place, uint64_t run, struct rest_counts within, double chance,
				     double *part);

#endif
