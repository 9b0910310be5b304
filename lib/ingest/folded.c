/* SPDX-License-Identifier: MIT
 * folded: one stack a line, root first, and how often it was seen: "java;main;read 12".
 *
 * Counts may be fractions, which are rounded to the nearest whole number; one that is less than a half is an error.
 * Where most lines have two counts (difffolded.pl writes those) the last one is taken, the stack after the change.
 * Where most lines begin with a count and have none at the end (uniq -c writes those) it is that one. Where most lines
 * have none each is one sample. "Most" refers to the first lines of each piece, so that a line without a count among
 * others is an error and not a sample.
 *
 * The `;` of a JVM descriptor, "get(Ljava/lang/String;I)V", or of a class name before its method,
 * "Ljava/lang/String;.length", ends no frame. */
#include "ingest/folded.h"

#include "base/time_text.h"
#include "ingest/civil_moment.h"
#include "ingest/java_symbol.h"
#include "ingest/log_line.h"
#include "ingest/scan_text.h"
#include "ingest/text_lines.h"

#define SECONDS_LEAST 1000000000u	/* since 1970: of times in front of stacks */
#define SECONDS_MOST  4000000000u
#define MOMENT_MAX 40	/* bytes of a date with its time and zone */
#define LINES_ASKED 64	/* of a piece, for what its lines look like */

static inline bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool
is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static const char *
trim_right(const char *from, const char *end)
{
	while (end > from && is_blank(end[-1]))
		end--;
	return end;
}

/* --- a line --- */

enum shape {
	LINE_EMPTY, LINE_COMMENT, LINE_BARE, LINE_COUNTED, LINE_COUNTED_TWICE, LINE_COUNTED_FIRST, LINE_LOST_COUNT,
	LINE_BAD_COUNT
};

/* Where "2.5e-05" begins, whose last digits begin at `digits`; that place when they are no exponent. Seldom called. */
static __attribute__((noinline)) const char *
power_start(const char *from, const char *digits)
{
	const char *at = digits;

	at -= at[-1] == '-' || at[-1] == '+';
	if (at == from || (at[-1] | 0x20) != 'e')
		return digits;
	for (at--; at > from && (is_digit(at[-1]) || at[-1] == '.');)
		at--;
	return at > from && is_blank(at[-1]) && is_digit(*at) ? at : digits;
}

/* Takes a count ("12", "12.5", "2.5e-05") and the blanks before it from the end of [from, *end). False when there is
 * none, or nothing before it. */
static inline bool
take_count(const char *from, const char **end, struct stk_text *count)
{
	const char *digits = *end;
	const char *before;

	while (digits > from && (is_digit(digits[-1]) || digits[-1] == '.'))
		digits--;
	if (digits < *end && digits > from && ((digits[-1] | 0x20) == 'e' || digits[-1] == '-' || digits[-1] == '+'))
		digits = power_start(from, digits);
	before = trim_right(from, digits);
	if (digits == *end || before == digits || before == from || !is_digit(*digits))
		return false;
	*count = between(digits, *end);
	*end = before;
	return true;
}

/* "2.5e3" */
static __attribute__((noinline)) enum shape
read_power(struct stk_text count, uint64_t *weight)
{
	char copy[64] = "";
	double value;

	if (count.size >= sizeof copy)
		return LINE_BAD_COUNT;
	memcpy(copy, count.data, count.size);
	value = strtod(copy, NULL);
	if (!(value < 0x1p63))
		return LINE_BAD_COUNT;
	*weight = (uint64_t)(value + 0.5);
	return *weight == 0 && value > 0 ? LINE_LOST_COUNT : LINE_COUNTED;
}

/* What is behind the whole number of a count: half of a sample and more is one. */
static __attribute__((noinline)) enum shape
read_fraction(struct stk_text count, const char *at, uint64_t *weight)
{
	const char *end = count.data + count.size;

	if (memchr(at, 'e', (size_t)(end - at)) != NULL || memchr(at, 'E', (size_t)(end - at)) != NULL)
		return read_power(count, weight);
	if (*at != '.' || (end - at > 1 && memchr(at + 1, '.', (size_t)(end - at - 1)) != NULL))
		return LINE_BAD_COUNT;
	if (end - at > 1 && at[1] >= '5' && *weight < UINT64_MAX)
		++*weight;
	for (at++; *weight == 0 && at < end; at++)	/* 0.0 is nothing */
		if (*at != '0')
			return LINE_LOST_COUNT;
	return LINE_COUNTED;
}

