/* SPDX-License-Identifier: MIT
 * watcher: one slot between the thread that takes and the one that records. */
#include "capture/watcher.h"

#include "base/memory.h"
#include "base/time_math.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES (512u << 10)

struct watcher {
	const struct watch_plan *plan;
	struct dump_source *source, *fallback;
	struct perf_memory *memory;
	/* entries of the memory: the time that threads were stopped, and the time they took to stop */
	int safepoints, stopping;
	pthread_t thread;
	bool running;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct taken slot;		/* the thread's own until full */
	bool full, stop, over;
	struct watch_rhythm rhythm;	/* which moments are its own */
	uint64_t stretch;		/* of these it uses every stretch-th */
	struct watch_counts counts;
};

/* --- moments --- */

int64_t
watch_moment(const struct watch_plan *plan, uint64_t n)
{
	int64_t after;

	return n > INT64_MAX || __builtin_mul_overflow((int64_t)n, plan->every_ns, &after) ? INT64_MAX
		: time_sum(plan->base_ns, after);
}

/* Sleeps until the moment; false when asked to stop. With the lock. */
static bool
sleep_until(struct watcher *w, int64_t ns)
{
	struct timespec until = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	while (!w->stop && monotonic_ns() < ns)
		(void)pthread_cond_timedwait(&w->changed, &w->lock, &until);
	return !w->stop;
}

/* The moment at which it is to be asked next, when `next` is the first that can be: what was due since the moment
 * before that, or is due then. */
static uint64_t
due_moment(const struct watcher *w, uint64_t next)
{
	int64_t base, due;

	if (w->rhythm.next == NULL)
		return next;
	base = wall_minus_monotonic_ns() + w->plan->base_ns;
	due = w->rhythm.next(w->rhythm.context, base + (int64_t)(next - 1) * w->plan->every_ns) - base;
	return due <= (int64_t)next * w->plan->every_ns
		       ? next
		       : (uint64_t)((due + w->plan->every_ns - 1) / w->plan->every_ns);
}

/* The first moment from this one on that is its own, of those which it uses when it uses every stretch-th. */
static uint64_t
own_moment(const struct watcher *w, uint64_t next, uint64_t stretch)
{
	uint64_t step = w->rhythm.rate * stretch;

	return (due_moment(w, next) + step - 1) / step * step;
}

/* The first future moment that is to be used. */
static uint64_t
next_moment(const struct watcher *w, uint64_t n)
{
	int64_t late = monotonic_ns() - watch_moment(w->plan, n + 1);

	if (late > 0)
		n += (uint64_t)((late + w->plan->every_ns - 1) / w->plan->every_ns);
	return own_moment(w, n + 1, w->stretch);
}

/* --- taking --- */

static int64_t
time_stood_still(struct watcher *w)
{
	int64_t still, stopping = 0;

	if (w->memory == NULL || !perf_memory_refresh_one(w->memory, w->safepoints) ||
	    !perf_memory_number(w->memory, w->safepoints, &still))
		return -1;
	if (perf_memory_refresh_one(w->memory, w->stopping))
		(void)perf_memory_number(w->memory, w->stopping, &stopping);
	return still + stopping;
}

/* The counters of one tick, and the text, without the lock: the slot is ours. */
static void
take(struct watcher *w, uint64_t n)
{
	struct taken *t = &w->slot;
	int64_t before = time_stood_still(w), after;

	t->event = n + 1;
	t->moment_ns = watch_moment(w->plan, n);
	t->fallback = false;
	stk_error_clear(&t->why);
	t->result = dump_source_take(w->source, monotonic_ns() + w->plan->patience_ns, &t->reply, &t->why);
	after = time_stood_still(w);
	t->pause_ns = before < 0 || after < before ? -1 : after - before;
	if (dump_source_kind(w->source)->says_pause)
		t->pause_ns = t->reply.stopped_ns;
	if (t->result == ATTACH_LATE && w->fallback != NULL && !attach_is_stopped()) {
		struct stk_error unused = { 0 };

		t->fallback = dump_source_take(w->fallback, monotonic_ns() + w->plan->patience_ns, &t->reply,
					       &unused) == ATTACH_ANSWERED;
	}
}

static void
count(struct watcher *w, enum attach_result result)
{
	switch (result) {
	case ATTACH_ANSWERED: w->counts.seen++; break;
	case ATTACH_CUT:      w->counts.partial++; break;
	case ATTACH_REFUSED:  w->counts.refused++; break;
	case ATTACH_LATE:     w->counts.late++; break;
	case ATTACH_GONE:     return;	/* there was nothing to be seen */
	}
	w->counts.expected++;
}

/* A moment is expected once it is known what became of it, so that the counts add up whenever they are read. */
static void
count_as(struct watcher *w, uint64_t *what)
{
	w->counts.expected++;
	++*what;
}

/* With the lock, which it leaves while it asks. */
static void
use_moment(struct watcher *w, uint64_t n)
{
	if (w->plan->unmet) {
		count_as(w, &w->counts.unmet);
		return;
	}
	if (w->full) {
		count_as(w, &w->counts.skipped);
		return;
	}
	pthread_mutex_unlock(&w->lock);
	if (dump_source_is_owed(w->source)) {
		pthread_mutex_lock(&w->lock);
		count_as(w, &w->counts.owed);
		return;
	}
	take(w, n);
	pthread_mutex_lock(&w->lock);
	if (attach_is_stopped() && w->slot.result != ATTACH_ANSWERED) {		/* it did not get its full time */
		w->over = true;
		return;
	}
	count(w, w->slot.result);
	w->full = true;
	w->over = w->slot.result == ATTACH_GONE;
}

