/* SPDX-License-Identifier: MIT
 * one_class: all that is known of one class, or of one segment. */
#include "views.h"

#include "base/bytes.h"
#include "classify/class_shares.h"
#include "classify/segment_neighbours.h"
#include "report/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CLASSES_SHOWN 10

/* A number, or the beginning of a name of at least four hex digits. */
static bool
is_named(const char *id, uint32_t number, uint64_t name)
{
	char text[17], *end;
	size_t size = strlen(id);
	unsigned long value = strtoul(id, &end, 10);

	if (*end == '\0' && value == number && size < 10)
		return true;
	(void)snprintf(text, sizeof text, "%016" PRIx64, name);
	return size >= 4 && size <= 16 && memcmp(text, id, size) == 0;
}

static void
add_label(struct text_buffer *to, const char *label)
{
	add_format(to, "  %-14s", label);
}

static void
add_segment_line(const struct view_of *of, uint32_t id, struct text_buffer *to)
{
	const struct segments *segments = classifier_segments(of->classifier);
	const struct segment is = segments_get(segments, id);

	add_format(to, "\n  segment %u  ", id);
	add_segment_name(of->names, id, to);
	add_format(to, "  %llu\n", (unsigned long long)classifier_tally(of->classifier, id, 0).total);
	for (uint32_t place = is.from; place < is.to; place++) {
		add_string(to, "    ");
		add_masked(to, classifier_frame_text(of->classifier, segments_frame_at(segments, place)));
		add_char(to, '\n');
	}
}

static void
add_stay(const struct view_of *of, uint32_t id, struct text_buffer *to)
{
	struct residence stay;

	add_label(to, "stay");
	if (!class_residence(of, id, &stay))
		add_string(to, "not known: that takes two dumps with times, and threads that can be told apart\n");
	else if (isnan(stay.mean_s))
		add_string(to, "not known: threads that leave are mostly back one dump later, so others may leave unseen\n");
	else if (stay.mean_s <= 0)
		add_string(to, "shorter than dumps are apart\n");
	else if (isinf(stay.mean_s))
		add_string(to, "no exit seen: threads stay, or leave and come back between two dumps\n");
	else
		add_format(to, "%.4g s a call, %.4g calls a second\n", stay.mean_s, stay.rate_s);
}

static void
add_class(const struct view_of *of, uint32_t id, struct text_buffer *to)
{
	const struct class *class = classifier_get(of->classifier, id);
	const uint32_t *signature = classifier_signature(of->classifier, id);
	const struct dump_times times =
		dump_sources_get(sample_intake_sources(of->intake), classifier_part_clock(of->classifier, class->part));
	double *shares = class_shares(of->classifier);

	add_format(to, "class %u  ", id);
	add_hash(to, class->name);
	add_char(to, '\n');
	if (class->part != 0) {
		add_label(to, "part");
		add_masked(to, classifier_part_text(of->classifier, class->part));
		add_char(to, '\n');
	}
	add_label(to, "now, total");
	add_format(to, "%llu, %llu", (unsigned long long)class_now(of->classifier, id),
		   (unsigned long long)class->total);
	if (times.dumps > 0)
		add_format(to, "; %.4g a dump", (double)class->total / (double)times.dumps);
	add_char(to, '\n');
	add_label(to, "share");
	add_share(to, shares[id], 1);
	add_string(to, " of the stacks with its beginning\n");
	add_label(to, "seen");
	add_moment_for_people(to, class->seen.from_ns, of->settings->zone);
	add_string(to, " to ");
	add_moment_for_people(to, class->seen.to_ns, of->settings->zone);
	add_char(to, '\n');
	add_label(to, "states");
	add_states(to, class_states_of(sample_intake_states(of->intake), id));
	add_char(to, '\n');
	add_stay(of, id, to);
	add_label(to, "signature");
	add_signature(of->names, id, (struct signature_marks){ "(", ")", "" }, to);
	add_char(to, '\n');
	for (uint32_t i = 0; i < class->nodes; i++)
		add_segment_line(of, signature[i], to);
	free(shares);
}

int
view_class(const struct view_of *of, const char *id, struct text_buffer *to, struct stk_error *err)
{
	uint32_t found = 0;

	for (uint32_t number = 1; number <= classifier_classes(of->classifier); number++)
		if (is_named(id, number, classifier_get(of->classifier, number)->name)) {
			if (found++ > 0)
				add_char(to, '\n');
			add_class(of, number, to);
		}
	return found > 0 ? 0
			 : stk_fail(err, STK_EUSAGE, "--class: there is no class '%s' among %u", id,
				    classifier_classes(of->classifier));
}

/* --- a segment --- */

static void
add_relative(const struct view_of *of, const char *label, uint32_t id, struct text_buffer *to)
{
	if (id == 0)
		return;
	add_label(to, label);
	add_format(to, "%u ", id);
	add_segment_name(of->names, id, to);
	add_format(to, "  %llu\n", (unsigned long long)classifier_tally(of->classifier, id, 0).total);
}

