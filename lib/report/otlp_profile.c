/* SPDX-License-Identifier: MIT
 * otlp_profile: profiles of OpenTelemetry as a message of protocol buffers, in the fields of version 1.10: a resource
 * for each source and process, in it a profile for each event. Samples of one stack of one thread in one state are
 * one, with their times and weights. Memory: 24 bytes for each sample, the distinct stacks of each thread, and the
 * message. */
#include "report/viewer_samples.h"

#include "base/memory.h"
#include "base/pair_sums.h"
#include "base/protobuf.h"
#include "model/state_stack.h"

#include <stdlib.h>
#include <xxhash.h>

enum { DATA_RESOURCE = 1, DATA_DICTIONARY = 2 };
enum { RESOURCE_RESOURCE = 1, RESOURCE_SCOPE = 2, RESOURCE_ATTRIBUTE = 1, SCOPE_SCOPE = 1, SCOPE_PROFILE = 2 };
enum { PROFILE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_TIME = 3, PROFILE_DURATION = 4, PROFILE_ID = 7 };
enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES = 2, SAMPLE_VALUES = 4, SAMPLE_TIMES = 5 };
enum dictionary_field {
	DICT_MAPPING = 1, DICT_LOCATION, DICT_FUNCTION, DICT_LINK, DICT_STRING, DICT_ATTRIBUTE, DICT_STACK
};

struct point { int64_t time_ns; uint64_t weight; uint32_t group; };	/* group: in groups */

struct otlp_writer {
	struct viewer_samples samples;	/* first */
	struct pair_sums groups;	/* by stack, and track and state as one number */
	ARRAY(struct point) points;
	struct text_table strings;	/* number n is string n */
	struct text_table attributes;	/* as messages; number n is attribute n */
	bool clipped;
	uint64_t unplaced;		/* times that are none of a clock on the wall */
	struct text_buffer dictionary, scratch, numbers, sample, profile, resource;
};

/* --- taking samples --- */

static int
keep_point(void *context, uint32_t track, const struct viewer_sample *sample, struct stk_error *err)
{
	struct otlp_writer *w = context;
	bool placed = w->samples.tracks.at[track].clock == STK_CLOCK_WALL && sample->time_ns >= 0;
	struct point point = { .time_ns = placed ? sample->time_ns : STK_TIME_UNKNOWN, .weight = sample->weight };

	(void)err;
	w->unplaced += !placed && sample->time_ns != STK_TIME_UNKNOWN;
	if (point.weight > INT64_MAX) {
		point.weight = INT64_MAX;
		w->clipped = true;
	}
	point.group = pair_sums_index(&w->groups, sample->stack, (uint32_t)state_stack(track, sample->state));
	*array_push(&w->points) = point;
	return 0;
}

static void *
otlp_open(const struct report *report, struct stk_error *err)
{
	struct otlp_writer *w;

	if (output_is_terminal(report->printer->output)) {
		(void)stk_fail(err, STK_EUSAGE, "protocol buffers are not for a terminal: use -o FILE");
		return NULL;
	}
	w = mem_new(1, sizeof *w);
	viewer_samples_open(&w->samples, report, true, keep_point, w);
	return w;
}

/* --- attributes --- */

/* The number of a string; 0 is the empty one. */
static uint64_t
string_id(struct otlp_writer *w, struct stk_text text)
{
	return text.size == 0 ? 0 : text_table_number(&w->strings, text);
}

/* A value that is a text, or a number where the text is empty. */
static void
add_value(struct text_buffer *to, uint32_t field, struct stk_text text, uint64_t number)
{
	struct text_buffer value = { 0 };

	if (text.size > 0) {
		add_proto_text(&value, 1, text);
	} else {
		add_proto_packed(&value, 3 << 3 | PROTO_NUMBER);
		add_proto_packed(&value, number);
	}
	add_proto_element(to, field, text_in(&value, 0));
	array_release(&value);
}

/* Adds the number of an attribute of the dictionary, unless there is no value. */
static void
add_attribute_number(struct otlp_writer *w, struct text_buffer *to, const char *key, struct stk_text text,
		     uint64_t number)
{
	if (text.size == 0 && number == 0)
		return;
	w->scratch.count = 0;
	add_proto_number(&w->scratch, 1, string_id(w, text_from(key)));
	add_value(&w->scratch, 2, text, number);
	add_proto_packed(to, text_table_number(&w->attributes, text_in(&w->scratch, 0)));
}

