/* SPDX-License-Identifier: MIT
 * class_state_join: what one classifier counted is added to another. */
#include "base/memory.h"
#include "classify/class_state.h"

#include <stdlib.h>

static uint32_t
stack_in(struct classifier *to, struct classifier *from, uint32_t stack)
{
	uint32_t depth, at = 0;
	const uint32_t *trace = classifier_trace(from, stack, &depth);

	for (uint32_t i = 0; i < depth; i++)
		at = classifier_stack(to, at, classifier_frame(to, classifier_frame_text(from, trace[i])));
	return at;
}

static void
add_class(struct classifier *to, struct sample_intake *to_intake, struct classifier *from,
	  struct sample_intake *from_intake, uint32_t id, const uint32_t *sources)
{
	const struct class *class = classifier_get(from, id);
	uint32_t clock = sources[classifier_part_clock(from, class->part)];
	uint32_t part = class->part == 0 ? 0 : classifier_part(to, classifier_part_text(from, class->part), clock);
	uint32_t as = classifier_class(to, stack_in(to, from, class->stack), part);
	const uint64_t *more = class_states_of(sample_intake_states(from_intake), id),
		       *had = class_states_of(sample_intake_states(to_intake), as);
	struct stay_counts stays = thread_stays_of(sample_intake_stays(from_intake), id),
			   before = thread_stays_of(sample_intake_stays(to_intake), as);
	uint64_t states[STATES_COUNT] = { 0 };

	class = classifier_get(from, id);
	classifier_add(to, as, class, classifier_ticks(from, classifier_part_clock(from, class->part)) - class->tick);
	for (unsigned i = 0; i < STATES_COUNT; i++)
		states[i] = (more != NULL ? more[i] : 0) + (had != NULL ? had[i] : 0);
	class_states_restore(sample_intake_states(to_intake), as, states);
	thread_stays_restore(sample_intake_stays(to_intake), as,
			     (struct stay_counts){ before.followed + stays.followed, before.stayed + stays.stayed,
						   before.gone + stays.gone, before.returned + stays.returned });
}

static void
add_variants(struct classifier *to, struct sample_intake *to_intake, const struct classifier *from,
	     struct sample_intake *from_intake)
{
	struct frame_variants *variants = sample_intake_variants(from_intake);

	for (uint32_t frame = 1; frame <= frame_variants_last(variants); frame++) {
		const struct variant *forms;
		size_t count = frame_variants_of(variants, frame, &forms);
		uint32_t as = count == 0 ? 0 : classifier_frame(to, classifier_frame_text(from, frame));

		for (size_t i = 0; i < count; i++)
			frame_variants_add(sample_intake_variants(to_intake), as, forms[i].line, forms[i].form,
					   forms[i].count);
	}
}

static uint64_t
add_in_order(struct classifier *to, struct sample_intake *to_intake, struct classifier *from,
	     struct sample_intake *from_intake, const uint32_t *order)
{
	const struct dump_sources *from_sources = sample_intake_sources(from_intake);
	uint32_t last = dump_sources_last(from_sources), *sources = mem_new(last + 1u, sizeof *sources);
	uint64_t again = 0;

	for (uint32_t i = 0; i <= last; i++) {
		struct dump_times times = dump_sources_get(from_sources, i);

		sources[i] = dump_sources_add(sample_intake_sources(to_intake), &times);
		classifier_advance(to, sources[i], times.dumps);
	}
	for (uint32_t i = 0; i < classifier_classes(from); i++)
		add_class(to, to_intake, from, from_intake, order == NULL ? i + 1 : order[i], sources);
	add_variants(to, to_intake, from, from_intake);
	for (size_t source = 0; source < seen_dumps_sources(sample_intake_seen(from_intake)); source++) {
		struct seen_dump seen;

		for (size_t n = 0; seen_dumps_get(sample_intake_seen(from_intake), source, n, &seen); n++)
			again += seen_dumps_note(sample_intake_seen(to_intake), seen.source, seen.time_ns,
						 seen.check) == SEEN_SAME;
	}
	free(sources);
	return again;
}

uint64_t
class_state_add(struct classifier *to, struct sample_intake *to_intake, struct classifier *from,
		struct sample_intake *from_intake)
{
	return add_in_order(to, to_intake, from, from_intake, NULL);
}

static int
by_total(const void *a, const void *b, void *context)
{
	const struct class *x = classifier_get(context, *(const uint32_t *)a),
			   *y = classifier_get(context, *(const uint32_t *)b);

	return x->total != y->total ? (x->total < y->total) - (x->total > y->total)
				    : (x->name > y->name) - (x->name < y->name);
}

void
class_state_canonical(struct classifier *to, struct sample_intake *to_intake, struct classifier *from,
		      struct sample_intake *from_intake)
{
	uint32_t count = classifier_classes(from), *order = mem_new(count + 1u, sizeof *order);

	for (uint32_t i = 0; i < count; i++)
		order[i] = i + 1;
	if (count > 0)
		qsort_r(order, count, sizeof *order, by_total, from);
	(void)add_in_order(to, to_intake, from, from_intake, order);
	sample_intake_restore_clocks(to_intake);
	classifier_recount(to);
	free(order);
}
