/* SPDX-License-Identifier: MIT
 * process_dump: the stacks of all threads of a process, leaf first, as tools that look from outside print them:
 * eu-stack and pstack, gdb (thread apply all bt), Go's goroutine dumps, py-spy dump, Python's faulthandler,
 * dotnet-stack, lldb (bt all), jhsdb jstack --mixed, threadz of gperftools. They differ only in the line above a stack
 * and in the lines of frames. */
#include "ingest/ingest.h"
#include "ingest/log_line.h"
#include "ingest/native_lock.h"
#include "ingest/process_frames.h"
#include "ingest/process_lines.h"
#include "ingest/thread_header.h"

#define LINES_ABOVE 4	/* of the first thread, among which are a date, the process and a version */

/* --- scanning --- */

struct scan {
	struct findings *findings;
	const char *at, *end;
	uint32_t line;
	int64_t date;		/* that stands above what comes next; STK_TIME_UNKNOWN */
	bool stopped;		/* lldb says where it stopped: threads that come again */
};

static struct stk_text
next_line(struct scan *s)
{
	return take_next_line(&s->at, s->end, &s->line);
}

/* N of "#N  0x0000 in main ()" and "frame #N: 0x0000"; false without it. */
static bool
frame_number(struct stk_text line, uint64_t *number)
{
	line = unindented(line);
	(void)take_words(&line, "* ");
	(void)take_words(&line, "frame ");
	return take_words(&line, "#") && take_number(&line, number);
}

/* The number that the next frame of a stack has; 0 also for stacks without numbers. */
static uint64_t
next_number(struct stk_text stack)
{
	const char *end = stack.data + stack.size;
	uint64_t number;

	while (end > stack.data) {
		const char *newline = memrchr(stack.data, '\n', (size_t)(end - stack.data));
		const char *line = newline != NULL ? newline + 1 : stack.data;

		if (frame_number(between(line, end), &number))
			return number + 1;
		end = newline != NULL ? newline : stack.data;
	}
	return 0;
}

/* Whether a stack of numbered frames goes on with a variable of gdb or the place of a frame, below which is its next
 * frame. */
static bool
is_within_numbered(struct stk_text stack, struct stk_text line, const char *next, const char *end)
{
	uint64_t number;

	if (stack.size == 0 || *stack.data != '#' || !(*line.data == ' ' || process_line_is_no_variables(line)))
		return false;
	for (line = line_at(next, end); line.data < end && !frame_number(line, &number); line = line_after(line, end))
		if (trimmed(line).size == 0 ||
		    (*line.data != ' ' && !log_line_is(line) && !process_line_is_no_variables(trimmed(line))))
			return false;
	return line.data < end && number == next_number(stack);
}

/* Whether the line has the form of the stack's frames, and is not the first of another stack. */
static bool
is_alike(struct stk_text stack, struct stk_text line)
{
	struct found_sample unused;

	if (process_line_kind(line, &unused) != LINE_FRAME)
		return false;
	if (stack.size == 0)
		return *line.data != '\t';
	if (*stack.data == '#' || *stack.data == ' ' || *stack.data == '0')
		return *line.data == *stack.data && !text_starts(line, "#0 ");
	return *line.data != ' ' && *line.data != '#' && (*line.data != '\t' || text_find(line, ".go:") != NULL);
}

/* Lines that are not frames, the first of which was read into *line, up to the next that is none of these. */
static struct stk_text
pass_foreign_lines(struct scan *s, struct stk_text *line, bool *logged)
{
	const char *from = line->data, *to = from;
	struct found_sample unused;

	*logged = true;
	while (line->size == 0 || process_line_kind(*line, &unused) == LINE_OTHER) {
		*logged &= line->size == 0 || log_line_is(*line);
		to = line->size > 0 ? line->data + line->size : to;
		if (s->at >= s->end)
			break;
		*line = next_line(s);
	}
	return between(from, to);
}

/* Whether the stack, whose next line is not a frame, goes on after that line and others. These are of another program
 * or of a log when no number of a frame is missing, or when they look so; else one of them may have been a frame. The
 * scan is then at the frame. */
