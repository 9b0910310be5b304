/* SPDX-License-Identifier: MIT
 * stack_places: some stacks of a model, and those above them, as arrays by place. The number of a stack's place is
 * above that of its caller's, so that one pass over the places meets callers first, or last. Stacks that a model
 * borrows are read block by block, from the highest id down; only what is needed of them is kept. */
#ifndef MODEL_STACK_PLACES_H
#define MODEL_STACK_PLACES_H

#include "base/array.h"
#include "base/id_table.h"
#include "model/model.h"

#define PLACE_NONE 0u			/* of id 0 */
#define PLACE_LOST 1u			/* of all stacks that are not defined: below PLACE_NONE, with frame 0 */

struct stack_places {
	const struct model *model;
	ARRAY(uint32_t) callers;	/* by place: the caller's place */
	ARRAY(uint32_t) frames;		/* by place: where in frame_ids its frame is */
	ARRAY(uint32_t) frame_ids;	/* each once */
	uint32_t *numbers;		/* by frame: where in frame_ids, and 1; of those below `frames_below`, */
	uint32_t frames_below;
	struct id_table odd_numbers;	/* and of ids that are higher than there are frames */
	struct id_table places;		/* by stack, where the model has them; */
	uint64_t *needed;		/* else a bit by id less one, */
	uint32_t *below;		/* and by 64 of these how many lower ones are set, and the first place */
	uint32_t lent;			/* stacks that the model borrows */
	ARRAY(uint32_t) way;
};

/* The model is borrowed. */
void stack_places_open(struct stack_places *places, const struct model *model);
void stack_places_release(struct stack_places *places);

/* All stacks are added, then they are settled; then the arrays are valid and each has a place. Memory: 8 bytes for each
 * of them and those above them, and as much again while they are settled. */
void stack_places_add(struct stack_places *places, uint64_t stack);
void stack_places_settle(struct stack_places *places);
uint32_t stack_place(const struct stack_places *places, uint64_t stack);
/* Stacks are no longer asked for by their ids: only the arrays stay. */
void stack_places_forget_ids(struct stack_places *places);

#endif
