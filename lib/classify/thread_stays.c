/* SPDX-License-Identifier: MIT
 * thread_stays: how often a thread of a class is still in it one dump later. */
#include "classify/thread_stays.h"

#include "base/array.h"
#include "base/hash_map.h"

#include <math.h>

#define ERRORS_LEAST 2	/* standard errors by which more threads stay than come back, or a stay is short */

struct place { uint64_t thread; uint32_t class, number; };	/* number: of the place in its dump */
struct places { struct place *at; size_t count, room; };

struct source {
	struct places places;		/* of its last dump */
	struct hash_map by_thread;	/* to places, counted from 1 */
	struct places gone;		/* of the dump before, which the last one does not have */
};

struct thread_stays {
	struct places noted, before;	/* before: room for the dump before that at hand */
	ARRAY(struct source) sources;
	ARRAY(struct stay_counts) counts;	/* by class */
};

void
thread_stays_open(struct thread_stays **out)
{
	*out = mem_new(1, sizeof **out);
}

void
thread_stays_close(struct thread_stays *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->sources.count; i++) {
		array_release(&s->sources.at[i].places);
		array_release(&s->sources.at[i].gone);
		hash_map_release(&s->sources.at[i].by_thread);
	}
	array_release(&s->sources);
	array_release(&s->noted);
	array_release(&s->before);
	array_release(&s->counts);
	free(s);
}

void
thread_stays_note(struct thread_stays *s, uint64_t thread, uint32_t class)
{
	uint32_t number = (uint32_t)s->noted.count;

	*array_push(&s->noted) = (struct place){ thread, class, number };
}

void
thread_stays_discard(struct thread_stays *s)
{
	s->noted.count = 0;
}

/* Most dumps have the threads of the one before, in the same order: first we look at the same place. */
static uint32_t
class_now(const struct source *source, const struct place *then)
{
	uint64_t thread = then->thread;
	uint32_t at = hash_map_start(&source->by_thread, thread), id;

	if (then->number < source->places.count && source->places.at[then->number].thread == thread)
		return source->places.at[then->number].class;
	while ((id = hash_map_next(&source->by_thread, thread, &at)) != 0)
		if (source->places.at[id - 1].thread == thread)
			return source->places.at[id - 1].class;
	return 0;
}

static bool
has_same_threads(const struct places *a, const struct places *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->at[i].thread != b->at[i].thread)
			return false;
	return true;
}

static void
swap_places(struct places *a, struct places *b)
{
	struct places was = *a;

	*a = *b;
	*b = was;
}

/* What was noted becomes the source's last dump. A thread that was noted twice counts where it was first. */
static void
keep_noted(struct thread_stays *s, struct source *source)
{
	source->places.count = 0;
	hash_map_clear(&source->by_thread);
	for (size_t i = 0; i < s->noted.count; i++) {
		struct place place = s->noted.at[i];

		if (class_now(source, &place) != 0)
			continue;
		place.number = (uint32_t)source->places.count;
		*array_push(&source->places) = place;
		hash_map_put(&source->by_thread, place.thread, (uint32_t)source->places.count);
	}
	s->noted.count = 0;
}

static struct stay_counts *
counts_of(struct thread_stays *s, uint32_t class)
{
	array_lengthen(&s->counts, class + 1u);
	return &s->counts.at[class];
}

/* Those that had left one dump ago. */
static void
count_returns(struct thread_stays *s, const struct source *now)
{
	for (size_t i = 0; i < now->gone.count; i++) {
		struct stay_counts *counts = counts_of(s, now->gone.at[i].class);

		counts->gone++;
		counts->returned += class_now(now, &now->gone.at[i]) == now->gone.at[i].class;
	}
}

static void
count_stays(struct thread_stays *s, struct source *now, const struct places *before)
{
	now->gone.count = 0;
	for (size_t i = 0; i < before->count; i++) {
		struct stay_counts *counts = counts_of(s, before->at[i].class);
		bool stays = class_now(now, &before->at[i]) == before->at[i].class;

		counts->followed++;
		counts->stayed += stays;
		if (!stays)
			*array_push(&now->gone) = before->at[i];
	}
}

void
thread_stays_end_dump(struct thread_stays *s, uint32_t source)
{
	struct source *now;

	array_lengthen(&s->sources, source + 1u);
	now = &s->sources.at[source];
	swap_places(&now->places, &s->before);
	if (has_same_threads(&s->noted, &s->before)) {	/* at the same places, and so by_thread is right */
		swap_places(&now->places, &s->noted);
		s->noted.count = 0;
	} else
		keep_noted(s, now);
	count_returns(s, now);
	count_stays(s, now, &s->before);
}

