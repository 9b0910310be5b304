/* SPDX-License-Identifier: MIT
 * stack_labels: the class, or the groups, that a stream says its stacks are of, and its threads without one. */
#ifndef TIMETREE_STACK_LABELS_H
#define TIMETREE_STACK_LABELS_H

#include "choose/stack_prefix.h"
#include "model/model.h"
#include "stream/stream_file.h"

struct stack_labels;

/* prefixes: "group;subgroup", also of threads without a stack, where what precedes stacks says of which they are; NULL:
 * the name of the class, a hash. The model, which knows the stacks, is only read. */
int stack_labels_open(struct stack_labels **out, struct stream_file *file, unsigned stream, const struct model *model,
		      struct stack_prefixes *prefixes, struct stk_error *err) STK_MUST_CHECK;
void stack_labels_close(struct stack_labels *labels);
/* Whether any stack has one. */
bool stack_labels_any(struct stack_labels *labels);
/* The next label of a stack: a stack may be of several groups. The first is "(none)" for one without a label; "(by
 * state)" where its samples are of other groups in another state, "(by thread)" by their thread. False: no more. */
struct label_walk { uint32_t prefix, stack; bool begun; uint64_t next; };
bool stack_label_next(const struct stack_labels *labels, struct label_walk *walk, struct stk_text *label);

/* What the stacks of a class have in common, for people: its frames from the leaf on with " < " between, generated
 * names folded, and after these the part that it is of. Empty for a name that is not a class's. */
struct stk_text stack_label_class(const struct stack_labels *labels, struct stk_text name);

#endif
