/* SPDX-License-Identifier: MIT
 * firefox: the processed format of the Firefox Profiler, which samply, perf importers and others write. Versions differ
 * in where tables are: of each thread, or shared; they are found by their names. Threads are kept until what explains
 * their samples is known, which may come after them. */
#include "ingest/profile_json.h"
#include "ingest/scan_text.h"

#include "model/recorder.h"
#include "model/state_name.h"

#define WALL_MS INT64_C(100000000000)	/* 1973: a profile that began later has the time of a clock on the wall */

struct known_stack { uint32_t id; enum stk_state state; };

/* A table's columns, by row; and what its rows became. */
struct tables {
	ARRAY(struct stk_text) strings;
	struct numbers prefix, stack_frame;			/* stackTable */
	struct numbers function, line, category;		/* frameTable */
	struct numbers name, file, source, resource;		/* funcTable */
	struct numbers resource_name, source_name;
	bool offsets, any;		/* prefix says how far back it is; the profile has such tables */
	ARRAY(struct known_stack) stacks;
	ARRAY(uint32_t) frames;		/* ids plus one; 0: not yet */
};

struct thread {
	struct stk_text name, process_name, weight_type;
	uint64_t pid, tid;
	struct numbers stack, time, weight;
	bool deltas, whole;		/* times are differences; weights are not millionths */
	struct tables *tables;
};

struct firefox {
	struct profile_json p;
	struct tables shared;
	ARRAY(struct thread) threads;
	ARRAY(enum stk_state) categories;
	int64_t start_ns;
	bool ours, meta_read;
	uint64_t left_out;		/* markers */
};

/* A tid is 7, "7", "4100:7", or "7.1" of the second thread with this number. */
static uint64_t
number_of(struct stk_text text)
{
	const char *colon = text.size > 0 ? memrchr(text.data, ':', text.size) : NULL;
	const char *at = colon != NULL ? colon + 1 : text.data, *end = text.data + text.size;
	uint64_t value;

	return scan_decimal(&at, end, &value) ? value : 0;
}

/* --- tables --- */

struct wanted_column { const char *table, *column; struct numbers *to; };

static void
read_strings(struct firefox *f, struct tables *t)
{
	enum json_kind kind;

	t->strings.count = 0;
	if (!profile_expects(&f->p, JSON_ARRAY))
		return;
	while ((kind = json_next(&f->p.json)) == JSON_STRING)
		*array_push(&t->strings) = profile_kept(&f->p);
	if (kind != JSON_ARRAY_END) {
		profile_broken(&f->p, "a table of strings with something else in it; its end is left out");
		(void)json_leave(&f->p.json, f->p.json.depth);
	}
}

/* The value of a key of a thread, or of what is shared. False: it is none of the tables', and not read. */
static bool
read_table(struct firefox *f, struct tables *t, struct stk_text key)
{
	const struct wanted_column columns[] = {
		{ "stackTable", "prefix", &t->prefix },	       { "stackTable", "prefixOffset", &t->prefix },
		{ "stackTable", "frame", &t->stack_frame },    { "frameTable", "func", &t->function },
		{ "frameTable", "line", &t->line },	       { "frameTable", "category", &t->category },
		{ "funcTable", "name", &t->name },	       { "funcTable", "fileName", &t->file },
		{ "funcTable", "source", &t->source },	       { "funcTable", "resource", &t->resource },
		{ "resourceTable", "name", &t->resource_name }, { "sources", "filename", &t->source_name },
	};
	const size_t count = sizeof columns / sizeof *columns;
	const char *table = NULL;
	struct json_reader *json = &f->p.json;

	if (text_is(key, "stringArray") || text_is(key, "stringTable")) {
		read_strings(f, t);
		return t->any = true;
	}
	for (size_t c = 0; c < count && table == NULL; c++)
		if (text_is(key, columns[c].table))
			table = columns[c].table;
	if (table == NULL)
		return false;
	t->any = true;
	if (!profile_expects(&f->p, JSON_OBJECT))
		return true;
	while (json_next(json) == JSON_KEY) {
		size_t c = 0;

		while (c < count && (strcmp(columns[c].table, table) != 0 || !text_is(json->text, columns[c].column)))
			c++;
		if (c == count) {
			(void)json_skip(json);
			continue;
		}
		t->offsets |= strcmp(columns[c].column, "prefixOffset") == 0;
		profile_numbers(&f->p, columns[c].to, 0);
	}
	return true;
}

