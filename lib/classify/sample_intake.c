/* SPDX-License-Identifier: MIT
 * sample_intake: the samples of streams become counts of a classifier, dump by dump. */
#include "classify/sample_intake.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/hash_map.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/time_math.h"
#include "model/model.h"
#include "model/sample_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#define IDENTITY_MAX 4096	/* bytes of a frame's identity; a longer one is truncated, with its hash in place of the
				 * rest */
#define POOL_MAX     512

#define IS_CLASS     (UINT32_C(1) << 31)	/* stacks and classes have numbers below it */

struct source_entry { struct dump_times times; bool in_slice; };

struct thread_entry {		/* of the present stream's threads */
	uint64_t hash;		/* 0: nothing distinguishes it from others */
	uint32_t source;	/* a number of ours */
	uint32_t part;		/* by source and pool; states make it more */
	bool known;
};

struct pair { uint32_t stack, part, class; };
struct noted_stack { uint32_t stack; uint64_t times; };

struct sample_intake {
	struct sample_options options;
	bool has_parts;
	struct classifier *classifier;
	struct model *model;
	struct class_records *records;		/* NULL: nothing is written */
	struct seen_dumps *seen;
	struct thread_stays *stays;
	struct segment_ratios *ratios;
	struct frame_variants *variants;
	struct stk_writer *writer;
	struct sample_intake_totals totals;
	struct arena texts;
	ARRAY(struct source_entry) sources;	/* by our number */
	ARRAY(uint64_t) states;			/* STATES_COUNT a class */

	/* of the present stream: what its ids are to the classifier; 0 not asked yet */
	struct id_table frames, source_of;	/* uint32_t */
	struct id_table stacks;			/* uint32_t: the classifier's stack; or its class, with IS_CLASS */
	struct id_table threads;		/* struct thread_entry */
	struct id_table stack_counts;		/* uint64_t, by stack, for variants */
	struct hash_map pair_map;		/* with parts: (stack, part) to pairs */
	ARRAY(struct pair) pairs;
	ARRAY(uint32_t) todo;

	/* the dump or slice at hand */
	bool open;
	uint64_t dump;				/* 0: a slice */
	uint64_t passed;			/* the last one that does not count; 0 */
	int64_t time_ns;			/* of the dump, or of the slice's start */
	uint32_t source;
	ARRAY(uint64_t) noted_states;		/* STATES_COUNT a class */
	ARRAY(size_t) noted_places;		/* in noted_states, that are not 0 */
	ARRAY(struct noted_stack) noted_stacks;	/* for variants */
	ARRAY(uint32_t) row_classes;		/* of the rows at hand; 0 without a stack */
	ARRAY(uint64_t) row_times;
	ARRAY(uint32_t) heard_classes;		/* for the listener */
	ARRAY(uint64_t) heard_times;
};

void
sample_intake_open(struct sample_intake **out, const struct sample_options *options, struct classifier *classifier,
		   struct model *model, struct stk_writer *writer)
{
	struct sample_intake *s = *out = mem_new(1, sizeof *s);

	s->options = *options;
	s->has_parts = options->by_source || options->by_pool || options->by_state;
	s->classifier = classifier;
	s->model = model;
	s->writer = writer;
	s->frames.size = s->stacks.size = s->source_of.size = sizeof(uint32_t);
	s->threads.size = sizeof(struct thread_entry);
	s->stack_counts.size = sizeof(uint64_t);
	if (writer != NULL)
		class_records_open(&s->records, classifier, model, writer);
	seen_dumps_open(&s->seen);
	thread_stays_open(&s->stays);
	segment_ratios_open(&s->ratios, classifier);
	frame_variants_open(&s->variants);
	*array_push(&s->sources) = (struct source_entry){ .times = { .source = { "", 0 }, .range = TIME_RANGE_NONE } };
}

