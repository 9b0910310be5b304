/* SPDX-License-Identifier: MIT
 * thread_names: finds the thread of events that a sample's thread is, where both have other ids since they came from
 * different files: of the same source, host and name, and of the same process or of events without one. What is not
 * unique is not found, and not known to be another thread than those of events. */
#ifndef GROUP_THREAD_NAMES_H
#define GROUP_THREAD_NAMES_H

#include "base/array.h"
#include "base/id_table.h"
#include "base/text_buffer.h"
#include "base/text_table.h"
#include "model/model.h"

struct named_threads { uint64_t events, samples; bool many_events, many_samples; };	/* ids; 0: none met */

struct thread_names {			/* a zeroed struct has none */
	struct text_table texts;
	ARRAY(struct named_threads) named;	/* by number of the text */
	struct id_table met;		/* a byte by thread: 1 of events, 2 of samples */
	struct text_buffer scratch;
};

void thread_names_meet(struct thread_names *names, const struct model *model, uint64_t thread, bool of_sample);
/* When all were met: the thread of events, or 0. *other: of 0, whether it is surely another thread than those of
 * events. */
uint64_t thread_names_find(struct thread_names *names, const struct model *model, uint64_t thread, bool *other);
void thread_names_clear(struct thread_names *names);
void thread_names_release(struct thread_names *names);

#endif
