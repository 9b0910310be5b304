/* SPDX-License-Identifier: MIT
 * uncovered: the ungrouped samples, and which functions, one after another, would cover most of them. */
#ifndef GROUP_UNCOVERED_H
#define GROUP_UNCOVERED_H

#include "choose/naming.h"
#include "group/scheme_set.h"
#include "model/model.h"

struct uncovered;

void uncovered_open(struct uncovered **out);
/* NULL does nothing. */
void uncovered_close(struct uncovered *uncovered);

/* Adds a sample, which the schemes group or not. naming gives the names of its frames; those of libraries, which no
 * member can cover, are left out. Memory grows by the distinct names of each sample. */
void uncovered_add(struct uncovered *uncovered, struct scheme_set *schemes, const struct model *model,
		   struct naming *naming, bool grouped, uint64_t stack, uint64_t weight);

/* The weight of all samples, and of the ungrouped ones. */
uint64_t uncovered_whole(const struct uncovered *uncovered);
uint64_t uncovered_none(const struct uncovered *uncovered);

/* The function that is in most of what is left (the one nearest the leaf if several tie): its name, valid until
 * uncovered_close, and the weight of the samples with it, which are removed. False: nothing is left. Goes through all
 * samples that were added. */
bool uncovered_take(struct uncovered *uncovered, struct stk_text *name, uint64_t *covered);

#endif
