/* SPDX-License-Identifier: MIT
 * process_frames: which lines of a thread's stack are a frame, and what a frame says. */
#include "ingest/process_frames.h"

#include "ingest/native_lock.h"
#include "ingest/process_lines.h"

/* --- stacks --- */

/* Below a frame "#1 ...": where it is, which eu-stack -s prints there ("    io.c:12:5"), and gdb when a line gets too
 * long ("    at io.c:12", "    size=3) at io.c:12", "    from /lib/x.so"). Other lines are variables. */
static bool
is_place_below(struct stk_text line)
{
	struct stk_text place = unindented(line);
	const char *colon = place.size == 0 ? NULL : memrchr(place.data, ':', place.size), *at;
	uint64_t number;

	if (place.data == line.data || colon == NULL)
		return place.data > line.data && text_starts(place, "from /");
	at = colon + 1;
	return (text_starts(place, "at ") || text_find(place, ") at ") != NULL || text_find(place, " ") == NULL) &&
	       at < place.data + place.size &&
	       scan_decimal(&at, place.data + place.size, &number) && at == place.data + place.size;
}

/* The next line that is of the stack: the scan reported those between. */
static struct stk_text
own_line_after(struct stk_text line, const char *end)
{
	struct found_sample unused;

	do
		line = line_after(line, end);
	while (line.data < end && (trimmed(line).size == 0 || process_line_kind(trimmed(line), &unused) == LINE_OTHER));
	return line;
}

static void
read_numbered_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size;
	struct native_lock lock;
	bool waits = native_lock_find(stack, &lock);

	for (struct stk_text line = line_at(stack.data, end); line.data < end; line = own_line_after(line, end)) {
		struct stk_text place = trimmed(own_line_after(line, end));

		if (line.size == 0 || *line.data != '#')
			continue;
		if (is_place_below(place))
			line = between(line.data, place.data + place.size);
		stack_frame(reading, trimmed(line));
		if (waits && lock.gap.data > line.data && lock.gap.data < line.data + line.size) {
			stack_lock(reading, STK_RELATION_WAITING_TO_LOCK, lock.name, lock.address);
			stack_state(reading, STK_STATE_BLOCKED);
		}
	}
}

/* What py-spy dump --locals has below a frame: "        Locals:", "            n: 3". */
static bool
is_variable(struct stk_text line, struct stk_text stack)
{
	return text_starts(line, "        ") && text_starts(stack, "    ") && stack.size > 4 && stack.data[4] > ' ';
}

/* The line before "  PC:  0x4010a0: sell" or "       0x4020b0 0x4030c0" may say who made the thread, which is no frame. */
static void
read_threadz_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size;

	for (struct stk_text line = line_at(stack.data, end); line.data < end; line = line_after(line, end)) {
		struct stk_text words = trimmed(unindented(line));

		(void)take_words(&words, "PC:");
		words = unindented(words);
		if (text_find(words, "same as previous thread") != NULL)
			stack_broken(reading, line, "a stack that is said to be the one of the thread above");
		else if (text_starts(words, "0x") && text_find(words, ": ") != NULL)
			stack_frame(reading, words);
		while (text_starts(words, "0x") && text_find(words, ": ") == NULL) {
			const char *blank = memchr(words.data, ' ', words.size);
			const char *stop = blank != NULL ? blank : words.data + words.size;

			stack_frame(reading, between(words.data, stop));
			words = unindented(between(stop, words.data + words.size));
		}
	}
}

static bool
is_threadz_stack(struct stk_text stack)
{
	struct stk_text words = unindented(stack);

	return text_starts(words, "PC:") || text_starts(words, "creator: 0x") ||
	       text_starts(words, "[same as previous thread") || text_starts(words, "same as previous thread");
}

void
process_stack_read(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size;

	if (stack.size > 0 && *stack.data == '#') {
		read_numbered_stack(reading, stack);
		return;
	}
	if (is_threadz_stack(stack)) {
		read_threadz_stack(reading, stack);
		return;
	}
	for (struct stk_text line = line_at(stack.data, end); line.data < end; line = own_line_after(line, end)) {
		struct stk_text place = own_line_after(line, end);

		if (process_line_is_left_out(trimmed(line)))
			stack_frame(reading, text_from("[truncated]"));
		else if (*line.data != ' ' && *line.data != '#' && process_line_is_place(place)) {
			stack_frame(reading, between(line.data, trimmed(place).data + trimmed(place).size));
			line = place;
		} else if (*line.data != '\t' && trimmed(line).size > 0 && !is_variable(line, stack) &&
			   !text_is(trimmed(line), "  <no Python frame>")) {
			stack_frame(reading, trimmed(line));
		}
	}
}

