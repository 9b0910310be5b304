/* SPDX-License-Identifier: MIT
 * sample_intake: the samples of streams become counts of a classifier, dump by dump. */
#include "classify/sample_intake.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/time_math.h"
#include "classify/stack_forms.h"
#include "classify/stream_ids.h"
#include "model/model.h"
#include "model/sample_columns.h"

#include <stdlib.h>

struct sample_intake {
	struct sample_options options;
	bool has_parts;
	struct classifier *classifier;
	struct model *model;
	struct class_records *records;		/* NULL: nothing is written */
	struct seen_dumps *seen;
	struct dump_sources *sources;
	struct thread_stays *stays;
	struct segment_ratios *ratios;
	struct frame_variants *variants;
	struct stk_writer *writer;
	struct sample_intake_totals totals;
	struct class_states states;

	/* of the present stream */
	struct stream_ids ids;
	struct stack_forms forms;		/* for variants */

	/* the dump or slice at hand */
	bool open;
	uint64_t dump;				/* 0: a slice */
	uint64_t passed;			/* the last one that does not count; 0 */
	int64_t time_ns;			/* of the dump, or of the slice's start */
	uint32_t source;
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
	dump_sources_open(&s->sources);
	s->ids = (struct stream_ids){ .classifier = classifier, .model = model, .sources_counted = s->sources,
				      .identity = options->identity,
				      .by_source = options->by_source, .by_pool = options->by_pool };
	stream_ids_begin(&s->ids);
	s->forms = STACK_FORMS_EMPTY;
	if (writer != NULL)
		class_records_open(&s->records, classifier, model, writer);
	seen_dumps_open(&s->seen);
	thread_stays_open(&s->stays);
	segment_ratios_open(&s->ratios, classifier);
	frame_variants_open(&s->variants);
}

void
sample_intake_close(struct sample_intake *s)
{
	if (s == NULL)
		return;
	class_records_close(s->records);
	seen_dumps_close(s->seen);
	thread_stays_close(s->stays);
	segment_ratios_close(s->ratios);
	frame_variants_close(s->variants);
	dump_sources_close(s->sources);
	class_states_release(&s->states);
	stream_ids_release(&s->ids);
	stack_forms_release(&s->forms);
	array_release(&s->row_classes);
	array_release(&s->row_times);
	array_release(&s->heard_classes);
	array_release(&s->heard_times);
	free(s);
}

/* --- classes --- */

static int
class_new(struct sample_intake *s, uint32_t stack, uint32_t part, uint32_t *class, struct stk_error *err)
{
	*class = classifier_class(s->classifier, stream_ids_stack(&s->ids, stack), part);
	return s->records == NULL ? 0 : class_records_found(s->records, stack, *class, s->time_ns, err);
}

/* --- dumps --- */

/* True when the current dump was counted before, or must be treated so. */
static bool
is_known(struct sample_intake *s)
{
	static const struct stk_text slices = { "", 0 };
	uint64_t check = classifier_pending(s->classifier);
	struct stk_text name;
	enum seen seen;

	if (check == 0 && s->dump == 0)
		return false;
	name = s->dump != 0 ? dump_sources_get(s->sources, s->source).source : slices;
	seen = seen_dumps_note(s->seen, name, s->time_ns, (uint32_t)(check ^ check >> 32));
	s->totals.known_dumps += seen == SEEN_SAME;
	s->totals.old_dumps += seen == SEEN_TOO_OLD;
	s->totals.parted_dumps += seen == SEEN_OTHER && s->dump != 0;
	return seen == SEEN_SAME || seen == SEEN_TOO_OLD;
}

/* Nothing of the current dump or slice is kept for the next one. */
static void
discard_dump(struct sample_intake *s)
{
	classifier_discard(s->classifier);
	thread_stays_discard(s->stays);
	class_states_settle(&s->states, false);
	stack_forms_settle(&s->forms, false);
	s->heard_classes.count = s->heard_times.count = 0;
	dump_sources_unmark(s->sources);
}

static int
tell_listener(const struct sample_intake *s, struct stk_error *err)
{
	const struct dump_listener *listener = s->options.listener;

	return listener == NULL ? 0
				: listener->take(listener->context, s->time_ns,
						 dump_sources_get(s->sources, s->dump != 0 ? s->source : 0).source,
						 s->heard_classes.at, s->heard_times.at, s->heard_classes.count, err);
}

