/* SPDX-License-Identifier: MIT
 * class_state: a classifier from its records. */
#include "classify/class_state.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "model/model.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- reading --- */

struct class_state {
	struct model *model;
	struct arena texts;
	ARRAY(struct stk_part) parts;
	ARRAY(struct stk_segment) segments;
	ARRAY(struct stk_class) classes;
	ARRAY(struct stk_class_of_stack) stacks;
	ARRAY(struct stk_tally) tallies;
	ARRAY(struct stk_ticks) ticks;
	ARRAY(struct stk_seen) seen;
	ARRAY(struct stk_stay) stays;
	ARRAY(struct stk_ratio) ratios;
	ARRAY(struct stk_variant) variants;
};

void
class_state_open(struct class_state **out)
{
	*out = mem_new(1, sizeof **out);
	(void)model_open(&(*out)->model);
}

void
class_state_close(struct class_state *s)
{
	if (s == NULL)
		return;
	model_close(s->model);
	arena_release(&s->texts);
	array_release(&s->parts);
	array_release(&s->segments);
	array_release(&s->classes);
	array_release(&s->stacks);
	array_release(&s->tallies);
	array_release(&s->ticks);
	array_release(&s->seen);
	array_release(&s->stays);
	array_release(&s->ratios);
	array_release(&s->variants);
	free(s);
}

static struct stk_text
keep(struct class_state *s, struct stk_text text)
{
	return text_of(arena_copy(&s->texts, text.data, text.size), text.size);
}

/* The row of the current block; texts are copied. */
static void
take_row(struct class_state *s, struct stk_reader *reader, unsigned kind, uint32_t row)
{
	switch (kind) {
	case STK_PART:
		stk_reader_row(reader, row, array_push(&s->parts));
		s->parts.at[s->parts.count - 1].text = keep(s, s->parts.at[s->parts.count - 1].text);
		break;
	case STK_SEGMENT:
		stk_reader_row(reader, row, array_push(&s->segments));
		break;
	case STK_CLASS:
		stk_reader_row(reader, row, array_push(&s->classes));
		s->classes.at[s->classes.count - 1].signature = keep(s, s->classes.at[s->classes.count - 1].signature);
		break;
	case STK_CLASS_OF_STACK:
		stk_reader_row(reader, row, array_push(&s->stacks));
		break;
	case STK_TALLY:
		stk_reader_row(reader, row, array_push(&s->tallies));
		s->tallies.at[s->tallies.count - 1].states = keep(s, s->tallies.at[s->tallies.count - 1].states);
		break;
	case STK_TICKS:
		stk_reader_row(reader, row, array_push(&s->ticks));
		s->ticks.at[s->ticks.count - 1].source = keep(s, s->ticks.at[s->ticks.count - 1].source);
		break;
	case STK_SEEN:
		stk_reader_row(reader, row, array_push(&s->seen));
		s->seen.at[s->seen.count - 1].source =
			s->seen.count > 1 && text_equal(s->seen.at[s->seen.count - 1].source,
							s->seen.at[s->seen.count - 2].source)
				? s->seen.at[s->seen.count - 2].source
				: keep(s, s->seen.at[s->seen.count - 1].source);
		break;
	case STK_STAY:
		stk_reader_row(reader, row, array_push(&s->stays));
		s->stays.at[s->stays.count - 1].source =
			s->stays.count > 1 && text_equal(s->stays.at[s->stays.count - 1].source,
							 s->stays.at[s->stays.count - 2].source)
				? s->stays.at[s->stays.count - 2].source
				: keep(s, s->stays.at[s->stays.count - 1].source);
		break;
	case STK_RATIO:
		stk_reader_row(reader, row, array_push(&s->ratios));
		break;
	case STK_VARIANT:
		stk_reader_row(reader, row, array_push(&s->variants));
		break;
	default:
		break;
	}
}

int
class_state_take(struct class_state *s, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	int taken = model_take(s->model, reader, block, err);

	if (taken != 0)
		return taken < 0 ? -1 : 0;
	if (block->kind >= STK_KIND_COUNT)	/* the next state would lose them */
		return stk_fail(err, STK_EDATA,
				"has rows of kind %u, which this version does not know: resume it with a newer one",
				block->kind);
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t row = 0; row < block->rows; row++)
		take_row(s, reader, block->kind, row);
	return 0;
}

/* --- restoring --- */

static int
restore_definitions(struct class_state *s, struct classifier *c, struct stk_error *err)
{
	for (uint32_t id = 1; id <= model_count(s->model, STK_STRING); id++)
		if (classifier_frame(c, model_string(s->model, id)) != id)
			return stk_fail(err, STK_EDATA, "frame %u is in it twice", id);
	for (uint32_t id = 1; id <= model_count(s->model, STK_STACK); id++) {
		struct stk_stack row = model_stack(s->model, id);

		if (row.parent >= id || row.frame == 0 || row.frame > classifier_frames(c) ||
		    classifier_stack(c, (uint32_t)row.parent, (uint32_t)row.frame) != id)
			return stk_fail(err, STK_EDATA, "stack %u is not consistent with the others", id);
	}
	for (size_t i = 0; i < s->parts.count; i++)
		if (s->parts.at[i].id != i + 1 || s->parts.at[i].clock >= s->ticks.count ||
		    classifier_part(c, s->parts.at[i].text, (uint32_t)s->parts.at[i].clock) != i + 1)
			return stk_fail(err, STK_EDATA, "part %zu is not consistent with the others", i + 1);
	return 0;
}

