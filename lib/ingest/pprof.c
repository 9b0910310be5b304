/* SPDX-License-Identifier: MIT
 * pprof: profiles of google/pprof, which Go and profilers of many languages write: one message of protocol buffers.
 * Texts may come after what refers to them, so the message is held in memory and read twice. A profile counts several
 * things of each stack; each that is not 0 is a sample, whose event has the name and the unit: "alloc_space/bytes". */
#include "ingest/profile_tables.h"
#include "model/recorder.h"

#include <stdio.h>

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING,
	PROFILE_DROP_FRAMES, PROFILE_KEEP_FRAMES, PROFILE_TIME, PROFILE_DURATION, PROFILE_PERIOD_TYPE, PROFILE_PERIOD,
	PROFILE_COMMENT, PROFILE_DEFAULT_TYPE, PROFILE_DOC_URL
};

struct pprof {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	struct stk_text message;
	struct profile_tables tables;
	ARRAY(struct stk_text) type_messages;
	ARRAY(struct profile_type) types;
	/* of the present sample; its locations are the tables' way */
	ARRAY(int64_t) values;
	struct text_buffer labels;
	struct stk_thread thread;
	struct stk_text thread_name;
	uint64_t default_type, comments;
	size_t leading;			/* the type that is meant where none is asked for: the last, unless it says */
	uint64_t negative, beyond, lost;	/* values; what is not as it should be */
	int64_t time_ns;
	char complaint[160];
};

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
	key = profile_string(&p->tables, of[1]);
	text = profile_string(&p->tables, of[2]);
	if (text.size > 0 && is_one_of(key, names))
		p->thread_name = text;
	else if (text.size == 0 && is_one_of(key, numbers))
		p->thread.tid = of[3];
	else if (text.size == 0 && (text_is(key, "goroutine id") || text_is(key, "thread number")))
		p->thread.number = of[3];
	else
		note_label(p, key, text, (int64_t)of[3], profile_string(&p->tables, of[4]));
}

static uint32_t
thread_of(struct pprof *p)
{
	p->thread.source = recording_source(p->collect);
	p->thread.name = recorder_string(p->recorder, p->thread_name);
	return recorder_thread(p->recorder, &p->thread);
}

/* --- samples --- */

static void
read_types(struct pprof *p)
{
	bool found = false;

	for (size_t t = 0; t < p->type_messages.count; t++) {
		struct proto_reader reader = proto_read(p->type_messages.at[t]);
		struct proto_field field;
		uint64_t type = 0, of_unit = 0;

		while (proto_next(&reader, &field))
			if (field.wire == PROTO_NUMBER && field.number <= 2)
				*(field.number == 1 ? &type : &of_unit) = field.value;
		*array_push(&p->types) = profile_type(&p->tables, profile_string(&p->tables, type),
						      profile_string(&p->tables, of_unit));
		if (!found)
			p->leading = t;
		found |= type == p->default_type && type != 0;
	}
}

static void
add_numbers(struct pprof *p, const struct proto_field *field)
{
	struct proto_numbers numbers = proto_numbers(field, PROTO_NUMBER);
	uint64_t value;

	while (proto_next_number(&numbers, &value))
		if (field->number == 1)
			*array_push(&p->tables.way) = value;
		else
			*array_push(&p->values) = (int64_t)value;
	p->lost += numbers.reader.broken;
}

/* Reads a sample; its values are then known. */
static void
read_sample(struct pprof *p, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	p->tables.way.count = p->values.count = p->labels.count = 0;
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
	row.stack = profile_stack(&p->tables);
	row.note = recorder_string(p->recorder, text_in(&p->labels, 0));
	for (size_t i = 0; i < count; i++) {
		size_t t = i == 0 ? p->leading : i <= p->leading ? i - 1 : i;
		int64_t value = t < count ? p->values.at[t] : 0;

		p->negative += value < 0;
		if (value <= 0)
			continue;
		row.event = p->types.at[t].event;
		row.weight = profile_weight(&p->types.at[t], (uint64_t)value, &p->beyond);
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
		uint64_t lost = p->lost, missing = p->tables.lost;

		read_sample(p, field.bytes);
		p->lost = lost;
		p->tables.lost = missing;
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
	((struct profile_location *)id_table_at(&p->tables.locations, id))->message = message;
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
		*(struct profile_function *)id_table_at(&p->tables.functions, numbers[1]) =
			(struct profile_function){ numbers[2], numbers[3], numbers[4] };
	else
		*(struct profile_module *)id_table_at(&p->tables.modules, numbers[1]) =
			(struct profile_module){ numbers[5] };
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
			*array_push(&p->tables.texts) = field.bytes;
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

static void
say_what_is_lost(struct pprof *p)
{
	recording_unplaced(p->collect, p->comments, "comments of the profile");
	if (p->negative > 0)
		recording_broken(p->collect, "negative values, as a difference of profiles has them; left out");
	if (p->beyond > 0)
		recording_broken(p->collect, "values beyond 2^62; they are that");
	if (p->lost + p->tables.lost > 0)
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

	profile_tables_open(&p.tables, to, (struct location_fields){ .module = 2, .address = 3, .line = 4 });
	if (!profile_hold(&all, from))
		recording_broken(to, "a profile of more than 2 GB; what follows is left out");
	p.message = text_in(&all, 0);
	read_definitions(&p);
	read_types(&p);
	result = take_samples(&p);
	say_what_is_lost(&p);
	array_release(&all);
	profile_tables_release(&p.tables);
	array_release(&p.type_messages);
	array_release(&p.types);
	array_release(&p.values);
	array_release(&p.labels);
	return result < 0 ? -1 : recorder_error(p.recorder, err);
}

/* --- recognising --- */

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
		    (field.number == PROFILE_SAMPLE_TYPE && !is_profile_type(field.bytes)))
			return 0;
		types += field.number == PROFILE_SAMPLE_TYPE;
	}
	return types > 0 && fields > 1 ? 95 : 0;
}

const struct text_format pprof_format = {
	.name = "pprof",
	.about = "profiles of google/pprof, of Go and others: all types of samples, labels, inlined functions",
	.shown_by = "the fields of a profile, in protocol buffers",
	.written_as = "pprof",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_NATIVE,
	.recognise = recognise,
	.read = read_profile
};
