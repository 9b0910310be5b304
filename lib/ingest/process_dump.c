/* SPDX-License-Identifier: MIT
 * process_dump: the stacks of all threads of a process, leaf first, as tools that look from outside print them:
 * eu-stack and pstack, gdb (thread apply all bt), Go's goroutine dumps, py-spy dump, Python's faulthandler,
 * dotnet-stack, lldb (bt all), jhsdb jstack --mixed, threadz of gperftools. They differ only in the line above a stack
 * and in the lines of frames. */
#include "ingest/civil_moment.h"
#include "ingest/ingest.h"
#include "ingest/log_line.h"
#include "ingest/native_lock.h"
#include "ingest/text_lines.h"

#define LINES_ABOVE 4	/* of the first thread, among which are a date, the process and a version */

enum line_kind { LINE_OTHER, LINE_BLANK, LINE_DATE, LINE_PROCESS, LINE_THREAD, LINE_FRAME };

/* --- lines above stacks --- */

static bool
take_words(struct stk_text *line, const char *words)
{
	size_t size = strlen(words);

	if (line->size < size || memcmp(line->data, words, size) != 0)
		return false;
	*line = text_of(line->data + size, line->size - size);
	return true;
}

static bool
take_number(struct stk_text *line, uint64_t *number)
{
	const char *at = line->data, *end = line->data + line->size;
	bool hex = text_starts(*line, "0x");

	if (!(hex ? scan_hex(&at, end, number) : scan_decimal(&at, end, number)))
		return false;
	*line = between(at, end);
	return true;
}

/* The text in quotes on the line, or nothing. */
static struct stk_text
quoted(struct stk_text line)
{
	const char *from = line.size == 0 ? NULL : memchr(line.data, '"', line.size);
	const char *to = from == NULL ? NULL : memrchr(line.data, '"', line.size);

	return to > from ? between(from + 1, to) : text_of("", 0);
}

/* The text between the two, or nothing. */
static struct stk_text
enclosed(struct stk_text line, char open, char close)
{
	const char *from = line.size == 0 ? NULL : memchr(line.data, open, line.size);
	const char *to = from == NULL ? NULL : memchr(from, close, (size_t)(line.data + line.size - from));

	return to != NULL ? between(from + 1, to) : text_of("", 0);
}

/* "goroutine 12 [chan receive, 3 minutes]:" and "goroutine 1 gp=0xc000002380 m=0 mp=0x558 [running]:" */
static bool
read_goroutine(struct stk_text line, struct found_sample *sample)
{
	struct stk_text state, name = text_of(line.data, line.size < 9 ? line.size : 9);
	const char *comma, *end;

	if (!take_words(&line, "goroutine ") || !take_number(&line, &sample->number) || !text_ends(line, "]:"))
		return false;
	state = enclosed(line, '[', ']');
	end = state.data + state.size;
	comma = state.size == 0 ? NULL : memchr(state.data, ',', state.size);
	sample->condition = comma != NULL ? between(state.data, comma) : state;
	/* for how long: in the condition it would make each a different one */
	if (comma != NULL)
		sample->note = unindented(between(comma + 1, end));
	sample->name = name;
	return true;
}

/* "TID 124:", and "TID 124 "name":" of ours */
static bool
read_tid(struct stk_text line, struct found_sample *sample)
{
	if (!take_words(&line, "TID ") || !take_number(&line, &sample->tid) || !text_ends(line, ":"))
		return false;
	sample->name = quoted(line);
	return true;
}

/* "----------------- 4711 -----------------" of jhsdb jstack --mixed */
static bool
read_mixed_thread(struct stk_text line, struct found_sample *sample)
{
	static const char dashes[] = "----------------- ";

	return take_words(&line, dashes) && take_number(&line, &sample->tid) && text_starts(line, " ---------------") &&
	       text_ends(line, "-");
}

/* "--- Thread 7f0000001000 (name: main/77) stack: ---" of threadz */
static bool
read_threadz(struct stk_text line, struct found_sample *sample)
{
	const char *name = text_find(line, " (name: "), *end = line.data + line.size;
	const char *slash = name != NULL ? memrchr(name, '/', (size_t)(end - name)) : NULL, *at = slash;

	if (!text_starts(line, "--- Thread ") || slash == NULL || !text_ends(line, ") stack: ---"))
		return false;
	at++;
	sample->name = between(name + strlen(" (name: "), slash);
	return scan_decimal(&at, end, &sample->tid) && *at == ')';
}

