/* SPDX-License-Identifier: MIT
 * otlp: profiles of OpenTelemetry (opentelemetry.proto.profiles.v1development) as protocol buffers, a message alone or
 * each after its size, and as JSON, one or one a line. The dictionary comes after what refers to it, so a message is
 * held in memory. Nothing in the bytes says their version, and 1.10 gave the fields of samples other numbers: all
 * samples are looked at before the first one is read. */
#include "base/text_table.h"
#include "ingest/otlp_json.h"
#include "ingest/otlp_shape.h"
#include "ingest/profile_json.h"
#include "ingest/profile_tables.h"
#include "ingest/text_lines.h"
#include "model/recorder.h"
#include "model/state_name.h"

#include <stdio.h>

enum { RESOURCE_RESOURCE = 1, RESOURCE_ATTRIBUTE = 1 };
enum dictionary_field {
	DICT_MAPPING = 1, DICT_LOCATION, DICT_FUNCTION, DICT_LINK, DICT_STRING, DICT_ATTRIBUTE, DICT_STACK
};

/* What the attribute of a sample is for. */
enum role { IN_NOTE, THREAD_NAME, THREAD_ID, THREAD_NUMBER, STATE, PROCESSOR, PROCESS_ID, PROCESS_NAME };

struct attribute {
	struct stk_text key, text, unit;
	int64_t number;			/* where there is no text */
	enum role role;
};

struct otlp_stack { struct stk_text message; bool read; uint32_t id; };

struct otlp_process { struct stk_text name; uint64_t pid; };

#define RECENT_THREADS 1024u
struct recent_thread { struct stk_thread thread; uint32_t id; };

struct otlp {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	struct arena arena;
	/* of the present message */
	struct profile_tables tables;
	ARRAY(struct otlp_stack) stacks;
	ARRAY(struct stk_text) attribute_messages, links;
	ARRAY(struct attribute) attributes;
	uint64_t functions, modules, locations;	/* how many the tables have */
	struct otlp_sample_fields fields;
	/* of the present resource and profile */
	struct otlp_process process;
	struct stk_text host, runtime;
	struct profile_type type;
	int64_t time_ns;
	/* of the present sample */
	ARRAY(uint64_t) values, times;
	struct text_buffer note;
	struct otlp_process sample_process, told_process;
	struct stk_thread thread;
	struct stk_text thread_name;
	struct recent_thread recent[RECENT_THREADS];	/* by hash; they replace each other */
	struct stk_sample row;
	struct sample_batch batch;	/* of samples that are not yet recorded */
	uint64_t negative, beyond, lost, payloads;
	int result;			/* -1: the output failed */
	char complaint[160];
};

/* --- attributes --- */

static struct stk_text
fraction_text(struct otlp *o, uint64_t bits)
{
	char text[32];
	double value;

	memcpy(&value, &bits, sizeof value);
	snprintf(text, sizeof text, "%.17g", value);
	return text_of(arena_copy(&o->arena, text, strlen(text)), strlen(text));
}

static void
read_value(struct otlp *o, struct stk_text message, struct attribute *to)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	while (proto_next(&reader, &field))
		switch (field.number) {
		case 1: to->text = field.bytes; break;
		case 2: to->text = text_from(field.value != 0 ? "true" : "false"); break;
		case 3: to->number = (int64_t)field.value; break;
		case 4: to->text = fraction_text(o, field.value); break;
		case 8: to->text = profile_string(&o->tables, field.value); break;
		default: to->text = text_from("(list)"); break;
		}
	o->lost += reader.broken;
}

/* Those of the dictionary have keys and units by number; those of a resource have their key, or since 1.10 its number
 * in the field where the others have the unit. */
static struct attribute
read_attribute(struct otlp *o, struct stk_text message, bool of_resource)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	struct attribute attribute = { .key = text_of("", 0), .text = text_of("", 0), .unit = text_of("", 0) };

	while (proto_next(&reader, &field))
		if (field.number == 1)
			attribute.key = of_resource ? field.bytes : profile_string(&o->tables, field.value);
		else if (field.number == 2 && field.wire == PROTO_BYTES)
			read_value(o, field.bytes, &attribute);
		else if (field.number == 3 && field.wire == PROTO_NUMBER)
			*(of_resource ? &attribute.key : &attribute.unit) = profile_string(&o->tables, field.value);
	o->lost += reader.broken;
	return attribute;
}