static inline enum shape
read_count(struct stk_text count, uint64_t *weight)
{
	const char *at = count.data;

	if (!scan_decimal(&at, count.data + count.size, weight))
		return LINE_BAD_COUNT;
	return at == count.data + count.size ? LINE_COUNTED : read_fraction(count, at, weight);
}

/* "     12 main;read": the stack is the text after the count. */
static __attribute__((noinline)) bool
is_counted_first(const char *from, const char *end, struct stk_text *stack, uint64_t *weight)
{
	while (from < end && is_blank(*from))
		from++;
	if (from == end || !is_digit(*from) || !scan_decimal(&from, end, weight) || from == end || !is_blank(*from))
		return false;
	while (from < end && is_blank(*from))
		from++;
	*stack = between(from, end);
	return stack->size > 0;
}

/* Examines the line [from, end): the stack is the text before its last count, or before both. */
static enum shape
look_at(const char *from, const char *end, struct stk_text *stack, uint64_t *weight)
{
	struct stk_text count, first;
	const char *at = end = trim_right(from, end);
	enum shape shape;

	from = without_mark(between(from, end)).data;
	*stack = between(from, end);
	*weight = 1;
	if (from == end)
		return LINE_EMPTY;
	if (!take_count(from, &at, &count)) {
		if (is_counted_first(from, end, stack, weight))
			return LINE_COUNTED_FIRST;
		*stack = between(from, end);
		*weight = 1;
		return *from == '#' ? LINE_COMMENT : LINE_BARE;
	}
	if (*from == '#' && (is_blank(from[1]) || memchr(from, ';', (size_t)(at - from)) == NULL))
		return LINE_COMMENT;	/* "#a;b 12" has a frame "#a" */
	*stack = between(from, at);
	shape = read_count(count, weight);
	return shape == LINE_COUNTED && take_count(from, &at, &first) ? LINE_COUNTED_TWICE : shape;
}

/* What the lines of a piece look like. A line with two counts may be one whose last frame ends in a number, and one
 * without may be damaged: the other lines decide. */
struct habit { unsigned bare, counted, twice, first, timed; };

/* "2026-03-01T09:00:00.25Z main;work", with Z or an offset, and what follows it */
static bool
take_zoned_time(struct stk_text *stack, int64_t *ns)
{
	const char *at = stack->data, *end = at + stack->size, *blank = memchr(at, ' ', stack->size), *zone;
	int seconds = 0;
	int64_t civil_ns;

	if (end - at <= CIVIL_MOMENT_SIZE || at[10] != 'T' || blank == NULL || blank - at > MOMENT_MAX)
		return false;
	zone = at + CIVIL_MOMENT_SIZE;
	while (zone < blank && *zone != 'Z' && *zone != '+' && *zone != '-')
		zone++;
	if (zone == blank || !civil_moment_read(between(at, zone), &civil_ns) || !time_take_offset(&zone, &seconds) ||
	    zone != blank)
		return false;
	while (blank < end && is_blank(*blank))
		blank++;
	*stack = between(blank, end);
	*ns = civil_ns - seconds * INT64_C(1000000000);
	return stack->size > 0;
}

/* "1772355600.25 main;work": seconds since 1970, and what follows them; or a date. */
static __attribute__((noinline)) bool
take_time(struct stk_text *stack, int64_t *ns)
{
	const char *at = stack->data, *end = at + stack->size;
	uint64_t value;

	if (end - at > CIVIL_MOMENT_SIZE && at[4] == '-')
		return take_zoned_time(stack, ns);
	if (end - at < 12 || !is_digit(at[9]) || !scan_fixed(&at, end, 9, &value) || at == end || !is_blank(*at) ||
	    value / 1000000000 < SECONDS_LEAST || value / 1000000000 > SECONDS_MOST)
		return false;
	while (at < end && is_blank(*at))
		at++;
	*stack = between(at, end);
	*ns = (int64_t)value;
	return stack->size > 0;
}

