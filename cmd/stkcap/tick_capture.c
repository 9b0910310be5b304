/* SPDX-License-Identifier: MIT
 * tick_capture: the processors' threads leave samples in a list; once a second they become records, with the counts. */
#include "tick_capture.h"
#include "tick_away.h"
#include "tick_counts.h"
#include "tick_moments.h"
#include "tick_stacks.h"

#include "base/array.h"
#include "base/bytes.h"
#include "ingest/ingest.h"
#include "ingest/scan_text.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VMS_MAX      64
#define RECORD_NS    INT64_C(1000000000)
#define SAMPLES_MAX  100000		/* between two recordings; more are counted as stale */
#define COPY_MAX     UINT64_C(65528)	/* of a stack at its tick: the most that the kernel copies */
#define STACKS_MAX   ((size_t)64 << 20)	/* of all between two recordings */

struct vm {
	bool used;
	struct process process;
	struct subject *subject;
	int64_t added_ns;		/* its number was another one's before */
	char name[300];			/* kept when it has ended: moments may be told later */
	struct perf_memory *memory;
	int cause;			/* entry of the memory */
	bool flag_means_pause;		/* for Z and Shenandoah it means that a collection runs beside the program */
	struct tick_stacks *stacks;	/* NULL: none are taken */
	uint64_t before[TICK_STATES];	/* for statistics */
};

struct tick_capture {
	struct tick_settings settings;
	struct tick_sampler *sampler;
	struct reply_pool *replies;
	struct vm vms[VMS_MAX];
	pthread_mutex_t lock;		/* of: */
	struct taken_ticks taken;	/* inside */
	size_t stack_bytes;		/* of their stacks */
	struct taken_ticks away;	/* whose threads were not back yet */
	int64_t recorded_ns, turned_ns;
	int turn;			/* whose turn it is */
};

/* --- at a tick --- */

static bool
in_gc(void *of)
{
	const struct vm *vm = of;

	return vm->flag_means_pause && !perf_memory_is(vm->memory, vm->cause, "No GC");
}

static struct vm *
vm_of(struct tick_capture *ticks, pid_t pid)
{
	for (unsigned i = 0; i < VMS_MAX; i++)
		if (ticks->vms[i].used && ticks->vms[i].process.pid == pid)
			return &ticks->vms[i];
	return NULL;
}

static void
read_name(const struct tick *tick, char name[TICK_NAME_BYTES])
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof path, "/proc/%ld/task/%ld/comm", (long)tick->pid, (long)tick->tid);
	file = fopen(path, "re");
	name[0] = '\0';
	if (file != NULL && fgets(name, TICK_NAME_BYTES, file) != NULL)
		name[strcspn(name, "\n")] = '\0';
	if (file != NULL)
		(void)fclose(file);
}

/* Without room the stack is forgotten, and the sample has none. */
static void
keep_tick(struct tick_capture *ticks, struct taken_tick *taken)
{
	size_t bytes = taken->stack.text != NULL ? strlen(taken->stack.text) : 0;

	pthread_mutex_lock(&ticks->lock);
	if (ticks->taken.count < SAMPLES_MAX && ticks->stack_bytes + bytes <= STACKS_MAX) {
		*array_push(&ticks->taken) = *taken;
		ticks->stack_bytes += bytes;
	} else {
		tick_stack_forget(&taken->stack);
	}
	pthread_mutex_unlock(&ticks->lock);
}

static int64_t
take_tick(void *context, const struct tick *tick)
{
	struct tick_capture *ticks = context;
	struct vm *vm = vm_of(ticks, tick->pid);
	struct taken_tick taken = { .tick = *tick, .away_ns = -1 };
	bool has_stack;

	if (vm == NULL)
		return -1;
	read_name(tick, taken.name);
	has_stack = tick_stacks_take(vm->stacks, tick, ticks->replies, &taken.stack);
	keep_tick(ticks, &taken);
	return has_stack ? taken.stack.age_ns : -1;
}

/* --- VMs --- */

/* Of the processes that are registered, those of interest: all, or one after another. */
static void
choose_interest(struct tick_capture *ticks)
{
	int64_t now = monotonic_ns();
	uint64_t all = 0;

	for (unsigned i = 0; i < VMS_MAX; i++)
		all |= (uint64_t)ticks->vms[i].used << i;
	if (ticks->settings.rotate_ns > 0 && all != 0) {
		if (now - ticks->turned_ns >= ticks->settings.rotate_ns || (all >> ticks->turn & 1) == 0) {
			do
				ticks->turn = (ticks->turn + 1) % VMS_MAX;
			while ((all >> ticks->turn & 1) == 0);
			ticks->turned_ns = now;
		}
		all = UINT64_C(1) << ticks->turn;
	}
	tick_sampler_interest(ticks->sampler, all);
}

