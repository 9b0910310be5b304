/* SPDX-License-Identifier: MIT
 * event_time: the groups that are open on each thread, and their pairs from the last one on. What an event costs
 * depends on how many different groups are open, not on how many pairs. */
#include "group/event_time.h"

#include "base/bytes.h"
#include "base/event_values.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "base/time_math.h"
#include "base/time_range.h"
#include "group/payload_sums.h"

#include <math.h>
#include <stdlib.h>

enum edge { EDGE_START, EDGE_STOP, EDGE_POINT };

struct meaning { uint32_t pattern, group; enum edge edge; };

/* The meanings of a name, in the list of all names' meanings. */
struct named { bool asked; uint32_t from, count, point; };	/* point: the first group that it is a point of */

#define SUMS_MOST 4000000
#define ANY_GROUP UINT32_MAX

struct open_pair { uint64_t number, stack; uint32_t below, name; };	/* below: of the same group; 0: none */

struct open_group { uint32_t group, top; };	/* top: its last pair */

/* What has a thread's time from a moment on: the pair of a group, no pair, or nobody, as it is switched out. */
struct change { uint64_t thread, number, stack; int64_t time, processor; uint32_t group, name; bool out; };

/* Whose a thread's time is from a moment on, if it goes on that long. */
struct key_turn { int64_t time; uint32_t key; };

struct thread_time {
	uint64_t id;
	ARRAY(struct open_group) open;
	ARRAY(struct key_turn) turns;	/* since its last event */
	uint32_t winner;		/* place in open, from 1 */
	int64_t last, processor;
	uint32_t key;
	bool met, out, always;
	bool noted, was_out;		/* of the last change: whether there is one, and what it was */
	int64_t was_on;
	uint64_t was;
};

struct event_sum { int64_t part; uint32_t key, group; struct group_events has; };

struct event_time {
	struct scheme *scheme;
	ARRAY(struct meaning) meanings;
	struct text_table names;
	ARRAY(struct named) named;		/* by number of the name */
	ARRAY(uint32_t) meant;			/* places in meanings */
	struct id_table threads;		/* struct thread_time */
	ARRAY(struct open_pair) pairs;		/* of all threads, from 1 */
	uint32_t free_pair;			/* linked by below */
	uint64_t started;
	ARRAY(uint64_t) marks;			/* by group: the walk that met it below another */
	uint64_t walk;
	struct event_choice choice;
	ARRAY(struct change) changes;
	ARRAY(struct event_sum) sums;
	struct hash_map map;			/* to places in sums, from 1 */
	struct payload_sums payloads;		/* by place in sums */
	struct text_table measures;		/* their names: a name, a NUL, a unit */
	struct text_buffer measure;
	ARRAY(uint32_t) keys;
	struct id_table met;			/* a byte by key: whether it is in keys */
	ARRAY(int64_t) parts;			/* at the end sorted, each once */
	struct time_range times;		/* of events */
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
	e->times = TIME_RANGE_NONE;
	array_lengthen(&e->pairs, 1);
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
	return *id < UINT64_MAX && id_table_next(&e->threads, *id + 1, id) ? id_table_find(&e->threads, *id) : NULL;
}

static void
release_thread(struct thread_time *thread)
{
	array_release(&thread->open);
	array_release(&thread->turns);
}

void
event_time_close(struct event_time *e)
{
	uint64_t id;

	if (e == NULL)
		return;
	for (struct thread_time *thread = first_thread(e, &id); thread != NULL; thread = next_thread(e, &id))
		release_thread(thread);
	id_table_clear(&e->threads);
	array_release(&e->meanings);
	text_table_release(&e->names);
	array_release(&e->named);
	array_release(&e->meant);
	array_release(&e->pairs);
	array_release(&e->marks);
	array_release(&e->changes);
	array_release(&e->sums);
	hash_map_release(&e->map);
	payload_sums_release(&e->payloads);
	text_table_release(&e->measures);
	array_release(&e->measure);
	array_release(&e->keys);
	array_release(&e->parts);
	id_table_clear(&e->met);
	array_release(&e->set.list);
	free(e);
}

/* --- names --- */