static void
release_tables(struct tables *t)
{
	struct numbers *const columns[] = { &t->prefix, &t->stack_frame, &t->function, &t->line,
					    &t->category, &t->name,	   &t->file,	 &t->source,
					    &t->resource, &t->resource_name, &t->source_name };

	for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
		array_release(columns[c]);
	array_release(&t->strings);
	array_release(&t->stacks);
	array_release(&t->frames);
	*t = (struct tables){ .any = false };
}

static struct stk_text
string_at(const struct tables *t, int64_t number)
{
	return number >= 0 && (uint64_t)number < t->strings.count ? t->strings.at[number] : text_of("", 0);
}

static uint32_t
frame_of(struct firefox *f, struct tables *t, int64_t row)
{
	int64_t function = number_at(&t->function, row), file = number_at(&t->file, function);
	int64_t source = number_at(&t->source, function), resource = number_at(&t->resource, function);
	struct stk_text name = string_at(t, number_at(&t->name, function)), nothing = text_of("", 0);

	if (row < 0 || (uint64_t)row >= t->function.count || name.data == nothing.data)
		profile_broken(&f->p, "a frame that is not defined; named ?");
	if (row < 0 || (uint64_t)row >= t->function.count)
		return profile_frame(&f->p, text_from("?"), nothing, nothing, 0);
	array_lengthen(&t->frames, t->function.count);
	if (t->frames.at[row] == 0)
		t->frames.at[row] = 1 + profile_frame(&f->p, name,
						      file >= 0 ? string_at(t, file)
								: string_at(t, number_at(&t->source_name, source)),
						      string_at(t, number_at(&t->resource_name, resource)),
						      number_at(&t->line, row));
	return t->frames.at[row] - 1;
}

static int64_t
prefix_of(const struct tables *t, int64_t row)
{
	int64_t prefix = number_at(&t->prefix, row);

	if (prefix == NO_NUMBER || (t->offsets && prefix == 0))
		return -1;
	return t->offsets ? row - prefix : prefix;
}

/* Ours have the state of a sample as the category of its leaf. */
static enum stk_state
state_of(const struct firefox *f, const struct tables *t, int64_t stack)
{
	int64_t category = number_at(&t->category, number_at(&t->stack_frame, stack));

	return category >= 0 && (uint64_t)category < f->categories.count ? f->categories.at[category]
									 : STK_STATE_UNKNOWN;
}

/* A stack's callers are in rows before it. */
static struct known_stack
new_stack(struct firefox *f, struct tables *t, int64_t row)
{
	if (row == NO_NUMBER)
		return (struct known_stack){ 0, STK_STATE_UNKNOWN };
	if (row < 0 || (uint64_t)row >= t->stack_frame.count) {
		profile_broken(&f->p, "a stack that is not defined; taken for an empty one");
		return (struct known_stack){ 0, STK_STATE_UNKNOWN };
	}
	for (int64_t r = (int64_t)t->stacks.count; r <= row; r++) {
		int64_t prefix = prefix_of(t, r);
		uint32_t stack = 0;

		if (prefix >= 0 && prefix < r)
			stack = t->stacks.at[prefix].id;
		else if (prefix != -1)
			profile_broken(&f->p, "a stack whose caller is not before it; the caller is left out");
		stack = recorder_stack(f->p.recorder, stack, frame_of(f, t, number_at(&t->stack_frame, r)));
		*array_push(&t->stacks) = (struct known_stack){ stack, state_of(f, t, r) };
	}
	return t->stacks.at[row];
}

static inline struct known_stack
stack_of(struct firefox *f, struct tables *t, int64_t row)
{
	return row >= 0 && (uint64_t)row < t->stacks.count ? t->stacks.at[row] : new_stack(f, t, row);
}

/* --- threads --- */

static void
read_samples(struct firefox *f, struct thread *thread)
{
	struct json_reader *json = &f->p.json;

	if (!profile_expects(&f->p, JSON_OBJECT))
		return;
	while (json_next(json) == JSON_KEY) {
		if (text_is(json->text, "stack")) {
			profile_numbers(&f->p, &thread->stack, 0);
		} else if (text_is(json->text, "time") || text_is(json->text, "timeDeltas")) {
			thread->deltas = !text_is(json->text, "time");
			profile_numbers(&f->p, &thread->time, 6);
		} else if (text_is(json->text, "weight")) {
			/* stkcat writes whole numbers, which may be too large to have six digits more */
			thread->whole = f->ours && !text_is(thread->weight_type, "tracing-ms");
			profile_numbers(&f->p, &thread->weight, thread->whole ? 0 : 6);
		} else if (text_is(json->text, "weightType")) {
			thread->weight_type = profile_text(&f->p);
		} else {
			(void)json_skip(json);
		}
	}
}