static void
begin_note(struct otlp *o, struct stk_text key)
{
	add_string(&o->note, o->note.count > 0 ? ", " : "");
	add_text(&o->note, key);
	add_char(&o->note, '=');
}

static void
note_attribute(struct otlp *o, const struct attribute *attribute)
{
	begin_note(o, attribute->key);
	if (attribute->text.size > 0)
		add_text(&o->note, attribute->text);
	else
		add_format(&o->note, "%lld", (long long)attribute->number);
	add_text(&o->note, attribute->unit);
}

/* What is nothing that a sample has a place for goes into its note. */
static enum role
role_of(const struct attribute *attribute)
{
	struct stk_text key = attribute->key;
	bool number = attribute->text.size == 0;

	if (text_is(key, "thread.name"))
		return THREAD_NAME;
	if (text_is(key, "thread.id") && number)
		return THREAD_ID;
	if (text_is(key, "thread.number") && number)
		return THREAD_NUMBER;
	if (text_is(key, "thread.state") && state_named(attribute->text) != STK_STATE_UNKNOWN)
		return STATE;
	if (text_is(key, "cpu.logical_number") && attribute->number >= 0 && attribute->number <= INT32_MAX)
		return PROCESSOR;
	if (text_is(key, "process.pid") && attribute->number > 0)
		return PROCESS_ID;
	return text_is(key, "process.executable.name") ? PROCESS_NAME : IN_NOTE;
}

static void
take_attribute(struct otlp *o, const struct attribute *attribute)
{
	switch (attribute->role) {
	case THREAD_NAME:   o->thread_name = attribute->text; break;
	case THREAD_ID:	    o->thread.tid = (uint64_t)attribute->number; break;
	case THREAD_NUMBER: o->thread.number = (uint64_t)attribute->number; break;
	case STATE:	    o->row.state = state_named(attribute->text); break;
	case PROCESSOR:	    o->row.processor = (int32_t)attribute->number; break;
	case PROCESS_ID:    o->sample_process.pid = (uint64_t)attribute->number; break;
	case PROCESS_NAME:  o->sample_process.name = attribute->text; break;
	default:	    note_attribute(o, attribute); break;
	}
}

static void
take_attribute_numbered(struct otlp *o, uint64_t index)
{
	if (index >= o->attributes.count)
		o->lost++;
	else if (index > 0)
		take_attribute(o, &o->attributes.at[index]);
}

static void
note_id(struct otlp *o, const char *key, struct stk_text id)
{
	begin_note(o, text_from(key));
	for (size_t i = 0; i < id.size; i++)
		add_format(&o->note, "%02x", (unsigned char)id.data[i]);
}

static void
note_link(struct otlp *o, uint64_t index)
{
	struct proto_reader reader = proto_read(index < o->links.count ? o->links.at[index] : text_of("", 0));
	struct proto_field field;

	o->lost += index >= o->links.count;
	while (index > 0 && proto_next(&reader, &field))
		if (field.wire == PROTO_BYTES && field.number <= 2)
			note_id(o, field.number == 1 ? "trace_id" : "span_id", field.bytes);
}

/* --- samples --- */

static uint32_t
stack_numbered(struct otlp *o, uint64_t index)
{
	struct otlp_stack *stack = index < o->stacks.count ? &o->stacks.at[index] : NULL;
	struct proto_reader reader = proto_read(stack != NULL ? stack->message : text_of("", 0));
	struct proto_field field;
	uint64_t location;

	if (stack == NULL) {
		o->lost++;
		return 0;
	}
	if (stack->read)
		return stack->id;
	o->tables.way.count = 0;
	while (proto_next(&reader, &field)) {
		struct proto_numbers numbers = proto_numbers(&field, PROTO_NUMBER);

		while (field.number == 1 && proto_next_number(&numbers, &location))
			*array_push(&o->tables.way) = location;
		o->lost += numbers.reader.broken;
	}
	o->lost += reader.broken;
	stack->read = true;
	return stack->id = profile_stack(&o->tables);
}

