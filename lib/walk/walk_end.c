/* SPDX-License-Identifier: MIT
 * walk_end: the words of a stack's mark and of messages. */
#include "walk/walk_end.h"

const char *const walk_end_names[WALK_ENDS] = {
	"whole",
	"the rest was not copied",
	"nothing is known about native code",
	"no code is known there",
	"an interpreted frame is not one",
	"a compiled frame ends with no return address",
	"a stub ends with no return address",
	"the stack does not rise",
	"what a rule needs is not on the stack",
	"too many frames",
	"too much is kept of all programs that are walked",
};

void
walk_end_add(enum walk_end end, struct text_buffer *to)
{
	if (end == WALK_WHOLE)
		return;
	add_string(to, "m\t[cut: ");
	add_string(to, walk_end_names[end]);
	add_string(to, "]\n");
}
