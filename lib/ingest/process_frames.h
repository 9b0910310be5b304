/* SPDX-License-Identifier: MIT
 * process_frames: stacks of a dump of a process, and their frames: of each tool as it prints them. */
#ifndef INGEST_PROCESS_FRAMES_H
#define INGEST_PROCESS_FRAMES_H

#include "ingest/ingest.h"

/* As text_format.read_stack and text_format.read_frame. */
void process_stack_read(struct stack_reading *reading, struct stk_text stack);
bool process_frame_read(struct frame_parts *parts, struct stk_text text);

#endif