static void
ask_name(struct event_time *e, struct named *named, struct stk_text name)
{
	*named = (struct named){ .asked = true, .from = (uint32_t)e->meant.count };
	name_automaton_match(e->scheme->events, name, &e->set);
	for (size_t i = 0; i < e->set.list.count; i++)
		for (uint32_t m = 0; m < e->meanings.count; m++) {
			if (e->meanings.at[m].pattern != e->set.list.at[i])
				continue;
			*array_push(&e->meant) = m;
			named->count++;
			if (named->point == 0 && e->meanings.at[m].edge == EDGE_POINT)
				named->point = e->meanings.at[m].group;
		}
}

static const struct named *
named_of(struct event_time *e, struct stk_text name, uint32_t *number)
{
	*number = text_table_number(&e->names, name);
	array_lengthen(&e->named, *number + 1u);
	if (!e->named.at[*number].asked)
		ask_name(e, &e->named.at[*number], name);
	return &e->named.at[*number];
}

uint32_t
event_time_group_of_name(struct event_time *e, struct stk_text name)
{
	uint32_t number;
	const struct named *named = named_of(e, name, &number);

	return named->count == 0 ? 0 : e->meanings.at[e->meant.at[named->from]].group;
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

/* Whether a key has any sum in a part. Each of these has one entry more in the map, of a group that is none. */
bool
event_time_any(const struct event_time *e, int64_t part, uint32_t key)
{
	uint64_t hash = hash_sum(part, key, ANY_GROUP);
	uint32_t at = hash_map_start(&e->map, hash), place;

	while ((place = hash_map_next(&e->map, hash, &at)) != 0)
		if (e->sums.at[place - 1].part == part && e->sums.at[place - 1].key == key)
			return true;
	return false;
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
static struct event_sum *
sum_at(struct event_time *e, int64_t part, uint32_t key, uint32_t group)
{
	struct event_sum *sum = find_sum(e, part, key, group);

	e->odd.late += part <= e->shown;
	if (sum != NULL)
		return sum;
	if (e->sums.count == SUMS_MOST) {
		e->odd.beyond++;
		return NULL;
	}
	sum = array_push(&e->sums);
	*sum = (struct event_sum){ .part = part, .key = key, .group = group, .has.times = TIME_RANGE_NONE };
	if (!event_time_any(e, part, key))
		hash_map_put(&e->map, hash_sum(part, key, ANY_GROUP), (uint32_t)e->sums.count);
	hash_map_put(&e->map, hash_sum(part, key, group), (uint32_t)e->sums.count);
	note_sum(e, part, key);
	return sum;
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
		struct event_sum *sum = sum_at(e, part, key, group);

		if (sum == NULL)
			return;
		sum->has.ns = time_sum(sum->has.ns, end - from);
		time_range_add(&sum->has.times, from);
		time_range_add(&sum->has.times, end);
		from = end;
	}
}

static void
add_time_in_windows(struct event_time *e, uint32_t key, uint32_t group, int64_t from, int64_t to)
{
	if (e->choice.windows_count == 0)
		add_time(e, key, group, from, to);
	for (unsigned w = 0; w < e->choice.windows_count; w++) {
		const struct time_window *window = &e->choice.windows[w];

		add_time(e, key, group, from > window->from_ns ? from : window->from_ns,
			 to < window->to_ns ? to : window->to_ns);
	}
}

static bool
takes(const struct event_time *e, const struct thread_time *thread, const struct event_piece *piece)
{
	return thread->always || e->choice.takes == NULL || e->choice.takes(e->choice.context, piece);
}

/* The end of a piece of time that may be decided at its beginning. */
static int64_t
cut_after(const struct event_choice *choice, int64_t from, int64_t to)
{
	for (size_t c = 0; c < choice->cuts_count; c++)
		if (choice->cuts[c] > from)
			return choice->cuts[c] < to ? choice->cuts[c] : to;
	return to;
}

static void
add_chosen_time(struct event_time *e, const struct thread_time *thread, struct event_piece *piece, int64_t to)
{
	while (piece->time < to) {
		int64_t from = piece->time, end = cut_after(&e->choice, from, to);

		if (takes(e, thread, piece))
			add_time_in_windows(e, thread->key, piece->group, from, end);
		piece->time = end;
	}
}

/* Where what happens at a moment counts, or NULL: nowhere. */
static struct event_sum *
sum_of_moment(struct event_time *e, const struct thread_time *thread, const struct event_piece *piece)
{
	bool chosen = e->choice.windows_count == 0;
	int64_t time = piece->time;
	struct event_sum *sum;

	if (!takes(e, thread, piece))
		return NULL;
	if (time == STK_TIME_UNKNOWN)
		return chosen && e->choice.step_ns == 0 ? sum_at(e, 0, thread->key, piece->group) : NULL;
	for (unsigned w = 0; w < e->choice.windows_count; w++)
		chosen |= time >= e->choice.windows[w].from_ns && time < e->choice.windows[w].to_ns;
	sum = chosen ? sum_at(e, part_of(e, time), thread->key, piece->group) : NULL;
	if (sum != NULL)
		time_range_add(&sum->has.times, time);
	return sum;
}

/* --- threads --- */

static bool
priority_wins(const struct event_time *e, uint32_t a, uint32_t b)
{
	return e->scheme->groups.at[a - 1].priority > e->scheme->groups.at[b - 1].priority;
}

/* Which of the open groups has the thread's time. */
static void
choose_winner(struct event_time *e, struct thread_time *thread)
{
	const struct open_group *open = thread->open.at;
	uint32_t most = 0, best = 0;

	thread->winner = (uint32_t)thread->open.count;
	if (thread->open.count < 2)
		return;
	array_lengthen(&e->marks, e->scheme->groups.count + 1);
	e->walk++;
	for (size_t i = 0; i < thread->open.count; i++)
		if (most == 0 || priority_wins(e, open[i].group, most))
			most = open[i].group;
	for (size_t i = 0; i < thread->open.count; i++) {
		uint32_t at = open[i].group;

		if (priority_wins(e, most, at))
			continue;
		while ((at = e->scheme->groups.at[at - 1].parent) != 0 && e->marks.at[at] != e->walk)
			e->marks.at[at] = e->walk;
	}
	for (uint32_t i = 0; i < thread->open.count; i++)
		if (!priority_wins(e, most, open[i].group) && e->marks.at[open[i].group] != e->walk &&
		    (best == 0 || e->pairs.at[open[i].top].number > e->pairs.at[open[best - 1].top].number))
			best = i + 1;
	thread->winner = best;
}

static uint32_t
winning_group(const struct thread_time *thread)
{
	return thread->winner == 0 ? 0 : thread->open.at[thread->winner - 1].group;
}

static struct event_piece
piece_of_winner(const struct event_time *e, const struct thread_time *thread, int64_t time)
{
	struct event_piece piece = {
		.scheme = e->scheme, .thread = thread->id, .time = time, .processor = thread->processor
	};

	if (thread->winner != 0) {
		const struct open_group *winner = &thread->open.at[thread->winner - 1];

		piece.group = winner->group;
		piece.stack = e->pairs.at[winner->top].stack;
		piece.name = text_table_text(&e->names, e->pairs.at[winner->top].name);
	}
	return piece;
}

/* The time since the thread's last event, of each key that it had. */
static void
add_time_until(struct event_time *e, struct thread_time *thread, int64_t now)
{
	struct event_piece piece = piece_of_winner(e, thread, thread->last);

	for (size_t i = 0; i < thread->turns.count && thread->turns.at[i].time < now; i++) {
		add_chosen_time(e, thread, &piece, thread->turns.at[i].time);
		thread->key = thread->turns.at[i].key;
	}
	add_chosen_time(e, thread, &piece, now);
}

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
		add_time_until(e, thread, now);
	thread->met = true;
	thread->last = now;
}

