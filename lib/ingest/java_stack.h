/* SPDX-License-Identifier: MIT
 * java_stack: the lines of a Java thread's stack as HotSpot prints them, and the frames in them. */
#ifndef INGEST_JAVA_STACK_H
#define INGEST_JAVA_STACK_H

#include "ingest/ingest.h"

extern const char java_state_words[];	/* "java.lang.Thread.State: " */
extern const char java_owned_words[];	/* "Locked ownable synchronizers:" */

/* Tells the state, frames and locks of a stack. Lines that are not indented and none of these are foreign: the scanner
 * has said so. */
void java_stack_read(struct stack_reading *reading, struct stk_text stack);

/* Takes what stands behind "at " apart, such that frame_text gives it back byte for byte. What does not come back so is
 * kept whole, as a plain frame. */
bool java_frame_read(struct frame_parts *parts, struct stk_text line);

#endif