/* Frames of other texts are indented, and may have a `;` too. */
static bool
is_bare_stack(const char *line, struct stk_text stack)
{
	return !is_blank(*line) && memchr(stack.data, ';', stack.size) != NULL;
}

static struct habit
habit_of(struct stk_text piece)
{
	struct habit habit = { 0 };
	const char *end = piece.data + piece.size;
	const char *next;
	struct stk_text stack;
	uint64_t weight;

	for (const char *at = piece.data;
	     at < end && habit.bare + habit.counted + habit.twice + habit.first < LINES_ASKED;
	     at = next + (next < end)) {
		enum shape shape;
		int64_t unused;

		next = scan_line_end(at, end);
		shape = look_at(at, next, &stack, &weight);
		habit.timed += (shape == LINE_COUNTED || shape == LINE_BARE) && take_time(&stack, &unused);
		switch (shape) {
		case LINE_BARE:          habit.bare += is_bare_stack(at, stack); break;
		case LINE_LOST_COUNT:
		case LINE_COUNTED:       habit.counted++; break;
		case LINE_COUNTED_FIRST: habit.first += memchr(stack.data, ';', stack.size) != NULL; break;
		case LINE_COUNTED_TWICE: habit.twice++; break;
		default:                 break;
		}
	}
	return habit;
}

/* --- the scan --- */

struct scan {
	struct findings *findings;
	struct habit habit;
	bool counts_lead;	/* most lines begin with their count */
	bool timed;		/* most lines begin with a time */
	bool arrows;		/* between frames, or in names */
	uint32_t line;
};

static void
skip(const struct scan *scan, const char *from, const char *end, enum skip_reason reason, const char *why)
{
	found_skipped(scan->findings, scan->line, between(from, end), 1, reason, why);
}

static void
say_sample(const struct scan *scan, struct stk_text stack, uint64_t weight)
{
	struct found_sample *sample = &found(scan->findings, FOUND_SAMPLE, scan->line)->is.sample;

	sample->time_ns = STK_TIME_UNKNOWN;
	if (scan->timed)
		(void)take_time(&stack, &sample->time_ns);
	sample->stack = stack;
	sample->hash = scan_hash(stack);
	sample->weight = weight;
	sample->processor = PROCESSOR_UNKNOWN;
	sample->cpu_ns = sample->elapsed_ns = SPAN_UNKNOWN;
}

/* A stack of which the count is missing, or another text. */
static void
skip_bare(const struct scan *scan, const char *from, const char *end)
{
	struct stk_text line = between(from, end);
	bool stacked = memchr(from, ';', line.size) != NULL && !(text_find(line, "; ") != NULL && log_line_is(line));

	skip(scan, from, end, stacked ? SKIP_BROKEN : SKIP_NOISE,
	     stacked ? "a stack without a count" : "a line that is not a stack");
}

/* Where most lines begin with a count, this one does when it can; elsewhere a number in front is part of a frame. */
static __attribute__((noinline)) enum shape
look_again(const struct scan *scan, enum shape shape, const char *from, const char *end, struct stk_text *stack,
	   uint64_t *weight)
{
	end = trim_right(from, end);
	if (scan->counts_lead)
		return shape >= LINE_COUNTED && is_counted_first(from, end, stack, weight) ? LINE_COUNTED_FIRST
											   : shape;
	*stack = between(from, end);
	*weight = 1;
	return LINE_BARE;
}

/* Where there is no `;` this may be "2026-03-01 09:00:00 INFO orders paid: 17", which another thread wrote to the same
 * file, or "main -> sell -> read". */
static bool
skip_other(const struct scan *scan, struct stk_text stack, const char *from, const char *end)
{
	if (memchr(stack.data, ';', stack.size) != NULL)
		return false;
	if (!scan->timed && memchr(stack.data, ' ', stack.size) != NULL && log_line_is(stack))
		skip(scan, from, end, SKIP_NOISE, "a line of a log");
	else if (!scan->arrows && folded_has_arrows(stack, 2))
		skip(scan, from, end, SKIP_BROKEN, "a stack with arrows between its frames, not ;");
	else
		return false;
	return true;
}

