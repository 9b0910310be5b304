/* SPDX-License-Identifier: MIT
 * stack_order: a walk down the tree of names, in which a node is all stacks with the same text. */
#include "choose/stack_order.h"

#include "base/text_table.h"

/* Functions of a frame: several where they were inlined. */
struct frame_functions { uint32_t first, count; };

/* A node's own line, or all lines below it: "x" and "x;...". Between the two there may be lines of siblings: "x$1".
 * Steps with the same rank below one caller are one node. */
struct order_step { uint32_t rank, place, function; bool below; };

struct ranked_name { struct stk_text text; uint32_t number; bool below; };

/* The steps below a node, whose position is `caller`. */
struct order_level { size_t begin, at; uint32_t caller; };

struct order_walk {
	const struct stack_places *places;
	uint32_t *first, *next;			/* by place: its first callee, its caller's next one, where its caller
						 * was. When it was met, its position is in `next` */
	uint32_t position;			/* the last one */
	struct ordered_stack *stacks;		/* by position */
	struct text_table texts;		/* names of functions */
	uint32_t *ranks;			/* by text: of its own line, and of those below it */
	ARRAY(struct frame_functions) frames;	/* by number of the frame: which of the functions */
	ARRAY(uint32_t) functions;		/* numbers of texts */
	ARRAY(struct order_step) steps;
	ARRAY(struct order_level) levels;
};

/* --- names --- */

static void
add_functions(struct order_walk *w, struct stk_text names)
{
	const char *at = names.data, *end = at + names.size, *stop;
	struct frame_functions *frame = array_push(&w->frames);

	*frame = (struct frame_functions){ (uint32_t)w->functions.count, 1 };
	while (at < end && (stop = memchr(at, ';', (size_t)(end - at))) != NULL) {
		*array_push(&w->functions) = text_table_number(&w->texts, text_of(at, (size_t)(stop - at)));
		frame->count++;
		at = stop + 1;
	}
	*array_push(&w->functions) = text_table_number(&w->texts, text_of(at, (size_t)(end - at)));
}

static int
byte_at(const struct ranked_name *of, size_t place)
{
	if (place < of->text.size)
		return (unsigned char)of->text.data[place];
	return of->below ? ';' : -1;
}

static int
compare_names(const void *a, const void *b)
{
	const struct ranked_name *x = a, *y = b;
	size_t common = x->text.size < y->text.size ? x->text.size : y->text.size;
	int order = common == 0 ? 0 : memcmp(x->text.data, y->text.data, common);

	return order != 0 ? order : byte_at(x, common) - byte_at(y, common);
}

static void
rank_names(struct order_walk *w)
{
	size_t count = w->texts.texts.count;
	struct ranked_name *names = mem_new(2 * count, sizeof *names);

	for (uint32_t i = 0; i < 2 * count; i++)
		names[i] = (struct ranked_name){ text_table_text(&w->texts, i / 2 + 1), i / 2 + 1, i % 2 != 0 };
	qsort(names, 2 * count, sizeof *names, compare_names);
	w->ranks = mem_new(2 * (count + 1), sizeof *w->ranks);
	for (uint32_t i = 0; i < 2 * count; i++)
		w->ranks[2 * names[i].number + names[i].below] = i;
	free(names);
}

/* --- the order --- */

static inline uint32_t
count_functions(const struct order_walk *w, uint32_t place)
{
	return place == PLACE_NONE ? 0 : w->frames.at[w->places->frames.at[place]].count;
}

/* All but the last of a frame's functions have only lines below; that one has its own, and those of its callees. */
static void
add_steps(struct order_walk *w, uint32_t place, uint32_t function)
{
	const struct frame_functions *frame = &w->frames.at[w->places->frames.at[place]];
	const uint32_t *ranks = w->ranks + 2 * w->functions.at[frame->first + function];

	if (function + 1 == frame->count)
		*array_push(&w->steps) = (struct order_step){ ranks[0], place, function, false };
	if (function + 1 < frame->count || w->first[place] != 0)
		*array_push(&w->steps) = (struct order_step){ ranks[1], place, function, true };
}

