/* SPDX-License-Identifier: MIT
 * event_feed: events are kept by ids, of which those of names are the feed's own. */
#include "group/event_feed.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "group/activities.h"
#include "group/event_order.h"
#include "group/thread_names.h"

#include <stdlib.h>

struct event_feed {
	struct event_feed_options options;
	struct event_order order;
	struct text_table names;
	ARRAY(int64_t) cuts;
	struct activities activities;
	struct id_table bases;			/* uint32_t: the key of each thread without an activity */
	struct thread_names threads;
	struct text_buffer scratch;
};

/* The key with an activity as its last element. */
static uint32_t
with_activity(struct event_feed *feed, uint32_t key, uint64_t activity)
{
	struct text_buffer *text = &feed->scratch;

	if (!feed->options.by_activity)
		return key;
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

/* Sets the keys before and after an event; closes its activity on another thread. */
static void
place_in_activity(struct event_feed *feed, const struct stk_event *event, struct event_place *of)
{
	const struct scheme_set *set = feed->options.set;
	struct activity_step step;
	uint32_t key = of->key, *base;

	of->key_after = key;
	if (!feed->options.by_activity)
		return;
	feed->bases.size = sizeof *base;
	*(uint32_t *)id_table_at(&feed->bases, of->thread) = key;
	if (!of->always)
		thread_names_meet(&feed->threads, feed->options.model, of->thread, false);
	step = activities_take(&feed->activities, of->thread, event);
	of->key = with_activity(feed, key, step.own);
	of->key_after = with_activity(feed, key, step.after);
	if (step.other == of->thread)
		return;
	base = id_table_at(&feed->bases, step.other);
	for (unsigned i = 0; i < set->count; i++)
		event_time_turn_key(grouping_events(set->groupings[i]), step.other,
				    with_activity(feed, *base, step.other_after), event->time);
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
	struct event_place of = { .thread = kept->thread, .key = kept->key, .always = kept->always };

	place_in_activity(feed, &event, &of);
	for (unsigned i = 0; i < set->count; i++) {
		const uint32_t *groups;
		uint32_t count = kept->stack == 0
					 ? 0 : grouping_of_stack(set->groupings[i], model, kept->stack, &groups);

		of.stack_group = count == 0 ? 0 : groups[0];
		event_time_take(grouping_events(set->groupings[i]), &of, &event);
	}
}

static bool
takes(void *context, const struct event_piece *piece)
{
	const struct event_feed *feed = context;
	const struct where_sample as = {
		.time = piece->time, .thread = piece->thread, .stack = piece->stack,
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
	set->events = options->choice;
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
	id_table_clear(&feed->bases);
	thread_names_release(&feed->threads);
	array_release(&feed->scratch);
	free(feed);
}

static void
take_event(struct event_feed *feed, const struct stk_event *event)
{
	const struct event_feed_options *o = &feed->options;
	uint64_t thread = model_id(o->model, STK_THREAD, event->thread);

	if (!selection_takes_thread(o->selection, thread))
		return;
	event_order_take(&feed->order, &(struct kept_event){
		.time = event->time, .thread = thread, .activity = event->activity, .value = event->value,
		.key = o->prefixes == NULL ? 0 : stack_prefix(o->prefixes, thread, 0, 0),
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
event_feed_add(struct event_feed *feed, uint64_t thread, uint32_t key, const struct stk_event *event)
{
	event_order_take(&feed->order, &(struct kept_event){
		.time = event->time, .thread = thread, .activity = event->activity, .value = event->value,
		.key = key, .name = text_table_number(&feed->names, event->name),
		.happening = (uint16_t)event->happening, .always = true
	}, event->values);
}

void
event_feed_flush(struct event_feed *feed)
{
	event_order_flush(&feed->order);
}

void
event_feed_find_activities(struct event_feed *feed, struct activity_sample *samples, size_t count)
{
	struct id_table present = { .size = sizeof(uint64_t) };
	size_t changes_count, c = 0;
	const struct activity_change *changes = activities_changes(&feed->activities, &changes_count);

	for (size_t i = 0; i < count; i++)
		thread_names_meet(&feed->threads, feed->options.model, samples[i].thread, true);
	for (size_t i = 0; i < count; i++) {
		struct activity_sample *sample = &samples[i];
		uint64_t thread = thread_names_find(&feed->threads, feed->options.model, sample->thread);
		const uint64_t *activity;

		for (; c < changes_count && changes[c].time <= sample->time; c++)
			*(uint64_t *)id_table_at(&present, changes[c].thread) = changes[c].activity;
		activity = sample->time == STK_TIME_UNKNOWN ? NULL : id_table_find(&present, thread);
		sample->key = with_activity(feed, sample->key, activity == NULL ? 0 : *activity);
	}
	id_table_clear(&present);
}

void
event_feed_odd_activities(const struct event_feed *feed, uint64_t *unstarted, uint64_t *forgotten)
{
	*unstarted = feed->activities.unstarted;
	*forgotten = feed->activities.forgotten;
}

void
event_feed_turn(struct event_feed *feed)
{
	const struct scheme_set *set = feed->options.set;

	event_order_flush(&feed->order);
	activities_clear(&feed->activities);
	id_table_clear(&feed->bases);
	thread_names_clear(&feed->threads);
	for (unsigned i = 0; i < set->count; i++)
		event_time_turn(grouping_events(set->groupings[i]));
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

	event_order_flush(&feed->order);
	for (unsigned i = 0; i < set->count; i++)
		event_time_end(grouping_events(set->groupings[i]));
}

uint64_t
event_feed_moved(const struct event_feed *feed)
{
	return feed->order.moved;
}
