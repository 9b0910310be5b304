/* SPDX-License-Identifier: MIT
 * ir_text: a line is read from the left, and text in quotes is never taken for anything else. */
#include "probe/ir_text.h"

#include "base/bytes.h"

bool
ir_starts(struct stk_text text, const char *with)
{
	size_t size = strlen(with);

	return text.size >= size && memcmp(text.data, with, size) == 0;
}

struct stk_text
ir_skip_blanks(struct stk_text text)
{
	while (text.size > 0 && (*text.data == ' ' || *text.data == '\t'))
		text = text_of(text.data + 1, text.size - 1);
	return text;
}

bool
ir_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '$' ||
		c == '.' || c == '_';
}

struct stk_text
ir_take_name(struct stk_text text, struct stk_text *behind)
{
	size_t size = 0;

	if (text.size > 0 && *text.data == '"') {
		const char *end = memchr(text.data + 1, '"', text.size - 1);

		if (end == NULL)
			return text_of(text.data, 0);
		*behind = text_of(end + 1, text.size - (size_t)(end + 1 - text.data));
		return text_of(text.data + 1, (size_t)(end - text.data) - 1);
	}
	while (size < text.size && ir_name_char(text.data[size]))
		size++;
	*behind = text_of(text.data + size, text.size - size);
	return text_of(text.data, size);
}

/* -1: not two digits of a number to the base of 16 */
static int
byte_of(struct stk_text digits)
{
	static const char hex[] = "0123456789ABCDEF";
	const char *high = digits.size >= 2 ? memchr(hex, digits.data[0], 16) : NULL,
		   *low = high != NULL ? memchr(hex, digits.data[1], 16) : NULL;

	return low != NULL ? (int)(high - hex) * 16 + (int)(low - hex) : -1;
}

void
ir_add_meant(struct text_buffer *to, struct stk_text name)
{
	for (size_t i = 0; i < name.size; i++) {
		int byte = name.data[i] == '\\' ? byte_of(text_of(name.data + i + 1, name.size - i - 1)) : -1;

		if (byte <= 0)
			add_char(to, name.data[i]);
		else if (i > 0 || byte != 1)
			add_char(to, (char)byte);
		i += byte > 0 ? 2 : 0;
	}
}

const char *
ir_find_word(struct stk_text text, const char *word)
{
	size_t size = strlen(word);
	bool quoted = false;

	for (size_t i = 0; i + size <= text.size; i++) {
		if (text.data[i] == '"')
			quoted = !quoted;
		if (text.data[i] == ';' && !quoted)
			return NULL;
		if (!quoted && memcmp(text.data + i, word, size) == 0 && (i == 0 || !ir_name_char(text.data[i - 1])))
			return text.data + i;
	}
	return NULL;
}

bool
ir_has_char(struct stk_text text, char c)
{
	bool quoted = false;

	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] == '"')
			quoted = !quoted;
		if (text.data[i] == c && !quoted)
			return true;
	}
	return false;
}

struct stk_text
ir_from(struct stk_text text, const char *at)
{
	return text_of(at, text.size - (size_t)(at - text.data));
}

bool
ir_is_label(struct stk_text line, struct stk_text *name)
{
	struct stk_text behind = line;

	if (line.size == 0 || *line.data == ' ' || *line.data == '\t')
		return false;
	*name = ir_take_name(line, &behind);
	return name->size > 0 && ir_starts(behind, ":");
}

bool
ir_result(struct stk_text line, struct stk_text *name)
{
	struct stk_text behind;

	line = ir_skip_blanks(line);
	if (!ir_starts(line, "%"))
		return false;
	behind = line;
	*name = ir_take_name(text_of(line.data + 1, line.size - 1), &behind);
	return name->size > 0 && ir_starts(ir_skip_blanks(behind), "=");
}

struct stk_text
ir_right_side(struct stk_text line)
{
	struct stk_text name, behind;

	line = behind = ir_skip_blanks(line);
	if (!ir_result(line, &name))
		return line;
	(void)ir_take_name(text_of(line.data + 1, line.size - 1), &behind);
	behind = ir_skip_blanks(behind);
	return ir_skip_blanks(text_of(behind.data + 1, behind.size - 1));
}

static const char *const terminators[] = { "ret", "br", "switch", "indirectbr", "invoke", "callbr", "resume",
	"catchswitch", "catchret", "cleanupret", "unreachable", NULL };

const char *
ir_terminator(struct stk_text line)
{
	struct stk_text rest = ir_right_side(line);

	for (size_t i = 0; terminators[i] != NULL; i++)
		if (ir_starts(rest, terminators[i]) && (rest.size == strlen(terminators[i]) ||
							!ir_name_char(rest.data[strlen(terminators[i])])))
			return terminators[i];
	return NULL;
}

bool
ir_is_debug(struct stk_text line)
{
	return ir_starts(ir_skip_blanks(line), "#dbg_") ||
		(ir_find_word(line, "call ") != NULL && ir_find_word(line, "@llvm.dbg.") != NULL);
}

/* The callee's name stands right before the arguments: "call i32 (ptr, ...) @name(ptr @.str)". */
bool
ir_called_name(struct stk_text line, struct stk_text *name)
{
	struct stk_text behind;
	const char *at;

	if (ir_find_word(line, "call ") == NULL && ir_find_word(line, "invoke ") == NULL)
		return false;
	while ((at = ir_find_word(line, "@")) != NULL) {
		line = ir_from(line, at + 1);
		*name = ir_take_name(line, &behind);
		if (name->size > 0 && ir_starts(behind, "("))
			return !ir_starts(*name, "llvm.");
	}
	return false;
}
