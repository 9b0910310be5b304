/* SPDX-License-Identifier: MIT
 * event_json: events as JSON objects, one after another. Each becomes the line that event_line reads, so that both
 * forms obey the same rules. */
#include "ingest/folded.h"
#include "ingest/profile_json.h"

#include "base/event_line.h"
#include "base/event_values.h"

#include <stdio.h>

enum field { TIME, THREAD, HAPPENING, NAME, VALUE, ACTIVITY, STACK, PROCESSOR, PROCESS, VALUES, FIELDS };

struct event_json {
	struct profile_json p;
	struct text_buffer fields[FIELDS], line;
	uint64_t bad, nested;		/* objects that are not events; values of keys that cannot be such */
	uint64_t too_large;		/* values that cannot be summed */
};

static enum field
field_of(struct stk_text key)
{
	static const struct { const char *name; enum field field; } names[] = {
		{ "time", TIME }, { "thread", THREAD }, { "happening", HAPPENING }, { "kind", HAPPENING },
		{ "name", NAME }, { "value", VALUE }, { "activity", ACTIVITY }, { "stack", STACK },
		{ "processor", PROCESSOR }, { "process", PROCESS }, { "values", VALUES }
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text_is(key, names[i].name))
			return names[i].field;
	return FIELDS;
}

/* A text within a line: what would end a field, and where `marks`, what would end a word, is replaced. */
static void
add_plain(struct text_buffer *to, struct stk_text text, bool marks)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];

		add_char(to, c == '\t' || c == '\n' || c == '\r' || c == '\0' ? (marks ? '_' : ' ')
			     : marks && (c == ' ' || c == '=')                ? '_' : c);
	}
}

/* The frames of an array, root first. */
static void
read_frames(struct event_json *e, struct text_buffer *to)
{
	enum json_kind kind;

	while ((kind = json_next(&e->p.json)) > JSON_BAD && kind != JSON_ARRAY_END) {
		if (kind != JSON_STRING) {
			e->nested++;
			json_pass(&e->p.json, kind);
			continue;
		}
		if (to->count > 0)
			add_char(to, ';');
		add_plain(to, e->p.json.text, false);
	}
}

/* {"bytes": 4096, "wait": "1.5ms"} as bytes=4096 wait=1.5ms */
static void
read_values(struct event_json *e, struct text_buffer *to)
{
	while (json_next(&e->p.json) == JSON_KEY) {
		enum json_kind kind;

		if (to->count > 0)
			add_char(to, ' ');
		add_plain(to, e->p.json.text, true);
		add_char(to, '=');
		kind = json_next(&e->p.json);
		if (kind == JSON_NUMBER || kind == JSON_STRING)
			add_plain(to, e->p.json.text, true);
		else
			e->nested++;
		json_pass(&e->p.json, kind);
	}
}

static void
read_field(struct event_json *e, enum field field)
{
	struct text_buffer *to = &e->fields[field];
	enum json_kind kind = json_next(&e->p.json);

	to->count = 0;
	if (kind == JSON_STRING || kind == JSON_NUMBER) {
		add_plain(to, e->p.json.text, false);
	} else if (kind == JSON_ARRAY && field == STACK) {
		read_frames(e, to);
	} else if (kind == JSON_OBJECT && field == VALUES) {
		read_values(e, to);
	} else {
		e->nested += kind != JSON_NULL;
		json_pass(&e->p.json, kind);
	}
}

static void
add_event(struct event_json *e)
{
	struct event_line read;

	e->line.count = 0;
	for (unsigned f = 0; f < FIELDS; f++) {
		if (f > 0)
			add_char(&e->line, '\t');
		add_text(&e->line, text_in(&e->fields[f], 0));
	}
	if (event_line_read(text_in(&e->line, 0), NULL, &read) <= 0)
		e->bad++;
	else if (recording_event(e->p.collect, &read, e->p.err) < 0)
		e->p.result = -1;
	else
		e->too_large += event_values_too_large(read.event.values);
}

/* The lines of an object that is no event, without their text, which is gone. */
static void
reject_object(struct event_json *e, uint64_t line)
{
	for (uint64_t last = json_line(&e->p.json); line <= last; line++)
		recording_rejected(e->p.collect, line, text_from("{...}"), false, "an object that is no event");
}

static void
read_event(struct event_json *e)
{
	struct json_reader *json = &e->p.json;
	uint64_t line = json->counts_lines ? json_line(json) : 0, bad = e->bad;

	for (unsigned f = 0; f < FIELDS; f++)
		e->fields[f].count = 0;
	while (json_next(json) == JSON_KEY) {
		enum field field = field_of(json->text);

		if (field == FIELDS)
			(void)json_skip(json);
		else
			read_field(e, field);
	}
	if (!json_is_cut(json) && json->wrong == NULL)
		add_event(e);
	if (e->bad > bad && json->counts_lines)
		reject_object(e, line);
}

static int
read_events(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct event_json e = { .bad = 0 };
	enum json_kind kind;
	int result;

	profile_open(&e.p, to, from, err);
	e.p.json.several = true;
	while (e.p.result == 0 && (kind = json_next(&e.p.json)) > JSON_BAD) {
		if (kind == JSON_OBJECT) {
			read_event(&e);
		} else {
			e.bad++;
			json_pass(&e.p.json, kind);
			if (e.p.json.counts_lines)
				reject_object(&e, json_line(&e.p.json));
		}
	}
	if (e.bad > 0)
		recording_broken(to, "objects that are not events: expected a time, a happening (point, start, stop, "
				 "switch-out or switch-in), and an activity that is a number or a trace id");
	if (!recording_lists_rejects(to))		/* else each is listed */
		recording_unplaced(to, e.bad, "of such objects");
	if (e.too_large > 0)
		recording_broken(to, "events with values that are too large to be summed");
	recording_unplaced(to, e.too_large, "of such values; their events count without them");
	recording_unplaced(to, e.nested, "values of events that are neither numbers nor texts, which are left out");
	result = profile_close(&e.p);
	for (unsigned f = 0; f < FIELDS; f++)
		array_release(&e.fields[f]);
	array_release(&e.line);
	return result;
}

static int
recognise(struct stk_text text)
{
	return profile_shape(text) == SHAPE_EVENTS ? 97 : 0;
}

const struct text_format event_json_format = {
	.name = "events-json",
	.about = "events as JSON objects, one a line, with the names of the columns of events as keys",
	.shown_by = "objects with a time and a happening or kind",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_UNKNOWN,
	.recognise = recognise,
	.read = read_events,
	.read_stack = folded_read_stack,
	.read_frame = folded_read_frame
};
