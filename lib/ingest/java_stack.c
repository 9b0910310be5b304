/* SPDX-License-Identifier: MIT
 * java_stack: reads the lines of a Java thread's stack, once for each stack that is new. */
#include "ingest/java_stack.h"

#include "ingest/mask.h"
#include "ingest/text_lines.h"

const char java_state_words[] = "java.lang.Thread.State: ";
const char java_owned_words[] = "Locked ownable synchronizers:";

static void
read_state(struct stack_reading *reading, struct stk_text words)
{
	static const struct { const char *word; enum stk_state state;
	} states[] = { { "RUNNABLE", STK_STATE_RUNNABLE },
		       { "WAITING", STK_STATE_WAITING },
		       { "TIMED_WAITING", STK_STATE_TIMED_WAITING },
		       { "BLOCKED", STK_STATE_BLOCKED },
		       { "NEW", STK_STATE_NEW },
		       { "TERMINATED", STK_STATE_TERMINATED } };

	for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
		if (text_starts(words, states[i].word)) {
			stack_state(reading, states[i].state);
			return;
		}
	}
}

/* Lines of a stack that carry no information, or that the scanner has read. */
static bool
says_nothing(struct stk_text words)
{
	return words.size == 0 || text_starts(words, java_owned_words) || text_is(words, "- None") ||
	       text_starts(words, "No compile task") ||
	       text_starts(words, "-  ") || /* locks of ThreadInfo, which has a hash and no address */
	       text_starts(words, "Compiling: ") || text_starts(words, "Carrying virtual thread ") ||
	       text_starts(words, "Mounted virtual thread ");
}

static void
read_stack_line(struct stack_reading *reading, struct stk_text line)
{
	struct stk_text words = unindented(line);
	struct lock_line lock;

	if (text_starts(words, "at ") && line.size <= INGEST_LINE_MAX)
		stack_frame(reading, text_of(words.data + 3, words.size - 3));
	else if (text_starts(words, "- ") && lock_line_read(&lock, words))
		stack_lock(reading, lock.relation, lock.class, lock.address);
	else if (text_starts(words, java_state_words))
		read_state(reading, between(words.data + strlen(java_state_words), words.data + words.size));
	/* what is not indented is foreign, and scan has reported it */
	else if (words.data != line.data && !says_nothing(trimmed(words)))
		stack_broken(reading, line,
			     line.size > INGEST_LINE_MAX ? "a line over 1 MiB"
							 : "a line of a stack that is not understood");
}

void
java_stack_read(struct stack_reading *reading, struct stk_text stack)
{
	const char *at = stack.data, *end = stack.data + stack.size;

	while (at < end) {
		struct stk_text line = line_at(at, end);

		read_stack_line(reading, line);
		at = line.data + line.size + (line.data + line.size < end);
	}
}

/* --- frames --- */

/* "Foo.java:12" or "Foo.java" */
static void
read_place(struct frame_parts *parts, struct stk_text place)
{
	const char *colon = place.size > 0 ? memrchr(place.data, ':', place.size) : NULL;
	const char *end = place.data + place.size, *digits = colon != NULL ? colon + 1 : end;
	uint64_t line = 0;

	parts->file = place;
	if (colon == NULL || end - digits < 1 || end - digits > 18 || *digits == '0' ||
	    !scan_decimal(&digits, end, &line) || digits != end)
		return;		/* kept unchanged */
	parts->file = between(place.data, colon);
	parts->line = (int64_t)line;
}

/* function "(" [module "/"] (file[:line] | Native Method | Unknown Source | Redefined) ")", or a text that is not
 * written back byte for byte from such parts, and so is kept whole. */
bool
java_frame_read(struct frame_parts *parts, struct stk_text line)
{
	const char *open = line.size > 0 && line.data[line.size - 1] == ')' ? memrchr(line.data, '(', line.size) : NULL;
	struct stk_text inside;
	const char *slash;

	*parts = (struct frame_parts){ .function = line, .form = STK_FORM_PLAIN };
	if (line.size == 0 || open == NULL)
		return line.size > 0;
	inside = between(open + 1, line.data + line.size - 1);
	slash = inside.size > 0 ? memrchr(inside.data, '/', inside.size) : NULL;
	if (slash == inside.data && slash != NULL)
		return true;
	parts->form = STK_FORM_JAVA;
	parts->function = between(line.data, open);
	if (slash != NULL) {
		parts->module = between(inside.data, slash);
		inside = between(slash + 1, inside.data + inside.size);
	}
	if (text_is(inside, "Native Method"))
		parts->line = STK_LINE_NATIVE;
	else if (text_is(inside, "Unknown Source"))
		parts->line = STK_LINE_NO_SOURCE;
	else if (text_is(inside, "Redefined"))
		parts->line = STK_LINE_REDEFINED;
	else
		read_place(parts, inside);
	return true;
}
