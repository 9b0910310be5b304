/* SPDX-License-Identifier: MIT
 * stack_places: where the model has all stacks they get places as they are added; else a set of bits, whose ranks are
 * the places, is passed over once. */
#include "model/stack_places.h"

#define FIRST_PLACE 2u
#define ROOM_MOST   (1u << 18)	/* at first: pages that are not used are not taken */
#define ID_BELOW    UINT32_MAX	/* until they are settled, in place of a caller's id: it is one less */

static uint32_t
frame_number(struct stack_places *p, uint32_t frame)
{
	uint32_t *number = frame < p->frames_below ? &p->numbers[frame] : id_table_at(&p->odd_numbers, frame);

	if (*number == 0) {
		*array_push(&p->frame_ids) = frame;
		*number = (uint32_t)p->frame_ids.count;
	}
	return *number - 1;
}

void
stack_places_open(struct stack_places *p, const struct model *model)
{
	size_t room;

	*p = (struct stack_places){ .model = model, .lent = model_lent_stacks(model) };
	p->frames_below = model_count(model, STK_FRAME) + 1;
	p->numbers = mem_new(p->frames_below, sizeof *p->numbers);
	p->odd_numbers.size = p->places.size = sizeof(uint32_t);
	if (p->lent > 0)
		p->needed = mem_new((size_t)p->lent / 64 + 1, sizeof *p->needed);
	room = FIRST_PLACE + (p->lent < ROOM_MOST ? p->lent : ROOM_MOST);
	array_reserve(&p->callers, room);
	array_reserve(&p->frames, room);
	for (unsigned place = 0; place < FIRST_PLACE; place++) {
		*array_push(&p->callers) = PLACE_NONE;
		*array_push(&p->frames) = frame_number(p, 0);
	}
}

void
stack_places_forget_ids(struct stack_places *p)
{
	id_table_clear(&p->odd_numbers);
	id_table_clear(&p->places);
	free(p->numbers);
	free(p->needed);
	free(p->below);
	p->numbers = p->below = NULL;
	p->needed = NULL;
	p->frames_below = 0;
	array_release(&p->way);
}

void
stack_places_release(struct stack_places *p)
{
	stack_places_forget_ids(p);
	array_release(&p->callers);
	array_release(&p->frames);
	array_release(&p->frame_ids);
}

/* --- stacks that the model has --- */

/* Callers that have no place yet are met from the stack up, and get theirs from there down. */
static void
place_known(struct stack_places *p, uint32_t stack)
{
	uint32_t *place = NULL, caller;

	while (stack != 0) {
		uint64_t parent;

		place = id_table_at(&p->places, stack);
		if (*place != 0)
			break;
		parent = model_stack(p->model, stack).parent;
		if (parent == 0 && !model_knows(p->model, STK_STACK, stack)) {
			*place = PLACE_LOST;
			break;
		}
		*array_push(&p->way) = stack;
		stack = parent < stack ? (uint32_t)parent : 0;
	}
	caller = stack == 0 ? PLACE_NONE : *place;
	while (p->way.count > 0) {
		stack = p->way.at[--p->way.count];
		*(uint32_t *)id_table_at(&p->places, stack) = (uint32_t)p->callers.count;
		*array_push(&p->callers) = caller;
		*array_push(&p->frames) = frame_number(p, (uint32_t)model_stack(p->model, stack).frame);
		caller = (uint32_t)p->callers.count - 1;
	}
}

/* --- stacks that it borrows --- */

static inline void
need(struct stack_places *p, uint32_t stack)
{
	p->needed[(stack - 1) / 64] |= UINT64_C(1) << (stack - 1) % 64;
}