static void
read_sample_field(struct otlp *o, const struct proto_field *field, uint64_t *stack, uint64_t *link)
{
	bool times = field->number == OTLP_SAMPLE_TIMES;
	struct proto_numbers numbers = proto_numbers(field, times ? PROTO_FIXED64 : PROTO_NUMBER);
	uint64_t value;

	if (field->number == OTLP_SAMPLE_STACK)
		*stack = field->value;
	else if (field->number == o->fields.link)
		*link = field->value;
	else if (times)
		while (proto_next_number(&numbers, &value))
			*array_push(&o->times) = value;
	else if (field->number == o->fields.values)
		while (proto_next_number(&numbers, &value))
			*array_push(&o->values) = value;
	else if (field->number == o->fields.attributes)
		while (proto_next_number(&numbers, &value))
			take_attribute_numbered(o, value);
	o->lost += numbers.reader.broken;
}

static void
read_sample(struct otlp *o, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	uint64_t stack = 0, link = 0;

	o->values.count = o->times.count = o->note.count = 0;
	o->thread = (struct stk_thread){ 0 };
	o->thread_name = text_of("", 0);
	o->sample_process = o->process;
	o->row = (struct stk_sample){ .processor = -1 };
	while (proto_next(&reader, &field))
		read_sample_field(o, &field, &stack, &link);
	note_link(o, link);
	o->row.stack = stack_numbered(o, stack);
	o->lost += reader.broken || (o->times.count > 0 && o->values.count > 0 && o->times.count != o->values.count);
}

static void
tell_process(struct otlp *o)
{
	const struct otlp_process *to = &o->sample_process;

	if (to->pid == o->told_process.pid && text_equal(to->name, o->told_process.name))
		return;
	o->told_process = *to;
	recording_process(o->collect, to->pid, recorder_string(o->recorder, to->name),
			  recorder_string(o->recorder, o->runtime), recorder_string(o->recorder, o->host));
}

static void
record_batch(struct otlp *o)
{
	if (o->result == 0)
		o->result = recording_samples(o->collect, &o->batch, o->err);
	o->batch.count = 0;
}

static uint32_t
thread_id(struct otlp *o)
{
	uint64_t hash = hash_pair(o->thread.tid + o->thread.number, o->thread.name);
	struct recent_thread *recent = &o->recent[hash % RECENT_THREADS];

	if (recent->id == 0 || memcmp(&recent->thread, &o->thread, sizeof o->thread) != 0) {
		recent->thread = o->thread;
		recent->id = recorder_thread(o->recorder, &o->thread);
	}
	return recent->id;
}

/* A sample for each of its values and times: without values each counts 1; without times they are of the profile's. */
static void
take_sample(struct otlp *o)
{
	size_t count = o->times.count > o->values.count ? o->times.count : o->values.count;

	tell_process(o);
	o->thread.source = recording_source(o->collect);
	o->thread.name = recorder_string(o->recorder, o->thread_name);
	o->row.thread = thread_id(o);
	o->row.note = recorder_string(o->recorder, text_in(&o->note, 0));
	o->row.event = o->type.event;
	for (size_t i = 0; i < count && o->result == 0; i++) {
		uint64_t value = o->values.count == 0 ? 1 : i < o->values.count ? o->values.at[i] : 0;

		o->negative += value > INT64_MAX;
		if (value == 0 || value > INT64_MAX)
			continue;
		o->row.time = i < o->times.count ? (int64_t)o->times.at[i] : o->time_ns;
		o->row.weight = profile_weight(&o->type, value, &o->beyond);
		if (sample_batch_add(&o->batch, &o->row))
			record_batch(o);
	}
}

/* --- profiles --- */

static struct profile_type
read_type(struct otlp *o, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	uint64_t name = 0, unit = 0;

	while (proto_next(&reader, &field))
		if (field.wire == PROTO_NUMBER && field.number <= 2)
			*(field.number == 1 ? &name : &unit) = field.value;
	o->lost += reader.broken;
	return profile_type(&o->tables, profile_string(&o->tables, name), profile_string(&o->tables, unit));
}

