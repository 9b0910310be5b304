/* SPDX-License-Identifier: MIT
 * top_feed: a thread reads; whoever asks has the lock meanwhile. */
#include "top_intake.h"

#include "base/output.h"
#include "program/event_choice.h"
#include "program/program.h"
#include "program/scheme_places.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define CELL_NS INT64_C(1000000000)

void
top_feed_lock(struct top_feed *feed)
{
	pthread_mutex_lock(&feed->lock);
}

void
top_feed_unlock(struct top_feed *feed)
{
	pthread_mutex_unlock(&feed->lock);
}

/* --- asking --- */

void
top_feed_state(struct top_feed *feed, struct top_state *state)
{
	int64_t since_ns = top_clock_ns(CLOCK_MONOTONIC) - feed->arrived_ns;

	*state = (struct top_state){ .now_ns = feed->latest_ns,
				     .samples = feed->samples,
				     .ended = feed->ended,
				     .unit = feed->dumps && feed->timed ? "threads and processors"
					     : feed->dumps		? "threads"
					     : feed->timed		? "processors"
									: "samples/s",
				     .trouble = feed->trouble[0] != '\0' ? feed->trouble : NULL,
				     .left_out = live_shares_left_out(feed->shares) };
	if (feed->latest_ns == STK_TIME_UNKNOWN || !feed->live || feed->ended)
		return;
	state->now_ns += since_ns;
	state->silent_seconds = (double)since_ns / 1e9;
}

const struct live_row *
top_feed_rows(struct top_feed *feed, int64_t now_ns, size_t *count, struct live_row *total)
{
	return live_shares_rows(feed->shares, now_ns, count, total);
}

static int
more_often(const void *a, const void *b)
{
	const struct top_stack *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
				    : (x->stack > y->stack) - (x->stack < y->stack);
}

static int
by_stack(const void *a, const void *b)
{
	const struct top_stack *x = a, *y = b;

	return (x->stack > y->stack) - (x->stack < y->stack);
}

/* Equal stacks become one. */
static void
join_stacks(struct top_stacks *stacks)
{
	size_t left = 0;

	if (stacks->count > 0)
		qsort(stacks->at, stacks->count, sizeof *stacks->at, by_stack);
	for (size_t i = 0; i < stacks->count; i++)
		if (left > 0 && stacks->at[left - 1].stack == stacks->at[i].stack)
			stacks->at[left - 1].count++;
		else
			stacks->at[left++] = stacks->at[i];
	stacks->count = left;
	if (left > 0)
		qsort(stacks->at, left, sizeof *stacks->at, more_often);
}

uint64_t
top_feed_stacks(struct top_feed *feed, uint32_t key, int64_t now_ns, bool running, struct top_stacks *stacks)
{
	uint64_t samples = 0;

	stacks->count = 0;
	for (size_t i = 0; i < feed->count; i++) {
		const struct kept_sample *s = &feed->kept[(feed->first + i) % TOP_SAMPLES_MOST];

		if (s->key != key || s->runs != running || s->time_ns > now_ns ||
		    s->time_ns <= now_ns - LIVE_CELLS * feed->cell_ns)
			continue;
		*array_push(stacks) = (struct top_stack){ s->stack, 1 };
		samples++;
	}
	join_stacks(stacks);
	return samples;
}

unsigned
top_feed_streams(const struct top_feed *feed)
{
	return feed->streams;
}

void
top_feed_add_stack(struct top_feed *feed, uint64_t stack, bool lines, struct text_buffer *to)
{
	char frame_text[1000];

	if (stack == 0)
		add_string(to, lines ? "(no stack)\n" : "(no stack)");
	for (uint64_t at = stack; at != 0 && model_knows(feed->model, STK_STACK, at);) {
		struct stk_stack row = model_stack(feed->model, at);

		if (lines) {
			size_t size = model_frame_text(feed->model, row.frame, frame_text, sizeof frame_text);

			add_bytes(to, frame_text, size < sizeof frame_text ? size : sizeof frame_text);
			add_char(to, '\n');
		} else {
			add_string(to, at == stack ? "" : " < ");
			add_text(to, naming_frame(feed->naming, row.frame, true));
		}
		at = row.parent < at ? row.parent : 0;
	}
}

