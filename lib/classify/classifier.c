/* SPDX-License-Identifier: MIT
 * classifier: stacks become classes, and dumps become intensities. */
#include "classify/classifier.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash_map.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "classify/segment_walk.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct frame_entry { struct stk_text text; };
struct part_entry { struct stk_text text; uint32_t clock; };
struct clock_entry { uint64_t ticks; bool ticked; };

struct classifier {
	struct arena texts;
	struct segments *segments;
	ARRAY(struct frame_entry) frames;	/* number n is at[n - 1], here and below */
	ARRAY(uint64_t) frame_hashes;		/* by number */
	struct hash_map frame_map;
	struct stack_runs stacks;
	ARRAY(struct part_entry) parts;		/* by number */
	struct hash_map part_map;
	ARRAY(struct clock_entry) clocks;	/* by number */

	ARRAY(struct class) classes;
	struct hash_map class_map;		/* by stack and part */
	ARRAY(uint64_t) ends;			/* a bit for each stack: there is a class of it */
	struct number_list signatures;

	struct segment_tallies tallies;

	/* of the current dump */
	ARRAY(uint64_t) counts;			/* by class */
	struct number_list counted;		/* classes with a count */

	/* scratch */
	struct number_list trace;
	struct segment_walk walk;
	ARRAY(uint64_t) sums;			/* by segment */
	struct measures class_measures, segment_measures;
};

static uint64_t
hash_of(struct stk_text text)
{
	return XXH3_64bits(text.data, text.size);
}

void
classifier_open(struct classifier **out)
{
	struct classifier *c = *out = mem_new(1, sizeof *c);

	segments_open(&c->segments);
	*array_push(&c->frame_hashes) = 0;
	*array_push(&c->parts) = (struct part_entry){ .text = { "", 0 } };
	hash_map_put(&c->part_map, hash_of(c->parts.at[0].text), 1);
	array_lengthen(&c->clocks, 1);
}

void
classifier_close(struct classifier *c)
{
	if (c == NULL)
		return;
	segments_close(c->segments);
	arena_release(&c->texts);
	array_release(&c->frames);
	array_release(&c->frame_hashes);
	hash_map_release(&c->frame_map);
	stack_runs_release(&c->stacks);
	array_release(&c->parts);
	hash_map_release(&c->part_map);
	array_release(&c->clocks);
	array_release(&c->classes);
	hash_map_release(&c->class_map);
	array_release(&c->ends);
	array_release(&c->signatures);
	segment_tallies_release(&c->tallies);
	array_release(&c->counts);
	array_release(&c->counted);
	array_release(&c->trace);
	segment_walk_release(&c->walk);
	array_release(&c->sums);
	array_release(&c->class_measures);
	array_release(&c->segment_measures);
	free(c);
}

/* --- what stacks are made of --- */

static struct stk_text
text_keep(struct classifier *c, struct stk_text text)
{
	return (struct stk_text){ arena_copy(&c->texts, text.data, text.size), text.size };
}

uint32_t
classifier_frame_find(const struct classifier *c, struct stk_text text)
{
	uint64_t hash = hash_of(text);
	uint32_t at = hash_map_start(&c->frame_map, hash), id;

	while ((id = hash_map_next(&c->frame_map, hash, &at)) != 0)
		if (text_equal(c->frames.at[id - 1].text, text))
			break;
	return id;
}

uint32_t
classifier_frame(struct classifier *c, struct stk_text text)
{
	uint32_t id = classifier_frame_find(c, text);
	uint64_t hash = hash_of(text);

	if (id != 0)
		return id;
	*array_push(&c->frames) = (struct frame_entry){ text_keep(c, text) };
	*array_push(&c->frame_hashes) = hash;
	hash_map_put(&c->frame_map, hash, (uint32_t)c->frames.count);
	return (uint32_t)c->frames.count;
}

uint32_t
classifier_stack(struct classifier *c, uint32_t parent, uint32_t frame)
{
	return stack_runs_add(&c->stacks, parent, frame);
}

uint32_t
classifier_part(struct classifier *c, struct stk_text text, uint32_t clock)
{
	uint64_t hash = hash_of(text);
	uint32_t at = hash_map_start(&c->part_map, hash), id;

	while ((id = hash_map_next(&c->part_map, hash, &at)) != 0)
		if (text_equal(c->parts.at[id - 1].text, text))
			return id - 1;
	*array_push(&c->parts) = (struct part_entry){ text_keep(c, text), clock };
	array_lengthen(&c->clocks, clock + 1);
	hash_map_put(&c->part_map, hash, (uint32_t)c->parts.count);
	return (uint32_t)c->parts.count - 1;
}

uint32_t
classifier_frames(const struct classifier *c)
{
	return (uint32_t)c->frames.count;
}

uint32_t
classifier_stacks(const struct classifier *c)
{
	return stack_runs_count(&c->stacks);
}

uint32_t
classifier_parts(const struct classifier *c)
{
	return (uint32_t)c->parts.count - 1;
}