/* " [MainThread] (most recent call first):", as Python 3.14 writes it: the thread's name. */
static bool
read_python_name(struct stk_text line, struct found_sample *sample)
{
	const char *close = text_find(line, "] (most recent call first):");

	if (close == NULL || !text_starts(line, " ["))
		return false;
	sample->name = between(line.data + 2, close);
	return true;
}

/* "Current thread's C stack trace (most recent call first):", below its Python frames */
static bool
read_c_stack(struct stk_text line, struct found_sample *sample)
{
	if (!text_starts(line, "Current thread's C stack trace (most recent call first):"))
		return false;
	sample->name = text_of(line.data, strlen("Current thread"));
	sample->event = text_from("native");
	return true;
}

/* "Thread 3 (Thread 0x7f30 (LWP 130) "name"):" of gdb, "Thread 12 (idle): "MainThread"" of py-spy, which ends with the
 * bracket where the thread has no name, "Thread (0x1A2B):" of dotnet-stack, "Thread 0x7f30 (most recent call first):" of faulthandler */
static bool
read_thread(struct stk_text line, struct found_sample *sample)
{
	const char *lwp = text_find(line, "(LWP ");
	struct stk_text rest;
	uint64_t number = 0;

	(void)(take_words(&line, "Current t") || take_words(&line, "T"));
	if (!take_words(&line, "hread "))
		return false;
	if (text_starts(line, "(0x") && text_ends(line, "):")) {
		line = text_of(line.data + 1, line.size - 1);
		return take_number(&line, &sample->tid);
	}
	if (!take_number(&line, &number))
		return false;
	if (read_python_name(line, sample)) {
		sample->tid = number;
		return true;
	}
	if (!text_starts(line, " ("))
		return false;
	sample->name = quoted(line);
	if (lwp != NULL && text_ends(line, "):")) {
		rest = between(lwp + 5, line.data + line.size);
		return take_number(&rest, &sample->tid);
	}
	sample->tid = number;
	if (text_ends(line, "(most recent call first):"))
		return true;
	sample->condition = enclosed(line, '(', ')');
	sample->state = text_is(sample->condition, "idle") ? STK_STATE_SLEEPING
			: text_starts(sample->condition, "active") ? STK_STATE_RUNNING : STK_STATE_UNKNOWN;
	return text_find(line, "):") != NULL || (sample->state != STK_STATE_UNKNOWN && text_ends(line, ")"));
}

/* "* thread #1, name = 'main', stop reason = signal SIGSTOP" and "  thread #2, tid = 0x5d2, 0x7f30 lib`read, name = 'x'"
 * of lldb. */
static bool
read_lldb_thread(struct stk_text line, struct found_sample *sample)
{
	const char *name, *quote = NULL, *tid, *more;

	if ((!take_words(&line, "* thread #") && !take_words(&line, "  thread #")) ||
	    !take_number(&line, &sample->number) || (line.size > 0 && *line.data != ',' && *line.data != ':'))
		return false;
	if ((tid = text_find(line, ", tid = ")) != NULL) {
		struct stk_text number = between(tid + 8, line.data + line.size);

		(void)take_number(&number, &sample->tid);
	}
	if ((name = text_find(line, ", name = '")) == NULL)
		return true;
	if ((more = text_find(line, "', queue = ")) == NULL && (more = text_find(line, "', stop reason = ")) == NULL)
		quote = memrchr(name + 10, '\'', (size_t)(line.data + line.size - name - 10));
	sample->name = between(name + 10, more != NULL ? more : quote != NULL ? quote : line.data + line.size);
	return true;
}

static bool
is_thread(struct stk_text line, struct found_sample *sample)
{
	if (line.size == 0 || strchr("gTC-* ", *line.data) == NULL || *line.data == '\0')
		return false;
	*sample = (struct found_sample){ .processor = PROCESSOR_UNKNOWN, .time_ns = STK_TIME_UNKNOWN, .weight = 1 };
	switch (*line.data) {
	case 'g': return read_goroutine(line, sample);
	case 'T': return read_tid(line, sample) || read_thread(line, sample);
	case 'C': return read_thread(line, sample) || read_c_stack(line, sample);
	case '-': return read_mixed_thread(line, sample) || read_threadz(line, sample);
	case '*':
	case ' ': return read_lldb_thread(line, sample);
	default:  return false;
	}
}

/* "PID 812 - process" of eu-stack, and "Process 812: python3 work.py", whose command is its name. */
static bool
read_process(struct stk_text line, uint64_t *pid, struct stk_text *command)
{
	*command = text_of("", 0);
	if (take_words(&line, "PID "))
		return take_number(&line, pid) && text_starts(line, " - ");
	if (!take_words(&line, "Process ") || !take_number(&line, pid) || !take_words(&line, ": "))
		return false;
	*command = line;
	return true;
}

