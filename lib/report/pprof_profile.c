/* SPDX-License-Identifier: MIT
 * pprof_profile: a profile for google/pprof, compressed by gzip as its readers expect. Samples of one stack of one
 * thread are one, with a value for each event. Memory: the distinct stacks of each thread, and the profile. */
#include "report/viewer_samples.h"

#include "base/memory.h"
#include "base/pair_sums.h"
#include "base/protobuf.h"

#include <stdlib.h>
#include <zlib.h>

#define ROOM      65536u		/* for what zlib gives at once */
#define ROOM_MOST (1u << 30)	/* that it takes at once */

enum profile_field {			/* of perftools.profiles.Profile */
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING,
	PROFILE_TIME = 9, PROFILE_DURATION = 10, PROFILE_DEFAULT_TYPE = 14
};

struct owner { uint32_t source, thread; uint64_t tid, number; };	/* texts of the viewer's; who has a sample */

struct pprof_writer {
	struct viewer_samples samples;	/* first */
	struct text_table owner_keys;
	ARRAY(struct owner) owners;
	ARRAY(uint32_t) owner_of, event_of;	/* by track; events are numbers of event_names */
	struct text_table event_names;
	struct pair_sums stacks;		/* by stack and owner */
	struct pair_sums values;		/* by place in stacks and event */
	struct text_table strings;		/* number n is string n */
	int64_t first_ns, last_ns;
	bool clipped;
	struct text_buffer part, message;
};

/* --- taking samples --- */

static void
note_track(struct pprof_writer *w, uint32_t track)
{
	const struct viewer_track *of = &w->samples.tracks.at[track];
	struct owner owner = { of->source, of->thread, of->own_tid, of->own_number };
	uint32_t number = text_table_number(&w->owner_keys, text_of((const char *)&owner, sizeof owner));

	if (number > w->owners.count)
		*array_push(&w->owners) = owner;
	array_lengthen(&w->owner_of, (size_t)track + 1);
	array_lengthen(&w->event_of, (size_t)track + 1);
	w->owner_of.at[track] = number;
	w->event_of.at[track] = text_table_number(&w->event_names, viewer_text(&w->samples, of->event));
}

static int
sum_up(void *context, uint32_t track, const struct viewer_sample *sample, struct stk_error *err)
{
	struct pprof_writer *w = context;
	struct pair_sum *sum;

	(void)err;
	if (track >= w->owner_of.count || w->owner_of.at[track] == 0)
		note_track(w, track);
	sum = pair_sums_at(&w->values, pair_sums_index(&w->stacks, sample->stack, w->owner_of.at[track]),
			   w->event_of.at[track]);
	if (__builtin_add_overflow(sum->weight, sample->weight, &sum->weight) || sum->weight > INT64_MAX) {
		sum->weight = INT64_MAX;	/* values have a sign */
		w->clipped = true;
	}
	if (sample->time_ns == STK_TIME_UNKNOWN || w->samples.tracks.at[track].clock != STK_CLOCK_WALL)
		return 0;
	w->first_ns = sample->time_ns < w->first_ns ? sample->time_ns : w->first_ns;
	w->last_ns = sample->time_ns > w->last_ns ? sample->time_ns : w->last_ns;
	return 0;
}

static void *
pprof_open(const struct report *report, struct stk_error *err)
{
	struct pprof_writer *w;

	if (output_is_terminal(report->printer->output)) {
		(void)stk_fail(err, STK_EUSAGE, "a compressed profile is not for a terminal: use -o FILE");
		return NULL;
	}
	w = mem_new(1, sizeof *w);
	viewer_samples_open(&w->samples, report, true, sum_up, w);
	w->first_ns = INT64_MAX;
	w->last_ns = INT64_MIN;
	return w;
}

/* --- writing --- */

/* The number of a string; 0 is the empty one. */
static uint64_t
string_id(struct pprof_writer *w, struct stk_text text)
{
	return text.size == 0 ? 0 : text_table_number(&w->strings, text);
}

/* The part becomes an element of the message. */
static void
add_part(struct pprof_writer *w, enum profile_field field)
{
	add_proto_element(&w->message, field, text_in(&w->part, 0));
	w->part.count = 0;
}