/* Roots follow one another in the order of their numbers; a child is within its parent. */
static int
restore_segments(struct class_state *s, struct classifier *c, struct stk_error *err)
{
	struct segments *segments = classifier_segments_to_restore(c);
	struct number_list chain = { 0 };
	int result = 0;

	for (size_t i = 0; i < s->segments.count && result == 0; i++) {
		const struct stk_segment *row = &s->segments.at[i];
		struct segment is = { .first = (uint32_t)row->first,
				      .second = (uint32_t)row->second,
				      .parent = (uint32_t)row->parent };
		uint32_t parent, frame, stack = row->stack <= classifier_stacks(c) ? (uint32_t)row->stack : 0;

		if (row->id != i + 1 || row->parent > i || row->frames == 0 || row->first > s->segments.count ||
		    row->second > s->segments.count) {
			result = stk_fail(err, STK_EDATA, "segment %zu is not consistent with the others", i + 1);
			break;
		}
		if (is.parent != 0) {
			const struct segment whole = segments_get(segments, is.parent);

			is.from = whole.first == i + 1 ? whole.from : whole.to - (uint32_t)row->frames;
			is.to = is.from + (uint32_t)row->frames;
			segments_restore(segments, &is);
			continue;
		}
		chain.count = 0;
		for (uint64_t left = row->frames; left > 0 && stack != 0; left--, stack = parent) {
			classifier_stack_get(c, stack, &parent, &frame);
			*array_push(&chain) = frame;
		}
		if (chain.count != row->frames) {
			result = stk_fail(err, STK_EDATA, "the frames of segment %zu are missing", i + 1);
			break;
		}
		is.from = segments_frames(segments);
		while (chain.count > 0) {
			frame = chain.at[--chain.count];
			segments_restore_frame(segments, frame, classifier_frame_hash(c, frame));
		}
		is.to = segments_frames(segments);
		segments_restore(segments, &is);
	}
	array_release(&chain);
	return result < 0 ? -1 : segments_restored(segments, err);
}

/* Numbers with blanks between, at most `most`; false when it is something else. */
static bool
read_numbers(struct stk_text text, uint64_t *to, size_t most, size_t *count)
{
	const char *at = text.data, *end = text.data + text.size;

	for (*count = 0; at < end; (*count)++) {
		uint64_t value = 0;
		const char *from = at;

		for (; at < end && *at >= '0' && *at <= '9'; at++)
			value = value * 10 + (uint64_t)(*at - '0');
		if (at == from || at - from > 19 || *count == most || (at < end && *at++ != ' '))
			return false;
		to[*count] = value;
	}
	return true;
}

static int
restore_class(struct class_state *s, size_t i, struct classifier *c, struct sample_intake *intake,
	      struct stk_error *err)
{
	const struct stk_class *row = &s->classes.at[i];
	const struct stk_tally *tally = &s->tallies.at[i];
	struct class class = { .stack = (uint32_t)s->stacks.at[i].stack,
			       .part = (uint32_t)row->part,
			       .now = tally->now,
			       .total = tally->total,
			       .tick = tally->tick,
			       .seen = { row->since, tally->last } };
	size_t room = row->signature.size / 2 + 1, nodes, states_count;
	uint64_t *numbers = mem_new(room, sizeof *numbers), states[STATES_COUNT] = { 0 };
	uint32_t *signature = mem_new(room, sizeof *signature);
	bool good = row->id == i + 1 && tally->id == i + 1 && s->stacks.at[i].class == i + 1 &&
		    read_numbers(row->signature, numbers, room, &nodes) &&
		    read_numbers(tally->states, states, STATES_COUNT, &states_count);
	int result = good ? 0 : stk_fail(err, STK_EDATA, "class %zu is not consistent with the others", i + 1);

	if (good) {
		for (size_t n = 0; n < nodes; n++)
			signature[n] = numbers[n] <= UINT32_MAX ? (uint32_t)numbers[n] : 0;
		class.nodes = (uint32_t)nodes;
		result = classifier_restore_class(c, &class, signature, err);
		if (result == 0 && states_count > 0)
			class_states_restore(sample_intake_states(intake), (uint32_t)i + 1, states);
		thread_stays_restore(sample_intake_stays(intake), (uint32_t)i + 1,
				     (struct stay_counts){ tally->followed, tally->stays, tally->gone,
							   tally->returned });
	}
	free(numbers);
	free(signature);
	return result;
}

/* The threads of each source's last dump are together in the order in which they were noted, and those that had left
 * there follow. */