static bool
is_process(struct stk_text line)
{
	struct stk_text unused;
	uint64_t pid;

	return read_process(line, &pid, &unused);
}

/* What date prints into a file before each dump of a tool that does not say when it looked. */
static bool
is_date(struct stk_text line, int64_t *civil_ns)
{
	bool digit = line.size > 0 && (unsigned char)(*line.data - '0') < 10;

	return (digit && civil_moment_read(line, civil_ns)) || civil_ctime_read(line, civil_ns);
}

/* --- lines of stacks --- */

/* A goroutine's frame is two lines: the call, and where it is. */
static bool
is_place(struct stk_text line)
{
	return line.size > 1 && *line.data == '\t';
}

/* "main.work(0xc0001, 0x2)": what is called has no blanks in its name. */
static bool
is_call(struct stk_text line)
{
	const char *open = line.size > 0 && line.data[line.size - 1] == ')' ? memchr(line.data, '(', line.size) : NULL;

	return open != NULL && memchr(line.data, ' ', (size_t)(open - line.data)) == NULL;
}

/* "0x00007f0000001000	__poll + 0x1d" of jhsdb jstack --mixed */
static bool
is_mixed_frame(struct stk_text line)
{
	uint64_t address;

	return text_starts(line, "0x") && take_number(&line, &address) && text_starts(line, "\t");
}

/* "...23 frames elided..." in a goroutine, "  ..." of faulthandler: callers that were left out. */
static bool
is_left_out(struct stk_text line)
{
	return (text_starts(line, "...") && text_ends(line, " frames elided...")) || text_is(line, "  ...") ||
	       text_is(line, "  <truncated rest of calls>");
}

/* What gdb's bt full prints where there is nothing to print. */
static bool
is_no_variables(struct stk_text line)
{
	return text_is(line, "No locals.") || text_is(line, "No symbol table info available.");
}

static bool
is_frame(struct stk_text line)
{
	if (line.size < 2)
		return false;
	if (is_no_variables(line))
		return true;
	if (*line.data == '#')
		return line.data[1] >= '0' && line.data[1] <= '9';
	if (is_systemtap_frame(line))
		return false;
	return *line.data == ' ' || *line.data == '\t' || is_call(line) || text_starts(line, "created by ") ||
	       is_mixed_frame(line) || is_left_out(line);
}

/* Whether a line is surely a frame, whatever is above it; the text goes on at `next`. Frames of exceptions, which logs
 * have, look otherwise. */
static bool
is_sure_frame(struct stk_text line, const char *next, const char *end)
{
	struct stk_text place = first_unlogged(line_at(next, end), end), rest = line;
	uint64_t number;

	if (take_words(&rest, "#") && take_number(&rest, &number))
		return text_starts(rest, "  ") || text_starts(unindented(rest), "0x");
	if (text_starts(line, "  File \"") && text_find(line, "\", line ") != NULL)
		return text_find(line, ", in ") == NULL;	/* with a comma: a traceback */
	if (text_starts(line, "    ") && text_ends(line, ")") && text_find(line, ".py:") != NULL)
		return !text_starts(unindented(line), "at ");
	if (text_find(line, "frame #") != NULL)
		return text_find(line, ": 0x") != NULL;
	return (is_call(line) || text_starts(line, "created by ")) && is_place(place) &&
	       (text_find(place, " +0x") != NULL || text_find(place, ".go:") != NULL);
}

/* "  web!Shop.Till.Open(int32)" of dotnet-stack */
static bool
is_dotnet_frame(struct stk_text line)
{
	const char *module = line.size > 2 ? memchr(line.data, '!', line.size) : NULL;

	return module != NULL && text_starts(line, "  ") && text_ends(line, ")") &&
	       memchr(line.data + 2, ' ', (size_t)(module - line.data) - 2) == NULL;
}

/* "Process 812 stopped" of lldb, below which are threads with their leaf. */
static bool
is_stop(struct stk_text line)
{
	uint64_t number;

	return take_words(&line, "Process ") && take_number(&line, &number) && text_is(line, " stopped");
}

