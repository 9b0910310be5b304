/* SPDX-License-Identifier: MIT
 * event_feed: events are kept by ids, of which those of names are the feed's own. */
#include "group/event_feed.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "group/activities.h"
#include "group/event_order.h"
#include "group/thread_names.h"
#include "group/thread_renames.h"

#include <stdlib.h>

/* A key, and the same with an activity as its last element. */
struct activity_key { uint64_t activity; uint32_t key, whole; };

struct event_feed {
	struct event_feed_options options;
	struct event_order order;
	struct text_table names;
	ARRAY(int64_t) cuts;
	struct activities activities;
	struct id_table met;			/* struct met_thread, with events */
	struct thread_names threads;
	struct thread_renames renames;
	struct text_table file_threads;		/* of event_feed_add, by name */
	struct placing placing;
	bool any, ever;			/* events of the stream came, or of any */
	bool cut;			/* pairs were open at the end of a stream that another followed */
	struct activity_paths paths;
	ARRAY(struct activity_key) activity_keys;
	struct hash_map activity_map;		/* to places in activity_keys, from 1 */
	struct text_buffer scratch;
};

/* key: without an activity; times: of its events, of which there may be none. */
struct met_thread { uint32_t key; struct time_range times; };

static uint32_t
make_activity_key(struct event_feed *feed, uint32_t key, uint64_t activity)
{
	struct text_buffer *text = &feed->scratch;

	text->count = 0;
	add_text(text, stack_prefix_text(feed->options.prefixes, key));
	if (text->count > 0)
		add_char(text, ';');
	if (activity == 0)
		add_string(text, "(none)");
	else
		add_unsigned(text, activity);
	return stack_prefix_of_text(feed->options.prefixes, text_in(text, 0), stack_prefix_is_java(key));
}

/* The key with an activity as its last element. It is asked for twice an event, and made once. */
static uint32_t
with_activity(struct event_feed *feed, uint32_t key, uint64_t activity)
{
	uint64_t hash = hash_pair(activity, key);
	uint32_t at, place;
	struct activity_key *made;

	if (!feed->options.by_activity)
		return key;
	at = hash_map_start(&feed->activity_map, hash);
	while ((place = hash_map_next(&feed->activity_map, hash, &at)) != 0) {
		made = &feed->activity_keys.at[place - 1];
		if (made->activity == activity && made->key == key)
			return made->whole;
	}
	made = array_push(&feed->activity_keys);
	*made = (struct activity_key){ activity, key, make_activity_key(feed, key, activity) };
	hash_map_put(&feed->activity_map, hash, (uint32_t)feed->activity_keys.count);
	return made->whole;
}

/* Sets the keys before and after an event; closes its activity on another thread. */
static void
place_in_activity(struct event_feed *feed, const struct stk_event *event, struct event_place *of)
{
	const struct scheme_set *set = feed->options.set;
	const struct met_thread *other;
	struct activity_step step;
	uint32_t key = of->key;

	of->key_after = key;
	if (!feed->options.by_activity)
		return;
	step = activities_take(&feed->activities, of->thread, event);
	of->key = with_activity(feed, key, step.own);
	of->key_after = with_activity(feed, key, step.after);
	if (step.other == of->thread)
		return;
	other = id_table_find(&feed->met, step.other);
	for (unsigned i = 0; i < set->count; i++)
		event_time_turn_key(grouping_events(set->groupings[i]), step.other,
				    with_activity(feed, other == NULL ? 0 : other->key, step.other_after), event->time);
}

static void
give(void *context, const struct kept_event *kept, struct stk_text values)
{
	struct event_feed *feed = context;
	const struct scheme_set *set = feed->options.set;
	struct model *model = feed->options.model;
	const struct stk_event event = {
		.time = kept->time, .happening = kept->happening, .value = kept->value, .activity = kept->activity,
		.stack = kept->stack, .name = text_table_text(&feed->names, kept->name),
		.values = values
	};
	struct event_place of = { .thread = kept->thread, .key = kept->key, .processor = kept->processor,
				   .always = kept->always };
	uint64_t was = kept->thread >= EVENT_THREADS_KEPT
			       ? 0 : thread_renames_take(&feed->renames, model, kept->thread, &event);

	place_in_activity(feed, &event, &of);
	for (unsigned i = 0; i < set->count; i++) {
		const uint32_t *groups;
		uint32_t count = kept->stack == 0
					 ? 0 : grouping_of_stack(set->groupings[i], model, kept->stack, &groups);

		of.stack_group = count == 0 ? 0 : groups[0];
		if (was != 0)
			event_time_rename(grouping_events(set->groupings[i]), was, kept->thread, kept->time);
		event_time_take(grouping_events(set->groupings[i]), &of, &event);
	}
}

