/* SPDX-License-Identifier: MIT
 * stack_places: where the model has all stacks they get places as they are added; else a set of bits, whose ranks are
 * the places, is passed over once. */
#include "model/stack_places.h"

#define FIRST_PLACE 2u
#define ROOM_MOST   (1u << 18)	/* at first: pages that are not used are not taken */

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
		ranked_bits_open(&p->needed, p->lent + 1);
	room = FIRST_PLACE + (p->lent < ROOM_MOST ? p->lent : ROOM_MOST);
	array_reserve(&p->frames, room);
	for (unsigned place = 0; place < FIRST_PLACE; place++)
		*array_push(&p->frames) = frame_number(p, 0);
}

void
stack_places_forget_ids(struct stack_places *p)
{
	id_table_clear(&p->odd_numbers);
	id_table_clear(&p->places);
	ranked_bits_release(&p->needed);
	free(p->numbers);
	p->numbers = NULL;
	p->frames_below = 0;
	array_release(&p->way);
}

void
stack_places_release(struct stack_places *p)
{
	stack_places_forget_ids(p);
	array_release(&p->rows);
	array_release(&p->branches);
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
	if (p->way.count > 0 && caller + 1 != p->frames.count)
		*array_push(&p->branches) = (struct place_branch){ (uint32_t)p->frames.count, caller };
	while (p->way.count > 0) {
		stack = p->way.at[--p->way.count];
		*(uint32_t *)id_table_at(&p->places, stack) = (uint32_t)p->frames.count;
		*array_push(&p->frames) = frame_number(p, (uint32_t)model_stack(p->model, stack).frame);
	}
}

/* --- stacks that it borrows --- */

static uint32_t
short_number(uint64_t id)
{
	return id < UINT32_MAX ? (uint32_t)id : UINT32_MAX;
}

/* The needed stacks of a block; their callers are needed, too. What comes next. Places are not known yet: they count
 * from the highest stack down, and callers are ids. */
static uint32_t
take_stack_rows(struct stack_places *p, const struct lent_rows *rows, uint32_t stack)
{
	for (; stack >= rows->first; stack = ranked_bits_up_to(&p->needed, stack - 1)) {
		uint64_t caller = rows->parents[stack - rows->first];

		if (caller >= stack)
			caller = 0;
		if (caller != 0)
			ranked_bits_set(&p->needed, (uint32_t)caller);
		if (caller != stack - 1 || stack == rows->first)
			*array_push(&p->branches) =
				(struct place_branch){ (uint32_t)p->frames.count, (uint32_t)caller };
		*array_push(&p->frames) = frame_number(p, short_number(rows->frames[stack - rows->first]));
	}
	return stack;
}

static void
take_needed(struct stack_places *p)
{
	uint32_t stack = ranked_bits_up_to(&p->needed, p->lent);

	while (stack != 0) {
		struct lent_rows rows;

		if (model_lent_rows(p->model, stack, &rows)) {
			stack = take_stack_rows(p, &rows, stack);
			continue;
		}
		ranked_bits_clear(&p->needed, stack);		/* it is lost */
		stack = ranked_bits_up_to(&p->needed, stack - 1);
	}
	ranked_bits_settle(&p->needed);
}

/* From the lowest stack up. */
static void
turn_round(struct stack_places *p)
{
	uint32_t *frames = p->frames.at + FIRST_PLACE, last = (uint32_t)p->frames.count - 1 + FIRST_PLACE;

	for (size_t i = 0, j = p->frames.count - FIRST_PLACE; i + 1 < j; i++) {
		uint32_t frame = frames[i];

		frames[i] = frames[--j];
		frames[j] = frame;
	}
	for (size_t i = 0, j = p->branches.count; i < j; i++) {
		struct place_branch branch = p->branches.at[i], *other = &p->branches.at[--j];

		p->branches.at[i] = (struct place_branch){ last - other->place, stack_place(p, other->caller) };
		*other = (struct place_branch){ last - branch.place, stack_place(p, branch.caller) };
	}
}

/* --- rows --- */

/* One begins at each branch, and after each caller of one. */
static void
make_rows(struct stack_places *p)
{
	uint32_t count = (uint32_t)p->frames.count;
	const struct place_branch *branch = p->branches.at;
	const struct place_branch *end = p->branches.count == 0 ? branch : branch + p->branches.count;
	struct ranked_bits begins;

	ranked_bits_open(&begins, count + 1);
	for (uint32_t place = 0; place <= FIRST_PLACE; place++)
		ranked_bits_set(&begins, place);
	for (const struct place_branch *b = branch; b < end; b++) {
		ranked_bits_set(&begins, b->place);
		ranked_bits_set(&begins, b->caller + 1);
	}
	ranked_bits_settle(&begins);
	for (uint32_t word = 0; word <= count / 64; word++)
		for (uint64_t left = begins.words[word]; left != 0; left &= left - 1) {
			uint32_t place = word * 64 + (uint32_t)__builtin_ctzll(left), row = (uint32_t)p->rows.count;
			uint32_t caller = row == 0 ? 0 : row - 1;

			if (branch < end && branch->place == place)
				caller = ranked_bits_rank(&begins, branch++->caller + 1) - 1;
			*array_push(&p->rows) = (struct place_row){ place, caller };
		}
	if (p->rows.at[p->rows.count - 1].first < count)
		*array_push(&p->rows) = (struct place_row){ count, 0 };
	ranked_bits_release(&begins);
	array_release(&p->branches);
}

void
stack_places_settle(struct stack_places *p)
{
	if (p->lent > 0) {
		take_needed(p);
		turn_round(p);
	}
	make_rows(p);
}

uint32_t *
stack_places_callers(const struct stack_places *p)
{
	uint32_t *callers = mem_resize(NULL, p->frames.count, sizeof *callers);

	callers[PLACE_NONE] = PLACE_NONE;
	for (size_t row = 1; row + 1 < p->rows.count; row++) {
		uint32_t place = p->rows.at[row].first, end = p->rows.at[row + 1].first;

		callers[place++] = p->rows.at[p->rows.at[row].caller + 1].first - 1;
		for (; place < end; place++)
			callers[place] = place - 1;
	}
	return callers;
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
		ranked_bits_set(&p->needed, (uint32_t)stack);
}

uint32_t
stack_place(const struct stack_places *p, uint64_t stack)
{
	const uint32_t *place;

	if (stack == 0)
		return PLACE_NONE;
	if (p->lent == 0)
		return (place = id_table_find(&p->places, stack)) != NULL ? *place : PLACE_LOST;
	if (stack > p->lent || !ranked_bits_has(&p->needed, (uint32_t)stack))
		return PLACE_LOST;
	return FIRST_PLACE + ranked_bits_rank(&p->needed, (uint32_t)stack);
}
