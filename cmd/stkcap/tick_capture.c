/* SPDX-License-Identifier: MIT
 * tick_capture: the processors' threads leave samples in a list; tick_recording makes records of them. */
#include "tick_state.h"

#include "base/array.h"
#include "base/bytes.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_MAX  100000		/* between two recordings; more are counted as stale */
#define COPY_MAX     UINT64_C(65528)	/* of a stack at its tick: the most that the kernel copies */
#define STACKS_MAX   ((size_t)64 << 20)	/* of all between two recordings */

/* --- at a tick --- */

/* Ticks are seen some milliseconds late: then a collection may have ended, as its end says, which was another when it
 * was read last. */
static bool
collected(struct tick_vm *vm, int64_t time_ns)
{
	int64_t ended = 0;

	for (int i = 0; i < COLLECTORS; i++)
		ended += perf_memory_now(vm->memory, vm->ends[i]);
	if (atomic_exchange(&vm->ended, ended) != ended)
		atomic_store(&vm->seen_ns, monotonic_ns());
	return time_ns < atomic_load(&vm->seen_ns);
}

/* While a VM pauses to collect, only threads of the collector and the one that pauses the VM run, and those in native
 * code, such as compilers, which are not part of it. */
static bool
in_gc(void *of, const struct tick *tick, enum tick_state state)
{
	struct tick_vm *vm = of;
	char name[TICK_NAME_BYTES];

	if (!vm->flag_means_pause || (vm->names_threads && state != TICK_VM))
		return false;
	if (perf_memory_is(vm->memory, vm->cause, "No GC") && !(vm->names_threads && collected(vm, tick->time_ns)))
		return false;
	if (vm->names_threads)
		tick_thread_name(tick->pid, tick->tid, name);
	return !vm->names_threads || strcmp(name, "VM Thread") == 0;
}

void
tick_thread_name(pid_t pid, pid_t tid, char name[TICK_NAME_BYTES])
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof path, "/proc/%ld/task/%ld/comm", (long)pid, (long)tid);
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

/* Of a process that is not looked at: a frame that is its program. */
static char *
program_frame(pid_t pid)
{
	char name[TICK_NAME_BYTES], text[TICK_NAME_BYTES + 32];

	tick_thread_name(pid, pid, name);
	for (char *at = name; *at != '\0'; at++)
		if ((unsigned char)*at < ' ')
			*at = ' ';
	if (name[0] == '\0')
		snprintf(text, sizeof text, "m\t[ended]\n");
	else
		snprintf(text, sizeof text, "n\t0\t%s\t[unknown]\t0\n", name);
	return mem_string(text);
}

/* Of a thread in which none of the program runs: a frame that is what it does for the VM. */
static char *
vm_frame(const struct tick *tick, const char *name)
{
	return mem_string(tick->state == TICK_GC       ? "m\t[gc]\n"
			  : tick_thread_compiles(name) ? "m\t[compiler]\n"
						       : "m\t[vm-internal]\n");
}

static int64_t
take_tick(void *context, const struct tick *tick)
{
	struct tick_capture *ticks = context;
	struct taken_tick taken = { .tick = *tick, .away_ns = -1 };
	bool has_stack;

	tick_thread_name(tick->pid, tick->tid, taken.name);
	if (tick->process < 0) {
		taken.stack.text = program_frame(tick->pid);
		keep_tick(ticks, &taken);
		return -1;
	}
	if (tick->state != TICK_INSIDE) {
		taken.stack.text = vm_frame(tick, taken.name);
		keep_tick(ticks, &taken);
		return -1;
	}
	has_stack = tick_stacks_take(ticks->vms[tick->process].stacks, tick, ticks->replies, &taken.stack);
	keep_tick(ticks, &taken);
	return has_stack ? taken.stack.age_ns : -1;
}

/* --- VMs --- */

/* How long it was the turn of the one whose turn it is. */
static void
count_turn(struct tick_capture *ticks, int64_t now)
{
	ticks->vms[ticks->turn].turn_ns += now - ticks->counted_ns;
	ticks->counted_ns = now;
}

void
tick_capture_choose(struct tick_capture *ticks)
{
	int64_t now = monotonic_ns();
	int next = ticks->turn;

	count_turn(ticks, now);
	if (ticks->settings.rotate_ns == 0)
		return;
	if (now - ticks->turned_ns >= ticks->settings.rotate_ns || !ticks->vms[ticks->turn].used) {
		do
			next = (next + 1) % VMS_MAX;
		while (!ticks->vms[next].used && next != ticks->turn);
		ticks->turn = next;
		ticks->turned_ns = now;
	}
	tick_sampler_interest(ticks->sampler, ticks->turn);
}

static bool
pauses_when_it_collects(const struct perf_memory *memory)
{
	struct stk_text name = perf_memory_text_of(memory, "sun.gc.collector.0.name");

	return !text_starts(name, "Z") && !text_starts(name, "Shenandoah");
}

/* Where the VM says that it collects. */
static void
look_for_collections(struct tick_vm *vm)
{
	struct stk_error unused = { 0 };

	if (perf_memory_open(&vm->memory, &vm->process, &unused) < 0)
		vm->memory = NULL;
	stk_error_clear(&unused);
	vm->cause = perf_memory_find(vm->memory, "sun.gc.cause");
	for (int i = 0; i < COLLECTORS; i++) {
		char end[48];

		snprintf(end, sizeof end, "sun.gc.collector.%d.lastExitTime", i);
		vm->ends[i] = perf_memory_find(vm->memory, end);
	}
	(void)collected(vm, 0);
	vm->seen_ns = 0;
	vm->names_threads =
		!text_starts(perf_memory_text_of(vm->memory, "java.property.java.vm.specification.version"), "1.");
	vm->flag_means_pause = vm->memory != NULL && vm->cause >= 0 && pauses_when_it_collects(vm->memory);
}

