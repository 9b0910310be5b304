/* SPDX-License-Identifier: MIT
 * probe_refusal: words are looked for in the function's lines. */
#include "probe/probe_refusal.h"

#include "base/bytes.h"
#include "probe/ir_text.h"

#include <string.h>

static bool
calls_twice(const struct ir_module *m, struct stk_text line)
{
	static const char *const names[] = { "@setjmp(", "@_setjmp(", "@sigsetjmp(", "@__sigsetjmp(", "@vfork(",
		"@getcontext(", NULL };
	struct stk_text behind;
	const char *at;

	if (ir_find_word(line, "call ") == NULL)
		return false;
	for (size_t i = 0; names[i] != NULL; i++)
		if (ir_find_word(line, names[i]) != NULL)
			return true;
	at = ir_find_word(line, ") #");
	if (at == NULL)
		return false;
	behind = ir_from(line, at + 3);
	behind.size = ir_take_name(behind, &line).size;
	for (size_t i = 0; i < m->twice.count; i++)
		if (text_equal(m->twice.at[i], behind))
			return true;
	return false;
}

bool
probe_is_elsewhere(const struct ir_module *m, const struct ir_function *f)
{
	return ir_find_word(m->lines.at[f->first_line], "available_externally ") != NULL;
}

const char *
probe_refusal(const struct ir_module *m, const struct ir_function *f)
{
	if (f->refused != NULL)
		return f->refused;
	if (probe_is_elsewhere(m, f))
		return "it is another module's, and here only to be inlined";
	for (uint32_t line = f->first_line; line < f->end_line; line++) {
		struct stk_text text = m->lines.at[line];

		if (ir_find_word(text, "@stk.f") != NULL)
			return "it has probes already";
		if (ir_find_word(text, "blockaddress(") != NULL)
			return "it takes the address of a label";
		if (calls_twice(m, text))
			return "it calls a function that returns twice (setjmp), so paths continue where no edge leads";
	}
	for (size_t b = 0; b < f->blocks.count; b++) {
		const char *word = ir_terminator(m->lines.at[f->blocks.at[b].terminator_line]);

		if (strcmp(word, "callbr") == 0)
			return "it jumps from inline assembly (asm goto)";
		if (strcmp(word, "catchswitch") == 0 || strcmp(word, "catchret") == 0 ||
		    strcmp(word, "cleanupret") == 0)
			return "its exceptions are those of Windows (catchswitch)";
	}
	return NULL;
}