static void
restore_stays(struct class_state *s, struct sample_intake *intake)
{
	struct thread_stays *stays = sample_intake_stays(intake);
	struct dump_sources *sources = sample_intake_sources(intake);

	for (size_t i = 0; i < s->stays.count; i++) {
		const struct stk_stay *is = &s->stays.at[i], *next = i + 1 == s->stays.count ? NULL : is + 1;

		if (is->gone != 0) {
			thread_stays_restore_gone(stays, dump_sources_number(sources, is->source), is->thread,
						  (uint32_t)is->class);
			continue;
		}
		thread_stays_note(stays, is->thread, (uint32_t)is->class);
		if (next == NULL || next->gone != 0 || !text_equal(is->source, next->source))
			thread_stays_restore_last(stays, dump_sources_number(sources, is->source));
	}
}

/* Whether there can be such a row, of a ratio or of a part of what it is compared with. */
static bool
is_ratio(const struct class_state *s, const struct stk_ratio *row)
{
	uint64_t part = row->which - SHARES_FROM;

	return row->id > 0 && row->id <= s->segments.count && row->part <= s->parts.count &&
	       (row->which < RATIO_WHICH_COUNT || (row->which >= SHARES_FROM && part / SHARES_STEP < RATIOS &&
						   part % SHARES_STEP < SHARE_PARTS));
}

static void
restore_share(struct segment_ratios *ratios, const struct stk_ratio *row)
{
	uint64_t at = row->which - SHARES_FROM;
	struct share_part part = { row->count, row->converged, row->mean, row->variance, row->recent };
	struct seasonal_share *share = segment_ratios_share_for(ratios, (uint32_t)row->id, (uint32_t)row->part,
								(enum ratio_which)(at / SHARES_STEP));

	if (share != NULL)
		seasonal_share_restore(share, (unsigned)(at % SHARES_STEP), &part);
}

static int
restore_ratios(const struct class_state *s, struct sample_intake *intake, struct stk_error *err)
{
	struct segment_ratios *ratios = sample_intake_ratios(intake);

	for (size_t i = 0; i < s->ratios.count; i++) {
		const struct stk_ratio *row = &s->ratios.at[i];
		struct followed f = { .count = row->count,
				      .mean = row->mean,
				      .variance = row->variance,
				      .recent = row->recent,
				      .converged = row->converged != 0 };

		if (!is_ratio(s, row))
			return stk_fail(err, STK_EDATA, "a ratio is of segment %" PRIu64 ", and there are %zu", row->id,
					s->segments.count);
		if (row->which >= SHARES_FROM)
			restore_share(ratios, row);
		else
			segment_ratios_restore(ratios, (uint32_t)row->id, (uint32_t)row->part,
					       (enum ratio_which)row->which, &f);
	}
	segment_ratios_resume(ratios);
	return 0;
}

static int
restore_variants(const struct class_state *s, const struct classifier *c, struct sample_intake *intake,
		 struct stk_error *err)
{
	for (size_t i = 0; i < s->variants.count; i++) {
		const struct stk_variant *row = &s->variants.at[i];

		if (row->frame == 0 || row->frame > classifier_frames(c))
			return stk_fail(err, STK_EDATA, "a form is of frame %" PRIu64 ", and there are %u", row->frame,
					classifier_frames(c));
		frame_variants_add(sample_intake_variants(intake), (uint32_t)row->frame, row->line, row->form,
				   row->count);
	}
	return 0;
}

int
class_state_restore(struct class_state *s, struct classifier *c, struct sample_intake *intake, struct stk_error *err)
{
	if (s->classes.count != s->stacks.count || s->classes.count != s->tallies.count || s->ticks.count == 0)
		return stk_fail(err, STK_EDATA, "%zu classes, %zu stacks and %zu tallies do not match",
				s->classes.count, s->stacks.count, s->tallies.count);
	for (size_t i = 0; i < s->ticks.count; i++)
		(void)dump_sources_restore(sample_intake_sources(intake),
					   &(struct dump_times){ s->ticks.at[i].source,
								 s->ticks.at[i].dumps,
								 { s->ticks.at[i].from, s->ticks.at[i].to } });
	if (restore_definitions(s, c, err) < 0 || restore_segments(s, c, err) < 0)
		return -1;
	for (size_t i = 0; i < s->classes.count; i++)
		if (restore_class(s, i, c, intake, err) < 0)
			return -1;
	for (size_t i = 0; i < s->stays.count; i++)
		if (s->stays.at[i].class == 0 || s->stays.at[i].class > s->classes.count)
			return stk_fail(err, STK_EDATA, "a thread is of class %" PRIu64 ", and there are %zu",
					s->stays.at[i].class, s->classes.count);
	sample_intake_restore_clocks(intake);
	classifier_recount(c);
	for (size_t i = 0; i < s->seen.count; i++)
		(void)seen_dumps_note(sample_intake_seen(intake), s->seen.at[i].source, s->seen.at[i].time,
				      (uint32_t)s->seen.at[i].check);
	restore_stays(s, intake);
	return restore_ratios(s, intake, err) < 0 ? -1 : restore_variants(s, c, intake, err);
}
