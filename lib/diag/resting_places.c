/* SPDX-License-Identifier: MIT
 * resting_places: by process, pool and place. Two things make a habit. Either the threads come there often, and a stay
 * is as long as their stays are: these are taken to end with the same probability at each dump, as far as the others
 * tell. Or they only ever wait there for a time, and are hardly anywhere else. */
#include "diag/resting_places.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/text_table.h"

#include <math.h>

#define DUMPS_LEAST  20		/* with the pool: before, nothing is known of its habits */
#define STAYS_LEAST  10		/* at other times: for their usual length */
#define PART_OFTEN   0.25	/* of the pool's samples, when it comes and goes, */
#define PART_MOSTLY  0.75	/* and when it waits for a time */

struct resting_place {
	uint32_t process, pool, place;	/* place 0: of the pool, wherever its threads are */
	struct rest_counts seen;
	uint64_t timed;			/* samples that wait for a time */
	uint64_t dumps;			/* of place 0 */
};

struct resting_places {
	ARRAY(struct resting_place) list;
	struct hash_map by_key;		/* places in list, from 1 */
};

void
resting_places_open(struct resting_places **out)
{
	*out = mem_new(1, sizeof **out);
}

void
resting_places_close(struct resting_places *places)
{
	if (places == NULL)
		return;
	array_release(&places->list);
	hash_map_release(&places->by_key);
	free(places);
}

static uint64_t
hash_of(uint32_t process, uint32_t pool, uint32_t place)
{
	return hash_pair(hash_pair(process, pool), place);
}

static struct resting_place *
find(const struct resting_places *places, uint32_t process, uint32_t pool, uint32_t place)
{
	uint64_t hash = hash_of(process, pool, place);
	uint32_t at = hash_map_start(&places->by_key, hash), number;

	while ((number = hash_map_next(&places->by_key, hash, &at)) != 0) {
		struct resting_place *found = &places->list.at[number - 1];

		if (found->process == process && found->pool == pool && found->place == place)
			return found;
	}
	return NULL;
}

static struct resting_place *
find_or_add(struct resting_places *places, uint32_t process, uint32_t pool, uint32_t place)
{
	struct resting_place *of = find(places, process, pool, place);

	if (of != NULL)
		return of;
	of = array_push(&places->list);
	*of = (struct resting_place){ .process = process, .pool = pool, .place = place };
	hash_map_put(&places->by_key, hash_of(process, pool, place), (uint32_t)places->list.count);
	return of;
}

void
resting_places_note(struct resting_places *places, uint32_t process, uint32_t pool, uint32_t place, bool begins,
		    bool timed)
{
	struct resting_place *of = find_or_add(places, process, pool, place);

	of->seen.samples++;
	of->seen.stays += begins;
	of->timed += timed;
}

void
resting_places_count(struct resting_places *places, uint32_t process, uint32_t pool, uint32_t threads)
{
	struct resting_place *all = find_or_add(places, process, pool, 0);

	all->seen.samples += threads;
	all->dumps++;
}

struct rest_counts
resting_places_counts(const struct resting_places *places, uint32_t process, uint32_t pool, uint32_t place)
{
	const struct resting_place *of = find(places, process, pool, place);

	return of != NULL ? of->seen : (struct rest_counts){ 0 };
}

/* How many stays of so many dumps those at other times let expect. */
static double
expected_stays(struct rest_counts others, uint64_t run)
{
	double stays = (double)others.stays, dumps = (double)others.samples;

	return dumps <= stays ? 0 : stays * pow(1 - stays / dumps, (double)run - 1);
}

enum habit_kind
resting_places_habit(const struct resting_places *places, uint32_t process, uint32_t pool, uint32_t place,
		     uint64_t run, struct rest_counts within, double chance, double *part)
{
	const struct resting_place *of = find(places, process, pool, place), *all = find(places, process, pool, 0);
	struct rest_counts others;

	if (of == NULL || all == NULL || all->dumps < DUMPS_LEAST)
		return HABIT_NONE;
	*part = (double)of->seen.samples / (double)all->seen.samples;
	others = (struct rest_counts){ of->seen.samples - within.samples, of->seen.stays - within.stays };
	if (run > 0 && *part >= PART_OFTEN && others.stays >= STAYS_LEAST && expected_stays(others, run) > chance)
		return HABIT_OF_RETURNING;
	return of->timed == of->seen.samples && *part >= PART_MOSTLY ? HABIT_OF_WAITING : HABIT_NONE;
}
