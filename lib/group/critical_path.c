/* SPDX-License-Identifier: MIT
 * critical_path: a walk backward over spans by their ends; where it goes from a begin is found in one pass forward. */
#include "group/critical_path.h"

#include "base/memory.h"

#include <stdlib.h>

/* Where the path goes from the begin of a span that nothing waits for. */
struct before { uint32_t open, ended; };	/* numbers from 1 on; 0 none */

struct walk {
	const struct work_span *spans;
	uint32_t count;
	struct before *before;
	uint32_t *by_end;			/* numbers from 0 on, the last end first */
	uint32_t next_end;
	ARRAY(uint32_t) waiting;		/* spans that wait for the present one, the innermost last */
	struct path_pieces *to;
};

static bool
ends_later(const struct work_span *spans, uint32_t a, uint32_t b)
{
	if (spans[a].to != spans[b].to)
		return spans[a].to > spans[b].to;
	return spans[a].from != spans[b].from ? spans[a].from > spans[b].from : a > b;
}

/* Spans have the order of their begins: of those open at one, those that began last are last on the stack; what has
 * ended by then never opens again. */
static void
find_before(struct walk *w)
{
	ARRAY(uint32_t) open = { 0 };
	uint32_t ended = 0, begun = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		int64_t at = w->spans[i].from;

		for (; w->spans[begun].from < at; begun++)
			*array_push(&open) = begun;
		while (open.count > 0 && w->spans[open.at[open.count - 1]].to < at) {
			uint32_t over = open.at[--open.count];

			if (ended == 0 || ends_later(w->spans, over, ended - 1))
				ended = over + 1;
		}
		w->before[i].open = open.count == 0 ? 0 : open.at[open.count - 1] + 1;
		w->before[i].ended = open.count == 0 ? ended : 0;
	}
	array_release(&open);
}

struct end { int64_t from, to; uint32_t number; };

static int
compare_ends(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->to != y->to)
		return x->to > y->to ? -1 : 1;
	if (x->from != y->from)
		return x->from > y->from ? -1 : 1;
	return x->number > y->number ? -1 : x->number < y->number;
}

static void
sort_ends(struct walk *w)
{
	struct end *ends = mem_new(w->count, sizeof *ends);

	for (uint32_t i = 0; i < w->count; i++)
		ends[i] = (struct end){ w->spans[i].from, w->spans[i].to, i };
	qsort(ends, w->count, sizeof *ends, compare_ends);
	for (uint32_t i = 0; i < w->count; i++)
		w->by_end[i] = ends[i].number;
	free(ends);
}

static void
add_piece(struct walk *w, int64_t from, int64_t to, uint32_t span)
{
	if (from < to)
		*array_push(&w->to->list) = (struct path_piece){ from, to, span };
}

/* What ended last within a span before a time; count: nothing. What is passed over is never within a later one of the
 * walk, since that is around this one or before it. */
static uint32_t
waited_for(struct walk *w, uint32_t span, int64_t until, may_wait_function *may_wait, void *context)
{
	const struct work_span *outer = &w->spans[span];

	for (; w->next_end < w->count; w->next_end++) {
		uint32_t inner = w->by_end[w->next_end];
		const struct work_span *s = &w->spans[inner];
		bool within = s->from > outer->from || (s->from == outer->from && inner > span);

		if (s->to <= outer->from)
			return w->count;
		if (inner != span && s->to <= until && within && may_wait(context, outer->thread, s->to))
			return inner;
	}
	return w->count;
}

/* From the begin of a span: sets where the path goes on, and until when. False: it is the first. */
static bool
go_before(struct walk *w, uint32_t *span, int64_t *until)
{
	const struct before *before = &w->before[*span];

	while (w->waiting.count > 0) {
		*span = w->waiting.at[--w->waiting.count];
		if (w->spans[*span].from < *until)
			return true;
		before = &w->before[*span];
	}
	if (before->open != 0) {
		*span = before->open - 1;
		return true;
	}
	if (before->ended == 0)
		return false;
	*span = before->ended - 1;
	add_piece(w, w->spans[*span].to, *until, 0);
	*until = w->spans[*span].to;
	return true;
}

static void
turn_round(struct path_pieces *pieces)
{
	for (size_t i = 0, j = pieces->list.count; i + 1 < j; i++) {
		struct path_piece last = pieces->list.at[--j];

		pieces->list.at[j] = pieces->list.at[i];
		pieces->list.at[i] = last;
	}
}

void
critical_path(const struct work_span *spans, uint32_t count, may_wait_function *may_wait, void *context,
	      struct path_pieces *to)
{
	struct walk w = { .spans = spans, .count = count, .to = to };
	uint32_t span, inner;
	int64_t until;

	to->list.count = 0;
	if (count == 0)
		return;
	w.before = mem_new(count, sizeof *w.before);
	w.by_end = mem_new(count, sizeof *w.by_end);
	find_before(&w);
	sort_ends(&w);
	span = w.by_end[0];
	until = spans[span].to;
	do {
		while ((inner = waited_for(&w, span, until, may_wait, context)) < count) {
			add_piece(&w, spans[inner].to, until, span + 1);
			until = spans[inner].to;
			*array_push(&w.waiting) = span;
			span = inner;
		}
		add_piece(&w, spans[span].from, until, span + 1);
		until = spans[span].from;
	} while (go_before(&w, &span, &until));
	turn_round(to);
	free(w.before);
	free(w.by_end);
	array_release(&w.waiting);
}
