/* SPDX-License-Identifier: MIT
 * classifier_restore: a classifier made of what a state says, and what another one counted added to it. */
#include "classify/classifier_inside.h"

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
	    classifier_find_class(c, class->stack, class->part) != 0)
		return stk_fail(err, STK_EDATA, "class %zu is not consistent with the others", c->classes.count + 1);
	restored.signature = c->signatures.count;
	trace = classifier_trace(c, class->stack, &depth);
	restored.name = classifier_class_name(c, trace, depth, class->part);
	for (uint32_t i = 0; i < class->nodes; i++) {
		if (signature[i] == 0 || signature[i] > segments_count(c->segments))
			return stk_fail(err, STK_EDATA, "class %zu refers to segment %u of %u",
					c->classes.count + 1, signature[i], segments_count(c->segments));
		*array_push(&c->signatures) = signature[i];
	}
	(void)classifier_file_class(c, &restored);
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
		met = classifier_walk(c, id);
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
