/* SPDX-License-Identifier: MIT
 * java_stack: reads the lines of a Java thread's stack, once for each stack that is new. */
#include "ingest/java_stack.h"

#include "ingest/java_symbol.h"
#include "ingest/mask.h"
#include "ingest/text_lines.h"
#include "ingest/thread_header.h"

const char java_state_words[] = "java.lang.Thread.State: ";
const char java_owned_words[] = "Locked ownable synchronizers:";

/* "TIMED_WAITING (sleeping)" */
static void
read_state(struct stack_reading *reading, struct stk_text words)
{
	const char *blank = words.size > 0 ? memchr(words.data, ' ', words.size) : NULL;
	enum stk_state state = java_state_named(blank != NULL ? between(words.data, blank) : trimmed(words));

	if (state != STK_STATE_UNKNOWN)
		stack_state(reading, state);
}

/* Lines of a stack that carry no information, or that the scanner has read. */
static bool
says_nothing(struct stk_text words)
{
	return words.size == 0 || text_starts(words, java_owned_words) || text_is(words, "- None") ||
	       text_starts(words, "No compile task") ||
	       text_is(words, "(in native)") || text_starts(words, "on ") || text_starts(words, "owned by ") || text_starts(words, "Owned by: ") ||
	       text_is(words, "...") || text_starts(words, "Number of locked synchronizers = ") ||
	       text_starts(words, "-- ") || text_starts(words, "--- ") || text_starts(words, "^-- ") ||
	       text_starts(words, "JavaThread state: ") ||
	       text_starts(words, "Compiling: ") || text_starts(words, "Note: ") || text_starts(words, "Carrying virtual thread ") ||
	       text_starts(words, "Mounted virtual thread ");
}

/* "- com.acme.Shop.sell(int) @bci=59, line=155 (Compiled frame)": as jstack -F prints it. */
static bool
is_forced_frame(struct stk_text words)
{
	return text_starts(words, "- ") && text_find(words, " @bci=") != NULL;
}

/* The lock that a thread waits for stands above its leaf in JRockit's dumps, in others below: it is said after the
 * next frame. */
struct held_lock { bool held; struct lock_line lock; };

static void
say_held(struct stack_reading *reading, struct held_lock *held)
{
	if (held->held)
		stack_lock(reading, held->lock.relation, held->lock.class, held->lock.address);
	held->held = false;
}

static void
read_stack_line(struct stack_reading *reading, struct stk_text line, struct held_lock *held)
{
	struct stk_text words = unindented(line);
	struct lock_line lock;

	if (text_starts(words, "at ") && line.size <= INGEST_LINE_MAX) {
		stack_frame(reading, text_of(words.data + 3, words.size - 3));
		say_held(reading, held);
	} else if (words.size > 0 && (*words.data == '-' || *words.data == '^') && lock_line_read(&lock, words)) {
		/* first, as thread_dump_mask takes each of these for a lock */
		say_held(reading, held);
		*held = (struct held_lock){ true, lock };
		if (!text_starts(words, "-- "))
			say_held(reading, held);
	} else if (is_forced_frame(words) && line.size <= INGEST_LINE_MAX) {
		stack_frame(reading, text_of(words.data + 2, words.size - 2));
	} else if (words.data != line.data && line.size <= INGEST_LINE_MAX && java_frame_is(trimmed(words))) {
		stack_frame(reading, trimmed(words));	/* of WebLogic */
		say_held(reading, held);
	} else if (text_starts(words, java_state_words)) {
		read_state(reading, between(words.data + strlen(java_state_words), words.data + words.size));
	} else if (words.data != line.data && !says_nothing(trimmed(words))) {
		/* what is not indented is foreign, and scan has reported it */
		stack_broken(reading, line,
			     line.size > INGEST_LINE_MAX ? "a line over 1 MiB"
							 : "a line of a stack that is not understood");
	}
}

/* What IntelliJ's line below the state says is waited for; a thread that is blocked waits to lock it. */
static struct held_lock
lock_above_stack(struct stk_text stack)
{
	struct held_lock held = { false };

	held.held = wait_line_read(&held.lock, wait_line_of(stack));
	if (held.held && text_find(line_at(stack.data, stack.data + stack.size), ": BLOCKED") != NULL)
		held.lock.relation = STK_RELATION_WAITING_TO_LOCK;
	return held;
}

void
java_stack_read(struct stack_reading *reading, struct stk_text stack)
{
	const char *at = stack.data, *end = stack.data + stack.size;
	struct held_lock held = lock_above_stack(stack);

	while (at < end) {
		struct stk_text line = line_at(at, end);

		read_stack_line(reading, line, &held);
		at = line.data + line.size + (line.data + line.size < end);
	}
	say_held(reading, &held);
}

