/* SPDX-License-Identifier: MIT
 * stream_series: ids of a stream become series by name, once each; after that a row costs one array access. */
#include "trend/stream_series.h"

#include "base/bytes.h"
#include "base/id_table.h"
#include "base/text_buffer.h"
#include "base/text_table.h"
#include "base/time_range.h"
#include "choose/selected_blocks.h"
#include "choose/selection.h"
#include "model/frame_identity.h"
#include "model/sample_columns.h"
#include "model/state_stack.h"
#include "trend/class_paths.h"
#include "trend/hour_counts.h"
#include "trend/watched_threads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GROUP_DEPTH_MOST 64
#define SPLITS_MOST      1000	/* of a segment, one in another */
#define LABEL_FRAMES     12	/* of a label: what waits has many of the platform before its own */

struct part { struct stk_text text; uint32_t clock; };
/* What it was split from, what it was split into, and when; 0: none, not known. */
struct segment { uint64_t whole, first, second; int64_t split_ns; };

/* A group, and what it is in. */
struct group {
	uint64_t scheme, id, parent;
	uint32_t series;	/* 0: not followed */
	uint32_t above;		/* the number of the parent; 0 none */
	bool named;
	struct stk_text name;
};
struct membership { uint64_t scheme; uint32_t group, next; };	/* group 0: none; next: plus 1 */

struct stream_series {
	struct series_set *set;
	struct model *model;
	struct selection *selection;
	/* of the present stream */
	struct id_table names[2];			/* struct stk_text, of classes and segments */
	struct id_table labels[2];			/* struct stk_text */
	struct id_table signatures;			/* struct stk_text, of classes */
	struct id_table segments;			/* struct segment */
	ARRAY(uint64_t) leaves;				/* room */
	ARRAY(uint64_t) nodes;				/* room: leaves, and what they are halves of */
	ARRAY(uint32_t) path;				/* room: the series of nodes */
	struct id_table parts;				/* struct part */
	struct text_table texts;			/* what names point to */
	struct text_table series_keys;			/* of classes and segments: kind, id, part */
	ARRAY(uint32_t) series_of_key;
	/* uint32_t, of classes and segments without a part: series plus 1 */
	struct id_table known[2];
	uint64_t tick_dump;
	int64_t tick_ns;
	bool ticked;
	ARRAY(struct group) groups;
	struct text_table group_keys;			/* scheme, id: the number is the place in groups plus 1 */
	struct id_table schemes;			/* struct stk_text */
	struct id_table first_of_stack;			/* by state_stack: uint32_t, into members, plus 1 */
	struct id_table first_of_thread;		/* the same by thread, of those without a stack */
	ARRAY(struct membership) members;
	uint64_t group_dump;
	int64_t group_second;
	ARRAY(int64_t) dump_times;			/* of the present stream */
	struct time_range sampled;			/* from its first dump with a sample to its last */
	uint64_t sampled_dumps, bare_dumps;		/* with a sample; without, of the streams before it */
	bool grouped;
	struct watched_threads *threads;
};

void
stream_series_open(struct stream_series **out, struct series_set *set, struct model *model, struct selection *selection)
{
	struct stream_series *s = mem_new(1, sizeof *s);

	s->set = set;
	s->model = model;
	s->selection = selection;
	for (unsigned k = 0; k < 2; k++) {
		s->names[k].size = s->labels[k].size = sizeof(struct stk_text);
		s->known[k].size = sizeof(uint32_t);
	}
	s->signatures.size = s->schemes.size = sizeof(struct stk_text);
	s->segments.size = sizeof(struct segment);
	s->parts.size = sizeof(struct part);
	s->first_of_stack.size = s->first_of_thread.size = sizeof(uint32_t);
	watched_threads_open(&s->threads, set, model, selection);
	*out = s;
}

uint64_t
stream_series_bare_dumps(const struct stream_series *s)
{
	uint64_t within = 0;

	for (size_t i = 0; i < s->dump_times.count && s->grouped; i++)
		within += s->dump_times.at[i] >= s->sampled.from_ns && s->dump_times.at[i] <= s->sampled.to_ns;
	return s->bare_dumps + (within > s->sampled_dumps ? within - s->sampled_dumps : 0);
}

