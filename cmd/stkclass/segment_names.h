/* SPDX-License-Identifier: MIT
 * segment_names: the names of segments, and of classes by their segments. */
#ifndef STKCLASS_SEGMENT_NAMES_H
#define STKCLASS_SEGMENT_NAMES_H

#include "base/text_buffer.h"
#include "classify/classifier.h"

struct segment_names;

/* file: lines of "frame;frame NAME", or NULL. letters: segments without a name there get letters; else a name made
 * of their frames, the same everywhere. The classifier is borrowed. -1 with *err, which names the file; *out is to
 * be closed all the same. */
int  segment_names_open(struct segment_names **out, const char *file, bool letters, struct classifier *classifier,
			struct stk_error *err) STK_MUST_CHECK;
void segment_names_close(struct segment_names *names);		/* NULL does nothing */
/* Of a leaf its name; of another, those of its leaves with commas between when all have one, "A,B,D". */
void add_segment_name(struct segment_names *names, uint32_t segment, struct text_buffer *to);

/* The names of the segments of a class, each with `before` and `after` around it. */
struct signature_marks { const char *before, *after, *between; };
void add_signature(struct segment_names *names, uint32_t class, struct signature_marks marks, struct text_buffer *to);

#endif