static void
add_resource_attribute(struct otlp_writer *w, struct text_buffer *to, const char *key, struct stk_text text,
		       uint64_t number)
{
	if (text.size == 0 && number == 0)
		return;
	w->scratch.count = 0;
	add_proto_text(&w->scratch, 1, text_from(key));
	add_value(&w->scratch, 2, text, number);
	add_proto_element(to, RESOURCE_ATTRIBUTE, text_in(&w->scratch, 0));
}

/* --- samples --- */

static uint32_t
track_of_group(const struct otlp_writer *w, uint32_t group)
{
	return w->groups.sums.at[group].b / STATE_STACKS;
}

/* Processes of one recording are resources of their own. */
static int
compare_resources(const struct viewer_track *x, const struct viewer_track *y)
{
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->host > y->host) - (x->host < y->host);
}

/* By resource and event of the track, then by group and time: those without a time come first. */
static int
compare_points(const void *a, const void *b, void *context)
{
	const struct otlp_writer *w = context;
	const struct point *x = a, *y = b;
	const struct viewer_track *tx = &w->samples.tracks.at[track_of_group(w, x->group)];
	const struct viewer_track *ty = &w->samples.tracks.at[track_of_group(w, y->group)];

	int order = compare_resources(tx, ty);

	if (order != 0)
		return order;
	if (tx->event != ty->event)
		return tx->event < ty->event ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->weight > y->weight) - (x->weight < y->weight);
}

static void
add_attributes(struct otlp_writer *w, uint32_t group)
{
	const char *const *states = stk_schema()->kind[STK_SAMPLE].column[STK_COLUMN(sample, state)].names;
	const struct viewer_track *track = &w->samples.tracks.at[track_of_group(w, group)];
	uint32_t state = w->groups.sums.at[group].b % STATE_STACKS;
	const struct stk_text none = text_of("", 0);

	w->numbers.count = 0;
	add_attribute_number(w, &w->numbers, "thread.name", viewer_text(&w->samples, track->thread), 0);
	add_attribute_number(w, &w->numbers, "thread.id", none, track->own_tid);
	add_attribute_number(w, &w->numbers, "thread.number", none, track->own_number);
	if (state != STK_STATE_UNKNOWN)
		add_attribute_number(w, &w->numbers, "thread.state", text_from(states[state]), 0);
	add_proto_text(&w->sample, SAMPLE_ATTRIBUTES, text_in(&w->numbers, 0));
}

/* Points of one group that all have a time, or none of them: then their weights are one value. */
static void
add_sample(struct otlp_writer *w, const struct point *points, size_t count)
{
	bool timed = points->time_ns != STK_TIME_UNKNOWN, plain = timed;
	uint64_t sum = 0;

	w->sample.count = 0;
	add_proto_number(&w->sample, SAMPLE_STACK, w->groups.sums.at[points->group].a);
	add_attributes(w, points->group);
	for (size_t i = 0; i < count; i++)
		plain &= points[i].weight == 1;
	w->numbers.count = 0;
	for (size_t i = 0; i < count && !plain; i++)
		if (timed) {
			add_proto_packed(&w->numbers, points[i].weight);
		} else if (__builtin_add_overflow(sum, points[i].weight, &sum) || sum > INT64_MAX) {
			sum = INT64_MAX;
			w->clipped = true;
		}
	if (!timed)
		add_proto_packed(&w->numbers, sum);
	add_proto_text(&w->sample, SAMPLE_VALUES, text_in(&w->numbers, 0));
	w->numbers.count = 0;
	for (size_t i = 0; i < count && timed; i++)
		add_proto_packed64(&w->numbers, (uint64_t)points[i].time_ns);
	add_proto_text(&w->sample, SAMPLE_TIMES, text_in(&w->numbers, 0));
	add_proto_element(&w->profile, PROFILE_SAMPLE, text_in(&w->sample, 0));
}

/* --- profiles --- */

static void
add_type(struct otlp_writer *w, struct stk_text event)
{
	struct stk_text type, unit;

	viewer_event_type(event, &type, &unit);
	w->scratch.count = 0;
	add_proto_number(&w->scratch, 1, string_id(w, type));
	add_proto_number(&w->scratch, 2, string_id(w, unit));
	add_proto_element(&w->profile, PROFILE_TYPE, text_in(&w->scratch, 0));
}

