/* SPDX-License-Identifier: MIT
 * known_threads: sorted once a dump, and then searched. */
#include "known_threads.h"

#include <stdlib.h>

#define THREADS_MAX 65536u	/* more keep the names that the system has */

void
known_threads_begin(struct known_threads *known)
{
	known->list.count = 0;
	known->names.count = 0;
}

void
known_threads_add(struct known_threads *known, const struct found_sample *sample)
{
	if (sample->tid == 0 || known->list.count == THREADS_MAX)
		return;
	*array_push(&known->list) = (struct known_thread){ .tid = sample->tid,
							   .handle = sample->handle,
							   .number = sample->number,
							   .priority = sample->priority,
							   .os_priority = sample->os_priority,
							   .role = sample->role,
							   .name_at = known->names.count,
							   .name_size = sample->name.size };
	add_text(&known->names, sample->name);
}

static int
compare_tids(const void *a, const void *b)
{
	const struct known_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

void
known_threads_end(struct known_threads *known)
{
	if (known->list.count > 1)
		qsort(known->list.at, known->list.count, sizeof *known->list.at, compare_tids);
}

void
known_threads_release(struct known_threads *known)
{
	array_release(&known->list);
	array_release(&known->names);
}

void
known_threads_complete(const struct known_threads *known, uint64_t tid, struct found_sample *sample)
{
	const struct known_thread key = { .tid = tid };
	const struct known_thread *found =
		known->list.count == 0 ? NULL
				       : bsearch(&key, known->list.at, known->list.count, sizeof key, compare_tids);

	if (found == NULL)
		return;
	sample->name = text_of(known->names.at + found->name_at, found->name_size);
	sample->tid = tid;
	sample->handle = found->handle;
	sample->number = found->number;
	sample->priority = found->priority;
	sample->os_priority = found->os_priority;
	sample->role = found->role;
}
