/* SPDX-License-Identifier: MIT
 * tick_recording: once a second what came becomes records, with the counts. */
#include "tick_state.h"

#include "tick_counts.h"
#include "tick_moments.h"

#include "base/array.h"
#include "base/bytes.h"
#include "ingest/ingest.h"
#include "ingest/scan_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Who woke a thread, by the name that it has now: it may have ended. */
static struct stk_text
waker_text(const struct taken_tick *taken, char *to, size_t room)
{
	const struct off_waker *by = &taken->waker;
	char name[TICK_NAME_BYTES] = "";

	if (!taken->woken)
		return text_from("");
	if (by->interrupt) {
		snprintf(to, room, "woken by an interrupt");
	} else {
		tick_thread_name(by->pid, by->tid, name);
		snprintf(to, room, "woken by %s (%ld)", name[0] != '\0' ? name : "a thread", (long)by->tid);
	}
	return text_from(to);
}

static int
record_sample(struct tick_capture *ticks, struct live_records *records, struct tick_vm *vm,	/* NULL: another */
	      const struct taken_tick *taken, int64_t wall_ns, struct stk_error *err)
{
	struct finding finding = { .kind = FOUND_SAMPLE };
	struct found_sample *sample = &finding.is.sample;
	char waker[64];

	sample->time_ns = taken->tick.time_ns + wall_ns;
	sample->age_ns = taken->stack.age_ns;
	sample->stack = vm != NULL && taken->tick.state == TICK_INSIDE ? tick_stacks_text(vm->stacks, &taken->stack)
									: text_from(taken->stack.text);
	sample->hash = scan_hash(sample->stack);
	sample->name = text_from(taken->name);
	sample->event = text_from(tick_sampler_event(ticks->sampler));
	sample->tid = (uint64_t)taken->tick.tid;
	sample->processor = taken->tick.cpu;
	sample->weight = ticks->settings.plan.event != NULL ? ticks->settings.plan.period
							    : 1000000000 / ticks->settings.plan.hertz;
	if (taken->away_ns >= 0) {	/* a thread that waits for a processor could run */
		sample->event = text_from("off-cpu");
		sample->weight = (uint64_t)taken->away_ns * ticks->settings.plan.period;
		sample->note = waker_text(taken, waker, sizeof waker);
		sample->state = taken->put_off ? STK_STATE_RUNNABLE : STK_STATE_SLEEPING;
	}
	return live_records_sample(records, vm != NULL ? vm->subject : NULL, &finding, err);
}

/* The stacks of the VM's own threads are not of the format that those of its program may have. */
static int
record_vm_threads(struct tick_capture *ticks, struct live_records *records, struct tick_vm *vm,
		  const struct taken_tick *taken, size_t count, int64_t time_ns, int64_t wall_ns, struct stk_error *err)
{
	bool has_begun = false;

	for (size_t i = 0; i < count; i++) {
		if (taken[i].tick.state == TICK_INSIDE)
			continue;
		if (!has_begun &&
		    live_records_begin_rows(records, vm->subject, &walked_stack_format, time_ns, err) < 0)
			return -1;
		has_begun = true;
		if (record_sample(ticks, records, vm, &taken[i], wall_ns, err) < 0)
			return -1;
	}
	return 0;
}

static int
record_samples(struct tick_capture *ticks, struct live_records *records, struct tick_vm *vm,
	       const struct taken_tick *taken, size_t count, int64_t time_ns, int64_t wall_ns, struct stk_error *err)
{
	if (vm->stacks == NULL || (vm->is_one_of_many && count == 0))
		return 0;
	tick_stacks_refresh(vm->stacks);
	for (size_t i = 0; i < count; i++)
		if (taken[i].tick.state == TICK_INSIDE &&
		    record_sample(ticks, records, vm, &taken[i], wall_ns, err) < 0)
			return -1;
	return record_vm_threads(ticks, records, vm, taken, count, time_ns, wall_ns, err);
}