static void
forget(struct stream_series *s)
{
	struct id_table *const tables[] = {
		&s->names[0], &s->names[1], &s->labels[0], &s->labels[1], &s->known[0], &s->known[1], &s->signatures,
		&s->segments, &s->parts, &s->schemes, &s->first_of_stack, &s->first_of_thread
	};

	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		id_table_clear(tables[t]);
	s->series_of_key.count = s->groups.count = s->members.count = 0;
	text_table_clear(&s->texts);
	text_table_clear(&s->series_keys);
	text_table_clear(&s->group_keys);
	s->bare_dumps = stream_series_bare_dumps(s);
	s->dump_times.count = s->sampled_dumps = 0;
	s->sampled = TIME_RANGE_NONE;
	s->ticked = s->grouped = false;
	s->tick_dump = s->group_dump = 0;
	s->group_second = INT64_MIN;
}

void
stream_series_close(struct stream_series *s)
{
	if (s == NULL)
		return;
	forget(s);
	watched_threads_close(s->threads);
	array_release(&s->leaves);
	array_release(&s->nodes);
	array_release(&s->path);
	array_release(&s->series_of_key);
	array_release(&s->groups);
	array_release(&s->members);
	array_release(&s->dump_times);
	text_table_release(&s->texts);
	text_table_release(&s->series_keys);
	text_table_release(&s->group_keys);
	free(s);
}

void
stream_series_turn(struct stream_series *s, struct stk_reader *reader)
{
	selection_head(s->selection, reader, 0);
	selected_blocks_follow(s->selection, reader, SELECTED_SAMPLES);
	forget(s);
}

bool
stream_series_wants(unsigned kind)
{
	switch (kind) {
	case STK_SEGMENT: case STK_CLASS: case STK_CLASS_OF_STACK: case STK_INTENSITY: case STK_PART:
	case STK_SCHEME: case STK_GROUP: case STK_GROUP_OF_STACK: case STK_GROUP_OF_THREAD: case STK_GROUP_FIGURE:
	case STK_METRIC: case STK_COUNTER: case STK_SAMPLE: case STK_DUMP: case STK_SPLIT:
		return true;
	default:
		return false;
	}
}

static struct stk_text
keep(struct stream_series *s, struct stk_text text)
{
	return text_table_text(&s->texts, text_table_number(&s->texts, text));
}

/* --- classes and segments --- */

/* A text by id; empty where there is none. */
static struct stk_text
text_of_id(const struct id_table *texts, uint64_t id)
{
	const struct stk_text *text = id_table_find(texts, id);

	return text != NULL ? *text : text_of("", 0);
}

static void
set_text(struct stream_series *s, struct id_table *texts, uint64_t id, struct stk_text text)
{
	*(struct stk_text *)id_table_at(texts, id) = keep(s, text);
}

/* Without what is generated anew each time, as classes are named. */
static void
add_frame(const struct stream_series *s, uint64_t id, struct text_buffer *to)
{
	struct stk_frame frame = model_frame(s->model, id);
	struct stk_text function = model_string(s->model, frame.function);
	size_t size;

	if (function.size == 0) {
		add_char(to, '?');
		return;
	}
	array_reserve(to, function.size);
	size = generated_name_fold(function, (enum stk_form)frame.form, to->at + to->count, to->room - to->count);
	to->count += size < to->room - to->count ? size : to->room - to->count;
}

/* What a stack is called for people: the frame nearest the leaf, and what called it, as far as `frames`. Of a segment
 * these are its own: what calls it differs, and which of them came first from run to run. */
static void
label_id(struct stream_series *s, unsigned which, uint64_t id, uint64_t stack, uint64_t frames)
{
	struct text_buffer label = { 0 };

	if (text_of_id(&s->labels[which], id).size > 0 || model_id(s->model, STK_STACK, stack) == 0)
		return;
	for (unsigned i = 0; i < LABEL_FRAMES && i < frames && stack != 0; i++) {
		struct stk_stack at = model_stack(s->model, stack);

		add_string(&label, i > 0 ? " < " : "");
		add_frame(s, at.frame, &label);
		stack = at.parent;
	}
	set_text(s, &s->labels[which], id, text_in(&label, 0));
	array_release(&label);
}

static struct part
part_of(const struct stream_series *s, uint64_t id)
{
	const struct part *part = id_table_find(&s->parts, id);

	return part != NULL ? *part : (struct part){ .text = { "", 0 } };
}

/* Parts are walked with 0 first, which is no part: the next one after `part`, or false. */
static bool
next_part(struct stream_series *s, uint64_t *part)
{
	return *part < UINT64_MAX && id_table_next(&s->parts, *part + 1, part);
}

