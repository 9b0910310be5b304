/* SPDX-License-Identifier: MIT
 * class_records: writes what a classifier learned into the stream that is passed on. */
#include "classify/class_records.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_DIGITS 16

struct class_records {
	struct classifier *classifier;
	const struct model *model;
	struct stk_writer *writer;
	uint32_t segments_known;	/* the highest segment when splits were last written */
	/* of the current stream */
	ARRAY(bool) parts_said, classes_said, segments_said;
	ARRAY(uint32_t) ends;		/* by segment: a stack that ends in it; 0: none in this stream */
	ARRAY(uint32_t) path;		/* of the stack at hand: the stack of each depth */
	ARRAY(char) text;
};

void
class_records_open(struct class_records **out, struct classifier *classifier, const struct model *model,
		   struct stk_writer *writer)
{
	struct class_records *r = *out = mem_new(1, sizeof *r);

	r->classifier = classifier;
	r->model = model;
	r->writer = writer;
}

void
class_records_close(struct class_records *r)
{
	if (r == NULL)
		return;
	array_release(&r->parts_said);
	array_release(&r->classes_said);
	array_release(&r->segments_said);
	array_release(&r->ends);
	array_release(&r->path);
	array_release(&r->text);
	free(r);
}

void
class_records_turn(struct class_records *r)
{
	/* earlier splits, also those of a state, are not written again */
	r->segments_known = segments_count(classifier_segments(r->classifier));
	r->parts_said.count = r->classes_said.count = r->segments_said.count = r->ends.count = 0;
}

static struct stk_text
name_of(uint64_t hash, char to[NAME_DIGITS + 1])
{
	return (struct stk_text){ to, (size_t)snprintf(to, NAME_DIGITS + 1, "%016llx", (unsigned long long)hash) };
}

/* --- segments --- */

static struct segment
segment_of(const struct class_records *r, uint32_t id)
{
	return segments_get(classifier_segments(r->classifier), id);
}

static int
say_row(struct class_records *r, uint32_t id, const struct segment *segment, uint32_t end, struct stk_error *err)
{
	const struct segment is = *segment;
	char name[NAME_DIGITS + 1];
	struct stk_segment row = { .id = id,
				   .name = name_of(segment_hash(classifier_segments(r->classifier), id), name),
				   .parent = is.parent,
				   .first = is.first,
				   .second = is.second,
				   .stack = end,
				   .frames = is.to - is.from };

	r->segments_said.at[id] = true;
	r->ends.at[id] = end;
	return stk_writer_add(r->writer, STK_SEGMENT, &row, err);
}

/* A segment, and what it was split from, whose state a half goes on with where no stack of this stream has the whole: a
 * stack that ends in the second half need not end in the whole. Once each, and again when a stack that ends in it is
 * known at last. */
static int
say_segment(struct class_records *r, uint32_t id, uint32_t end, struct stk_error *err)
{
	while (id != 0) {
		const struct segment is = segment_of(r, id);

		array_lengthen(&r->segments_said, id + 1u);
		array_lengthen(&r->ends, id + 1u);
		if (r->segments_said.at[id] && (end == 0 || r->ends.at[id] != 0))
			return 0;
		if (say_row(r, id, &is, end, err) < 0)
			return -1;
		end = 0;
		id = is.parent;
	}
	return 0;
}

/* The stack this many frames nearer to the root; 0 when that is not known. */
static uint32_t
stack_below(const struct class_records *r, uint32_t stack, uint32_t frames)
{
	for (; frames > 0 && stack != 0; frames--) {
		uint64_t parent = model_stack(r->model, stack).parent;

		stack = parent < stack ? (uint32_t)parent : 0;
	}
	return stack;
}

/* A segment whose last frame is at depth `to` of the path, and all below it. Splits may nest deeply: by a list, not by
 * recursion. */
