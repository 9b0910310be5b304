/* SPDX-License-Identifier: MIT
 * stack_runs: numbers, callers, depths and traces are those of a plain list of callers and frames. */
#include "../lib/tap.h"

#include "base/memory.h"
#include "classify/stack_runs.h"

#define STEPS 20000

struct pair { uint32_t caller, frame; };
struct pairs { struct pair *at; size_t count, room; };	/* of stack n at[n - 1] */

static uint64_t chance = 1;

static uint32_t
below(uint32_t limit)
{
	chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(chance >> 33) % limit;
}

static uint32_t
plain_add(struct pairs *pairs, uint32_t caller, uint32_t frame)
{
	for (size_t i = caller; i < pairs->count; i++)	/* a stack comes after its caller */
		if (pairs->at[i].caller == caller && pairs->at[i].frame == frame)
			return (uint32_t)i + 1;
	*array_push(pairs) = (struct pair){ caller, frame };
	return (uint32_t)pairs->count;
}

/* Chains and branches: half of the time the last stack is called on from. */
static bool
adds_alike(struct stack_runs *runs, struct pairs *pairs)
{
	uint32_t last = 0;
	bool alike = true;

	for (unsigned i = 0; i < STEPS && alike; i++) {
		uint32_t caller = below(8) > 0 ? last : below((uint32_t)pairs->count + 1), frame = 1 + below(5);

		last = plain_add(pairs, caller, frame);
		alike = stack_runs_add(runs, caller, frame) == last;
	}
	return alike && stack_runs_count(runs) == pairs->count;
}

static bool
is_alike(const struct stack_runs *runs, const struct pairs *pairs, uint32_t stack)
{
	uint32_t depth = 0, left;
	uint32_t *trace;
	bool alike;

	for (uint32_t at = stack; at != 0; at = pairs->at[at - 1].caller)
		depth++;
	if (stack_runs_depth(runs, stack) != depth ||
	    (stack != 0 && (stack_runs_caller(runs, stack) != pairs->at[stack - 1].caller ||
			    stack_runs_frame(runs, stack) != pairs->at[stack - 1].frame)))
		return false;
	trace = mem_new(depth + 1, sizeof *trace);
	stack_runs_trace(runs, stack, trace);
	alike = true;
	left = depth;
	for (uint32_t at = stack; at != 0; at = pairs->at[at - 1].caller)
		alike = alike && trace[--left] == pairs->at[at - 1].frame;
	free(trace);
	return alike;
}

static bool
all_alike(const struct stack_runs *runs, const struct pairs *pairs)
{
	for (uint32_t stack = 0; stack <= pairs->count; stack++)
		if (!is_alike(runs, pairs, stack))
			return false;
	return true;
}

int
main(void)
{
	struct stack_runs runs = { 0 };
	struct pairs pairs = { 0 };

	ok(adds_alike(&runs, &pairs), "the same stack gets the same number, a new one the next");
	ok(all_alike(&runs, &pairs), "callers, frames, depths and traces are those of a plain list");
	ok(runs.list.count < pairs.count, "only some stacks begin a run");
	stack_runs_release(&runs);
	ok(stack_runs_add(&runs, 0, 7) == 1 && stack_runs_depth(&runs, 1) == 1, "empty again after release");
	stack_runs_release(&runs);
	array_release(&pairs);
	return tap_end();
}