static void
forget_stream(struct sample_intake *s)
{
	id_table_clear(&s->frames);
	id_table_clear(&s->stacks);
	id_table_clear(&s->source_of);
	id_table_clear(&s->threads);
	id_table_clear(&s->stack_counts);
	s->pairs.count = 0;
	hash_map_clear(&s->pair_map);
	s->passed = 0;
}

void
sample_intake_close(struct sample_intake *s)
{
	if (s == NULL)
		return;
	forget_stream(s);
	class_records_close(s->records);
	seen_dumps_close(s->seen);
	thread_stays_close(s->stays);
	segment_ratios_close(s->ratios);
	frame_variants_close(s->variants);
	arena_release(&s->texts);
	array_release(&s->sources);
	array_release(&s->states);
	array_release(&s->pairs);
	hash_map_release(&s->pair_map);
	array_release(&s->todo);
	array_release(&s->noted_states);
	array_release(&s->noted_places);
	array_release(&s->noted_stacks);
	array_release(&s->row_classes);
	array_release(&s->row_times);
	array_release(&s->heard_classes);
	array_release(&s->heard_times);
	free(s);
}

/* --- what the stream's ids are --- */

static uint32_t
frame_of(struct sample_intake *s, uint64_t frame)
{
	struct stk_frame row;
	struct frame_names names;
	char text[IDENTITY_MAX];
	/* all that are lost are one */
	uint32_t *known = id_table_at(&s->frames, model_knows(s->model, STK_FRAME, frame) ? frame : 0);
	size_t size;

	if (*known != 0)
		return *known;
	row = model_frame(s->model, frame);
	names = (struct frame_names){ model_string(s->model, row.function),
				      model_string(s->model, row.module),
				      model_string(s->model, row.file),
				      row.line,
				      row.form,
				      row.address,
				      row.offset };
	if (!model_knows(s->model, STK_FRAME, frame))
		names = (struct frame_names){ .function = text_from("?") };
	size = frame_identity(&names, &s->options.identity, text, sizeof text);
	if (size > sizeof text)
		size = sizeof text - 20 +
		       (size_t)snprintf(text + sizeof text - 20, 20, "...%016llx",
					(unsigned long long)XXH3_64bits(names.function.data, names.function.size));
	return *known = classifier_frame(s->classifier, text_of(text, size));
}

/* Its ancestors first: as many as are new, by a list. A parent that is not defined before its child ends the walk. */
static uint32_t
stack_of(struct sample_intake *s, uint32_t stack)
{
	uint32_t known = 0;

	s->todo.count = 0;
	for (uint64_t at = stack; at != 0; ) {
		uint32_t *place = id_table_at(&s->stacks, at);
		uint64_t parent = model_stack(s->model, at).parent;

		known = *place & IS_CLASS ? classifier_get(s->classifier, *place & ~IS_CLASS)->stack : *place;
		if (known != 0)
			break;
		*array_push(&s->todo) = (uint32_t)at;
		at = parent < at && model_knows(s->model, STK_STACK, parent) ? parent : 0;
	}
	while (s->todo.count > 0) {
		uint32_t at = s->todo.at[--s->todo.count];

		known = classifier_stack(s->classifier, known, frame_of(s, model_stack(s->model, at).frame));
		*(uint32_t *)id_table_at(&s->stacks, at) = known;
	}
	return known;
}

static uint32_t
source_of(struct sample_intake *s, uint64_t source)
{
	const struct stk_source row = model_source(s->model, source);
	struct stk_text name = model_string(s->model, row.name);
	uint32_t *known = id_table_at(&s->source_of, model_knows(s->model, STK_SOURCE, source) ? source : 0);
	char text[1024];
	int size;

	if (*known != 0)
		return *known;
	size = row.pid != 0 ? snprintf(text, sizeof text, "%.*s:%llu", (int)(name.size < 900 ? name.size : 900),
				       name.data, (unsigned long long)row.pid)
			    : snprintf(text, sizeof text, "%.*s", (int)(name.size < 900 ? name.size : 900), name.data);
	return *known = sample_intake_restore_source(
		       s, &(struct dump_times){ .source = text_of(text, (size_t)size), .range = TIME_RANGE_NONE });
}

