/* SPDX-License-Identifier: MIT
 * event_time: a stack of open pairs for each thread. */
#include "group/event_time.h"

#include "base/bytes.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/text_table.h"	/* hash_pair */
#include "base/time_math.h"

#include <stdlib.h>

enum edge { EDGE_START, EDGE_STOP, EDGE_POINT };

struct meaning { uint32_t pattern, group; enum edge edge; };

#define SUMS_MOST 4000000

struct thread_time { ARRAY(uint32_t) open; int64_t last; uint32_t key; bool met, out; };

struct event_sum { int64_t part; uint32_t key, group; struct group_events has; };

struct event_time {
	struct scheme *scheme;
	ARRAY(struct meaning) meanings;
	struct id_table threads;		/* struct thread_time */
	struct event_choice choice;
	ARRAY(struct event_sum) sums;
	struct hash_map map;			/* to places in sums, from 1 */
	ARRAY(uint32_t) keys;
	struct id_table met;			/* a byte by key: whether it is in keys */
	ARRAY(int64_t) parts;			/* at the end sorted, each once */
	int64_t shown;				/* parts up to this one */
	struct event_oddities odd;
	struct pattern_set set;
};

static void
add_meaning(struct event_time *e, struct stk_text name, uint32_t group, enum edge edge)
{
	struct stk_error unheard = { 0 };
	int64_t pattern = name.size == 0 ? -1 : name_automaton_add(e->scheme->events, name, &unheard);

	stk_error_clear(&unheard);
	if (pattern >= 0)
		*array_push(&e->meanings) = (struct meaning){ (uint32_t)pattern, group, edge };
}

void
event_time_open(struct event_time **out, struct scheme *scheme)
{
	struct event_time *e = *out = mem_new(1, sizeof *e);

	e->scheme = scheme;
	e->threads.size = sizeof(struct thread_time);
	e->met.size = 1;
	e->shown = INT64_MIN;
	for (uint32_t g = 0; g < scheme->groups.count; g++) {
		add_meaning(e, scheme->groups.at[g].start, g + 1, EDGE_START);
		add_meaning(e, scheme->groups.at[g].stop, g + 1, EDGE_STOP);
		add_meaning(e, scheme->groups.at[g].point, g + 1, EDGE_POINT);
	}
}

void
event_time_choose(struct event_time *e, const struct event_choice *choice)
{
	e->choice = *choice;
}

static struct thread_time *
first_thread(struct event_time *e, uint64_t *id)
{
	return id_table_next(&e->threads, 0, id) ? id_table_find(&e->threads, *id) : NULL;
}

static struct thread_time *
next_thread(struct event_time *e, uint64_t *id)
{
	return id_table_next(&e->threads, *id + 1, id) ? id_table_find(&e->threads, *id) : NULL;
}

void
event_time_close(struct event_time *e)
{
	uint64_t id;

	if (e == NULL)
		return;
	for (struct thread_time *thread = first_thread(e, &id); thread != NULL; thread = next_thread(e, &id))
		array_release(&thread->open);
	id_table_clear(&e->threads);
	array_release(&e->meanings);
	array_release(&e->sums);
	hash_map_release(&e->map);
	array_release(&e->keys);
	array_release(&e->parts);
	id_table_clear(&e->met);
	array_release(&e->set.list);
	free(e);
}

/* --- sums --- */

static uint64_t
hash_sum(int64_t part, uint32_t key, uint32_t group)
{
	return hash_pair(hash_pair((uint64_t)part, key), group);
}

static struct event_sum *
find_sum(const struct event_time *e, int64_t part, uint32_t key, uint32_t group)
{
	uint64_t hash = hash_sum(part, key, group);
	uint32_t at = hash_map_start(&e->map, hash), place;

	while ((place = hash_map_next(&e->map, hash, &at)) != 0) {
		struct event_sum *sum = &e->sums.at[place - 1];

		if (sum->part == part && sum->key == key && sum->group == group)
			return sum;
	}
	return NULL;
}

