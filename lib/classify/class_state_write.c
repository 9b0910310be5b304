/* SPDX-License-Identifier: MIT
 * class_state_write: a classifier as records. Segments' own counts are not written: they follow from those of the
 * classes. */
#include "base/bytes.h"
#include "base/memory.h"
#include "classify/class_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define STATES_TEXT_MAX (STATES_COUNT * 21 + 1)

static int
write_definitions(const struct classifier *c, struct stk_writer *writer, struct stk_error *err)
{
	for (uint32_t frame = 1; frame <= classifier_frames(c); frame++) {
		struct stk_string string = { .text = classifier_frame_text(c, frame) };
		struct stk_frame row = { .function = frame };

		if (stk_writer_add(writer, STK_STRING, &string, err) < 0 ||
		    stk_writer_add(writer, STK_FRAME, &row, err) < 0)
			return -1;
	}
	for (uint32_t stack = 1; stack <= classifier_stacks(c); stack++) {
		uint32_t parent, frame;
		struct stk_stack row;

		classifier_stack_get(c, stack, &parent, &frame);
		row = (struct stk_stack){ .parent = parent, .frame = frame };
		if (stk_writer_add(writer, STK_STACK, &row, err) < 0)
			return -1;
	}
	return 0;
}

/* For each segment a stack that ends in it: the classes' signatures hold all roots, and so all segments. */
static uint32_t *
ends_of_segments(const struct classifier *c)
{
	const struct segments *segments = classifier_segments(c);
	uint32_t *ends = mem_new(segments_count(segments) + 1u, sizeof *ends);
	struct number_list path = { 0 };

	for (uint32_t id = 1; id <= classifier_classes(c); id++) {
		const struct class *class = classifier_get(c, id);
		const uint32_t *signature = classifier_signature(c, id);
		uint32_t depth = classifier_depth(c, class->stack), at = 0, parent, frame;

		array_lengthen(&path, depth + 1u);
		for (uint32_t stack = class->stack, left = depth; stack != 0; stack = parent) {
			path.at[left--] = stack;
			classifier_stack_get(c, stack, &parent, &frame);
		}
		for (uint32_t i = 0; i < class->nodes; i++) {
			struct segment is = segments_get(segments, signature[i]);

			at += is.to - is.from;
			if (ends[signature[i]] == 0 && at <= depth)
				ends[signature[i]] = path.at[at];
		}
	}
	array_release(&path);
	return ends;
}

static int
write_segments(const struct classifier *c, struct stk_writer *writer, struct stk_error *err)
{
	const struct segments *segments = classifier_segments(c);
	uint32_t *ends = ends_of_segments(c);
	int result = 0;

	for (uint32_t id = 1; id <= segments_count(segments) && result == 0; id++) {
		const struct segment is = segments_get(segments, id);
		char name[17];
		struct stk_segment row = { .id = id,
					   .parent = is.parent,
					   .first = is.first,
					   .second = is.second,
					   .stack = ends[id],
					   .frames = is.to - is.from };

		row.name =
			text_of(name, (size_t)snprintf(name, sizeof name, "%016" PRIx64, segment_hash(segments, id)));
		result = stk_writer_add(writer, STK_SEGMENT, &row, err);
	}
	free(ends);
	return result;
}

static struct stk_text
states_text(const uint64_t *states, char to[STATES_TEXT_MAX])
{
	size_t size = 0;

	for (unsigned i = 0; states != NULL && i < STATES_COUNT; i++)
		size += (size_t)snprintf(to + size, STATES_TEXT_MAX - size, i == 0 ? "%" PRIu64 : " %" PRIu64,
					 states[i]);
	return text_of(to, size);
}

static int
write_class(struct classifier *c, struct sample_intake *intake, uint32_t id, struct stk_writer *writer,
	    struct stk_error *err)
{
	const struct class *class = classifier_get(c, id);
	const struct stay_counts stays = thread_stays_of(sample_intake_stays(intake), id);
	const uint32_t *signature = classifier_signature(c, id);
	struct stk_class_of_stack stack = { .stack = class->stack, .class = id };
	struct stk_tally tally = { .series = STK_SERIES_CLASS,
				   .id = id,
				   .part = class->part,
				   .now = class->now,
				   .total = class->total,
				   .tick = class->tick,
				   .last = class->seen.to_ns,
				   .followed = stays.followed,
				   .stays = stays.stayed,
				   .gone = stays.gone,
				   .returned = stays.returned };
	size_t room = (class->nodes + 1u) * (size_t)11;
	char name[17], states[STATES_TEXT_MAX], *text = mem_new(room, 1);
	struct stk_class row = {
		.id = id, .part = class->part, .parent = classifier_class_below(c, id), .since = class->seen.from_ns
	};
	size_t size = 0;
	int result;

	for (uint32_t i = 0; i < class->nodes; i++)
		size += (size_t)snprintf(text + size, room - size, i == 0 ? "%u" : " %u", signature[i]);
	row.signature = text_of(text, size);
	row.name = text_of(name, (size_t)snprintf(name, sizeof name, "%016" PRIx64, class->name));
	tally.states = states_text(class_states_of(sample_intake_states(intake), id), states);
	result = stk_writer_add(writer, STK_CLASS, &row, err) < 0 ||
				 stk_writer_add(writer, STK_CLASS_OF_STACK, &stack, err) < 0 ||
				 stk_writer_add(writer, STK_TALLY, &tally, err) < 0
			 ? -1
			 : 0;
	free(text);
	return result;
}