uint32_t
sample_intake_restore_source(struct sample_intake *s, const struct dump_times *times)
{
	for (uint32_t i = 0; i < s->sources.count; i++)
		if (text_equal(s->sources.at[i].times.source, times->source)) {
			if (s->sources.at[i].times.dumps == 0)
				s->sources.at[i].times = (struct dump_times){ s->sources.at[i].times.source,
									      times->dumps, times->range };
			return i;
		}
	*array_push(&s->sources) = (struct source_entry){ .times = *times };
	s->sources.at[s->sources.count - 1].times.source =
		(struct stk_text){ arena_copy(&s->texts, times->source.data, times->source.size), times->source.size };
	return (uint32_t)s->sources.count - 1;
}

uint32_t
sample_intake_add_source(struct sample_intake *s, const struct dump_times *times)
{
	uint32_t source = sample_intake_restore_source(
		s, &(struct dump_times){ .source = times->source, .range = TIME_RANGE_NONE });
	struct dump_times *sum = &s->sources.at[source].times;

	sum->dumps += times->dumps;
	time_range_join(&sum->range, &times->range);
	classifier_advance(s->classifier, source, times->dumps);
	return source;
}

void
sample_intake_restore_clocks(struct sample_intake *s)
{
	for (uint32_t i = 0; i < s->sources.count; i++)
		classifier_restore_clock(s->classifier, i, s->sources.at[i].times.dumps);
}

/* --- parts --- */

static size_t
add_key(char *to, size_t size, size_t room, const char *key, struct stk_text value)
{
	int more = snprintf(to + size, room - size, "%s%s=%.*s", size > 0 ? " " : "", key, (int)value.size, value.data);

	return size + ((size_t)more < room - size ? (size_t)more : room - size - 1);
}

static uint32_t
part_of(struct sample_intake *s, uint32_t source, struct stk_text pool, const char *state)
{
	char text[2048];
	size_t size = 0;

	if (s->options.by_source)
		size = add_key(text, size, sizeof text, "source", s->sources.at[source].times.source);
	if (s->options.by_pool)
		size = add_key(text, size, sizeof text, "pool", pool);
	if (state != NULL)
		size = add_key(text, size, sizeof text, "state", text_from(state));
	return size == 0 ? 0 : classifier_part(s->classifier, text_of(text, size), s->options.by_source ? source : 0);
}

static const struct thread_entry *
thread_of(struct sample_intake *s, uint64_t thread)
{
	struct stk_thread row;
	struct thread_entry *entry;
	struct stk_text name;
	char pool[POOL_MAX];
	size_t size;
	uint64_t numbers[3];

	entry = id_table_at(&s->threads, thread);
	if (entry->known)
		return entry;
	row = model_thread(s->model, thread);
	name = model_string(s->model, row.name);
	size = thread_pool(name, pool, sizeof pool);
	entry->known = true;
	entry->source = source_of(s, row.source);
	entry->part = part_of(s, entry->source, text_of(pool, size < sizeof pool ? size : sizeof pool), NULL);
	numbers[0] = row.number;
	numbers[1] = row.tid;
	numbers[2] = entry->source;
	if (name.size > 0 || row.number != 0 || row.tid != 0)
		entry->hash = XXH3_64bits_withSeed(name.data, name.size, XXH3_64bits(numbers, sizeof numbers));
	return entry;
}

/* The part of a thread's sample in a state: its name is rare, and made anew. */
static uint32_t
part_in_state(struct sample_intake *s, uint64_t thread, const struct thread_entry *entry, uint64_t state)
{
	static const char *const names[STATES_COUNT] = { "unknown",    "new",     "runnable",
							 "blocked",    "waiting", "timed-waiting",
							 "terminated", "running", "sleeping" };
	struct stk_text name = model_string(s->model, model_thread(s->model, thread).name);
	char pool[POOL_MAX];
	size_t size = thread_pool(name, pool, sizeof pool);

	return part_of(s, entry->source, text_of(pool, size < sizeof pool ? size : sizeof pool),
		       names[state < STATES_COUNT ? state : 0]);
}