/* Of the source of a part "source=web-1 pool=..." its dumps count; of a part without one those of all. */
static uint32_t
clock_of_part(struct stream_series *s, struct stk_text text)
{
	size_t size = 0;

	if (!text_starts(text, "source="))
		return 0;
	text.data += 7;
	text.size -= 7;
	while (size < text.size && text.data[size] != ' ')
		size++;
	return series_set_clock(s->set, text_of(text.data, size));
}

static uint32_t series_of_id(struct stream_series *s, unsigned which, uint64_t id, uint64_t part);

static struct segment
segment_of(const struct stream_series *s, uint64_t id)
{
	const struct segment *segment = id_table_find(&s->segments, id);

	return segment != NULL ? *segment : (struct segment){ 0 };
}

/* All stacks that had a segment have both of its halves: these go on where it stands. */
static void
clone_whole(struct stream_series *s, uint64_t id, uint64_t part, uint32_t series)
{
	uint64_t whole = segment_of(s, id).whole;
	uint32_t from = whole == 0 || whole >= id ? 0 : series_of_id(s, 1, whole, part);

	if (from != 0)
		series_set_clone(s->set, from, series);
}

static uint32_t
series_of_id(struct stream_series *s, unsigned which, uint64_t id, uint64_t part)
{
	uint64_t key[3] = { which, id, part };
	uint32_t number = text_table_number(&s->series_keys, text_of((const char *)key, sizeof key)), series;
	struct part of = part_of(s, part);
	struct stk_text label = { "", 0 };

	if (number <= s->series_of_key.count)
		return s->series_of_key.at[number - 1];
	array_lengthen(&s->series_of_key, number);
	if (text_of_id(&s->names[which], id).size == 0)
		return 0;
	if (id_table_find(&s->labels[which], id) != NULL)
		label = text_of_id(&s->labels[which], id);
	series = series_set_find_labelled(s->set, which == 0 ? STK_SERIES_CLASS : STK_SERIES_SEGMENT,
					  text_of_id(&s->names[which], id), of.text, label);
	s->series_of_key.at[number - 1] = series;
	if (series == 0)
		return 0;
	series_set_edit(s->set, series)->clock = of.clock;
	if (series_set_at(s->set, series)->label.size == 0 && label.size > 0)
		series_set_label(s->set, series, label);
	if (which == 1)
		clone_whole(s, id, part, series);
	return series;
}

/* --- the call tree, as far as signatures tell --- */

/* Of two segments with the same parent the first has the lower number. */
static void
take_segment(struct stream_series *s, const struct stk_segment *row)
{
	struct segment *whole;

	set_text(s, &s->names[1], row->id, row->name);
	label_id(s, 1, row->id, row->stack, row->frames);
	if (row->first != 0 && row->second != 0) {
		whole = id_table_at(&s->segments, row->id);
		whole->first = row->first;
		whole->second = row->second;
	}
	if (row->parent == 0)
		return;
	((struct segment *)id_table_at(&s->segments, row->id))->whole = row->parent;
	whole = id_table_at(&s->segments, row->parent);
	if (whole->first == 0 || whole->first == row->id)
		whole->first = row->id;
	else if (row->id < whole->first) {
		whole->second = whole->first;
		whole->first = row->id;
	} else
		whole->second = row->id;
}

static void
take_split(struct stream_series *s, const struct stk_split *row)
{
	if (row->segment != 0 && row->time != STK_TIME_UNKNOWN)
		((struct segment *)id_table_at(&s->segments, row->segment))->split_ns = row->time;
}

static bool
is_part_of(const struct stream_series *s, uint64_t segment, uint64_t whole)
{
	return segment > whole && segment_of(s, segment).whole == whole;
}

/* The segments that one is made of by now. Each is part of one segment with a lower number, so that this ends. */
static void
add_leaves(struct stream_series *s, uint64_t segment, unsigned depth)
{
	struct segment of = segment_of(s, segment);

	*array_push(&s->nodes) = segment;
	if (is_part_of(s, of.first, segment) && is_part_of(s, of.second, segment) && depth < SPLITS_MOST) {
		add_leaves(s, of.first, depth + 1);
		add_leaves(s, of.second, depth + 1);
		return;
	}
	*array_push(&s->leaves) = segment;
}

/* The series of a class or segment in a part of it, which may be one of an earlier run; NULL when it has none. */
static struct series *
series_in_part(const struct stream_series *s, unsigned which, uint64_t id, uint64_t part)
{
	uint32_t series = series_set_seek(s->set, which == 0 ? STK_SERIES_CLASS : STK_SERIES_SEGMENT,
					  text_of_id(&s->names[which], id), part_of(s, part).text);

	return series == 0 ? NULL : series_set_edit(s->set, series);
}

