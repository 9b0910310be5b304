/* SPDX-License-Identifier: MIT
 * stack_runs: stacks as runs of frames. */
#include "classify/stack_runs.h"

#include "base/text_table.h"

#include <assert.h>

void
stack_runs_release(struct stack_runs *r)
{
	array_release(&r->frames);
	array_release(&r->list);
	hash_map_release(&r->map);
}

uint32_t
stack_runs_find(const struct stack_runs *r, uint32_t stack)
{
	size_t low = 0, high = r->list.count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (r->list.at[middle].first <= stack)
			low = middle;
		else
			high = middle;
	}
	return (uint32_t)low;
}

static uint32_t
depth_in(const struct stack_runs *r, uint32_t run, uint32_t stack)
{
	return r->list.at[run].depth + (stack - r->list.at[run].first);
}

/* The run that begins with this frame called by `caller`, as a stack; 0 when there is none. */
static uint32_t
find_first(const struct stack_runs *r, uint64_t hash, uint32_t caller, uint32_t frame)
{
	uint32_t at = hash_map_start(&r->map, hash), id;

	while ((id = hash_map_next(&r->map, hash, &at)) != 0) {
		const struct stack_run *run = &r->list.at[id - 1];

		if (run->caller == caller && stack_runs_frame(r, run->first) == frame)
			return run->first;
	}
	return 0;
}

static void
begin_run(struct stack_runs *r, uint64_t hash, uint32_t caller)
{
	struct stack_run run = { .first = stack_runs_count(r) + 1, .caller = caller, .depth = 1 };

	if (caller != 0) {
		run.caller_run = stack_runs_find(r, caller);
		run.depth = depth_in(r, run.caller_run, caller) + 1;
	}
	*array_push(&r->list) = run;
	hash_map_put(&r->map, hash, (uint32_t)r->list.count);
}

/* A caller that has the highest number is nobody's caller yet, and its run goes on. */
uint32_t
stack_runs_add(struct stack_runs *r, uint32_t caller, uint32_t frame)
{
	uint32_t next = caller + 1, begins = 0;

	assert(frame <= STACK_FRAME_MAX);
	if (caller == 0 || caller < stack_runs_count(r)) {
		uint64_t hash = hash_pair(caller, frame);
		uint32_t found = 0;

		if (caller != 0 && r->frames.at[next - 1] == frame)
			return next;
		if ((found = find_first(r, hash, caller, frame)) != 0)
			return found;
		begin_run(r, hash, caller);
		begins = STACK_RUN_BEGINS;
	}
	*array_push(&r->frames) = frame | begins;
	return stack_runs_count(r);
}

uint32_t
stack_runs_caller(const struct stack_runs *r, uint32_t stack)
{
	return stack_run_begins(r, stack) ? r->list.at[stack_runs_find(r, stack)].caller : stack - 1;
}

uint32_t
stack_runs_depth(const struct stack_runs *r, uint32_t stack)
{
	return stack == 0 ? 0 : depth_in(r, stack_runs_find(r, stack), stack);
}

void
stack_runs_trace(const struct stack_runs *r, uint32_t stack, uint32_t *frames)
{
	uint32_t run = stack == 0 ? 0 : stack_runs_find(r, stack), left = stack == 0 ? 0 : depth_in(r, run, stack);

	while (stack != 0) {
		const struct stack_run *is = &r->list.at[run];

		for (; stack >= is->first; stack--)
			frames[--left] = stack_runs_frame(r, stack);
		stack = is->caller;
		run = is->caller_run;
	}
}

size_t
stack_runs_bytes(const struct stack_runs *r)
{
	return r->frames.room * sizeof *r->frames.at + r->list.room * sizeof *r->list.at + hash_map_bytes(&r->map);
}