static struct open_group *
find_open(struct thread_time *thread, uint32_t group)
{
	for (size_t i = 0; i < thread->open.count; i++)
		if (thread->open.at[i].group == group)
			return &thread->open.at[i];
	return NULL;
}

static uint32_t
new_pair(struct event_time *e)
{
	uint32_t pair = e->free_pair;

	if (pair == 0) {
		(void)array_push(&e->pairs);
		return (uint32_t)e->pairs.count - 1;
	}
	e->free_pair = e->pairs.at[pair].below;
	return pair;
}

static void
start(struct event_time *e, struct thread_time *thread, const struct event_piece *piece, uint32_t name)
{
	struct event_sum *sum = sum_of_moment(e, thread, piece);
	struct open_group *open = find_open(thread, piece->group);
	uint32_t pair = new_pair(e);

	if (sum != NULL)
		sum->has.pairs++;
	if (open == NULL) {
		open = array_push(&thread->open);
		*open = (struct open_group){ .group = piece->group };
	}
	e->pairs.at[pair] = (struct open_pair){ ++e->started, piece->stack, open->top, name };
	open->top = pair;
	choose_winner(e, thread);
}

static void
stop(struct event_time *e, struct thread_time *thread, uint32_t group)
{
	struct open_group *open = find_open(thread, group);
	uint32_t pair;

	if (open == NULL) {
		e->odd.unstarted++;
		return;
	}
	pair = open->top;
	for (size_t i = 0; i < thread->open.count; i++)
		if (e->pairs.at[thread->open.at[i].top].number > e->pairs.at[pair].number) {
			e->odd.overlapping++;
			break;
		}
	open->top = e->pairs.at[pair].below;
	e->pairs.at[pair].below = e->free_pair;
	e->free_pair = pair;
	if (open->top == 0)
		*open = thread->open.at[--thread->open.count];
	choose_winner(e, thread);
}