static bool
goes_on(struct scan *s, struct stk_text stack)
{
	struct scan ahead = *s;
	struct stk_text line = next_line(&ahead), foreign;
	const char *frame;
	uint64_t number = 0;
	bool logged, numbered;

	foreign = pass_foreign_lines(&ahead, &line, &logged);
	frame = line.data;
	numbered = frame_number(line, &number);
	if (foreign.size == 0)
		return false;
	if (line.size > 0 && is_within_numbered(stack, line, ahead.at, s->end))
		number = next_number(stack);
	else if (!is_alike(stack, line))
		return false;
	numbered |= number > 0;
	if (!numbered && scan_count_lines(foreign.data, frame) > (logged ? LOG_LINES_BETWEEN : 1))
		return false;
	if (!numbered && logged && !process_line_is_sure_frame(line, ahead.at, s->end) &&
	    !process_line_is_dotnet_frame(line) && !(stack.size > 0 && process_line_is_place(line)))
		return false;		/* what the log wrote has more lines */
	logged = numbered ? number == next_number(stack) : logged;
	found_skipped(s->findings, s->line, foreign, scan_count_lines(foreign.data, foreign.data + foreign.size) + 1,
		      logged ? SKIP_NOISE : SKIP_BROKEN,
		      logged ? "within a thread's stack" : "a line of a stack that is not understood");
	s->line += scan_count_lines(s->at, frame);
	s->at = frame;
	return true;
}

/* The lines of frames from here on, with foreign lines among them. */
static struct stk_text
take_stack(struct scan *s)
{
	const char *from = s->at, *to = s->at;

	while (s->at < s->end) {
		struct scan before = *s;
		struct found_sample unused;

		if (process_line_kind(next_line(s), &unused) != LINE_FRAME) {
			*s = before;
			if (!goes_on(s, between(from, to)))
				break;
			from = from == to ? s->at : from;	/* these were above its first frame */
			to = from == s->at ? from : to;
			continue;
		}
		to = s->at;
	}
	return between(from, to);
}

static struct finding *
begin_dump(struct scan *s, uint32_t line)
{
	struct finding *dump = found(s->findings, FOUND_DUMP, line);

	dump->is.dump.civil_ns = s->date;
	s->date = STK_TIME_UNKNOWN;
	return dump;
}

static void
begin_process(struct scan *s, uint32_t number, struct stk_text line)
{
	struct finding *dump = begin_dump(s, number);

	(void)process_line_read_process(line, &dump->is.dump.pid, &dump->is.dump.process);
}

/* What jhsdb prints of a thread of Java above its frames. */
static void
read_java_header(struct scan *s, struct found_sample *sample)
{
	static const char state[] = "   java.lang.Thread.State: ";
	struct thread_header header;
	struct scan before;
	struct stk_text line;

	if (s->at >= s->end || *s->at != '"' || !thread_header_read(&header, s->at, s->end) || header.lines > 0 ||
	    !header.has_ids)
		return;
	sample->name = header.name;
	sample->number = header.number;
	sample->handle = header.handle;
	sample->priority = header.priority;
	sample->condition = header.condition;
	sample->role = header.daemon ? STK_ROLE_DAEMON : STK_ROLE_JAVA;
	for (before = *s, line = next_line(s); *line.data == '"' || text_starts(line, state) ||
					       text_starts(line, "   JavaThread state: ");
	     before = *s, line = next_line(s)) {
		struct stk_text word = between(line.data + sizeof state - 1, text_end(line));

		if (text_starts(line, state))
			sample->state = java_state_named(text_take(&word, ' '));
		if (s->at >= s->end)
			return;
	}
	*s = before;
}

/* A thread whose line was taken, with the stack below it. */
static void
take_thread(struct scan *s, uint32_t number, struct stk_text line, struct found_sample sample)
{
	struct findings *findings = s->findings;
	size_t at;

	if (s->date != STK_TIME_UNKNOWN)
		(void)begin_dump(s, number);
	at = findings->list.count;
	(void)found(findings, FOUND_SAMPLE, number);
	if (text_starts(line, "-----------------"))
		read_java_header(s, &sample);
	sample.stack = take_stack(s);
	sample.hash = scan_hash(sample.stack);
	if (s->stopped) {
		findings->list.count = at;
		found_skipped(findings, number, trimmed(between(line.data, s->at)), s->line - number, SKIP_NOISE,
			      "where lldb stopped; it is listed again");
	} else {
		findings->list.at[at].is.sample = sample;
	}
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	struct scan s = { .findings = findings, .at = piece.data, .end = piece.data + piece.size,
			  .date = STK_TIME_UNKNOWN };

	while (s.at < s.end) {
		uint32_t number = s.line;
		struct stk_text line = next_line(&s);
		struct found_sample sample;

		switch (process_line_kind(line, &sample)) {
		case LINE_DATE:
			(void)process_line_is_date(line, &s.date);
			break;
		case LINE_PROCESS:
			begin_process(&s, number, line);
			break;
		case LINE_THREAD:
			take_thread(&s, number, line, sample);
			break;
		case LINE_BLANK:
			break;
		default:
			s.stopped = process_line_is_stop(line);
			if (process_line_is_sure_frame(line, s.at, s.end))
				found_skipped(findings, number, line, 1, SKIP_BROKEN, "a frame without its thread");
			else
				found_skipped(findings, number, line, 1, SKIP_NOISE, "not part of a stack");
			break;
		}
	}
	findings->lines = s.line;
}

