/* SPDX-License-Identifier: MIT
 * activities: which piece of work each thread is in. An event that starts an activity opens it on its thread, one that
 * stops it closes it: there, or where it was opened last. A thread is in the activity that it opened last. */
#ifndef GROUP_ACTIVITIES_H
#define GROUP_ACTIVITIES_H

#include "base/array.h"
#include "base/hash_map.h"
#include "base/id_table.h"
#include "stkpipe/rows.h"

#include <stdbool.h>

struct activity_opener { uint64_t activity, thread; };

/* From a time on. */
struct activity_change { uint64_t thread, activity; int64_t time; };

#define ACTIVITIES_OPEN 4096		/* on a thread: of more, the first is forgotten */

struct activities {			/* a zeroed struct has none */
	struct id_table threads;	/* struct activity_thread */
	ARRAY(struct activity_opener) openers;
	struct hash_map opener_map;	/* to places in openers, from 1 */
	ARRAY(struct activity_change) changes;
	uint64_t unstarted, forgotten;	/* stops of what nobody opened; openings that were too many */
};

/* own: the activity of the event, or of the thread before it; after: of the thread. Where it was closed on another
 * thread: which, and the activity that that one is in; else other is `thread`. */
struct activity_step { uint64_t own, after, other, other_after; };

/* The next event, in the order of time. */
struct activity_step activities_take(struct activities *activities, uint64_t thread, const struct stk_event *event);
/* All changes so far, in the order of time. */
const struct activity_change *activities_changes(struct activities *activities, size_t *count);
/* Threads and activities are others from now on. */
void activities_clear(struct activities *activities);
void activities_release(struct activities *activities);

#endif
