/* SPDX-License-Identifier: MIT
 * class_shares: what a class is of the stacks that begin like it.
 *
 * Totals go up from the leaves, run by run: a run is later than that of its caller, so the last is first. Within a run
 * only those stacks matter where a class ends or another run begins: between them nothing branches. */
#include "classify/class_shares.h"

#include "base/memory.h"

#include <stdlib.h>

/* What goes through a stack, of one part: of one class, or of more whose shares are known. */
struct through {
	uint64_t total;
	uint32_t stack, part;
	uint32_t lone;			/* the class, when there is nothing else; else 0 */
	uint32_t next;			/* of the same run, counted from 1; 0: the last */
};

struct throughs { struct through *at; size_t count, room; };

struct shares {
	const struct classifier *classifier;
	double *of;			/* by class */
	struct throughs all;
	struct throughs run;		/* those at hand */
	uint32_t *first;		/* by run: of `all`, counted from 1 */
};

static int
by_part_and_depth(const void *a, const void *b)
{
	const struct through *x = a, *y = b;

	return x->part != y->part ? (x->part > y->part) - (x->part < y->part)
				  : (x->stack < y->stack) - (x->stack > y->stack);
}

static void
settle_share(struct shares *s, uint32_t class, uint64_t whole)
{
	if (class != 0)
		s->of[class] = (double)classifier_get(s->classifier, class)->total / (double)whole;
}

/* Adds what goes through the stack at hand to what comes from below it: from there on a class is not alone. */
static void
meet(struct shares *s, struct through *sum, const struct through *at, size_t count)
{
	uint64_t below = sum->total;

	for (size_t i = 0; i < count; i++)
		sum->total += at[i].total;
	if (below == 0 && count == 1) {
		sum->lone = at->lone;
		return;
	}
	settle_share(s, sum->lone, sum->total);
	for (size_t i = 0; i < count; i++)
		settle_share(s, at[i].lone, sum->total);
	sum->lone = 0;
}

/* What goes through the first stack of the run at hand, of the part of its element `from`; returns the element after
 * that part. */
static size_t
sum_part(struct shares *s, size_t from, struct through *sum)
{
	const struct through *at = s->run.at;

	*sum = (struct through){ .part = at[from].part };
	while (from < s->run.count && at[from].part == sum->part) {
		size_t to = from + 1;

		while (to < s->run.count && at[to].part == sum->part && at[to].stack == at[from].stack)
			to++;
		meet(s, sum, at + from, to - from);
		from = to;
	}
	return from;
}

static void
put_through(struct shares *s, uint32_t run, const struct through *through)
{
	*array_push(&s->all) = *through;
	s->all.at[s->all.count - 1].next = s->first[run];
	s->first[run] = (uint32_t)s->all.count;
}

static void
gather_run(struct shares *s, uint32_t run)
{
	s->run.count = 0;
	for (uint32_t at = s->first[run]; at != 0; at = s->all.at[at - 1].next)
		*array_push(&s->run) = s->all.at[at - 1];
	if (s->run.count > 1)
		qsort(s->run.at, s->run.count, sizeof *s->run.at, by_part_and_depth);
}

/* The sums of a run, from its last stack to its first, and from there to its caller's run. What leaves a run
 * without a caller is put at `above`. */
static void
go_up(struct shares *s, const struct stack_run *runs, uint32_t run, uint32_t above)
{
	struct through sum;

	gather_run(s, run);
	for (size_t i = 0; i < s->run.count; ) {
		i = sum_part(s, i, &sum);
		sum.stack = runs[run].caller;
		put_through(s, sum.stack == 0 ? above : runs[run].caller_run, &sum);
	}
}

double *
class_shares(const struct classifier *c)
{
	const struct stack_runs *runs = classifier_runs(c);
	uint32_t above = (uint32_t)runs->list.count, classes = classifier_classes(c);
	struct shares s = { .classifier = c,
			    .of = mem_new(classes + 1u, sizeof *s.of),
			    .first = mem_new(above + 1u, sizeof *s.first) };

	for (uint32_t id = 1; id <= classes; id++) {
		const struct class *class = classifier_get(c, id);
		struct through own = {
			.total = class->total, .stack = class->stack, .part = class->part, .lone = id
		};

		if (class->total > 0)
			put_through(&s, stack_runs_find(runs, class->stack), &own);
	}
	for (uint32_t run = above; run-- > 0; )
		go_up(&s, runs->list.at, run, above);
	gather_run(&s, above);
	for (size_t i = 0; i < s.run.count; ) {
		struct through sum;

		i = sum_part(&s, i, &sum);
		settle_share(&s, sum.lone, sum.total);
	}
	array_release(&s.all);
	array_release(&s.run);
	free(s.first);
	return s.of;
}
