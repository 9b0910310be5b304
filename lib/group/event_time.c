/* SPDX-License-Identifier: MIT
 * event_time: a stack of open pairs for each thread. */
#include "group/event_time.h"

#include "base/bytes.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/time_math.h"

#include <stdlib.h>

enum edge { EDGE_START, EDGE_STOP, EDGE_POINT };

struct meaning { uint32_t pattern, group; enum edge edge; };

struct thread_time { ARRAY(uint32_t) open; int64_t last; bool met, out; };

struct event_time {
	struct scheme *scheme;
	ARRAY(struct meaning) meanings;
	struct id_table threads;		/* struct thread_time */
	ARRAY(struct group_events) groups;
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
	array_lengthen(&e->groups, scheme->groups.count + 1);
	for (uint32_t g = 0; g < scheme->groups.count; g++) {
		add_meaning(e, scheme->groups.at[g].start, g + 1, EDGE_START);
		add_meaning(e, scheme->groups.at[g].stop, g + 1, EDGE_STOP);
		add_meaning(e, scheme->groups.at[g].point, g + 1, EDGE_POINT);
	}
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
	array_release(&e->groups);
	array_release(&e->set.list);
	free(e);
}

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
		e->groups.at[innermost(thread)].ns = time_sum(e->groups.at[innermost(thread)].ns, now - thread->last);
	thread->met = true;
	thread->last = now;
}

static void
start(struct event_time *e, struct thread_time *thread, uint32_t group)
{
	e->groups.at[group].pairs++;
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
				start(e, thread, meaning->group);
			else if (meaning->edge == EDGE_STOP)
				stop(e, thread, meaning->group);
			else
				e->groups.at[meaning->group].points++;
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
event_time_take(struct event_time *e, uint64_t number, const struct stk_event *event, uint32_t stack_group)
{
	struct thread_time *thread = id_table_at(&e->threads, number);
	uint32_t inside;

	pass(e, thread, event->time);
	if (event->happening == STK_HAPPENING_SWITCH_OUT || event->happening == STK_HAPPENING_SWITCH_IN) {
		thread->out = event->happening == STK_HAPPENING_SWITCH_OUT;
		return;
	}
	inside = innermost(thread);
	if (apply(e, thread, event) == 0 && inside == 0 && stack_group == 0)
		e->odd.unknown++;
	if (event->value > 0 || event->value < 0) {
		uint32_t own = point_group(e);

		e->groups.at[inside != 0 ? inside : own != 0 ? own : stack_group].payload += event->value;
	}
}

void
event_time_end(struct event_time *e)
{
	uint64_t id;

	for (struct thread_time *thread = first_thread(e, &id); thread != NULL; thread = next_thread(e, &id)) {
		e->odd.unstopped += thread->open.count;
		thread->open.count = 0;
	}
}

const struct group_events *
event_time_of(const struct event_time *e, uint32_t group)
{
	return &e->groups.at[group];
}

struct event_oddities
event_time_oddities(const struct event_time *e)
{
	return e->odd;
}