/* What the name of an event means, and to how many groups. An event that is marked as a start does not count as a
 * stop. */
static unsigned
apply(struct event_time *e, struct thread_time *thread, const struct stk_event *event, const struct named *named,
      uint32_t name)
{
	struct event_piece piece = {
		.scheme = e->scheme, .thread = thread->id, .stack = event->stack, .time = event->time,
		.processor = thread->processor, .name = event->name
	};
	unsigned meant = 0;

	for (uint32_t m = 0; m < named->count; m++) {
		const struct meaning *meaning = &e->meanings.at[e->meant.at[named->from + m]];
		struct event_sum *sum;

		if ((event->happening == STK_HAPPENING_START && meaning->edge == EDGE_STOP) ||
		    (event->happening == STK_HAPPENING_STOP && meaning->edge == EDGE_START))
			continue;
		meant++;
		piece.group = meaning->group;
		if (meaning->edge == EDGE_START)
			start(e, thread, &piece, name);
		else if (meaning->edge == EDGE_STOP)
			stop(e, thread, meaning->group);
		else if ((sum = sum_of_moment(e, thread, &piece)) != NULL)
			sum->has.points++;
	}
	return meant;
}

static uint32_t
measure_of(struct event_time *e, struct stk_text name, struct stk_text unit)
{
	e->measure.count = 0;
	add_text(&e->measure, name);
	add_char(&e->measure, '\0');
	add_text(&e->measure, unit);
	return text_table_number(&e->measures, text_in(&e->measure, 0));
}

static void
add_measure(struct event_time *e, struct event_sum *sum, struct stk_text name, struct stk_text unit, double value)
{
	struct group_events *has = &sum->has;

	if (!payload_sums_add(&e->payloads, (uint32_t)(sum - e->sums.at), &has->payloads, measure_of(e, name, unit),
			      value))
		e->odd.beyond++;
	has->payload = has->payloads == 0 ? 0
		       : e->payloads.sums.at[has->payloads - 1].next != 0 ? NAN
									  : e->payloads.sums.at[has->payloads - 1].sum;
}

/* Everything that an event measured. */
static void
add_payload(struct event_time *e, const struct thread_time *thread, uint32_t group, const struct stk_event *event)
{
	struct event_piece piece = {
		.scheme = e->scheme, .thread = thread->id, .stack = event->stack, .time = event->time,
		.processor = thread->processor, .group = group, .name = event->name
	};
	struct event_sum *sum = sum_of_moment(e, thread, &piece);
	struct stk_text rest = event->values;
	struct event_value measured;

	if (sum == NULL)
		return;
	if (event->value > 0 || event->value < 0)
		add_measure(e, sum, event->name, text_of("", 0), event->value);
	while (event_value_next(&rest, &measured))
		add_measure(e, sum, measured.name, measured.unit, measured.value);
}

