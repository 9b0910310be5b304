/* SPDX-License-Identifier: MIT
 * known_threads: what the last dump of a process says of its threads, by the numbers that the system gives them. The
 * system's own names are cut, or all the same; with those of the dump a thread is one thread in dumps and ticks. */
#ifndef STKCAP_KNOWN_THREADS_H
#define STKCAP_KNOWN_THREADS_H

#include "base/text_buffer.h"
#include "ingest/ingest.h"

struct known_thread {
	uint64_t tid, handle, number;
	int32_t priority, os_priority;
	enum stk_role role;
	size_t name_at, name_size;	/* in the names */
};

struct known_threads {
	ARRAY(struct known_thread) list;
	struct text_buffer names;
};

/* A dump begins, has this thread, and ends. */
void known_threads_begin(struct known_threads *known);
void known_threads_add(struct known_threads *known, const struct found_sample *sample);
void known_threads_end(struct known_threads *known);
void known_threads_release(struct known_threads *known);

/* Gives a sample the name and numbers of the thread that has this tid in the last dump, if one has. */
void known_threads_complete(const struct known_threads *known, uint64_t tid, struct found_sample *sample);

#endif