static uint64_t
add_type(struct pprof_writer *w, struct stk_text event)
{
	struct stk_text type, unit;
	uint64_t id;

	viewer_event_type(event, &type, &unit);
	id = string_id(w, type);
	add_proto_number(&w->part, 1, id);
	add_proto_number(&w->part, 2, string_id(w, unit));
	add_part(w, PROFILE_SAMPLE_TYPE);
	return id;
}

static void
add_label(struct pprof_writer *w, struct text_buffer *to, const char *key, struct stk_text text, uint64_t number)
{
	struct text_buffer label = { 0 };

	if (text.size > 0 || number > 0) {
		add_proto_number(&label, 1, string_id(w, text_from(key)));
		add_proto_number(&label, 2, string_id(w, text));
		add_proto_number(&label, 3, number);
		add_proto_element(to, 3, text_in(&label, 0));
	}
	array_release(&label);
}

/* The values of one place in stacks are together, in the order of types: they are sorted. */
static void
add_sample(struct pprof_writer *w, uint32_t place, const struct pair_sum *values, size_t count, bool several)
{
	const struct pair_sum *of = &w->stacks.sums.at[place];
	const struct owner *owner = &w->owners.at[of->b - 1];
	struct text_buffer numbers = { 0 };
	size_t v = 0;

	for (uint32_t stack = of->a; stack != 0; stack = w->samples.stacks.at[stack - 1].parent)
		add_proto_packed(&numbers, w->samples.stacks.at[stack - 1].frame);
	add_proto_element(&w->part, 1, text_in(&numbers, 0));
	numbers.count = 0;
	for (uint32_t event = (uint32_t)w->event_names.texts.count; event > 0; event--)
		add_proto_packed(&numbers, v < count && values[v].b == event ? values[v++].weight : 0);
	add_proto_element(&w->part, 2, text_in(&numbers, 0));
	add_label(w, &w->part, "thread", viewer_text(&w->samples, owner->thread), 0);
	add_label(w, &w->part, "thread_id", text_of("", 0), owner->tid);
	add_label(w, &w->part, "thread number", text_of("", 0), owner->number);
	if (several)
		add_label(w, &w->part, "source", viewer_text(&w->samples, owner->source), 0);
	add_part(w, PROFILE_SAMPLE);
	array_release(&numbers);
}

static int
compare_values(const void *a, const void *b)
{
	const struct pair_sum *x = a, *y = b;

	return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b < y->b) - (x->b > y->b);
}

static void
add_samples(struct pprof_writer *w)
{
	const struct pair_sum *values = w->values.sums.at;
	size_t count = w->values.sums.count;
	bool several = viewer_several_sources(&w->samples);

	if (count > 0)
		qsort(w->values.sums.at, count, sizeof *values, compare_values);
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && values[to].a == values[from].a; )
			to++;
		add_sample(w, values[from].a, values + from, to - from, several);
	}
}

/* Mappings are modules, by the number of their text. */
static void
add_mappings(struct pprof_writer *w, struct text_table *modules)
{
	for (size_t f = 0; f < w->samples.frames.count; f++) {
		size_t known = modules->texts.count;
		struct stk_text module = viewer_text(&w->samples, w->samples.frames.at[f].module);

		if (w->samples.frames.at[f].module == 0 || text_table_number(modules, module) <= known)
			continue;
		add_proto_number(&w->part, 1, modules->texts.count);
		add_proto_number(&w->part, 5, string_id(w, module));
		for (uint32_t has = 7; has <= 9; has++)		/* functions, files, lines */
			add_proto_number(&w->part, has, 1);
		add_part(w, PROFILE_MAPPING);
	}
}