static void
note_change(struct event_time *e, struct thread_time *thread)
{
	const struct open_group *winner = thread->winner == 0 ? NULL : &thread->open.at[thread->winner - 1];
	const struct open_pair *pair = winner == NULL ? NULL : &e->pairs.at[winner->top];
	uint64_t number = pair == NULL ? 0 : pair->number;

	if (!e->choice.keeps_changes || !thread->met ||
	    (thread->noted && thread->was == number && thread->was_out == thread->out &&
	     thread->was_on == thread->processor))
		return;
	thread->noted = true;
	thread->was = number;
	thread->was_out = thread->out;
	thread->was_on = thread->processor;
	*array_push(&e->changes) = (struct change){
		.thread = thread->id, .number = e->changes.count, .time = thread->last, .out = thread->out,
		.processor = thread->processor,
		.group = winner == NULL ? 0 : winner->group, .stack = pair == NULL ? 0 : pair->stack,
		.name = pair == NULL ? 0 : pair->name
	};
}

static void
take(struct event_time *e, struct thread_time *thread, const struct event_place *of, const struct stk_event *event)
{
	const struct named *named;
	uint64_t started = e->started;
	uint32_t inside, name;

	pass(e, thread, event->time);
	thread->turns.count = 0;	/* the key is the event's */
	thread->processor = of->processor;
	thread->key = of->key_after;
	if (event->happening == STK_HAPPENING_SWITCH_OUT || event->happening == STK_HAPPENING_SWITCH_IN) {
		thread->out = event->happening == STK_HAPPENING_SWITCH_OUT;
		return;
	}
	thread->key = of->key;
	inside = winning_group(thread);
	named = named_of(e, event->name, &name);
	if (apply(e, thread, event, named, name) == 0 && inside == 0 && of->stack_group == 0)
		e->odd.unknown++;
	if (e->started > started)
		inside = winning_group(thread);
	if (event->value > 0 || event->value < 0 || event->values.size > 0)
		add_payload(e, thread, inside != 0 ? inside : named->point != 0 ? named->point : of->stack_group,
			    event);
	thread->key = of->key_after;
}

void
event_time_take(struct event_time *e, const struct event_place *of, const struct stk_event *event)
{
	struct thread_time *thread = id_table_at(&e->threads, of->thread);

	if (event->time != STK_TIME_UNKNOWN)
		time_range_add(&e->times, event->time);
	thread->id = of->thread;
	thread->always = of->always;
	take(e, thread, of, event);
	note_change(e, thread);
}

void
event_time_rename(struct event_time *e, uint64_t id, uint64_t as, int64_t time)
{
	struct thread_time *old = id_table_find(&e->threads, id), *new;

	if (old == NULL || !old->met || time < old->last)
		return;
	pass(e, old, time);
	new = id_table_at(&e->threads, as);
	if (new->open.count > 0)
		return;
	release_thread(new);
	*new = (struct thread_time){
		.id = as, .last = time, .processor = old->processor, .key = old->key, .met = true, .out = old->out,
		.always = old->always, .winner = old->winner
	};
	new->open = old->open;
	array_release(&old->turns);
	*old = (struct thread_time){ .id = id, .last = time, .processor = old->processor, .met = true, .out = true };
	note_change(e, old);
	old->met = false;
}

void
event_time_turn_key(struct event_time *e, uint64_t id, uint32_t key, int64_t time)
{
	struct thread_time *thread = id_table_find(&e->threads, id);

	if (thread == NULL)
		return;
	if (time != STK_TIME_UNKNOWN && time > thread->last)
		*array_push(&thread->turns) = (struct key_turn){ time, key };
	else
		thread->key = key;
}

/* --- samples --- */

