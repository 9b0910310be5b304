/* SPDX-License-Identifier: MIT
 * speedscope: profiles of speedscope's own format, sampled or evented. Frames may come after the profiles: stacks are
 * kept as numbers of frames, and all of it until the end. */
#include "ingest/profile_json.h"

#include "base/hash_map.h"
#include "base/text_table.h"
#include "ingest/scan_text.h"
#include "model/recorder.h"

#define WALL_NS (INT64_C(1000000000) * 1000000000)	/* a time from 2001 on is one of a clock on the wall */

struct frame { struct stk_text name, file; int64_t line; uint32_t id; };
struct node { uint32_t parent, frame, id; };		/* of a stack; parents come first; 0 is the empty stack */
struct kept { uint32_t node; int64_t weight; };

#define LEFT_OUT UINT32_MAX		/* in place of a node: a sample that cannot be read */

struct profile {
	struct stk_text name;
	struct kept *samples;
	size_t count;
	int scale;			/* of its unit to nanoseconds; NO_SCALE: it counts something else */
	bool bytes, evented;
	int64_t start;			/* in nanoseconds, or as it is */
};

#define NO_SCALE (-1)

struct event { uint32_t frame; bool opens; };

#define RECENT_LISTS 16384u
struct recent_list { struct text_hash hash; uint32_t node; bool known; };

struct speedscope {
	struct profile_json p;
	ARRAY(struct frame) frames;
	ARRAY(struct node) nodes;	/* node n is nodes.at[n - 1] */
	struct hash_map node_map;
	struct recent_list *recent;	/* by hash of the text of a list of frames; entries replace each other */
	ARRAY(struct profile) profiles;
	bool ours;
	uint64_t unbalanced, backwards, unclosed;	/* events, events, frames */
};

static uint32_t
child_of(struct speedscope *s, uint32_t parent, uint32_t frame)
{
	uint64_t hash = hash_pair(parent, frame);
	uint32_t at = hash_map_start(&s->node_map, hash), node;

	while ((node = hash_map_next(&s->node_map, hash, &at)) != 0)
		if (s->nodes.at[node - 1].parent == parent && s->nodes.at[node - 1].frame == frame)
			return node;
	*array_push(&s->nodes) = (struct node){ parent, frame, 0 };
	hash_map_put(&s->node_map, hash, (uint32_t)s->nodes.count);
	return (uint32_t)s->nodes.count;
}

static void
read_frames(struct speedscope *s)
{
	struct json_reader *json = &s->p.json;

	if (!profile_expects(&s->p, JSON_ARRAY))
		return;
	while (profile_next_object(&s->p)) {
		struct stk_text name = text_of("", 0), file = name;
		int64_t line = 0;

		while (json_next(json) == JSON_KEY) {
			struct stk_text *to = text_is(json->text, "name") ? &name
					      : text_is(json->text, "file") ? &file : NULL;

			if (to != NULL && profile_expects(&s->p, JSON_STRING))
				*to = profile_kept(&s->p);
			else if (to == NULL && text_is(json->text, "line"))
				line = profile_number(&s->p, 0, 0);
			else if (to == NULL)
				(void)json_skip(json);
		}
		*array_push(&s->frames) = (struct frame){ name, file, line, 0 };
	}
}

/* --- a profile --- */

struct columns {
	ARRAY(uint32_t) nodes;
	ARRAY(struct event) events;
	struct text_buffer numbers;	/* weights or times, each with a comma after it: their unit may come later */
	size_t number_count;
	struct stk_text start;
};

