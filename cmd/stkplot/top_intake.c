/* SPDX-License-Identifier: MIT
 * top_intake: each block is taken with the lock. The model is that of the present stream: when another one begins, the
 * samples in memory are forgotten, whose stacks it defined; shares and blocks stay. */
#include "top_intake.h"

#include "choose/selected_blocks.h"
#include "model/event_weighs.h"
#include "model/sample_columns.h"
#include "model/state_name.h"

#include <stdio.h>

#define LIVE_LAG_NS INT64_C(30000000000)	/* what is not older when it comes is live */
#define KEYS_MOST   100000			/* texts of keys; beyond that all are forgotten */
#define TOP_COLUMNS \
	(SAMPLE_TIME | SAMPLE_THREAD | SAMPLE_DUMP | SAMPLE_STACK | SAMPLE_WEIGHT | SAMPLE_STATE | SAMPLE_EVENT)

int64_t
top_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* --- keys --- */

static uint32_t
key_of_function(struct top_feed *feed, const struct kept_sample *s)
{
	uint64_t frame = s->stack == 0 ? 0 : model_stack(feed->model, s->stack).frame;

	return text_table_number(&feed->keys, frame == 0 ? text_from("(no stack)")
							  : naming_frame(feed->naming, frame, true));
}

/* A sample in several groups counts for the first. */
static uint32_t
key_of_group(struct top_feed *feed, const struct kept_sample *s)
{
	const uint32_t *groups;
	uint32_t count = s->stack != 0
				 ? grouping_of_sample(feed->grouping, feed->model, s->stack, s->state, &groups)
				 : grouping_of_thread(feed->grouping, feed->model, s->thread, &groups);

	return text_table_number(&feed->keys, count == 0 ? text_from("(ungrouped)")
							  : feed->scheme->groups.at[groups[0] - 1].path);
}

/* As stkclass shows it: its number, and the frames that its stacks have, leaf first. */
static uint32_t
key_of_class(struct top_feed *feed, const struct kept_sample *s)
{
	uint64_t class = recorded_class_of(feed->classes, s->stack);
	const char *none = s->stack == 0 ? "(no stack)"
			   : recorded_classes_any(feed->classes) ? "(no class)"
								 : "(no class: stkclass writes them)";

	if (class == 0)
		return text_table_number(&feed->keys, text_from(none));
	feed->text.count = 0;
	add_format(&feed->text, "%llu ", (unsigned long long)class);
	top_feed_add_stack(feed, recorded_class_stack(feed->classes, class), false, &feed->text);
	return text_table_number(&feed->keys, text_in(&feed->text, 0));
}

static uint32_t
key_of_prefix(struct top_feed *feed, const struct kept_sample *s)
{
	uint32_t prefix = stack_prefix(feed->prefixes, s->thread, s->dump, s->state);
	struct stk_text text = stack_prefix_text(feed->prefixes, prefix);

	return text_table_number(&feed->keys, text.size > 0 ? text : text_from("(none)"));
}

static uint32_t
key_of_sample(struct top_feed *feed, const struct kept_sample *s)
{
	switch (feed->kind) {
	case KEY_FUNCTION: return key_of_function(feed, s);
	case KEY_GROUP:    return key_of_group(feed, s);
	case KEY_CLASS:    return key_of_class(feed, s);
	default:           return key_of_prefix(feed, s);
	}
}

static void
count_kept(struct top_feed *feed, const struct kept_sample *s)
{
	live_shares_add(feed->shares, s->key, s->source, s->time_ns, s->runs ? s->value : 0, s->value);
}

static void
count_anew(struct top_feed *feed)
{
	live_shares_clear_keys(feed->shares);
	text_table_clear(&feed->keys);
	for (size_t i = 0; i < feed->count; i++) {
		struct kept_sample *s = &feed->kept[(feed->first + i) % TOP_SAMPLES_MOST];

		s->key = key_of_sample(feed, s);
		count_kept(feed, s);
	}
}