static void
add_ratio(const struct view_of *of, const char *label, uint32_t id, enum ratio_which which, struct text_buffer *to)
{
	const struct followed *f = segment_ratios_of(sample_intake_ratios(of->intake), id, 0, which);

	if (f == NULL || f->count == 0)
		return;
	add_label(to, label);
	add_format(to, "%.4g of late, %.4g on the whole, deviation %.3g, %llu dumps, %s\n", f->recent, f->mean,
		   sqrt(f->variance), (unsigned long long)f->count,
		   which >= LEVEL_WHOLE ? "a level"
		   : f->converged       ? "converged"
					: "not converged");
}

struct holder { uint32_t segment; bool found; };

static void
look_for(void *context, uint32_t segment)
{
	struct holder *holder = context;

	holder->found |= holder->segment == segment;
}

static void
add_holders(const struct view_of *of, uint32_t id, struct text_buffer *to)
{
	uint32_t shown = 0, count = 0;

	add_label(to, "classes");
	for (uint32_t class = 1; class <= classifier_classes(of->classifier); class++) {
		struct holder holder = { id, false };

		classifier_visit(of->classifier, class, look_for, &holder);
		if (!holder.found)
			continue;
		count++;
		if (shown++ < CLASSES_SHOWN)
			add_format(to, "%u ", class);
	}
	if (count > CLASSES_SHOWN)
		add_format(to, "and %u more", count - CLASSES_SHOWN);
	add_char(to, '\n');
}

#define NEIGHBOURS_SHOWN 10

/* The segments before it in stacks, or after it, the root being first: a line for each. */
static void
add_neighbours(const struct view_of *of, const struct segment_neighbours *neighbours, uint32_t id,
	       enum segment_side side, struct text_buffer *to)
{
	size_t count;
	const struct segment_neighbour *at = segment_neighbours_of(neighbours, id, side, &count);

	for (size_t i = 0; i < count && i < NEIGHBOURS_SHOWN; i++) {
		add_label(to, i > 0 ? "" : side == SIDE_BEFORE ? "before it" : "after it");
		if (at[i].other == 0) {
			add_string(to, side == SIDE_BEFORE ? "nothing: stacks begin" : "nothing: stacks end");
		} else {
			add_format(to, "%u ", at[i].other);
			add_segment_name(of->names, at[i].other, to);
		}
		add_format(to, "  %llu\n", (unsigned long long)at[i].count);
	}
	if (count > NEIGHBOURS_SHOWN) {
		add_label(to, "");
		add_format(to, "and %zu more (--segments -f tsv)\n", count - NEIGHBOURS_SHOWN);
	}
}

static void
add_segment(const struct view_of *of, uint32_t id, const struct segment_neighbours *neighbours, struct text_buffer *to)
{
	const struct segments *segments = classifier_segments(of->classifier);
	const struct segment is = segments_get(segments, id);

	add_format(to, "segment %u  ", id);
	add_segment_name(of->names, id, to);
	add_char(to, '\n');
	add_label(to, "now, total");
	add_format(to, "%llu, %llu\n", (unsigned long long)segment_now(of->classifier, id, 0),
		   (unsigned long long)classifier_tally(of->classifier, id, 0).total);
	add_relative(of, "split from", is.parent, to);
	add_relative(of, "first half", is.first, to);
	add_relative(of, "second half", is.second, to);
	if (is.first != 0) {
		add_ratio(of, "whole/first", id, RATIO_FIRST, to);
		add_ratio(of, "whole/second", id, RATIO_SECOND, to);
		add_ratio(of, "second/first", id, RATIO_SIBLINGS, to);
		add_ratio(of, "whole", id, LEVEL_WHOLE, to);
		add_ratio(of, "first", id, LEVEL_FIRST, to);
		add_ratio(of, "second", id, LEVEL_SECOND, to);
	}
	add_neighbours(of, neighbours, id, SIDE_BEFORE, to);
	add_neighbours(of, neighbours, id, SIDE_AFTER, to);
	add_holders(of, id, to);
	for (uint32_t place = is.from; place < is.to; place++) {
		add_string(to, "    ");
		add_masked(to, classifier_frame_text(of->classifier, segments_frame_at(segments, place)));
		if (frame_is_mixed(sample_intake_variants(of->intake), segments_frame_at(segments, place))) {
			add_string(to, "    ");
			add_variants(of, segments_frame_at(segments, place), to);
		}
		add_char(to, '\n');
	}
}

int
view_segment(const struct view_of *of, const char *id, struct text_buffer *to, struct stk_error *err)
{
	const struct segments *segments = classifier_segments(of->classifier);
	struct segment_neighbours neighbours;
	uint32_t found = 0;

	segment_neighbours_find(&neighbours, of->classifier);
	for (uint32_t number = 1; number <= segments_count(segments); number++)
		if (is_named(id, number, segment_hash(segments, number))) {
			if (found++ > 0)
				add_char(to, '\n');
			add_segment(of, number, &neighbours, to);
		}
	segment_neighbours_release(&neighbours);
	return found > 0 ? 0
			 : stk_fail(err, STK_EUSAGE, "--segment: there is no segment '%s' among %u", id,
				    segments_count(segments));
}
