/* SPDX-License-Identifier: MIT
 * macos_sample: what macOS' sample writes (also Activity Monitor's "Sample Process"): a tree of calls for each thread,
 * with how many samples each call was in. The column of the number is the depth.
 *
 *	Call graph:
 *	    825 Thread_15758523   DispatchQueue_1: com.apple.main-thread  (serial)
 *	    + 825 start  (in libdyld.dylib) + 1  [0x7fff737cf3d5]
 *	    +   794 work(int)  (in shop) + 1035  [0x10393278b]  work.c:12
 *	    +   ! 618 read  (in libsystem_kernel.dylib) + 10,20  [0x7fff73905ef2,0x7fff73905efc]
 *
 * A call weighs itself what its own calls leave of its number. The tree ends at an empty line; what follows is made of
 * it, or names libraries. */
#include "base/array.h"
#include "base/time_text.h"
#include "ingest/civil_moment.h"
#include "ingest/profile_tables.h"
#include "ingest/section_search.h"
#include "ingest/text_lines.h"
#include "model/recorder.h"

#define HEAD       "Analysis of sampling "
#define CALL_GRAPH "Call graph:"
#define HEAD_WITHIN 16384u		/* bytes of other text before it */
#define WALL       "wall/nanoseconds"
#define NS_PER_MS  UINT64_C(1000000)
#define COUNT_MOST (UINT64_C(1) << 32)	/* samples */
#define EVERY_MOST 1000000u		/* milliseconds from one to the next */

struct call { size_t column; uint64_t count, below; uint32_t stack; };	/* below: of its own calls */

struct report {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	uint64_t every_ns;		/* 0: not said, samples weigh 1 */
	uint64_t pid;
	struct stk_text process;
	int64_t time_ns;
	const char *foreign;		/* the first line that is of no report, since the last one began; NULL */
	bool other;			/* such lines have something that is only read elsewhere */
	bool in_graph, over;		/* over: no report has begun, or its call graph is over */
	ARRAY(struct call) open;	/* the thread, and the calls that the present line is below */
	uint32_t thread;
	uint64_t heavier;
	bool cut, failed;
};

/* --- a line of the tree --- */

/* "    +   ! 618 read  (in shop)": the column and the number; *text is what follows them. False: it is no such line. */
static bool
read_call(struct stk_text line, struct call *call, struct stk_text *text)
{
	const char *at = line.data, *end = line.data + line.size;

	while (at < end && strchr(" +!:|", *at) != NULL && *at != '\0')
		at++;
	*call = (struct call){ .column = (size_t)(at - line.data) };
	if (!scan_decimal(&at, end, &call->count) || call->count > COUNT_MOST || at == end || *at != ' ')
		return false;
	*text = trimmed(unindented(between(at, end)));
	return text->size > 0;
}

/* "  work.c:12" after the addresses */
static void
read_place(struct frame_parts *parts, struct stk_text text)
{
	const char *colon = text.size > 0 ? memrchr(text.data, ':', text.size) : NULL, *end = text.data + text.size;
	const char *at = colon != NULL ? colon + 1 : NULL;
	uint64_t line;

	if (colon == NULL || colon == text.data || !scan_decimal(&at, end, &line) || at != end || line > INT32_MAX)
		return;
	parts->file = between(text.data, colon);
	parts->line = (int64_t)line;
}

/* "work(int)  (in shop) + 1035,1040,...  [0x10393278b,0x103932790,...]  work.c:12" */
static void
read_frame(struct frame_parts *parts, struct stk_text text)
{
	const char *end = text.data + text.size, *at;
	const char *in = text_find(text, "  (in "), *addresses, *name_end;

	addresses = text_find(in != NULL ? between(in, end) : text, "  [0x");
	name_end = in != NULL ? in : addresses != NULL ? addresses : end;
	*parts = (struct frame_parts){ .function = between(text.data, name_end), .form = STK_FORM_NATIVE };
	if (text_is(parts->function, "???"))
		parts->function = text_from("[unknown]");
	if (in != NULL) {
		struct stk_text rest = between(in + strlen("  (in "), addresses != NULL ? addresses : end);

		for (at = rest.data; at < rest.data + rest.size && (*at != ')' || (at[1] != ' ' && at + 1 != end));)
			at++;
		parts->module = between(rest.data, at);
		if (text_is(parts->module, "<unknown binary>"))
			parts->module.size = 0;
		at = at + 4 < end && memcmp(at, ") + ", 4) == 0 ? at + 4 : end;
		(void)scan_decimal(&at, end, &parts->offset);
	}
	if (addresses == NULL)
		return;
	at = addresses + strlen("  [");
	(void)scan_hex(&at, end, &parts->address);
	at = memchr(at, ']', (size_t)(end - at));
	if (at != NULL)
		read_place(parts, unindented(between(at + 1, end)));
}

