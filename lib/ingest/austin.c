/* SPDX-License-Identifier: MIT
 * austin: samples of Python programs, a line each, root first:
 *
 *	P42;T0:4711;/srv/work.py:<module>:30;/srv/work.py:run:12 1000
 *
 * process, interpreter and thread, frames of file, function and line, and what the sample weighs: microseconds, or
 * bytes when memory was sampled. With -f there are three numbers, "1000,0,24": the time, whether the thread was idle,
 * and the change of its memory, which has no place in a sample. Lines "# mode: wall" are facts of the run. */
#include "ingest/folded.h"
#include "ingest/text_lines.h"

#define FIND_LINES 2	/* one after the other */

struct line {
	struct stk_text thread, stack;
	uint64_t pid, tid, weight;
	bool full, idle;
};

/* "1000" or "1000,0,-24" */
static bool
read_weight(struct line *out, struct stk_text text)
{
	const char *at = text.data, *end = text.data + text.size;
	uint64_t idle, change;

	if (!scan_decimal(&at, end, &out->weight))
		return false;
	if (at == end)
		return true;
	if (end - at < 4 || *at++ != ',' || !scan_decimal(&at, end, &idle) || idle > 1 || at == end || *at++ != ',')
		return false;
	at += at < end && *at == '-';
	out->full = true;
	out->idle = idle == 1;
	return scan_decimal(&at, end, &change) && at == end;
}

/* "T0:4711" and "T0x7f00aa:1": the id of the thread follows the last colon, or is all. */
static void
read_thread(struct line *out, struct stk_text text)
{
	const char *end = text.data + text.size, *colon = memrchr(text.data, ':', text.size);
	const char *at = colon != NULL ? colon + 1 : text.data;
	uint64_t number;

	out->thread = text;
	if (scan_decimal(&at, end, &number) && at == end)
		out->tid = number;
}

/* False when the line is not a sample. */
static bool
read_line(struct line *out, struct stk_text line)
{
	const char *end = line.data + line.size, *at = line.data + 1, *blank, *thread;

	*out = (struct line){ .stack = text_of("", 0) };
	if (line.size < 6 || *line.data != 'P' || !scan_decimal(&at, end, &out->pid) || end - at < 4 ||
	    at[0] != ';' || at[1] != 'T' || (blank = memrchr(at, ' ', (size_t)(end - at))) == NULL ||
	    !read_weight(out, between(blank + 1, end)))
		return false;
	thread = at + 2;
	for (at = thread; at < blank && *at != ';';)
		at++;
	read_thread(out, between(thread, at));
	if (at < blank)
		out->stack = between(at + 1, blank);
	return out->thread.size > 0;
}

static void
say_sample(struct findings *findings, uint32_t number, const struct line *line)
{
	struct found_sample *sample = &found(findings, FOUND_SAMPLE, number)->is.sample;

	sample->name = line->thread;
	sample->pid = line->pid;
	sample->tid = line->tid;
	sample->stack = line->stack;
	sample->hash = scan_hash(line->stack);
	sample->weight = line->weight;
	sample->time_ns = STK_TIME_UNKNOWN;
	sample->processor = PROCESSOR_UNKNOWN;
	if (line->full)
		sample->state = line->idle ? STK_STATE_SLEEPING : STK_STATE_RUNNING;
}

/* "# austin: 3.6.0", and an empty comment */
static bool
is_fact(struct stk_text line)
{
	return line.size > 0 && *line.data == '#' && (line.size == 1 || line.data[1] == ' ');
}

/* Such a line below other text is of that text: "# labels: {...}" of Go. */
static bool
is_below_noise(const struct findings *findings, uint32_t line)
{
	const struct finding *last = findings->list.count == 0 ? NULL : &findings->list.at[findings->list.count - 1];

	return last != NULL && last->kind == FOUND_SKIPPED && last->line + 1 == line;
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	const char *at = piece.data, *end = piece.data + piece.size;
	uint32_t number = 0;

	while (at < end) {
		uint32_t here = number;
		struct stk_text text = take_next_line(&at, end, &number);
		struct line line;

		if (text.size > INGEST_LINE_MAX)
			found_skipped(findings, here, text, 1, SKIP_TOO_LONG, "a line of more than 1 MiB");
		else if (read_line(&line, text))
			say_sample(findings, here, &line);
		else if (text.size > 0 && (!is_fact(text) || is_below_noise(findings, here)))
			found_skipped(findings, here, text, 1,
				      *text.data == 'P' && text_find(text, ";T") != NULL ? SKIP_BROKEN : SKIP_NOISE,
				      "a line that is not a sample of austin");
	}
	findings->lines = number;
}

/* "/srv/work.py:run:12", or any text */
static bool
read_frame(struct frame_parts *parts, struct stk_text text)
{
	const char *end = text.data + text.size;
	const char *number = text.size == 0 ? NULL : memrchr(text.data, ':', text.size);
	const char *name = number == NULL ? NULL : memrchr(text.data, ':', (size_t)(number - text.data));
	const char *at = number == NULL ? NULL : number + 1;
	uint64_t line;

	*parts = (struct frame_parts){ .function = text, .form = STK_FORM_PLAIN };
	if (name == NULL || name == text.data || name + 1 == number || !scan_decimal(&at, end, &line) || at != end)
		return true;
	parts->file = between(text.data, name);
	parts->function = between(name + 1, number);
	parts->line = (int64_t)line;
	return true;
}

static int
recognise(struct stk_text text)
{
	const char *at = text.data, *end = text.data + text.size;
	uint32_t lines = 0, samples = 0, unused = 0;
	struct line line;

	while (at < end) {
		struct stk_text one = take_next_line(&at, end, &unused);

		if (at == end && end[-1] != '\n' && lines > 0)
			break;	/* may be cut off */
		lines += one.size > 0 && !is_fact(one);
		samples += read_line(&line, one);
	}
	/* no other text has such lines; a log may have others around several */
	return samples > 0 && samples * (samples > 1 ? 5 : 2) > lines ? 95 : 0;
}

static const char *
find(struct stk_text text)
{
	const char *at = text.data, *end = text.data + text.size, *first = NULL;
	uint32_t unused = 0;
	unsigned count = 0;
	struct line line;

	while (at < end && count < FIND_LINES) {
		const char *from = at;

		if (!read_line(&line, take_next_line(&at, end, &unused)))
			count = 0;
		else if (count++ == 0)
			first = from;
	}
	return count == FIND_LINES ? first : NULL;
}

const struct text_format austin_format = {
	.name = "austin",
	.about = "samples of austin, of Python programs: P42;T0:1;file:function:line;... MICROSECONDS",
	.shown_by = "lines of a process, a thread, frames and a number: P42;T0:1;run:main:7 120",
	.clock = STK_CLOCK_UNKNOWN,
	.runtime = STK_RUNTIME_SCRIPT,
	.names_threads = true,
	.is_like_folded = true,
	.ends_at_section = true,
	.recognise = recognise,
	.find = find,
	.cut = whole_lines_size,
	.cut_tail = whole_lines_size,
	.scan = scan_piece,
	.read_stack = folded_read_stack,
	.read_frame = read_frame
};
