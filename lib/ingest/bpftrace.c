/* SPDX-License-Identifier: MIT
 * bpftrace: maps of bpftrace whose keys hold stacks, as it prints them when it ends.
 *
 *	@offcpu[
 *	    __schedule+651
 *	    futex_wait+102
 *	,
 *	    __lll_lock_wait+57
 *	    main.work(int)+12
 *	, shop, 4711]: 3
 *
 * Several stacks of a key are joined in the order of the key: with the kernel's before the program's, that is leaf
 * first. Nothing says what the other parts of a key are: the first that is not a number is taken for the name of the
 * thread, and where there are more all of them are the note. The name of a map is the event. */
#include "ingest/ingest.h"
#include "ingest/log_line.h"
#include "ingest/text_lines.h"

/* --- lines --- */

/* "@[", "@offcpu[shop, ": a key that goes on in the next line. */
static bool
is_open(struct stk_text line, struct stk_text *map, struct stk_text *keys)
{
	const char *open = line.size > 1 && *line.data == '@' ? memchr(line.data, '[', line.size) : NULL,
		   *end = line.data + line.size;

	if (open == NULL)
		return false;
	for (const char *at = line.data + 1; at < open; at++)
		if (*at != '_' && (unsigned char)((*at | 0x20) - 'a') >= 26 && (unsigned char)(*at - '0') >= 10)
			return false;
	*map = between(line.data + 1, open);
	*keys = trimmed(between(open + 1, end));
	return keys->size == 0 || (text_ends(*keys, ",") && memchr(open, ']', (size_t)(end - open)) == NULL);
}

static bool
is_frame(struct stk_text line)
{
	return line.size > 4 && memcmp(line.data, "    ", 4) == 0;
}

/* The line that ends a key, ", shop, 4711]: 3"; *value: what follows the colon. */
static bool
is_close(struct stk_text line, struct stk_text *keys, struct stk_text *value)
{
	const char *end = line.data + line.size, *mark = end;

	if (line.size < 2 || (*line.data != ']' && !text_starts(line, ", ")))
		return false;
	do
		mark = memrchr(line.data, ']', (size_t)(mark - line.data));
	while (mark != NULL && (end - mark < 2 || mark[1] != ':'));
	if (mark == NULL)
		return false;
	*keys = between(line.data, mark);
	*value = unindented(between(mark + 2, end));
	return true;
}

static bool
is_separator(struct stk_text line)
{
	return text_is(trimmed(line), ",");
}

/* --- keys --- */

/* The parts of a key without the commas around them. */
static struct stk_text
without_commas(struct stk_text keys)
{
	keys = trimmed(unindented(keys));
	if (text_starts(keys, ","))
		keys = unindented(between(keys.data + 1, keys.data + keys.size));
	while (text_ends(keys, ","))
		keys = trimmed(text_of(keys.data, keys.size - 1));
	return keys;
}

static bool
is_number(struct stk_text word)
{
	const char *at = word.data, *end = word.data + word.size;
	uint64_t unused;

	if (text_starts(word, "-"))
		at++;
	return scan_decimal(&at, end, &unused) && at == end;
}

static void
name_sample(struct found_sample *sample, struct stk_text keys)
{
	const char *end;

	keys = without_commas(keys);
	end = keys.data + keys.size;
	for (const char *at = keys.data; at < end && sample->name.size == 0;) {
		const char *comma = memmem(at, (size_t)(end - at), ", ", 2);
		struct stk_text word = between(at, comma != NULL ? comma : end);

		if (!is_number(word))
			sample->name = word;
		at = comma != NULL ? comma + 2 : end;
	}
	if (keys.size > sample->name.size)
		sample->note = keys;
}

/* The parts before the stacks, and after them. */
static void
name_by_keys(struct found_sample *sample, struct stk_text above, struct stk_text below)
{
	above = without_commas(above);
	below = without_commas(below);
	name_sample(sample, above.size > 0 ? above : below);
	if (above.size > 0 && sample->note.size == 0)
		sample->note = below;
}

