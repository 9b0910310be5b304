/* SPDX-License-Identifier: MIT
 * dtrace: stacks with a count below them, as aggregations of DTrace and scripts of SystemTap print them.
 *
 *	  shop                                                 0xffffffff8103ce3b : native_safe_halt+0xb/0x10 [kernel]
 *	              genunix`fop_write+0x5d                   0xffffffff81013236 : cpu_idle+0xd6/0x120 [kernel]
 *	              unix`sys_syscall+0x17d                  	2404
 *
 *	              libc.so.1`__write+0xa
 *	               12
 *
 * The stack of the kernel and that of the program, with an empty line between, are one. Other keys of an aggregation
 * stand above its stack, less indented: a number is not taken for anything, since nothing says what it is, and the
 * rest is the name of the thread; both together are the note. */
#include "ingest/ingest.h"
#include "ingest/log_line.h"
#include "ingest/text_lines.h"

/* --- lines --- */

enum line_kind { LINE_BLANK, LINE_NUMBER, LINE_FRAME, LINE_OTHER };

static size_t
indent_of(struct stk_text line)
{
	return (size_t)(unindented(line).data - line.data);
}

/* "genunix`fop_write+0x5d", "0xffffffff8103ce3b : cpu_idle+0xd6/0x120 [kernel]", "0x7fb1". */
static bool
is_certain_frame(struct stk_text line)
{
	struct stk_text words = trimmed(unindented(line));
	const char *mark = words.size > 0 ? memchr(words.data, '`', words.size) : NULL, *at = words.data;
	uint64_t address;

	if (words.data == line.data)
		return false;
	if (mark != NULL)
		return mark > words.data && mark + 1 < words.data + words.size &&
		       memchr(words.data, ' ', (size_t)(mark - words.data)) == NULL;
	if (!text_starts(words, "0x") || !scan_hex(&at, words.data + words.size, &address))
		return false;
	words = between(at, words.data + words.size);
	return words.size == 0 || text_starts(words, " : ");
}

static enum line_kind
kind_of(struct stk_text line, uint64_t *number)
{
	struct stk_text words = trimmed(unindented(line));
	const char *at = words.data, *end = words.data + words.size;

	if (words.size == 0)
		return LINE_BLANK;
	if (words.data > line.data && scan_decimal(&at, end, number) && at == end)
		return LINE_NUMBER;
	return is_certain_frame(line) ? LINE_FRAME : LINE_OTHER;
}

/* A line of a log, which is not indented as all of a stack is. */
static bool
is_log(struct stk_text line)
{
	return indent_of(line) == 0 && log_line_is(line);
}

/* --- scanning --- */

struct scan {
	struct findings *findings;
	const char *at, *end;
	uint32_t line;
};

static struct stk_text
next_line(struct scan *s)
{
	struct stk_text line = line_at(s->at, s->end);
	const char *stop = line.data + line.size;

	s->line += stop < s->end;
	s->at = stop < s->end ? stop + 1 : s->end;
	return line;
}

/* Frames that DTrace's helpers name, of Java and JavaScript, have no module: they are as indented as others. */
static bool
is_frame(struct stk_text line, size_t indent)
{
	uint64_t unused;
	enum line_kind kind = kind_of(line, &unused);

	return kind == LINE_FRAME || (kind == LINE_OTHER && indent > 0 && indent_of(line) == indent);
}

/* How far the first certain frame from here on is indented, when it belongs to what begins here; else 0. */
static size_t
indent_ahead(struct scan ahead)
{
	uint64_t unused;
	struct stk_text line;

	while (ahead.at < ahead.end) {
		enum line_kind kind = kind_of(line = next_line(&ahead), &unused);

		if (kind == LINE_FRAME)
			return indent_of(line);
		if (kind != LINE_OTHER || (indent_of(line) == 0 && !log_line_is(line)))
			break;
	}
	return 0;
}

static void
name_sample(struct found_sample *sample, struct stk_text keys)
{
	const char *at = keys.data, *end = keys.data + keys.size;
	uint64_t unused;

	if (scan_decimal(&at, end, &unused) && (at == end || *at == ' ')) {
		sample->name = unindented(between(at, end));
		sample->note = keys;
		return;
	}
	sample->name = keys;
	at = keys.size > 0 ? memmem(keys.data, keys.size, "  ", 2) : NULL;
	if (at != NULL) {
		sample->name = between(keys.data, at);
		sample->note = keys;
	}
}

