/* SPDX-License-Identifier: MIT
 * sample_groups: samples as columns, chosen rows only. */
#include "group/sample_groups.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/time_math.h"
#include "group/event_feed.h"
#include "group/sample_time.h"
#include "model/sample_columns.h"

#include <stdlib.h>
#include <string.h>

/* How many samples wait for the first event. Schemes without pairs have nothing of events but the time of none. */
#define SAMPLES_KEPT (UINT32_C(1) << 22)
#define SAMPLES_KEPT_WITHOUT_PAIRS (UINT32_C(1) << 16)

#define COLUMNS (SAMPLE_TIME_COLUMNS | SAMPLE_STACK | SAMPLE_WEIGHT | SAMPLE_STATE)

struct sample_groups {
	struct sample_groups_options options;
	struct sampling sampling;
	struct sample_time *times;
	ARRAY(struct group_sample) kept;	/* of options.feed */
	bool waiting;			/* those of this block wait for the events of their stream */
	bool gave_up;			/* no events came with many samples of this stream */
	int64_t part_ns;		/* the start of the current part; STK_TIME_UNKNOWN: none yet */
};

void
sample_groups_open(struct sample_groups **out, const struct sample_groups_options *options)
{
	struct sample_groups *s = *out = mem_new(1, sizeof *s);

	s->options = *options;
	s->sampling.times = TIME_RANGE_NONE;
	s->part_ns = STK_TIME_UNKNOWN;
	sample_time_open(&s->times, options->model);
}

void
sample_groups_close(struct sample_groups *s)
{
	if (s == NULL)
		return;
	sample_time_close(s->times);
	array_release(&s->kept);
	free(s);
}

const struct sampling *
sample_groups_sampling(const struct sample_groups *s)
{
	return &s->sampling;
}

/* --- times --- */

static bool
time_of_rate(const void *context, uint32_t rate, int64_t *ns)
{
	return sample_time_of_rate(context, rate, ns);
}

static void
settle(struct sample_groups *s, bool last)
{
	const struct scheme_set *set = s->options.set;

	for (unsigned i = 0; i < set->count; i++)
		grouping_settle(set->groupings[i], time_of_rate, s->times, last);
}

void
sample_groups_settle(struct sample_groups *s)
{
	settle(s, true);
}

/* --- parts --- */

int
sample_groups_end(struct sample_groups *s, struct stk_error *err)
{
	const struct sample_groups_listener *listener = &s->options.listener;

	if (s->part_ns == STK_TIME_UNKNOWN)
		return 0;
	settle(s, true);
	if (listener->part_ends != NULL && listener->part_ends(listener->context, s->part_ns, err) < 0)
		return -1;
	scheme_set_clear(s->options.set);
	s->part_ns = STK_TIME_UNKNOWN;
	return 0;
}

static int
turn_part(struct sample_groups *s, int64_t time, struct stk_error *err)
{
	const struct sample_groups_listener *listener = &s->options.listener;
	int64_t start;

	if (s->options.step_ns <= 0 || time == STK_TIME_UNKNOWN)
		return 0;
	start = time_floor(time, s->options.step_ns);
	if (start == s->part_ns)
		return 0;
	if (s->options.once && s->part_ns != STK_TIME_UNKNOWN && start < s->part_ns) {
		s->sampling.late++;
		return 0;
	}
	if (sample_groups_end(s, err) < 0)
		return -1;
	s->part_ns = start;
	return listener->part_begins == NULL ? 0 : listener->part_begins(listener->context, start, err);
}

/* --- samples --- */

static void
note_moment(struct sample_groups *s, int64_t time)
{
	s->sampling.samples++;
	if (time != STK_TIME_UNKNOWN)
		time_range_add(&s->sampling.times, time);
}

/* The moment at which a thread was switched out is not work of any group. */
static bool
is_switch(const struct model *model, uint64_t event)
{
	static const char ending[] = "sched_switch";
	const size_t size = sizeof ending - 1;
	struct stk_text name = model_string(model, event);

	return event != 0 && name.size >= size && memcmp(name.data + name.size - size, ending, size) == 0;
}