static void
take_profile(struct otlp *o, struct stk_text message)
{
	struct proto_reader head = proto_read(message), reader = head;
	struct proto_field field;
	struct stk_text type = text_of("", 0);

	o->time_ns = STK_TIME_UNKNOWN;
	while (proto_next(&head, &field))
		if (field.number == OTLP_PROFILE_TYPE && field.wire == PROTO_BYTES)
			type = field.bytes;
		else if (field.number == OTLP_PROFILE_TIME && field.value != 0)
			o->time_ns = (int64_t)field.value;
		else if (field.number == OTLP_PROFILE_PAYLOAD)
			o->payloads++;
	o->lost += head.broken;
	o->type = read_type(o, type);
	while (o->result == 0 && proto_next(&reader, &field))
		if (field.number == OTLP_PROFILE_SAMPLE && field.wire == PROTO_BYTES) {
			read_sample(o, field.bytes);
			take_sample(o);
		}
}

static void
take_resource(struct otlp *o, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct stk_text service = text_of("", 0), program = service;
	struct proto_field field;

	while (proto_next(&reader, &field)) {
		struct attribute attribute;

		if (field.number != RESOURCE_ATTRIBUTE || field.wire != PROTO_BYTES)
			continue;
		attribute = read_attribute(o, field.bytes, true);
		if (text_is(attribute.key, "service.name"))
			service = attribute.text;
		else if (text_is(attribute.key, "process.executable.name"))
			program = attribute.text;
		else if (text_is(attribute.key, "process.pid") && attribute.number > 0)
			o->process.pid = (uint64_t)attribute.number;
		else if (text_is(attribute.key, "host.name"))
			o->host = attribute.text;
		else if (text_is(attribute.key, "process.runtime.name"))
			o->runtime = attribute.text;
	}
	o->lost += reader.broken;
	o->process.name = service.size > 0 ? service : program;
}

/* Hands over the fields of a message that have a number. */
static void
for_each(struct otlp *o, struct stk_text message, uint32_t number, void (*take)(struct otlp *, struct stk_text))
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	while (o->result == 0 && proto_next(&reader, &field))
		if (field.number == number && field.wire == PROTO_BYTES)
			take(o, field.bytes);
	o->lost += reader.broken;
}

static void
take_scope(struct otlp *o, struct stk_text message)
{
	for_each(o, message, OTLP_SCOPE_PROFILE, take_profile);
}

static void
take_resource_profiles(struct otlp *o, struct stk_text message)
{
	const struct otlp_process nobody = { text_of("", 0), 0 };

	o->process = nobody;
	o->host = o->runtime = nobody.name;
	for_each(o, message, RESOURCE_RESOURCE, take_resource);
	o->told_process = (struct otlp_process){ nobody.name, UINT64_MAX };
	for_each(o, message, OTLP_RESOURCE_SCOPE, take_scope);
}

/* --- the dictionary --- */

static void
note_function(struct otlp *o, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	uint64_t texts[4] = { 0 };

	while (proto_next(&reader, &field))
		if (field.number < 4 && field.wire == PROTO_NUMBER)
			texts[field.number] = field.value;
	o->lost += reader.broken;
	*(struct profile_function *)id_table_at(&o->tables.functions, o->functions++) =
		(struct profile_function){ texts[1], texts[2], texts[3] };
}

static void
note_module(struct otlp *o, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	struct profile_module *module = id_table_at(&o->tables.modules, o->modules++);

	while (proto_next(&reader, &field))
		if (field.number == 4 && field.wire == PROTO_NUMBER)
			module->file = field.value;
	o->lost += reader.broken;
}

static void
note_definition(struct otlp *o, const struct proto_field *field)
{
	struct stk_text message = field->bytes;

	switch (field->number) {
	case DICT_MAPPING:   note_module(o, message); break;
	case DICT_FUNCTION:  note_function(o, message); break;
	case DICT_LINK:	     *array_push(&o->links) = message; break;
	case DICT_STRING:    *array_push(&o->tables.texts) = message; break;
	case DICT_ATTRIBUTE: *array_push(&o->attribute_messages) = message; break;
	case DICT_STACK:     *array_push(&o->stacks) = (struct otlp_stack){ .message = message }; break;
	case DICT_LOCATION:
		((struct profile_location *)id_table_at(&o->tables.locations, o->locations++))->message =
			message;
		break;
	default:
		break;
	}
}

