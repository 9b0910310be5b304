/* SPDX-License-Identifier: MIT
 * java_stack: the lines of a Java thread's stack as HotSpot prints them, and the frames in them. */
#ifndef INGEST_JAVA_STACK_H
#define INGEST_JAVA_STACK_H

#include "ingest/ingest.h"

extern const char java_state_words[];	/* "java.lang.Thread.State: " */
extern const char java_owned_words[];	/* "Locked ownable synchronizers:" */

/* Reports the state, frames and locks of a stack. Other lines that are not indented are foreign: the scanner has
 * reported them. */
void java_stack_read(struct stack_reading *reading, struct stk_text stack);

/* Whether the text is a frame without "at ": a name of several parts and a place, java.lang.Object.wait(Native Method). */
bool java_frame_is(struct stk_text text);

/* Parses the text after "at ", such that frame_text restores it byte for byte; "app//com.acme.Shop.sell(Shop.java:3)" and
 * the like become what a thread dump has for them. What cannot be restored is kept whole, as a plain frame. */
bool java_frame_read(struct frame_parts *parts, struct stk_text line);

#endif