/* inside: for each grouping, `apart` from each other; NULL: nothing is said. */
static void
count_up(struct sample_groups *s, struct group_sample *sum, const uint32_t *inside, size_t apart)
{
	const struct sample_groups_options *o = &s->options;

	for (unsigned i = 0; i < o->set->count; i++) {
		sum->inside = inside == NULL ? (uint32_t)INSIDE_NOTHING : inside[i * apart];
		grouping_add(o->set->groupings[i], o->model, sum);
	}
}

/* Steps that are shown at once do not wait for events that the schemes do not mention. */
static bool
must_wait(const struct sample_groups *s)
{
	const struct sample_groups_options *o = &s->options;

	return o->feed != NULL && !s->gave_up &&
	       (o->by_activity || !o->once || scheme_set_has_pairs(o->set) || event_feed_met_now(o->feed));
}

static void
sum_up(struct sample_groups *s, const struct sample_columns *columns, uint32_t row, const struct grouped_sample *sample)
{
	struct sample_worth worth = sample_time_of(s->times, columns, row, sample->weight);
	bool of_dump = sample_value(&columns->dump, row) != 0;
	struct group_sample sum = {
		.key = sample->prefix, .rate = worth.rate, .stack = sample->stack, .state = sample->state,
		.thread = sample->thread,
		.weight = sample->weight, .times = of_dump ? sample->weight : 1, .time = sample->time, .ns = worth.ns
	};

	s->sampling.dumps |= of_dump;
	s->sampling.clocks |= worth.clock;
	s->sampling.others |= !of_dump && !worth.clock;
	s->sampling.unplaced += s->options.feed != NULL && !s->waiting;
	if (s->waiting)
		*array_push(&s->kept) = sum;
	else
		count_up(s, &sum, NULL, 0);
}

/* --- samples that wait for events --- */