static int
add_stay(struct stk_stay *row, uint64_t thread, uint32_t class, struct stk_writer *writer, struct stk_error *err)
{
	row->thread = thread;
	row->class = class;
	return stk_writer_add(writer, STK_STAY, row, err);
}

static int
write_times(struct sample_intake *intake, struct stk_writer *writer, struct stk_error *err)
{
	const struct dump_sources *sources = sample_intake_sources(intake);

	for (uint32_t source = 0; source <= dump_sources_last(sources); source++) {
		const struct thread_stays *stays = sample_intake_stays(intake);
		const struct dump_times times = dump_sources_get(sources, source);
		struct stk_ticks ticks = { .id = source,
					   .source = times.source,
					   .dumps = times.dumps,
					   .from = times.range.from_ns,
					   .to = times.range.to_ns };
		struct stk_stay stay = { .source = times.source };
		uint64_t thread;
		uint32_t class;

		if (stk_writer_add(writer, STK_TICKS, &ticks, err) < 0)
			return -1;
		for (size_t n = 0; thread_stays_last(stays, source, n, &thread, &class); n++)
			if (add_stay(&stay, thread, class, writer, err) < 0)
				return -1;
		stay.gone = 1;
		for (size_t n = 0; thread_stays_gone(stays, source, n, &thread, &class); n++)
			if (add_stay(&stay, thread, class, writer, err) < 0)
				return -1;
	}
	for (size_t source = 0; source < seen_dumps_sources(sample_intake_seen(intake)); source++) {
		struct seen_dump seen;

		for (size_t n = 0; seen_dumps_get(sample_intake_seen(intake), source, n, &seen); n++) {
			struct stk_seen row = { .source = seen.source, .time = seen.time_ns, .check = seen.check };

			if (stk_writer_add(writer, STK_SEEN, &row, err) < 0)
				return -1;
		}
	}
	return 0;
}

static int
write_share(const struct seasonal_share *share, const struct stk_ratio *of, struct stk_writer *writer,
	    struct stk_error *err)
{
	for (unsigned k = 0; k < SHARE_PARTS; k++) {
		struct stk_ratio row = *of;
		struct share_part part;

		if (!seasonal_share_part(share, k, &part))
			continue;
		row.which = SHARES_FROM + of->which * SHARES_STEP + k;
		row.count = part.count;
		row.mean = part.a;
		row.variance = part.b;
		row.recent = part.c;
		row.converged = part.more;
		if (stk_writer_add(writer, STK_RATIO, &row, err) < 0)
			return -1;
	}
	return 0;
}

static int
write_ratio(struct sample_intake *intake, uint32_t id, uint32_t part, enum ratio_which which,
	    struct stk_writer *writer, struct stk_error *err)
{
	const struct segment_ratios *ratios = sample_intake_ratios(intake);
	const struct followed *f = segment_ratios_of(ratios, id, part, which);
	struct stk_ratio row = { .series = STK_SERIES_SEGMENT, .id = id, .part = part, .which = which };

	if (f == NULL)
		return 0;
	if (which < RATIOS && write_share(segment_ratios_share(ratios, id, part, which), &row, writer, err) < 0)
		return -1;
	row.count = f->count;
	row.mean = f->mean;
	row.variance = f->variance;
	row.recent = f->recent;
	row.converged = f->converged;
	return stk_writer_add(writer, STK_RATIO, &row, err);
}

static int
write_ratios(const struct classifier *c, struct sample_intake *intake, struct stk_writer *writer, struct stk_error *err)
{
	for (uint32_t id = 1; id <= segments_count(classifier_segments(c)); id++)
		for (uint32_t part = 0; part <= classifier_parts(c); part++)
			for (unsigned which = 0; which < RATIO_WHICH_COUNT; which++)
				if (write_ratio(intake, id, part, which, writer, err) < 0)
					return -1;
	return 0;
}

/* Sorted, so that it does not matter whether a table was shown before. */
static int
write_variants(struct sample_intake *intake, struct stk_writer *writer, struct stk_error *err)
{
	struct frame_variants *variants = sample_intake_variants(intake);

	for (uint32_t frame = 1; frame <= frame_variants_last(variants); frame++) {
		const struct variant *forms;
		size_t count = frame_variants_of(variants, frame, &forms);

		for (size_t i = 0; i < count; i++) {
			struct stk_variant row = {
				.frame = frame, .line = forms[i].line, .form = forms[i].form, .count = forms[i].count
			};

			if (stk_writer_add(writer, STK_VARIANT, &row, err) < 0)
				return -1;
		}
	}
	return 0;
}

int
class_state_write(struct classifier *c, struct sample_intake *intake, struct stk_writer *writer, struct stk_error *err)
{
	if (write_definitions(c, writer, err) < 0 || write_times(intake, writer, err) < 0)
		return -1;
	for (uint32_t part = 1; part <= classifier_parts(c); part++) {
		struct stk_part row = { .id = part,
					.text = classifier_part_text(c, part),
					.clock = classifier_part_clock(c, part) };

		if (stk_writer_add(writer, STK_PART, &row, err) < 0)
			return -1;
	}
	if (write_segments(c, writer, err) < 0)
		return -1;
	for (uint32_t id = 1; id <= classifier_classes(c); id++)
		if (write_class(c, intake, id, writer, err) < 0)
			return -1;
	return write_ratios(c, intake, writer, err) < 0 ? -1 : write_variants(intake, writer, err);
}