static void
set_parent(struct stream_series *s, unsigned which, uint64_t id, uint64_t before)
{
	struct stk_text name = text_of_id(&s->names[1], before);
	uint64_t part = 0;

	if (before == 0 || name.size == 0)
		return;
	do {
		struct series *series = series_in_part(s, which, id, part);

		if (series != NULL)
			class_paths_offer(series, series_key(STK_SERIES_SEGMENT, name, part_of(s, part).text));
	} while (next_part(s, &part));
}

/* A class goes through the segments of its signature and all that these were split into, in this order. */
static void
set_class_path(struct stream_series *s, uint64_t class)
{
	uint64_t part = 0;

	do {
		struct stk_text text = part_of(s, part).text;
		uint32_t number =
			series_set_seek(s->set, STK_SERIES_CLASS, text_of_id(&s->names[0], class), text);

		s->path.count = 0;
		for (size_t i = 0; number != 0 && i < s->nodes.count; i++) {
			uint32_t segment = series_set_seek(s->set, STK_SERIES_SEGMENT,
							   text_of_id(&s->names[1], s->nodes.at[i]), text);

			if (segment != 0)
				*array_push(&s->path) = segment;
		}
		if (number != 0)
			class_paths_begin(s->set, number, s->path.at, s->path.count);
	} while (next_part(s, &part));
}

/* A segment is in the one before it, and beside what else follows that. */
static void
link_class(struct stream_series *s, uint64_t class, struct stk_text signature)
{
	const char *at = signature.data, *end = signature.size == 0 ? at : at + signature.size;

	s->leaves.count = s->nodes.count = 0;
	while (at < end) {
		uint64_t id = 0;

		while (at < end && *at >= '0' && *at <= '9')
			id = id * 10 + (uint64_t)(*at++ - '0');
		at += at < end;
		add_leaves(s, id, 0);
	}
	for (size_t i = 1; i < s->leaves.count; i++)
		set_parent(s, 1, s->leaves.at[i], s->leaves.at[i - 1]);
	if (s->leaves.count > 1)
		set_parent(s, 0, class, s->leaves.at[s->leaves.count - 2]);
	set_class_path(s, class);
}

/* The halves of a segment report for it once it was split. */
static void
mark_split(struct stream_series *s, uint64_t segment)
{
	struct segment of = segment_of(s, segment);
	uint64_t part = 0;

	do {
		struct series *whole = series_in_part(s, 1, segment, part);

		if (whole != NULL) {
			if (!whole->split)
				whole->split_ns = of.split_ns != 0 ? of.split_ns : SPLIT_ONCE;
			whole->split = true;
			whole->parent = 0;
		}
	} while (next_part(s, &part));
}

/* Classes of an earlier run, too, go through the halves of what they went through. */
static void
split_paths(struct stream_series *s)
{
	struct segment_halves *halves = mem_new(s->set->series.count + 1, sizeof *halves);
	uint64_t id;

	for (bool more = id_table_next(&s->segments, 0, &id); more;
	     more = id < UINT64_MAX && id_table_next(&s->segments, id + 1, &id)) {
		struct segment of = segment_of(s, id);
		uint64_t part = 0;

		if (of.second == 0)
			continue;
		do {
			struct stk_text text = part_of(s, part).text;
			uint32_t whole =
				series_set_seek(s->set, STK_SERIES_SEGMENT, text_of_id(&s->names[1], id), text);

			if (whole != 0)
				halves[whole - 1] = (struct segment_halves){
					series_set_seek(s->set, STK_SERIES_SEGMENT,
							text_of_id(&s->names[1], of.first), text),
					series_set_seek(s->set, STK_SERIES_SEGMENT,
							text_of_id(&s->names[1], of.second), text)
				};
		} while (next_part(s, &part));
	}
	class_paths_split(s->set, halves, s->set->series.count);
	free(halves);
}

void
stream_series_link(struct stream_series *s)
{
	uint64_t id;

	watched_threads_settle(s->threads);
	for (bool more = id_table_next(&s->segments, 0, &id); more;
	     more = id < UINT64_MAX && id_table_next(&s->segments, id + 1, &id))
		if (segment_of(s, id).second != 0)
			mark_split(s, id);
	for (bool more = id_table_next(&s->signatures, 0, &id); more;
	     more = id < UINT64_MAX && id_table_next(&s->signatures, id + 1, &id))
		link_class(s, id, text_of_id(&s->signatures, id));
	split_paths(s);
	class_paths_index(s->set);
	class_paths_set_parents(s->set);
}

