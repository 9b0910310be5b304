/* SPDX-License-Identifier: MIT
 * walk_end: where the walk of a stack ended, and why it did not get further. */
#ifndef WALK_WALK_END_H
#define WALK_WALK_END_H

#include "base/text_buffer.h"

enum walk_end {
	WALK_WHOLE,			/* to the first function of the thread */
	WALK_NOT_COPIED,		/* the rest is behind the end of the copy */
	WALK_NO_RULE,
	WALK_NO_CODE,
	WALK_BAD_INTERPRETED,
	WALK_BAD_COMPILED,
	WALK_BAD_STUB,
	WALK_NOT_RISING,
	WALK_UNREADABLE,
	WALK_TOO_DEEP,
	WALK_NO_ROOM,
	WALK_ENDS
};

extern const char *const walk_end_names[WALK_ENDS];

/* Of a stack that is not whole: its last line says why. */
void walk_end_add(enum walk_end end, struct text_buffer *to);

#endif