static void
read_markers(struct firefox *f)
{
	struct json_reader *json = &f->p.json;
	int64_t markers = 0;

	if (!profile_expects(&f->p, JSON_OBJECT))
		return;
	while (json_next(json) == JSON_KEY)
		if (text_is(json->text, "length"))
			markers = profile_number(&f->p, 0, 0);
		else
			(void)json_skip(json);
	f->left_out += markers > 0 ? (uint64_t)markers : 0;
}

/* Into an empty one, whose columns may have room. */
static void
read_thread(struct firefox *f, struct thread *thread)
{
	struct json_reader *json = &f->p.json;

	thread->name = thread->process_name = thread->weight_type = text_of("", 0);
	if (thread->tables == NULL)
		thread->tables = mem_new(1, sizeof *thread->tables);
	while (json_next(json) == JSON_KEY) {
		if (text_is(json->text, "name"))
			thread->name = profile_text(&f->p);
		else if (text_is(json->text, "processName"))
			thread->process_name = profile_text(&f->p);
		else if (text_is(json->text, "pid"))
			thread->pid = number_of(profile_text(&f->p));
		else if (text_is(json->text, "tid"))
			thread->tid = number_of(profile_text(&f->p));
		else if (text_is(json->text, "samples"))
			read_samples(f, thread);
		else if (text_is(json->text, "markers"))
			read_markers(f);
		else if (!read_table(f, thread->tables, json->text))
			(void)json_skip(json);
	}
}

/* Its columns keep their room: the next thread need not ask the system for it. */
static void
empty_thread(struct thread *thread)
{
	struct thread empty = { .stack = thread->stack, .time = thread->time, .weight = thread->weight,
				.tables = thread->tables };

	release_tables(empty.tables);
	empty.stack.count = empty.time.count = empty.weight.count = 0;
	*thread = empty;
}

static void
release_thread(struct thread *thread)
{
	array_release(&thread->stack);
	array_release(&thread->time);
	array_release(&thread->weight);
	if (thread->tables != NULL)
		release_tables(thread->tables);
	free(thread->tables);
}

/* Of a weight in millionths. */
static int64_t
whole_weight(struct firefox *f, int64_t millionths)
{
	int64_t rest = millionths % 1000000;

	f->p.fractions += rest != 0;
	return millionths / 1000000 + (rest >= 500000) - (rest < -500000);
}

/* time: weights are nanoseconds. */
static int64_t
meant_weight(struct firefox *f, const struct thread *thread, bool time, size_t row)
{
	int64_t weight = number_at(&thread->weight, (int64_t)row);

	if (weight == NO_NUMBER)
		return time ? 0 : 1;
	return time || thread->whole ? weight : whole_weight(f, weight);
}

/* now: of the sample before. */
static int64_t
moment_of(const struct firefox *f, const struct thread *thread, size_t row, int64_t *now)
{
	int64_t at = number_at(&thread->time, (int64_t)row);

	if (at == NO_NUMBER || __builtin_add_overflow(thread->deltas ? *now : f->start_ns, at, now))
		return STK_TIME_UNKNOWN;
	return *now;
}

static void
add_samples(struct firefox *f, struct tables *t, const struct thread *thread, const struct profile_thread *of)
{
	bool time = text_is(thread->weight_type, "tracing-ms");
	int64_t now = f->start_ns;
	struct profile_rows rows;
	uint32_t count;

	for (size_t i = 0; i < thread->stack.count && f->p.result == 0; i += count) {
		count = profile_rows(&f->p, of, thread->stack.count - i, &rows);
		for (uint32_t r = 0; r < count; r++) {
			struct known_stack stack = stack_of(f, t, thread->stack.at[i + r]);

			rows.time[r] = (uint64_t)moment_of(f, thread, i + r, &now);
			rows.stack[r] = stack.id;
			rows.state[r] = stack.state;
			rows.weight[r] = profile_row_weight(&f->p, meant_weight(f, thread, time, i + r));
		}
		profile_rows_add(&f->p, count);
	}
}