struct stk_text
classifier_frame_text(const struct classifier *c, uint32_t frame)
{
	return c->frames.at[frame - 1].text;
}

uint64_t
classifier_frame_hash(const struct classifier *c, uint32_t frame)
{
	return c->frame_hashes.at[frame];
}

void
classifier_stack_get(const struct classifier *c, uint32_t stack, uint32_t *parent, uint32_t *frame)
{
	*parent = stack_runs_caller(&c->stacks, stack);
	*frame = stack_runs_frame(&c->stacks, stack);
}

const struct stack_runs *
classifier_runs(const struct classifier *c)
{
	return &c->stacks;
}

uint32_t
classifier_depth(const struct classifier *c, uint32_t stack)
{
	return stack_runs_depth(&c->stacks, stack);
}

const uint32_t *
classifier_trace(struct classifier *c, uint32_t stack, uint32_t *depth)
{
	*depth = stack_runs_depth(&c->stacks, stack);
	c->trace.count = 0;
	array_reserve(&c->trace, *depth + 1u);
	stack_runs_trace(&c->stacks, stack, c->trace.at);
	return c->trace.at;
}

struct stk_text
classifier_part_text(const struct classifier *c, uint32_t part)
{
	return c->parts.at[part].text;
}

uint32_t
classifier_part_clock(const struct classifier *c, uint32_t part)
{
	return c->parts.at[part].clock;
}

/* --- classes --- */

/* The class of a stack in a part, 0 when there is none. */
static uint32_t
find_class(const struct classifier *c, uint32_t stack, uint32_t part)
{
	uint64_t hash;
	uint32_t at, id;

	if (stack / 64 >= c->ends.count || (c->ends.at[stack / 64] >> stack % 64 & 1) == 0)
		return 0;
	hash = hash_pair(stack, part);
	at = hash_map_start(&c->class_map, hash);
	while ((id = hash_map_next(&c->class_map, hash, &at)) != 0)
		if (c->classes.at[id - 1].stack == stack && c->classes.at[id - 1].part == part)
			break;
	return id;
}

static uint32_t
file_class(struct classifier *c, const struct class *class)
{
	uint32_t id;

	*array_push(&c->classes) = *class;
	id = (uint32_t)c->classes.count;
	array_lengthen(&c->counts, id + 1);
	array_lengthen(&c->ends, class->stack / 64 + 1u);
	c->ends.at[class->stack / 64] |= UINT64_C(1) << class->stack % 64;
	hash_map_put(&c->class_map, hash_pair(class->stack, class->part), id);
	return id;
}

static uint64_t
class_name(const struct classifier *c, const uint32_t *trace, uint32_t depth, uint32_t part)
{
	uint64_t name = depth;

	for (uint32_t i = 0; i < depth; i++)
		name = hash_pair(name, c->frame_hashes.at[trace[i]]);
	return part == 0 ? name : hash_pair(name, hash_of(c->parts.at[part].text));
}

uint32_t
classifier_class(struct classifier *c, uint32_t stack, uint32_t part)
{
	uint32_t id = find_class(c, stack, part), depth;
	const uint32_t *trace;
	struct class class;

	if (id != 0)
		return id;
	trace = classifier_trace(c, stack, &depth);
	class = (struct class){ .stack = stack,
				.part = part,
				.name = class_name(c, trace, depth, part),
				.signature = c->signatures.count,
				.seen = TIME_RANGE_NONE };
	segments_learn(c->segments, trace, depth, c->frame_hashes.at);
	segments_parse(c->segments, trace, depth, &c->signatures);
	class.nodes = (uint32_t)(c->signatures.count - class.signature);
	return file_class(c, &class);
}

uint32_t
classifier_classes(const struct classifier *c)
{
	return (uint32_t)c->classes.count;
}

const struct class *
classifier_get(const struct classifier *c, uint32_t class)
{
	return &c->classes.at[class - 1];
}

const uint32_t *
classifier_signature(const struct classifier *c, uint32_t class)
{
	return c->signatures.at + c->classes.at[class - 1].signature;
}

uint32_t
classifier_class_below(const struct classifier *c, uint32_t class)
{
	const struct class *is = classifier_get(c, class);
	uint32_t below = 0;

	for (uint32_t stack = stack_runs_caller(&c->stacks, is->stack); stack != 0 && below == 0;
	     stack = stack_runs_caller(&c->stacks, stack))
		below = find_class(c, stack, is->part);
	return below;
}

const struct segments *
classifier_segments(const struct classifier *c)
{
	return c->segments;
}

/* --- tallies of segments --- */

uint32_t
classifier_tally_number(const struct classifier *c, uint32_t segment, uint32_t part)
{
	return segment_tallies_number(&c->tallies, segment, part);
}

struct tally
classifier_tally(const struct classifier *c, uint32_t segment, uint32_t part)
{
	return segment_tallies_get(&c->tallies, c->segments, segment, part);
}

