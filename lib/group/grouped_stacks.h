/* SPDX-License-Identifier: MIT
 * grouped_stacks: stacks of groups in place of frames, as folded text. */
#ifndef GROUP_GROUPED_STACKS_H
#define GROUP_GROUPED_STACKS_H

#include "base/tally.h"
#include "choose/naming.h"
#include "group/grouping.h"
#include "group/sample_groups.h"

/* What replaces the frames of a stack: the path of its group; each run of frames of one group as one element; the same
 * with the function that leads into it. */
enum frames_as { FRAMES_WHOLE, FRAMES_GROUPED, FRAMES_ENTRY };

struct grouped_stacks;

void grouped_stacks_open(struct grouped_stacks **out, enum frames_as frames);
/* NULL does nothing. */
void grouped_stacks_close(struct grouped_stacks *stacks);

/* Adds a sample, once for each of its groups. prefix: elements before its own; may be empty. */
void grouped_stacks_add(struct grouped_stacks *stacks, struct grouping *grouping, const struct model *model,
			struct naming *naming, struct stk_text prefix, const struct grouped_sample *sample);

/* The distinct lines with their weights, in the order of bytes; the caller frees them. They point into the stacks. */
struct tally_row *grouped_stacks_lines(const struct grouped_stacks *stacks, size_t *count);

#endif
