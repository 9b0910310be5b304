/* SPDX-License-Identifier: MIT
 * probe_leaving: the calls are known by the names that the C library gives them. */
#include "probe/probe_leaving.h"

#include "probe/ir_text.h"

#include <string.h>

void
probe_write_leaving(struct ir_buffer *to, struct stk_text line)
{
	static const char *const names[] = { "@_exit",  "@_Exit",   "@execve", "@execv",  "@execvp",
					     "@execvpe", "@fexecve", "@execl",  "@execle", "@execlp" };

	if (ir_find_word(ir_right_side(line), "call ") == NULL && !ir_starts(ir_right_side(line), "invoke "))
		return;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *at = ir_find_word(line, names[i]);

		if (at != NULL && ir_starts(ir_from(line, at + strlen(names[i])), "(")) {
			ir_put(to, "  call void @stkpath_leave()\n");
			return;
		}
	}
}