static int
compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* What a moment is inside of, after a change. */
static uint32_t
inside_of(const struct event_time *e, const struct change *change, const struct event_moment *moment)
{
	const struct thread_time *thread = id_table_find(&e->threads, change->thread);
	const struct event_piece piece = {
		.scheme = e->scheme, .thread = change->thread, .stack = change->stack, .time = moment->time,
		.processor = change->processor, .group = change->group,
		.name = change->name == 0 ? text_of("", 0) : text_table_text(&e->names, change->name)
	};

	if (change->out || (thread != NULL && !takes(e, thread, &piece)))
		return INSIDE_NOTHING;
	return change->group == 0 ? INSIDE_GAP : INSIDE_PAIR + change->group;
}

void
event_time_inside(struct event_time *e, const struct event_moment *moments, size_t count, uint32_t *inside)
{
	struct id_table present = { .size = sizeof(uint32_t) };		/* places in changes, from 1 */
	size_t c = 0;

	if (e->changes.count > 1)
		qsort(e->changes.at, e->changes.count, sizeof *e->changes.at, compare_changes);
	for (size_t i = 0; i < count; i++) {
		const uint32_t *place;

		for (; c < e->changes.count && e->changes.at[c].time <= moments[i].time; c++)
			*(uint32_t *)id_table_at(&present, e->changes.at[c].thread) = (uint32_t)c + 1;
		place = moments[i].time == STK_TIME_UNKNOWN || moments[i].time >= moments[i].last
				? NULL : id_table_find(&present, moments[i].thread);
		inside[i] = place == NULL ? INSIDE_NOTHING : inside_of(e, &e->changes.at[*place - 1], &moments[i]);
	}
	id_table_clear(&present);
}

size_t
event_time_changes(const struct event_time *e, struct event_change **out)
{
	*out = mem_new(e->changes.count + 1, sizeof **out);
	for (size_t i = 0; i < e->changes.count; i++) {
		const struct change *c = &e->changes.at[i];

		(*out)[i] = (struct event_change){ c->thread, c->number, c->time, c->group, c->out };
	}
	return e->changes.count;
}

/* --- parts --- */

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

static void
forget_changes(struct event_time *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->changes.count; i++)
		if (e->changes.at[i].thread >= EVENT_THREADS_KEPT)
			e->changes.at[kept++] = e->changes.at[i];
	e->changes.count = kept;
}

void
event_time_turn(struct event_time *e)
{
	uint64_t id;

	for (struct thread_time *thread = first_thread(e, &id); thread != NULL; thread = next_thread(e, &id)) {
		for (size_t i = 0; i < thread->open.count; i++)
			for (uint32_t p = thread->open.at[i].top; p != 0; p = e->pairs.at[p].below)
				e->odd.unstopped++;
		release_thread(thread);
	}
	id_table_clear(&e->threads);
	forget_changes(e);
	e->pairs.count = 1;
	e->free_pair = 0;
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
	static const struct group_events nothing = { .times = { STK_TIME_UNKNOWN, STK_TIME_UNKNOWN } };
	const struct event_sum *sum = find_sum(e, part, key, group);

	return sum == NULL ? &nothing : &sum->has;
}

void
event_time_payload(const struct event_time *e, uint32_t number, struct group_payload *out)
{
	const struct payload_sum *sum = &e->payloads.sums.at[number - 1];
	struct stk_text measure = text_table_text(&e->measures, sum->name);
	size_t name = (size_t)((const char *)memchr(measure.data, '\0', measure.size) - measure.data);

	*out = (struct group_payload){
		.name = text_of(measure.data, name),
		.unit = text_of(measure.data + name + 1, measure.size - name - 1),
		.count = sum->count, .sum = sum->sum, .least = sum->least, .most = sum->most, .next = sum->next,
		.median = payload_sums_quantile(&e->payloads, number, 0.5),
		.p99 = payload_sums_quantile(&e->payloads, number, 0.99)
	};
}

double
event_time_seconds(const struct event_time *e, const struct time_window *window)
{
	int64_t from = e->times.from_ns, to = e->times.to_ns;

	if (from == STK_TIME_UNKNOWN || to == STK_TIME_UNKNOWN)
		return 0;
	if (window != NULL) {
		from = from > window->from_ns ? from : window->from_ns;
		to = to < window->to_ns ? to : window->to_ns;
	}
	return to > from ? (double)time_difference(from, to) / 1e9 : 0;
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