static int
compare_kept(const void *a, const void *b)
{
	const struct group_sample *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* Samples of the same time in their order. */
static void
sort_kept(struct sample_groups *s)
{
	bool sorted = true;

	for (size_t i = 1; i < s->kept.count && sorted; i++)
		sorted = s->kept.at[i - 1].time <= s->kept.at[i].time;
	if (!sorted)
		qsort(s->kept.at, s->kept.count, sizeof *s->kept.at, compare_kept);
}

static void
place_kept(struct sample_groups *s, size_t count, uint32_t *inside)
{
	struct placed_sample *asked = mem_new(count + 1, sizeof *asked);

	for (size_t i = 0; i < count; i++)
		asked[i] = (struct placed_sample){ s->kept.at[i].thread, s->kept.at[i].time, s->kept.at[i].key };
	event_feed_place(s->options.feed, asked, count, inside);
	for (size_t i = 0; i < count; i++)
		s->kept.at[i].key = asked[i].key;
	free(asked);
}

/* Those before a time, when all events of their stream from before it are known. */
static int
count_kept(struct sample_groups *s, int64_t until_ns, struct stk_error *err)
{
	size_t count = 0;
	uint32_t *inside;
	int result = 0;

	sort_kept(s);
	while (count < s->kept.count && s->kept.at[count].time < until_ns)
		count++;
	inside = mem_new(count * s->options.set->count + 1, sizeof *inside);
	place_kept(s, count, inside);
	for (size_t i = 0; i < count && result == 0; i++) {
		result = turn_part(s, s->kept.at[i].time, err);
		if (result == 0)
			count_up(s, &s->kept.at[i], inside + i, count);
	}
	memmove(s->kept.at, s->kept.at + count, (s->kept.count - count) * sizeof *s->kept.at);
	s->kept.count -= count;
	free(inside);
	return result;
}

/* Where parts come once: counts samples of parts that are over, when the next block of samples comes, so that the
 * events that were written with them are known. */
static int
end_parts(struct sample_groups *s, struct stk_error *err)
{
	const struct sample_groups_options *o = &s->options;
	int64_t latest = STK_TIME_UNKNOWN;

	if (!o->once || o->step_ns <= 0)
		return 0;
	for (size_t i = 0; i < s->kept.count; i++)
		latest = s->kept.at[i].time > latest ? s->kept.at[i].time : latest;
	if (latest == STK_TIME_UNKNOWN)
		return 0;
	latest = time_floor(latest, o->step_ns);
	event_feed_until(o->feed, latest);
	return count_kept(s, latest, err);
}

/* Where no event came: in the order of their arrival. */
static int
count_all(struct sample_groups *s, struct stk_error *err)
{
	int result = 0;

	for (size_t i = 0; i < s->kept.count && result == 0; i++) {
		result = turn_part(s, s->kept.at[i].time, err);
		if (result == 0)
			count_up(s, &s->kept.at[i], NULL, 0);
	}
	s->kept.count = 0;
	return result;
}

static int
count_waiting(struct sample_groups *s, struct stk_error *err)
{
	const struct sample_groups_options *o = &s->options;

	return o->by_activity || event_feed_met_now(o->feed) ? count_kept(s, INT64_MAX, err) : count_all(s, err);
}

/* Before another sample waits: does not keep very many for events that may never come. */
static int
let_out(struct sample_groups *s, struct stk_error *err)
{
	const struct sample_groups_options *o = &s->options;
	size_t most = scheme_set_has_pairs(o->set) ? SAMPLES_KEPT : SAMPLES_KEPT_WITHOUT_PAIRS;

	if (o->by_activity || s->kept.count < most || event_feed_met_now(o->feed))
		return 0;
	s->gave_up = true;
	s->waiting = false;
	s->sampling.unplaced += s->kept.count;
	return count_all(s, err);
}

static int
take_sample(struct sample_groups *s, const struct sample_columns *columns, uint32_t row, struct stk_error *err)
{
	const struct sample_groups_options *o = &s->options;
	struct grouped_sample sample = {
		.stack = sample_value(&columns->stack, row), .state = sample_value(&columns->state, row),
		.thread = sample_value(&columns->thread, row),
		.weight = sample_value(&columns->weight, row), .time = sample_time(columns, row)
	};

	if (s->waiting && let_out(s, err) < 0)
		return -1;
	if (!s->waiting && turn_part(s, sample.time, err) < 0)
		return -1;
	if (o->prefixes != NULL)
		sample.prefix = stack_prefix_on(o->prefixes, sample.thread, sample_value(&columns->dump, row),
						sample.state, (int64_t)sample_value(&columns->processor, row));
	if (o->summing)
		sum_up(s, columns, row, &sample);
	return o->listener.sample == NULL ? 0 : o->listener.sample(o->listener.context, &sample, err);
}

int
sample_groups_take(struct sample_groups *s, struct stk_reader *reader, const struct stk_block *block,
		   struct stk_error *err)
{
	const struct sample_groups_options *o = &s->options;
	struct sample_columns columns;
	const uint32_t *rows;
	uint32_t count;

	if (sample_columns_load(&columns, COLUMNS, o->model, reader, block, err) < 0 ||
	    selection_rows(o->selection, reader, block, &rows, &count, err) < 0)
		return -1;
	if (o->summing && sample_time_see(s->times, &columns, block->rows))
		settle(s, false);
	s->waiting = must_wait(s);
	if (s->waiting && end_parts(s, err) < 0)
		return -1;
	if (o->listener.begin != NULL && o->listener.begin(o->listener.context, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = selected_row(rows, i);

		note_moment(s, sample_time(&columns, row));
		if (is_switch(o->model, sample_value(&columns.event, row)))
			s->sampling.switches++;
		else if (take_sample(s, &columns, row, err) < 0)
			return -1;
	}
	return 0;
}

int
sample_groups_turn(struct sample_groups *s, struct stk_error *err)
{
	if (s->kept.count > 0) {
		event_feed_flush(s->options.feed);
		if (count_waiting(s, err) < 0)
			return -1;
	}
	s->gave_up = false;
	sample_time_turn(s->times);
	return 0;
}
