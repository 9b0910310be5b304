/* SPDX-License-Identifier: MIT
 * figures: figures and texts that several views show. */
#include "views.h"

#include "choose/moments.h"
#include "report/leaf_labels.h"
#include "report/table.h"

#include <math.h>

#define LABEL_FRAMES 4	/* shown, where that is enough to tell stacks apart */
#define STACK_FRAMES 64	/* looked at for that */

void
add_hash(struct text_buffer *to, uint64_t hash)
{
	add_hex(to, hash, 16);
}

void
add_frames(const struct classifier *c, uint32_t segment, char between, struct text_buffer *to)
{
	const struct segments *segments = classifier_segments(c);
	struct segment is = segments_get(segments, segment);

	for (uint32_t place = is.from; place < is.to; place++) {
		if (place > is.from)
			add_char(to, between);
		add_escaped(to, classifier_frame_text(c, segments_frame_at(segments, place)));
	}
}

void
add_moment(struct text_buffer *to, int64_t time_ns, const struct time_zone *zone)
{
	char text[TIME_TEXT_MAX];

	add_string(to, time_print(text, time_ns, zone));
}

void
add_moment_for_people(struct text_buffer *to, int64_t time_ns, const struct time_zone *zone)
{
	char text[TIME_TEXT_MAX];

	add_string(to, moment_print(text, time_ns, zone, false));
}

void
add_states(struct text_buffer *to, const uint64_t *states)
{
	static const char *const names[STATES_COUNT] = { "unknown",    "new",     "runnable",
							 "blocked",    "waiting", "timed-waiting",
							 "terminated", "running", "sleeping" };
	uint64_t sum = 0, left;
	bool shown[STATES_COUNT] = { false };
	size_t from = to->count;

	for (unsigned i = 0; states != NULL && i < STATES_COUNT; i++)
		sum += states[i];
	for (left = sum; left > 0; ) {
		unsigned most = STATES_COUNT;

		for (unsigned i = 0; i < STATES_COUNT; i++)
			if (!shown[i] && states[i] > 0 && (most == STATES_COUNT || states[i] > states[most]))
				most = i;
		if (to->count > from)
			add_char(to, ' ');
		add_string(to, names[most]);
		if (states[most] < sum) {
			add_char(to, ' ');
			add_share(to, (double)states[most], (double)sum);
		}
		shown[most] = true;
		left -= states[most];
	}
	if (to->count == from)
		add_char(to, '-');
}

void
add_variants(const struct view_of *of, uint32_t frame, struct text_buffer *to)
{
	struct frame_variants *variants = sample_intake_variants(of->intake);
	const struct variant *list;
	size_t count = frame_variants_of(variants, frame, &list), from = to->count;
	uint64_t sum = 0;

	if (!frame_is_mixed(variants, frame))
		return;
	for (size_t i = 0; i < count; i++)
		sum += list[i].count;
	for (size_t i = 0; i < count && (double)list[i].count >= VARIANT_SHARE_LEAST * (double)sum; i++) {
		if (to->count > from)
			add_char(to, ' ');
		add_format(to, "line %lld ", (long long)list[i].line);
		if (list[i].form == STK_FORM_INLINED)
			add_string(to, "inlined ");
		add_share(to, (double)list[i].count, (double)sum);
	}
}

uint64_t
class_now(const struct classifier *c, uint32_t id)
{
	const struct class *class = classifier_get(c, id);

	return class->tick != 0 && class->tick == classifier_ticks(c, classifier_part_clock(c, class->part))
		       ? class->now
		       : 0;
}

uint64_t
segment_now(const struct classifier *c, uint32_t segment, uint32_t part)
{
	const struct tally tally = classifier_tally(c, segment, part);

	return tally.tick != 0 && tally.tick == classifier_ticks(c, classifier_part_clock(c, part)) ? tally.now : 0;
}

bool
class_residence(const struct view_of *of, uint32_t id, struct residence *out)
{
	const struct class *class = classifier_get(of->classifier, id);
	const struct stay_counts stays = thread_stays_of(sample_intake_stays(of->intake), id);
	const struct dump_times times =
		dump_sources_get(sample_intake_sources(of->intake), classifier_part_clock(of->classifier, class->part));
	const struct time_range range = times.range;
	double interval, intensity;

	if (stays.followed == 0 || times.dumps < 2 || !time_range_is_known(&range) || range.to_ns <= range.from_ns)
		return false;
	interval = (double)(range.to_ns - range.from_ns) / (double)(times.dumps - 1);
	intensity = (double)class->total / (double)times.dumps;
	out->mean_s = mean_stay(stays, interval) / 1e9;
	/* no thread was seen to leave: it may have come back between two dumps, any number of times */
	out->rate_s = out->mean_s > 0 && !isinf(out->mean_s) ? intensity / out->mean_s : NAN;
	return true;
}

/* --- labels --- */

static void
begin_stack(struct stack_labels *l)
{
	*array_push(&l->starts) = l->stacks.count;
}

static void
add_caller(struct stack_labels *l, const struct classifier *c, uint32_t frame)
{
	if (l->stacks.count > l->starts.at[l->starts.count - 1])
		add_string(&l->stacks, LEAF_BETWEEN);
	add_masked(&l->stacks, classifier_frame_text(c, frame));
}

void
stack_labels_add_class(struct stack_labels *l, struct classifier *c, uint32_t class)
{
	uint32_t stack = classifier_get(c, class)->stack, frame;

	begin_stack(l);
	for (int i = 0; i < STACK_FRAMES && stack != 0; i++) {
		classifier_stack_get(c, stack, &stack, &frame);
		add_caller(l, c, frame);
	}
}

void
stack_labels_add_segment(struct stack_labels *l, const struct classifier *c, uint32_t segment)
{
	const struct segments *segments = classifier_segments(c);
	struct segment is = segments_get(segments, segment);

	begin_stack(l);
	for (uint32_t place = is.to; place-- > is.from && is.to - place <= STACK_FRAMES; )
		add_caller(l, c, segments_frame_at(segments, place));
}

void
stack_labels_make(struct stack_labels *l)
{
	begin_stack(l);
	for (size_t i = 0; i + 1 < l->starts.count; i++)
		*array_push(&l->labels) = text_of(l->stacks.at == NULL ? "" : l->stacks.at + l->starts.at[i],
						  l->starts.at[i + 1] - l->starts.at[i]);
	leaf_labels(l->labels.at, l->labels.count, LABEL_FRAMES, &l->room);
}

void
stack_labels_release(struct stack_labels *l)
{
	array_release(&l->labels);
	array_release(&l->stacks);
	array_release(&l->room);
	array_release(&l->starts);
}
