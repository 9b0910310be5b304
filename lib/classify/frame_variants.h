/* SPDX-License-Identifier: MIT
 * frame_variants: the forms of a frame: its line, inlined or not. A segment's frames are always seen together, so their
 * counts are equal; but where a frame has several forms, the counts of these differ, for reasons that structure does
 * not show. */
#ifndef CLASSIFY_FRAME_VARIANTS_H
#define CLASSIFY_FRAME_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VARIANT_SHARE_LEAST 0.05	/* of a frame's samples: rarer forms do not count */

struct frame_variants;

struct variant { int64_t line; uint64_t form, count; };		/* form: enum stk_form */

void frame_variants_open(struct frame_variants **out);
void frame_variants_close(struct frame_variants *variants);

/* Adds that a frame, by the classifier's number, was seen this often in this form. */
void frame_variants_add(struct frame_variants *variants, uint32_t frame, int64_t line, uint64_t form, uint64_t count);

/* The forms of a frame, the most frequent first; how many. Valid until the next add. */
size_t frame_variants_of(struct frame_variants *variants, uint32_t frame, const struct variant **list);

/* The highest frame that has forms; 0: none has. */
uint32_t frame_variants_last(const struct frame_variants *variants);

/* Whether more than one form has a share that counts: costs may branch here though no stack does. */
bool frame_is_mixed(struct frame_variants *variants, uint32_t frame);

#endif