static int
save_bytes(void *context, const void *from, size_t size, struct stk_error *err)
{
	return output_write(context, from, size, err);
}

int
top_feed_save(struct top_feed *feed, const char *path, struct recent_rows *rows, struct stk_error *err)
{
	struct stk_writer_options to = { .write = save_bytes, .level = STK_LEVEL_FILE };
	struct stk_writer *writer;
	struct output *output;
	int result;

	if (access(path, F_OK) == 0)
		return stk_fail(err, STK_ESYSTEM, "%s exists", path);
	if (output_open(&output, path, err) < 0)
		return -1;
	to.context = output;
	result = stk_writer_open(&writer, &to, err);
	if (result == 0) {
		result = recent_blocks_write(feed->recent, writer, rows, err);
		if (stk_writer_close(writer, result == 0, err) < 0)
			result = -1;
	}
	return output_close(output, result == 0, err) < 0 ? -1 : result;
}

/* --- beginning and end --- */

static void *
read_all(void *of)
{
	struct top_feed *feed = of;
	struct stk_error err = { 0 };
	int result = filter_each(&feed->filter, top_take_block, feed, &err);

	top_feed_lock(feed);
	if (result < 0)
		snprintf(feed->trouble, sizeof feed->trouble, "%s", err.text);
	feed->ended = true;
	top_feed_unlock(feed);
	return NULL;
}

int
top_feed_open(struct top_feed **out, const struct plot_settings *settings, char **operands, int count,
	      struct stk_error *err)
{
	struct top_feed *feed = *out = mem_new(1, sizeof *feed);
	struct selection_options selection = settings->choice.selection;

	feed->settings = settings;
	feed->latest_ns = STK_TIME_UNKNOWN;
	feed->cell_ns = settings->cell_ns > 0 ? settings->cell_ns : CELL_NS;
	pthread_mutex_init(&feed->lock, NULL);
	if (filter_open(&feed->filter, operands, count, err) < 0)
		return -1;
	if (model_open(&feed->model) < 0)
		return stk_fail(err, STK_ESYSTEM, "cannot begin");
	count_one_event(&selection, &feed->filter);
	if (selection_open(&feed->selection, feed->model, &selection, err) < 0)
		return -1;
	if (settings->scheme != NULL) {
		if (scheme_file_read(&feed->scheme, settings->scheme, scheme_places(), err) < 0)
			return -1;
		grouping_open(&feed->grouping, feed->scheme);
	}
	recorded_classes_open(&feed->classes);
	naming_open(&feed->naming, feed->model, &(struct naming_options){ 0 });
	live_shares_open(&feed->shares, feed->cell_ns);
	recent_blocks_open(&feed->recent, feed->cell_ns * LIVE_CELLS, TOP_SAVED_BYTES);
	feed->kept = mem_new(TOP_SAMPLES_MOST, sizeof *feed->kept);
	return top_feed_by(feed, settings->by != NULL ? settings->by : "pool", err);
}

int
top_feed_start(struct top_feed *feed, struct stk_error *err)
{
	pthread_t thread;
	sigset_t all, usual;
	int failed;

	sigfillset(&all);		/* signals are for the thread that waits for keys */
	pthread_sigmask(SIG_BLOCK, &all, &usual);
	failed = pthread_create(&thread, NULL, read_all, feed);
	pthread_sigmask(SIG_SETMASK, &usual, NULL);
	if (failed != 0)
		return stk_fail(err, STK_ESYSTEM, "cannot begin a thread");
	pthread_detach(thread);
	return 0;
}

void
top_feed_close(struct top_feed *feed)
{
	if (feed == NULL)
		return;
	live_shares_close(feed->shares);
	recent_blocks_close(feed->recent);
	recorded_classes_close(feed->classes);
	stack_prefixes_close(feed->prefixes);
	naming_close(feed->naming);
	if (feed->grouping != NULL)
		grouping_close(feed->grouping);
	if (feed->scheme != NULL)
		scheme_close(feed->scheme);
	selection_close(feed->selection);
	model_close(feed->model);
	filter_close(&feed->filter, true);
	text_table_release(&feed->keys);
	text_table_release(&feed->sources);
	array_release(&feed->source_of);
	array_release(&feed->text);
	free(feed->kept);
	pthread_mutex_destroy(&feed->lock);
	free(feed);
}