static void
read_dictionary(struct otlp *o, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	while (proto_next(&reader, &field))
		if (field.wire == PROTO_BYTES)
			note_definition(o, &field);
	o->lost += reader.broken;
	for (size_t a = 0; a < o->attribute_messages.count; a++) {
		struct attribute attribute = read_attribute(o, o->attribute_messages.at[a], false);

		attribute.role = role_of(&attribute);
		*array_push(&o->attributes) = attribute;
	}
}

/* --- messages --- */

static void
forget_message(struct otlp *o)
{
	profile_tables_release(&o->tables);
	o->stacks.count = o->attribute_messages.count = o->links.count = o->attributes.count = 0;
	o->functions = o->modules = o->locations = 0;
}

/* known: the numbers of the fields of samples; NULL: they are to be chosen. */
static void
take_message(struct otlp *o, struct stk_text message, const struct otlp_sample_fields *known)
{
	const char *why = NULL;

	profile_tables_open(&o->tables, o->collect, (struct location_fields){ .module = 1, .address = 2, .line = 3 });
	for_each(o, message, OTLP_DATA_DICTIONARY, read_dictionary);
	if (known != NULL)
		o->fields = *known;
	else
		why = otlp_choose_fields(message, o->attributes.count, &o->fields);
	if (why != NULL)
		recording_broken(o->collect, why);
	else
		for_each(o, message, OTLP_DATA_RESOURCE, take_resource_profiles);
	o->lost += o->tables.lost;
	forget_message(o);
}

static void
say_what_is_cut(struct otlp *o, size_t at, size_t size)
{
	snprintf(o->complaint, sizeof o->complaint,
		 "profiles that are cut off or damaged at byte %zu of %zu; what precedes that was read", at, size);
	recording_broken(o->collect, o->complaint);
}

/* Messages each after its size, as a collector's file exporter writes them. */
static void
take_sized_messages(struct otlp *o, struct stk_text all)
{
	size_t at = 0;

	while (o->result == 0 && all.size - at >= 4 && otlp_size(all.data + at) <= all.size - at - 4) {
		struct stk_text message = text_of(all.data + at + 4, otlp_size(all.data + at));

		take_message(o, message, NULL);
		at += 4 + message.size;
	}
	if (at < all.size && o->result == 0)
		say_what_is_cut(o, at, all.size);
}

/* The size of what of a message is whole. */
static size_t
whole_part(struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	while (proto_next(&reader, &field))
		continue;
	return (size_t)((const char *)reader.at - message.data);
}

static void
take_protobuf(struct otlp *o, struct stk_text all)
{
	size_t whole = whole_part(all);

	if (!otlp_is_message(all) && otlp_is_sized_message(all)) {
		take_sized_messages(o, all);
		return;
	}
	if (whole < all.size)
		say_what_is_cut(o, whole, all.size);
	take_message(o, text_of(all.data, whole), NULL);
}

static void
take_json(struct otlp *o, const struct recording_bytes *from)
{
	struct otlp_json json;
	struct text_buffer message = { 0 };
	int64_t offset;
	const char *wrong;

	otlp_json_open(&json, from->read, from->context);
	json.json.counts_lines = recording_lists_rejects(o->collect);
	while (o->result == 0 && otlp_json_next(&json, &message))
		if (json.old)
			recording_broken(o->collect, otlp_too_old);
		else
			take_message(o, text_in(&message, 0), &otlp_fields_1_10);
	wrong = json_wrong(&json.json, &offset);
	if (wrong != NULL) {
		snprintf(o->complaint, sizeof o->complaint, "not JSON at byte %lld: %s; what precedes it was read",
			 (long long)offset, wrong);
		recording_broken(o->collect, o->complaint);
		recording_rejected_rest(o->collect, from, between(json.json.at, json.json.end), json_line(&json.json));
	}
	if (json.broken)
		recording_broken(o->collect, "values that are not what their names ask for; left out");
	otlp_json_close(&json);
	array_release(&message);
}