/* The number of a frame; of what is no frame's number, one that no frame has. */
static uint32_t
frame_number(int64_t value)
{
	return value >= 0 && value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* The next value of an array; false: it is over. */
static bool
next_value(struct json_reader *json, enum json_kind *kind)
{
	*kind = json_next(json);
	return *kind > JSON_BAD && *kind != JSON_ARRAY_END;
}

/* The frames of a list that has begun, one by one. */
static uint32_t
read_frames_of(struct speedscope *s)
{
	struct json_reader *json = &s->p.json;
	unsigned depth = json->depth;
	uint32_t node = 0;
	enum json_kind kind;
	int64_t frame;

	for (;;) {
		while (json_next_integer(json, 0, &frame))
			node = child_of(s, node, frame_number(frame));
		if (!next_value(json, &kind))
			break;
		if (kind != JSON_NUMBER) {
			(void)json_leave(json, depth);
			return LEFT_OUT;
		}
		node = child_of(s, node, frame_number(json_integer(json->text, 0, &frame) ? frame : -1));
	}
	return node;
}

/* The stack of a list that has begun. Most have the text of one before. A list that can be read has nothing but
 * numbers, so that its text ends at the first ]. */
static uint32_t
read_stack(struct speedscope *s)
{
	struct stk_text list = json_text_ahead(&s->p.json);
	struct text_hash hash = scan_hash(list);
	struct recent_list *recent;
	uint32_t node;

	if (list.size == 0)
		return read_frames_of(s);
	if (s->recent == NULL)
		s->recent = mem_new(RECENT_LISTS, sizeof *s->recent);
	recent = &s->recent[hash.low % RECENT_LISTS];
	if (recent->known && recent->hash.low == hash.low && recent->hash.high == hash.high) {
		json_pass_ahead(&s->p.json, list);
		return recent->node;
	}
	node = read_frames_of(s);
	if (node != LEFT_OUT)
		*recent = (struct recent_list){ hash, node, true };
	return node;
}

/* A sample that is no list of frames keeps its place, which its weight has, too. */
static void
read_stacks(struct speedscope *s, struct columns *c)
{
	enum json_kind kind;

	if (!profile_expects(&s->p, JSON_ARRAY))
		return;
	while (next_value(&s->p.json, &kind)) {
		uint32_t node = kind == JSON_ARRAY ? read_stack(s) : LEFT_OUT;

		if (node == LEFT_OUT)
			profile_broken(&s->p, "a sample that is not a list of frames; left out");
		if (kind == JSON_OBJECT)
			(void)json_leave(&s->p.json, s->p.json.depth);
		*array_push(&c->nodes) = node;
	}
}

static void
add_number(struct columns *c, struct stk_text number)
{
	add_text(&c->numbers, number);
	add_char(&c->numbers, ',');
	c->number_count++;
}

static void
read_weights(struct speedscope *s, struct columns *c)
{
	struct json_reader *json = &s->p.json;
	enum json_kind kind;

	if (!profile_expects(&s->p, JSON_ARRAY))
		return;
	while (next_value(json, &kind)) {
		json_pass(json, kind);
		if (kind != JSON_NUMBER)
			profile_broken(&s->p, "a weight that is not a number; counts 0");
		add_number(c, kind == JSON_NUMBER ? json->text : text_from("0"));
	}
}

static void
read_events(struct speedscope *s, struct columns *c)
{
	struct json_reader *json = &s->p.json;

	if (!profile_expects(&s->p, JSON_ARRAY))
		return;
	while (profile_next_object(&s->p)) {
		struct event event = { UINT32_MAX, false };
		bool placed = false;

		while (json_next(json) == JSON_KEY) {
			if (text_is(json->text, "type"))
				event.opens = profile_expects(&s->p, JSON_STRING) && text_is(json->text, "O");
			else if (text_is(json->text, "frame"))
				event.frame = frame_number(profile_number(&s->p, 0, -1));
			else if (!text_is(json->text, "at"))
				(void)json_skip(json);
			else if (profile_expects(&s->p, JSON_NUMBER) && !placed) {
				add_number(c, json->text);
				placed = true;
			}
		}
		if (placed)
			*array_push(&c->events) = event;
	}
}

static int64_t
scaled(struct speedscope *s, const struct profile *profile, struct stk_text number)
{
	int64_t value = 0;

	if (number.size > 0 && (!json_integer(number, profile->scale == NO_SCALE ? 0 : profile->scale, &value) ||
				value < STK_TIME_LEAST || value > STK_TIME_MOST)) {
		profile_broken(&s->p, "a number beyond 2^62; counted as 0");
		value = 0;
	}
	/* fractions of a nanosecond do not matter */
	if (number.size > 0 && profile->scale == NO_SCALE && memchr(number.data, '.', number.size) != NULL)
		s->p.fractions += json_real(number) != (double)value;
	return value;
}

/* What is open between two events is a sample that weighs the time between them. */
static void
settle_events(struct speedscope *s, struct profile *profile, struct columns *c)
{
	ARRAY(uint32_t) open = { 0 };
	ARRAY(struct kept) samples = { 0 };
	struct stk_text numbers = text_in(&c->numbers, 0);
	int64_t before = profile->start;

	for (size_t i = 0; i < c->events.count; i++) {
		const struct event *event = &c->events.at[i];
		int64_t at = scaled(s, profile, text_take(&numbers, ','));
		uint32_t node = open.count > 0 ? open.at[open.count - 1] : 0;

		if (at > before)		/* also where nothing is open: the time of later ones counts on it */
			*array_push(&samples) = (struct kept){ node, at - before };
		s->backwards += at < before;
		before = at > before ? at : before;
		if (event->opens)
			*array_push(&open) = child_of(s, node, event->frame);
		else if (node != 0 && s->nodes.at[node - 1].frame == event->frame)
			open.count--;
		else
			s->unbalanced++;
	}
	s->unclosed += open.count;
	profile->samples = samples.at;
	profile->count = samples.count;
	array_release(&open);
}

static void
settle_samples(struct speedscope *s, struct profile *profile, struct columns *c)
{
	struct stk_text numbers = text_in(&c->numbers, 0);

	profile->count = c->nodes.count < c->number_count ? c->nodes.count : c->number_count;
	if (c->nodes.count != c->number_count)
		profile_broken(&s->p, "a profile with more samples than weights, or fewer; those without the other are left out");
	profile->samples = mem_new(profile->count + 1, sizeof *profile->samples);
	for (size_t i = 0; i < profile->count; i++)
		profile->samples[i] = (struct kept){ c->nodes.at[i], scaled(s, profile, text_take(&numbers, ',')) };
}

static void
set_unit(struct profile *profile, struct stk_text unit)
{
	static const struct { const char *name; int scale; } units[] = {
		{ "nanoseconds", 0 }, { "microseconds", 3 }, { "milliseconds", 6 }, { "seconds", 9 },
	};

	for (size_t u = 0; u < sizeof units / sizeof *units; u++)
		if (text_is(unit, units[u].name))
			profile->scale = units[u].scale;
	profile->bytes = text_is(unit, "bytes");
}

static void
read_profile(struct speedscope *s)
{
	struct json_reader *json = &s->p.json;
	struct profile profile = { .name = text_of("", 0), .scale = NO_SCALE };
	struct columns c = { .start = text_of("", 0) };

	while (json_next(json) == JSON_KEY) {
		if (text_is(json->text, "name")) {
			if (profile_expects(&s->p, JSON_STRING))
				profile.name = profile_kept(&s->p);
		} else if (text_is(json->text, "unit")) {
			if (profile_expects(&s->p, JSON_STRING))
				set_unit(&profile, json->text);
		} else if (text_is(json->text, "startValue")) {
			if (profile_expects(&s->p, JSON_NUMBER))
				c.start = profile_kept(&s->p);
		} else if (text_is(json->text, "samples")) {
			read_stacks(s, &c);
		} else if (text_is(json->text, "weights")) {
			read_weights(s, &c);
		} else if (text_is(json->text, "events")) {
			read_events(s, &c);
		} else {
			(void)json_skip(json);
		}
	}
	profile.start = scaled(s, &profile, c.start);
	profile.evented = c.events.count > 0;
	if (profile.evented)
		settle_events(s, &profile, &c);
	else
		settle_samples(s, &profile, &c);
	*array_push(&s->profiles) = profile;
	array_release(&c.nodes);
	array_release(&c.events);
	array_release(&c.numbers);
}

/* --- rows --- */

static uint32_t
frame_id(struct speedscope *s, uint32_t frame)
{
	if (frame >= s->frames.count) {
		profile_broken(&s->p, "a frame that is not defined; named ?");
		return profile_frame(&s->p, text_from("?"), text_of("", 0), text_of("", 0), 0);
	}
	if (s->frames.at[frame].id == 0)
		s->frames.at[frame].id = profile_frame(&s->p, s->frames.at[frame].name, s->frames.at[frame].file,
						       text_of("", 0), s->frames.at[frame].line);
	return s->frames.at[frame].id;
}

static void
add_profile(struct speedscope *s, const struct profile *profile)
{
	bool timed = profile->scale != NO_SCALE;
	struct profile_thread thread;
	int64_t time = profile->start;

	recording_clock(s->p.collect, timed && time >= WALL_NS ? STK_CLOCK_WALL : STK_CLOCK_MONOTONIC);
	thread = profile_thread(&s->p, profile->name, 0, s->ours,
				text_from(timed ? "cpu-clock" : profile->bytes ? "bytes" : ""));
	for (size_t i = 0; i < profile->count && s->p.result == 0; i++) {
		const struct kept *kept = &profile->samples[i];

		if (kept->node != LEFT_OUT && (kept->node != 0 || !profile->evented))	/* else a gap */
			profile_sample(&s->p, &thread, timed ? time : STK_TIME_UNKNOWN,
				       kept->node == 0 ? 0 : s->nodes.at[kept->node - 1].id, kept->weight,
				       STK_STATE_UNKNOWN);
		if (timed && kept->weight > 0 && time < STK_TIME_MOST - kept->weight)
			time += kept->weight;
	}
}

static void
add_profiles(struct speedscope *s)
{
	for (size_t n = 0; n < s->nodes.count; n++) {
		struct node *node = &s->nodes.at[n];

		node->id = recorder_stack(s->p.recorder, node->parent == 0 ? 0 : s->nodes.at[node->parent - 1].id,
					  frame_id(s, node->frame));
	}
	for (size_t i = 0; i < s->profiles.count; i++)
		add_profile(s, &s->profiles.at[i]);
	if (s->backwards > 0)
		profile_broken(&s->p, "events that are earlier than the one before; taken for the same moment");
	if (s->unclosed > 0)
		profile_broken(&s->p, "frames that no event closes; they end at the last event");
	if (s->unbalanced > 0)
		profile_broken(&s->p, "events that close a frame which is not open; left out");
}

static void
read_object(struct speedscope *s)
{
	struct json_reader *json = &s->p.json;

	while (json_next(json) == JSON_KEY) {
		if (text_is(json->text, "shared")) {
			if (!profile_expects(&s->p, JSON_OBJECT))
				continue;
			while (json_next(json) == JSON_KEY)
				if (text_is(json->text, "frames"))
					read_frames(s);
				else
					(void)json_skip(json);
		} else if (text_is(json->text, "profiles")) {
			if (!profile_expects(&s->p, JSON_ARRAY))
				continue;
			while (profile_next_object(&s->p))
				read_profile(s);
		} else if (text_is(json->text, "exporter")) {
			s->ours = profile_expects(&s->p, JSON_STRING) && text_starts(json->text, "stkpipe ");
		} else {
			(void)json_skip(json);
		}
	}
	(void)json_next(json);		/* nothing may follow */
}

static int
read_speedscope(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct speedscope s = { .ours = false };
	int result;

	profile_open(&s.p, to, from, err);
	if (json_next(&s.p.json) == JSON_OBJECT)
		read_object(&s);
	else
		profile_broken(&s.p, "no object where a profile of speedscope is expected");
	add_profiles(&s);
	result = profile_close(&s.p);
	for (size_t i = 0; i < s.profiles.count; i++)
		free(s.profiles.at[i].samples);
	array_release(&s.profiles);
	array_release(&s.frames);
	array_release(&s.nodes);
	hash_map_release(&s.node_map);
	free(s.recent);
	return result;
}

static int
recognise(struct stk_text text)
{
	return profile_shape(text) == SHAPE_SPEEDSCOPE ? 100 : 0;
}

const struct text_format speedscope_format = {
	.name = "speedscope",
	.about = "profiles of speedscope, py-spy, rbspy and others: sampled or evented, a thread each",
	.shown_by = "JSON with speedscope's $schema",
	.written_as = "speedscope",
	.clock = STK_CLOCK_MONOTONIC,
	.runtime = STK_RUNTIME_UNKNOWN,
	.recognise = recognise,
	.read = read_speedscope
};
