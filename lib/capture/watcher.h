/* SPDX-License-Identifier: MIT
 * watcher: a thread that takes dumps of one source, at moments that all watchers have in common. It only asks and
 * reads, and hands over what it got. While that has not been taken, or the source has not answered, moments are missed
 * and counted. No watcher waits for another. */
#ifndef CAPTURE_WATCHER_H
#define CAPTURE_WATCHER_H

#include "capture/dump_source.h"
#include "capture/perf_memory.h"

struct watch_plan {			/* of all watchers */
	int64_t base_ns, every_ns;	/* moments are base + n * every, CLOCK_MONOTONIC */
	int64_t patience_ns;		/* that a source has to answer */
	uint64_t count;			/* of moments; 0: without end */
	int wake_fd;			/* an eventfd, for the consumer of what is handed over */
	struct reply_pool *replies;	/* what all of them hold together */
	/* can be read when all are to stop at once: then no answer is waited for any more */
	int stop_fd;
	/* while it is true, moments pass and nobody is asked: conditions do not hold */
	_Atomic bool unmet;
};

/* When the n-th moment is; the end of time when it is beyond that. */
int64_t watch_moment(const struct watch_plan *plan, uint64_t n);

/* Which of the moments are a watcher's own. */
struct watch_rhythm {
	uint64_t rate;			/* every rate-th */
	/* When it is to be asked after this time of the wall's clock, NULL: at each of these moments. Called by the
	 * watcher's thread. */
	int64_t (*next)(void *context, int64_t after_ns);
	void *context;
};

struct watch_counts {			/* expected = the sum of the others but spared */
	uint64_t expected;
	uint64_t seen, partial, refused, late;
	uint64_t owed;			/* it had not answered the previous request */
	uint64_t unmet;			/* the conditions did not hold */
	uint64_t skipped;		/* the moment had passed before the last one was processed */
	uint64_t spared;		/* beside the expected ones: it is asked less often (watcher_stretch) */
};

struct taken {
	enum attach_result result;
	uint64_t event;			/* number of the moment, from 1 */
	int64_t moment_ns;
	struct attach_reply reply;
	int64_t pause_ns;		/* how long the VM's threads were stopped for it; -1 unknown */
	bool fallback;			/* by the second source, because the first did not answer */
	struct stk_error why;
};

struct watcher;

/* Takes ownership of the sources (fallback may be NULL) and the memory (may be NULL); the plan is borrowed. */
int  watcher_open(struct watcher **out, const struct watch_plan *plan, const struct watch_rhythm *rhythm,
		  struct dump_source *source, struct dump_source *fallback, struct perf_memory *memory,
		  struct stk_error *err) STK_MUST_CHECK;

/* What was handed over, or NULL; it is valid until watcher_release, and the watcher takes no dump before that. */
struct taken *watcher_taken(struct watcher *watcher);
void watcher_release(struct watcher *watcher);

/* Only every n-th of its moments from now on. */
void watcher_stretch(struct watcher *watcher, uint64_t n);
/* Its source is gone, or all moments have passed, and nothing is left to be taken. */
bool watcher_is_over(struct watcher *watcher);
void watcher_counts(struct watcher *watcher, struct watch_counts *counts);
const struct dump_source_kind *watcher_kind(const struct watcher *watcher, bool fallback);
/* Its own view of the VM, read by the holder of what was taken. NULL: none. */
struct perf_memory *watcher_memory(struct watcher *watcher);

void watcher_stop(struct watcher *watcher);	/* asks it to end; does not wait */
void watcher_join(struct watcher *watcher);	/* waits until it has ended; what it handed over can still be taken */
void watcher_close(struct watcher *watcher);	/* all of this */

#endif