bool
top_feed_has(const struct top_feed *feed, const char *by)
{
	return strcmp(by, "group") == 0   ? feed->grouping != NULL
	       : strcmp(by, "class") == 0 ? recorded_classes_any(feed->classes)
					  : true;
}

int
top_feed_by(struct top_feed *feed, const char *by, struct stk_error *err)
{
	struct stack_prefixes *prefixes = NULL;
	enum key_kind kind = strcmp(by, "function") == 0 ? KEY_FUNCTION
			     : strcmp(by, "group") == 0	 ? KEY_GROUP
			     : strcmp(by, "class") == 0	 ? KEY_CLASS
							 : KEY_PREFIX;

	if (kind == KEY_GROUP && feed->grouping == NULL)
		return stk_fail(err, STK_EUSAGE, "--by group needs --scheme");
	if (kind == KEY_PREFIX && stack_prefixes_open(&prefixes, feed->model, by, err) < 0) {
		stack_prefixes_close(prefixes);
		return -1;
	}
	stack_prefixes_close(feed->prefixes);
	feed->prefixes = prefixes;
	feed->kind = kind;
	count_anew(feed);
	return 0;
}

struct stk_text
top_feed_name(const struct top_feed *feed, uint32_t key)
{
	return text_table_text(&feed->keys, key);
}

/* --- taking --- */

/* Two sources may have the same name: then the number of the process and the host say which is which. */
static uint32_t
source_number(struct top_feed *feed, uint64_t id)
{
	struct stk_source source;

	array_lengthen(&feed->source_of, (size_t)id + 1);
	if (feed->source_of.at[id] != 0)
		return feed->source_of.at[id];
	source = model_source(feed->model, id);
	feed->text.count = 0;
	add_text(&feed->text, model_source_name(feed->model, id));
	add_format(&feed->text, "\n%llu\n", (unsigned long long)source.pid);
	add_text(&feed->text, model_string(feed->model, source.host));
	return feed->source_of.at[id] = text_table_number(&feed->sources, text_in(&feed->text, 0));
}

static uint32_t
source_of_sample(struct top_feed *feed, uint64_t thread, uint64_t dump)
{
	uint64_t id = model_sample_source(feed->model, thread, dump);

	return id == MODEL_LOST || id > model_count(feed->model, STK_SOURCE) ? 0 : source_number(feed, id);
}

static bool
thread_runs(struct top_feed *feed, const struct kept_sample *s)
{
	enum stk_state state = state_of_number(s->state);

	if (state != STK_STATE_RUNNABLE && state != STK_STATE_RUNNING &&
	    (state != STK_STATE_UNKNOWN || s->dump != 0))
		return false;
	return !selection_idle(feed->selection, s->stack);
}

/* Threads of dumps; of clocks what they stand for, in seconds of a processor; of other events how many. */
static double
value_of_sample(struct top_feed *feed, const struct sample_columns *c, uint32_t row, const struct kept_sample *s)
{
	feed->dumps |= s->dump != 0;
	if (s->dump != 0 || !event_is_time(model_string(feed->model, sample_value(&c->event, row))))
		return 1;
	feed->timed = true;
	return (double)sample_value(&c->weight, row) / 1e9;
}

static void
note_arrival(struct top_feed *feed, int64_t time_ns)
{
	if (feed->latest_ns != STK_TIME_UNKNOWN && time_ns < feed->latest_ns)
		return;
	feed->latest_ns = time_ns;
	feed->arrived_ns = top_clock_ns(CLOCK_MONOTONIC);
	feed->live = top_clock_ns(CLOCK_REALTIME) - time_ns < LIVE_LAG_NS;
}

static void
keep_sample(struct top_feed *feed, const struct kept_sample *s)
{
	if (feed->count < TOP_SAMPLES_MOST) {
		feed->kept[(feed->first + feed->count++) % TOP_SAMPLES_MOST] = *s;
		return;
	}
	feed->kept[feed->first] = *s;
	feed->first = (feed->first + 1) % TOP_SAMPLES_MOST;
}