static void
note_sum(struct event_time *e, int64_t part, uint32_t key)
{
	unsigned char *met = id_table_at(&e->met, key);

	if (*met == 0)
		*array_push(&e->keys) = key;
	*met = 1;
	if (e->parts.count == 0 || e->parts.at[e->parts.count - 1] != part)
		*array_push(&e->parts) = part;
}

/* NULL: there are too many. */
static struct group_events *
sum_at(struct event_time *e, int64_t part, uint32_t key, uint32_t group)
{
	struct event_sum *sum = find_sum(e, part, key, group);

	e->odd.late += part <= e->shown;
	if (sum != NULL)
		return &sum->has;
	if (e->sums.count == SUMS_MOST) {
		e->odd.beyond++;
		return NULL;
	}
	sum = array_push(&e->sums);
	*sum = (struct event_sum){ .part = part, .key = key, .group = group };
	hash_map_put(&e->map, hash_sum(part, key, group), (uint32_t)e->sums.count);
	note_sum(e, part, key);
	return &sum->has;
}

static int64_t
part_of(const struct event_time *e, int64_t time)
{
	return e->choice.step_ns > 0 ? time_floor(time, e->choice.step_ns) : 0;
}

static void
add_time(struct event_time *e, uint32_t key, uint32_t group, int64_t from, int64_t to)
{
	int64_t step = e->choice.step_ns;

	while (from < to) {
		int64_t part = part_of(e, from), end = step > 0 && to - part > step ? part + step : to;
		struct group_events *sum = sum_at(e, part, key, group);

		if (sum == NULL)
			return;
		sum->ns = time_sum(sum->ns, end - from);
		from = end;
	}
}

static void
add_chosen_time(struct event_time *e, uint32_t key, uint32_t group, int64_t from, int64_t to)
{
	if (e->choice.windows_count == 0)
		add_time(e, key, group, from, to);
	for (unsigned w = 0; w < e->choice.windows_count; w++) {
		const struct time_window *window = &e->choice.windows[w];

		add_time(e, key, group, from > window->from_ns ? from : window->from_ns,
			 to < window->to_ns ? to : window->to_ns);
	}
}

/* Where what happens at a moment counts, or NULL: nowhere. */
static struct group_events *
sum_of_moment(struct event_time *e, int64_t time, uint32_t key, uint32_t group)
{
	bool chosen = e->choice.windows_count == 0;

	if (time == STK_TIME_UNKNOWN)
		return chosen && e->choice.step_ns == 0 ? sum_at(e, 0, key, group) : NULL;
	for (unsigned w = 0; w < e->choice.windows_count; w++)
		chosen |= time >= e->choice.windows[w].from_ns && time < e->choice.windows[w].to_ns;
	return chosen ? sum_at(e, part_of(e, time), key, group) : NULL;
}

/* --- threads --- */

static uint32_t
innermost(const struct thread_time *thread)
{
	return thread->open.count == 0 ? 0 : thread->open.at[thread->open.count - 1];
}

/* The time since the thread's last event. */
static void
pass(struct event_time *e, struct thread_time *thread, int64_t now)
{
	if (now == STK_TIME_UNKNOWN) {
		e->odd.untimed++;
		return;
	}
	if (thread->met && now < thread->last) {
		e->odd.backward++;
		return;
	}
	if (thread->met && !thread->out)
		add_chosen_time(e, thread->key, innermost(thread), thread->last, now);
	thread->met = true;
	thread->last = now;
}

static void
start(struct event_time *e, struct thread_time *thread, uint32_t group, int64_t time)
{
	struct group_events *sum = sum_of_moment(e, time, thread->key, group);

	if (sum != NULL)
		sum->pairs++;
	*array_push(&thread->open) = group;
}

static void
stop(struct event_time *e, struct thread_time *thread, uint32_t group)
{
	for (size_t i = thread->open.count; i-- > 0; ) {
		if (thread->open.at[i] != group)
			continue;
		e->odd.overlapping += i + 1 < thread->open.count;
		memmove(thread->open.at + i, thread->open.at + i + 1,
			(thread->open.count - i - 1) * sizeof *thread->open.at);
		thread->open.count--;
		return;
	}
	e->odd.unstarted++;
}

/* What the name of an event means, and to how many groups. An event that is marked as a start does not count as a
 * stop. */
