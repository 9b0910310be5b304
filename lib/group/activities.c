/* SPDX-License-Identifier: MIT
 * activities: a stack of open ones for each thread, and for each activity the thread that opened it last. */
#include "group/activities.h"

#include "base/text_table.h"	/* hash_pair */

#include <stdlib.h>

struct activity_thread { ARRAY(uint64_t) open; };

static struct activity_thread *
thread_at(struct activities *a, uint64_t id)
{
	a->threads.size = sizeof(struct activity_thread);
	return id_table_at(&a->threads, id);
}

static uint64_t
present(const struct activity_thread *thread)
{
	return thread->open.count == 0 ? 0 : thread->open.at[thread->open.count - 1];
}

static struct activity_opener *
opener_of(const struct activities *a, uint64_t activity)
{
	uint64_t hash = hash_pair(activity, 0);
	uint32_t at = hash_map_start(&a->opener_map, hash), place;

	while ((place = hash_map_next(&a->opener_map, hash, &at)) != 0)
		if (a->openers.at[place - 1].activity == activity)
			return &a->openers.at[place - 1];
	return NULL;
}

static void
note_change(struct activities *a, uint64_t thread, uint64_t before, uint64_t after, int64_t time)
{
	if (before != after && time != STK_TIME_UNKNOWN)
		*array_push(&a->changes) = (struct activity_change){ thread, after, time };
}

static void
open_activity(struct activities *a, uint64_t id, struct activity_thread *thread, uint64_t activity)
{
	struct activity_opener *opener = opener_of(a, activity);

	if (thread->open.count == ACTIVITIES_OPEN) {
		a->forgotten++;
		memmove(thread->open.at, thread->open.at + 1, --thread->open.count * sizeof *thread->open.at);
	}
	*array_push(&thread->open) = activity;
	if (opener == NULL) {
		opener = array_push(&a->openers);
		opener->activity = activity;
		hash_map_put(&a->opener_map, hash_pair(activity, 0), (uint32_t)a->openers.count);
	}
	opener->thread = id;
}

static bool
close_activity(struct activity_thread *thread, uint64_t activity)
{
	for (size_t i = thread->open.count; i-- > 0; )
		if (thread->open.at[i] == activity) {
			memmove(thread->open.at + i, thread->open.at + i + 1,
				(thread->open.count - i - 1) * sizeof *thread->open.at);
			thread->open.count--;
			return true;
		}
	return false;
}

/* On the thread that opened it last. */
static void
close_elsewhere(struct activities *a, uint64_t id, const struct stk_event *event, struct activity_step *step)
{
	const struct activity_opener *opener = opener_of(a, event->activity);
	struct activity_thread *other = opener == NULL || opener->thread == id ? NULL : thread_at(a, opener->thread);
	uint64_t before = other == NULL ? 0 : present(other);

	if (other == NULL || !close_activity(other, event->activity)) {
		a->unstarted++;
		return;
	}
	step->other = opener->thread;
	step->other_after = present(other);
	note_change(a, step->other, before, step->other_after, event->time);
}

struct activity_step
activities_take(struct activities *a, uint64_t id, const struct stk_event *event)
{
	struct activity_thread *thread = thread_at(a, id);
	uint64_t before = present(thread);
	struct activity_step step = { .own = event->activity != 0 ? event->activity : before, .other = id };

	if (event->activity != 0 && event->happening == STK_HAPPENING_START)
		open_activity(a, id, thread, event->activity);
	else if (event->activity != 0 && event->happening == STK_HAPPENING_STOP &&
		 !close_activity(thread, event->activity))
		close_elsewhere(a, id, event, &step);
	step.after = present(thread);
	note_change(a, id, before, step.after, event->time);
	return step;
}

static int
compare_changes(const void *a, const void *b)
{
	const struct activity_change *x = *(const struct activity_change *const *)a,
				     *y = *(const struct activity_change *const *)b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x < y ? -1 : x > y;
}

const struct activity_change *
activities_changes(struct activities *a, size_t *count)
{
	const struct activity_change **order = mem_new(a->changes.count + 1, sizeof *order);
	struct activity_change *sorted = mem_new(a->changes.count + 1, sizeof *sorted);

	for (size_t i = 0; i < a->changes.count; i++)
		order[i] = &a->changes.at[i];
	if (a->changes.count > 1)
		qsort(order, a->changes.count, sizeof *order, compare_changes);
	for (size_t i = 0; i < a->changes.count; i++)
		sorted[i] = *order[i];
	free(order);
	free(a->changes.at);
	a->changes.at = sorted;
	a->changes.room = a->changes.count + 1;
	*count = a->changes.count;
	return a->changes.at;
}

void
activities_clear(struct activities *a)
{
	uint64_t id = 0;

	for (bool more = id_table_next(&a->threads, 0, &id); more;
	     more = id < UINT64_MAX && id_table_next(&a->threads, id + 1, &id)) {
		struct activity_thread *thread = id_table_find(&a->threads, id);

		array_release(&thread->open);
	}
	id_table_clear(&a->threads);
	hash_map_clear(&a->opener_map);
	a->openers.count = 0;
	a->changes.count = 0;
}

void
activities_release(struct activities *a)
{
	activities_clear(a);
	array_release(&a->openers);
	hash_map_release(&a->opener_map);
	array_release(&a->changes);
}