/* --- frames --- */

/* "(Till.java:12)", "(Native Method)": where a frame is */
static bool
is_place(struct stk_text text)
{
	const char *colon = text_find(text, ":"), *digits = colon != NULL ? colon + 1 : NULL;
	uint64_t unused;

	if (text_is(text, "(Native Method)") || text_is(text, "(Unknown Source)"))
		return true;
	return colon != NULL && scan_decimal(&digits, text.data + text.size, &unused) &&
	       text_is(between(digits, text.data + text.size), ")");
}

bool
java_frame_is(struct stk_text text)
{
	const char *open = text.size > 0 ? memchr(text.data, '(', text.size) : NULL;
	struct stk_text name = open != NULL ? between(text.data, open) : text_of("", 0);

	return name.size > 0 && is_place(between(open, text.data + text.size)) && text_find(name, ".") != NULL &&
	       text_find(name, " ") == NULL;
}

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

/* "com.acme.Shop.sell(int) @bci=59, line=155 (Compiled frame; information may be imprecise)" */
static bool
read_forced_frame(struct frame_parts *parts, struct stk_text line)
{
	const char *bci = text_find(line, ") @bci="), *end = line.data + line.size;
	const char *open = bci != NULL ? memchr(line.data, '(', (size_t)(bci - line.data)) : NULL;
	const char *number = open != NULL ? text_find(between(bci, end), " line=") : NULL;
	uint64_t value = 0;

	if (open == NULL || open == line.data)
		return false;
	*parts = (struct frame_parts){ .function = between(line.data, open), .form = STK_FORM_JAVA,
				       .line = STK_LINE_NO_SOURCE };
	if (number != NULL) {
		number += 6;
		if (scan_decimal(&number, end, &value) && value <= INT32_MAX)
			parts->line = (int64_t)value;
	}
	return true;
}

/* "(Foo.java:3)[optimized]@0x7f" of JRockit: what follows the bracket is the compiler's. */
static struct stk_text
without_address(struct stk_text line)
{
	const char *close = line.size > 0 ? memrchr(line.data, ')', line.size) : NULL;
	const char *end = line.data + line.size;

	if (close == NULL || close + 1 == end || (close[1] != '[' && close[1] != '@'))
		return line;
	return between(line.data, close + 1);
}

/* The '/' after the class loader and module of "app//shop.Till.open" and "java.base@17/java.lang.Thread.run", as
 * StackTraceElement writes them; NULL without them. In names of hidden classes, Till$$Lambda/0x00007f, and of JRockit,
 * java/lang/Thread.run, a '/' is the name's own. */
static const char *
module_end(struct stk_text name)
{
	const char *end = name.data + name.size, *slash = end, *from;
	struct stk_text module, rest;

	do
		slash = memrchr(name.data, '/', (size_t)(slash - name.data));
	while (slash != NULL && slash + 1 < end && slash[1] >= '0' && slash[1] <= '9');
	if (slash == NULL || slash == name.data)
		return NULL;
	from = memrchr(name.data, '/', (size_t)(slash - name.data));
	module = between(from != NULL ? from + 1 : name.data, slash);
	rest = between(slash + 1, end);
	if (module.size == 0 || memchr(module.data, '.', module.size) != NULL ||
	    memchr(module.data, '@', module.size) != NULL)
		return slash;
	from = rest.size > 0 ? memchr(rest.data, '.', rest.size) : NULL;
	return from != NULL && memchr(from + 1, '.', (size_t)(end - from - 1)) != NULL ? slash : NULL;
}

/* Moves what is before the class into the module, where HotSpot's own dumps have it, without the class loader. */
static void
take_module(struct frame_parts *parts)
{
	const char *slash = module_end(parts->function), *from;

	if (slash == NULL)
		return;
	from = memrchr(parts->function.data, '/', (size_t)(slash - parts->function.data));
	parts->module = between(from != NULL ? from + 1 : parts->function.data, slash);
	parts->function = between(slash + 1, parts->function.data + parts->function.size);
}

/* "java/lang/Object.wait" of JRockit, unlike "java.base/java.lang.Object.wait" */
static bool
is_slashed(struct stk_text name)
{
	const char *slash = memchr(name.data, '/', name.size), *end = name.data + name.size;
	const char *dot = memchr(name.data, '.', name.size);

	return slash != NULL && dot != NULL && slash < dot && memchr(dot + 1, '.', (size_t)(end - dot - 1)) == NULL;
}