/* "@offcpu[, shop]: 9": an empty stack leaves a part of the key empty. */
static bool
is_empty_stack(struct stk_text line, struct found_sample *sample)
{
	const char *open = line.size > 1 && *line.data == '@' ? memchr(line.data, '[', line.size) : NULL,
		   *close = open != NULL ? memrchr(open, ']', (size_t)(line.data + line.size - open)) : NULL,
		   *at = close != NULL ? close + 3 : NULL, *end = line.data + line.size;
	struct stk_text keys = close != NULL ? trimmed(between(open + 1, close)) : text_of(line.data, 0);

	if (close == NULL || end - close < 4 || memcmp(close, "]: ", 3) != 0 ||
	    !(keys.size == 0 || *keys.data == ',' || text_ends(keys, ",") || text_find(keys, ", ,") != NULL) ||
	    !scan_decimal(&at, end, &sample->weight) || at != end)
		return false;
	sample->event = between(line.data + 1, open);
	name_sample(sample, keys);
	return true;
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

static void
skip(struct scan *s, uint32_t line, const char *from, enum skip_reason reason, const char *why)
{
	struct stk_text text = trimmed(between(from, s->at));

	found_skipped(s->findings, line, text, scan_count_lines(text.data, text.data + text.size) + 1, reason, why);
}

/* The sample of a key whose first line was taken. A key that does not end ends where another begins. */
static void
take_key(struct scan *s, const char *from, uint32_t first, struct stk_text map, struct stk_text keys)
{
	struct found_sample sample = { .event = map, .time_ns = STK_TIME_UNKNOWN, .processor = PROCESSOR_UNKNOWN };
	const char *stack = s->at, *stack_end = s->at;
	size_t found_before = s->findings->list.count;

	while (s->at < s->end) {
		struct scan before = *s;
		struct stk_text line = next_line(s), more, value, unused;

		if (is_close(trimmed(line), &more, &value)) {
			const char *at = value.data, *end = value.data + value.size;

			if (!scan_decimal(&at, end, &sample.weight) || at != end) {
				s->findings->list.count = found_before;		/* its lines are skipped as one */
				skip(s, first, from, SKIP_BROKEN, "a stack whose value is not one number");
				return;
			}
			sample.stack = trimmed(between(stack, stack_end));
			sample.hash = scan_hash(sample.stack);
			name_by_keys(&sample, keys, more);
			found(s->findings, FOUND_SAMPLE, first)->is.sample = sample;
			return;
		}
		if (is_open(trimmed(line), &unused, &unused)) {
			*s = before;
			break;
		}
		if (is_frame(line) || is_separator(line))
			stack_end = line.data + line.size;
		else if (log_line_is(line))
			skip(s, before.line, before.at, SKIP_NOISE, "a line of a log");
	}
	s->findings->list.count = found_before;
	skip(s, first, from, SKIP_CUT, "a stack without its value");
}

/* What bpftrace says besides. */
static const char *
lost_events(struct stk_text line)
{
	return text_starts(line, "Lost ") && text_ends(line, " events") ? "events that bpftrace lost" : NULL;
}

/* "    read+16" and "    0x7f12aa34", which no other tool's stacks are indented like. */
static bool
is_sure_frame(struct stk_text line)
{
	const char *plus = line.size == 0 ? NULL : memrchr(line.data, '+', line.size);
	const char *at = plus == NULL ? NULL : plus + 1;
	uint64_t unused;

	if (!is_frame(line) || line.data[4] == ' ' || memchr(line.data, '`', line.size) != NULL)
		return false;
	return text_starts(unindented(line), "0x") ||
	       (at != NULL && scan_decimal(&at, line.data + line.size, &unused) && at == line.data + line.size);
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	struct scan s = { .findings = findings, .at = piece.data, .end = piece.data + piece.size };

	while (s.at < s.end) {
		const char *from = s.at;
		uint32_t number = s.line;
		struct stk_text line = trimmed(next_line(&s)), map, keys;
		const char *lost = lost_events(line);
		struct found_sample empty = { .time_ns = STK_TIME_UNKNOWN, .processor = PROCESSOR_UNKNOWN };

		if (is_empty_stack(line, &empty))
			found(findings, FOUND_SAMPLE, number)->is.sample = empty;
		else if (is_open(line, &map, &keys))
			take_key(&s, from, number, map, keys);
		else if (line.size > 0)
			skip(&s, number, from, lost != NULL || is_sure_frame(line) ? SKIP_BROKEN : SKIP_NOISE,
			     lost != NULL	   ? lost
			     : is_sure_frame(line) ? "a frame outside a map"
						   : "not a map with stacks");
	}
	findings->lines = s.line;
}

/* --- stacks --- */

static void
read_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size;

	for (struct stk_text line = line_at(stack.data, end); line.data < end; line = line_after(line, end))
		if (is_frame(line))
			stack_frame(reading, trimmed(unindented(line)));
		else if (!is_separator(line) && trimmed(line).size > 0 && !log_line_is(line))
			stack_broken(reading, trimmed(line), "a line of a stack that is not understood");
}