/* The same profile has the same id, by which a server knows that it has it. */
static void
add_profile_id(struct otlp_writer *w)
{
	XXH128_canonical_t id;

	XXH128_canonicalFromHash(&id, XXH3_128bits(w->profile.at, w->profile.count));
	add_proto_element(&w->profile, PROFILE_ID, text_of((const char *)id.digest, sizeof id.digest));
}

/* The profile of points of one source and event. */
static void
add_profile(struct otlp_writer *w, const struct point *points, size_t count)
{
	uint32_t track = track_of_group(w, points->group);
	int64_t first = INT64_MAX, last = INT64_MIN;

	w->profile.count = 0;
	add_type(w, viewer_text(&w->samples, w->samples.tracks.at[track].event));
	for (size_t from = 0, to; from < count; from = to) {
		bool timed = points[from].time_ns != STK_TIME_UNKNOWN;

		for (to = from + 1; to < count && points[to].group == points[from].group &&
				    (points[to].time_ns != STK_TIME_UNKNOWN) == timed; )
			to++;
		add_sample(w, points + from, to - from);
		if (timed) {
			first = points[from].time_ns < first ? points[from].time_ns : first;
			last = points[to - 1].time_ns > last ? points[to - 1].time_ns : last;
		}
	}
	if (first <= last) {		/* the last moment is in the profile */
		add_proto_fixed64(&w->profile, PROFILE_TIME, (uint64_t)first);
		add_proto_number(&w->profile, PROFILE_DURATION, (uint64_t)(last - first) + 1);
	}
	add_profile_id(w);
}

static void
add_resource(struct otlp_writer *w, const struct viewer_track *track)
{
	struct text_buffer attributes = { 0 };

	add_resource_attribute(w, &attributes, "service.name", viewer_text(&w->samples, track->source), 0);
	add_resource_attribute(w, &attributes, "host.name", viewer_text(&w->samples, track->host), 0);
	add_resource_attribute(w, &attributes, "process.executable.name", viewer_text(&w->samples, track->process), 0);
	if (track->pid_known)
		add_resource_attribute(w, &attributes, "process.pid", text_of("", 0), track->pid);
	add_proto_element(&w->resource, RESOURCE_RESOURCE, text_in(&attributes, 0));
	array_release(&attributes);
}

/* The profiles of points of one source. */
static void
add_resource_profiles(struct otlp_writer *w, struct text_buffer *message, const struct point *points, size_t count)
{
	const struct viewer_track *tracks = w->samples.tracks.at;
	struct text_buffer scope = { 0 }, name = { 0 };

	w->resource.count = 0;
	add_resource(w, &tracks[track_of_group(w, points->group)]);
	add_proto_text(&name, 1, text_from("stkpipe"));
	add_proto_element(&scope, SCOPE_SCOPE, text_in(&name, 0));
	for (size_t from = 0, to; from < count; from = to) {
		uint32_t event = tracks[track_of_group(w, points[from].group)].event;

		for (to = from + 1; to < count && tracks[track_of_group(w, points[to].group)].event == event; )
			to++;
		add_profile(w, points + from, to - from);
		add_proto_element(&scope, SCOPE_PROFILE, text_in(&w->profile, 0));
	}
	add_proto_element(&w->resource, RESOURCE_SCOPE, text_in(&scope, 0));
	add_proto_element(message, DATA_RESOURCE, text_in(&w->resource, 0));
	array_release(&scope);
	array_release(&name);
}

/* --- the dictionary: the first element of each table is empty, and stands for nothing --- */

static void
add_definition(struct otlp_writer *w, enum dictionary_field field)
{
	add_proto_element(&w->dictionary, field, text_in(&w->scratch, 0));
	w->scratch.count = 0;
}

static void
add_frame(struct otlp_writer *w, const struct viewer_frame *frame, uint64_t function, uint64_t module)
{
	struct text_buffer line = { 0 };

	add_proto_number(&line, 1, function);
	add_proto_number(&line, 2, frame->line > 0 ? (uint64_t)frame->line : 0);
	w->scratch.count = 0;
	add_proto_number(&w->scratch, 1, module);
	add_proto_element(&w->scratch, 3, text_in(&line, 0));
	add_definition(w, DICT_LOCATION);
	array_release(&line);
}