/* A location for each frame, with its number, and a function for each name in a file. */
static void
add_frames(struct pprof_writer *w)
{
	struct text_table modules = { 0 };
	struct pair_sums functions = { 0 };
	struct text_buffer line = { 0 };

	add_mappings(w, &modules);
	for (size_t f = 0; f < w->samples.frames.count; f++) {
		const struct viewer_frame *frame = &w->samples.frames.at[f];
		size_t known = functions.sums.count;
		uint32_t function = pair_sums_index(&functions, frame->name, frame->file) + 1;

		if (function > known) {
			uint64_t name = string_id(w, viewer_text(&w->samples, frame->name));

			add_proto_number(&w->part, 1, function);
			add_proto_number(&w->part, 2, name);
			add_proto_number(&w->part, 3, name);
			add_proto_number(&w->part, 4, string_id(w, viewer_text(&w->samples, frame->file)));
			add_part(w, PROFILE_FUNCTION);
		}
		line.count = 0;
		add_proto_number(&line, 1, function);
		add_proto_number(&line, 2, frame->line > 0 ? (uint64_t)frame->line : 0);
		add_proto_number(&w->part, 1, f + 1);
		if (frame->module != 0)
			add_proto_number(&w->part, 2,
					 text_table_number(&modules, viewer_text(&w->samples, frame->module)));
		add_proto_element(&w->part, 4, text_in(&line, 0));
		add_part(w, PROFILE_LOCATION);
	}
	text_table_release(&modules);
	pair_sums_release(&functions);
	array_release(&line);
}

/* The first event is the type to show. It comes last, because some viewers show the last type whatever the default. */
static void
add_profile(struct pprof_writer *w)
{
	uint64_t shown = 0;

	for (uint32_t e = (uint32_t)w->event_names.texts.count; e > 0; e--)
		shown = add_type(w, text_table_text(&w->event_names, e));
	if (w->event_names.texts.count == 0)
		(void)add_type(w, text_of("", 0));
	add_samples(w);
	add_frames(w);
	add_proto_element(&w->message, PROFILE_STRING, text_of("", 0));
	for (uint32_t s = 1; s <= w->strings.texts.count; s++)
		add_proto_element(&w->message, PROFILE_STRING, text_table_text(&w->strings, s));
	if (w->first_ns <= w->last_ns) {
		add_proto_number(&w->message, PROFILE_TIME, (uint64_t)w->first_ns);
		add_proto_number(&w->message, PROFILE_DURATION, (uint64_t)w->last_ns - (uint64_t)w->first_ns);
	}
	add_proto_number(&w->message, PROFILE_DEFAULT_TYPE, shown);
}

/* Compresses the message into the text. */
static int
compress_into(struct text_buffer *to, const struct text_buffer *message, struct stk_error *err)
{
	z_stream z = { .next_in = (unsigned char *)message->at };
	size_t left = message->count;
	int result;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return stk_fail(err, STK_ESYSTEM, "zlib has no memory");
	do {
		if (z.avail_in == 0) {
			z.avail_in = left < ROOM_MOST ? (uInt)left : ROOM_MOST;
			left -= z.avail_in;
		}
		array_reserve(to, ROOM);
		z.next_out = (unsigned char *)to->at + to->count;
		z.avail_out = ROOM;
		result = deflate(&z, left == 0 ? Z_FINISH : Z_NO_FLUSH);
		to->count += ROOM - z.avail_out;
	} while (result == Z_OK);
	(void)deflateEnd(&z);
	return result == Z_STREAM_END ? 0 : stk_fail(err, STK_ESYSTEM, "zlib could not compress the profile");
}

static int
pprof_finish(void *context, struct stk_error *err)
{
	struct pprof_writer *w = context;

	add_profile(w);
	if (compress_into(&w->samples.report.printer->text, &w->message, err) < 0)
		return -1;
	if (w->clipped)
		w->samples.report.remark("values beyond 2^63 - 1 are written as that");
	viewer_say_lost(&w->samples, "pprof", w->first_ns < w->last_ns ? "tsl" : "sl");
	return 0;
}

static void
pprof_close(void *context)
{
	struct pprof_writer *w = context;

	viewer_samples_release(&w->samples);
	text_table_release(&w->owner_keys);
	text_table_release(&w->event_names);
	text_table_release(&w->strings);
	array_release(&w->owners);
	array_release(&w->owner_of);
	array_release(&w->event_of);
	array_release(&w->part);
	array_release(&w->message);
	pair_sums_release(&w->stacks);
	pair_sums_release(&w->values);
	free(w);
}

const struct report_form pprof_form = {
	.name = "pprof", .kinds = KIND_BIT(STK_SAMPLE), .counts = COUNT_ALL_BUT_SAMPLES, .has = "samples",
	.open = pprof_open, .turn = viewer_form_turn, .take = viewer_form_take,
	.finish = pprof_finish, .close = pprof_close
};