static void
take_class(struct stream_series *s, const struct stk_class *row)
{
	set_text(s, &s->names[0], row->id, row->name);
	set_text(s, &s->signatures, row->id, row->signature);
}

static void
take_class_of_stack(struct stream_series *s, const struct stk_class_of_stack *row)
{
	label_id(s, 0, row->class, row->stack, LABEL_FRAMES);
}

static void
tick(struct stream_series *s, int64_t time_ns, uint64_t id)
{
	struct stk_dump dump;
	uint32_t clock = 0;

	if (s->ticked && s->tick_dump == id && s->tick_ns == time_ns)
		return;
	s->ticked = true;
	s->tick_dump = id;
	s->tick_ns = time_ns;
	series_set_tick(s->set, 0);
	if (id != 0) {
		dump = model_dump(s->model, id);
		clock = series_set_clock(s->set, model_string(s->model, model_source(s->model, dump.source).name));
		series_set_tick(s->set, clock);
	}
	if (s->set->hours != NULL)
		hour_counts_dump(s->set->hours, clock, time_ns);
}

/* Most rows are of no part: their series are found by id alone. */
static uint32_t
series_of_row(struct stream_series *s, unsigned which, uint64_t id, uint64_t part)
{
	const uint32_t *known = part == 0 ? id_table_find(&s->known[which], id) : NULL;
	uint32_t series;

	if (known != NULL)
		return *known - 1;
	series = series_of_id(s, which, id, part);
	if (part == 0 && id_table_find(&s->names[which], id) != NULL)
		*(uint32_t *)id_table_at(&s->known[which], id) = series + 1;
	return series;
}

/* Rows of one moment follow each other: what is asked of the moment is asked once. */
static int
take_intensities(struct stream_series *s, struct stk_reader *reader, const struct stk_block *block,
		 struct stk_error *err)
{
	const uint64_t *time, *dump, *series, *id, *part, *count;
	const uint32_t *rows;
	uint32_t chosen, number;
	int64_t at = STK_TIME_UNKNOWN;
	bool fresh = false;

	if (stk_reader_column(reader, STK_COLUMN(intensity, time), &time, err) < 0 ||
	    model_column(s->model, reader, block, STK_COLUMN(intensity, dump), &dump, err) < 0 ||
	    stk_reader_column(reader, STK_COLUMN(intensity, series), &series, err) < 0 ||
	    stk_reader_column(reader, STK_COLUMN(intensity, id), &id, err) < 0 ||
	    stk_reader_column(reader, STK_COLUMN(intensity, part), &part, err) < 0 ||
	    stk_reader_column(reader, STK_COLUMN(intensity, count), &count, err) < 0)
		return -1;
	if (selection_rows(s->selection, reader, block, &rows, &chosen, err) < 0)
		return -1;
	for (uint32_t i = 0; i < chosen; i++) {
		uint32_t row = selected_row(rows, i);

		if ((int64_t)time[row] != at) {
			at = (int64_t)time[row];
			fresh = series_set_come_to(s->set, LANE_CLASSES, at);
		}
		if (!fresh || series[row] > STK_SERIES_SEGMENT)
			continue;
		tick(s, at, dump[row]);
		number = series_of_row(s, (unsigned)series[row], id[row], part[row]);
		series_set_add(s->set, number, (double)count[row]);
		if (s->set->hours != NULL && series[row] == STK_SERIES_CLASS && part[row] == 0)
			hour_counts_add(s->set->hours, number, (double)count[row]);
	}
	return 0;
}

static void
take_part(struct stream_series *s, const struct stk_part *row)
{
	struct part *part = id_table_at(&s->parts, row->id);

	*part = (struct part){ keep(s, row->text), clock_of_part(s, row->text) };
}

/* --- groups --- */

static struct group *
find_group(struct stream_series *s, uint64_t scheme, uint64_t id)
{
	uint64_t key[2] = { scheme, id };
	uint32_t number = text_table_find(&s->group_keys, text_of((const char *)key, sizeof key));

	return number == 0 ? NULL : &s->groups.at[number - 1];
}

/* Defined twice: the first one counts. */
static void
add_group(struct stream_series *s, uint64_t scheme, uint64_t id, uint64_t parent, struct stk_text name)
{
	uint64_t key[2] = { scheme, id };

	if (text_table_number(&s->group_keys, text_of((const char *)key, sizeof key)) > s->groups.count)
		*array_push(&s->groups) = (struct group){ .scheme = scheme, .id = id, .parent = parent,
			.name = keep(s, name) };
}

