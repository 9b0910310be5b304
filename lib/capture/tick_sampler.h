/* SPDX-License-Identifier: MIT
 * tick_sampler: samples, many times a second, what each processor was doing when its clock ticked (or when a counter of
 * the processor's ran over), and counts: inside a process of interest, in its garbage collection, in other threads of
 * the VM, outside, idle. The kernel records which thread was interrupted; nothing is stopped.
 *
 * There is one thread per processor. The interrupted thread's number is in a work area until it was processed; each
 * processor has its own counts, without locks. */
#ifndef CAPTURE_TICK_SAMPLER_H
#define CAPTURE_TICK_SAMPLER_H

#include "capture/conditions.h"
#include "capture/off_times.h"
#include "capture/process.h"
#include "capture/processor_moments.h"
#include "capture/stack_copy.h"

/* of a process: the first three */
enum tick_state { TICK_INSIDE, TICK_GC, TICK_VM, TICK_OUTSIDE, TICK_IDLE, TICK_SELF, TICK_UNMET, TICK_STATES };

extern const char *const tick_state_names[TICK_STATES];

struct tick_sampler;

struct tick_plan {
	const char *event;		/* NULL: the processor's clock; else cycles, instructions, page-faults, ... */
	uint64_t hertz;			/* of the clock; else */
	uint64_t period;		/* of the event */
	bool callers;			/* the kernel records callers by frame pointers, at the tick itself */
	uint32_t stack_bytes;		/* the kernel copies so much of the thread's stack at the tick; 0: nothing */
	bool others;			/* ticks of other processes are given too, as of number -1 */
	bool moments;			/* what all processors do at a tick is known, see tick_sampler_moments */
	bool turns;			/* when threads of processes of interest leave and come back is known, see
					 * tick_sampler_turns */
	bool wakers;			/* with turns: who wakes these threads is known too, if that is permitted: see
					 * tick_sampler_wakers */
	bool prompt;			/* each tick is processed at once. Else some ms later, which costs less and
					 * measures better: a thread that a tick wakes takes the processor, and so who
					 * runs begins to follow the ticks; who computes is counted too often. */
	bool spin;			/* while a stack is fetched, processors that tick wait for it */
	int64_t most_age_ns;		/* with prompt: a tick that is processed later than this gets no stack */
	const struct conditions *conditions;	/* all must be met, or a tick counts as unmet; NULL: none; borrowed */
};

/* A tick inside a process of interest, or in another one. */
struct tick {
	int cpu;
	int process;			/* its number, from tick_sampler_add; -1: another */
	enum tick_state state;
	pid_t pid, tid;
	int64_t time_ns;		/* CLOCK_MONOTONIC, of the tick */
	const uint64_t *callers;	/* addresses, the interrupted one first; valid until the function returns */
	size_t caller_count;
	struct stack_copy *stack;	/* as it was at the tick, or NULL; valid as long; may be changed */
};

/* Called by the threads of processors for each tick in a thread of a process of interest (with turns: of its program);
 * returns how long after the tick its stack was taken, or -1. May be NULL. */
typedef int64_t tick_take_function(void *context, const struct tick *tick);

/* -1: the system does not allow it (STK_ESYSTEM; *err says what would help), or has no such event. */
int tick_sampler_open(struct tick_sampler **out, const struct tick_plan *plan, tick_take_function *take, void *context,
		      struct stk_error *err) STK_MUST_CHECK;
void tick_sampler_close(struct tick_sampler *sampler);
unsigned tick_sampler_cpus(const struct tick_sampler *sampler);
const char *tick_sampler_event(const struct tick_sampler *sampler);

/* Processes of interest: at most so many at a time. A VM has threads of its own, by their names; of another process all
 * threads are inside. in_gc says whether a thread that is not one of the collector's by name,
 * but in the given state, collected at a tick; it is called with the process's context; NULL: unknown. Returns the
 * number of the process here, or -1 when there are too many. */
#define TICK_PROCESSES_MAX 1024
typedef bool tick_gc_function(void *context, const struct tick *tick, enum tick_state state);
int tick_sampler_add(struct tick_sampler *sampler, const struct process *process, bool is_vm, tick_gc_function *in_gc,
		     void *context);
void tick_sampler_remove(struct tick_sampler *sampler, int number);
/* Only this one (its number; -1: all) is of interest from now on; the others are outside. */
void tick_sampler_interest(struct tick_sampler *sampler, int number);
/* Whether the conditions on the machine hold from now on; they do at first. */
void tick_sampler_meets(struct tick_sampler *sampler, bool met);

/* Of a thread of a VM, by the system's name for it, which may be cut to 15 bytes. */
enum tick_state tick_state_of_thread(const char *name);
/* Whether it compiles: which is in the state TICK_VM. */
bool tick_thread_compiles(const char *name);

/* What was counted so far, all of it at one moment, is what the next two say from here on. */
void tick_sampler_look(struct tick_sampler *sampler);
/* Ticks so far of a processor in a state; of a process (a number from add), or for the states that are of none -1. */
uint64_t tick_sampler_count(const struct tick_sampler *sampler, unsigned cpu, int number, enum tick_state state);
/* lost: reported by the kernel. expected - seen - lost are missing, mostly on idle processors */
struct tick_totals { uint64_t expected, seen, lost, stacks, stale; };
void tick_sampler_totals(const struct tick_sampler *sampler, unsigned cpu, struct tick_totals *totals);
/* What all processors did at ticks, whose states are enum tick_state and whose processes are numbers from add: a thread
 * of a VM is in its collection if it is one of the collector's. NULL: not asked for. */
struct processor_moments *tick_sampler_moments(const struct tick_sampler *sampler);
/* NULL: not asked for. */
struct off_times *tick_sampler_turns(const struct tick_sampler *sampler);
/* Why it is not known who wakes threads; NULL: it is, or was not asked for. */
const char *tick_sampler_wakers(const struct tick_sampler *sampler);
/* The system's number of a processor. */
int tick_sampler_cpu(const struct tick_sampler *sampler, unsigned cpu);
/* The value of a processor's event counter. */
uint64_t tick_sampler_read(const struct tick_sampler *sampler, unsigned cpu);

#endif