static int
say_tree(struct class_records *r, uint32_t top, uint32_t to, struct number_list *todo, struct stk_error *err)
{
	todo->count = 0;
	*array_push(todo) = top;
	*array_push(todo) = to;
	while (todo->count > 0) {
		uint32_t end = todo->at[--todo->count], id = todo->at[--todo->count];
		const struct segment is = segment_of(r, id);

		if (say_segment(r, id, r->path.at[end], err) < 0)
			return -1;
		if (is.first != 0) {
			*array_push(todo) = is.second;
			*array_push(todo) = end;
			*array_push(todo) = is.first;
			*array_push(todo) = end - (segment_of(r, is.second).to - segment_of(r, is.second).from);
		}
	}
	return 0;
}

static int
say_part(struct class_records *r, uint32_t part, struct stk_error *err)
{
	struct stk_part row = { .id = part,
				.text = classifier_part_text(r->classifier, part),
				.clock = classifier_part_clock(r->classifier, part) };

	array_lengthen(&r->parts_said, part + 1u);
	if (part == 0 || r->parts_said.at[part])
		return 0;
	r->parts_said.at[part] = true;
	return stk_writer_add(r->writer, STK_PART, &row, err);
}

/* A segment is split in all parts, also those that this stream has nothing of. */
static int
say_parts(struct class_records *r, struct stk_error *err)
{
	for (uint32_t part = 1; part <= classifier_parts(r->classifier); part++)
		if (say_part(r, part, err) < 0)
			return -1;
	return 0;
}

/* The splits made since the last call, and their halves, one of which may be in no known stack. */
static int
say_splits(struct class_records *r, int64_t time_ns, struct stk_error *err)
{
	const struct segments *segments = classifier_segments(r->classifier);
	uint32_t count = segments_count(segments);

	for (uint32_t id = r->segments_known + 1; id <= count; id++) {
		const struct segment first = segments_get(segments, id);
		const struct segment parent =
			first.parent == 0 ? (struct segment){ 0 } : segments_get(segments, first.parent);
		struct stk_split row = {
			.time = time_ns, .segment = first.parent, .first = parent.first, .second = parent.second
		};
		uint32_t end;

		if (first.parent == 0 || parent.first != id)
			continue;
		if (say_parts(r, err) < 0 || say_segment(r, first.parent, 0, err) < 0)
			return -1;
		end = r->ends.at[first.parent];
		if (say_segment(r, parent.first, stack_below(r, end, parent.to - first.to), err) < 0 ||
		    say_segment(r, parent.second, end, err) < 0)
			return -1;
		row.frame = model_stack(r->model, r->ends.at[parent.first]).frame;
		if (stk_writer_add(r->writer, STK_SPLIT, &row, err) < 0)
			return -1;
	}
	r->segments_known = count;
	return 0;
}

/* --- classes --- */

static int
say_class(struct class_records *r, uint32_t id, int64_t time_ns, struct stk_error *err)
{
	const struct class *class = classifier_get(r->classifier, id);
	const uint32_t *signature = classifier_signature(r->classifier, id);
	char name[NAME_DIGITS + 1];
	struct stk_class row = { .id = id,
				 .name = name_of(class->name, name),
				 .part = class->part,
				 .parent = classifier_class_below(r->classifier, id),
				 .since = class->seen.from_ns != STK_TIME_UNKNOWN ? class->seen.from_ns : time_ns };

	r->text.count = 0;
	for (uint32_t i = 0; i < class->nodes; i++) {
		array_reserve(&r->text, 12);
		r->text.count += (size_t)snprintf(r->text.at + r->text.count, 12, i == 0 ? "%u" : " %u", signature[i]);
	}
	row.signature = (struct stk_text){ r->text.at, r->text.count };
	return stk_writer_add(r->writer, STK_CLASS, &row, err);
}

/* The stacks of each depth of this one. */
static void
lay_path(struct class_records *r, uint32_t stack, uint32_t depth)
{
	array_lengthen(&r->path, depth + 1u);
	for (uint32_t left = depth + 1; left-- > 0; stack = stack_below(r, stack, 1))
		r->path.at[left] = stack;
}