static void
add_path(struct stream_series *s, const struct group *group, unsigned depth, struct text_buffer *to)
{
	struct group *above = group->parent == 0 || depth == 0 ? NULL : find_group(s, group->scheme, group->parent);

	if (above != NULL) {
		add_path(s, above, depth - 1, to);
		add_char(to, '/');
	} else if (text_of_id(&s->schemes, group->scheme).size > 0) {
		add_text(to, text_of_id(&s->schemes, group->scheme));
		add_char(to, '/');
	}
	add_text(to, group->name);
}

static void
take_scheme(struct stream_series *s, const struct stk_scheme *row)
{
	set_text(s, &s->schemes, row->id, row->name);
	add_group(s, row->id, 0, 0, text_from("(none)"));
}

static void
take_group(struct stream_series *s, const struct stk_group *row)
{
	add_group(s, row->scheme, row->id, row->parent, row->name);
}

/* The number of a group, plus 1; 0: nothing is known of it. */
static uint32_t
group_number(struct stream_series *s, uint64_t scheme, uint64_t id)
{
	const struct group *group = find_group(s, scheme, id);

	return group == NULL ? 0 : (uint32_t)(group - s->groups.at) + 1;
}

/* Makes the series of a group and of those that it is in, when something is counted in it: its place in a stream does
 * not depend on how many rows a block has. */
static void
begin_group(struct stream_series *s, struct group *group)
{
	struct text_buffer path = { 0 };
	struct group *above = group->parent == 0 ? NULL : find_group(s, group->scheme, group->parent);

	if (group->named)
		return;
	add_path(s, group, GROUP_DEPTH_MOST, &path);
	group->series = series_set_find(s->set, STK_SERIES_GROUP, text_in(&path, 0), text_of("", 0));
	group->above = above == NULL ? 0 : (uint32_t)(above - s->groups.at) + 1;
	group->named = true;
	array_release(&path);
	if (above != NULL)
		begin_group(s, above);
	if (group->series > 0)
		series_set_edit(s->set, group->series)->clock = s->set->group_clock;
	if (group->series > 0 && above != NULL && above->series > 0)
		series_set_edit(s->set, group->series)->parent = series_set_at(s->set, above->series)->key;
}

static void
take_membership(struct stream_series *s, struct id_table *table, uint64_t key, uint64_t scheme, uint64_t id)
{
	uint32_t group = group_number(s, scheme, id), *first = id_table_at(table, key);

	*array_push(&s->members) = (struct membership){ scheme, group, *first };
	*first = (uint32_t)s->members.count;
}

static void
take_group_of_stack(struct stream_series *s, const struct stk_group_of_stack *row)
{
	s->grouped = true;
	if (row->stack == 0 || model_id(s->model, STK_STACK, row->stack) != 0)
		take_membership(s, &s->first_of_stack, state_stack(row->stack, row->state), row->scheme, row->group);
}

static void
take_group_of_thread(struct stream_series *s, const struct stk_group_of_thread *row)
{
	s->grouped = true;
	if (row->thread == 0 || model_id(s->model, STK_THREAD, row->thread) != 0)
		take_membership(s, &s->first_of_thread, row->thread, row->scheme, row->group);
}

struct counted_groups { uint32_t groups[GROUP_DEPTH_MOST], count; double amount; };

/* A group and what it is in, each once. */
static void
count_group(struct stream_series *s, uint32_t group, struct counted_groups *counted)
{
	for (; group != 0 && counted->count < GROUP_DEPTH_MOST; group = s->groups.at[group - 1].above) {
		for (uint32_t k = 0; k < counted->count; k++)
			if (counted->groups[k] == group)
				return;
		begin_group(s, &s->groups.at[group - 1]);
		counted->groups[counted->count++] = group;
		series_set_add(s->set, s->groups.at[group - 1].series, counted->amount);
	}
}

/* The first of the groups that a table has for a key, plus 1; 0: nothing is said of them. */
static uint32_t
first_of(const struct id_table *table, uint64_t key)
{
	const uint32_t *first = id_table_find(table, key);

	return first == NULL ? 0 : *first;
}

static bool
has_scheme(const struct stream_series *s, uint32_t at, uint64_t scheme)
{
	for (; at != 0; at = s->members.at[at - 1].next)
		if (s->members.at[at - 1].scheme == scheme)
			return true;
	return false;
}

