/* SPDX-License-Identifier: MIT
 * pprof: profiles of google/pprof, which Go and profilers of many languages write: one message of protocol buffers.
 * Texts may come after what refers to them, so the message is held in memory and read twice. A profile counts several
 * things of each stack; each that is not 0 is a sample, whose event has the name and the unit: "alloc_space/bytes". */
#include "ingest/whole_input.h"

#include "base/id_table.h"
#include "base/protobuf.h"
#include "model/event_weighs.h"
#include "model/recorder.h"

#include <stdio.h>

#define READ_BYTES   (1u << 20)
#define PROFILE_MOST ((size_t)1 << 31)
#define WEIGHT_MOST  (UINT64_C(1) << 62)	/* sums of a few fit */

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING,
	PROFILE_DROP_FRAMES, PROFILE_KEEP_FRAMES, PROFILE_TIME, PROFILE_DURATION, PROFILE_PERIOD_TYPE, PROFILE_PERIOD,
	PROFILE_COMMENT, PROFILE_DEFAULT_TYPE, PROFILE_DOC_URL
};

struct sample_type { uint32_t event; uint64_t times; };		/* what a value of 1 weighs */

struct function { uint64_t name, system_name, file; };		/* strings */
struct mapping { bool known; uint64_t file; };
struct location { struct stk_text message; bool read; uint32_t first, frames; };	/* frames: leaf first */

struct pprof {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	struct stk_text message;
	ARRAY(struct stk_text) strings;
	ARRAY(struct stk_text) type_messages;
	ARRAY(struct sample_type) types;
	struct id_table functions, mappings, locations;
	ARRAY(uint32_t) frames;
	/* of the present sample */
	ARRAY(int64_t) values;
	ARRAY(uint64_t) way;		/* locations, leaf first */
	struct text_buffer labels;
	struct stk_thread thread;
	struct stk_text thread_name;
	uint64_t default_type, comments;
	size_t leading;			/* the type that is meant where none is asked for: the last, unless it says */
	uint64_t negative, beyond, lost;	/* values; references to what is not there */
	int64_t time_ns;
	char complaint[160];
};

/* --- what samples refer to --- */

static struct stk_text
string_of(struct pprof *p, uint64_t index)
{
	if (index < p->strings.count)
		return p->strings.at[index];
	p->lost++;
	return text_of("", 0);
}

/* The frame of a function at a line; function 0: only its address is known. */
static uint32_t
frame_id(struct pprof *p, uint64_t function, int64_t line, struct stk_text module, uint64_t address, bool inlined)
{
	struct frame_parts parts = { .line = line > 0 ? line : 0, .module = module, .address = address,
				     .is_symbol = true,
				     .form = inlined ? STK_FORM_INLINED : module.size > 0 ? STK_FORM_NATIVE
											    : STK_FORM_PLAIN };
	const struct function *of = function != 0 ? id_table_find(&p->functions, function) : NULL;

	if (of != NULL) {
		parts.function = string_of(p, of->name);
		if (parts.function.size == 0)
			parts.function = string_of(p, of->system_name);
		parts.file = string_of(p, of->file);
	} else if (function != 0) {
		p->lost++;
	}
	if (parts.function.size == 0)
		parts.function = text_from("[unknown]");
	return recording_frame(p->collect, &parts);
}

/* The function and the line of a line. */
static uint64_t
read_line(struct stk_text message, int64_t *line)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	uint64_t function = 0;

	*line = 0;
	while (proto_next(&reader, &field))
		if (field.wire == PROTO_NUMBER && field.number == 1)
			function = field.value;
		else if (field.wire == PROTO_NUMBER && field.number == 2)
			*line = (int64_t)field.value;
	return function;
}