static void
say_what_is_lost(struct otlp *o)
{
	recording_unplaced(o->collect, o->payloads, "original payloads of profiles");
	if (o->negative > 0)
		recording_broken(o->collect, "negative values, as a difference of profiles has them; left out");
	if (o->beyond > 0)
		recording_broken(o->collect, "values beyond 2^62; they are that");
	if (o->lost > 0)
		recording_broken(o->collect, "profiles that refer to what they do not have, or samples with more or fewer "
					     "times than values");
}

/* --- the input: its beginning is looked at before the rest is read --- */

#define BEGINNING_BYTES 4096u

struct begun_input {
	const struct recording_bytes *from;
	struct text_buffer beginning;
	size_t given;			/* of the beginning */
	size_t left;			/* that may still be given */
};

static size_t
give(void *context, void *to, size_t size)
{
	struct begun_input *input = context;
	size_t held = input->beginning.count - input->given;

	size = size < input->left ? size : input->left;
	if (held == 0) {
		size = input->from->read(input->from->context, to, size);
	} else {
		size = size < held ? size : held;
		memcpy(to, input->beginning.at + input->given, size);
		input->given += size;
	}
	input->left -= size;
	return size;
}

/* The first byte that is not blank and of no byte order mark; a blank: there is none. */
static char
first_byte(struct stk_text text)
{
	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] == '\0' || strchr(" \t\r\n\xef\xbb\xbf", text.data[i]) == NULL)
			return text.data[i];
	return ' ';
}

/* Asked before anything else: the size of a part can be the number of a brace, the tag before it is a line's end. */
static bool
is_protobuf(struct stk_text text)
{
	return otlp_is_message(text) || otlp_is_sized_message(text);
}

static bool
begins_as_json(struct begun_input *input)
{
	struct text_buffer *beginning = &input->beginning;
	char first;
	size_t got;

	do {
		array_reserve(beginning, BEGINNING_BYTES);
		got = input->from->read(input->from->context, beginning->at + beginning->count, BEGINNING_BYTES);
		beginning->count += got;
		first = first_byte(text_in(beginning, beginning->count - got));
	} while (got > 0 && first == ' ' && beginning->count < PROFILE_MOST);
	return first == '{' && !is_protobuf(text_in(beginning, 0));
}

static void
hold_protobuf(struct otlp *o, const struct recording_bytes *from)
{
	struct text_buffer all = { 0 };

	(void)profile_hold(&all, from);
	take_protobuf(o, text_in(&all, 0));
	array_release(&all);
}

static int
read_otlp(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct otlp o = { .collect = to, .recorder = recording_definitions(to), .err = err };
	struct begun_input input = { .from = from, .left = PROFILE_MOST };
	const struct recording_bytes begun = { give, &input };
	char beyond;

	if (begins_as_json(&input))
		take_json(&o, &begun);
	else
		hold_protobuf(&o, &begun);
	if (input.left == 0 && from->read(from->context, &beyond, 1) > 0)
		recording_broken(to, "profiles of more than 2 GB; what follows is left out");
	record_batch(&o);
	say_what_is_lost(&o);
	array_release(&input.beginning);
	array_release(&o.stacks);
	array_release(&o.attribute_messages);
	array_release(&o.links);
	array_release(&o.attributes);
	array_release(&o.values);
	array_release(&o.times);
	array_release(&o.note);
	arena_release(&o.arena);
	return o.result < 0 ? -1 : recorder_error(o.recorder, err);
}

/* --- recognising --- */

static int
recognise(struct stk_text text)
{
	if (is_protobuf(text))
		return 90;
	return profile_shape(text) == SHAPE_OTLP ? 95 : 0;
}

const struct text_format otlp_format = {
	.name = "otlp",
	.about = "profiles of OpenTelemetry, OTLP 1.8 to 1.11, as protocol buffers or JSON",
	.shown_by = "resources, scopes and profiles; resourceProfiles in JSON",
	.written_as = "otlp",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_NATIVE,
	.recognise = recognise,
	.read = read_otlp
};