/* Those of one chain, but for schemes that the chain `before` speaks of. */
static void
count_chain(struct stream_series *s, uint32_t at, uint32_t before, struct counted_groups *counted)
{
	for (; at != 0; at = s->members.at[at - 1].next)
		if (!has_scheme(s, before, s->members.at[at - 1].scheme))
			count_group(s, s->members.at[at - 1].group, counted);
}

/* What is said of all states holds for the schemes that say nothing of this one; what is said of stacks for those that
 * say nothing of a thread without one. */
static void
count_groups(struct stream_series *s, uint64_t stack, uint64_t state, uint64_t thread_id, double amount)
{
	uint32_t thread = stack == 0 ? first_of(&s->first_of_thread, thread_id) : 0;
	uint32_t own = first_of(&s->first_of_stack, state_stack(stack, state));
	uint32_t any = first_of(&s->first_of_stack, state_stack(stack, STK_STATE_UNKNOWN));
	struct counted_groups counted = { .amount = amount };

	count_chain(s, thread, 0, &counted);
	count_chain(s, own, thread, &counted);
	if (any != own)
		count_chain(s, any, own, &counted);
}

/* Pairs of events and their points are rows of their own, which say nothing of samples. */
static bool
is_of_events(const struct stk_group_figure *row)
{
	return row->samples == 0 && row->weight == 0 &&
	       (row->paired > 0 || row->pairs + row->points > 0 || row->payload_name.size > 0);
}

static void
take_group_figure(struct stream_series *s, const struct stk_group_figure *row)
{
	uint32_t group;

	if (s->grouped || row->thread != 0 || is_of_events(row) || !series_set_come_to(s->set, LANE_GROUPS, row->time))
		return;
	group = group_number(s, row->scheme, row->group);
	if (s->group_second != row->time) {
		s->group_second = row->time;
		series_set_tick(s->set, s->set->group_clock);
	}
	if (group > 0) {
		begin_group(s, &s->groups.at[group - 1]);
		series_set_add(s->set, s->groups.at[group - 1].series,
			       (double)row->samples / (row->length > 0 ? (double)row->length / 1e9 : 1));
	}
}

/* --- samples --- */

static void
tick_groups(struct stream_series *s, uint64_t dump, int64_t time_ns)
{
	int64_t second = time_ns / 1000000000;

	if (dump != 0 ? dump == s->group_dump : second == s->group_second)
		return;
	s->sampled_dumps += dump != 0;
	if (dump != 0)
		time_range_add(&s->sampled, time_ns);
	s->group_dump = dump;
	s->group_second = second;
	series_set_tick(s->set, s->set->group_clock);
}

static void
take_sample(struct stream_series *s, const struct sample_columns *c, uint32_t row)
{
	uint64_t dump = sample_value(&c->dump, row), stack = sample_value(&c->stack, row);
	int64_t time_ns = sample_time(c, row);

	if (s->grouped && series_set_come_to(s->set, LANE_GROUPS, time_ns)) {
		tick_groups(s, dump, time_ns);
		count_groups(s, stack, sample_value(&c->state, row), sample_value(&c->thread, row),
			     dump != 0 ? (double)sample_value(&c->weight, row) : 1);
	}
	if (dump != 0)
		watched_threads_take(s->threads, sample_value(&c->thread, row), stack, sample_value(&c->state, row),
				     time_ns);
}

/* A dump in which nothing was chosen counts all the same, if what was asked for could be in it. */
static void
pass_sample(struct stream_series *s, const struct sample_columns *c, uint32_t row)
{
	struct where_sample sample = { .time = sample_time(c, row), .thread = sample_value(&c->thread, row),
				       .dump = sample_value(&c->dump, row), .event = sample_value(&c->event, row) };

	if (s->grouped && selection_takes_moment(s->selection, &sample) &&
	    series_set_come_to(s->set, LANE_GROUPS, sample.time))
		tick_groups(s, sample.dump, sample.time);
}

static int
take_samples(struct stream_series *s, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	const unsigned wanted = SAMPLE_TIME | SAMPLE_THREAD | SAMPLE_DUMP | SAMPLE_STACK | SAMPLE_WEIGHT |
				SAMPLE_STATE | SAMPLE_EVENT;
	struct sample_columns c;
	const uint32_t *rows;
	uint32_t count, next = 0;

	if (sample_columns_load(&c, wanted, s->model, reader, block, err) < 0 ||
	    selection_rows(s->selection, reader, block, &rows, &count, err) < 0)
		return -1;
	for (uint32_t row = 0; row < block->rows; row++)
		if (rows == NULL || (next < count && rows[next] == row)) {
			take_sample(s, &c, row);
			next++;
		} else {
			pass_sample(s, &c, row);
		}
	return 0;
}