/* The frames of a location: what was inlined comes first, and is in what follows. */
static void
read_location(struct pprof *p, struct location *location)
{
	struct proto_reader reader = proto_read(location->message);
	struct proto_field field;
	ARRAY(struct stk_text) lines = { 0 };
	uint64_t mapping = 0, address = 0;
	const struct mapping *in;
	struct stk_text module;

	while (proto_next(&reader, &field))
		if (field.wire == PROTO_NUMBER && field.number == 2)
			mapping = field.value;
		else if (field.wire == PROTO_NUMBER && field.number == 3)
			address = field.value;
		else if (field.wire == PROTO_BYTES && field.number == 4)
			*array_push(&lines) = field.bytes;
	in = mapping != 0 ? id_table_find(&p->mappings, mapping) : NULL;
	p->lost += mapping != 0 && in == NULL;
	module = in != NULL ? string_of(p, in->file) : text_of("", 0);
	location->first = (uint32_t)p->frames.count;
	for (size_t i = 0; i < lines.count; i++) {
		int64_t line;
		uint64_t function = read_line(lines.at[i], &line);

		*array_push(&p->frames) = frame_id(p, function, line, module, address, i + 1 < lines.count);
	}
	if (lines.count == 0)
		*array_push(&p->frames) = frame_id(p, 0, 0, module, address, false);
	location->frames = (uint32_t)(p->frames.count - location->first);
	location->read = true;
	array_release(&lines);
}

static uint32_t
stack_of(struct pprof *p)
{
	uint32_t stack = 0;
	size_t from = p->way.count;

	if (from > INGEST_DEPTH_MAX) {
		recording_broken(p->collect, "a stack of more than 65536 frames; those nearer to the root are left out");
		from = INGEST_DEPTH_MAX;
	}
	for (size_t i = from; i > 0; i--) {
		struct location *location = id_table_find(&p->locations, p->way.at[i - 1]);

		if (location == NULL) {
			p->lost++;
			continue;
		}
		if (!location->read)
			read_location(p, location);
		for (uint32_t f = location->frames; f > 0; f--)
			stack = recorder_stack(p->recorder, stack, p->frames.at[location->first + f - 1]);
	}
	return stack;
}

/* --- labels --- */

static bool
is_one_of(struct stk_text name, const char *const *names)
{
	while (*names != NULL && !text_is(name, *names))
		names++;
	return *names != NULL;
}

static void
note_label(struct pprof *p, struct stk_text key, struct stk_text text, int64_t number, struct stk_text unit)
{
	if (p->labels.count > 0)
		add_string(&p->labels, ", ");
	add_text(&p->labels, key);
	add_char(&p->labels, '=');
	if (text.size > 0) {
		add_text(&p->labels, text);
		return;
	}
	add_format(&p->labels, "%lld", (long long)number);
	add_text(&p->labels, unit);
}

/* Names of threads are what profilers write, by no rule. What is none of them is the note of the sample. */
static void
read_label(struct pprof *p, struct stk_text message)
{
	static const char *const names[] = { "thread", "thread_name", "thread name", "threadName", NULL };
	static const char *const numbers[] = { "thread_id", "thread id", "tid", "thread", NULL };
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	uint64_t of[5] = { 0 };
	struct stk_text key, text;

	while (proto_next(&reader, &field))
		if (field.wire == PROTO_NUMBER && field.number < 5)
			of[field.number] = field.value;
	key = string_of(p, of[1]);
	text = string_of(p, of[2]);
	if (text.size > 0 && is_one_of(key, names))
		p->thread_name = text;
	else if (text.size == 0 && is_one_of(key, numbers))
		p->thread.tid = of[3];
	else if (text.size == 0 && (text_is(key, "goroutine id") || text_is(key, "thread number")))
		p->thread.number = of[3];
	else
		note_label(p, key, text, (int64_t)of[3], string_of(p, of[4]));
}

static uint32_t
thread_of(struct pprof *p)
{
	p->thread.source = recording_source(p->collect);
	p->thread.name = recorder_string(p->recorder, p->thread_name);
	return recorder_thread(p->recorder, &p->thread);
}

/* --- samples --- */

