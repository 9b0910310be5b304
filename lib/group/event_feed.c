/* SPDX-License-Identifier: MIT
 * event_feed: events are kept by ids, of which those of names are the feed's own. */
#include "group/event_feed.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "group/event_order.h"

#include <stdlib.h>

struct event_feed {
	struct event_feed_options options;
	struct event_order order;
	struct text_table names;
	ARRAY(int64_t) cuts;
};

static void
give(void *context, const struct kept_event *kept, struct stk_text values)
{
	const struct event_feed *feed = context;
	const struct scheme_set *set = feed->options.set;
	struct model *model = feed->options.model;
	const struct stk_event event = {
		.time = kept->time, .happening = kept->happening, .value = kept->value, .activity = kept->activity,
		.stack = kept->stack, .name = text_table_text(&feed->names, kept->name),
		.values = values
	};
	struct event_place of = { .thread = kept->thread, .key = kept->key, .always = kept->always };

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
event_feed_turn(struct event_feed *feed)
{
	const struct scheme_set *set = feed->options.set;

	event_order_flush(&feed->order);
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
