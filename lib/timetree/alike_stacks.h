/* SPDX-License-Identifier: MIT
 * alike_stacks: numbers of stacks, the same for those whose functions have the same short names: reports add them up,
 * whatever their lines. */
#ifndef TIMETREE_ALIKE_STACKS_H
#define TIMETREE_ALIKE_STACKS_H

#include "model/model.h"

struct alike_stacks;

/* The model is borrowed; its ids must keep their meaning. */
struct alike_stacks *alike_stacks_open(const struct model *model);
/* NULL does nothing. */
void alike_stacks_close(struct alike_stacks *alike);

/* From 1 on. java: its frames are named as those of a Java process. Cost: each stack is named once. */
uint32_t alike_stacks_number(struct alike_stacks *alike, uint32_t stack, bool java);

#endif