static bool
pauses_when_it_collects(const struct perf_memory *memory)
{
	struct stk_text name = perf_memory_text_of(memory, "sun.gc.collector.0.name");

	return !text_starts(name, "Z") && !text_starts(name, "Shenandoah");
}

int
tick_capture_add(struct tick_capture *ticks, const struct process *process, struct subject *subject)
{
	struct stk_error unused = { 0 };
	struct vm *vm;
	int number = 0;

	while (number < VMS_MAX && ticks->vms[number].used)
		number++;
	if (number == VMS_MAX)
		return -1;
	vm = &ticks->vms[number];
	*vm = (struct vm){ .process = *process, .subject = subject, .added_ns = monotonic_ns() };
	snprintf(vm->name, sizeof vm->name, "%s", subject->name);
	if (perf_memory_open(&vm->memory, process, &unused) < 0)
		vm->memory = NULL;
	vm->cause = perf_memory_find(vm->memory, "sun.gc.cause");
	vm->flag_means_pause = vm->memory != NULL && vm->cause >= 0 && pauses_when_it_collects(vm->memory);
	if (ticks->settings.order == ORDER_STACK)
		tick_stacks_open(&vm->stacks, process, subject->name, vm->memory,
				 ticks->settings.agent		    ? STACKS_BY_AGENT
				 : ticks->settings.plan.stack_bytes > 0 ? STACKS_BY_WALK
									: STACKS_BY_KERNEL);
	vm->used = true;
	/* both use the same numbers; a thread that leaves its processor for a collection waits like others */
	if (tick_sampler_add(ticks->sampler, process, ticks->settings.plan.turns ? NULL : in_gc, vm) != number) {
		vm->used = false;
		perf_memory_close(vm->memory);
		tick_stacks_close(vm->stacks);
		return -1;
	}
	choose_interest(ticks);
	return number;
}

/* --- recording --- */

static int
record_sample(struct tick_capture *ticks, struct live_records *records, struct vm *vm, const struct taken_tick *taken,
	      int64_t wall_ns, struct stk_error *err)
{
	struct finding finding = { .kind = FOUND_SAMPLE };
	struct found_sample *sample = &finding.is.sample;

	sample->time_ns = taken->tick.time_ns + wall_ns;
	sample->age_ns = taken->stack.age_ns;
	sample->stack = tick_stacks_text(vm->stacks, &taken->stack);
	sample->hash = scan_hash(sample->stack);
	sample->name = text_from(taken->name);
	sample->event = text_from(tick_sampler_event(ticks->sampler));
	sample->tid = (uint64_t)taken->tick.tid;
	sample->processor = taken->tick.cpu;
	if (taken->away_ns >= 0) {	/* a thread that waits for a processor could run */
		sample->event = text_from("off-cpu");
		sample->weight = (uint64_t)taken->away_ns * ticks->settings.plan.period;
		sample->state = taken->put_off ? STK_STATE_RUNNABLE : STK_STATE_SLEEPING;
		return live_records_sample(records, &finding, err);
	}
	sample->weight = ticks->settings.plan.event != NULL ? ticks->settings.plan.period
							    : 1000000000 / ticks->settings.plan.hertz;
	return live_records_sample(records, &finding, err);
}

static int
record_samples(struct tick_capture *ticks, struct live_records *records, struct vm *vm, const struct taken_tick *taken,
	       size_t count, int64_t wall_ns, struct stk_error *err)
{
	if (vm->stacks == NULL)
		return 0;
	tick_stacks_refresh(vm->stacks);
	for (size_t i = 0; i < count; i++)
		if (taken[i].tick.pid == vm->process.pid &&
		    record_sample(ticks, records, vm, &taken[i], wall_ns, err) < 0)
			return -1;
	return 0;
}

