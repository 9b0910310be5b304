/* SPDX-License-Identifier: MIT
 * leaf_labels: each stack has a set of frames that are shown. Stacks that are called the same get one frame more, the
 * first in which they differ, until all are called differently or ROUNDS are over; then they are shown whole. */
#include "report/leaf_labels.h"

#include "base/memory.h"
#include "report/short_name.h"

#include <stdlib.h>

#define FRAMES_MOST 64		/* bits of a set; frames after them are shown only in a stack that is shown whole */
#define ROUNDS      8

struct leaf {
	struct stk_text stack;
	uint64_t shown;		/* frames, by bit */
	bool whole_names;
	size_t from, size;	/* of its label, in the room */
	const char *label;	/* the same, while the room is not moved */
};

struct labelling {
	struct leaf *leaves;
	size_t count;
	struct text_buffer *room;
};

/* Takes the first frame off. */
static struct stk_text
take_frame(struct stk_text *stack)
{
	const char *end = stack->size == 0 ? NULL
					   : memmem(stack->data, stack->size, LEAF_BETWEEN, strlen(LEAF_BETWEEN));
	struct stk_text frame = *stack;

	if (end == NULL) {
		stack->size = 0;
		return frame;
	}
	frame.size = (size_t)(end - stack->data);
	*stack = text_of(end + strlen(LEAF_BETWEEN), stack->size - frame.size - strlen(LEAF_BETWEEN));
	return frame;
}

/* The leaf; its first caller that does not belong to the platform, the next one where there is none or it is near; and
 * callers of that. */
static uint64_t
first_shown(struct stk_text stack, unsigned frames)
{
	unsigned own = 0;
	uint64_t shown = 1;

	(void)take_frame(&stack);
	for (unsigned i = 1; stack.size > 0 && i < FRAMES_MOST && own == 0; i++)
		if (!is_platform(take_frame(&stack)))
			own = i;
	if (own <= 2)
		own = 1;
	for (unsigned i = own; i < FRAMES_MOST && i < own + frames - 1; i++)
		shown |= UINT64_C(1) << i;
	return shown;
}

static void
make_label(const struct labelling *l, struct leaf *leaf)
{
	struct stk_text left = leaf->stack;
	unsigned last = 0;

	leaf->from = l->room->count;
	for (unsigned i = 0; left.size > 0 && i < FRAMES_MOST; i++) {
		struct stk_text frame = take_frame(&left);

		if ((leaf->shown >> i & 1) == 0)
			continue;
		add_string(l->room, i == 0 ? "" : i > last + 1 ? LEAF_BETWEEN ".." LEAF_BETWEEN : LEAF_BETWEEN);
		add_text(l->room, leaf->whole_names ? frame : short_name(frame));
		last = i;
	}
	leaf->size = l->room->count - leaf->from;
}

static void
show_whole(const struct labelling *l, struct leaf *leaf)
{
	leaf->from = l->room->count;
	leaf->size = leaf->stack.size;
	add_text(l->room, leaf->stack);
}

/* The first frame in which two stacks differ. */
static unsigned
first_difference(struct stk_text a, struct stk_text b)
{
	unsigned i = 0;

	while (a.size > 0 && b.size > 0 && text_equal(take_frame(&a), take_frame(&b)))
		i++;
	return i;
}

static int
compare_stacks(const void *a, const void *b)
{
	return text_compare(((const struct leaf *)a)->stack, ((const struct leaf *)b)->stack);
}

static int
compare_labels(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;
	int order = text_compare(text_of(x->label, x->size), text_of(y->label, y->size));

	return order != 0 ? order : text_compare(x->stack, y->stack);
}

static void
sort_by_label(struct labelling *l)
{
	for (size_t i = 0; i < l->count; i++)
		l->leaves[i].label = l->room->at == NULL ? "" : l->room->at + l->leaves[i].from;
	qsort(l->leaves, l->count, sizeof *l->leaves, compare_labels);
}

static bool
are_alike(const struct leaf *a, const struct leaf *b)
{
	return text_equal(text_of(a->label, a->size), text_of(b->label, b->size));
}

/* How many from i on are called the same, while the room is as it was when they were sorted. */
static size_t
alike_from(const struct labelling *l, size_t i)
{
	size_t end = i + 1;

	while (end < l->count && are_alike(&l->leaves[i], &l->leaves[end]))
		end++;
	return end - i;
}

static void
tell_apart(const struct labelling *l, struct leaf *group, size_t count, bool last_round)
{
	unsigned differ = FRAMES_MOST - 1;

	for (size_t i = 0; i + 1 < count; i++) {
		unsigned at = first_difference(group[i].stack, group[i + 1].stack);

		differ = at < differ ? at : differ;
	}
	for (size_t i = 0; i < count; i++) {
		struct leaf *leaf = &group[i];

		if ((leaf->shown >> differ & 1) != 0)
			leaf->whole_names = true;
		leaf->shown |= UINT64_C(1) << differ;
		if (last_round)
			show_whole(l, leaf);
		else
			make_label(l, leaf);
	}
}

static void
make_different(struct labelling *l)
{
	size_t *alike = mem_new(l->count + 1, sizeof *alike);
	bool any = l->count > 0;

	for (unsigned round = 0; any && round < ROUNDS; round++) {
		any = false;
		sort_by_label(l);
		for (size_t i = 0; i < l->count; i += alike[i])
			alike[i] = alike_from(l, i);
		/* the room moves from here on */
		for (size_t i = 0; i < l->count; i += alike[i])
			if (alike[i] > 1) {
				tell_apart(l, &l->leaves[i], alike[i], round + 1 == ROUNDS);
				any = true;
			}
	}
	free(alike);
}

/* Each distinct stack once, in order. */
static size_t
list_distinct(struct leaf *leaves, const struct stk_text *stacks, size_t count)
{
	size_t distinct = 0;

	for (size_t i = 0; i < count; i++)
		leaves[i] = (struct leaf){ .stack = stacks[i] };
	qsort(leaves, count, sizeof *leaves, compare_stacks);
	for (size_t i = 0; i < count; i++)
		if (distinct == 0 || !text_equal(leaves[distinct - 1].stack, leaves[i].stack))
			leaves[distinct++] = leaves[i];
	return distinct;
}

void
leaf_labels(struct stk_text *stacks, size_t count, unsigned frames, struct text_buffer *room)
{
	struct labelling l = { .leaves = mem_new(count + 1, sizeof *l.leaves), .room = room };

	l.count = list_distinct(l.leaves, stacks, count);
	for (size_t i = 0; i < l.count; i++) {
		l.leaves[i].shown = first_shown(l.leaves[i].stack, frames);
		make_label(&l, &l.leaves[i]);
	}
	make_different(&l);
	qsort(l.leaves, l.count, sizeof *l.leaves, compare_stacks);
	for (size_t i = 0; i < count; i++) {
		struct leaf wanted = { .stack = stacks[i] };
		const struct leaf *found = bsearch(&wanted, l.leaves, l.count, sizeof *l.leaves, compare_stacks);

		stacks[i] = text_of(room->at == NULL ? "" : room->at + found->from, found->size);
	}
	free(l.leaves);
}
