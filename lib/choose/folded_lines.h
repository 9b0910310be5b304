/* SPDX-License-Identifier: MIT
 * folded_lines: what was counted by prefix and stack as folded lines, "frame;frame;frame", in the order of their bytes:
 * each text is made of the one before it, and none is kept. */
#ifndef CHOOSE_FOLDED_LINES_H
#define CHOOSE_FOLDED_LINES_H

#include "base/pair_sums.h"
#include "choose/naming.h"
#include "choose/stack_prefix.h"

struct folded_lines;

void folded_lines_open(struct folded_lines **out);
void folded_lines_close(struct folded_lines *lines);

/* Moves the sums of prefixes and stacks of a model here. What names these is borrowed. Returns the samples of stacks
 * that are not defined. */
uint64_t folded_lines_add(struct folded_lines *lines, const struct model *model, struct naming *naming,
			  const struct stack_prefixes *prefixes, struct pair_sums *sums);

/* After all were added: the next line, its counts and weights summed; the text is valid until the next call. False at
 * the end. "?" for a line of which nothing is known. */
bool folded_lines_next(struct folded_lines *lines, struct stk_text *text, uint64_t *count, uint64_t *weight);

#endif