uint32_t
classifier_tallies(const struct classifier *c)
{
	return (uint32_t)c->tallies.list.count;
}

/* --- counting --- */

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

static const struct number_list *
walk(struct classifier *c, uint32_t class)
{
	segment_walk(&c->walk, c->segments, classifier_signature(c, class), c->classes.at[class - 1].nodes);
	return &c->walk.met;
}

void
classifier_visit(struct classifier *c, uint32_t class, void (*visit)(void *context, uint32_t segment), void *context)
{
	const struct number_list *met = walk(c, class);

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
		const struct number_list *met = walk(c, c->class_measures.at[i].id);

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

uint64_t
classifier_ticks(const struct classifier *c, uint32_t clock)
{
	return clock < c->clocks.count ? c->clocks.at[clock].ticks : 0;
}

size_t
classifier_bytes(const struct classifier *c)
{
	return c->texts.bytes + segments_bytes(c->segments) +
	       c->frames.room * (sizeof *c->frames.at + sizeof *c->frame_hashes.at) + hash_map_bytes(&c->frame_map) +
	       stack_runs_bytes(&c->stacks) +
	       c->classes.room * sizeof *c->classes.at +
	       (c->signatures.room + c->walk.round.room) * sizeof(uint32_t) +
	       c->ends.room * sizeof *c->ends.at +
	       hash_map_bytes(&c->class_map) + segment_tallies_bytes(&c->tallies) +
	       (c->counts.room + c->sums.room) * sizeof(uint64_t);
}

/* --- restoring --- */

void
classifier_restore_clock(struct classifier *c, uint32_t clock, uint64_t ticks)
{
	array_lengthen(&c->clocks, clock + 1);
	c->clocks.at[clock].ticks = ticks;
}

struct segments *
classifier_segments_to_restore(struct classifier *c)
{
	return c->segments;
}

int
classifier_restore_class(struct classifier *c, const struct class *class, const uint32_t *signature,
			 struct stk_error *err)
{
	struct class restored = *class;
	const uint32_t *trace;
	uint32_t depth;

	if (class->stack == 0 || class->stack > stack_runs_count(&c->stacks) || class->part >= c->parts.count ||
	    find_class(c, class->stack, class->part) != 0)
		return stk_fail(err, STK_EDATA, "class %zu is not consistent with the others", c->classes.count + 1);
	restored.signature = c->signatures.count;
	trace = classifier_trace(c, class->stack, &depth);
	restored.name = class_name(c, trace, depth, class->part);
	for (uint32_t i = 0; i < class->nodes; i++) {
		if (signature[i] == 0 || signature[i] > segments_count(c->segments))
			return stk_fail(err, STK_EDATA, "class %zu refers to segment %u of %u",
					c->classes.count + 1, signature[i], segments_count(c->segments));
		*array_push(&c->signatures) = signature[i];
	}
	(void)file_class(c, &restored);
	return 0;
}

static void
recount_segment(struct classifier *c, uint32_t segment, const struct class *class)
{
	uint32_t id = classifier_tally_number(c, segment, class->part);
	struct tally *tally;

	if (id == 0)
		id = segment_tallies_add(&c->tallies, segment, class->part, &(struct tally){ 0 });
	tally = segment_tallies_at(&c->tallies, id);
	tally->total += class->total;
	if (class->tick > tally->tick) {
		tally->tick = class->tick;
		tally->now = class->now;
	} else if (class->tick == tally->tick)
		tally->now += class->now;
}

void
classifier_recount(struct classifier *c)
{
	segment_tallies_clear(&c->tallies);
	for (uint32_t id = 1; id <= c->classes.count; id++) {
		const struct class *class = &c->classes.at[id - 1];
		const struct number_list *met;

		if (class->tick == 0)
			continue;
		met = walk(c, id);
		for (size_t i = 0; i < met->count; i++)
			recount_segment(c, met->at[i], class);
	}
}

void
classifier_advance(struct classifier *c, uint32_t clock, uint64_t ticks)
{
	array_lengthen(&c->clocks, clock + 1u);
	c->clocks.at[clock].ticks += ticks;
	for (size_t i = 0; i < c->classes.count; i++)
		if (c->classes.at[i].tick != 0 && c->parts.at[c->classes.at[i].part].clock == clock)
			c->classes.at[i].tick += ticks;
}

void
classifier_add(struct classifier *c, uint32_t id, const struct class *more, uint64_t since)
{
	struct class *class = &c->classes.at[id - 1];
	uint64_t tick = c->clocks.at[c->parts.at[class->part].clock].ticks - since;

	if (more->tick == 0)
		return;
	if (class->tick == 0 || more->seen.to_ns > class->seen.to_ns)		/* unknown is before all */
		class->now = more->now;
	else if (more->seen.to_ns == class->seen.to_ns)
		class->now += more->now;
	time_range_join(&class->seen, &more->seen);
	class->total += more->total;
	class->tick = tick > class->tick ? tick : class->tick;
}
