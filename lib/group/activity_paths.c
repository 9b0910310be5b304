/* SPDX-License-Identifier: MIT
 * activity_paths: spans of activities from the changes of threads; their paths, cut where a thread's pairs change. */
#include "group/activity_paths.h"

#include "base/memory.h"

#include <stdlib.h>

struct span { uint64_t activity; struct work_span work; };

/* The changes of each thread in the order of time, one thread after the other. */
struct thread_changes { struct event_change *at; size_t count; };

struct builder {
	struct activity_paths *to;
	const struct scheme_set *set;
	ARRAY(struct span) spans;
	ARRAY(struct work_span) work;		/* of one activity */
	struct path_pieces pieces;
	struct thread_changes changes[SCHEMES_MOST];
	struct id_table switched;		/* threads that are ever out: 1 */
	thread_facts_function *facts;
	void *context;
};

/* --- spans --- */

struct present { uint64_t activity; int64_t since; };

static void
end_span(struct builder *b, uint64_t thread, const struct present *present, int64_t to)
{
	if (present->activity != 0 && present->since < to)
		*array_push(&b->spans) = (struct span){ present->activity, { present->since, to, thread } };
}

static int
compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->activity != y->activity)
		return x->activity < y->activity ? -1 : 1;
	if (x->work.from != y->work.from)
		return x->work.from < y->work.from ? -1 : 1;
	if (x->work.to != y->work.to)		/* the longer one is around the other */
		return x->work.to > y->work.to ? -1 : 1;
	return x->work.thread < y->work.thread ? -1 : x->work.thread > y->work.thread;
}

static void
end_open_spans(struct builder *b, struct id_table *threads)
{
	uint64_t thread = 0;

	for (bool more = id_table_next(threads, 0, &thread); more; more = id_table_next(threads, thread + 1, &thread)) {
		const struct present *present = id_table_find(threads, thread);
		int64_t last = INT64_MIN;

		if (present->activity == 0)
			continue;
		(void)b->facts(b->context, thread, &last);
		end_span(b, thread, present, last);
		b->to->unended++;
	}
}

static void
find_spans(struct builder *b, struct activities *activities)
{
	struct id_table threads = { .size = sizeof(struct present) };
	size_t count;
	const struct activity_change *changes = activities_changes(activities, &count);

	for (size_t i = 0; i < count; i++) {
		struct present *present = id_table_at(&threads, changes[i].thread);

		end_span(b, changes[i].thread, present, changes[i].time);
		*present = (struct present){ changes[i].activity, changes[i].time };
	}
	end_open_spans(b, &threads);
	id_table_clear(&threads);
	if (b->spans.count > 1)
		qsort(b->spans.at, b->spans.count, sizeof *b->spans.at, compare_spans);
}

/* --- changes of groups --- */