static void
scan_line(const struct scan *scan, const char *from, const char *end)
{
	const struct habit *habit = &scan->habit;
	struct stk_text stack, first;
	uint64_t weight;
	enum shape shape = look_at(from, end, &stack, &weight);

	if (scan->counts_lead || shape == LINE_COUNTED_FIRST)
		shape = look_again(scan, shape, from, end, &stack, &weight);
	if (end - from > INGEST_LINE_MAX) {
		skip(scan, from, end, SKIP_TOO_LONG, "a line of more than 1 MiB");
	} else if (shape == LINE_BAD_COUNT) {
		skip(scan, from, end, SKIP_BROKEN, "a count that is not a number, or too large");
	} else if (shape == LINE_LOST_COUNT) {
		skip(scan, from, end, SKIP_BROKEN, "a count of less than a half, which rounds to nothing");
	} else if (shape == LINE_BARE && habit->bare <= habit->counted + habit->twice + habit->first) {
		skip_bare(scan, from, end);
	} else if (shape == LINE_COMMENT && text_starts(between(from, end), "# TYPE ")) {
		skip(scan, from, end, SKIP_NOISE, "a comment of metrics");
	} else if (shape != LINE_EMPTY && shape != LINE_COMMENT) {
		if (shape == LINE_COUNTED_TWICE && habit->twice > habit->counted) {
			const char *stack_end = stack.data + stack.size;

			(void)take_count(stack.data, &stack_end, &first);
			stack = between(stack.data, stack_end);
		}
		if (!skip_other(scan, stack, from, end))
			say_sample(scan, stack, weight);
	}
}

/* Whether arrows are part of names, as in PHP's `Shop->sell`: then they are in stacks with a `;`, too. */
static bool
names_have_arrows(struct stk_text piece)
{
	const char *end = text_end(piece), *begin = piece.data, *at;

	while ((at = memmem(begin, (size_t)(end - begin), "->", 2)) != NULL) {
		const char *newline = memrchr(begin, '\n', (size_t)(at - begin));
		struct stk_text line = line_at(newline != NULL ? newline + 1 : begin, end);

		if (memchr(line.data, ';', line.size) != NULL && folded_has_arrows(line, 1))
			return true;
		begin = text_end(line);
	}
	return false;
}

void
folded_scan(struct findings *findings, struct stk_text piece, folded_other_line *other, bool arrows)
{
	struct scan scan = { .findings = findings, .habit = habit_of(piece),
			     .arrows = arrows || names_have_arrows(piece) };
	const struct habit *habit = &scan.habit;
	const char *end = piece.data + piece.size;
	const char *next;

	scan.timed = 2 * habit->timed > habit->counted + habit->twice + habit->bare + habit->first;
	scan.counts_lead = habit->first > habit->counted + habit->twice + habit->bare;
	for (const char *at = piece.data; at < end; at = next + (next < end)) {
		next = scan_line_end(at, end);
		if (other == NULL || !other(findings, scan.line, between(at, next)))
			scan_line(&scan, at, next);
		scan.line += next < end;
	}
	findings->lines = scan.line;
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	folded_scan(findings, piece, NULL, false);
}

/* --- frames --- */

static bool
is_name(char c)
{
	return is_digit(c) || (unsigned char)((c | 0x20) - 'a') < 26 || (unsigned char)c >= 0x80 ||
		c == '_' || c == '$' || c == '/' || c == '-' || c == '+' || c == '.';
}

/* The place after a descriptor's class name "Ljava/lang/String;" that begins at from, or NULL when there is none. */
static const char *
class_end(const char *from, const char *end)
{
	const char *at = from + 1;

	while (at < end && is_name(*at))
		at++;
	return at - from > 1 && at < end && *at == ';' ? at + 1 : NULL;
}

/* The place after the ')' of "(Ljava/lang/String;[I)" that begins at from, or NULL when that is not a list of JVM
 * types. */
static const char *
arguments_end(const char *from, const char *end)
{
	for (const char *at = from + 1; at != NULL && at < end; ) {
		if (*at == ')')
			return at + 1;
		if (*at == 'L')
			at = class_end(at, end);
		else
			at = *at != '\0' && strchr("[BCDFIJSZ", *at) != NULL ? at + 1 : NULL;
	}
	return NULL;
}

