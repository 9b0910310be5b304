/* SPDX-License-Identifier: MIT
 * thread_renames: threads by the system's numbers within a source. */
#include "group/thread_renames.h"

#include "base/bytes.h"
#include "base/text_table.h"
#include "base/time_math.h"

#define RENAMES_NEVER UINT32_MAX
/* Numbers go round: in a second one comes back only when all others, 32,768 at least, were given. */
#define SAME_THREAD_NS INT64_C(1000000000)

static uint32_t
find_place(struct thread_renames *r, const struct stk_thread *row)
{
	uint64_t hash = hash_pair(row->source, row->tid);
	uint32_t at = hash_map_start(&r->map, hash), place;

	while ((place = hash_map_next(&r->map, hash, &at)) != 0)
		if (r->numbered.at[place - 1].source == row->source && r->numbered.at[place - 1].tid == row->tid)
			return place;
	*array_push(&r->numbered) = (struct numbered_thread){ .source = row->source, .tid = row->tid };
	hash_map_put(&r->map, hash, (uint32_t)r->numbered.count);
	return (uint32_t)r->numbered.count;
}

/* NULL: it has no number of the system, or one of a VM beside it, which other threads do not have. */
static struct numbered_thread *
numbered_of(struct thread_renames *r, const struct model *model, uint64_t thread)
{
	uint32_t *place;

	r->places.size = sizeof *place;
	place = id_table_at(&r->places, thread);
	if (*place == 0) {
		struct stk_thread row = model_thread(model, thread);

		*place = row.tid == 0 || row.number != 0 || row.handle != 0 ? RENAMES_NEVER : find_place(r, &row);
	}
	return *place == RENAMES_NEVER ? NULL : &r->numbered.at[*place - 1];
}

uint64_t
thread_renames_take(struct thread_renames *r, const struct model *model, uint64_t thread, const struct stk_event *event)
{
	struct numbered_thread *numbered = numbered_of(r, model, thread);
	uint64_t was;

	if (numbered == NULL || event->time == STK_TIME_UNKNOWN)
		return 0;
	was = numbered->thread == thread ? 0 : numbered->thread;
	if (was != 0 && time_difference(numbered->last, event->time) > SAME_THREAD_NS &&
	    !text_ends(event->name, "sched_process_exec"))
		was = 0;
	numbered->thread = thread;
	numbered->last = event->time;
	return was;
}

void
thread_renames_clear(struct thread_renames *r)
{
	id_table_clear(&r->places);
	r->numbered.count = 0;
	hash_map_clear(&r->map);
}

void
thread_renames_release(struct thread_renames *r)
{
	id_table_clear(&r->places);
	array_release(&r->numbered);
	hash_map_release(&r->map);
}
