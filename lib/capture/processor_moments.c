/* SPDX-License-Identifier: MIT
 * processor_moments: a log of states for each processor, and a queue of moments that wait until all logs reach them. */
#include "capture/processor_moments.h"

#include "base/array.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define STATES_MAX  (1u << 20)		/* in a log; beyond that all before is forgotten */
#define WAITING_MAX 100000
#define SOON_NS     INT64_C(1000000)

struct log {
	pthread_mutex_t lock;		/* of: */
	ARRAY(struct processor_state) states;
	size_t first;			/* those before it are used up */
	int64_t last_ns;		/* of the last record */
	int64_t seen_ns;
};

struct waiting { int64_t time_ns; unsigned processor; pid_t tid; };

struct processor_moments {
	struct log *logs;
	unsigned processors;
	int64_t period_ns;
	struct processor_state *states;	/* of the moment that is handed out */
	_Atomic int64_t last;		/* the period of the last moment, or its time */
	_Atomic uint64_t dropped;
	uint64_t taken, agreed, disagreed;
	pthread_mutex_t lock;		/* of: */
	ARRAY(struct waiting) waiting;	/* sorted by time */
};

void
processor_moments_open(struct processor_moments **out, unsigned processors, int64_t period_ns)
{
	struct processor_moments *m = *out = mem_new(1, sizeof *m);

	m->processors = processors;
	m->period_ns = period_ns;
	m->last = INT64_MIN / 2;
	m->logs = mem_new(processors, sizeof *m->logs);
	m->states = mem_new(processors, sizeof *m->states);
	pthread_mutex_init(&m->lock, NULL);
	for (unsigned i = 0; i < processors; i++) {
		pthread_mutex_init(&m->logs[i].lock, NULL);
		*array_push(&m->logs[i].states) = (struct processor_state){ .process = -1, .state = MOMENT_UNKNOWN };
	}
}

void
processor_moments_close(struct processor_moments *m)
{
	if (m == NULL)
		return;
	for (unsigned i = 0; i < m->processors; i++) {
		array_release(&m->logs[i].states);
		pthread_mutex_destroy(&m->logs[i].lock);
	}
	array_release(&m->waiting);
	pthread_mutex_destroy(&m->lock);
	free(m->logs);
	free(m->states);
	free(m);
}

/* With the lock. */
static void
append(struct log *log, const struct processor_state *state)
{
	if (log->states.count >= STATES_MAX) {
		log->states.count = log->first = 0;
		*array_push(&log->states) = (struct processor_state){ .process = -1, .state = MOMENT_UNKNOWN };
	}
	*array_push(&log->states) = *state;
	log->last_ns = state->time_ns;
}

void
processor_moments_switch(struct processor_moments *m, unsigned processor, const struct processor_state *state)
{
	struct log *log = &m->logs[processor];

	pthread_mutex_lock(&log->lock);
	append(log, state);
	pthread_mutex_unlock(&log->lock);
}

void
processor_moments_lost(struct processor_moments *m, unsigned processor)
{
	struct log *log = &m->logs[processor];
	struct processor_state unknown = { .process = -1, .state = MOMENT_UNKNOWN };

	pthread_mutex_lock(&log->lock);
	unknown.time_ns = log->last_ns + 1;
	append(log, &unknown);
	pthread_mutex_unlock(&log->lock);
}

/* Whether this tick is a moment: the first one of its period, whichever processor it is of. */
static bool
begins_moment(struct processor_moments *m, int64_t time_ns)
{
	int64_t now = m->period_ns > 0 ? time_ns / m->period_ns : time_ns, last = atomic_load(&m->last);

	do {
		if (m->period_ns > 0 ? now <= last : now < last + SOON_NS) {
			m->dropped += m->period_ns == 0;
			return false;
		}
	} while (!atomic_compare_exchange_weak(&m->last, &last, now));
	return true;
}