static void
take_sample(struct top_feed *feed, const struct sample_columns *c, uint32_t row)
{
	struct kept_sample s = { .time_ns = sample_time(c, row),
				 .thread = (uint32_t)sample_value(&c->thread, row),
				 .dump = (uint32_t)sample_value(&c->dump, row),
				 .stack = (uint32_t)sample_value(&c->stack, row),
				 .state = (uint8_t)state_of_number(sample_value(&c->state, row)) };

	if (s.time_ns == STK_TIME_UNKNOWN && s.dump != 0)
		s.time_ns = model_dump(feed->model, s.dump).time;
	if (s.time_ns == STK_TIME_UNKNOWN)
		return;
	note_arrival(feed, s.time_ns);
	s.source = source_of_sample(feed, s.thread, s.dump);
	s.runs = thread_runs(feed, &s);
	s.value = value_of_sample(feed, c, row, &s);
	if (feed->keys.texts.count > KEYS_MOST)
		count_anew(feed);
	s.key = key_of_sample(feed, &s);
	count_kept(feed, &s);
	keep_sample(feed, &s);
	feed->samples++;
}

static int
take_samples(struct top_feed *feed, const struct stk_block *block, struct stk_error *err)
{
	struct sample_columns c;
	const uint32_t *rows;
	uint32_t count;

	if (selection_rows(feed->selection, feed->filter.reader, block, &rows, &count, err) < 0 ||
	    sample_columns_load(&c, TOP_COLUMNS, feed->model, feed->filter.reader, block, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		take_sample(feed, &c, selected_row(rows, i));
	return 0;
}

static int
take_dumps(struct top_feed *feed, const struct stk_block *block, struct stk_error *err)
{
	struct stk_dump dump;

	if (stk_reader_rows(feed->filter.reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		stk_reader_row(feed->filter.reader, i, &dump);
		if (dump.time == STK_TIME_UNKNOWN || dump.source > model_count(feed->model, STK_SOURCE))
			continue;
		note_arrival(feed, dump.time);
		live_shares_dump(feed->shares, source_number(feed, dump.source), dump.time);
	}
	return 0;
}

static void
turn_feed(struct top_feed *feed)
{
	feed->streams++;
	feed->count = feed->first = 0;
	feed->source_of.count = 0;
	naming_forget(feed->naming);
	if (feed->prefixes != NULL)
		stack_prefixes_turn(feed->prefixes);
	if (feed->grouping != NULL)
		grouping_turn(feed->grouping);
	selection_head(feed->selection, feed->filter.reader, 0);
	selected_blocks_follow(feed->selection, feed->filter.reader, SELECTED_ALL_KINDS);
}

static int
take_block_locked(struct top_feed *feed, const struct stk_block *block, struct stk_error *err)
{
	bool classes_changed;

	if (block->kind == STK_HEAD)
		turn_feed(feed);
	if (model_take(feed->model, feed->filter.reader, block, err) < 0)
		return -1;
	if (recorded_classes_take(feed->classes, feed->filter.reader, block, &classes_changed, err) < 0)
		return -1;
	if (classes_changed && feed->kind == KEY_CLASS)
		count_anew(feed);		/* classes come after the samples that they are of */
	if ((block->kind == STK_DUMP && take_dumps(feed, block, err) < 0) ||
	    (block->kind == STK_SAMPLE && take_samples(feed, block, err) < 0))
		return -1;
	return recent_blocks_take(feed->recent, feed->filter.reader, block, err);
}

int
top_take_block(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct top_feed *feed = context;
	int result;

	/* the block may not have arrived whole: nobody waits for that with the lock */
	if (stk_reader_fetch(feed->filter.reader, err) < 0)
		return -1;
	top_feed_lock(feed);
	result = take_block_locked(feed, block, err);
	top_feed_unlock(feed);
	return result;
}