/* Below a function: the next one of its frame, or the callees. */
static void
add_steps_below(struct order_walk *w, uint32_t place, uint32_t function)
{
	if (function + 1 < count_functions(w, place)) {
		add_steps(w, place, function + 1);
		return;
	}
	for (uint32_t callee = w->first[place]; callee != 0; callee = w->next[callee])
		add_steps(w, callee, 0);
}

static int
compare_steps(const void *a, const void *b)
{
	const struct order_step *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The next position is that of a place. */
static inline void
put_next(struct order_walk *w, uint32_t place, uint32_t caller)
{
	w->next[place] = ++w->position;
	w->stacks[w->position] = (struct ordered_stack){ caller, w->places->frames.at[place] };
}

/* Most stacks have one callee, whose own line is before those below it. The last stack of such a row. */
static uint32_t
follow_only_callees(struct order_walk *w, uint32_t place)
{
	uint32_t callee;

	while ((callee = w->first[place]) != 0 && w->next[callee] == 0 && count_functions(w, callee) == 1) {
		put_next(w, callee, w->next[place]);
		place = callee;
	}
	return place;
}

/* What is below some steps of one node becomes the next level. Only the last function of a frame has a position. */
static void
enter(struct order_walk *w, size_t from, size_t to, uint32_t caller)
{
	size_t begin = w->steps.count;

	for (size_t i = from; i < to; i++) {
		uint32_t place = w->steps.at[i].place, function = w->steps.at[i].function;
		bool last = function + 1 >= count_functions(w, place);

		if (last && to == from + 1) {
			place = follow_only_callees(w, place);
			function = count_functions(w, place);
		}
		if (last)
			caller = w->next[place];
		add_steps_below(w, place, function);
	}
	if (w->steps.count > begin + 2 || (w->steps.count == begin + 2 && !w->steps.at[begin + 1].below))
		qsort(w->steps.at + begin, w->steps.count - begin, sizeof *w->steps.at, compare_steps);
	*array_push(&w->levels) = (struct order_level){ begin, begin, caller };
}

static void
take_steps(struct order_walk *w, size_t from, size_t to, uint32_t caller)
{
	if (w->steps.at[from].below) {
		enter(w, from, to, caller);
		return;
	}
	put_next(w, w->steps.at[from].place, caller);
	for (size_t i = from + 1; i < to; i++)
		w->next[w->steps.at[i].place] = w->position;
}

static void
walk(struct order_walk *w)
{
	*array_push(&w->steps) = (struct order_step){ .place = PLACE_NONE };
	enter(w, 0, 1, 0);
	while (w->levels.count > 0) {
		struct order_level *level = &w->levels.at[w->levels.count - 1];
		size_t from = level->at, to = from;

		if (from == w->steps.count) {
			w->steps.count = level->begin;
			w->levels.count--;
			continue;
		}
		while (to < w->steps.count && w->steps.at[to].rank == w->steps.at[from].rank)
			to++;
		level->at = to;
		take_steps(w, from, to, level->caller);
	}
}

/* Callers are met last, so that callees are in the order of their places. */
static void
find_callees(struct order_walk *w, size_t count)
{
	w->first = mem_new(count, sizeof *w->first);
	w->stacks = mem_new(count, sizeof *w->stacks);
	for (size_t place = count; place-- > PLACE_NONE + 1;) {
		uint32_t *first = &w->first[w->next[place]];

		w->next[place] = *first;
		*first = (uint32_t)place;
	}
}

void
stack_order_make(struct stack_order *out, struct stack_places *places, struct naming *naming, bool java)
{
	struct order_walk w = { .places = places, .next = places->callers.at };
	struct stk_text *names = mem_new(places->frame_ids.count, sizeof *names);

	for (size_t f = 0; f < places->frame_ids.count; f++) {
		names[f] = naming_frame(naming, places->frame_ids.at[f], java);
		add_functions(&w, names[f]);
	}
	rank_names(&w);
	find_callees(&w, places->callers.count);
	walk(&w);
	*out = (struct stack_order){ w.next, w.stacks, w.position, names };
	memset(&places->callers, 0, sizeof places->callers);
	free(w.first);
	text_table_release(&w.texts);
	free(w.ranks);
	array_release(&w.frames);
	array_release(&w.functions);
	array_release(&w.steps);
	array_release(&w.levels);
}

void
stack_order_release(struct stack_order *o)
{
	free(o->positions);
	free(o->stacks);
	free(o->names);
}