/* Threads of processors hand over their records by turns, so a moment may come after later ones. */
static void
add_waiting(struct processor_moments *m, int64_t time_ns, unsigned processor, pid_t tid)
{
	size_t at;

	pthread_mutex_lock(&m->lock);
	if (m->waiting.count < WAITING_MAX) {
		at = m->waiting.count;
		(void)array_push(&m->waiting);
		for (; at > 0 && m->waiting.at[at - 1].time_ns > time_ns; at--)
			m->waiting.at[at] = m->waiting.at[at - 1];
		m->waiting.at[at] = (struct waiting){ time_ns, processor, tid };
	} else {
		m->dropped++;
	}
	pthread_mutex_unlock(&m->lock);
}

void
processor_moments_tick(struct processor_moments *m, unsigned processor, int64_t time_ns, pid_t tid)
{
	if (begins_moment(m, time_ns))
		add_waiting(m, time_ns, processor, tid);
}

void
processor_moments_seen(struct processor_moments *m, unsigned processor, int64_t time_ns)
{
	struct log *log = &m->logs[processor];

	pthread_mutex_lock(&log->lock);
	log->seen_ns = time_ns;
	pthread_mutex_unlock(&log->lock);
}

static bool
has_seen(struct log *log, int64_t time_ns)
{
	bool seen;

	pthread_mutex_lock(&log->lock);
	seen = log->seen_ns > time_ns;
	pthread_mutex_unlock(&log->lock);
	return seen;
}

/* Moments come in the order of time, so states before the one that is found are not needed any more. */
static struct processor_state
state_at(struct log *log, int64_t time_ns)
{
	struct processor_state state;

	pthread_mutex_lock(&log->lock);
	while (log->first + 1 < log->states.count && log->states.at[log->first + 1].time_ns <= time_ns)
		log->first++;
	state = log->states.at[log->first];
	if (state.time_ns > time_ns)		/* what was before is forgotten */
		state = (struct processor_state){ .process = -1, .state = MOMENT_UNKNOWN };
	if (log->first > log->states.count / 2) {
		log->states.count -= log->first;
		memmove(log->states.at, log->states.at + log->first, log->states.count * sizeof *log->states.at);
		log->first = 0;
	}
	pthread_mutex_unlock(&log->lock);
	return state;
}

/* The thread that was interrupted is the one that ran by the records. */
static void
check_tick(struct processor_moments *m, const struct waiting *tick)
{
	const struct processor_state *state = &m->states[tick->processor];

	if (state->state == MOMENT_UNKNOWN)
		return;
	if (state->tid == tick->tid || tick->tid < 0)
		m->agreed++;
	else
		m->disagreed++;
}

bool
processor_moments_next(struct processor_moments *m, struct processor_moment *out)
{
	struct waiting first = { 0 };
	bool some;

	pthread_mutex_lock(&m->lock);
	some = m->waiting.count > 0;
	if (some)
		first = m->waiting.at[0];
	pthread_mutex_unlock(&m->lock);
	for (unsigned i = 0; i < m->processors && some; i++)
		some = has_seen(&m->logs[i], first.time_ns);
	if (!some)
		return false;
	for (unsigned i = 0; i < m->processors; i++)
		m->states[i] = state_at(&m->logs[i], first.time_ns);
	check_tick(m, &first);
	pthread_mutex_lock(&m->lock);
	memmove(m->waiting.at, m->waiting.at + 1, --m->waiting.count * sizeof *m->waiting.at);
	pthread_mutex_unlock(&m->lock);
	*out = (struct processor_moment){
		.number = ++m->taken, .time_ns = first.time_ns, .processor = first.processor, .states = m->states
	};
	return true;
}

void
processor_moments_counts(struct processor_moments *m, struct processor_moment_counts *counts)
{
	*counts = (struct processor_moment_counts){
		.taken = m->taken, .dropped = m->dropped, .agreed = m->agreed, .disagreed = m->disagreed
	};
}