struct stay_counts
thread_stays_of(const struct thread_stays *s, uint32_t class)
{
	return class < s->counts.count ? s->counts.at[class] : (struct stay_counts){ 0 };
}

bool
thread_stays_last(const struct thread_stays *s, uint32_t source, size_t number, uint64_t *thread, uint32_t *class)
{
	if (source >= s->sources.count || number >= s->sources.at[source].places.count)
		return false;
	*thread = s->sources.at[source].places.at[number].thread;
	*class = s->sources.at[source].places.at[number].class;
	return true;
}

bool
thread_stays_gone(const struct thread_stays *s, uint32_t source, size_t number, uint64_t *thread, uint32_t *class)
{
	if (source >= s->sources.count || number >= s->sources.at[source].gone.count)
		return false;
	*thread = s->sources.at[source].gone.at[number].thread;
	*class = s->sources.at[source].gone.at[number].class;
	return true;
}

size_t
thread_stays_bytes(const struct thread_stays *s)
{
	size_t bytes = (s->noted.room + s->before.room) * sizeof *s->noted.at + s->counts.room * sizeof *s->counts.at;

	for (size_t i = 0; i < s->sources.count; i++)
		bytes += (s->sources.at[i].places.room + s->sources.at[i].gone.room) * sizeof(struct place) +
			 hash_map_bytes(&s->sources.at[i].by_thread);
	return bytes;
}

void
thread_stays_restore(struct thread_stays *s, uint32_t class, struct stay_counts counts)
{
	array_lengthen(&s->counts, class + 1u);
	s->counts.at[class] = counts;
}

void
thread_stays_restore_last(struct thread_stays *s, uint32_t source)
{
	array_lengthen(&s->sources, source + 1u);
	keep_noted(s, &s->sources.at[source]);
}

void
thread_stays_restore_gone(struct thread_stays *s, uint32_t source, uint64_t thread, uint32_t class)
{
	array_lengthen(&s->sources, source + 1u);
	*array_push(&s->sources.at[source].gone) = (struct place){ .thread = thread, .class = class };
}

/* What of those that were seen did the same, as if there had been one more of each kind: never certain. */
struct share { double is, variance; };

static struct share
careful_share(uint64_t part, uint64_t whole)
{
	double is = ((double)part + 1) / ((double)whole + 2);

	return (struct share){ is, is * (1 - is) / ((double)whole + 2) };
}

/* The mean stay, when of those that were in the class `leaves` are not in it one dump later, of those that were not in
 * it `returns` are, and 1 - leaves - returns is `rest`. A thread leaves at the rate u and comes back at v: seen h
 * apart, leaves and returns are u / (u + v) and v / (u + v) of 1 - exp(-(u + v) h). */
static double
stay_between(double leaves, double returns, double rest, double interval_ns)
{
	return -interval_ns * (leaves + returns) / (leaves * log(rest));
}

/* The longest mean stay with which those that left and came back are still no more than chance. */
static double
longest_stay(struct stay_counts counts, double interval_ns)
{
	struct share leaves = careful_share(counts.followed - counts.stayed, counts.followed),
		     returns = careful_share(counts.returned, counts.gone);
	double rest = fmax(0, 1 - leaves.is - returns.is) + ERRORS_LEAST * sqrt(leaves.variance + returns.variance);

	return rest >= 1 ? INFINITY : stay_between(leaves.is, returns.is, rest, interval_ns);
}

double
mean_stay(struct stay_counts counts, double interval_ns)
{
	double stays, leaves, returns, rest, error;

	if (counts.stayed == 0 || counts.followed == 0)
		return 0;
	stays = (double)counts.stayed / (double)counts.followed;
	leaves = 1 - stays;
	returns = counts.gone == 0 ? 0 : (double)counts.returned / (double)counts.gone;
	if (leaves <= 0)
		return INFINITY;
	rest = stays - returns;
	error = sqrt(stays * leaves / (double)counts.followed +
		     (counts.gone == 0 ? 0 : returns * (1 - returns) / (double)counts.gone));
	/* when most of those that left are back, their stays end in ways that no dump shows */
	if (counts.returned > counts.gone / 2 || (counts.returned > 0 && rest < ERRORS_LEAST * error))
		return longest_stay(counts, interval_ns) <= interval_ns ? 0 : NAN;
	return stay_between(leaves, returns, rest, interval_ns);
}