static int
compare_by_process(const void *a, const void *b)
{
	const struct tick *x = &((const struct taken_tick *)a)->tick, *y = &((const struct taken_tick *)b)->tick;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Sorted by process; those of one, from *at on. */
static struct taken_ticks
ticks_of(const struct taken_ticks *taken, int process, size_t *at)
{
	struct taken_ticks own = { .at = taken->at + *at };

	while (*at < taken->count && taken->at[*at].tick.process == process) {
		++*at;
		own.count++;
	}
	return own;
}

/* A process that is not a VM neither collects nor has threads of the VM. */
static unsigned
state_count(const struct tick_vm *vm)
{
	return vm->is_vm ? TICK_VM + 1 : TICK_INSIDE + 1;
}

/* The share of each state among the VM's ticks since the last time, and how many processors it kept busy. */
static int
record_statistics(struct tick_capture *ticks, struct live_records *records, struct tick_vm *vm,
		  const uint64_t now[TICK_STATES], int64_t time_ns, double seconds, struct stk_error *err)
{
	uint64_t all = 0;
	char name[64];

	for (unsigned s = 0; s < state_count(vm); s++)
		all += now[s] - vm->before[s];
	for (unsigned s = 0; s < state_count(vm); s++) {
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

/* With --rotate-interest: how many ticks each processor should have had while it was the VM's turn. */
static int
record_turn(struct tick_capture *ticks, struct live_records *records, const struct tick_vm *vm, int64_t time_ns,
	    struct stk_error *err)
{
	uint64_t possible = (uint64_t)((double)vm->turn_ns / 1e9 * (double)ticks->settings.plan.hertz + 0.5);

	if (ticks->settings.rotate_ns == 0 || ticks->settings.plan.event != NULL || ticks->settings.plan.turns)
		return 0;
	for (unsigned cpu = 0; cpu < tick_sampler_cpus(ticks->sampler); cpu++)
		if (live_records_counter(records, true, time_ns, (int)cpu, "expected", possible, err) < 0)
			return -1;
	return 0;
}

static bool
has_ticks(const struct tick_capture *ticks, int number)
{
	for (unsigned cpu = 0; cpu < tick_sampler_cpus(ticks->sampler); cpu++)
		for (unsigned s = 0; s <= TICK_VM; s++)
			if (tick_sampler_count(ticks->sampler, cpu, number, (enum tick_state)s) > 0)
				return true;
	return false;
}

/* One of many has no rows of processors that it was never on; a count begins with 0, from which it has grown. */
static int
record_count(struct live_records *records, struct tick_vm *vm, int64_t time_ns, unsigned cpu, enum tick_state state,
	     uint64_t value, struct stk_error *err)
{
	bool *has_row = vm->has_row != NULL ? &vm->has_row[cpu * TICK_STATES + state] : NULL;
	const char *name = tick_state_names[state];

	if (has_row != NULL && value == 0)
		return 0;
	if (has_row != NULL && !*has_row && live_records_counter(records, true, time_ns, (int)cpu, name, 0, err) < 0)
		return -1;
	if (has_row != NULL)
		*has_row = true;
	return live_records_counter(records, true, time_ns, (int)cpu, name, value, err);
}

static int
record_vm(struct tick_capture *ticks, struct live_records *records, unsigned number, const struct taken_tick *taken,
	  size_t count, int64_t time_ns, int64_t wall_ns, struct stk_error *err)
{
	struct tick_vm *vm = &ticks->vms[number];
	int64_t now = time_ns - wall_ns;
	double seconds = (double)(now - vm->told_ns) / 1e9;
	uint64_t sums[TICK_STATES] = { 0 };
	const struct text_format *format = vm->stacks != NULL ? tick_stacks_format(vm->stacks) : &thread_dump_format;

	if (vm->is_one_of_many && count == 0 && !has_ticks(ticks, (int)number))
		return 0;
	vm->told_ns = now;
	if (live_records_begin_rows(records, vm->subject, format, time_ns, err) < 0)
		return -1;
	for (unsigned cpu = 0; cpu < tick_sampler_cpus(ticks->sampler) && !ticks->settings.plan.turns; cpu++)
		for (unsigned s = 0; s < state_count(vm); s++) {
			uint64_t value = tick_sampler_count(ticks->sampler, cpu, (int)number, (enum tick_state)s);

			sums[s] += value;
			if (record_count(records, vm, time_ns, cpu, (enum tick_state)s, value, err) < 0)
				return -1;
		}
	if (record_turn(ticks, records, vm, time_ns, err) < 0)
		return -1;
	if (ticks->settings.rotate_ns > 0)
		seconds = (double)(vm->turn_ns - vm->told_turn_ns) / 1e9;
	vm->told_turn_ns = vm->turn_ns;
	if (ticks->settings.order == ORDER_STATISTICS &&
	    record_statistics(ticks, records, vm, sums, time_ns, seconds, err) < 0)
		return -1;
	return record_samples(ticks, records, vm, taken, count, time_ns, wall_ns, err);
}

/* What a moment calls a VM. */
static const char *
name_at(void *of, int number, int64_t time_ns)
{
	const struct tick_capture *ticks = of;
	const struct tick_vm *vm = &ticks->vms[number];

	return vm->added_ns <= time_ns ? vm->name : NULL;
}

/* What is missing of threads that were away; the processors' other counts are those of the ticks. A kernel that records
 * who wakes threads may still leave out some of them. */
static int
record_unknown_turns(struct tick_capture *ticks, struct live_records *records, int64_t time_ns, struct stk_error *err)
{
	struct tick_totals totals;

	tick_capture_totals(ticks, &totals);
	if (live_records_begin_rows(records, NULL, NULL, time_ns, err) < 0)
		return -1;
	if (tick_sampler_wakers(ticks->sampler) == NULL &&
	    live_records_counter(records, false, time_ns, -1, "off-cpu.unknown-waker", ticks->unknown_wakers, err) < 0)
		return -1;
	return live_records_counter(records, false, time_ns, -1, "off-cpu.lost",
				    totals.lost + totals.stale +
					    off_times_dropped(tick_sampler_turns(ticks->sampler)), err);
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
choose_samples(struct tick_capture *ticks, const struct tick_vm *ended, int64_t now_ns, struct taken_ticks *ready)
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
	for (size_t i = 0; i < ready->count; i++)
		ticks->unknown_wakers += !ready->at[i].put_off && !ready->at[i].woken;
	if (ended != NULL)
		ticks->unknown_wakers += tick_away_end(&ticks->away, ended->process.pid, now_ns, ready);
}

/* Of processes that are too young, too many, or of the kernel: by the name of their program. */
static int
record_others(struct tick_capture *ticks, struct live_records *records, const struct taken_ticks *others,
	      int64_t time_ns, int64_t wall_ns, struct stk_error *err)
{
	struct subject subject = { .name = "others", .format = &process_dump_format };

	if (others->count == 0)
		return 0;
	if (live_records_begin_rows(records, &subject, &walked_stack_format, time_ns, err) < 0)
		return -1;
	for (size_t i = 0; i < others->count; i++)
		if (record_sample(ticks, records, NULL, &others->at[i], wall_ns, err) < 0)
			return -1;
	return 0;
}

/* Of one that ended its records, and the samples of all: of many that end at once, each would have the counts of all
 * the others written again. */
static int
record_vms(struct tick_capture *ticks, struct live_records *records, const struct tick_vm *ended,
	   const struct taken_ticks *taken, int64_t time_ns, int64_t wall_ns, struct stk_error *err)
{
	size_t at = 0;
	struct taken_ticks others = ticks_of(taken, -1, &at);

	if (record_others(ticks, records, &others, time_ns, wall_ns, err) < 0)
		return -1;
	for (int i = 0; i < VMS_MAX; i++) {
		struct taken_ticks own = ticks_of(taken, i, &at);
		const struct tick_vm *vm = &ticks->vms[i];

		if (vm->used && (ended == NULL || ended == vm || own.count > 0) &&
		    record_vm(ticks, records, (unsigned)i, own.at, own.count, time_ns, wall_ns, err) < 0)
			return -1;
	}
	return 0;
}

/* Counts of the processors are written once for many that end at once. */
static bool
is_last(const struct tick_capture *ticks)
{
	unsigned used = 0;

	for (int i = 0; i < VMS_MAX; i++)
		used += ticks->vms[i].used;
	return used <= 1;
}

static int
record_processors(struct tick_capture *ticks, struct live_records *records, const struct tick_vm *ended,
		  int64_t time_ns, int64_t wall_ns, struct stk_error *err)
{
	int result = 0;

	if (ended == NULL || is_last(ticks))
		result = ticks->settings.plan.turns
				 ? record_unknown_turns(ticks, records, time_ns, err)
				 : tick_counts_record(ticks->sampler, ticks->settings.order, records, time_ns, err);
	return result < 0
		       ? -1
		       : tick_moments_record(ticks->sampler, records, time_ns, wall_ns, name_at, ticks, err);
}

int
tick_capture_record_all(struct tick_capture *ticks, struct live_records *records, const struct tick_vm *ended,
			struct stk_error *err)
{
	int64_t now = monotonic_ns(), wall_ns = wall_minus_monotonic_ns(), time_ns = now + wall_ns;
	struct taken_ticks taken = { 0 };
	int result;

	if (ended == NULL)
		ticks->recorded_ns = now;
	tick_capture_choose(ticks);
	tick_sampler_look(ticks->sampler);
	choose_samples(ticks, ended, now, &taken);
	if (taken.count > 0)
		qsort(taken.at, taken.count, sizeof *taken.at, compare_by_process);
	result = record_processors(ticks, records, ended, time_ns, wall_ns, err);
	if (result == 0)
		result = record_vms(ticks, records, ended, &taken, time_ns, wall_ns, err);
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
	return monotonic_ns() - ticks->recorded_ns < RECORD_NS ? 0 : tick_capture_record_all(ticks, records, NULL, err);
}
