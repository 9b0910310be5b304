/* SPDX-License-Identifier: MIT
 * tick_stacks: the three ways to a stack. */
#include "tick_stacks.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/quantities.h"
#include "capture/agent_client.h"
#include "capture/caller_names.h"
#include "program/program.h"
#include "walk/vm_walker.h"
#include "walk/walked_names.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STACK_NS  INT64_C(200000000)	/* how long the agent's answer may take */
#define LATE_NS   INT64_C(5000000) /* an answer is of the tick if it comes within this, and its thread still runs */
#define AGES_MAX  ((size_t)1 << 20)	/* answers whose ages are kept; later ones are not */
#define STACK_MAX ((size_t)1 << 20)	/* bytes of a stack: 4,096 frames are walked at most, 1,024 by the agent */

struct tick_stacks {
	const struct process *process;
	char title[330];
	const struct perf_memory *memory;
	struct walk_pool *pool;		/* of all processes */
	enum stack_way way;
	bool is_vm;
	atomic_bool begun;		/* what is below was opened, if that was possible */
	struct stk_error why;		/* why not */
	struct agent_client *agent;
	pthread_mutex_t lock;		/* of `begun`, and of: */
	ARRAY(int64_t) ages;		/* of the agent's answers, in ns */
	uint64_t moved;			/* answers that were late, or whose thread waited meanwhile */
	struct vm_walker *walker;
	struct native_walker *native_walker;	/* of a process that is not a VM */
	struct native_names *natives;	/* of walked stacks */
	struct caller_names *callers;	/* its code keeps frame pointers */
	struct text_buffer text;
};

void
tick_stack_forget(struct tick_stack *stack)
{
	free(stack->text);
	free(stack->callers);
	stack->text = NULL;
	stack->callers = NULL;
}

static bool
keeps_frame_pointers(const struct perf_memory *memory)
{
	struct stk_text arguments = perf_memory_text_of(memory, "java.rt.vmArgs");

	return memmem(arguments.data, arguments.size, "-XX:+PreserveFramePointer", 25) != NULL;
}

static int
open_callers(struct tick_stacks *stacks, const struct process *process, const struct perf_memory *memory,
	     struct stk_error *why)
{
	if (keeps_frame_pointers(memory))
		return caller_names_open(&stacks->callers, process, why);
	return stk_fail(why, STK_EDATA, "it was not started with -XX:+PreserveFramePointer");
}

static int
open_walker(struct tick_stacks *stacks, const struct process *process, struct stk_error *why)
{
	if (vm_walker_open(&stacks->walker, process, stacks->pool, why) < 0)
		return -1;
	native_names_open(&stacks->natives, process);
	return 0;
}

static void
refresh(struct tick_stacks *stacks)
{
	struct stk_error unused = { 0 };

	if (stacks->callers != NULL)
		caller_names_refresh(stacks->callers);
	if (stacks->natives != NULL && native_names_refresh(stacks->natives, &unused) < 0)
		stk_error_clear(&unused);	/* it has ended: what is known of it stays */
}

/* Its names are looked at now: it may have ended when they are wanted. */
static int
open_native(struct tick_stacks *stacks, const struct process *process, enum stack_way way, struct stk_error *why)
{
	if (way == STACKS_BY_AGENT)
		return stk_fail(why, STK_EDATA, "with --agent there are only those of Java VMs");
	if (way == STACKS_BY_KERNEL)
		return stk_fail(why, STK_EDATA, "they are walked in copies, which --stack-copy 0 does without");
	if (native_walker_open(&stacks->native_walker, process, stacks->pool, why) < 0)
		return -1;
	native_names_open(&stacks->natives, process);
	refresh(stacks);
	return 0;
}

static int
open_way(struct tick_stacks *stacks, const struct process *process, const struct perf_memory *memory,
	 enum stack_way way, struct stk_error *why)
{
	struct stk_error unused = { 0 };

	if (way == STACKS_BY_AGENT)
		return agent_client_open(&stacks->agent, process, why);
	if (way == STACKS_BY_KERNEL)
		return open_callers(stacks, process, memory, why);
	if (open_walker(stacks, process, why) == 0)
		return 0;
	if (open_callers(stacks, process, memory, &unused) == 0)
		return 0;
	stk_error_clear(&unused);
	return -1;
}

void
tick_stacks_open(struct tick_stacks **out, const struct process *process, const char *title,
		 bool is_vm, const struct perf_memory *memory, enum stack_way way, struct walk_pool *pool)
{
	struct tick_stacks *stacks = *out = mem_new(1, sizeof *stacks);

	pthread_mutex_init(&stacks->lock, NULL);
	stacks->process = process;
	snprintf(stacks->title, sizeof stacks->title, "%s (%ld)", title, (long)process->pid);
	stacks->memory = memory;
	stacks->is_vm = is_vm;
	stacks->way = way;
	stacks->pool = pool;
}