static bool
takes(void *context, const struct event_piece *piece)
{
	const struct event_feed *feed = context;
	const struct where_sample as = {
		.time = piece->time, .thread = piece->thread, .stack = piece->stack,
		.processor = (uint64_t)piece->processor + 1,
		.is_event = true, .name = piece->name, .scheme = piece->scheme, .group = piece->group
	};

	return selection_takes_event(feed->options.selection, &as);
}

static void
note_cut(void *context, int64_t time)
{
	struct event_feed *feed = context;

	*array_push(&feed->cuts) = time;
}

static int
compare_cuts(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

void
event_feed_open(struct event_feed **out, const struct event_feed_options *options)
{
	struct event_feed *feed = *out = mem_new(1, sizeof *feed);
	struct scheme_set *set = options->set;

	feed->options = *options;
	feed->order.give = give;
	feed->order.context = feed;
	feed->met.size = sizeof(struct met_thread);
	set->events = options->choice;
	set->events.keeps_changes = options->by_pair || options->by_path;
	if (selection_chooses_events(options->selection, note_cut, feed)) {
		if (feed->cuts.count > 1)
			qsort(feed->cuts.at, feed->cuts.count, sizeof *feed->cuts.at, compare_cuts);
		set->events.takes = takes;
		set->events.context = feed;
		set->events.cuts = feed->cuts.at;
		set->events.cuts_count = feed->cuts.count;
	}
	for (unsigned i = 0; i < set->count; i++)
		event_time_choose(grouping_events(set->groupings[i]), &set->events);
}

void
event_feed_close(struct event_feed *feed)
{
	if (feed == NULL)
		return;
	event_order_release(&feed->order);
	text_table_release(&feed->names);
	array_release(&feed->cuts);
	activities_release(&feed->activities);
	id_table_clear(&feed->met);
	thread_names_release(&feed->threads);
	thread_renames_release(&feed->renames);
	text_table_release(&feed->file_threads);
	activity_paths_release(&feed->paths);
	array_release(&feed->activity_keys);
	hash_map_release(&feed->activity_map);
	array_release(&feed->scratch);
	free(feed);
}

static void
meet(struct event_feed *feed, uint64_t thread, uint32_t key, int64_t time)
{
	struct met_thread *met;

	if (!feed->options.by_activity && !feed->options.by_pair)
		return;
	met = id_table_find(&feed->met, thread);
	if (met == NULL && thread < EVENT_THREADS_KEPT)
		thread_names_meet(&feed->threads, feed->options.model, thread, false);
	if (met == NULL) {
		met = id_table_at(&feed->met, thread);
		met->times = TIME_RANGE_NONE;
	}
	met->key = key;
	time_range_add(&met->times, time);
}

static void
take_event(struct event_feed *feed, const struct stk_event *event)
{
	const struct event_feed_options *o = &feed->options;
	uint64_t thread = model_id(o->model, STK_THREAD, event->thread);
	uint32_t key;

	feed->any = feed->ever = true;
	if (!selection_takes_thread(o->selection, thread))
		return;
	key = o->prefixes == NULL ? 0 : stack_prefix_on(o->prefixes, thread, 0, 0, event->processor);
	meet(feed, thread, key, event->time);
	event_order_take(&feed->order, &(struct kept_event){
		.time = event->time, .thread = thread, .activity = event->activity, .value = event->value,
		.processor = event->processor, .key = key,
		.stack = (uint32_t)model_id(o->model, STK_STACK, event->stack),
		.name = text_table_number(&feed->names, event->name),
		.happening = (uint16_t)event->happening
	}, event->values);
}

int
event_feed_take(struct event_feed *feed, struct stk_reader *reader, const struct stk_block *block,
		struct stk_error *err)
{
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t row = 0; row < block->rows; row++) {
		struct stk_event event;

		stk_reader_row(reader, row, &event);
		take_event(feed, &event);
	}
	return 0;
}

void
event_feed_add(struct event_feed *feed, struct stk_text thread, uint32_t key, const struct stk_event *event)
{
	uint64_t number = EVENT_THREADS_KEPT + text_table_number(&feed->file_threads, thread);

	meet(feed, number, key, event->time);
	event_order_take(&feed->order, &(struct kept_event){
		.time = event->time, .thread = number, .activity = event->activity, .value = event->value,
		.processor = event->processor, .key = key, .name = text_table_number(&feed->names, event->name),
		.happening = (uint16_t)event->happening, .always = true
	}, event->values);
}

bool
event_feed_met(const struct event_feed *feed)
{
	return feed->ever;
}

bool
event_feed_met_now(const struct event_feed *feed)
{
	return feed->any || feed->file_threads.texts.count > 0;
}

void
event_feed_flush(struct event_feed *feed)
{
	event_order_flush(&feed->order);
}

/* --- samples --- */