/* The stream has nanoseconds and bytes. */
static uint64_t
unit_of(struct stk_text *name)
{
	static const struct { const char *name, *is; uint64_t times; } units[] = {
		{ "microseconds", "nanoseconds", 1000 },     { "us", "nanoseconds", 1000 },
		{ "milliseconds", "nanoseconds", 1000000 },  { "ms", "nanoseconds", 1000000 },
		{ "seconds", "nanoseconds", 1000000000 },    { "s", "nanoseconds", 1000000000 },
		{ "ns", "nanoseconds", 1 },                  { "byte", "bytes", 1 },
		{ "kilobytes", "bytes", 1024 },              { "kb", "bytes", 1024 },
		{ "megabytes", "bytes", 1048576 },           { "mb", "bytes", 1048576 }
	};

	for (size_t u = 0; u < sizeof units / sizeof *units; u++)
		if (text_is(*name, units[u].name)) {
			*name = text_from(units[u].is);
			return units[u].times;
		}
	return 1;
}

/* "alloc_space/bytes"; a name that says its unit already is the event. */
static uint32_t
event_id(struct pprof *p, struct stk_text type, struct stk_text unit)
{
	enum event_weighs weighs = event_weighs(type);

	p->labels.count = 0;
	add_text(&p->labels, type);
	if (unit.size > 0 && !text_is(unit, "count") && (weighs != EVENT_NANOSECONDS || !text_is(unit, "nanoseconds")) &&
	    (weighs != EVENT_BYTES || !text_is(unit, "bytes"))) {
		add_char(&p->labels, '/');
		add_text(&p->labels, unit);
	}
	return recorder_string(p->recorder, text_in(&p->labels, 0));
}

static void
read_types(struct pprof *p)
{
	bool found = false;

	for (size_t t = 0; t < p->type_messages.count; t++) {
		struct proto_reader reader = proto_read(p->type_messages.at[t]);
		struct proto_field field;
		uint64_t type = 0, of_unit = 0;
		struct sample_type *row;
		struct stk_text unit;

		while (proto_next(&reader, &field))
			if (field.wire == PROTO_NUMBER && field.number <= 2)
				*(field.number == 1 ? &type : &of_unit) = field.value;
		unit = string_of(p, of_unit);
		row = array_push(&p->types);
		row->times = unit_of(&unit);
		row->event = event_id(p, string_of(p, type), unit);
		if (!found)
			p->leading = t;
		found |= type == p->default_type && type != 0;
	}
}

static void
add_numbers(struct pprof *p, const struct proto_field *field)
{
	struct proto_reader packed = proto_read(field->bytes);
	uint64_t value = field->value;
	bool more = field->wire == PROTO_NUMBER || proto_number(&packed, &value);

	while (more) {
		if (field->number == 1)
			*array_push(&p->way) = value;
		else
			*array_push(&p->values) = (int64_t)value;
		more = field->wire != PROTO_NUMBER && proto_number(&packed, &value);
	}
	p->lost += packed.broken;
}

/* Reads a sample; its values are then known. */
static void
read_sample(struct pprof *p, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	p->way.count = p->values.count = p->labels.count = 0;
	p->thread = (struct stk_thread){ 0 };
	p->thread_name = text_of("", 0);
	while (proto_next(&reader, &field))
		if (field.number <= 2 && (field.wire == PROTO_NUMBER || field.wire == PROTO_BYTES))
			add_numbers(p, &field);
		else if (field.number == 3 && field.wire == PROTO_BYTES)
			read_label(p, field.bytes);
	p->lost += reader.broken || p->values.count != p->types.count;
}