/* --- frames --- */

static struct stk_text
before_last(struct stk_text text, char mark)
{
	const char *at = text.size == 0 ? NULL : memrchr(text.data, mark, text.size);

	return at == NULL || at == text.data ? text : between(text.data, at);
}

/* "work.py:12" */
static void
read_place(struct frame_parts *parts, struct stk_text place)
{
	const char *colon = place.size == 0 ? NULL : memrchr(place.data, ':', place.size),
		   *at = colon == NULL ? NULL : colon + 1;
	uint64_t number;

	if (colon == NULL || !scan_decimal(&at, place.data + place.size, &number)) {
		parts->file = place;
		return;
	}
	parts->file = between(place.data, colon);
	parts->line = (int64_t)number;
}

/* "main.work(0xc0001, 0x2)" and "created by main.start in goroutine 1", and "	/src/main.go:12 +0x1d" below. The function
 * that made a goroutine did not call it: its frame keeps the words. */
static bool
read_go(struct frame_parts *parts, struct stk_text call, struct stk_text place)
{
	const char *in;

	if (text_starts(call, "created by ")) {
		in = text_find(call, " in goroutine ");
		parts->function = in != NULL ? between(call.data, in) : call;
	} else {
		parts->function = before_last(call, '(');
	}
	place = unindented(place);
	in = text_find(place, " +0x");
	read_place(parts, in != NULL ? between(place.data, in) : place);
	return parts->function.size > 0;
}

static void
pass_blanks(struct stk_text *line)
{
	*line = unindented(*line);
}

/* The blank before the arguments that the line ends with: "std::function<int (int)>::operator() (this=0x7f)" has more
 * brackets. Without any at the end, the first; NULL without one. */
static const char *
arguments_of(struct stk_text line)
{
	const char *at = line.data + line.size;
	int deep = 0;

	if (!text_ends(line, ")"))
		return text_find(line, " (");
	while (at > line.data) {
		at--;
		deep += *at == ')' ? 1 : *at == '(' ? -1 : 0;
		if (deep == 0)
			return at > line.data && at[-1] == ' ' ? at - 1 : text_find(line, " (");
	}
	return text_find(line, " (");
}

/* Where the words are last: values of arguments may have them too. */
static const char *
last_of(struct stk_text line, const char *words)
{
	const char *last = NULL, *end = line.data + line.size, *at;

	while ((at = text_find(line, words)) != NULL) {
		last = at;
		line = between(at + 1, end);
	}
	return last;
}

/* What is_place_below knows. */
static void
read_place_below(struct frame_parts *parts, struct stk_text place)
{
	const char *colon = memrchr(place.data, ':', place.size);
	const char *before = colon == NULL ? NULL : memrchr(place.data, ':', (size_t)(colon - place.data));
	const char *at = before == NULL ? NULL : before + 1;
	const char *last = last_of(place, ") at ");
	uint64_t number;

	if (last != NULL)
		place = between(last + 2, place.data + place.size);
	if (take_words(&place, "from "))
		parts->module = place;
	else if (take_words(&place, "at ") || at == NULL || !scan_decimal(&at, colon, &number) || at != colon)
		read_place(parts, place);
	else
		read_place(parts, between(place.data, colon));	/* without the column */
}

/* "#1  0x00007f9c in read (fd=3) at io.c:12", "#1  0x00007f9c read+0x1f - /lib/libc.so.6", "#2  work () from
 * /lib/x.so", and a line with the place below */
static bool
read_numbered(struct frame_parts *parts, struct stk_text line)
{
	const char *mark, *newline = memrchr(line.data, '\n', line.size);
	uint64_t number;

	if (newline != NULL) {
		read_place_below(parts, unindented(between(newline + 1, line.data + line.size)));
		line = trimmed(line_at(line.data, newline));
	}
	line = text_of(line.data + 1, line.size - 1);
	if (!take_number(&line, &number))
		return false;
	pass_blanks(&line);
	if (text_starts(line, "0x") && take_number(&line, &parts->address)) {
		pass_blanks(&line);
		(void)(take_words(&line, "in ") || take_words(&line, "- 1 "));	/* of eu-stack -a */
	}
	/* of our own captures */
	parts->form = take_words(&line, "[inlined] ") ? STK_FORM_INLINED : STK_FORM_NATIVE;
	if ((mark = text_find(line, " - /")) != NULL || (mark = text_find(line, " - [")) != NULL) {
		parts->module = between(mark + 3, line.data + line.size);
		line = between(line.data, mark);
	} else if ((mark = last_of(line, ") from ")) != NULL) {
		parts->module = between(mark + 7, line.data + line.size);
		line = between(line.data, mark + 1);
	} else if ((mark = last_of(line, ") at ")) != NULL) {
		read_place(parts, between(mark + 5, line.data + line.size));
		line = between(line.data, mark + 1);
	}
	if ((mark = arguments_of(line)) != NULL)
		line = between(line.data, mark);
	if ((mark = text_find(line, "+0x")) != NULL) {
		const char *at = mark + 1;

		(void)scan_hex(&at, line.data + line.size, &parts->offset);
		line = between(line.data, mark);
	}
	parts->function = trimmed(line).size > 0 ? trimmed(line) : text_from("[unknown]");
	if (text_is(parts->function, "??"))
		parts->function = text_from("[unknown]");
	return true;
}