/* --- classes --- */

static int
class_new(struct sample_intake *s, uint32_t stack, uint32_t part, uint32_t *class, struct stk_error *err)
{
	*class = classifier_class(s->classifier, stack_of(s, stack), part);
	return s->records == NULL ? 0 : class_records_found(s->records, stack, *class, s->time_ns, err);
}

static int
class_in_part(struct sample_intake *s, uint32_t stack, uint32_t part, uint32_t *class, struct stk_error *err)
{
	uint64_t hash = (((uint64_t)part << 32 | stack) ^ UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
	uint32_t at = hash_map_start(&s->pair_map, hash), id;

	while ((id = hash_map_next(&s->pair_map, hash, &at)) != 0)
		if (s->pairs.at[id - 1].stack == stack && s->pairs.at[id - 1].part == part) {
			*class = s->pairs.at[id - 1].class;
			return 0;
		}
	if (class_new(s, stack, part, class, err) < 0)
		return -1;
	*array_push(&s->pairs) = (struct pair){ stack, part, *class };
	hash_map_put(&s->pair_map, hash, (uint32_t)s->pairs.count);
	return 0;
}

/* --- dumps --- */

/* True when the current dump was counted before, or must be treated so. */
static bool
is_known(struct sample_intake *s)
{
	static const struct stk_text slices = { "", 0 };
	uint64_t check = classifier_pending(s->classifier);
	enum seen seen;

	if (check == 0 && s->dump == 0)
		return false;
	seen = seen_dumps_note(s->seen, s->dump != 0 ? s->sources.at[s->source].times.source : slices, s->time_ns,
			       (uint32_t)(check ^ check >> 32));
	s->totals.known_dumps += seen == SEEN_SAME;
	s->totals.old_dumps += seen == SEEN_TOO_OLD;
	s->totals.parted_dumps += seen == SEEN_OTHER && s->dump != 0;
	return seen == SEEN_SAME || seen == SEEN_TOO_OLD;
}

static void
note_time(struct dump_times *times, int64_t time_ns)
{
	times->dumps++;
	time_range_add(&times->range, time_ns);
}

static int
say_shifts(struct sample_intake *s, const struct shifts *shifts, struct stk_error *err)
{
	static const char *const kinds[] = { [SHIFT_OF_COST] = "cost-shift", [SHIFT_OF_LEVEL] = "level-shift" };
	static const char *const ratios[] = {
		[RATIO_FIRST] = "whole/first", [RATIO_SECOND] = "whole/second", [RATIO_SIBLINGS] = "second/first"
	};

	s->totals.shifts += shifts->count;
	for (size_t i = 0; i < shifts->count && s->writer != NULL; i++) {
		const struct shift *shift = &shifts->at[i];
		char name[17], what[64];
		struct stk_anomaly row = { .time = s->time_ns,
					   .series = STK_SERIES_SEGMENT,
					   .value = shift->value,
					   .expected = shift->expected,
					   .score = shift->score };

		row.name = text_of(name, (size_t)snprintf(name, sizeof name, "%016llx",
							  (unsigned long long)segment_hash(
								  classifier_segments(s->classifier), shift->segment)));
		row.what = text_of(
			what, (size_t)snprintf(what, sizeof what, "%s %s", kinds[shift->kind], ratios[shift->ratio]));
		if (stk_writer_add(s->writer, STK_ANOMALY, &row, err) < 0)
			return -1;
	}
	return 0;
}

/* What was noted of the current dump is counted, or dropped when the dump was known. */
static void
settle_states(struct sample_intake *s, bool counted)
{
	array_lengthen(&s->states, s->noted_states.count);
	for (size_t i = 0; i < s->noted_places.count; i++) {
		size_t place = s->noted_places.at[i];

		if (counted)
			s->states.at[place] += s->noted_states.at[place];
		s->noted_states.at[place] = 0;
	}
	s->noted_places.count = 0;
	for (size_t i = 0; i < s->noted_stacks.count && counted; i++) {
		uint64_t *times = id_table_at(&s->stack_counts, s->noted_stacks.at[i].stack);

		*times += s->noted_stacks.at[i].times;
	}
	s->noted_stacks.count = 0;
}

/* Nothing of the current dump or slice is kept for the next one. */
static void
discard_dump(struct sample_intake *s)
{
	classifier_discard(s->classifier);
	thread_stays_discard(s->stays);
	settle_states(s, false);
	s->heard_classes.count = s->heard_times.count = 0;
	for (size_t i = 0; i < s->sources.count; i++)
		s->sources.at[i].in_slice = false;
}

static int
tell_listener(const struct sample_intake *s, struct stk_error *err)
{
	const struct dump_listener *listener = s->options.listener;

	return listener == NULL ? 0
				: listener->take(listener->context, s->time_ns,
						 s->sources.at[s->dump != 0 ? s->source : 0].times.source,
						 s->heard_classes.at, s->heard_times.at, s->heard_classes.count, err);
}

static int
end_dump(struct sample_intake *s, struct stk_error *err)
{
	const struct measures *classes, *segments;
	uint32_t source = s->dump != 0 ? s->source : 0;

	if (!s->open)
		return 0;
	s->open = false;
	if (is_known(s)) {
		discard_dump(s);
		return 0;
	}
	s->totals.dumps += s->dump != 0;
	s->totals.slices += s->dump == 0;
	if (s->dump != 0 && s->time_ns != STK_TIME_UNKNOWN && time_range_is_known(&s->sources.at[source].times.range))
		s->totals.backward_dumps += s->time_ns < s->sources.at[source].times.range.to_ns;
	s->sources.at[0].in_slice = s->sources.at[source].in_slice = true;
	for (size_t i = 0; i < s->sources.count; i++)
		if (s->sources.at[i].in_slice)
			note_time(&s->sources.at[i].times, s->time_ns);
	classifier_end_dump(s->classifier, s->options.by_source ? source : 0, s->time_ns, &classes,
			    s->options.follow ? &segments : NULL);
	if (s->dump != 0)
		thread_stays_end_dump(s->stays, source);
	settle_states(s, true);
	if (tell_listener(s, err) < 0)
		return -1;
	discard_dump(s);
	if (!s->options.follow)
		return 0;
	if (s->records != NULL && class_records_measured(s->records, s->time_ns, s->dump, classes, segments, err) < 0)
		return -1;
	return say_shifts(s, segment_ratios_take(s->ratios, segments, s->time_ns), err);
}

static void
begin_dump(struct sample_intake *s, uint64_t dump)
{
	const struct stk_dump row = model_dump(s->model, dump);

	s->open = true;
	s->dump = dump;
	s->time_ns = row.time;
	s->source = source_of(s, row.source);
}

static void
begin_slice(struct sample_intake *s, int64_t time_ns)
{
	s->open = true;
	s->dump = 0;
	s->time_ns = time_ns == STK_TIME_UNKNOWN ? time_ns : time_floor(time_ns, s->options.slice_ns);
}

/* Whether a sample that is part of no dump belongs to the current slice. */
static bool
in_slice(struct sample_intake *s, int64_t time_ns)
{
	if (!s->open || s->dump != 0 || (s->time_ns == STK_TIME_UNKNOWN) != (time_ns == STK_TIME_UNKNOWN))
		return false;
	if (time_ns == STK_TIME_UNKNOWN)
		return true;
	s->totals.late_samples += time_ns < s->time_ns;
	return time_ns < s->time_ns || time_ns - s->time_ns < s->options.slice_ns;
}

/* A stack counts for all of its callers, which have lower ids. */
static void
count_variants(struct sample_intake *s)
{
	for (uint32_t stack = model_before(s->model, STK_STACK, UINT32_MAX); stack != 0;
	     stack = model_before(s->model, STK_STACK, stack)) {
		const struct stk_stack row = model_stack(s->model, stack);
		const struct stk_frame frame = model_frame(s->model, row.frame);
		const uint64_t *times = id_table_find(&s->stack_counts, stack);

		if (times == NULL)
			continue;
		frame_variants_add(s->variants, frame_of(s, row.frame), frame.line, frame.form, *times);
		if (row.parent < stack && model_knows(s->model, STK_STACK, row.parent)) {
			uint64_t *above = id_table_at(&s->stack_counts, row.parent);

			*above += *times;
		}
	}
}

int
sample_intake_turn(struct sample_intake *s, struct stk_error *err)
{
	if (end_dump(s, err) < 0)
		return -1;
	count_variants(s);
	forget_stream(s);
	if (s->records != NULL)
		class_records_turn(s->records);
	return 0;
}

/* --- samples --- */

/* The columns that the options need: enum sample_want. */
static unsigned
wanted_columns(const struct sample_options *o)
{
	bool of_threads = o->by_source || o->by_pool || o->by_state || o->details,
	     of_states = o->by_state || o->details;

	return SAMPLE_TIME | SAMPLE_DUMP | SAMPLE_STACK | SAMPLE_WEIGHT | SAMPLE_EVENT |
	       (of_threads ? SAMPLE_THREAD : 0) | (of_states ? SAMPLE_STATE : 0);
}

struct row_span { uint32_t from, to; };		/* of a block */

/* What a sample counts for. */
static uint64_t
times_of(const struct sample_columns *c, uint32_t row)
{
	return sample_value(&c->event, row) == 0 ? sample_value(&c->weight, row) : 1;
}

/* The class of a sample whose stack was not met yet, or whose class depends on its thread. */
static int
class_of_row(struct sample_intake *s, const struct sample_columns *c, uint32_t row, uint32_t *class,
	     struct stk_error *err)
{
	uint32_t stack = (uint32_t)sample_value(&c->stack, row);

	if (s->has_parts) {
		uint64_t thread = sample_value(&c->thread, row);
		const struct thread_entry *entry = thread_of(s, thread);

		if (s->options.by_source && s->dump == 0)
			s->sources.at[entry->source].in_slice = true;
		return class_in_part(s, stack,
				     s->options.by_state ? part_in_state(s, thread, entry, sample_value(&c->state, row))
							 : entry->part,
				     class, err);
	}
	if (class_new(s, stack, 0, class, err) < 0)
		return -1;
	*(uint32_t *)id_table_at(&s->stacks, stack) = *class | IS_CLASS;
	return 0;
}

/* The class that a stack is known to have in every part; 0: none. */
static uint32_t
known_class(const struct sample_intake *s, uint32_t stack)
{
	const uint32_t *known = s->has_parts ? NULL : id_table_peek(&s->stacks, stack);

	return known != NULL && (*known & IS_CLASS) != 0 ? *known & ~IS_CLASS : 0;
}

static int
find_classes(struct sample_intake *s, const struct sample_columns *c, struct row_span rows, struct stk_error *err)
{
	array_lengthen(&s->row_classes, rows.to - rows.from);
	array_lengthen(&s->row_times, rows.to - rows.from);
	for (uint32_t row = rows.from; row < rows.to; row++) {
		uint32_t stack = (uint32_t)sample_value(&c->stack, row), class = known_class(s, stack);

		if (stack == 0)
			s->totals.stackless++;
		else if (class == 0 && class_of_row(s, c, row, &class, err) < 0)
			return -1;
		s->row_classes.at[row - rows.from] = class;
		s->row_times.at[row - rows.from] = times_of(c, row);
	}
	return 0;
}

static bool
in_dump(struct sample_intake *s, uint64_t dump, int64_t time_ns)
{
	return dump != 0 ? s->open && s->dump == dump : in_slice(s, time_ns);
}

/* The dump or slice of the row: ends the current one when that is another. */
static int
go_to_dump(struct sample_intake *s, uint64_t dump, int64_t time_ns, struct stk_error *err)
{
	if (in_dump(s, dump, time_ns))
		return 0;
	if (end_dump(s, err) < 0)
		return -1;
	if (dump != 0)
		begin_dump(s, dump);
	else
		begin_slice(s, time_ns);
	return 0;
}

/* --- what is noted of the rows at hand, whose classes are known --- */

static void
note_states(struct sample_intake *s, const struct sample_columns *c, struct row_span rows)
{
	array_lengthen(&s->noted_states, (classifier_classes(s->classifier) + 1u) * (size_t)STATES_COUNT);
	for (uint32_t row = rows.from; row < rows.to; row++) {
		uint64_t state = sample_value(&c->state, row), times = s->row_times.at[row - rows.from];
		size_t place = s->row_classes.at[row - rows.from] * (size_t)STATES_COUNT +
			       (state < STATES_COUNT ? state : 0);

		if (place < STATES_COUNT)	/* no class */
			continue;
		if (s->noted_states.at[place] == 0 && times > 0)
			*array_push(&s->noted_places) = place;
		s->noted_states.at[place] += times;
	}
}

static void
note_stacks(struct sample_intake *s, const struct sample_columns *c, struct row_span rows)
{
	for (uint32_t row = rows.from; row < rows.to; row++)
		if (s->row_classes.at[row - rows.from] != 0)
			*array_push(&s->noted_stacks) = (struct noted_stack){ (uint32_t)sample_value(&c->stack, row),
									      s->row_times.at[row - rows.from] };
}

static void
note_threads(struct sample_intake *s, const struct sample_columns *c, struct row_span rows)
{
	for (uint32_t row = rows.from; row < rows.to; row++) {
		uint32_t class = s->row_classes.at[row - rows.from];
		uint64_t thread = class == 0 ? 0 : thread_of(s, sample_value(&c->thread, row))->hash;

		if (thread != 0)
			thread_stays_note(s->stays, thread, class);
	}
}

static void
note_for_listener(struct sample_intake *s, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		*array_push(&s->heard_classes) = s->row_classes.at[i];
		*array_push(&s->heard_times) = s->row_times.at[i];
	}
}