static enum line_kind
kind_of(struct stk_text line, struct found_sample *sample)
{
	int64_t unused;

	if (line.size == 0)
		return LINE_BLANK;
	/* of goroutines every second line, and most of the others: nothing else begins with these */
	if (*line.data == '\t' || (*line.data >= 'a' && *line.data <= 'z' && *line.data != 'g'))
		return is_frame(line) ? LINE_FRAME : LINE_OTHER;
	if (is_date(line, &unused))
		return LINE_DATE;
	if (is_process(line))
		return LINE_PROCESS;
	return is_thread(line, sample) ? LINE_THREAD : is_frame(line) ? LINE_FRAME : LINE_OTHER;
}

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

	if (stack.size == 0 || *stack.data != '#' || !(*line.data == ' ' || is_no_variables(line)))
		return false;
	for (line = line_at(next, end); line.data < end && !frame_number(line, &number); line = line_after(line, end))
		if (trimmed(line).size == 0 ||
		    (*line.data != ' ' && !log_line_is(line) && !is_no_variables(trimmed(line))))
			return false;
	return line.data < end && number == next_number(stack);
}

/* Whether the line has the form of the stack's frames, and is not the first of another stack. */
static bool
is_alike(struct stk_text stack, struct stk_text line)
{
	struct found_sample unused;

	if (kind_of(line, &unused) != LINE_FRAME)
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
	while (line->size == 0 || kind_of(*line, &unused) == LINE_OTHER) {
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
	if (!numbered && logged && !is_sure_frame(line, ahead.at, s->end) && !is_dotnet_frame(line) &&
	    !(stack.size > 0 && is_place(line)))
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

		if (kind_of(next_line(s), &unused) != LINE_FRAME) {
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

	(void)read_process(line, &dump->is.dump.pid, &dump->is.dump.process);
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

		switch (kind_of(line, &sample)) {
		case LINE_DATE:
			(void)is_date(line, &s.date);
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
			s.stopped = is_stop(line);
			if (is_sure_frame(line, s.at, s.end))
				found_skipped(findings, number, line, 1, SKIP_BROKEN, "a frame without its thread");
			else
				found_skipped(findings, number, line, 1, SKIP_NOISE, "not part of a stack");
			break;
		}
	}
	findings->lines = s.line;
}

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
	while (line.data < end && (trimmed(line).size == 0 || kind_of(trimmed(line), &unused) == LINE_OTHER));
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

static void
read_stack(struct stack_reading *reading, struct stk_text stack)
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

		if (is_left_out(trimmed(line)))
			stack_frame(reading, text_from("[truncated]"));
		else if (*line.data != ' ' && *line.data != '#' && is_place(place)) {
			stack_frame(reading, between(line.data, trimmed(place).data + trimmed(place).size));
			line = place;
		} else if (*line.data != '\t' && trimmed(line).size > 0 && !is_variable(line, stack) &&
			   !text_is(trimmed(line), "  <no Python frame>")) {
			stack_frame(reading, trimmed(line));
		}
	}
}

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
	parts->form = STK_FORM_NATIVE;
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

	if (is_mixed_frame(line) && take_number(&line, &parts->address))
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

static bool
read_frame(struct frame_parts *parts, struct stk_text text)
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

/* --- the beginning and the end of a file --- */

/* Where a section begins of which the line at `from` is the first thread or the process: a date and the process may
 * stand a few lines above. */
static const char *
head_above(const char *begin, const char *from)
{
	const char *head = from, *at = from;

	for (int n = 0; n < LINES_ABOVE && at > begin; n++) {
		const char *before = at - 1 > begin ? memrchr(begin, '\n', (size_t)(at - 1 - begin)) : NULL,
			   *line = before == NULL ? begin : before + 1;
		struct found_sample unused;
		enum line_kind kind = kind_of(trimmed(between(line, at - 1)), &unused);

		if (kind == LINE_THREAD || kind == LINE_FRAME)
			break;
		if (kind == LINE_DATE || kind == LINE_PROCESS)
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
		enum line_kind kind = kind_of(trimmed(between(from, newline)), &unused);

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
		return is_frame(line);
	if (words.data == line.data)
		return is_mixed_frame(line) || (is_call(line) && is_place(first_unlogged(line_after(line, end), end)));
	if (text_starts(words, "PC:") || text_starts(words, "creator: 0x") || is_dotnet_frame(line))
		return true;
	if (text_starts(words, "File \""))
		return text_find(words, "\", line ") != NULL;
	if (text_starts(words, "* frame #") || text_starts(words, "frame #"))
		return text_find(words, ": 0x") != NULL;
	open = text_find(words, " (");
	return open != NULL && text_ends(words, ")") && memchr(open, ':', (size_t)(words.data + words.size - open)) != NULL;
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

		if (kind_of(trimmed(line), &unused) == LINE_THREAD &&
		    kind_of(below = trimmed(first_unlogged(line_after(line, end), end)), &unused) == LINE_FRAME) {
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

		if (line.size > 4 && is_thread(trimmed(line), &unused) &&
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
	.read_stack = read_stack,
	.read_frame = read_frame
};
