/* SPDX-License-Identifier: MIT
 * leaf_labels: what stacks are called for people: "Unsafe.park < .. < Shop.take": the frame where the threads are, and
 * the callers that tell it from the others. */
#ifndef REPORT_LEAF_LABELS_H
#define REPORT_LEAF_LABELS_H

#include "base/text_buffer.h"

#define LEAF_BETWEEN " < "	/* frames of a stack, leaf first */

/* Replaces each stack by the short names of at most `frames` of its frames: the one nearest the leaf, its first caller
 * that does not belong to the platform, and those after that; ".." is for frames between. Where several stacks would
 * be called the same, the first frames in which they differ are added, and where these differ in their packages,
 * names are whole. Equal stacks stay equal. The new texts are in *room, which must be empty and live as long as they
 * are used. Cost: n log n comparisons. */
void leaf_labels(struct stk_text *stacks, size_t count, unsigned frames, struct text_buffer *room);

#endif