/* The share of each state among the VM's ticks since the last time, and how many processors it kept busy. */
static int
record_statistics(struct tick_capture *ticks, struct live_records *records, struct vm *vm,
		  const uint64_t now[TICK_STATES], int64_t time_ns, double seconds, struct stk_error *err)
{
	uint64_t all = 0;
	char name[64];

	for (unsigned s = 0; s <= TICK_VM; s++)
		all += now[s] - vm->before[s];
	for (unsigned s = 0; s <= TICK_VM; s++) {
		uint64_t some = now[s] - vm->before[s];

		vm->before[s] = now[s];
		snprintf(name, sizeof name, "ticks.share.%s", tick_state_names[s]);
		if (all > 0 && live_records_metric(records, time_ns, name, (double)some / (double)all, err) < 0)
			return -1;
	}
	return ticks->settings.plan.event != NULL || seconds <= 0
		       ? 0
		       : live_records_metric(records, time_ns, "ticks.processors",
					     (double)all / (double)ticks->settings.plan.hertz / seconds, err);
}

static int
record_vm(struct tick_capture *ticks, struct live_records *records, unsigned number, const struct taken_tick *taken,
	  size_t count, int64_t time_ns, int64_t wall_ns, double seconds, struct stk_error *err)
{
	struct vm *vm = &ticks->vms[number];
	uint64_t sums[TICK_STATES] = { 0 };
	const struct text_format *format = vm->stacks != NULL ? tick_stacks_format(vm->stacks) : &thread_dump_format;

	if (live_records_begin_rows(records, vm->subject, format, time_ns, err) < 0)
		return -1;
	for (unsigned cpu = 0; cpu < tick_sampler_cpus(ticks->sampler) && !ticks->settings.plan.turns; cpu++)
		for (unsigned s = 0; s <= TICK_VM; s++) {
			uint64_t value = tick_sampler_count(ticks->sampler, cpu, (int)number, (enum tick_state)s);

			sums[s] += value;
			if (live_records_counter(records, true, time_ns, (int)cpu, tick_state_names[s], value, err) < 0)
				return -1;
		}
	if (ticks->settings.order == ORDER_STATISTICS &&
	    record_statistics(ticks, records, vm, sums, time_ns, seconds, err) < 0)
		return -1;
	return record_samples(ticks, records, vm, taken, count, wall_ns, err);
}

/* What a moment calls a VM. */
static const char *
name_at(void *of, int number, int64_t time_ns)
{
	const struct tick_capture *ticks = of;
	const struct vm *vm = &ticks->vms[number];

	return vm->added_ns <= time_ns ? vm->name : NULL;
}

void
tick_capture_totals(const struct tick_capture *ticks, struct tick_totals *totals)
{
	*totals = (struct tick_totals){ 0 };
	for (unsigned cpu = 0; cpu < tick_sampler_cpus(ticks->sampler); cpu++) {
		struct tick_totals one;

		tick_sampler_totals(ticks->sampler, cpu, &one);
		totals->expected += one.expected;
		totals->seen += one.seen;
		totals->lost += one.lost;
		totals->stacks += one.stacks;
		totals->stale += one.stale;
	}
}

/* What is missing of threads that were away; the processors' other counts are those of the ticks. */
static int
record_lost_turns(struct tick_capture *ticks, struct live_records *records, int64_t time_ns, struct stk_error *err)
{
	struct tick_totals totals;

	tick_capture_totals(ticks, &totals);
	if (live_records_begin_rows(records, NULL, NULL, time_ns, err) < 0)
		return -1;
	return live_records_counter(records, false, time_ns, -1, "off-cpu.lost",
				    totals.lost + totals.stale +
					    off_times_dropped(tick_sampler_turns(ticks->sampler)), err);
}

void
tick_capture_meets(struct tick_capture *ticks, bool met)
{
	tick_sampler_meets(ticks->sampler, met);
}

static void
take_over(struct tick_capture *ticks, struct taken_ticks *taken)
{
	pthread_mutex_lock(&ticks->lock);
	*taken = ticks->taken;
	ticks->taken = (struct taken_ticks){ 0 };
	ticks->stack_bytes = 0;
	pthread_mutex_unlock(&ticks->lock);
}

/* The samples that can be recorded now. ended: a VM that is removed, or NULL. */
static void
choose_samples(struct tick_capture *ticks, const struct vm *ended, int64_t now_ns, struct taken_ticks *ready)
{
	struct off_times *turns = tick_sampler_turns(ticks->sampler);
	struct taken_ticks taken;
	/* first: what left by then is in the list */
	int64_t until_ns = turns != NULL ? off_times_take(turns) : 0;

	take_over(ticks, &taken);
	if (turns == NULL) {
		*ready = taken;
		return;
	}
	for (size_t i = 0; i < taken.count; i++)
		*array_push(&ticks->away) = taken.at[i];
	array_release(&taken);
	tick_away_settle(&ticks->away, turns, until_ns, ready);
	if (ended != NULL)
		tick_away_end(&ticks->away, ended->process.pid, now_ns, ready);
}