/* "Thread_1086631: PortServerThread", "Thread_15758523   DispatchQueue_1: com.apple.main-thread  (serial)" */
static void
take_thread(struct report *r, struct stk_text text)
{
	static const char *const kinds[] = { "  (serial)", "  (concurrent)" };
	struct stk_thread thread = { .source = recording_source(r->collect) };
	const char *at = text.data, *end = text.data + text.size, *queue = text_find(text, "   DispatchQueue_");
	struct stk_text name = text;

	if (text_starts(text, "Thread_")) {
		at += strlen("Thread_");
		if (!(text_starts(between(at, end), "0x") ? scan_hex(&at, end, &thread.tid)
							   : scan_decimal(&at, end, &thread.tid)))
			thread.tid = 0;
	}
	if (at + 2 < end && at > text.data && memcmp(at, ": ", 2) == 0) {
		name = trimmed(between(at + 2, queue != NULL ? queue : end));
	} else if (queue != NULL && (at = memchr(queue, ':', (size_t)(end - queue))) != NULL) {
		name = trimmed(unindented(between(at + 1, end)));
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
			if (text_ends(name, kinds[k]))
				name.size -= strlen(kinds[k]);
	}
	thread.name = recorder_string(r->recorder, name);
	r->thread = recorder_thread(r->recorder, &thread);
}

/* --- the tree --- */

static void
end_call(struct report *r)
{
	const struct call *call = &r->open.at[--r->open.count];
	struct stk_sample row = { .time = r->time_ns, .processor = PROCESSOR_UNKNOWN, .thread = r->thread,
				  .stack = call->stack };

	r->heavier += call->below > call->count;
	if (r->failed || call->below >= call->count)
		return;
	row.weight = (call->count - call->below) * (r->every_ns > 0 ? r->every_ns : 1);
	row.event = recorder_string(r->recorder, text_from(r->every_ns > 0 ? WALL : "samples"));
	r->failed = recording_sample(r->collect, &row, r->err) < 0;
}

static void
end_calls(struct report *r, size_t column)
{
	while (r->open.count > 0 && r->open.at[r->open.count - 1].column >= column)
		end_call(r);
}

static void
take_call(struct report *r, struct call call, struct stk_text text)
{
	struct frame_parts parts;
	struct call *above;

	end_calls(r, call.column);
	if (r->open.count == 0) {
		take_thread(r, text);
	} else {
		above = &r->open.at[r->open.count - 1];
		above->below += call.count;
		read_frame(&parts, text);
		call.stack = recorder_stack(r->recorder, above->stack, recording_frame(r->collect, &parts));
	}
	*array_push(&r->open) = call;
}

/* --- the head --- */

/* "rg (pid 64751) every 1 millisecond"; of an allocation's sampling there is no time. */
static void
take_head(struct report *r, struct stk_text text)
{
	const char *end = text.data + text.size, *at = text_find(text, " (pid "), *every;
	uint64_t ms;

	r->process = at != NULL ? between(text.data, at) : text_of("", 0);
	r->pid = r->every_ns = 0;
	r->time_ns = STK_TIME_UNKNOWN;
	if (at != NULL) {
		at += strlen(" (pid ");
		(void)scan_decimal(&at, end, &r->pid);
	}
	if ((every = text_find(text, " every ")) == NULL)
		return;
	every += strlen(" every ");
	if (scan_decimal(&every, end, &ms) && ms <= EVERY_MOST && text_starts(between(every, end), " millisecond"))
		r->every_ns = ms * NS_PER_MS;
}

/* "2019-07-04 10:21:28.347 -0600" */
static int64_t
read_moment(struct stk_text text)
{
	const char *blank = text.size > 0 ? memrchr(text.data, ' ', text.size) : NULL;
	char zone[8] = "";
	const char *at = zone;
	int64_t ns;
	size_t size;
	int offset = 0;

	if (blank == NULL || !civil_moment_read(between(text.data, blank), &ns) || ns < STK_TIME_LEAST ||
	    ns > STK_TIME_MOST)
		return STK_TIME_UNKNOWN;
	size = (size_t)(text.data + text.size - blank - 1);
	memcpy(zone, blank + 1, size < sizeof zone ? size : sizeof zone - 1);
	if (!time_take_offset(&at, &offset) || *at != '\0')
		return STK_TIME_UNKNOWN;
	return ns - offset * INT64_C(1000000000);
}