static void
look_at_process(struct tick_stacks *stacks)
{
	pthread_mutex_lock(&stacks->lock);
	if (!stacks->begun)
		(void)(stacks->is_vm ? open_way(stacks, stacks->process, stacks->memory, stacks->way, &stacks->why)
				     : open_native(stacks, stacks->process, stacks->way, &stacks->why));
	atomic_store(&stacks->begun, true);
	pthread_mutex_unlock(&stacks->lock);
}

void
tick_stacks_begin(struct tick_stacks *stacks)
{
	look_at_process(stacks);
	if (stacks->why.code != STK_EOK)
		program_warn("%s: no stacks of its ticks: %s%s", stacks->title, stacks->why.text,
			     stacks->is_vm && stacks->way == STACKS_BY_WALK
				     ? " (--agent takes them from inside of the VM)"
				     : "");
}

void
tick_stacks_close(struct tick_stacks *stacks)
{
	if (stacks == NULL)
		return;
	stk_error_clear(&stacks->why);
	agent_client_close(stacks->agent);
	vm_walker_close(stacks->walker);
	native_walker_close(stacks->native_walker);
	native_names_close(stacks->natives);
	caller_names_close(stacks->callers);
	array_release(&stacks->text);
	array_release(&stacks->ages);
	pthread_mutex_destroy(&stacks->lock);
	free(stacks);
}

/* --- at the tick --- */

/* A stack longer than any thread's can be is an attempt to use up our memory. */
static char *
kept_text(const char *text, size_t size)
{
	char *kept;

	if (size > STACK_MAX)
		return NULL;
	kept = mem_new(size + 1, 1);
	memcpy(kept, text, size);
	return kept;
}

static bool
is_walked(const struct tick_stacks *stacks)
{
	return stacks->walker != NULL || stacks->native_walker != NULL;
}

static void
walk(struct tick_stacks *stacks, const struct tick *tick, struct tick_stack *stack)
{
	struct text_buffer text = { 0 };

	if (stacks->walker != NULL)
		(void)vm_walker_walk(stacks->walker, tick->stack, &text);
	else
		(void)native_walker_walk(stacks->native_walker, tick->stack, &text);
	stack->text = kept_text(text.at, text.count);
	array_release(&text);
}

/* How often the thread has waited so far; -1: it waits now, or has ended. */
static int64_t
times_waited(const struct tick *tick)
{
	static const char waited[] = "\nvoluntary_ctxt_switches:", running[] = "\nState:\tR";
	char path[64], text[4096];
	const char *at;
	ssize_t size;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/task/%ld/status", (long)tick->pid, (long)tick->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	size = read(fd, text, sizeof text - 1);
	close(fd);
	text[size > 0 ? size : 0] = '\0';
	at = strstr(text, running) != NULL ? strstr(text, waited) : NULL;
	return at != NULL ? strtoll(at + sizeof waited - 1, NULL, 10) : -1;
}

static void
note_answer(struct tick_stacks *stacks, bool moved, int64_t age_ns)
{
	pthread_mutex_lock(&stacks->lock);
	if (moved)
		stacks->moved++;
	else if (stacks->ages.count < AGES_MAX)
		*array_push(&stacks->ages) = age_ns;
	pthread_mutex_unlock(&stacks->lock);
}

/* The answer of a thread that waited meanwhile would be where it waits, as if that used the processor. */
static void
ask_agent(struct tick_stacks *stacks, const struct tick *tick, struct reply_pool *replies, struct tick_stack *stack)
{
	struct attach_reply reply = { .pool = replies };
	int64_t before = times_waited(tick);
	bool moved = before < 0;

	if (!moved && agent_client_stack(stacks->agent, tick->tid, monotonic_ns() + STACK_NS, &reply)) {
		stack->age_ns = monotonic_ns() - tick->time_ns;
		moved = stack->age_ns > LATE_NS || times_waited(tick) != before;
		if (!moved)
			stack->text = kept_text(reply.text, reply.size);
	}
	if (moved || stack->text != NULL)
		note_answer(stacks, moved, stack->age_ns);
	attach_reply_release(&reply);
}

bool
tick_stacks_take(struct tick_stacks *stacks, const struct tick *tick, struct reply_pool *replies,
		 struct tick_stack *stack)
{
	*stack = (struct tick_stack){ 0 };
	if (!atomic_load(&stacks->begun))
		look_at_process(stacks);
	if (is_walked(stacks) && tick->stack != NULL) {
		walk(stacks, tick, stack);
	} else if (stacks->agent != NULL) {
		ask_agent(stacks, tick, replies, stack);
	} else if (stacks->callers != NULL && tick->caller_count > 0) {
		stack->callers = mem_new(tick->caller_count, sizeof *stack->callers);
		stack->caller_count = tick->caller_count;
		memcpy(stack->callers, tick->callers, tick->caller_count * sizeof *stack->callers);
	}
	return stack->text != NULL || stack->callers != NULL;
}

/* --- later --- */