/* "File "work.py", line 12 in run" */
static bool
read_file_line(struct frame_parts *parts, struct stk_text line)
{
	const char *mark = text_find(line, "\", line ");
	const char *at = mark == NULL ? NULL : mark + 8, *end = line.data + line.size;
	uint64_t number;

	if (mark == NULL || !scan_decimal(&at, end, &number))
		return false;
	parts->file = between(line.data, mark);
	parts->line = (int64_t)number;
	line = between(at, end);
	if (take_words(&line, " in "))
		parts->function = line;
	return parts->function.size > 0;
}

static bool
is_word(char c)
{
	return c == '_' || (unsigned char)((c | 0x20) - 'a') < 26 || (unsigned char)(c - '0') < 10;
}

/* The bracket before the values of arguments, "(n=3, s="x")", or before types at the end of the line; NULL. */
static const char *
call_of(struct stk_text line)
{
	const char *end = line.data + line.size;
	int deep = 0;

	for (const char *at = line.data; at + 1 < end; at++) {
		const char *word = *at == '(' ? at + 1 : end;

		while (word < end && (is_word(*word) || *word == '#'))
			word++;
		if (word < end && word > at + 1 && *word == '=' && at > line.data)
			return at;
	}
	if (!text_ends(line, ")"))
		return NULL;
	for (const char *at = end; at-- > line.data;) {
		deep += *at == ')' ? 1 : *at == '(' ? -1 : 0;
		if (deep == 0)
			return at > line.data ? at : NULL;
	}
	return NULL;
}

/* The last " at " of the line; NULL. */
static const char *
last_at(struct stk_text line)
{
	const char *at = text_find(line, " at "), *next = at;

	while (next != NULL) {
		at = next;
		next = text_find(between(at + 1, line.data + line.size), " at ");
	}
	return at;
}

/* " + 37" at the end of the line */
static void
take_lldb_offset(struct frame_parts *parts, struct stk_text *line)
{
	const char *mark = line->size > 0 ? memrchr(line->data, '+', line->size) : NULL;
	const char *at = mark != NULL ? mark + 2 : NULL, *end = line->data + line->size;

	if (mark != NULL && mark - line->data > 1 && mark[-1] == ' ' && end - mark > 2 &&
	    scan_decimal(&at, end, &parts->offset) && at == end)
		*line = trimmed(between(line->data, mark));
}

/* " at read.c:26:10" and the arguments before it, or " + 37", at the end of the line of a function. */
static void
read_lldb_place(struct frame_parts *parts, struct stk_text *line)
{
	const char *mark = last_at(*line), *at, *end = line->data + line->size;

	if (mark == NULL) {
		take_lldb_offset(parts, line);
		return;
	}
	read_place(parts, between(mark + 4, end));
	/* with a column, the line is the number before it */
	if (parts->file.size > 0 && memchr(parts->file.data, ':', parts->file.size) != NULL)
		read_place(parts, parts->file);
	*line = between(line->data, mark);
	take_lldb_offset(parts, line);
	if ((at = call_of(*line)) != NULL)
		*line = between(line->data, at);
}

/* "frame #0: 0x00007ffff7e8a7f2 libc.so.6`__read(fd=0, buf=0x0) at read.c:26:10", "frame #1: 0x0000 shop`main + 37", after
 * "* " where it is the chosen one. What lldb inlined has "[inlined] " before its name, what was optimised "[opt]" at
 * the end. */
static bool
read_lldb_frame(struct frame_parts *parts, struct stk_text line)
{
	const char *mark;
	uint64_t number;

	(void)take_words(&line, "* ");
	if (!take_words(&line, "frame #") || !take_number(&line, &number) || !take_words(&line, ": ") ||
	    !take_number(&line, &parts->address))
		return false;
	pass_blanks(&line);
	parts->form = STK_FORM_NATIVE;
	while (text_ends(line, "]") && (mark = memrchr(line.data, '[', line.size)) != NULL && mark > line.data &&
	       mark[-1] == ' ')
		line = trimmed(between(line.data, mark));
	if ((mark = memchr(line.data, '`', line.size)) != NULL) {
		parts->module = between(line.data, mark);
		line = between(mark + 1, line.data + line.size);
	}
	if (text_find(line, "[inlined] ") != NULL) {
		line = between(text_find(line, "[inlined] ") + 10, line.data + line.size);
		parts->form = STK_FORM_INLINED;
	}
	read_lldb_place(parts, &line);
	(void)take_words(&line, "::");
	parts->function = line.size > 0 && !text_starts(line, "___lldb_unnamed_symbol") ? line
											  : text_from("[unknown]");
	return true;
}