/* "ffffffff81a01234 " of the mode perf, with 0x where there is no symbol; what follows it may be "([uprobes])". */
static struct stk_text
pass_address(struct frame_parts *parts, struct stk_text line)
{
	const char *at = line.data, *end = line.data + line.size;
	uint64_t address;

	if (line.size < 8 || !scan_hex(&at, end, &address) || at - line.data < 8 || (at < end && *at != ' '))
		return line;
	parts->address = address;
	line = unindented(between(at, end));
	if (text_ends(line, ")") && (at = memrchr(line.data, '(', line.size)) != NULL) {
		parts->module = between(at + 1, line.data + line.size - 1);
		line = trimmed(between(line.data, at));
	}
	return line;
}

/* "futex_wait+102", "0x7f12", "ffffffff81a01234 futex_wait+102 ([kernel.kallsyms])" */
static bool
read_frame(struct frame_parts *parts, struct stk_text text)
{
	struct stk_text line = trimmed(unindented(text)), rest;
	const char *plus, *at;

	if (line.size == 0)
		return false;
	*parts = (struct frame_parts){ .form = STK_FORM_NATIVE };
	rest = pass_address(parts, line);
	plus = rest.size > 0 ? memrchr(rest.data, '+', rest.size) : NULL;
	at = plus != NULL ? plus + 1 : NULL;
	if (plus > rest.data && scan_decimal(&at, rest.data + rest.size, &parts->offset) && at == rest.data + rest.size)
		rest = between(rest.data, plus);
	parts->function = rest.size > 0 && !text_starts(rest, "0x") ? rest : text_from("[unknown]");
	if (text_is(parts->module, "[unknown]"))
		parts->module = text_of("", 0);
	return true;
}

/* --- the beginning and the end of a file --- */

/* A key that is open, with a frame below it, or below lines of a log. */
static const char *
find(struct stk_text text)
{
	const char *end = text.data + text.size;

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end)) {
		struct stk_text below = first_unlogged(line_after(line, end), end), unused;

		if (is_open(trimmed(line), &unused, &unused) && is_frame(below) &&
		    memchr(unindented(below).data, ' ', trimmed(unindented(below)).size) == NULL)
			return line.data;
	}
	return NULL;
}

static int
recognise(struct stk_text text)
{
	return find(text) != NULL ? 90 : 0;
}

/* A piece ends before the last key. */
static size_t
cut(struct stk_text text)
{
	const char *newline = text.data + text.size;

	while (newline > text.data && (newline = memrchr(text.data, '\n', (size_t)(newline - text.data))) != NULL)
		if (newline + 1 < text.data + text.size && newline[1] == '@')
			return (size_t)(newline + 1 - text.data);
	return 0;
}

const struct text_format bpftrace_format = {
	.name = "bpftrace",
	.about = "maps of bpftrace whose keys have stacks: @[kstack, ustack, comm] = count()",
	.stack_after = 1,
	.keeps_between = true,
	.shown_by = "a line \"@[\" or \"@NAME[\" with indented frames below",
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