const struct text_format *
tick_stacks_format(const struct tick_stacks *stacks)
{
	return is_walked(stacks)	 ? &walked_stack_format
	       : stacks->callers != NULL ? &perf_script_format
					 : &thread_dump_format;
}

void
tick_stacks_refresh(struct tick_stacks *stacks)
{
	if (atomic_load(&stacks->begun))
		refresh(stacks);
}

struct stk_text
tick_stacks_text(struct tick_stacks *stacks, const struct tick_stack *stack)
{
	if (stack->callers != NULL)
		return text_from(caller_names_text(stacks->callers, stack->callers, stack->caller_count));
	if (stack->text == NULL)
		return text_from("");
	if (!is_walked(stacks))
		return text_from(stack->text);
	stacks->text.count = 0;
	walked_names_add(stacks->natives, text_from(stack->text), &stacks->text);
	return text_in(&stacks->text, 0);
}

static void
say_ends(const char *title, const uint64_t ends[WALK_ENDS])
{
	for (int end = WALK_WHOLE + 1; end < WALK_ENDS; end++)
		if (ends[end] > 0)
			program_say("%s: %llu of them end early: %s", title, (unsigned long long)ends[end],
				    walk_end_names[end]);
}

static int
compare_ages(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

static void
report_agent(struct tick_stacks *stacks)
{
	size_t count = stacks->ages.count;

	if (count > 0) {
		qsort(stacks->ages.at, count, sizeof *stacks->ages.at, compare_ages);
		program_say("%s: %zu stacks by the agent, %.2f ms after their ticks (median), %.2f ms (99 %%)",
			    stacks->title, count, (double)stacks->ages.at[(count - 1) / 2] / 1e6,
			    (double)stacks->ages.at[(count - 1) * 99 / 100] / 1e6);
	}
	if (stacks->moved > 0)
		program_say("%s: %llu ticks without a stack: the answer came late, or the thread waited meanwhile",
			    stacks->title, (unsigned long long)stacks->moved);
}

static void
say_walks(const char *title, const struct native_walks *walks)
{
	if (walks->stacks == 0)
		return;
	program_say("%s: %llu stacks walked, %.1f %% of them whole", title, (unsigned long long)walks->stacks,
		    100.0 * (double)walks->ends[WALK_WHOLE] / (double)walks->stacks);
	if (walks->linked > 0)
		program_say("%s: %llu of them by frame pointers in part: a function without a frame of its own hides its caller",
			    title, (unsigned long long)walks->linked);
	say_ends(title, walks->ends);
}

static void
add_walks(struct walk_sums *sums, const struct native_walks *walks)
{
	sums->processes++;
	sums->walks.stacks += walks->stacks;
	sums->walks.linked += walks->linked;
	for (int end = 0; end < WALK_ENDS; end++)
		sums->walks.ends[end] += walks->ends[end];
}

static void
report_native(struct tick_stacks *stacks, struct walk_sums *sums)
{
	struct native_walks walks;

	native_walker_totals(stacks->native_walker, &walks);
	if (sums != NULL)
		add_walks(sums, &walks);
	else
		say_walks(stacks->title, &walks);
}

/* Some end before they are looked at; that there are none at all is another matter. */
void
walk_sums_report(const struct walk_sums *sums, const char *title_begin)
{
	char title[64];

	snprintf(title, sizeof title, "%s%llu %s", title_begin, (unsigned long long)sums->processes,
		 plural(sums->processes, "process", "processes"));
	say_walks(title, &sums->walks);
	if (sums->without > 0)
		(sums->walks.stacks > 0 ? program_say : program_warn)(
			"%llu more: no stacks of their ticks, the last one %s", (unsigned long long)sums->without, sums->why);
}

void
tick_stacks_report(struct tick_stacks *stacks, struct walk_sums *sums)
{
	struct walk_totals totals;

	if (sums != NULL && stacks->why.code != STK_EOK) {
		sums->without++;
		snprintf(sums->why, sizeof sums->why, "%s: %s", stacks->title, stacks->why.text);
	}
	if (stacks->agent != NULL)
		report_agent(stacks);
	if (stacks->native_walker != NULL)
		report_native(stacks, sums);
	if (stacks->walker == NULL)
		return;
	vm_walker_totals(stacks->walker, &totals);
	if (totals.stacks == 0)
		return;
	if (totals.with_methods == 0)
		program_say("%s: %llu stacks walked (JDK %d), none with methods", stacks->title,
			    (unsigned long long)totals.stacks, vm_walker_version(stacks->walker));
	else
		program_say(
			"%s: %llu stacks walked (JDK %d), %.1f %% of those with methods whole; in %.1f %% the innermost inlined methods "
			"are estimates",
			stacks->title, (unsigned long long)totals.stacks, vm_walker_version(stacks->walker),
			100.0 * (double)totals.whole_with_methods / (double)totals.with_methods,
			100.0 * (double)totals.estimated / (double)totals.stacks);
	say_ends(stacks->title, totals.ends);
}
