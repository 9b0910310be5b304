/* SPDX-License-Identifier: MIT
 * classifier_counts: what a dump had of each class, and from it of each segment. */
#include "base/text_table.h"
#include "classify/classifier_inside.h"

#include <stdlib.h>

void
classifier_count(struct classifier *c, const uint32_t *classes, const uint64_t *times, size_t count)
{
	uint64_t *counts = c->counts.at;

	for (size_t i = 0; i < count; i++) {
		uint32_t class = classes[i];

		if (class == 0)
			continue;
		if (counts[class] == 0 && times[i] > 0)
			*array_push(&c->counted) = class;
		counts[class] += times[i];
	}
}

uint64_t
classifier_pending(const struct classifier *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->counted.count; i++)
		sum += hash_pair(c->classes.at[c->counted.at[i] - 1].name, c->counts.at[c->counted.at[i]]);
	return sum;
}

void
classifier_discard(struct classifier *c)
{
	for (size_t i = 0; i < c->counted.count; i++)
		c->counts.at[c->counted.at[i]] = 0;
	c->counted.count = 0;
}

const struct number_list *
classifier_walk(struct classifier *c, uint32_t class)
{
	segment_walk(&c->walk, c->segments, classifier_signature(c, class), c->classes.at[class - 1].nodes);
	return &c->walk.met;
}

void
classifier_visit(struct classifier *c, uint32_t class, void (*visit)(void *context, uint32_t segment), void *context)
{
	const struct number_list *met = classifier_walk(c, class);

	for (size_t i = 0; i < met->count; i++)
		visit(context, met->at[i]);
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int
by_part_and_id(const void *a, const void *b)
{
	const struct measure *x = a, *y = b;

	return x->part != y->part ? (x->part > y->part) - (x->part < y->part) : (x->id > y->id) - (x->id < y->id);
}

static void
tick(struct classifier *c, uint32_t clock)
{
	if (!c->clocks.at[clock].ticked)
		c->clocks.at[clock].ticks++;
	c->clocks.at[clock].ticked = true;
}

static void
tick_clocks(struct classifier *c, uint32_t clock)
{
	/* of those of one part, the first is enough */
	size_t count = c->parts.count == 1 && c->counted.count > 1 ? 1 : c->counted.count;

	array_lengthen(&c->clocks, clock + 1);
	tick(c, clock);
	for (size_t i = 0; i < count; i++)
		tick(c, c->parts.at[c->classes.at[c->counted.at[i] - 1].part].clock);
	c->clocks.at[clock].ticked = false;
	for (size_t i = 0; i < count; i++)
		c->clocks.at[c->parts.at[c->classes.at[c->counted.at[i] - 1].part].clock].ticked = false;
}

static void
measure_class(struct classifier *c, uint32_t id, int64_t time_ns)
{
	struct class *class = &c->classes.at[id - 1];
	uint64_t ticks = c->clocks.at[c->parts.at[class->part].clock].ticks;

	class->now = c->counts.at[id];
	class->total += class->now;
	time_range_add(&class->seen, time_ns);
	*array_push(&c->class_measures) = (struct measure){
		.id = id, .part = class->part, .now = class->now, .total = class->total, .dumps = ticks - class->tick
	};
	class->tick = ticks;
}

/* The segments that were summed, by number: when they are a large part of all, it is faster to go through all. */
static void
sort_touched(struct classifier *c)
{
	uint32_t count = segments_count(c->segments);

	if (c->trace.count == 0)
		return;
	if (c->trace.count < count / 16) {
		qsort(c->trace.at, c->trace.count, sizeof *c->trace.at, by_number);
		return;
	}
	c->trace.count = 0;
	for (uint32_t segment = 1; segment <= count; segment++)
		if (c->sums.at[segment] != 0)
			*array_push(&c->trace) = segment;
}

/* Adds what the classes [from, to) of one part counted to the segments that they hold; c->trace has these segments. */
static void
sum_segments(struct classifier *c, size_t from, size_t to)
{
	c->trace.count = 0;
	array_lengthen(&c->sums, segments_count(c->segments) + 1u);
	for (size_t i = from; i < to; i++) {
		uint64_t now = c->class_measures.at[i].now;
		const struct number_list *met = classifier_walk(c, c->class_measures.at[i].id);

		for (size_t k = 0; k < met->count; k++) {
			if (c->sums.at[met->at[k]] == 0)
				*array_push(&c->trace) = met->at[k];
			c->sums.at[met->at[k]] += now;
		}
	}
	sort_touched(c);
}

/* Parents have lower numbers than their children, so going up gives a new child what its parent had before this dump
 * only when children go first. */
static void
measure_segments(struct classifier *c, uint32_t part)
{
	uint64_t ticks = c->clocks.at[c->parts.at[part].clock].ticks;
	size_t first = c->segment_measures.count, count = c->trace.count;

	array_reserve(&c->segment_measures, count);
	c->segment_measures.count += count;
	for (size_t i = count; i-- > 0; ) {
		uint32_t segment = c->trace.at[i], id = classifier_tally_number(c, segment, part);
		struct tally *tally;

		if (id == 0) {
			const struct tally inherited = classifier_tally(c, segment, part);

			id = segment_tallies_add(&c->tallies, segment, part, &inherited);
		}
		tally = segment_tallies_at(&c->tallies, id);
		tally->now = c->sums.at[segment];
		tally->total += tally->now;
		c->sums.at[segment] = 0;
		c->segment_measures.at[first + i] = (struct measure){ .id = segment,
								      .part = part,
								      .tally = id,
								      .now = tally->now,
								      .total = tally->total,
								      .dumps = ticks - tally->tick };
		tally->tick = ticks;
	}
}

void
classifier_end_dump(struct classifier *c, uint32_t clock, int64_t time_ns, const struct measures **classes,
		    const struct measures **segments)
{
	c->class_measures.count = c->segment_measures.count = 0;
	tick_clocks(c, clock);
	for (size_t i = 0; i < c->counted.count; i++)
		measure_class(c, c->counted.at[i], time_ns);
	classifier_discard(c);
	*classes = &c->class_measures;
	if (segments == NULL)
		return;
	if (c->class_measures.count > 0)
		qsort(c->class_measures.at, c->class_measures.count, sizeof *c->class_measures.at, by_part_and_id);
	for (size_t from = 0, to; from < c->class_measures.count; from = to) {
		uint32_t part = c->class_measures.at[from].part;

		for (to = from; to < c->class_measures.count && c->class_measures.at[to].part == part; )
			to++;
		sum_segments(c, from, to);
		measure_segments(c, part);
	}
	*segments = &c->segment_measures;
}
