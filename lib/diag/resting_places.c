/* SPDX-License-Identifier: MIT
 * resting_places: by process, pool and place. Two things make a habit. Either the threads come there often, and a stay
 * is as long as their stays are: these are taken to end with the same probability at each dump, as far as the others
 * tell. Or they only ever wait there for a time, and are hardly anywhere else. */
#include "diag/resting_places.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/text_table.h"

#include <math.h>

#define SAMPLES_LEAST 20	/* of the pool: before, nothing is known of its habits */
#define STAYS_LEAST   10	/* others than the one in question: for their usual length */
#define PART_OFTEN    0.25	/* of the pool's samples, when it comes and goes, */
#define PART_MOSTLY   0.75	/* and when it waits for a time */

struct resting_place {
	uint32_t process, pool, place;	/* place 0: of the pool, wherever its threads are */
	uint64_t samples, timed;
	uint64_t stays;
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

	of->samples++;
	of->timed += timed;
	of->stays += begins;
}

void
resting_places_count(struct resting_places *places, uint32_t process, uint32_t pool, uint32_t threads)
{
	find_or_add(places, process, pool, 0)->samples += threads;
}

/* How many stays of so many dumps the other ones let expect. */
static double
expected_stays(const struct resting_place *of, uint64_t run)
{
	double stays = (double)(of->stays - 1), dumps = (double)(of->samples > run ? of->samples - run : 0);

	return dumps <= stays ? 0 : stays * pow(1 - stays / dumps, (double)run - 1);
}

bool
resting_places_have(const struct resting_places *places, uint32_t process, uint32_t pool, uint32_t place, uint64_t run,
		    double chance, double *part)
{
	const struct resting_place *of = find(places, process, pool, place), *all = find(places, process, pool, 0);

	if (of == NULL || all == NULL || all->samples < SAMPLES_LEAST)
		return false;
	*part = (double)of->samples / (double)all->samples;
	if (of->timed == of->samples && *part >= PART_MOSTLY)
		return true;
	return *part >= PART_OFTEN && of->stays > STAYS_LEAST && expected_stays(of, run) > chance;
}