/* --- metrics and counters --- */

static struct stk_text
source_name(struct stream_series *s, uint64_t source)
{
	struct stk_text name =
		model_string(s->model, model_source(s->model, model_id(s->model, STK_SOURCE, source)).name);

	return text_is(name, "-") ? text_of("", 0) : name;		/* what came through a pipe has no name */
}

static void
take_metric(struct stream_series *s, const struct stk_metric *row)
{
	if (!stk_measure_is_believed(row->value))		/* the reader told */
		return;
	series_set_measure(s->set, series_set_find(s->set, STK_SERIES_METRIC, row->name, source_name(s, row->source)),
			   row->time, row->value);
}

/* A counter's series is how fast it grows, a second. */
static void
take_counter(struct stream_series *s, const struct stk_counter *row)
{
	struct series *counter;
	char name[256];
	uint32_t series;

	if (row->time == STK_TIME_UNKNOWN)
		return;
	snprintf(name, sizeof name, "%.*s", (int)(row->state.size < 200 ? row->state.size : 200), row->state.data);
	if (row->cpu >= 0)
		snprintf(name + strlen(name), 30, "/cpu%lld", (long long)row->cpu);
	series = series_set_find(s->set, STK_SERIES_COUNTER, text_from(name), source_name(s, row->source));
	if (series == 0)
		return;
	counter = series_set_edit(s->set, series);
	if (counter->counted_ns != STK_TIME_UNKNOWN && row->time <= counter->counted_ns)
		return;
	if (counter->counted_ns != STK_TIME_UNKNOWN && row->count >= counter->counted)
		series_set_measure(s->set, series, row->time,
				   (double)(row->count - counter->counted) /
					   ((double)(row->time - counter->counted_ns) / 1e9));
	counter->counted = row->count;
	counter->counted_ns = row->time;
}

/* --- blocks --- */

union any_row {
	struct stk_segment segment;
	struct stk_split split;
	struct stk_class class;
	struct stk_class_of_stack class_of_stack;
	struct stk_part part;
	struct stk_scheme scheme;
	struct stk_group group;
	struct stk_group_of_stack group_of_stack;
	struct stk_group_of_thread group_of_thread;
	struct stk_group_figure group_figure;
	struct stk_metric metric;
	struct stk_counter counter;
	struct stk_dump dump;
};

static void
take_row(struct stream_series *s, unsigned kind, const union any_row *row)
{
	switch (kind) {
	case STK_SEGMENT:        take_segment(s, &row->segment); break;
	case STK_SPLIT:          take_split(s, &row->split); break;
	case STK_CLASS:          take_class(s, &row->class); break;
	case STK_CLASS_OF_STACK: take_class_of_stack(s, &row->class_of_stack); break;
	case STK_PART:           take_part(s, &row->part); break;
	case STK_SCHEME:         take_scheme(s, &row->scheme); break;
	case STK_GROUP:          take_group(s, &row->group); break;
	case STK_GROUP_OF_STACK: take_group_of_stack(s, &row->group_of_stack); break;
	case STK_GROUP_OF_THREAD: take_group_of_thread(s, &row->group_of_thread); break;
	case STK_GROUP_FIGURE:   take_group_figure(s, &row->group_figure); break;
	case STK_METRIC:         take_metric(s, &row->metric); break;
	case STK_COUNTER:        take_counter(s, &row->counter); break;
	case STK_DUMP:           *array_push(&s->dump_times) = row->dump.time; break;
	default: break;
	}
}

int
stream_series_take(struct stream_series *s, struct stk_reader *reader, const struct stk_block *block,
		   struct stk_error *err)
{
	union any_row row;
	const uint32_t *rows;
	uint32_t count;

	if (!stream_series_wants(block->kind))
		return 0;
	if (block->kind == STK_SAMPLE)
		return take_samples(s, reader, block, err);
	if (block->kind == STK_INTENSITY)
		return take_intensities(s, reader, block, err);
	if (stk_reader_rows(reader, err) < 0 || selection_rows(s->selection, reader, block, &rows, &count, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		stk_reader_row(reader, selected_row(rows, i), &row);
		take_row(s, block->kind, &row);
	}
	return 0;
}