static int
say_signature(struct class_records *r, uint32_t stack, uint32_t id, struct stk_error *err)
{
	const struct class *class = classifier_get(r->classifier, id);
	const uint32_t *signature = classifier_signature(r->classifier, id);
	struct number_list todo = { 0 };
	uint32_t at = 0;
	int result = 0;

	lay_path(r, stack, classifier_depth(r->classifier, class->stack));
	for (uint32_t i = 0; i < class->nodes && result == 0; i++) {
		const struct segment is = segment_of(r, signature[i]);

		at += is.to - is.from;
		result = say_tree(r, signature[i], at, &todo, err);
	}
	array_release(&todo);
	return result;
}

int
class_records_found(struct class_records *r, uint32_t stack, uint32_t class, int64_t time_ns, struct stk_error *err)
{
	struct stk_class_of_stack row = { .stack = stack, .class = class };

	bool said;

	array_lengthen(&r->classes_said, class + 1u);
	said = r->classes_said.at[class];
	r->classes_said.at[class] = true;
	/* first what the stack contains, so that the places of these segments are known */
	if (!said && say_signature(r, stack, class, err) < 0)
		return -1;
	if (say_splits(r, time_ns, err) < 0 || say_part(r, classifier_get(r->classifier, class)->part, err) < 0)
		return -1;
	if (!said && say_class(r, class, time_ns, err) < 0)
		return -1;
	return stk_writer_add(r->writer, STK_CLASS_OF_STACK, &row, err);
}

/* --- intensities --- */

static int
say_measures(struct class_records *r, struct stk_intensity row, const struct measures *measures, struct stk_error *err)
{
	for (size_t i = 0; i < measures->count; i++) {
		const struct measure *m = &measures->at[i];

		row.id = m->id;
		row.part = m->part;
		row.count = m->now;
		row.total = m->total;
		row.dumps = m->dumps;
		if (stk_writer_add(r->writer, STK_INTENSITY, &row, err) < 0)
			return -1;
	}
	return 0;
}

int
class_records_measured(struct class_records *r, int64_t time_ns, uint64_t dump, const struct measures *classes,
		       const struct measures *segments, struct stk_error *err)
{
	struct stk_intensity row = { .time = time_ns, .dump = dump, .series = STK_SERIES_CLASS };

	if (classes->count == 0 && segments->count == 0)	/* whoever takes means must know of it */
		return stk_writer_add(r->writer, STK_INTENSITY, &row, err);
	if (say_measures(r, row, classes, err) < 0)
		return -1;
	row.series = STK_SERIES_SEGMENT;
	return say_measures(r, row, segments, err);
}

int
class_records_shifted(struct class_records *r, int64_t time_ns, const struct shifts *shifts, struct stk_error *err)
{
	static const char *const kinds[] = { [SHIFT_OF_COST] = "cost-shift", [SHIFT_OF_LEVEL] = "level-shift" };
	static const char *const ratios[] = {
		[RATIO_FIRST] = "whole/first", [RATIO_SECOND] = "whole/second", [RATIO_SIBLINGS] = "second/first"
	};

	for (size_t i = 0; i < shifts->count; i++) {
		const struct shift *shift = &shifts->at[i];
		char name[17], what[64];
		struct stk_anomaly row = { .time = time_ns,
					   .series = STK_SERIES_SEGMENT,
					   .value = shift->value,
					   .expected = shift->expected,
					   .score = shift->score };

		row.name = text_of(name, (size_t)snprintf(name, sizeof name, "%016llx",
							  (unsigned long long)segment_hash(
								  classifier_segments(r->classifier), shift->segment)));
		row.what = text_of(
			what, (size_t)snprintf(what, sizeof what, "%s %s", kinds[shift->kind], ratios[shift->ratio]));
		if (stk_writer_add(r->writer, STK_ANOMALY, &row, err) < 0)
			return -1;
	}
	return 0;
}