static int
end_dump(struct sample_intake *s, struct stk_error *err)
{
	const struct measures *classes, *segments;
	const struct shifts *shifts;
	uint32_t source = s->dump != 0 ? s->source : 0;
	struct time_range before = dump_sources_get(s->sources, source).range;

	if (!s->open)
		return 0;
	s->open = false;
	if (is_known(s)) {
		discard_dump(s);
		return 0;
	}
	s->totals.dumps += s->dump != 0;
	s->totals.slices += s->dump == 0;
	if (s->dump != 0 && s->time_ns != STK_TIME_UNKNOWN && time_range_is_known(&before))
		s->totals.backward_dumps += s->time_ns < before.to_ns;
	dump_sources_mark(s->sources, 0);
	dump_sources_mark(s->sources, source);
	dump_sources_count(s->sources, s->time_ns);
	classifier_end_dump(s->classifier, s->options.by_source ? source : 0, s->time_ns, &classes,
			    s->options.follow ? &segments : NULL);
	if (s->dump != 0)
		thread_stays_end_dump(s->stays, source);
	class_states_settle(&s->states, true);
	stack_forms_settle(&s->forms, true);
	if (tell_listener(s, err) < 0)
		return -1;
	discard_dump(s);
	if (!s->options.follow)
		return 0;
	if (s->records != NULL && class_records_measured(s->records, s->time_ns, s->dump, classes, segments, err) < 0)
		return -1;
	shifts = segment_ratios_take(s->ratios, segments, s->time_ns);
	s->totals.shifts += shifts->count;
	return s->records == NULL ? 0 : class_records_shifted(s->records, s->time_ns, shifts, err);
}

static void
begin_dump(struct sample_intake *s, uint64_t dump)
{
	const struct stk_dump row = model_dump(s->model, dump);

	s->open = true;
	s->dump = dump;
	s->time_ns = row.time;
	s->source = stream_ids_source(&s->ids, row.source);
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

int
sample_intake_turn(struct sample_intake *s, struct stk_error *err)
{
	if (end_dump(s, err) < 0)
		return -1;
	stack_forms_turn(&s->forms, &s->ids, s->variants);
	stream_ids_forget(&s->ids);
	s->passed = 0;
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
	uint32_t stack = (uint32_t)sample_value(&c->stack, row), part, *known;
	uint64_t thread = sample_value(&c->thread, row);

	if (!s->has_parts) {
		if (class_new(s, stack, 0, class, err) < 0)
			return -1;
		stream_ids_set_class(&s->ids, stack, *class);
		return 0;
	}
	if (s->options.by_source && s->dump == 0)
		dump_sources_mark(s->sources, stream_ids_thread(&s->ids, thread)->source);
	part = s->options.by_state ? stream_ids_part_in_state(&s->ids, thread, sample_value(&c->state, row))
				   : stream_ids_thread(&s->ids, thread)->part;
	known = stream_ids_class_in_part(&s->ids, stack, part);
	if (*known == 0 && class_new(s, stack, part, known, err) < 0)
		return -1;
	*class = *known;
	return 0;
}

static int
find_classes(struct sample_intake *s, const struct sample_columns *c, struct row_span rows, struct stk_error *err)
{
	array_lengthen(&s->row_classes, rows.to - rows.from);
	array_lengthen(&s->row_times, rows.to - rows.from);
	for (uint32_t row = rows.from; row < rows.to; row++) {
		uint32_t stack = (uint32_t)sample_value(&c->stack, row),
			 class = s->has_parts ? 0 : stream_ids_class(&s->ids, stack);

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
	class_states_expect(&s->states, classifier_classes(s->classifier));
	for (uint32_t row = rows.from; row < rows.to; row++) {
		uint32_t class = s->row_classes.at[row - rows.from];

		if (class != 0)
			class_states_note(&s->states, class, sample_value(&c->state, row),
					  s->row_times.at[row - rows.from]);
	}
}

static void
note_stacks(struct sample_intake *s, const struct sample_columns *c, struct row_span rows)
{
	for (uint32_t row = rows.from; row < rows.to; row++)
		if (s->row_classes.at[row - rows.from] != 0)
			stack_forms_note(&s->forms, (uint32_t)sample_value(&c->stack, row),
					 s->row_times.at[row - rows.from]);
}

static void
note_threads(struct sample_intake *s, const struct sample_columns *c, struct row_span rows)
{
	for (uint32_t row = rows.from; row < rows.to; row++) {
		uint32_t class = s->row_classes.at[row - rows.from];
		uint64_t thread = class == 0 ? 0 : stream_ids_thread(&s->ids, sample_value(&c->thread, row))->hash;

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

struct class_states *
sample_intake_states(struct sample_intake *s)
{
	return &s->states;
}

struct dump_sources *
sample_intake_sources(struct sample_intake *s)
{
	return s->sources;
}

void
sample_intake_restore_clocks(struct sample_intake *s)
{
	for (uint32_t i = 0; i <= dump_sources_last(s->sources); i++)
		classifier_restore_clock(s->classifier, i, dump_sources_get(s->sources, i).dumps);
}

size_t
sample_intake_bytes(const struct sample_intake *s)
{
	return classifier_bytes(s->classifier) + thread_stays_bytes(s->stays) + segment_ratios_bytes(s->ratios) +
	       stream_ids_bytes(&s->ids) + s->states.counted.room * sizeof *s->states.counted.at;
}