/* A location for each frame, with its number; a function for each name in a file; a mapping for each module. */
static void
add_frames(struct otlp_writer *w)
{
	struct text_table modules = { 0 };
	struct pair_sums functions = { 0 };

	for (size_t f = 0; f < w->samples.frames.count; f++) {
		const struct viewer_frame *frame = &w->samples.frames.at[f];
		struct stk_text name = viewer_text(&w->samples, frame->module);
		size_t known = functions.sums.count, known_modules = modules.texts.count;
		uint32_t function = pair_sums_index(&functions, frame->name, frame->file) + 1;
		uint32_t module = name.size > 0 ? text_table_number(&modules, name) : 0;

		w->scratch.count = 0;
		if (module > known_modules) {
			add_proto_number(&w->scratch, 4, string_id(w, name));
			add_definition(w, DICT_MAPPING);
		}
		if (function > known) {
			add_proto_number(&w->scratch, 1, string_id(w, viewer_text(&w->samples, frame->name)));
			add_proto_number(&w->scratch, 3, string_id(w, viewer_text(&w->samples, frame->file)));
			add_definition(w, DICT_FUNCTION);
		}
		add_frame(w, frame, function, module);
	}
	text_table_release(&modules);
	pair_sums_release(&functions);
}

static void
add_stacks(struct otlp_writer *w)
{
	for (size_t s = 0; s < w->samples.stacks.count; s++) {
		w->numbers.count = 0;
		for (uint32_t at = (uint32_t)s + 1; at != 0; at = w->samples.stacks.at[at - 1].parent)
			add_proto_packed(&w->numbers, w->samples.stacks.at[at - 1].frame);
		w->scratch.count = 0;
		add_proto_element(&w->scratch, 1, text_in(&w->numbers, 0));
		add_definition(w, DICT_STACK);
	}
}

static void
add_dictionary(struct otlp_writer *w, struct text_buffer *message)
{
	w->scratch.count = 0;
	for (enum dictionary_field field = DICT_MAPPING; field <= DICT_STACK; field++)
		add_definition(w, field);
	add_frames(w);
	add_stacks(w);
	for (uint32_t a = 1; a <= w->attributes.texts.count; a++)
		add_proto_element(&w->dictionary, DICT_ATTRIBUTE, text_table_text(&w->attributes, a));
	for (uint32_t s = 1; s <= w->strings.texts.count; s++)
		add_proto_element(&w->dictionary, DICT_STRING, text_table_text(&w->strings, s));
	add_proto_element(message, DATA_DICTIONARY, text_in(&w->dictionary, 0));
}

static int
otlp_finish(void *context, struct stk_error *err)
{
	struct otlp_writer *w = context;
	const struct viewer_track *tracks = w->samples.tracks.at;
	struct text_buffer *message = &w->samples.report.printer->text;
	size_t count = w->points.count;

	(void)err;
	if (count > 0)
		qsort_r(w->points.at, count, sizeof *w->points.at, compare_points, w);
	for (size_t from = 0, to; from < count; from = to) {
		const struct viewer_track *first = &tracks[track_of_group(w, w->points.at[from].group)];

		for (to = from + 1; to < count; to++)
			if (compare_resources(&tracks[track_of_group(w, w->points.at[to].group)], first) != 0)
				break;
		add_resource_profiles(w, message, w->points.at + from, to - from);
	}
	add_dictionary(w, message);
	if (w->unplaced > 0)
		w->samples.report.remark("times that count from an unknown moment are left out: otlp's count from 1970");
	if (w->clipped)
		w->samples.report.remark("values beyond 2^63 - 1 are written as that");
	viewer_say_lost(&w->samples, "otlp", "l");
	return 0;
}

static void
otlp_close(void *context)
{
	struct otlp_writer *w = context;

	viewer_samples_release(&w->samples);
	pair_sums_release(&w->groups);
	text_table_release(&w->strings);
	text_table_release(&w->attributes);
	array_release(&w->points);
	array_release(&w->dictionary);
	array_release(&w->scratch);
	array_release(&w->numbers);
	array_release(&w->sample);
	array_release(&w->profile);
	array_release(&w->resource);
	free(w);
}

const struct report_form otlp_form = {
	.name = "otlp", .kinds = KIND_BIT(STK_SAMPLE), .counts = COUNT_ALL_BUT_SAMPLES, .has = "samples",
	.open = otlp_open, .turn = viewer_form_turn, .take = viewer_form_take,
	.finish = otlp_finish, .close = otlp_close
};