static int
compare_changes(const void *a, const void *b)
{
	const struct event_change *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void
copy_changes(struct builder *b, unsigned scheme)
{
	struct thread_changes *to = &b->changes[scheme];

	to->count = event_time_changes(grouping_events(b->set->groupings[scheme]), &to->at);
	if (to->count > 1)
		qsort(to->at, to->count, sizeof *to->at, compare_changes);
	b->switched.size = 1;
	for (size_t i = 0; i < to->count; i++)
		if (to->at[i].out)
			*(unsigned char *)id_table_at(&b->switched, to->at[i].thread) = 1;
}

/* The first change of a thread after a time; count when there is none. */
static size_t
first_after(const struct thread_changes *changes, uint64_t thread, int64_t time)
{
	size_t low = 0, high = changes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct event_change *c = &changes->at[middle];

		if (c->thread < thread || (c->thread == thread && c->time <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last one before that, if it is of the thread. */
static const struct event_change *
change_at(const struct thread_changes *changes, uint64_t thread, int64_t time)
{
	size_t after = first_after(changes, thread, time);

	return after > 0 && changes->at[after - 1].thread == thread ? &changes->at[after - 1] : NULL;
}

/* A thread whose switches are known waited only for what ended while it was out, or woke it. */
static bool
may_wait(void *context, uint64_t thread, int64_t time)
{
	const struct builder *b = context;
	const struct event_change *now, *before;

	if (b->set->count == 0 || id_table_find(&b->switched, thread) == NULL)
		return true;
	now = change_at(&b->changes[0], thread, time);
	before = change_at(&b->changes[0], thread, time - 1);
	return (now != NULL && now->out) || (before != NULL && before->out);
}

/* --- parts --- */

static void
add_part(struct builder *b, size_t first, const struct path_part *part)
{
	size_t count = b->to->parts.count;
	struct path_part *last = count > first ? &b->to->parts.at[count - 1] : NULL;

	if (part->from >= part->to)
		return;
	if (last != NULL && last->scheme == part->scheme && last->to == part->from && last->key == part->key &&
	    last->group == part->group && last->nobody == part->nobody && last->out == part->out)
		last->to = part->to;
	else
		*array_push(&b->to->parts) = *part;
}

/* A piece of the path, cut where another group has the time. */
static void
add_piece(struct builder *b, size_t first, unsigned scheme, const struct path_piece *piece)
{
	const struct thread_changes *changes = &b->changes[scheme];
	uint64_t thread = piece->span == 0 ? 0 : b->work.at[piece->span - 1].thread;
	const struct event_change *at;
	struct path_part part = { .from = piece->from, .to = piece->to, .scheme = scheme, .nobody = piece->span == 0 };
	int64_t last;

	if (part.nobody) {
		add_part(b, first, &part);
		return;
	}
	part.key = b->facts(b->context, thread, &last);
	at = change_at(changes, thread, piece->from);
	for (size_t next = first_after(changes, thread, piece->from);; next++) {
		bool ends = next == changes->count || changes->at[next].thread != thread ||
			    changes->at[next].time >= piece->to;

		part.group = at == NULL || at->out ? 0 : at->group;
		part.out = at != NULL && at->out;
		part.to = ends ? piece->to : changes->at[next].time;
		add_part(b, first, &part);
		if (ends)
			return;
		part.from = part.to;
		at = &changes->at[next];
	}
}

static void
add_activity(struct builder *b, size_t span, size_t end)
{
	struct activity_path path = { .activity = b->spans.at[span].activity, .first = b->to->parts.count };

	b->work.count = 0;
	for (size_t i = span; i < end; i++)
		*array_push(&b->work) = b->spans.at[i].work;
	critical_path(b->work.at, (uint32_t)b->work.count, may_wait, b, &b->pieces);
	for (unsigned scheme = 0; scheme < b->set->count; scheme++)
		for (size_t i = 0; i < b->pieces.list.count; i++)
			add_piece(b, path.first, scheme, &b->pieces.list.at[i]);
	path.from = b->pieces.list.at[0].from;
	path.to = b->pieces.list.at[b->pieces.list.count - 1].to;
	path.count = b->to->parts.count - path.first;
	*array_push(&b->to->list) = path;
}

void
activity_paths_add(struct activity_paths *to, struct activities *activities, const struct scheme_set *set,
		   thread_facts_function *facts, void *context)
{
	struct builder b = { .to = to, .set = set, .facts = facts, .context = context };
	size_t activities_met = 0;

	find_spans(&b, activities);
	for (unsigned scheme = 0; scheme < set->count; scheme++)
		copy_changes(&b, scheme);
	for (size_t i = 0, end; i < b.spans.count; i = end, activities_met++) {
		for (end = i + 1; end < b.spans.count && b.spans.at[end].activity == b.spans.at[i].activity; end++)
			;
		add_activity(&b, i, end);
	}
	to->instant += activities->openers.count - activities_met;
	for (unsigned scheme = 0; scheme < set->count; scheme++)
		free(b.changes[scheme].at);
	id_table_clear(&b.switched);
	array_release(&b.spans);
	array_release(&b.work);
	array_release(&b.pieces.list);
}

void
activity_paths_release(struct activity_paths *paths)
{
	array_release(&paths->list);
	array_release(&paths->parts);
}