/* The lines of a stack from here on, and its count; false: there is none, and the stack is reported. */
static bool
take_stack(struct scan *s, const char *from, uint32_t first, struct found_sample *sample)
{
	size_t indent = indent_ahead(*s);
	const char *stack = s->at, *stack_end = s->at, *last = s->at;	/* last: of frames and of a log */
	size_t found_before = s->findings->list.count;
	struct stk_text text;

	while (s->at < s->end) {
		struct scan before = *s;
		struct stk_text line = next_line(s);
		enum line_kind kind = kind_of(line, &sample->weight);

		if (kind == LINE_NUMBER) {
			sample->stack = trimmed(between(stack, stack_end));
			return true;
		}
		if (is_frame(line, indent)) {
			last = stack_end = line.data + line.size;
		} else if (is_log(line)) {
			last = line.data + line.size;
			found_skipped(s->findings, before.line, trimmed(line), 1, SKIP_NOISE, "a line of a log");
		} else if (kind != LINE_BLANK) {
			*s = before;
			break;
		}
	}
	s->findings->list.count = found_before;		/* its lines are skipped as one */
	text = trimmed(between(from, last));
	found_skipped(s->findings, first, text, scan_count_lines(text.data, text.data + text.size) + 1,
		      s->at == s->end ? SKIP_CUT : SKIP_BROKEN, "a stack without a count below it");
	return false;
}

/* "  0  64091                        :tick-60s": where it was printed. */
static bool
is_probe(struct stk_text line)
{
	struct stk_text words = trimmed(unindented(line));
	const char *at = words.data, *end = words.data + words.size;
	uint64_t unused;

	for (int number = 0; number < 2; number++) {
		if (!scan_decimal(&at, end, &unused) || at == end || *at != ' ')
			return false;
		while (at < end && *at == ' ')
			at++;
	}
	return memchr(at, ':', (size_t)(end - at)) != NULL && memchr(at, ' ', (size_t)(end - at)) == NULL;
}

/* Whether the line is of keys: less indented than the frames that follow it. */
static bool
is_keys(const struct scan *s, struct stk_text line, size_t indent)
{
	return indent > 0 && indent_of(line) < indent && s->at < s->end && !is_probe(line);
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	struct scan s = { .findings = findings, .at = piece.data, .end = piece.data + piece.size };

	while (s.at < s.end) {
		struct scan before = s;
		uint64_t unused;
		struct found_sample sample = { .time_ns = STK_TIME_UNKNOWN, .processor = PROCESSOR_UNKNOWN };
		struct stk_text line = next_line(&s), keys = text_of(line.data, 0);
		enum line_kind kind = kind_of(line, &unused);
		size_t indent = kind == LINE_BLANK ? 0 : indent_ahead(s);

		if (kind == LINE_BLANK)
			continue;
		if (kind != LINE_FRAME && is_keys(&s, line, indent) && (kind == LINE_NUMBER || indent_of(line) > 0))
			keys = trimmed(unindented(line));
		else if (kind == LINE_FRAME || (indent > 0 && indent_of(line) == indent))
			s = before;
		else {
			found_skipped(findings, before.line, trimmed(line), 1, SKIP_NOISE, "not a stack with a count");
			continue;
		}
		if (!take_stack(&s, before.at, before.line, &sample))
			continue;
		name_sample(&sample, keys);
		sample.hash = scan_hash(sample.stack);
		found(findings, FOUND_SAMPLE, before.line)->is.sample = sample;
	}
	findings->lines = s.line;
}

/* --- stacks --- */

static void
read_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size;

	for (struct stk_text line = line_at(stack.data, end); line.data < end; line = line_after(line, end))
		if (trimmed(line).size > 0 && !is_log(line))
			stack_frame(reading, trimmed(unindented(line)));
}

/* " : cpu_idle+0xd6/0x120 [kernel] (inexact)" */
static void
read_systemtap(struct frame_parts *parts, struct stk_text rest)
{
	const char *mark;

	rest = unindented(between(rest.data + 2, rest.data + rest.size));
	if (text_ends(rest, " (inexact)"))
		rest.size -= strlen(" (inexact)");
	if (text_ends(rest, "]") && (mark = memrchr(rest.data, '[', rest.size)) != NULL) {
		parts->module = text_starts(between(mark, rest.data + rest.size), "[kernel")
					? between(mark, rest.data + rest.size)
					: between(mark + 1, rest.data + rest.size - 1);
		rest = trimmed(between(rest.data, mark));
	}
	parts->function = rest;
}