/* Samples of the current dump. */
static int
take_rows(struct sample_intake *s, const struct sample_columns *c, struct row_span rows, struct stk_error *err)
{
	if (find_classes(s, c, rows, err) < 0)
		return -1;
	classifier_count(s->classifier, s->row_classes.at, s->row_times.at, rows.to - rows.from);
	if (s->options.details)
		note_states(s, c, rows);
	if (s->options.details && s->dump != 0)
		note_threads(s, c, rows);
	if (s->options.details && s->options.variants)
		note_stacks(s, c, rows);
	if (s->options.listener != NULL)
		note_for_listener(s, rows.to - rows.from);
	return 0;
}

/* A row that is not chosen: its dump or slice begins all the same, if what was asked for could be in it. */
static int
pass_row(struct sample_intake *s, struct selection *selection, const struct sample_columns *c, uint32_t row,
	 struct stk_error *err)
{
	struct where_sample sample = { .time = sample_time(c, row), .thread = sample_value(&c->thread, row),
				       .dump = sample_value(&c->dump, row), .event = sample_value(&c->event, row) };

	if (sample.dump != 0 && (sample.dump == s->passed || (s->open && s->dump == sample.dump)))
		return 0;
	if (selection_takes_moment(selection, &sample))
		return go_to_dump(s, sample.dump, sample.time, err);
	s->passed = sample.dump;
	return 0;
}