static unsigned
apply(struct event_time *e, struct thread_time *thread, const struct stk_event *event)
{
	struct group_events *sum;
	unsigned meant = 0;

	name_automaton_match(e->scheme->events, event->name, &e->set);
	for (size_t i = 0; i < e->set.list.count; i++) {
		for (size_t m = 0; m < e->meanings.count; m++) {
			const struct meaning *meaning = &e->meanings.at[m];

			if (meaning->pattern != e->set.list.at[i] ||
			    (event->happening == STK_HAPPENING_START && meaning->edge == EDGE_STOP) ||
			    (event->happening == STK_HAPPENING_STOP && meaning->edge == EDGE_START))
				continue;
			meant++;
			if (meaning->edge == EDGE_START)
				start(e, thread, meaning->group, event->time);
			else if (meaning->edge == EDGE_STOP)
				stop(e, thread, meaning->group);
			else if ((sum = sum_of_moment(e, event->time, thread->key, meaning->group)) != NULL)
				sum->points++;
		}
	}
	return meant;
}

static uint32_t
point_group(const struct event_time *e)
{
	for (size_t i = 0; i < e->set.list.count; i++)
		for (size_t m = 0; m < e->meanings.count; m++)
			if (e->meanings.at[m].pattern == e->set.list.at[i] && e->meanings.at[m].edge == EDGE_POINT)
				return e->meanings.at[m].group;
	return 0;
}

void
event_time_take(struct event_time *e, const struct event_place *of, const struct stk_event *event)
{
	struct thread_time *thread = id_table_at(&e->threads, of->thread);
	uint32_t inside;

	thread->key = of->key;
	pass(e, thread, event->time);
	if (event->happening == STK_HAPPENING_SWITCH_OUT || event->happening == STK_HAPPENING_SWITCH_IN) {
		thread->out = event->happening == STK_HAPPENING_SWITCH_OUT;
		return;
	}
	inside = innermost(thread);
	if (apply(e, thread, event) == 0 && inside == 0 && of->stack_group == 0)
		e->odd.unknown++;
	if (event->value > 0 || event->value < 0) {
		uint32_t own = point_group(e), group = inside != 0 ? inside : own != 0 ? own : of->stack_group;
		struct group_events *sum = sum_of_moment(e, event->time, thread->key, group);

		if (sum != NULL)
			sum->payload += event->value;
	}
}

static int
compare_parts(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void
sort_parts(struct event_time *e)
{
	size_t kept = 0;

	if (e->parts.count > 0)
		qsort(e->parts.at, e->parts.count, sizeof *e->parts.at, compare_parts);
	for (size_t i = 0; i < e->parts.count; i++)
		if (kept == 0 || e->parts.at[i] != e->parts.at[kept - 1])
			e->parts.at[kept++] = e->parts.at[i];
	e->parts.count = kept;
}

void
event_time_turn(struct event_time *e)
{
	uint64_t id;

	for (struct thread_time *thread = first_thread(e, &id); thread != NULL; thread = next_thread(e, &id)) {
		e->odd.unstopped += thread->open.count;
		array_release(&thread->open);
	}
	id_table_clear(&e->threads);
}

void
event_time_end(struct event_time *e)
{
	event_time_turn(e);
	sort_parts(e);
}

const struct group_events *
event_time_of(const struct event_time *e, int64_t part, uint32_t key, uint32_t group)
{
	static const struct group_events nothing;
	const struct event_sum *sum = find_sum(e, part, key, group);

	return sum == NULL ? &nothing : &sum->has;
}

const uint32_t *
event_time_keys(const struct event_time *e, size_t *count)
{
	*count = e->keys.count;
	return e->keys.at;
}

bool
event_time_next(const struct event_time *e, int64_t from, int64_t *part)
{
	size_t low = 0, high = e->parts.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (e->parts.at[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == e->parts.count)
		return false;
	*part = e->parts.at[low];
	return true;
}

void
event_time_shown(struct event_time *e, int64_t part)
{
	e->shown = part > e->shown ? part : e->shown;
}

struct event_oddities
event_time_oddities(const struct event_time *e)
{
	return e->odd;
}
