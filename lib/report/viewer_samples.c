/* SPDX-License-Identifier: MIT
 * viewer_samples: names in place of ids. A stack of a stream is looked up once; of functions and stacks with the same
 * names there is one. */
#include "report/viewer_samples.h"

#include "base/terminal_text.h"
#include "model/event_weighs.h"
#include "model/sample_columns.h"
#include "model/state_name.h"
#include "report/joined.h"

#include <stdio.h>

void
viewer_samples_open(struct viewer_samples *v, const struct report *report, bool lines, viewer_take *take, void *context)
{
	*v = (struct viewer_samples){ .report = *report, .lines = lines, .take = take, .context = context };
	v->known.size = 2 * sizeof(uint32_t);
}

void
viewer_samples_turn(struct viewer_samples *v)
{
	hash_map_clear(&v->id_map);
	v->ids.count = 0;
	id_table_clear(&v->known);
}

void
viewer_samples_release(struct viewer_samples *v)
{
	viewer_samples_turn(v);
	text_table_release(&v->texts);
	text_table_release(&v->track_keys);
	array_release(&v->frames);
	array_release(&v->stacks);
	array_release(&v->tracks);
	array_release(&v->ids);
	array_release(&v->path);
	array_release(&v->scratch);
	array_release(&v->key);
	hash_map_release(&v->frame_map);
	hash_map_release(&v->stack_map);
	hash_map_release(&v->id_map);
	hash_map_release(&v->pair_map);
}

struct stk_text
viewer_text(const struct viewer_samples *v, uint32_t text)
{
	return text_table_text(&v->texts, text);
}

void
add_valid_text(struct text_buffer *to, struct stk_text text)
{
	const char *at = text.data, *end = at + text.size, *from = at;

	while (at < end) {
		size_t size = (unsigned char)*at < 0x80 ? 1 : utf8_size(at, end);

		if (size > 0) {
			at += size;
			continue;
		}
		add_bytes(to, from, (size_t)(at - from));
		add_string(to, "\xef\xbf\xbd");
		from = ++at;
	}
	add_bytes(to, from, (size_t)(at - from));
}

static uint32_t
text_number(struct viewer_samples *v, struct stk_text text)
{
	if (text.size == 0)
		return 0;
	v->scratch.count = 0;
	add_valid_text(&v->scratch, text);
	return text_table_number(&v->texts, text_in(&v->scratch, 0));
}

/* --- functions and stacks --- */

static uint32_t
frame_number(struct viewer_samples *v, const struct viewer_frame *frame)
{
	uint64_t hash = hash_pair(hash_pair(frame->name, frame->file), hash_pair(frame->module, (uint64_t)frame->line));
	uint32_t at = hash_map_start(&v->frame_map, hash), number;

	while ((number = hash_map_next(&v->frame_map, hash, &at)) != 0)
		if (memcmp(&v->frames.at[number - 1], frame, sizeof *frame) == 0)
			return number;
	*array_push(&v->frames) = *frame;
	hash_map_put(&v->frame_map, hash, (uint32_t)v->frames.count);
	return (uint32_t)v->frames.count;
}

static uint32_t
stack_number(struct viewer_samples *v, uint32_t parent, uint32_t frame)
{
	uint64_t hash = hash_pair(parent, frame);
	uint32_t at = hash_map_start(&v->stack_map, hash), number;

	while ((number = hash_map_next(&v->stack_map, hash, &at)) != 0)
		if (v->stacks.at[number - 1].parent == parent && v->stacks.at[number - 1].frame == frame)
			return number;
	*array_push(&v->stacks) = (struct viewer_stack){ parent, frame };
	hash_map_put(&v->stack_map, hash, (uint32_t)v->stacks.count);
	return (uint32_t)v->stacks.count;
}

/* A frame as folded text has it, which may be several functions: what was inlined into what. */
static uint32_t
add_frame(struct viewer_samples *v, uint32_t stack, uint32_t id, bool java)
{
	struct stk_frame row = model_frame(v->report.model, id);
	struct stk_text names = naming_frame(v->report.naming, id, java);
	struct viewer_frame frame;

	memset(&frame, 0, sizeof frame);	/* it is compared byte by byte */
	frame.file = text_number(v, model_string(v->report.model, row.file));
	frame.module = text_number(v, model_string(v->report.model, row.module));
	frame.line = v->lines && row.line > 0 ? row.line : 0;
	do {
		frame.name = text_number(v, text_take(&names, ';'));
		stack = stack_number(v, stack, frame_number(v, &frame));
	} while (names.size > 0);
	return stack;
}

