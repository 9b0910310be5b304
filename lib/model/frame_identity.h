/* SPDX-License-Identifier: MIT
 * frame_identity: what makes two frames the same code, over restarts of a virtual machine, over machines, and over
 * builds: the function, without what is generated anew each time (numbers of proxies, addresses of hidden classes,
 * hashes). Names that a compiler writes into the program stay as they are. */
#ifndef MODEL_FRAME_IDENTITY_H
#define MODEL_FRAME_IDENTITY_H

#include "model/frame_text.h"

struct identity_options {
	bool lines;		/* another line is another frame */
	bool exact;		/* generated names are not folded */
};

/* The text that identifies the frame, written at `to`, at most room bytes. Returns the size it needs, never 0. */
size_t frame_identity(const struct frame_names *frame, const struct identity_options *options, char *to, size_t room);

/* A function's name without its generated parts. Returns the size it needs. Folding again changes nothing. */
size_t generated_name_fold(struct stk_text name, enum stk_form form, char *to, size_t room);

/* A symbol without what compilers append to those of clones and parts of functions (.isra.0, .cold), and without the
 * hash of Rust. */
struct stk_text clone_origin(struct stk_text name);

/* What the threads of a pool have in common: the name with `*` for each run of digits, long hex number and UUID. */
size_t thread_pool(struct stk_text name, char *to, size_t room);

#endif
