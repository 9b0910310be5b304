/* SPDX-License-Identifier: MIT
 * watched_threads: threads that stay in one busy place for long are stuck. Where each thread was is kept in the set by
 * hashes of texts, because ids of threads and stacks are those of one stream. */
#ifndef TREND_WATCHED_THREADS_H
#define TREND_WATCHED_THREADS_H

#include "choose/selection.h"
#include "model/model.h"
#include "trend/series_set.h"

struct watched_threads;

/* All are borrowed. */
void watched_threads_open(struct watched_threads **out, struct series_set *set, struct model *model,
			  struct selection *selection);
void watched_threads_close(struct watched_threads *threads);		/* NULL does nothing */

/* A sample of a dump. */
void watched_threads_take(struct watched_threads *threads, uint64_t thread, uint64_t stack, uint64_t state,
			  int64_t time_ns);
/* Before the model is cleared, and before the set is read: ids are forgotten. */
void watched_threads_settle(struct watched_threads *threads);

#endif
