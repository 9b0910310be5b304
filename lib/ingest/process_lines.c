/* SPDX-License-Identifier: MIT
 * process_lines: the kind is asked of each line several times, so what is cheap to tell comes first. */
#include "ingest/process_lines.h"

#include "ingest/civil_moment.h"
#include "ingest/log_line.h"

/* --- lines above stacks --- */

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

bool
process_line_is_thread(struct stk_text line, struct found_sample *sample)
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
bool
process_line_read_process(struct stk_text line, uint64_t *pid, struct stk_text *command)
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

	return process_line_read_process(line, &pid, &unused);
}

/* What date prints into a file before each dump of a tool that does not say when it looked. */
bool
process_line_is_date(struct stk_text line, int64_t *civil_ns)
{
	bool digit = line.size > 0 && (unsigned char)(*line.data - '0') < 10;

	return (digit && civil_moment_read(line, civil_ns)) || civil_ctime_read(line, civil_ns);
}

/* --- lines of stacks --- */

/* A goroutine's frame is two lines: the call, and where it is. */
bool
process_line_is_place(struct stk_text line)
{
	return line.size > 1 && *line.data == '\t';
}

/* "main.work(0xc0001, 0x2)": what is called has no blanks in its name. */
bool
process_line_is_call(struct stk_text line)
{
	const char *open = line.size > 0 && line.data[line.size - 1] == ')' ? memchr(line.data, '(', line.size) : NULL;

	return open != NULL && memchr(line.data, ' ', (size_t)(open - line.data)) == NULL;
}

/* "0x00007f0000001000	__poll + 0x1d" of jhsdb jstack --mixed */
bool
process_line_is_mixed_frame(struct stk_text line)
{
	uint64_t address;

	return text_starts(line, "0x") && take_number(&line, &address) && text_starts(line, "\t");
}

/* "...23 frames elided..." in a goroutine, "  ..." of faulthandler: callers that were left out. */
bool
process_line_is_left_out(struct stk_text line)
{
	return (text_starts(line, "...") && text_ends(line, " frames elided...")) || text_is(line, "  ...") ||
	       text_is(line, "  <truncated rest of calls>");
}

/* What gdb's bt full prints where there is nothing to print. */
bool
process_line_is_no_variables(struct stk_text line)
{
	return text_is(line, "No locals.") || text_is(line, "No symbol table info available.");
}

bool
process_line_is_frame(struct stk_text line)
{
	if (line.size < 2)
		return false;
	if (process_line_is_no_variables(line))
		return true;
	if (*line.data == '#')
		return line.data[1] >= '0' && line.data[1] <= '9';
	if (is_systemtap_frame(line))
		return false;
	return *line.data == ' ' || *line.data == '\t' || process_line_is_call(line) ||
	       text_starts(line, "created by ") || process_line_is_mixed_frame(line) || process_line_is_left_out(line);
}

/* Whether a line is surely a frame, whatever is above it; the text goes on at `next`. Frames of exceptions, which logs
 * have, look otherwise. */
bool
process_line_is_sure_frame(struct stk_text line, const char *next, const char *end)
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
	return (process_line_is_call(line) || text_starts(line, "created by ")) && process_line_is_place(place) &&
	       (text_find(place, " +0x") != NULL || text_find(place, ".go:") != NULL);
}

/* "  web!Shop.Till.Open(int32)" of dotnet-stack */
bool
process_line_is_dotnet_frame(struct stk_text line)
{
	const char *module = line.size > 2 ? memchr(line.data, '!', line.size) : NULL;

	return module != NULL && text_starts(line, "  ") && text_ends(line, ")") &&
	       memchr(line.data + 2, ' ', (size_t)(module - line.data) - 2) == NULL;
}

/* "Process 812 stopped" of lldb, below which are threads with their leaf. */
bool
process_line_is_stop(struct stk_text line)
{
	uint64_t number;

	return take_words(&line, "Process ") && take_number(&line, &number) && text_is(line, " stopped");
}

enum line_kind
process_line_kind(struct stk_text line, struct found_sample *sample)
{
	int64_t unused;

	if (line.size == 0)
		return LINE_BLANK;
	/* of goroutines every second line, and most of the others: nothing else begins with these */
	if (*line.data == '\t' || (*line.data >= 'a' && *line.data <= 'z' && *line.data != 'g'))
		return process_line_is_frame(line) ? LINE_FRAME : LINE_OTHER;
	if (process_line_is_date(line, &unused))
		return LINE_DATE;
	if (is_process(line))
		return LINE_PROCESS;
	return process_line_is_thread(line, sample) ? LINE_THREAD
	     : process_line_is_frame(line)	    ? LINE_FRAME
						    : LINE_OTHER;
}
