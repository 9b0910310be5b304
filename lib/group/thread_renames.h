/* SPDX-License-Identifier: MIT
 * thread_renames: finds the thread that an event's thread was before it had its name, as threads are known by their
 * names and numbers: sh becomes sleep by exec, a thread of a pool names itself. The system gives a number to another
 * thread when its owner ended, but not at once. */
#ifndef GROUP_THREAD_RENAMES_H
#define GROUP_THREAD_RENAMES_H

#include "base/array.h"
#include "base/hash_map.h"
#include "base/id_table.h"
#include "model/model.h"

struct numbered_thread { uint64_t source, tid, thread; int64_t last; };	/* thread: of the last event */

struct thread_renames {			/* a zeroed struct has none */
	struct id_table places;		/* by thread: in numbered, from 1; RENAMES_NEVER: it has no number */
	ARRAY(struct numbered_thread) numbered;
	struct hash_map map;		/* to places in numbered, from 1 */
};

/* The next event of all threads, in the order of time: what its thread was at the event before with its number, or 0:
 * the same, or another thread. */
uint64_t thread_renames_take(struct thread_renames *renames, const struct model *model, uint64_t thread,
			     const struct stk_event *event);
void thread_renames_clear(struct thread_renames *renames);
void thread_renames_release(struct thread_renames *renames);

#endif