/* How many rows from this one on, which are all chosen, are of the dump or slice of the first. */
static uint32_t
rows_in_dump(struct sample_intake *s, const struct sample_columns *c, struct row_span rows)
{
	uint32_t row = rows.from + 1;

	while (row < rows.to && in_dump(s, sample_value(&c->dump, row), sample_time(c, row)))
		row++;
	return row - rows.from;
}

/* Chosen rows, one after another. */
static int
take_chosen(struct sample_intake *s, const struct sample_columns *c, struct row_span rows, struct stk_error *err)
{
	while (rows.from < rows.to) {
		struct row_span dump = rows;

		if (go_to_dump(s, sample_value(&c->dump, rows.from), sample_time(c, rows.from), err) < 0)
			return -1;
		dump.to = rows.from += rows_in_dump(s, c, rows);
		if (take_rows(s, c, dump, err) < 0)
			return -1;
	}
	return 0;
}

int
sample_intake_take(struct sample_intake *s, struct selection *selection, struct stk_reader *reader,
		   const struct stk_block *block, struct stk_error *err)
{
	struct sample_columns c;
	const uint32_t *rows;
	uint32_t count, row = 0;

	if (selection_rows(selection, reader, block, &rows, &count, err) < 0 ||
	    sample_columns_load(&c, wanted_columns(&s->options) | (rows != NULL ? SAMPLE_THREAD : 0), s->model, reader,
				block, err) < 0)
		return -1;
	s->totals.samples += count;
	if (rows == NULL)
		return take_chosen(s, &c, (struct row_span){ 0, block->rows }, err);
	for (uint32_t next = 0; next <= count; next++) {
		uint32_t chosen = next < count ? rows[next] : block->rows;

		for (; row < chosen; row++)
			if (pass_row(s, selection, &c, row, err) < 0)
				return -1;
		if (next < count && take_chosen(s, &c, (struct row_span){ row, row + 1 }, err) < 0)
			return -1;
		row++;
	}
	return 0;
}

