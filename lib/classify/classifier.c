/* SPDX-License-Identifier: MIT
 * classifier: stacks become classes, and dumps become intensities. */
#include "classify/classifier.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "classify/classifier_inside.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

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

uint32_t
classifier_find_class(const struct classifier *c, uint32_t stack, uint32_t part)
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

uint32_t
classifier_file_class(struct classifier *c, const struct class *class)
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

uint64_t
classifier_class_name(const struct classifier *c, const uint32_t *trace, uint32_t depth, uint32_t part)
{
	uint64_t name = depth;

	for (uint32_t i = 0; i < depth; i++)
		name = hash_pair(name, c->frame_hashes.at[trace[i]]);
	return part == 0 ? name : hash_pair(name, hash_of(c->parts.at[part].text));
}

uint32_t
classifier_class(struct classifier *c, uint32_t stack, uint32_t part)
{
	uint32_t id = classifier_find_class(c, stack, part), depth;
	const uint32_t *trace;
	struct class class;

	if (id != 0)
		return id;
	trace = classifier_trace(c, stack, &depth);
	class = (struct class){ .stack = stack,
				.part = part,
				.name = classifier_class_name(c, trace, depth, part),
				.signature = c->signatures.count,
				.seen = TIME_RANGE_NONE };
	segments_learn(c->segments, trace, depth, c->frame_hashes.at);
	segments_parse(c->segments, trace, depth, &c->signatures);
	class.nodes = (uint32_t)(c->signatures.count - class.signature);
	return classifier_file_class(c, &class);
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
		below = classifier_find_class(c, stack, is->part);
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