/* "* shop.Till.open(int) bci:12 line:33 (Interpreted frame)" */
static void
read_mixed_method(struct frame_parts *parts, struct stk_text line)
{
	const char *open = memchr(line.data, '(', line.size), *number = text_find(line, " line:");
	uint64_t value;

	parts->form = STK_FORM_JAVA;
	parts->line = STK_LINE_NO_SOURCE;
	parts->function = open != NULL ? between(line.data, open) : line;
	if (number != NULL) {
		number += strlen(" line:");
		if (scan_decimal(&number, line.data + line.size, &value))
			parts->line = (int64_t)value;
	}
}

/* "0x00007f0000001000	__poll + 0x1d", and a method of Java after a star; several are compiled into one, and have
 * blanks in place of the address. */
static bool
read_mixed_frame(struct frame_parts *parts, struct stk_text line)
{
	const char *mark;

	if (process_line_is_mixed_frame(line) && take_number(&line, &parts->address))
		line = unindented(line);
	else if (!text_starts(line, "* ") || text_find(line, " bci:") == NULL)
		return false;
	if (take_words(&line, "* ")) {
		read_mixed_method(parts, line);
		return parts->function.size > 0;
	}
	parts->form = STK_FORM_NATIVE;
	if ((mark = last_of(line, " + 0x")) != NULL) {
		const char *at = mark + 3;

		(void)scan_hex(&at, line.data + line.size, &parts->offset);
		line = between(line.data, mark);
	}
	parts->function = line.size > 0 && *line.data != '?' ? line : text_from("[unknown]");
	return true;
}

/* "0x4010a0: sell", or the address alone */
static bool
read_threadz_frame(struct frame_parts *parts, struct stk_text line)
{
	if (!text_starts(line, "0x") || !take_number(&line, &parts->address) ||
	    !(line.size == 0 || take_words(&line, ": ")))
		return false;
	parts->form = STK_FORM_NATIVE;
	parts->function = line.size > 0 ? line : text_from("[unknown]");
	return true;
}

/* "Binary file "/lib/libc.so.6", at read+0x1f [0x7f30]", and without a symbol "at +0x3f" */
static bool
read_binary_frame(struct frame_parts *parts, struct stk_text line)
{
	const char *mark = text_find(line, "\", at "), *open = last_of(line, " [0x"), *plus;
	const char *end = line.data + line.size;

	if (mark == NULL || open == NULL || open < mark)
		return false;
	parts->form = STK_FORM_NATIVE;
	parts->module = between(line.data, mark);
	line = between(mark + 6, open);
	open += 2;
	(void)scan_hex(&open, end, &parts->address);
	if ((plus = last_of(line, "+0x")) != NULL) {
		const char *at = plus + 1;

		(void)scan_hex(&at, line.data + line.size, &parts->offset);
		line = between(line.data, plus);
	}
	parts->function = line.size > 0 ? line : text_from("[unknown]");
	return true;
}

bool
process_frame_read(struct frame_parts *parts, struct stk_text text)
{
	const char *newline = memrchr(text.data, '\n', text.size), *open;	/* lines of a log may be between */
	struct stk_text line = trimmed(text);

	*parts = (struct frame_parts){ 0 };
	if (line.size > 0 && *line.data == '#')
		return read_numbered(parts, line);
	if (newline != NULL)
		return read_go(parts, trimmed(line_at(text.data, newline)),
			       between(newline + 1, text.data + text.size));
	if (line.size == 0)
		return false;
	line = unindented(line);
	if (read_lldb_frame(parts, line) || read_threadz_frame(parts, line) || read_mixed_frame(parts, line))
		return true;
	*parts = (struct frame_parts){ 0 };
	if (take_words(&line, "Binary file \""))
		return read_binary_frame(parts, line);
	if (take_words(&line, "File \""))
		return read_file_line(parts, line);
	open = text_find(line, " (");
	parts->function = line;
	if (open != NULL && text_ends(line, ")")) {		/* py-spy */
		parts->function = between(line.data, open);
		read_place(parts, between(open + 2, line.data + line.size - 1));
	}
	return line.size > 0;
}