/* A sample for each of its values. */
static int
take_sample(struct pprof *p)
{
	struct stk_sample row = { .time = p->time_ns, .processor = -1 };
	size_t count = p->values.count < p->types.count ? p->values.count : p->types.count;

	row.thread = thread_of(p);
	row.stack = stack_of(p);
	row.note = recorder_string(p->recorder, text_in(&p->labels, 0));
	for (size_t i = 0; i < count; i++) {
		size_t t = i == 0 ? p->leading : i <= p->leading ? i - 1 : i;
		int64_t value = t < count ? p->values.at[t] : 0;

		p->negative += value < 0;
		if (value <= 0)
			continue;
		row.event = p->types.at[t].event;
		if (__builtin_mul_overflow((uint64_t)value, p->types.at[t].times, &row.weight) ||
		    row.weight > WEIGHT_MOST) {
			p->beyond++;
			row.weight = WEIGHT_MOST;
		}
		if (recording_sample(p->collect, &row, p->err) < 0)
			return -1;
	}
	return 0;
}

/* The next sample of the profile. */
static bool
next_sample(struct proto_reader *profile, struct proto_field *sample)
{
	while (proto_next(profile, sample))
		if (sample->number == PROFILE_SAMPLE && sample->wire == PROTO_BYTES)
			return true;
	return false;
}

/* Without --event, a filter counts the event of the first sample: one that has the leading type comes first. */
static int
take_samples(struct pprof *p)
{
	struct proto_reader reader = proto_read(p->message);
	struct proto_field field;
	const char *first = NULL;

	while (first == NULL && next_sample(&reader, &field)) {
		uint64_t lost = p->lost;

		read_sample(p, field.bytes);
		p->lost = lost;
		if (p->leading < p->values.count && p->values.at[p->leading] > 0)
			first = field.bytes.data;
	}
	if (first != NULL) {
		read_sample(p, field.bytes);
		if (take_sample(p) < 0)
			return -1;
	}
	reader = proto_read(p->message);
	while (next_sample(&reader, &field)) {
		if (field.bytes.data == first)
			continue;
		read_sample(p, field.bytes);
		if (take_sample(p) < 0)
			return -1;
	}
	return 0;
}

/* --- the profile --- */

static void
note_location(struct pprof *p, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	uint64_t id = 0;

	while (proto_next(&reader, &field))
		if (field.number == 1 && field.wire == PROTO_NUMBER)
			id = field.value;
	p->lost += reader.broken;
	((struct location *)id_table_at(&p->locations, id))->message = message;
}

/* Functions and mappings: numbers, of which some are asked for. */
static void
note_numbers(struct pprof *p, const struct proto_field *of)
{
	struct proto_reader reader = proto_read(of->bytes);
	struct proto_field field;
	uint64_t numbers[6] = { 0 };

	while (proto_next(&reader, &field))
		if (field.number < 6 && field.wire == PROTO_NUMBER)
			numbers[field.number] = field.value;
	p->lost += reader.broken;
	if (of->number == PROFILE_FUNCTION)
		*(struct function *)id_table_at(&p->functions, numbers[1]) =
			(struct function){ numbers[2], numbers[3], numbers[4] };
	else
		*(struct mapping *)id_table_at(&p->mappings, numbers[1]) = (struct mapping){ true, numbers[5] };
}

/* All but the samples. */
static void
read_definitions(struct pprof *p)
{
	struct proto_reader reader = proto_read(p->message);
	struct proto_field field;

	while (proto_next(&reader, &field)) {
		bool bytes = field.wire == PROTO_BYTES;

		if (field.number == PROFILE_STRING && bytes)
			*array_push(&p->strings) = field.bytes;
		else if (field.number == PROFILE_SAMPLE_TYPE && bytes)
			*array_push(&p->type_messages) = field.bytes;
		else if (field.number == PROFILE_LOCATION && bytes)
			note_location(p, field.bytes);
		else if ((field.number == PROFILE_FUNCTION || field.number == PROFILE_MAPPING) && bytes)
			note_numbers(p, &field);
		else if (field.number == PROFILE_TIME && !bytes && field.value != 0)
			p->time_ns = (int64_t)field.value;
		else if (field.number == PROFILE_DEFAULT_TYPE && !bytes)
			p->default_type = field.value;
		else if (field.number == PROFILE_COMMENT)
			p->comments++;
	}
	if (!reader.broken)
		return;
	snprintf(p->complaint, sizeof p->complaint,
		 "a profile that is cut off or damaged at byte %zu of %zu; what precedes it was read",
		 (size_t)((const char *)reader.at - p->message.data), p->message.size);
	recording_broken(p->collect, p->complaint);
}