static uint32_t
make_stack(struct viewer_samples *v, uint64_t id, bool java)
{
	const struct model *model = v->report.model;
	uint32_t depth = model_stack_frames(model, id, v->path.at, (uint32_t)v->path.room), stack = 0;

	if (depth > v->path.room) {
		array_reserve(&v->path, depth);
		depth = model_stack_frames(model, id, v->path.at, depth);
	}
	if (id != 0 && depth == 0) {		/* its definition was lost */
		struct viewer_frame lost;

		memset(&lost, 0, sizeof lost);
		lost.name = text_number(v, text_from("?"));
		return stack_number(v, 0, frame_number(v, &lost));
	}
	for (uint32_t i = 0; i < depth; i++)
		stack = add_frame(v, stack, v->path.at[i], java);
	return stack;
}

uint32_t
viewer_stack(struct viewer_samples *v, uint64_t id, bool java)
{
	uint32_t *known;

	if (id == 0 || !model_knows(v->report.model, STK_STACK, id))
		return id == 0 ? 0 : make_stack(v, id, java);
	known = &((uint32_t *)id_table_at(&v->known, id))[java];
	if (*known == 0)
		*known = make_stack(v, id, java) + 1;
	return *known - 1;
}

/* --- tracks --- */

#define MADE_UP UINT64_C(1000000000)	/* no system has as many processes or threads */

static bool
pair_is_taken(const struct viewer_samples *v, uint64_t pid, uint64_t tid)
{
	uint64_t hash = hash_pair(pid, tid);
	uint32_t at = hash_map_start(&v->pair_map, hash), number;

	while ((number = hash_map_next(&v->pair_map, hash, &at)) != 0)
		if (v->tracks.at[number - 1].pid == pid && v->tracks.at[number - 1].tid == tid)
			return true;
	return false;
}

static uint32_t
make_track(struct viewer_samples *v, uint64_t thread_id, uint64_t event, uint64_t source_id)
{
	const struct model *model = v->report.model;
	struct stk_thread thread = model_thread(model, thread_id);
	struct stk_source source = model_source(model, source_id);
	struct viewer_track track = { .clock = (enum stk_clock)source.clock };
	uint32_t number;

	track.source = text_number(v, model_source_name(model, source_id));
	track.process = text_number(v, model_string(model, source.process));
	track.host = text_number(v, model_string(model, source.host));
	track.thread = text_number(v, model_thread_name(model, thread_id));
	track.event = text_number(v, model_string(model, event));
	track.pid = source.pid;
	track.tid = thread.tid != 0 ? thread.tid : thread.number;
	track.own_tid = thread.tid;
	track.own_number = thread.number;
	v->key.count = 0;
	add_format(&v->key, "%u %u %u %u %u %llu %llu %llu %d", track.source, track.process, track.host, track.thread,
		   track.event, (unsigned long long)track.pid, (unsigned long long)thread.tid,
		   (unsigned long long)thread.number, (int)track.clock);
	number = text_table_number(&v->track_keys, text_in(&v->key, 0));
	if (number <= v->tracks.count)
		return number - 1;
	track.pid_known = track.pid > 0 && track.pid < MADE_UP;
	if (!track.pid_known)
		track.pid = MADE_UP + track.source;
	track.tid_known = track.tid > 0 && track.tid < MADE_UP && !pair_is_taken(v, track.pid, track.tid);
	if (!track.tid_known)
		track.tid = MADE_UP + number;
	*array_push(&v->tracks) = track;
	hash_map_put(&v->pair_map, hash_pair(track.pid, track.tid), number);
	return number - 1;
}

static uint32_t
track_of(struct viewer_samples *v, uint64_t thread, uint64_t event, uint64_t source)
{
	uint64_t hash = hash_pair(hash_pair(thread, event), source);
	uint32_t at = hash_map_start(&v->id_map, hash), number;
	struct viewer_ids *ids;

	while ((number = hash_map_next(&v->id_map, hash, &at)) != 0) {
		ids = &v->ids.at[number - 1];
		if (ids->thread == thread && ids->event == event && ids->source == source)
			return ids->track;
	}
	number = make_track(v, thread, event, source);
	*array_push(&v->ids) = (struct viewer_ids){ thread, event, source, number };
	hash_map_put(&v->id_map, hash, (uint32_t)v->ids.count);
	return number;
}

void
viewer_need_track(struct viewer_samples *v)
{
	if (v->tracks.count == 0)
		(void)make_track(v, 0, 0, 0);
}

bool
viewer_several_sources(const struct viewer_samples *v)
{
	for (size_t t = 1; t < v->tracks.count; t++)
		if (v->tracks.at[t].source != v->tracks.at[0].source)
			return true;
	return false;
}

/* "process reaper (pid 12)" */
static bool
ends_like_event(struct stk_text name)
{
	const char *open = name.size > 3 && name.data[name.size - 1] == ')' ? memrchr(name.data, '(', name.size) : NULL;

	return open != NULL && open > name.data && open[-1] == ' ';
}