/* The place after the arguments and a result that is a class. Its `;` is its own only when another one, or the end,
 * follows: not all writers give results. */
static const char *
descriptor_end(const char *from, const char *end)
{
	const char *at = arguments_end(from, end);
	const char *class;

	if (at == NULL)
		return NULL;
	for (class = at; class < end && *class == '['; )
		class++;
	class = class < end && *class == 'L' ? class_end(class, end) : NULL;
	return class != NULL && (class == end || *class == ';') ? class : at;
}

/* The place after "Ljava/lang/String;" at the start of a frame when its method follows, ".length" or "::length"; else
 * NULL. Without a package only "::" is sure: no frame begins with that, but ".plt" is one. */
static const char *
class_of_method_end(const char *from, const char *end)
{
	const char *at = from < end && *from == 'L' ? class_end(from, end) : NULL;

	if (at == NULL || end - at < 2)
		return NULL;
	if (at[0] == ':' && at[1] == ':')
		return at;
	return at[0] == '.' && memchr(from, '/', (size_t)(at - from)) != NULL ? at : NULL;
}

/* Where the frame that begins at from ends: at a `;`, or at the end. Linear: nothing is examined more than twice. */
static const char *
frame_end(const char *from, const char *end)
{
	const char *looked = class_of_method_end(from, end);
	const char *at = looked != NULL ? looked : from;

	for (; at < end && *at != ';'; at++) {
		const char *behind = *at == '(' ? descriptor_end(at, end) : NULL;

		if (behind != NULL)
			at = behind - 1;
	}
	return at;
}

void
folded_read_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size;
	const char *next;

	stack_is_root_first(reading);
	for (const char *at = stack.data; ; at = next + 1) {	/* "a;" has two frames, the second of them empty */
		next = frame_end(at, end);
		stack_frame(reading, between(at, next));
		if (next == end)
			break;
	}
}

/* "malloc (/usr/lib/libc.so.6)", "schedule ([kernel.kallsyms])", "swap (inlined)": names in full, as --names full writes
 * those of native functions. What ends in the number of a line, "step (/srv/shop.py:12)", is a place in a source. */
static bool
split_module(struct frame_parts *parts, struct stk_text line)
{
	const char *end = line.data + line.size, *open = memrchr(line.data, '(', line.size), *digits;
	struct stk_text inside;

	if (open == NULL || open - line.data < 2 || open[-1] != ' ' || end - open < 3 || end[-1] != ')')
		return false;
	inside = between(open + 1, end - 1);
	for (digits = end - 1; digits > open && is_digit(digits[-1]); )
		digits--;
	if (digits < end - 1 && digits[-1] == ':')
		return false;
	if (text_is(inside, "inlined"))
		parts->form = STK_FORM_INLINED;
	else if (inside.data[0] == '/' || (inside.data[0] == '[' && text_ends(inside, "]")) ||
		 (memchr(inside.data, ' ', inside.size) == NULL &&
		  (text_ends(inside, ".so") || text_ends(inside, ".dll") || text_find(inside, ".so.") != NULL)))
		parts->form = STK_FORM_NATIVE;
	else
		return false;
	parts->function = between(line.data, open - 1);
	if (parts->form == STK_FORM_NATIVE)
		parts->module = inside;
	return true;
}

bool
folded_read_frame(struct frame_parts *parts, struct stk_text line)
{
	bool java = is_java_symbol(line);

	*parts = (struct frame_parts){ .is_symbol = false };
	if (!java && split_module(parts, line))
		return true;

	*parts = (struct frame_parts){ .function = line, .is_symbol = java,
				       .form = java && text_ends(line, "_[i]") ? STK_FORM_INLINED : STK_FORM_PLAIN };
	return true;
}

/* --- the beginning and the end of a file --- */

/* Of a beginning: lines that are not empty, those with a count, those with a `;` too; those that begin with a count,
 * and those of them with a `;` that do not end in one. */
struct look { uint32_t lines, counted, stacked, first, first_stacked; };