static void
cut_offset(struct frame_parts *parts)
{
	struct stk_text *function = &parts->function;
	const char *end = function->data + function->size;
	const char *plus = function->size > 0 ? memrchr(function->data, '+', function->size) : NULL,
		   *at = plus != NULL ? plus + 1 : end;

	if (plus == NULL || plus == function->data || !text_starts(between(at, end), "0x"))
		return;
	function->size = (size_t)(plus - function->data);
	(void)scan_hex(&at, end, &parts->offset);
}

static bool
read_frame(struct frame_parts *parts, struct stk_text text)
{
	struct stk_text line = trimmed(unindented(text));
	const char *at = line.data, *end = line.data + line.size, *mark;

	if (line.size == 0)
		return false;
	*parts = (struct frame_parts){ .form = STK_FORM_NATIVE, .function = line };
	mark = memchr(line.data, '`', line.size);
	if (mark != NULL && mark > line.data) {
		parts->module = between(line.data, mark);
		parts->function = between(mark + 1, end);
	} else if (text_starts(line, "0x") && scan_hex(&at, end, &parts->address)) {
		if (text_starts(between(at, end), " : "))
			read_systemtap(parts, between(at, end));
	}
	cut_offset(parts);
	if (parts->function.size == 0 || text_starts(parts->function, "0x"))
		parts->function = text_from("[unknown]");
	return true;
}

/* --- the beginning and the end of a file --- */

/* The number of the line after the frames that begin at the line, with at most one empty line between some. */
static bool
has_count(struct stk_text line, const char *end)
{
	uint64_t unused;
	size_t indent = indent_of(line);
	unsigned blanks = 0;

	for (line = line_after(line, end); line.data < end; line = line_after(line, end)) {
		enum line_kind kind = kind_of(line, &unused);

		if (kind == LINE_NUMBER)
			return true;
		blanks = kind == LINE_BLANK ? blanks + 1 : 0;
		if (blanks > 1 || (kind != LINE_BLANK && !is_frame(line, indent) && !is_log(line)))
			return false;
	}
	return false;
}

/* A certain frame, and a count below the stack that it begins; the lines of its keys and of frames above are of it. */
static const char *
find(struct stk_text text)
{
	const char *end = text.data + text.size, *head = NULL;
	bool tried = false; /* the present stack has no count */

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end)) {
		uint64_t unused;
		enum line_kind kind = kind_of(line, &unused);

		if (head != NULL && *head == '\t' && is_systemtap_frame(line))
			head = NULL;	/* frames of perf or of a thread dump above it */
		if (kind == LINE_FRAME && !tried && has_count(line, end))
			return head != NULL ? head : line.data;
		tried = kind == LINE_FRAME;
		head = kind == LINE_BLANK || (kind != LINE_FRAME && indent_of(line) == 0) ? NULL
		       : head == NULL                                                     ? line.data
											  : head;
	}
	return NULL;
}

static int
recognise(struct stk_text text)
{
	return find(text) != NULL ? 80 : 0;
}

/* A piece ends after a count. */
static size_t
cut(struct stk_text text)
{
	const char *newline = text.data + text.size;

	while (newline > text.data && (newline = memrchr(text.data, '\n', (size_t)(newline - text.data))) != NULL) {
		const char *before =
			newline > text.data ? memrchr(text.data, '\n', (size_t)(newline - text.data)) : NULL;
		struct stk_text line = between(before != NULL ? before + 1 : text.data, newline);
		uint64_t unused;
		const char *above = before > text.data ? memrchr(text.data, '\n', (size_t)(before - text.data)) : NULL;

		if (before != NULL && kind_of(line, &unused) == LINE_NUMBER &&
		    is_certain_frame(between(above != NULL ? above + 1 : text.data, before)))
			return (size_t)(newline + 1 - text.data);
	}
	return 0;
}

const struct text_format dtrace_format = {
	.name = "dtrace",
	.about = "stacks with a count below them: aggregations of DTrace, scripts of SystemTap",
	.shown_by = "indented frames \"module`symbol+0x5d\" or \"0x... : symbol\" above a line of one number",
	.keeps_between = true,
	.clock = STK_CLOCK_UNKNOWN,
	.runtime = STK_RUNTIME_NATIVE,
	.ends_at_section = true,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan_piece,
	.read_stack = read_stack,
	.read_frame = read_frame
};