static void
end_graph(struct report *r, bool at_end)
{
	if (!r->in_graph)
		return;
	end_calls(r, 0);
	r->in_graph = false;
	r->over = true;
	r->cut |= at_end;
}

/* A line that is neither before a call graph nor of what a report has after it. */
static bool
is_foreign(const struct report *r, struct stk_text line)
{
	static const char *const heads[] = { "Total number in stack", "Sort by top of stack", "Binary Images" };

	if (!r->over || line.size == 0 || *line.data == ' ' || *line.data == '\t')
		return false;
	for (size_t h = 0; h < sizeof heads / sizeof *heads; h++)
		if (text_starts(line, heads[h]))
			return false;
	return true;
}

/* Lines up to `end` that are of no report may have something that is only read elsewhere. */
static void
look_at_foreign(struct report *r, const char *end)
{
	r->other |= r->foreign != NULL && section_is_in(between(r->foreign, end));
	r->foreign = NULL;
}

static void
take_line(struct report *r, uint64_t number, struct stk_text line)
{
	static const char date[] = "Date/Time:";
	struct stk_text text;
	struct call call;

	if (text_starts(line, HEAD)) {
		end_graph(r, true);
		look_at_foreign(r, line.data);
		r->over = false;
		take_head(r, text_of(line.data + strlen(HEAD), line.size - strlen(HEAD)));
	} else if (text_starts(line, date)) {
		r->time_ns = read_moment(unindented(text_of(line.data + strlen(date), line.size - strlen(date))));
	} else if (text_is(line, CALL_GRAPH)) {
		end_graph(r, true);
		r->in_graph = true;
		recording_process(r->collect, r->pid, recorder_string(r->recorder, r->process), 0, 0);
		recording_clock(r->collect, STK_CLOCK_WALL);
	} else if (r->in_graph && line.size == 0) {
		if (r->open.count > 0)
			end_graph(r, false);
	} else if (r->in_graph && read_call(line, &call, &text)) {
		take_call(r, call, text);
	} else if (r->in_graph) {
		recording_rejected(r->collect, number, line, true, "no line of a call graph");
	} else if (is_foreign(r, line)) {
		r->foreign = r->foreign == NULL ? line.data : r->foreign;
		recording_rejected(r->collect, number, line, false, "no part of a report");
	}
}

/* --- the report --- */

static int
read_report(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct report r = { .collect = to, .recorder = recording_definitions(to), .err = err,
			    .time_ns = STK_TIME_UNKNOWN, .over = true, .process = text_of("", 0) };
	struct text_buffer all = { 0 };
	struct stk_text text;
	uint32_t line = 1;

	if (!profile_hold(&all, from))
		recording_broken(to, "a report of more than 2 GB; what follows is left out");
	text = text_in(&all, 0);
	for (const char *at = text.data, *end = at + text.size; at < end && !r.failed;) {
		uint32_t number = line;

		take_line(&r, number, take_next_line(&at, end, &line));
	}
	end_graph(&r, true);
	look_at_foreign(&r, text_end(text));
	if (r.other)
		recording_broken(to, SECTION_BELOW);
	if (r.heavier > 0)
		recording_broken(to, "calls that weigh less than what they call");
	if (r.cut)
		recording_broken(to, "a call graph without its end: it is cut off");
	array_release(&r.open);
	array_release(&all);
	return r.failed ? -1 : recorder_error(r.recorder, err);
}

/* A line that begins so. */
static const char *
line_that_starts(struct stk_text text, const char *newline_and_words)
{
	return text_starts(text, newline_and_words + 1) ? text.data : text_find(text, newline_and_words);
}

static int
recognise(struct stk_text text)
{
	struct stk_text beginning = text_of(text.data, text.size < HEAD_WITHIN ? text.size : HEAD_WITHIN);
	const char *head = line_that_starts(beginning, "\n" HEAD);

	if (head == NULL || text_find(between(head, text.data + text.size), "\n" CALL_GRAPH) == NULL)
		return 0;
	if (head == text.data)
		return 100;
	/* what is before it must be nothing that another format reads */
	return text_format_recognised(between(text.data, head)) == NULL ? 95 : 0;
}

const struct text_format macos_sample_format = {
	.name = "macos-sample",
	.about = "call graphs of macOS' sample and Activity Monitor: threads, and how long each call took",
	.shown_by = "\"" HEAD "\" above \"" CALL_GRAPH "\"",
	.is_text = true,
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_NATIVE,
	.recognise = recognise,
	.read = read_report
};