static int
record_all(struct tick_capture *ticks, struct live_records *records, const struct vm *ended, struct stk_error *err)
{
	struct timespec wall;
	int64_t now = monotonic_ns(), wall_ns, time_ns;
	double seconds = (double)(now - ticks->recorded_ns) / 1e9;
	struct taken_ticks taken = { 0 };
	bool away = ticks->settings.plan.turns;
	int result;

	ticks->recorded_ns = now;
	choose_interest(ticks);
	clock_gettime(CLOCK_REALTIME, &wall);
	time_ns = wall.tv_sec * INT64_C(1000000000) + wall.tv_nsec;
	wall_ns = time_ns - now;
	choose_samples(ticks, ended, now, &taken);
	result = away ? record_lost_turns(ticks, records, time_ns, err)
		      : tick_counts_record(ticks->sampler, ticks->settings.order, records, time_ns, err);
	if (result == 0)
		result = tick_moments_record(ticks->sampler, records, time_ns, wall_ns, name_at, ticks, err);
	for (unsigned i = 0; i < VMS_MAX && result == 0; i++)
		if (ticks->vms[i].used)
			result = record_vm(ticks, records, i, taken.at, taken.count, time_ns, wall_ns, seconds, err);
	if (result == 0)
		result = live_records_end_rows(records, err);
	for (size_t i = 0; i < taken.count; i++)
		tick_stack_forget(&taken.at[i].stack);
	array_release(&taken);
	return result;
}

int
tick_capture_record(struct tick_capture *ticks, struct live_records *records, struct stk_error *err)
{
	return monotonic_ns() - ticks->recorded_ns < RECORD_NS ? 0 : record_all(ticks, records, NULL, err);
}

int
tick_capture_remove(struct tick_capture *ticks, int number, struct live_records *records, struct stk_error *err)
{
	struct vm *vm = &ticks->vms[number];
	int result;

	tick_sampler_remove(ticks->sampler, number);	/* no thread uses it any more when this returns */
	result = record_all(ticks, records, vm, err);
	perf_memory_close(vm->memory);
	if (vm->stacks != NULL)
		tick_stacks_report(vm->stacks);
	tick_stacks_close(vm->stacks);
	vm->used = false;
	vm->memory = NULL;
	vm->stacks = NULL;
	choose_interest(ticks);
	return result;
}

int
tick_capture_open(struct tick_capture **out, const struct tick_settings *settings, struct reply_pool *replies,
		  struct stk_error *err)
{
	struct tick_capture *ticks = *out = mem_new(1, sizeof *ticks);

	ticks->settings = *settings;
	ticks->replies = replies;
	ticks->recorded_ns = ticks->turned_ns = monotonic_ns();
	pthread_mutex_init(&ticks->lock, NULL);
	ticks->settings.plan.callers = settings->order == ORDER_STACK && !settings->agent;
#ifdef __x86_64__			/* elsewhere stacks are not walked */
	if (ticks->settings.plan.callers)
		ticks->settings.plan.stack_bytes =
			(uint32_t)(settings->copy_bytes < COPY_MAX ? settings->copy_bytes : COPY_MAX) / 8 * 8;
#endif
	if (tick_sampler_open(&ticks->sampler, &ticks->settings.plan, settings->order == ORDER_STACK ? take_tick : NULL,
			      ticks, err) == 0)
		return 0;
	tick_capture_close(ticks);
	*out = NULL;
	return -1;
}

void
tick_capture_close(struct tick_capture *ticks)
{
	if (ticks == NULL)
		return;
	tick_sampler_close(ticks->sampler);
	for (unsigned i = 0; i < VMS_MAX; i++) {
		perf_memory_close(ticks->vms[i].memory);
		tick_stacks_close(ticks->vms[i].stacks);
	}
	for (size_t i = 0; i < ticks->taken.count; i++)
		tick_stack_forget(&ticks->taken.at[i].stack);
	for (size_t i = 0; i < ticks->away.count; i++)
		tick_stack_forget(&ticks->away.at[i].stack);
	array_release(&ticks->taken);
	array_release(&ticks->away);
	pthread_mutex_destroy(&ticks->lock);
	free(ticks);
}