/* --- the beginning and the end of a file --- */

/* Where a section begins of which the line at `from` is the first thread or the process: a date and the process may
 * be a few lines above, and that it stopped. */
static const char *
head_above(const char *begin, const char *from)
{
	const char *head = from, *at = from;

	for (int n = 0; n < LINES_ABOVE && at > begin; n++) {
		const char *before = at - 1 > begin ? memrchr(begin, '\n', (size_t)(at - 1 - begin)) : NULL,
			   *line = before == NULL ? begin : before + 1;
		struct found_sample unused;
		struct stk_text above = trimmed(between(line, at - 1));
		enum line_kind kind = process_line_kind(above, &unused);

		if (kind == LINE_THREAD || kind == LINE_FRAME)
			break;
		if (kind == LINE_DATE || kind == LINE_PROCESS || process_line_is_stop(above) ||
		    text_starts(above, "(lldb) "))
			head = line;
		if (kind == LINE_DATE)
			break;
		at = line;
	}
	return head;
}

/* A piece ends before the last line that precedes a stack. */
static size_t
cut(struct stk_text text)
{
	const char *newline = memrchr(text.data, '\n', text.size);

	while (newline != NULL && newline > text.data) {
		const char *before = memrchr(text.data, '\n', (size_t)(newline - text.data)),
			   *from = before == NULL ? text.data : before + 1;
		struct found_sample unused;
		enum line_kind kind = process_line_kind(trimmed(between(from, newline)), &unused);

		if (kind == LINE_THREAD || kind == LINE_PROCESS || kind == LINE_DATE)
			from = head_above(text.data, from);
		else
			from = text.data;
		if (from > text.data)
			return (size_t)(from - text.data);
		newline = before;
	}
	return 0;
}

/* What only a stack's line can be: "#0  0x0000 in main ()", `  File "a.py", line 1 in f`, "  run (work.py:12)", a Go
 * call with its place below. */
static bool
is_certain_frame(struct stk_text line, const char *end)
{
	struct stk_text words = unindented(line);
	const char *open;

	if (line.size == 0)
		return false;
	if (*line.data == '#')
		return process_line_is_frame(line);
	if (words.data == line.data)
		return process_line_is_mixed_frame(line) ||
		       (process_line_is_call(line) &&
			process_line_is_place(first_unlogged(line_after(line, end), end)));
	if (text_starts(words, "PC:") || text_starts(words, "creator: 0x") || process_line_is_dotnet_frame(line))
		return true;
	if (text_starts(words, "File \""))
		return text_find(words, "\", line ") != NULL;
	if (text_starts(words, "* frame #") || text_starts(words, "frame #"))
		return text_find(words, ": 0x") != NULL;
	open = text_find(words, " (");
	return open != NULL && text_ends(words, ")") &&
	       memchr(open, ':', (size_t)(words.data + words.size - open)) != NULL;
}

/* Threads with stacks below them, among its first lines. */
static int
recognise(struct stk_text text)
{
	const char *end = text.data + text.size;
	unsigned threads = 0, certain = 0;

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end)) {
		struct found_sample unused;
		struct stk_text below;

		if (process_line_kind(trimmed(line), &unused) == LINE_THREAD &&
		    process_line_kind(below = trimmed(first_unlogged(line_after(line, end), end)), &unused) ==
			    LINE_FRAME) {
			threads++;
			certain += is_certain_frame(below, end) || text_ends(trimmed(line), "):");
		}
	}
	return certain > 0 || threads > 1 ? 85 : 0;
}

static const char *
find(struct stk_text text)
{
	const char *end = text.data + text.size;

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end)) {
		struct found_sample unused;

		if (line.size > 4 && process_line_is_thread(trimmed(line), &unused) &&
		    is_certain_frame(trimmed(first_unlogged(line_after(line, end), end)), end))
			return head_above(text.data, line.data);
	}
	return NULL;
}

const struct text_format process_dump_format = {
	.name = "process-dump",
	.about = "eu-stack, gdb, lldb, goroutines, py-spy, faulthandler, dotnet-stack, jhsdb, threadz",
	.stack_after = 1,
	.shown_by = "lines \"Thread N (...)\", \"goroutine N [...]:\", \"TID N:\" with frames below",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_NATIVE,
	.is_dump = true,
	.mask = native_lock_mask,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan_piece,
	.read_stack = process_stack_read,
	.read_frame = process_frame_read
};
