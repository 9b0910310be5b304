/* SPDX-License-Identifier: MIT
 * shape_text: how nodes are split, as the description of a tree has it: "time", "calendar"; "time 4,5" where levels have
 * their own N. */
#ifndef TIMETREE_SHAPE_TEXT_H
#define TIMETREE_SHAPE_TEXT_H

#include "timetree/tree_shape.h"

#include <stdbool.h>

#define RULE_TEXT_MAX 64

/* "4" or "4,5,3": the N of each level from the root down. False, and the shape as it was, for anything else. */
bool splits_read(struct tree_shape *shape, const char *text);

/* The rule of a shape, with its splits where levels differ. Returns `to`. */
char *rule_print(char to[RULE_TEXT_MAX], const struct tree_shape *shape);
/* Sets the rule, and the splits where the text has them. False: it is not a rule that is known. */
bool rule_read(struct tree_shape *shape, const char *text);

#endif