/* The thread of events that a sample's is; 0: none is known. */
struct found_thread { uint64_t of_stream, of_file; bool sure; };

static bool
same_key(const struct event_feed *feed, uint32_t a, uint32_t b)
{
	const struct stack_prefixes *prefixes = feed->options.prefixes;

	return a == b ||
		(prefixes != NULL && text_equal(stack_prefix_text(prefixes, a), stack_prefix_text(prefixes, b)));
}

/* A name in a file may be that of several threads of the stream: then it is none of them. One that the file does not
 * have is surely another, if it has any of the stream. */
static uint64_t
find_in_file(const struct event_feed *feed, struct id_table *twins, uint64_t thread, bool *other)
{
	struct stk_text name = model_string(feed->options.model, model_thread(feed->options.model, thread).name);
	uint32_t number = name.size == 0 ? 0 : text_table_find(&feed->file_threads, name);
	const uint64_t *first = number == 0 ? NULL : id_table_find(twins, number);
	uint64_t any;

	*other = feed->file_threads.texts.count == 0 ||
		 (number == 0 && name.size > 0 && id_table_next(twins, 0, &any));
	return first != NULL && *first == thread ? EVENT_THREADS_KEPT + number : 0;
}

/* By number in file_threads: the only thread of samples with that name, or UINT64_MAX. */
static void
find_twins(const struct event_feed *feed, const struct placed_sample *samples, size_t count, struct id_table *twins)
{
	const struct model *model = feed->options.model;

	for (size_t i = 0; i < count && feed->file_threads.texts.count > 0; i++) {
		uint32_t number = text_table_find(&feed->file_threads,
						  model_string(model, model_thread(model, samples[i].thread).name));
		uint64_t *first = number == 0 ? NULL : id_table_at(twins, number);

		if (first != NULL)
			*first = *first == 0 || *first == samples[i].thread ? samples[i].thread : UINT64_MAX;
	}
}

/* By thread of samples. */
static void
find_threads(struct event_feed *feed, const struct placed_sample *samples, size_t count, struct id_table *found)
{
	struct id_table twins = { .size = sizeof(uint64_t) };

	for (size_t i = 0; i < count; i++)
		thread_names_meet(&feed->threads, feed->options.model, samples[i].thread, true);
	find_twins(feed, samples, count, &twins);
	for (size_t i = 0; i < count; i++) {
		struct found_thread *thread;
		bool other, not_of_file;

		if (id_table_find(found, samples[i].thread) != NULL)
			continue;
		thread = id_table_at(found, samples[i].thread);
		thread->of_stream = thread_names_find(&feed->threads, feed->options.model, samples[i].thread, &other);
		thread->of_file = find_in_file(feed, &twins, samples[i].thread, &not_of_file);
		thread->sure = ((other || !feed->any) && not_of_file) || thread->of_stream != 0 || thread->of_file != 0;
	}
	id_table_clear(&twins);
}

static void
find_activities(struct event_feed *feed, struct placed_sample *samples, size_t count, const struct id_table *found)
{
	struct id_table present = { .size = sizeof(uint64_t) };
	size_t changes_count, c = 0;
	const struct activity_change *changes = activities_changes(&feed->activities, &changes_count);

	for (size_t i = 0; i < count; i++) {
		struct placed_sample *sample = &samples[i];
		const struct found_thread *thread = id_table_find(found, sample->thread);
		const uint64_t *activity;

		for (; c < changes_count && changes[c].time <= sample->time; c++)
			*(uint64_t *)id_table_at(&present, changes[c].thread) = changes[c].activity;
		activity = sample->time == STK_TIME_UNKNOWN ? NULL : id_table_find(&present, thread->of_stream);
		sample->key = with_activity(feed, sample->key, activity == NULL ? 0 : *activity);
	}
	id_table_clear(&present);
}

/* The moment of a sample on a thread of events, which counts where both have the same key. */
static struct event_moment
moment_on(const struct event_feed *feed, const struct placed_sample *sample, uint64_t thread)
{
	const struct met_thread *met = thread == 0 ? NULL : id_table_find(&feed->met, thread);
	struct event_moment moment = { .time = sample->time, .last = INT64_MIN };

	if (met != NULL && time_range_is_known(&met->times) && same_key(feed, met->key, sample->key)) {
		moment.thread = thread;
		moment.last = met->times.to_ns;
	}
	return moment;
}

static void
note_placing(struct event_feed *feed, const struct placed_sample *sample, const struct found_thread *thread)
{
	uint64_t of = thread->of_stream != 0 ? thread->of_stream : thread->of_file;
	const struct met_thread *met = of == 0 ? NULL : id_table_find(&feed->met, of);

	feed->placing.samples++;
	feed->placing.known += thread->sure;
	if (met == NULL || !time_range_is_known(&met->times) || sample->time == STK_TIME_UNKNOWN)
		return;
	feed->placing.of_events++;
	feed->placing.within += sample->time >= met->times.from_ns && sample->time <= met->times.to_ns;
}

