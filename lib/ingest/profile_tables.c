/* SPDX-License-Identifier: MIT
 * profile_tables: texts, functions and modules are found by number; the frames of a location are read once. */
#include "ingest/profile_tables.h"

#include "model/event_weighs.h"
#include "model/recorder.h"

#define READ_BYTES   (1u << 20)

void
profile_tables_open(struct profile_tables *t, struct collect *collect, struct location_fields fields)
{
	*t = (struct profile_tables){ .collect = collect, .fields = fields };
	t->functions.size = sizeof(struct profile_function);
	t->modules.size = sizeof(struct profile_module);
	t->locations.size = sizeof(struct profile_location);
}

void
profile_tables_release(struct profile_tables *t)
{
	array_release(&t->texts);
	array_release(&t->frames);
	array_release(&t->way);
	id_table_clear(&t->functions);
	id_table_clear(&t->modules);
	id_table_clear(&t->locations);
}

struct stk_text
profile_string(struct profile_tables *t, uint64_t index)
{
	if (index < t->texts.count)
		return t->texts.at[index];
	t->lost++;
	return text_of("", 0);
}

/* --- frames --- */

/* The frame of a function at a line; function 0: only its address is known. */
static uint32_t
frame_id(struct profile_tables *t, uint64_t function, int64_t line, struct stk_text module, uint64_t address,
	 bool inlined)
{
	struct frame_parts parts = { .line = line > 0 ? line : 0, .module = module, .address = address,
				     .is_symbol = true,
				     .form = inlined ? STK_FORM_INLINED : module.size > 0 ? STK_FORM_NATIVE
											    : STK_FORM_PLAIN };
	const struct profile_function *of = function != 0 ? id_table_find(&t->functions, function) : NULL;

	if (of != NULL) {
		parts.function = profile_string(t, of->name);
		if (parts.function.size == 0)
			parts.function = profile_string(t, of->system_name);
		parts.file = profile_string(t, of->file);
	} else if (function != 0) {
		t->lost++;
	}
	if (parts.function.size == 0)
		parts.function = text_from("[unknown]");
	return recording_frame(t->collect, &parts);
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
read_location(struct profile_tables *t, struct profile_location *location)
{
	struct proto_reader reader = proto_read(location->message);
	struct proto_field field;
	ARRAY(struct stk_text) lines = { 0 };
	uint64_t number = 0, address = 0;
	const struct profile_module *in;
	struct stk_text module;

	while (proto_next(&reader, &field))
		if (field.wire == PROTO_NUMBER && field.number == t->fields.module)
			number = field.value;
		else if (field.wire == PROTO_NUMBER && field.number == t->fields.address)
			address = field.value;
		else if (field.wire == PROTO_BYTES && field.number == t->fields.line)
			*array_push(&lines) = field.bytes;
	in = number != 0 ? id_table_find(&t->modules, number) : NULL;
	t->lost += number != 0 && in == NULL;
	module = in != NULL ? profile_string(t, in->file) : text_of("", 0);
	location->first = (uint32_t)t->frames.count;
	for (size_t i = 0; i < lines.count; i++) {
		int64_t line;
		uint64_t function = read_line(lines.at[i], &line);

		*array_push(&t->frames) = frame_id(t, function, line, module, address, i + 1 < lines.count);
	}
	if (lines.count == 0)
		*array_push(&t->frames) = frame_id(t, 0, 0, module, address, false);
	location->frames = (uint32_t)(t->frames.count - location->first);
	location->read = true;
	array_release(&lines);
}

uint32_t
profile_stack(struct profile_tables *t)
{
	struct recorder *recorder = recording_definitions(t->collect);
	uint32_t stack = 0;
	size_t from = t->way.count;

	if (from > INGEST_DEPTH_MAX) {
		recording_broken(t->collect, "a stack of more than 65536 frames; those nearer to the root are left out");
		from = INGEST_DEPTH_MAX;
	}
	for (size_t i = from; i > 0; i--) {
		struct profile_location *location = id_table_find(&t->locations, t->way.at[i - 1]);

		if (location == NULL) {
			t->lost++;
			continue;
		}
		if (!location->read)
			read_location(t, location);
		for (uint32_t f = location->frames; f > 0; f--)
			stack = recorder_stack(recorder, stack, t->frames.at[location->first + f - 1]);
	}
	return stack;
}

/* --- values --- */

/* The stream has nanoseconds and bytes. */
static uint64_t
unit_times(struct stk_text *name)
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

struct profile_type
profile_type(struct profile_tables *t, struct stk_text name, struct stk_text unit)
{
	struct profile_type type = { .times = unit_times(&unit) };
	enum event_weighs weighs = event_weighs(name);
	struct text_buffer event = { 0 };

	add_text(&event, name);
	if (unit.size > 0 && !text_is(unit, "count") && (weighs != EVENT_NANOSECONDS || !text_is(unit, "nanoseconds")) &&
	    (weighs != EVENT_BYTES || !text_is(unit, "bytes"))) {
		add_char(&event, '/');
		add_text(&event, unit);
	}
	type.event = recorder_string(recording_definitions(t->collect), text_in(&event, 0));
	array_release(&event);
	return type;
}

bool
is_profile_type(struct stk_text message)
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

uint64_t
profile_weight(const struct profile_type *type, uint64_t value, uint64_t *beyond)
{
	uint64_t weight;

	if (!__builtin_mul_overflow(value, type->times, &weight) && weight <= PROFILE_WEIGHT_MOST)
		return weight;
	++*beyond;
	return PROFILE_WEIGHT_MOST;
}

/* --- the input --- */

bool
profile_hold(struct text_buffer *to, const struct recording_bytes *from)
{
	size_t got;

	do {
		array_reserve(to, READ_BYTES);
		got = from->read(from->context, to->at + to->count, READ_BYTES);
		to->count += got;
	} while (got > 0 && to->count <= PROFILE_MOST);
	return got == 0;
}

void
profile_say_rest(struct collect *collect, struct stk_text rest)
{
	while (rest.size > 0 && strchr("\r\n\t ", *rest.data) != NULL)	/* and zero bytes */
		rest = text_of(rest.data + 1, rest.size - 1);
	if (rest.size > 0)
		recording_broken(collect, "something else follows the end, which is not read there");
}
