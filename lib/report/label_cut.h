/* SPDX-License-Identifier: MIT
 * label_cut: texts that are too long for their column, cut so that those that differ still do. */
#ifndef REPORT_LABEL_CUT_H
#define REPORT_LABEL_CUT_H

#include "base/text_buffer.h"

/* Replaces each text that has more than `width` characters by one that has at most that many, with "..." for what is
 * left out: the end, or with keep_end the beginning, and where texts would become equal by that, what they have in
 * common. Equal texts stay equal. The new texts are in *room, which must be empty and live as long as they are used.
 * Cost: n log n comparisons; width: at least 8. */
void labels_cut(struct stk_text *labels, size_t count, size_t width, bool keep_end, struct text_buffer *room);

#endif
