/* SPDX-License-Identifier: MIT
 * probe_left_out: entries are written as assembly of the module: that needs no list of what is used, which the module
 * may have already, and is kept when a linker removes what nothing refers to. */
#include "probe/probe_left_out.h"

#include <string.h>

/* A string of the assembler within a string of LLVM: its backslash is \5C, and anything unusual is octal. */
static void
put_part(struct ir_buffer *to, struct stk_text text, const char *end)
{
	ir_put(to, "module asm \".ascii \\22");
	for (size_t i = 0; i < text.size; i++) {
		unsigned char c = (unsigned char)text.data[i];
		bool usual = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			     (c != '\0' && strchr(" _./:,()-", c) != NULL);

		ir_put(to, usual ? "%c" : "\\5C%03o", c);
	}
	ir_put(to, "%s\\22\"\n", end);
}

void
probe_write_left_out(struct ir_buffer *to, const struct ir_function *f, struct stk_text reason)
{
	ir_put(to, "module asm \".pushsection stkpath_left_out,\\22aR\\22\"\n");
	put_part(to, f->name, ": ");
	put_part(to, reason, " (");
	put_part(to, f->file, ")\\5C000");
	ir_put(to, "module asm \".popsection\"\n");
}
