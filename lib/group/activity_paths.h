/* SPDX-License-Identifier: MIT
 * activity_paths: the critical path of each activity over its threads, and which group had the time on it. */
#ifndef GROUP_ACTIVITY_PATHS_H
#define GROUP_ACTIVITY_PATHS_H

#include "group/activities.h"
#include "group/critical_path.h"
#include "group/scheme_set.h"

/* A part of a path on one thread in which one group of a scheme has the time. group 0: none. */
struct path_part {
	int64_t from, to;
	uint32_t key;			/* of the thread */
	uint32_t group;
	uint32_t scheme;		/* its place in the set */
	bool nobody, out;		/* the activity was on no thread; the thread was switched out */
};

/* parts: of one scheme after the other, each in the order of time. */
struct activity_path { uint64_t activity; int64_t from, to; size_t first, count; };

struct activity_paths {			/* a zeroed struct has none */
	ARRAY(struct activity_path) list;
	ARRAY(struct path_part) parts;
	uint64_t unended;		/* open on a thread after its last event, up to which they count */
	uint64_t instant;		/* activities without any time */
};

/* Key and last event of a thread. */
typedef uint32_t thread_facts_function(void *context, uint64_t thread, int64_t *last);

/* All activities of a stream, after its last event. The set's groupings keep changes of their events. */
void activity_paths_add(struct activity_paths *to, struct activities *activities, const struct scheme_set *set,
			thread_facts_function *facts, void *context);
void activity_paths_release(struct activity_paths *paths);

#endif