struct stk_text
viewer_track_name(struct viewer_samples *v, uint32_t number, bool with_source, bool is_read)
{
	const struct viewer_track *track = &v->tracks.at[number];

	v->key.count = 0;
	if (with_source && track->source != 0) {
		add_text(&v->key, viewer_text(v, track->source));
		add_string(&v->key, ": ");
	}
	if (track->thread != 0)
		add_text(&v->key, viewer_text(v, track->thread));
	else if (track->tid_known)
		add_format(&v->key, "thread %llu", (unsigned long long)track->tid);
	else
		add_string(&v->key, "samples");
	if (track->event != 0) {
		add_string(&v->key, " (");
		add_text(&v->key, viewer_text(v, track->event));
		add_char(&v->key, ')');
	} else if (is_read && ends_like_event(text_in(&v->key, 0))) {
		add_string(&v->key, " ()");
	}
	return text_in(&v->key, 0);
}

/* --- samples --- */

int
viewer_samples_take(struct viewer_samples *v, struct stk_reader *reader, const struct stk_block *block,
		    struct stk_error *err)
{
	const struct model *model = v->report.model;
	struct sample_columns c;
	const uint32_t *rows;
	uint32_t count;
	uint64_t locks = 0;

	if (block->kind != STK_SAMPLE)
		return 0;
	if (selection_rows(v->report.selection, reader, block, &rows, &count, err) < 0 ||
	    sample_columns_load(&c, SAMPLE_TIME | SAMPLE_THREAD | SAMPLE_DUMP | SAMPLE_STACK | SAMPLE_WEIGHT |
					    SAMPLE_STATE | SAMPLE_EVENT, NULL, reader, block, err) < 0)
		return -1;
	v->locks |= count > 0 && (!stk_reader_is_constant(reader, STK_COLUMN(sample, locks), &locks) || locks != 0);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = selected_row(rows, i), track;
		uint64_t thread = sample_value(&c.thread, row), dump = sample_value(&c.dump, row);
		struct viewer_sample sample = { .time_ns = sample_time(&c, row),
						.weight = sample_value(&c.weight, row),
						.state = state_of_number(sample_value(&c.state, row)) };

		track = track_of(v, thread, sample_value(&c.event, row), model_sample_source(model, thread, dump));
		sample.stack = viewer_stack(v, sample_value(&c.stack, row),
					    dump == 0 && joined_java(&v->report, thread));
		v->samples++;
		v->tracks.at[track].samples++;
		v->untimed += sample.time_ns == STK_TIME_UNKNOWN;
		v->times |= sample.time_ns != STK_TIME_UNKNOWN;
		v->states |= sample.state != STK_STATE_UNKNOWN;
		if (v->take(v->context, track, &sample, err) < 0)
			return -1;
	}
	return 0;
}

int
viewer_form_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	return viewer_samples_take(context, reader, block, err);
}

int
viewer_form_turn(void *context, struct stk_error *err)
{
	(void)err;
	viewer_samples_turn(context);
	return 0;
}

/* --- what is said --- */

void
viewer_event_type(struct stk_text event, struct stk_text *type, struct stk_text *unit)
{
	static const char *const units[] = { [EVENT_COUNTS] = "count", [EVENT_NANOSECONDS] = "nanoseconds",
					     [EVENT_BYTES] = "bytes" };
	const char *end = event.data + event.size, *from = end;

	*type = event;
	while (from > event.data && from[-1] >= 'a' && from[-1] <= 'z')
		from--;
	if (from < end && from >= event.data + 2 && from[-1] == '/') {
		*unit = text_of(from, (size_t)(end - from));
		type->size -= unit->size + 1;
	} else {
		*unit = text_from(units[event_weighs(event)]);
	}
	if (type->size == 0)
		*type = text_from("samples");
}

void
viewer_say_untimed(const struct viewer_samples *v, const char *placed)
{
	char text[200];

	snprintf(text, sizeof text, "%llu sample%s without a time: placed %s", (unsigned long long)v->untimed,
		 v->untimed == 1 ? "" : "s", placed);
	v->report.remark(text);
}

void
viewer_say_lost(const struct viewer_samples *v, const char *format, const char *lacks)
{
	const struct { char letter; bool had; const char *name; } things[] = {
		{ 't', v->times, "times" }, { 's', v->states, "states" }, { 'l', v->locks, "locks" },
	};
	struct text_buffer text = { 0 };

	for (size_t i = 0; i < sizeof things / sizeof *things; i++) {
		if (!things[i].had || strchr(lacks, things[i].letter) == NULL)
			continue;
		add_string(&text, text.count > 0 ? ", " : "");
		add_string(&text, things[i].name);
	}
	if (text.count > 0) {
		add_format(&text, " of samples are left out: %s has no place for them%c", format, '\0');
		v->report.remark(text.at);
	}
	array_release(&text);
}
