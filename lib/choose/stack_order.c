/* SPDX-License-Identifier: MIT
 * stack_order: a walk down the tree of names, in which a node is all stacks with the same text. */
#include "choose/stack_order.h"

#include "base/text_table.h"

/* Functions of a frame: several where they were inlined. */
struct frame_functions { uint32_t first, count; };

/* A node's own line, or all lines below it: "x" and "x;...". Between the two there may be lines of siblings: "x$1".
 * Steps with the same rank below one caller are one node. Above it in its line is the last stack of a row of the order,
 * then the functions of its frame that are before this one. */
struct order_step { uint32_t rank, place, place_row, above, function : 30, last : 1, below : 1; };

struct ranked_name { struct stk_text text; uint32_t number; bool below; };

/* The steps below a node. */
struct order_level { size_t begin, at; };

/* A row of places: the first of those that its last stack calls, and the next one of its own caller, 0 for none. With
 * what is asked for together, as rows are far from those that were met before. */
struct called_row { uint32_t first, next, place, frame; };

struct order_walk {
	struct stack_order *order;
	const struct place_row *place_rows;
	struct called_row *called;		/* by row of places */
	uint32_t position;			/* the last one */
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

static inline bool
is_last_of_row(const struct order_walk *w, struct order_step step)
{
	return step.place + 1 == w->place_rows[step.place_row + 1].first;
}

/* All but the last of a frame's functions have only lines below; that one has its own, and those of its callees. */
static void
add_steps(struct order_walk *w, struct order_step step, uint32_t frame)
{
	const struct frame_functions *functions = &w->frames.at[frame];
	const uint32_t *ranks = w->ranks + 2 * w->functions.at[functions->first + step.function];

	step.last = step.function + 1u == functions->count;
	step.below = false;
	step.rank = ranks[0];
	if (step.last)
		*array_push(&w->steps) = step;
	step.rank = ranks[1];
	step.below = true;
	if (!step.last || w->called[step.place_row].first != 0 || !is_last_of_row(w, step))
		*array_push(&w->steps) = step;
}

static int
compare_steps(const void *a, const void *b)
{
	const struct order_step *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void
begin_row(struct order_walk *w, uint32_t first, uint32_t caller)
{
	*array_push(&w->order->rows) = (struct order_row){ first, w->position + 1, caller };
}

/* The next positions, in the last row, are those of some places. */
static void
put_next(struct order_walk *w, uint32_t place, uint32_t end)
{
	uint32_t row = (uint32_t)w->order->rows.count - 1;

	w->position += end - place;
	for (; place < end; place++)
		w->order->row_of[place] = row;
}

/* The positions after that of a place whose only callee is the first of these places. */
static void
put_below(struct order_walk *w, uint32_t place, uint32_t first, uint32_t end)
{
	uint32_t row = w->order->row_of[place], last = (uint32_t)w->order->rows.count - 1;
	const struct order_row *at = &w->order->rows.at[last];

	if (row != last || row == 0 || at->first + (w->position + 1 - at->position) != first)
		begin_row(w, first, row);
	put_next(w, first, end);
}

/* Most stacks have one callee, whose own line is before those below it. The step below the last of such stacks. */
static struct order_step
follow_only_callees(struct order_walk *w, struct order_step step)
{
	for (;;) {
		uint32_t first = step.place + 1, row = step.place_row, end = w->place_rows[row + 1].first;

		if (first == end) {
			row = w->called[row].first;
			if (row == 0 || w->called[row].next != 0)
				return step;
			first = w->place_rows[row].first;
			end = w->place_rows[row + 1].first;
		}
		put_below(w, step.place, first, end);
		step.place = end - 1;
		step.place_row = row;
	}
}

static void
add_callees(struct order_walk *w, struct order_step step)
{
	struct order_step callee = { .place_row = step.place_row, .above = w->order->row_of[step.place] };

	if (!is_last_of_row(w, step)) {
		callee.place = step.place + 1;
		add_steps(w, callee, w->order->frames[callee.place]);
		return;
	}
	for (uint32_t row = w->called[step.place_row].first; row != 0; row = w->called[row].next) {
		callee.place = w->called[row].place;
		callee.place_row = row;
		add_steps(w, callee, w->called[row].frame);
	}
}

/* Below a step: the next function of its frame, or the callees of its stack; or of the last stack of a row, where the
 * stack is `alone` in its node. Only the last function of a frame has a position. */
static void
add_steps_below(struct order_walk *w, struct order_step step, bool alone)
{
	if (step.last) {
		add_callees(w, alone ? follow_only_callees(w, step) : step);
		return;
	}
	step.function++;
	add_steps(w, step, w->order->frames[step.place]);
}

/* What is below some steps of one node becomes the next level. */
static void
enter(struct order_walk *w, size_t from, size_t to)
{
	size_t begin = w->steps.count;

	for (size_t i = from; i < to; i++)
		add_steps_below(w, w->steps.at[i], to == from + 1);
	if (w->steps.count > begin + 2 ||
		(w->steps.count == begin + 2 && w->steps.at[begin].place != w->steps.at[begin + 1].place))
		qsort(w->steps.at + begin, w->steps.count - begin, sizeof *w->steps.at, compare_steps);
	*array_push(&w->levels) = (struct order_level){ begin, begin };
}

static void
take_steps(struct order_walk *w, size_t from, size_t to)
{
	if (w->steps.at[from].below) {
		enter(w, from, to);
		return;
	}
	begin_row(w, w->steps.at[from].place, w->steps.at[from].above);
	put_next(w, w->steps.at[from].place, w->steps.at[from].place + 1);
	for (size_t i = from + 1; i < to; i++)
		w->order->row_of[w->steps.at[i].place] = (uint32_t)w->order->rows.count - 1;
}

static void
walk(struct order_walk *w)
{
	*array_push(&w->order->rows) = (struct order_row){ 0 };
	*array_push(&w->steps) = (struct order_step){ .place = PLACE_NONE, .last = true };
	enter(w, 0, 1);
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
		take_steps(w, from, to);
	}
}

/* Callers are met last, so that rows are in the order of their places. */
static void
find_callees(struct order_walk *w, size_t rows)
{
	w->called = mem_new(rows, sizeof *w->called);
	for (size_t row = rows; row-- > 1;) {
		uint32_t *first = &w->called[w->place_rows[row].caller].first, place = w->place_rows[row].first;

		w->called[row].next = *first;
		w->called[row].place = place;
		w->called[row].frame = w->order->frames[place];
		*first = (uint32_t)row;
	}
}

static void
keep_names(struct stack_order *order, const struct stk_text *names, size_t count)
{
	static const char nothing[ORDER_PIECE];
	size_t at = 0;

	for (size_t f = 0; f < count; f++) {
		add_char(&order->texts, ';');
		add_text(&order->texts, names[f]);
	}
	add_bytes(&order->texts, nothing, sizeof nothing);
	order->names = mem_new(count, sizeof *order->names);
	for (size_t f = 0; f < count; f++) {
		order->names[f] = text_of(order->texts.at + at, names[f].size + 1);
		at += names[f].size + 1;
	}
}

static void
release_walk(struct order_walk *w)
{
	free(w->called);
	text_table_release(&w->texts);
	free(w->ranks);
	array_release(&w->frames);
	array_release(&w->functions);
	array_release(&w->steps);
	array_release(&w->levels);
}

void
stack_order_make(struct stack_order *out, struct stack_places *places, struct naming *naming, bool java)
{
	struct order_walk w = { .order = out, .place_rows = places->rows.at };
	size_t count = places->frame_ids.count;
	struct stk_text *names = mem_new(count, sizeof *names);

	*out = (struct stack_order){ .frames = places->frames.at };
	out->row_of = mem_new(places->frames.count, sizeof *out->row_of);
	memset(&places->frames, 0, sizeof places->frames);
	for (size_t f = 0; f < count; f++) {
		names[f] = naming_frame(naming, places->frame_ids.at[f], java);
		add_functions(&w, names[f]);
	}
	keep_names(out, names, count);
	free(names);
	rank_names(&w);
	find_callees(&w, places->rows.count - 1);
	walk(&w);
	begin_row(&w, 0, 0);
	release_walk(&w);
}

void
stack_order_forget_places(struct stack_order *o)
{
	free(o->row_of);
	o->row_of = NULL;
}

void
stack_order_release(struct stack_order *o)
{
	stack_order_forget_places(o);
	free(o->frames);
	array_release(&o->rows);
	array_release(&o->texts);
	free(o->names);
}

/* Of places with one text, the row has only one. */
struct ordered_stack
stack_order_find(const struct stack_order *o, uint32_t place)
{
	uint32_t number = o->row_of[place];
	const struct order_row *row = &o->rows.at[number];
	uint32_t below = place - row->first;

	return (struct ordered_stack){ row->position + (below < row[1].position - row->position ? below : 0), number };
}