/* Its moments between these two. */
static uint64_t
moments_between(const struct watcher *w, uint64_t last, uint64_t next)
{
	uint64_t end = w->plan->count > 0 && next > w->plan->count ? w->plan->count : next, between = 0;

	if (w->rhythm.next == NULL)
		return end > last ? (end - 1) / w->rhythm.rate - last / w->rhythm.rate : 0;
	for (last = own_moment(w, last + 1, 1); last < end; last = own_moment(w, last + 1, 1))
		between++;
	return between;
}

/* These passed while the last one was processed. */
static void
count_skipped(struct watcher *w, uint64_t last, uint64_t next)
{
	uint64_t skipped = moments_between(w, last, next);

	w->counts.expected += skipped;
	*(w->plan->unmet ? &w->counts.unmet : &w->counts.skipped) += skipped;
}

static void
wake_recorder(const struct watcher *w)
{
	static const uint64_t one = 1;

	while (write(w->plan->wake_fd, &one, sizeof one) < 0 && errno == EINTR)
		continue;
}

static void *
watch(void *of)
{
	struct watcher *w = of;
	uint64_t n = 0;

	attach_stop_by(w->plan->stop_fd);
	if (monotonic_ns() > w->plan->base_ns + w->plan->every_ns / 2)	/* it came later than others */
		n = next_moment(w, (uint64_t)((monotonic_ns() - w->plan->base_ns) / w->plan->every_ns));
	pthread_mutex_lock(&w->lock);
	while (!w->over && (w->plan->count == 0 || n < w->plan->count) && sleep_until(w, watch_moment(w->plan, n))) {
		uint64_t next;

		use_moment(w, n);
		wake_recorder(w);
		next = next_moment(w, n);
		if (w->stretch == 1)
			count_skipped(w, n, next);
		else
			w->counts.spared += moments_between(w, n, next);
		n = next;
	}
	w->over = true;
	pthread_mutex_unlock(&w->lock);
	wake_recorder(w);
	return NULL;
}

/* --- from outside --- */

/* Signals are for the main thread. */
static int
start_thread(struct watcher *w)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	int failed;

	sigfillset(&all);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	failed = pthread_create(&w->thread, &attributes, watch, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	w->running = failed == 0;
	return failed;
}

int
watcher_open(struct watcher **out, const struct watch_plan *plan, const struct watch_rhythm *rhythm,
	     struct dump_source *source, struct dump_source *fallback, struct perf_memory *memory,
	     struct stk_error *err)
{
	struct watcher *w = *out = mem_new(1, sizeof *w);
	pthread_condattr_t attributes;

	*w = (struct watcher){
		.plan = plan, .source = source, .fallback = fallback, .memory = memory, .rhythm = *rhythm,
		.stretch = 1,
		.slot.reply.pool = plan->replies
	};
	w->safepoints = perf_memory_find(memory, "sun.rt.safepointTime");
	w->stopping = perf_memory_find(memory, "sun.rt.safepointSyncTime");
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&w->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	errno = start_thread(w);
	if (errno == 0)
		return 0;
	(void)stk_fail_errno(err, "cannot start a thread");
	watcher_close(w);
	*out = NULL;
	return -1;
}

struct taken *
watcher_taken(struct watcher *w)
{
	bool full;

	pthread_mutex_lock(&w->lock);
	full = w->full;
	pthread_mutex_unlock(&w->lock);
	return full ? &w->slot : NULL;
}

void
watcher_release(struct watcher *w)
{
	if (w->slot.reply.drawn > 0)		/* others may need it before this one does again */
		attach_reply_release(&w->slot.reply);
	pthread_mutex_lock(&w->lock);
	w->full = false;
	pthread_mutex_unlock(&w->lock);
}

void
watcher_stretch(struct watcher *w, uint64_t n)
{
	pthread_mutex_lock(&w->lock);
	w->stretch = n > 0 ? n : 1;
	pthread_mutex_unlock(&w->lock);
}

bool
watcher_is_over(struct watcher *w)
{
	bool over;

	pthread_mutex_lock(&w->lock);
	over = w->over && !w->full;
	pthread_mutex_unlock(&w->lock);
	return over;
}

void
watcher_counts(struct watcher *w, struct watch_counts *counts)
{
	pthread_mutex_lock(&w->lock);
	*counts = w->counts;
	pthread_mutex_unlock(&w->lock);
}

const struct dump_source_kind *
watcher_kind(const struct watcher *w, bool fallback)
{
	return dump_source_kind(fallback ? w->fallback : w->source);
}

struct perf_memory *
watcher_memory(struct watcher *w)
{
	return w->memory;
}

void
watcher_stop(struct watcher *w)
{
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

void
watcher_join(struct watcher *w)
{
	if (w->running)
		pthread_join(w->thread, NULL);
	w->running = false;
}

void
watcher_close(struct watcher *w)
{
	if (w == NULL)
		return;
	watcher_stop(w);
	watcher_join(w);
	dump_source_close(w->source);
	dump_source_close(w->fallback);
	perf_memory_close(w->memory);
	attach_reply_release(&w->slot.reply);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