/* In pairs of the stream, else of the file. */
static void
find_pairs(struct event_feed *feed, const struct placed_sample *samples, size_t count, const struct id_table *found,
	   uint32_t *inside)
{
	const struct scheme_set *set = feed->options.set;
	struct event_moment *moments = mem_new(2 * count + 1, sizeof *moments);
	uint32_t *of_file = mem_new(count + 1, sizeof *of_file);

	for (size_t i = 0; i < count; i++) {
		const struct found_thread *thread = id_table_find(found, samples[i].thread);

		moments[i] = moment_on(feed, &samples[i], thread->of_stream);
		moments[count + i] = moment_on(feed, &samples[i], thread->of_file);
		note_placing(feed, &samples[i], thread);
	}
	for (unsigned g = 0; g < set->count; g++, inside += count) {
		event_time_inside(grouping_events(set->groupings[g]), moments, count, inside);
		event_time_inside(grouping_events(set->groupings[g]), moments + count, count, of_file);
		for (size_t i = 0; i < count; i++) {
			const struct found_thread *thread = id_table_find(found, samples[i].thread);

			inside[i] = inside[i] != INSIDE_NOTHING ? inside[i] : of_file[i];
			if (inside[i] == INSIDE_NOTHING && !thread->sure)
				inside[i] = INSIDE_UNKNOWN;
		}
	}
	free(moments);
	free(of_file);
}

void
event_feed_place(struct event_feed *feed, struct placed_sample *samples, size_t count, uint32_t *inside)
{
	struct id_table found = { .size = sizeof(struct found_thread) };

	find_threads(feed, samples, count, &found);
	if (feed->options.by_pair)
		find_pairs(feed, samples, count, &found, inside);
	if (feed->options.by_activity)
		find_activities(feed, samples, count, &found);
	id_table_clear(&found);
}

struct placing
event_feed_placing(const struct event_feed *feed)
{
	return feed->placing;
}

void
event_feed_odd_activities(const struct event_feed *feed, uint64_t *unstarted, uint64_t *forgotten)
{
	*unstarted = feed->activities.unstarted;
	*forgotten = feed->activities.forgotten;
}

/* Those of the stream. */
static void
forget_threads(struct event_feed *feed)
{
	struct id_table kept = { .size = sizeof(struct met_thread) };
	uint64_t id;

	for (bool more = id_table_next(&feed->met, EVENT_THREADS_KEPT, &id); more;
	     more = id_table_next(&feed->met, id + 1, &id))
		memcpy(id_table_at(&kept, id), id_table_find(&feed->met, id), kept.size);
	id_table_clear(&feed->met);
	feed->met = kept;
}

static uint32_t
facts_of_thread(void *context, uint64_t thread, int64_t *last)
{
	struct event_feed *feed = context;
	const struct met_thread *met = id_table_find(&feed->met, thread);

	*last = met == NULL ? STK_TIME_UNKNOWN : met->times.to_ns;
	return met == NULL ? 0 : met->key;
}

/* All events of a stream are here. */
static void
add_paths(struct event_feed *feed)
{
	event_order_flush(&feed->order);
	if (feed->options.by_path)
		activity_paths_add(&feed->paths, &feed->activities, feed->options.set, facts_of_thread, feed);
}

void
event_feed_turn(struct event_feed *feed)
{
	const struct scheme_set *set = feed->options.set;

	add_paths(feed);
	activities_clear(&feed->activities);
	forget_threads(feed);
	thread_names_clear(&feed->threads);
	thread_renames_clear(&feed->renames);
	for (unsigned i = 0; i < set->count; i++) {
		struct event_time *events = grouping_events(set->groupings[i]);
		uint64_t unstopped = event_time_oddities(events).unstopped;

		event_time_turn(events);
		feed->cut |= feed->any && event_time_oddities(events).unstopped > unstopped;
	}
	feed->any = false;
}

void
event_feed_until(struct event_feed *feed, int64_t until_ns)
{
	event_order_until(&feed->order, until_ns);
}

void
event_feed_end(struct event_feed *feed)
{
	const struct scheme_set *set = feed->options.set;

	add_paths(feed);
	for (unsigned i = 0; i < set->count; i++)
		event_time_end(grouping_events(set->groupings[i]));
}

const struct activity_paths *
event_feed_paths(const struct event_feed *feed)
{
	return &feed->paths;
}

bool
event_feed_cut(const struct event_feed *feed)
{
	return feed->cut;
}

uint64_t
event_feed_moved(const struct event_feed *feed)
{
	return feed->order.moved;
}