/* --- asking --- */

const struct sample_intake_totals *
sample_intake_totals(const struct sample_intake *s)
{
	return &s->totals;
}

struct seen_dumps *
sample_intake_seen(struct sample_intake *s)
{
	return s->seen;
}

struct thread_stays *
sample_intake_stays(struct sample_intake *s)
{
	return s->stays;
}

struct segment_ratios *
sample_intake_ratios(struct sample_intake *s)
{
	return s->ratios;
}

struct frame_variants *
sample_intake_variants(struct sample_intake *s)
{
	return s->variants;
}

const uint64_t *
sample_intake_states(const struct sample_intake *s, uint32_t class)
{
	return (class + 1u) * (size_t)STATES_COUNT <= s->states.count ? &s->states.at[class * (size_t)STATES_COUNT]
								      : NULL;
}

void
sample_intake_restore_states(struct sample_intake *s, uint32_t class, const uint64_t states[STATES_COUNT])
{
	array_lengthen(&s->states, (class + 1u) * (size_t)STATES_COUNT);
	memcpy(&s->states.at[class * (size_t)STATES_COUNT], states, STATES_COUNT * sizeof *states);
}

uint32_t
sample_intake_sources(const struct sample_intake *s)
{
	return (uint32_t)s->sources.count - 1;
}

struct dump_times
sample_intake_source(const struct sample_intake *s, uint32_t source)
{
	return s->sources.at[source].times;
}

size_t
sample_intake_bytes(const struct sample_intake *s)
{
	return classifier_bytes(s->classifier) + thread_stays_bytes(s->stays) + segment_ratios_bytes(s->ratios) +
	       id_table_bytes(&s->frames) + id_table_bytes(&s->stacks) + id_table_bytes(&s->threads) +
	       s->pairs.room * sizeof *s->pairs.at + hash_map_bytes(&s->pair_map) +
	       s->states.room * sizeof *s->states.at;
}