/* Its name is kept. */
static void
forget_process(struct tick_vm *vm)
{
	perf_memory_close(vm->memory);
	tick_stacks_close(vm->stacks);
	free(vm->has_row);
	vm->memory = NULL;
	vm->stacks = NULL;
	vm->has_row = NULL;
	vm->used = false;
}

/* What messages about stacks begin with: those of waits are counted apart from those of ticks. */
static const char *
title_begin(const struct tick_capture *ticks)
{
	return ticks->settings.plan.turns ? "off-cpu of " : "";
}

int
tick_capture_add(struct tick_capture *ticks, const struct process *process, unsigned kind, struct subject *subject)
{
	bool is_vm = (kind & TICKS_OF_VM) != 0;
	struct tick_vm *vm;
	char title[sizeof vm->name + 16];
	int number = 0;

	while (number < VMS_MAX && ticks->vms[number].used)
		number++;
	if (number == VMS_MAX)
		return -1;
	count_turn(ticks, monotonic_ns());	/* until now it was not its turn, whatever number it gets */
	vm = &ticks->vms[number];
	*vm = (struct tick_vm){ .is_vm = is_vm, .is_one_of_many = (kind & TICKS_OF_MANY) != 0, .process = *process,
				.subject = subject, .added_ns = monotonic_ns() };
	vm->told_ns = vm->added_ns;
	if (vm->is_one_of_many)
		vm->has_row = mem_new(tick_sampler_cpus(ticks->sampler) * (size_t)TICK_STATES, sizeof *vm->has_row);
	snprintf(vm->name, sizeof vm->name, "%s", subject->name);
	if (is_vm)
		look_for_collections(vm);
	snprintf(title, sizeof title, "%s%s", title_begin(ticks), vm->name);
	if (ticks->settings.order == ORDER_STACK)
		tick_stacks_open(&vm->stacks, &vm->process, title, is_vm, vm->memory,
				 ticks->settings.agent		    ? STACKS_BY_AGENT
				 : ticks->settings.plan.stack_bytes > 0 ? STACKS_BY_WALK
									: STACKS_BY_KERNEL,
				 &ticks->walks);
	if (vm->stacks != NULL && !vm->is_one_of_many)
		tick_stacks_begin(vm->stacks);
	vm->used = true;
	/* both use the same numbers; a thread that leaves its processor for a collection waits like others */
	if (tick_sampler_add(ticks->sampler, process, is_vm, is_vm && !ticks->settings.plan.turns ? in_gc : NULL,
			     vm) != number) {
		forget_process(vm);
		return -1;
	}
	tick_capture_choose(ticks);
	return number;
}

void
tick_capture_totals(const struct tick_capture *ticks, struct tick_totals *totals)
{
	*totals = (struct tick_totals){ 0 };
	tick_sampler_look(ticks->sampler);
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

void
tick_capture_meets(struct tick_capture *ticks, bool met)
{
	tick_sampler_meets(ticks->sampler, met);
}

int
tick_capture_remove(struct tick_capture *ticks, int number, struct live_records *records, struct stk_error *err)
{
	struct tick_vm *vm = &ticks->vms[number];
	int result;

	tick_sampler_remove(ticks->sampler, number);	/* no thread uses it any more when this returns */
	result = tick_capture_record_all(ticks, records, vm, err);
	if (vm->stacks != NULL)
		tick_stacks_report(vm->stacks, vm->is_one_of_many ? &ticks->sums : NULL);
	forget_process(vm);
	tick_capture_choose(ticks);
	return result;
}

int
tick_capture_open(struct tick_capture **out, const struct tick_settings *settings, struct reply_pool *replies,
		  struct stk_error *err)
{
	struct tick_capture *ticks = *out = mem_new(1, sizeof *ticks);

	ticks->settings = *settings;
	ticks->replies = replies;
	ticks->recorded_ns = ticks->turned_ns = ticks->counted_ns = monotonic_ns();
	pthread_mutex_init(&ticks->lock, NULL);
	ticks->settings.plan.callers = settings->order == ORDER_STACK && !settings->agent;
	ticks->settings.plan.prompt = settings->agent || settings->plan.spin || settings->plan.turns;
#ifdef __x86_64__			/* elsewhere stacks are not walked */
	if (ticks->settings.plan.callers)
		ticks->settings.plan.stack_bytes =
			(uint32_t)(settings->copy_bytes < COPY_MAX ? settings->copy_bytes : COPY_MAX) / 8 * 8;
#endif
	if (tick_sampler_open(&ticks->sampler, &ticks->settings.plan, settings->order == ORDER_STACK ? take_tick : NULL,
			      ticks, err) == 0) {
		if (tick_sampler_wakers(ticks->sampler) != NULL)
			program_say("--off-cpu: who wakes threads is not known: %s", tick_sampler_wakers(ticks->sampler));
		return 0;
	}
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
	walk_sums_report(&ticks->sums, title_begin(ticks));
	for (unsigned i = 0; i < VMS_MAX; i++)
		if (ticks->vms[i].used)
			forget_process(&ticks->vms[i]);
	for (size_t i = 0; i < ticks->taken.count; i++)
		tick_stack_forget(&ticks->taken.at[i].stack);
	for (size_t i = 0; i < ticks->away.count; i++)
		tick_stack_forget(&ticks->away.at[i].stack);
	array_release(&ticks->taken);
	array_release(&ticks->away);
	pthread_mutex_destroy(&ticks->lock);
	free(ticks);
}
