/* SPDX-License-Identifier: MIT
 * native_walker: one frame after another by the rules of its pc; where there are none, by its instructions and frame
 * pointers. */
#include "walk/native_walker.h"

#include "base/memory.h"
#include "walk/frame_link.h"
#include "walk/native_rules.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define FRAMES_MAX 4096u

struct native_walker {
	struct native_rules *rules;
	struct remote_memory memory;
	struct code_pages code;		/* of this walk */
	pthread_mutex_t lock;		/* of all */
	struct walk_share share;
	bool linked;			/* this walk has followed a frame pointer */
	struct native_walks totals;
};

/* What a step says: go on, or the walk's end. */
#define WALK_ON WALK_ENDS

int
native_walker_open(struct native_walker **out, const struct process *process, struct walk_pool *pool,
		   struct stk_error *err)
{
	struct native_rules *rules = NULL;

	*out = NULL;
#ifdef __x86_64__
	if (native_rules_open(&rules, process, err) < 0)
		return -1;
#else
	(void)process, (void)pool;
	return stk_fail(err, STK_EDATA, "stacks are walked on x86-64 only");
#endif
	*out = mem_new(1, sizeof **out);
	(*out)->rules = rules;
	(*out)->share.pool = pool;
	(*out)->memory.pid = process->pid;
	(*out)->code.memory = &(*out)->memory;
	pthread_mutex_init(&(*out)->lock, NULL);
	return 0;
}

void
native_walker_close(struct native_walker *walker)
{
	if (walker == NULL)
		return;
	walk_share_set(&walker->share, 0);
	native_rules_close(walker->rules);
	pthread_mutex_destroy(&walker->lock);
	free(walker);
}

static void
add_frame(struct text_buffer *to, uint64_t address)
{
	char text[24];

	add_bytes(to, text, (size_t)snprintf(text, sizeof text, "n\t%" PRIx64 "\n", address));
}

/* A leaf of a library that was written by hand has no frame: whether it is one is seen first. */
static enum walk_end
step_without_rule(struct native_walker *walker, struct stack_copy *stack, bool is_top)
{
	if (is_top && native_rules_leave_leaf(walker->rules, stack))
		return WALK_ON;
	switch (frame_link_step(&walker->code, stack, is_top)) {
	case LINK_ENTRY: return WALK_WHOLE;
	case LINK_BY_POINTER: walker->linked = true; return WALK_ON;
	case LINK_BY_CODE: return WALK_ON;
	case LINK_NONE: break;
	}
	return walker->code.reads == CODE_READS_MAX ? WALK_TOO_DEEP : stack->ran_out ? WALK_NOT_COPIED : WALK_NO_RULE;
}

static enum walk_end
step(struct native_walker *walker, struct stack_copy *stack, bool is_top, struct text_buffer *to)
{
	/* the address of the call, not of its return */
	add_frame(to, stack->registers[AT_RIP] - !is_top);
	switch (native_rules_step(walker->rules, stack, is_top)) {
	case NATIVE_STEPPED: return WALK_ON;
	case NATIVE_ENTRY: return WALK_WHOLE;
	case NATIVE_UNREADABLE: return stack->ran_out ? WALK_NOT_COPIED : WALK_UNREADABLE;
	case NATIVE_NO_RULE: break;
	}
	return step_without_rule(walker, stack, is_top);
}

static enum walk_end
walk(struct native_walker *walker, struct stack_copy *stack, struct text_buffer *to)
{
	for (unsigned frames = 0; frames < FRAMES_MAX; frames++) {
		uint64_t before = stack->registers[AT_RSP];
		enum walk_end end = step(walker, stack, frames == 0, to);

		if (end != WALK_ON)
			return end;
		if (stack->registers[AT_RSP] < before)
			return WALK_NOT_RISING;
	}
	return WALK_TOO_DEEP;
}

enum walk_end
native_walker_walk(struct native_walker *walker, struct stack_copy *stack, struct text_buffer *to)
{
	enum walk_end end;

	pthread_mutex_lock(&walker->lock);
	if (walk_share_is_large(&walker->share))
		native_rules_forget(walker->rules);
	walker->linked = false;
	code_pages_begin(&walker->code);
	end = walk(walker, stack, to);
	walk_share_set(&walker->share, native_rules_bytes(walker->rules));
	walker->totals.stacks++;
	walker->totals.linked += walker->linked;
	walker->totals.ends[end]++;
	pthread_mutex_unlock(&walker->lock);
	walk_end_add(end, to);
	return end;
}

void
native_walker_totals(struct native_walker *walker, struct native_walks *totals)
{
	pthread_mutex_lock(&walker->lock);
	*totals = walker->totals;
	pthread_mutex_unlock(&walker->lock);
}
