/* SPDX-License-Identifier: MIT
 * dump_frames: frames as text that stkcap reads back: function, module, file and line. A frame of one line of a dump or
 * a sample; where a text has no place for a part, that is left out. */
#ifndef REPORT_DUMP_FRAMES_H
#define REPORT_DUMP_FRAMES_H

#include "base/text_buffer.h"
#include "model/model.h"

/* A name of one line, whatever it holds. */
void add_line_text(struct text_buffer *to, struct stk_text text);
/* After "at " in a dump. */
void add_dump_frame(struct text_buffer *to, const struct model *model, uint32_t frame);
/* After the address in a sample of perf script; with a line below for the file. */
void add_recorded_frame(struct text_buffer *to, const struct model *model, uint32_t frame);

#endif