static bool
is_divided(struct stk_text stack)
{
	return memchr(stack.data, ';', stack.size) != NULL &&
	       memmem(stack.data, stack.size, "; ", 2) == NULL;	/* a sentence, or SQL */
}

static struct look
look_at_beginning(struct stk_text text)
{
	const char *end = text.data + text.size, *next;
	struct look look = { 0 };
	struct stk_text stack;
	uint64_t weight;

	for (const char *at = text.data; at < end; at = next + (next < end)) {
		enum shape shape;

		next = scan_line_end(at, end);
		if (next == end && look.lines > 0)
			break;	/* may be cut off */
		shape = look_at(at, next, &stack, &weight);
		look.lines += shape != LINE_EMPTY && shape != LINE_COMMENT;
		if (shape == LINE_COUNTED || shape == LINE_COUNTED_TWICE || shape == LINE_LOST_COUNT) {
			look.counted++;
			look.stacked += is_divided(stack);
			look.first += is_counted_first(at, trim_right(at, next), &stack, &weight);
		} else if (shape == LINE_COUNTED_FIRST) {
			look.first++;
			look.first_stacked += is_divided(stack) && stack.data[stack.size - 1] != ';';
		}
	}
	return look;
}

/* Lines that end in a count, half of them with a `;` before it: many other texts have numbers at the end of lines. One
 * in eight is enough where all lines have a count, as stacks of one frame have. Lines that begin with a count must all
 * be so, and most have a `;`. Without counts --format folded is needed, because many tables look the same. */
static int
recognise(struct stk_text text)
{
	struct look look = look_at_beginning(text);

	if (look.first_stacked > look.lines / 2 && look.first == look.lines)
		return 60;
	if (look.stacked == 0 || look.stacked * (look.counted == look.lines ? 8 : 2) < look.lines)
		return 0;
	return look.stacked * 2 < look.lines ? 40 : look.counted >= look.lines - look.lines / 10 ? 90 : 50;
}

#define FIND_LINES 3	/* one after the other, with stacks of one frame between; a log has no such run */

/* A counted line of frames without blanks after their `;`. */
static bool
is_certain(const char *from, const char *end)
{
	struct stk_text stack;
	uint64_t weight;
	const char *at;

	if (memchr(from, ';', (size_t)(end - from)) == NULL || look_at(from, end, &stack, &weight) != LINE_COUNTED)
		return false;
	at = memchr(stack.data, ';', stack.size);
	return at != NULL && at > from && !is_blank(*from) &&
	       memmem(stack.data, stack.size, "; ", 2) == NULL && memmem(stack.data, stack.size, ": ", 2) == NULL;
}

/* "idle 7": a stack of one frame, which says little by itself. */
static bool
is_one_frame(const char *from, const char *end)
{
	struct stk_text stack;
	uint64_t weight;

	return look_at(from, end, &stack, &weight) == LINE_COUNTED && memchr(stack.data, ';', stack.size) == NULL &&
	       memchr(stack.data, ' ', stack.size) == NULL;
}

static const char *
find(struct stk_text text)
{
	const char *end = text.data + text.size, *first = NULL, *next;
	unsigned count = 0;

	for (const char *at = text.data; at < end && count < FIND_LINES; at = next + (next < end)) {
		bool certain;

		next = scan_line_end(at, end);
		certain = is_certain(at, next);
		if (!certain && (count == 0 || !is_one_frame(at, next)))
			count = 0;
		else if (certain && count++ == 0)
			first = at;
	}
	return count == FIND_LINES ? first : NULL;
}

const struct text_format folded_format = {
	.name = "folded",
	.about = "one stack a line, root first: frame;frame;frame COUNT",
	.shown_by = "lines of frames with ; between and a count at the end",
	.written_as = "folded",
	.clock = STK_CLOCK_UNKNOWN,
	.runtime = STK_RUNTIME_UNKNOWN,
	.is_of_lines = true,
	.ends_at_section = true,
	.recognise = recognise,
	.find = find,
	.cut = whole_lines_size,
	.cut_tail = whole_lines_size,
	.scan = scan_piece,
	.read_stack = folded_read_stack,
	.read_frame = folded_read_frame
};
