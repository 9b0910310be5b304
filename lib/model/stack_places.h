/* SPDX-License-Identifier: MIT
 * stack_places: some stacks of a model, and those above them, as arrays by place. The number of a stack's place is
 * above that of its caller's, so that one pass over the places meets callers first, or last. Nearly all stacks are the
 * only callee of the one at the place before: only where that ends is it kept who called whom. Stacks that a model
 * borrows are read block by block, from the highest id down; only what is needed of them is kept. */
#ifndef MODEL_STACK_PLACES_H
#define MODEL_STACK_PLACES_H

#include "base/array.h"
#include "base/id_table.h"
#include "base/ranked_bits.h"
#include "model/model.h"

#define PLACE_NONE 0u			/* of id 0 */
#define PLACE_LOST 1u			/* of all stacks that are not defined: below PLACE_NONE, with frame 0 */

/* Each stack of a row but the first is the only callee of the one before it; the caller of the first one is the last of
 * row `caller`, which is a lower one. */
struct place_row { uint32_t first, caller; };

/* A stack whose place is not the one after its caller's. */
struct place_branch { uint32_t place, caller; };

struct stack_places {
	const struct model *model;
	ARRAY(struct place_row) rows;	/* by place, and one more, which begins after the last place. Row 0 is
					 * PLACE_NONE, its own caller */
	ARRAY(uint32_t) frames;		/* by place: where in frame_ids its frame is */
	ARRAY(uint32_t) frame_ids;	/* each once */
	uint32_t *numbers;		/* by frame: where in frame_ids, and 1; of those below `frames_below`, */
	uint32_t frames_below;
	struct id_table odd_numbers;	/* and of ids that are higher than there are frames */
	struct id_table places;		/* by stack, where the model has them; */
	struct ranked_bits needed;	/* else those that are needed, by id */
	uint32_t lent;			/* stacks that the model borrows */
	ARRAY(struct place_branch) branches;
	ARRAY(uint32_t) way;
};

/* The model is borrowed. */
void stack_places_open(struct stack_places *places, const struct model *model);
void stack_places_release(struct stack_places *places);

/* All stacks are added, then they are settled; then the arrays are valid and each has a place. Memory: 4 bytes for each
 * of them and those above them, and 8 for each row. */
void stack_places_add(struct stack_places *places, uint64_t stack);
void stack_places_settle(struct stack_places *places);
uint32_t stack_place(const struct stack_places *places, uint64_t stack);
/* By place: that of its caller. The caller frees it. */
uint32_t *stack_places_callers(const struct stack_places *places);
/* Stacks are no longer asked for by their ids: only the arrays stay. */
void stack_places_forget_ids(struct stack_places *places);

#endif