/* Reads all; false: it is too long. */
static bool
hold(struct text_buffer *to, const struct recording_bytes *from)
{
	size_t got;

	do {
		array_reserve(to, READ_BYTES);
		got = from->read(from->context, to->at + to->count, READ_BYTES);
		to->count += got;
	} while (got > 0 && to->count <= PROFILE_MOST);
	return got == 0;
}

static void
say_what_is_lost(struct pprof *p)
{
	recording_unplaced(p->collect, p->comments, "comments of the profile");
	if (p->negative > 0)
		recording_broken(p->collect, "negative values, as a difference of profiles has them; left out");
	if (p->beyond > 0)
		recording_broken(p->collect, "values beyond 2^62; they are that");
	if (p->lost > 0)
		recording_broken(p->collect, "a profile that refers to what it does not have, or has more or fewer values "
					     "than types");
}

static int
read_profile(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct pprof p = { .collect = to, .recorder = recording_definitions(to), .err = err,
			   .time_ns = STK_TIME_UNKNOWN };
	struct text_buffer all = { 0 };
	int result;

	p.functions.size = sizeof(struct function);
	p.mappings.size = sizeof(struct mapping);
	p.locations.size = sizeof(struct location);
	if (!hold(&all, from))
		recording_broken(to, "a profile of more than 2 GB; what follows is left out");
	p.message = text_in(&all, 0);
	read_definitions(&p);
	read_types(&p);
	result = take_samples(&p);
	say_what_is_lost(&p);
	array_release(&all);
	array_release(&p.strings);
	array_release(&p.type_messages);
	array_release(&p.types);
	array_release(&p.frames);
	array_release(&p.values);
	array_release(&p.way);
	array_release(&p.labels);
	id_table_clear(&p.functions);
	id_table_clear(&p.mappings);
	id_table_clear(&p.locations);
	return result < 0 ? -1 : recorder_error(p.recorder, err);
}

/* --- recognising --- */

/* The shape of a type: at most two numbers, of strings. */
static bool
is_type(struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	unsigned fields = 0;

	while (proto_next(&reader, &field)) {
		if (field.wire != PROTO_NUMBER || field.number > 2)
			return false;
		fields++;
	}
	return !reader.broken && fields > 0;
}

/* Only fields of a profile, of their kinds, and among them a type of samples; the last may be cut off by the end of the
 * text. */
static int
recognise(struct stk_text text)
{
	struct proto_reader reader = proto_read(text);
	struct proto_field field;
	unsigned types = 0, fields = 0, strings = 0;

	for (; proto_next(&reader, &field); fields++) {
		bool number = (field.number >= PROFILE_DROP_FRAMES && field.number <= PROFILE_DURATION) ||
			      field.number == PROFILE_PERIOD || field.number >= PROFILE_DEFAULT_TYPE;

		if (field.number > PROFILE_DOC_URL || (field.wire != PROTO_BYTES && field.wire != PROTO_NUMBER) ||
		    (field.number != PROFILE_COMMENT && number != (field.wire == PROTO_NUMBER)) ||
		    (field.number == PROFILE_STRING && strings++ == 0 && field.bytes.size > 0) ||
		    (field.number == PROFILE_SAMPLE_TYPE && !is_type(field.bytes)))
			return 0;
		types += field.number == PROFILE_SAMPLE_TYPE;
	}
	return types > 0 && fields > 1 ? 95 : 0;
}

const struct text_format pprof_format = {
	.name = "pprof",
	.about = "profiles of google/pprof, of Go and others: all types of samples, labels, inlined functions",
	.shown_by = "the fields of a profile, in protocol buffers",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_NATIVE,
	.recognise = recognise,
	.read = read_profile
};
