/* SPDX-License-Identifier: MIT
 * naming: the names of frames where functions matter and lines do not: folded stacks, tables. Each frame is named once.
 *
 * The short name of a Java frame is class and method. That of a native frame follows what people know from flame
 * graphs: arguments are cut, a frame without a symbol is called by its module in brackets, "a->b" (callers inlined by a
 * Java agent) is two frames, and `java` asks for condensed Java signatures. */
#ifndef CHOOSE_NAMING_H
#define CHOOSE_NAMING_H

#include "base/text_buffer.h"
#include "model/model.h"

struct naming_options {
	bool full;			/* as the source wrote it, with file and line */
	bool kernel, jit, inlined;	/* mark such frames with _[k], _[j], _[i] */
	bool fold;			/* without what is generated anew in each run: see frame_identity.h */
};

struct naming;

/* The model is borrowed. */
void naming_open(struct naming **out, const struct model *model, const struct naming_options *options);
void naming_close(struct naming *naming);
/* Frame ids start anew. */
void naming_forget(struct naming *naming);

/* The name, ';' between inlined frames, ':' in place of a ';' of its own. Valid until naming_forget. "?" for a frame
 * that is not known. */
struct stk_text naming_frame(struct naming *naming, uint64_t frame, bool java);

/* The names of a stack, root first, ';' between them. */
void naming_add_stack(struct naming *naming, uint64_t stack, bool java, struct text_buffer *to);

/* For callers that have a name from elsewhere: the short name of a native frame without its marks. */
void naming_add_tidied(struct text_buffer *to, struct stk_text function, bool java);

/* A thread's name without the number at its end, which the threads of a pool share. */
struct stk_text naming_pool(struct stk_text thread);

#endif