static void
add_thread(struct firefox *f, struct thread *thread)
{
	bool time = text_is(thread->weight_type, "tracing-ms"), bytes = text_is(thread->weight_type, "bytes");
	struct profile_thread of;

	if (thread->stack.count == 0)
		return;
	recording_clock(f->p.collect, f->start_ns >= WALL_MS * 1000000 ? STK_CLOCK_WALL : STK_CLOCK_MONOTONIC);
	/* numbers that we made up because none was known */
	recording_process(f->p.collect, f->ours && thread->pid >= 1000000000 ? 0 : thread->pid,
			  recorder_string(f->p.recorder, thread->process_name), 0, 0);
	of = profile_thread(&f->p, thread->name, f->ours && thread->tid >= 1000000000 ? 0 : thread->tid, f->ours,
			    text_from(time ? "cpu-clock" : bytes ? "bytes" : ""));
	if (thread->time.count != thread->stack.count)
		profile_broken(&f->p, "a thread with more samples than times, or fewer");
	add_samples(f, f->shared.any ? &f->shared : thread->tables, thread, &of);
}

/* --- the profile --- */

static void
read_categories(struct firefox *f)
{
	struct json_reader *json = &f->p.json;

	if (!profile_expects(&f->p, JSON_ARRAY))
		return;
	while (profile_next_object(&f->p)) {
		enum stk_state state = STK_STATE_UNKNOWN;

		while (json_next(json) == JSON_KEY) {
			if (!text_is(json->text, "name"))
				(void)json_skip(json);
			else if (profile_expects(&f->p, JSON_STRING))
				state = state_named(json->text);
		}
		*array_push(&f->categories) = state;
	}
}

static void
read_meta(struct firefox *f)
{
	struct json_reader *json = &f->p.json;

	if (!profile_expects(&f->p, JSON_OBJECT))
		return;
	while (json_next(json) == JSON_KEY) {
		if (text_is(json->text, "startTime"))
			f->start_ns = profile_number(&f->p, 6, 0);
		else if (text_is(json->text, "categories"))
			read_categories(f);
		else if (text_is(json->text, "product"))
			f->ours = text_is(profile_text(&f->p), "stkpipe");
		else
			(void)json_skip(json);
	}
	f->meta_read = true;
}

static void
read_threads(struct firefox *f)
{
	struct thread thread = { .tables = NULL };

	if (!profile_expects(&f->p, JSON_ARRAY))
		return;
	while (profile_next_object(&f->p)) {
		read_thread(f, &thread);
		if (f->meta_read && f->shared.any) {		/* nothing more explains it */
			add_thread(f, &thread);
			empty_thread(&thread);
			continue;
		}
		*array_push(&f->threads) = thread;
		thread = (struct thread){ .tables = NULL };
	}
	release_thread(&thread);
}

static void
read_profile(struct firefox *f)
{
	struct json_reader *json = &f->p.json;

	while (json_next(json) == JSON_KEY) {
		if (text_is(json->text, "meta")) {
			read_meta(f);
		} else if (text_is(json->text, "shared")) {
			if (!profile_expects(&f->p, JSON_OBJECT))
				continue;
			while (json_next(json) == JSON_KEY)
				if (!read_table(f, &f->shared, json->text))
					(void)json_skip(json);
			f->shared.any = f->shared.stack_frame.count > 0;
		} else if (text_is(json->text, "threads")) {
			read_threads(f);
		} else {
			(void)json_skip(json);
		}
	}
	(void)json_next(json);
}

static int
read_firefox(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct firefox f = { .ours = false };
	int result;

	profile_open(&f.p, to, from, err);
	if (json_next(&f.p.json) == JSON_OBJECT)
		read_profile(&f);
	else
		profile_broken(&f.p, "no object where a profile of the Firefox Profiler is expected");
	for (size_t i = 0; i < f.threads.count; i++) {
		struct thread *thread = &f.threads.at[i];

		/* from version 56 to 59 only the strings were shared */
		if (!f.shared.any && thread->tables->strings.count == 0 && f.shared.strings.count > 0) {
			array_reserve(&thread->tables->strings, f.shared.strings.count);
			memcpy(thread->tables->strings.at, f.shared.strings.at,
			       f.shared.strings.count * sizeof *f.shared.strings.at);
			thread->tables->strings.count = f.shared.strings.count;
		}
		add_thread(&f, thread);
		release_thread(thread);
	}
	recording_unplaced(to, f.left_out, "markers, which are left out");
	result = profile_close(&f.p);
	array_release(&f.threads);
	array_release(&f.categories);
	release_tables(&f.shared);
	return result;
}

static int
recognise(struct stk_text text)
{
	return profile_shape(text) == SHAPE_FIREFOX ? 100 : 0;
}

const struct text_format firefox_format = {
	.name = "firefox",
	.about = "profiles of the Firefox Profiler, samply and others, in its processed format",
	.shown_by = "JSON whose meta has a preprocessedProfileVersion",
	.written_as = "firefox",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_UNKNOWN,
	.recognise = recognise,
	.read = read_firefox
};