/* The highest needed stack up to an id; 0. */
static inline uint32_t
needed_before(const struct stack_places *p, uint32_t stack)
{
	uint32_t at;
	uint64_t needed;

	if (stack == 0)
		return 0;
	at = (stack - 1) / 64;
	needed = p->needed[at] & (UINT64_MAX >> (63 - (stack - 1) % 64));
	while (needed == 0 && at > 0)
		needed = p->needed[--at];
	return needed == 0 ? 0 : at * 64 + 64 - (uint32_t)__builtin_clzll(needed);
}

static uint32_t
short_number(uint64_t id)
{
	return id < UINT32_MAX ? (uint32_t)id : UINT32_MAX;
}

/* The needed stacks of a block, with the ids of their callers, which are needed, too. What comes next. */
static uint32_t
take_stack_rows(struct stack_places *p, const struct lent_rows *rows, uint32_t stack)
{
	for (; stack >= rows->first; stack = needed_before(p, stack - 1)) {
		uint64_t caller = rows->parents[stack - rows->first];

		if (caller >= stack)
			caller = 0;
		if (caller != 0)
			need(p, (uint32_t)caller);
		*array_push(&p->callers) = caller == stack - 1 && stack > rows->first ? ID_BELOW : (uint32_t)caller;
		*array_push(&p->frames) = short_number(rows->frames[stack - rows->first]);
	}
	return stack;
}

static void
number_words(struct stack_places *p)
{
	uint32_t below = FIRST_PLACE;

	p->below = mem_new((size_t)p->lent / 64 + 1, sizeof *p->below);
	for (uint32_t at = 0; at <= p->lent / 64; at++) {
		p->below[at] = below;
		below += (uint32_t)__builtin_popcountll(p->needed[at]);
	}
}

static void
turn_round(uint32_t *numbers, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		uint32_t number = numbers[i];

		numbers[i] = numbers[count - 1 - i];
		numbers[count - 1 - i] = number;
	}
}

void
stack_places_settle(struct stack_places *p)
{
	uint32_t stack = needed_before(p, p->lent);

	if (p->lent == 0)
		return;
	while (stack != 0) {
		struct lent_rows rows;

		if (model_lent_rows(p->model, stack, &rows)) {
			stack = take_stack_rows(p, &rows, stack);
			continue;
		}
		p->needed[(stack - 1) / 64] &= ~(UINT64_C(1) << (stack - 1) % 64);	/* it is lost */
		stack = needed_before(p, stack - 1);
	}
	number_words(p);
	turn_round(p->callers.at + FIRST_PLACE, p->callers.count - FIRST_PLACE);
	turn_round(p->frames.at + FIRST_PLACE, p->frames.count - FIRST_PLACE);
	for (uint32_t place = FIRST_PLACE; place < p->callers.count; place++) {
		uint32_t caller = p->callers.at[place];

		p->callers.at[place] = caller == ID_BELOW ? place - 1 : stack_place(p, caller);
		p->frames.at[place] = frame_number(p, p->frames.at[place]);
	}
}

/* --- of any --- */

void
stack_places_add(struct stack_places *p, uint64_t stack)
{
	if (stack == 0 || stack >= UINT32_MAX)
		return;
	if (p->lent == 0)
		place_known(p, (uint32_t)stack);
	else if (stack <= p->lent)
		need(p, (uint32_t)stack);
}

uint32_t
stack_place(const struct stack_places *p, uint64_t stack)
{
	const uint32_t *place;
	uint64_t lower;

	if (stack == 0)
		return PLACE_NONE;
	if (p->lent == 0)
		return (place = id_table_find(&p->places, stack)) != NULL ? *place : PLACE_LOST;
	if (stack > p->lent)
		return PLACE_LOST;
	if ((p->needed[(stack - 1) / 64] >> (stack - 1) % 64 & 1) == 0)
		return PLACE_LOST;
	lower = p->needed[(stack - 1) / 64] & ((UINT64_C(1) << (stack - 1) % 64) - 1);
	return p->below[(stack - 1) / 64] + (uint32_t)__builtin_popcountll(lower);
}
