/* SPDX-License-Identifier: MIT
 * thread_stays: how often a thread of a class is still in it one dump later. */
#include "classify/thread_stays.h"

#include "base/array.h"
#include "base/hash_map.h"

#include <math.h>

struct place { uint64_t thread; uint32_t class; };

struct source {
	ARRAY(struct place) places;	/* of its last dump */
	struct hash_map by_thread;	/* to places, counted from 1 */
};

struct thread_stays {
	ARRAY(struct place) noted;
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
		hash_map_release(&s->sources.at[i].by_thread);
	}
	array_release(&s->sources);
	array_release(&s->noted);
	array_release(&s->counts);
	free(s);
}

void
thread_stays_note(struct thread_stays *s, uint64_t thread, uint32_t class)
{
	*array_push(&s->noted) = (struct place){ thread, class };
}

void
thread_stays_discard(struct thread_stays *s)
{
	s->noted.count = 0;
}

static uint32_t
class_before(const struct source *source, uint64_t thread)
{
	uint32_t at = hash_map_start(&source->by_thread, thread), id;

	while ((id = hash_map_next(&source->by_thread, thread, &at)) != 0)
		if (source->places.at[id - 1].thread == thread)
			return source->places.at[id - 1].class;
	return 0;
}

static void
count_stays(struct thread_stays *s, const struct source *before)
{
	for (size_t i = 0; i < before->places.count; i++) {
		array_lengthen(&s->counts, before->places.at[i].class + 1u);
		s->counts.at[before->places.at[i].class].followed++;
	}
	for (size_t i = 0; i < s->noted.count; i++)
		if (class_before(before, s->noted.at[i].thread) == s->noted.at[i].class)
			s->counts.at[s->noted.at[i].class].stayed++;
}

/* What was noted becomes the source's last dump. A thread that was noted twice counts where it was first. */
static void
keep_noted(struct thread_stays *s, struct source *source)
{
	source->places.count = 0;
	hash_map_clear(&source->by_thread);
	for (size_t i = 0; i < s->noted.count; i++) {
		if (class_before(source, s->noted.at[i].thread) != 0)
			continue;
		*array_push(&source->places) = s->noted.at[i];
		hash_map_put(&source->by_thread, s->noted.at[i].thread, (uint32_t)source->places.count);
	}
	s->noted.count = 0;
}

void
thread_stays_end_dump(struct thread_stays *s, uint32_t source)
{
	array_lengthen(&s->sources, source + 1u);
	count_stays(s, &s->sources.at[source]);
	keep_noted(s, &s->sources.at[source]);
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

size_t
thread_stays_bytes(const struct thread_stays *s)
{
	size_t bytes = s->noted.room * sizeof *s->noted.at + s->counts.room * sizeof *s->counts.at;

	for (size_t i = 0; i < s->sources.count; i++)
		bytes += s->sources.at[i].places.room * sizeof *s->sources.at[i].places.at +
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

double
mean_stay(struct stay_counts counts, double interval_ns)
{
	double rest;

	if (counts.stayed == 0 || counts.followed == 0)
		return 0;
	rest = (double)counts.stayed / (double)counts.followed;
	return rest >= 1 ? INFINITY : -interval_ns / log(rest);
}