/* "step+0x1d" */
static void
take_offset(struct frame_parts *parts)
{
	const char *end = parts->function.data + parts->function.size;
	const char *plus = memrchr(parts->function.data, '+', parts->function.size);
	const char *at = plus != NULL ? plus + 1 : end;

	if (plus == NULL || plus == parts->function.data || !text_starts(between(at, end), "0x") ||
	    !scan_hex(&at, end, &parts->offset) || at != end)
		parts->offset = 0;
	else
		parts->function = between(parts->function.data, plus);
}

/* "step (/opt/a.so)", a native frame as stkcat -f dumps writes it. No frame of Java has a blank there, but of some tools,
 * which have a file and its line after it. */
static bool
read_native_frame(struct frame_parts *parts, struct stk_text function, struct stk_text inside)
{
	static const char *const of_java[] = { "Native Method", "Unknown Source", "Redefined" };
	bool java;

	if (inside.size == 0 || function.size < 2 || function.data[function.size - 1] != ' ')
		return false;
	java = memchr(inside.data, ':', inside.size) != NULL || text_ends(inside, ".java") ||
	       text_ends(inside, ".kt");
	for (size_t i = 0; i < sizeof of_java / sizeof *of_java; i++)
		java |= text_is(inside, of_java[i]);
	if (java)
		return false;
	parts->function = text_of(function.data, function.size - 1);
	parts->form = text_is(inside, "inlined") ? STK_FORM_INLINED : STK_FORM_NATIVE;
	if (parts->form == STK_FORM_NATIVE) {
		parts->module = inside;
		take_offset(parts);
	}
	return true;
}

/* The place of the last " in ", NULL without one. */
static const char *
last_in(struct stk_text text)
{
	const char *found = NULL, *end = text.data + text.size;

	for (const char *at = text.data; (at = text_find(between(at, end), " in ")) != NULL; at++)
		found = at;
	return found;
}

/* "step (/opt/a.so) in /src/a.c:line 12": a frame that is none of Java with its place, as .NET writes places and
 * stkcat -f dumps. */
static bool
read_placed_frame(struct frame_parts *parts, struct stk_text line)
{
	const char *end = line.data + line.size, *digits = end, *in, *open;
	struct stk_text before, name;
	uint64_t number;

	while (digits > line.data && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	before = between(line.data, digits);
	if (digits == end || !text_ends(before, ":line "))
		return false;
	before.size -= 6;
	in = last_in(before);
	if (in == NULL || in == line.data || in + 4 == before.data + before.size)
		return false;
	name = between(line.data, in);
	open = text_ends(name, ")") ? memrchr(name.data, '(', name.size) : NULL;
	*parts = (struct frame_parts){ .function = name, .form = STK_FORM_PLAIN };
	if (open != NULL)
		(void)read_native_frame(parts, between(name.data, open), between(open + 1, in - 1));
	parts->file = between(in + 4, before.data + before.size);
	if (text_is(parts->file, "??"))			/* not known */
		parts->file = text_of("", 0);
	if (scan_decimal(&digits, end, &number) && number <= INT32_MAX)
		parts->line = (int64_t)number;
	return true;
}

/* function "(" [module "/"] (file[:line] | Native Method | Unknown Source | Redefined) ")", or a text that is not
 * written back byte for byte from such parts, and so is kept whole. */
bool
java_frame_read(struct frame_parts *parts, struct stk_text line)
{
	const char *open;
	struct stk_text inside;
	const char *slash;

	if (read_forced_frame(parts, line) || read_placed_frame(parts, line))
		return true;
	line = without_address(line);
	open = line.size > 0 && line.data[line.size - 1] == ')' ? memrchr(line.data, '(', line.size) : NULL;
	*parts = (struct frame_parts){ .function = line, .form = STK_FORM_PLAIN };
	if (line.size == 0 || open == NULL)
		return line.size > 0;
	inside = between(open + 1, line.data + line.size - 1);
	if (read_native_frame(parts, between(line.data, open), inside))
		return true;
	slash = inside.size > 0 ? memrchr(inside.data, '/', inside.size) : NULL;
	if (slash == inside.data && slash != NULL)
		return true;
	parts->form = STK_FORM_JAVA;
	parts->function = between(line.data, open);
	/* with a descriptor, as SAP's VM and JRockit have it */
	parts->is_symbol = memchr(parts->function.data, '(', parts->function.size) != NULL &&
			   is_java_symbol(parts->function);
	if (slash != NULL) {
		parts->module = between(inside.data, slash);
		inside = between(slash + 1, inside.data + inside.size);
	} else if (!parts->is_symbol) {
		parts->is_slashed = is_slashed(parts->function);
		take_module(parts);
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
