/* SPDX-License-Identifier: MIT
 * thread_dump: HotSpot thread dumps, as jstack, jcmd Thread.print, SIGQUIT and the attach socket print them, JDK 8 to
 * 25, alone or within logs.
 *
 * A thread's section is found by its header, which begins with a quote, and ends before the first line that is not
 * indented: its lines are passed over and hashed, not read. All other lines are classified one by one. A piece is
 * scanned without the others, which is why cut() lets pieces begin only at headers: the lists before a dump's first
 * thread and the deadlocks and heap after its last one are then in one piece with a thread. */
#include "ingest/calm_lines.h"
#include "ingest/dump_between.h"
#include "ingest/dump_line_kind.h"
#include "ingest/dump_search.h"
#include "ingest/dump_section.h"
#include "ingest/ingest.h"
#include "ingest/java_stack.h"
#include "ingest/mask.h"
#include "ingest/section_memory.h"
#include "ingest/text_lines.h"
#include "ingest/thread_header.h"

#define CUT_KEEPS 32	/* lines at the end of a log that stay with what follows: they may be the head of a dump */

/* --- a piece --- */

static void
scan_piece(struct dump_scan *s, struct findings *findings, struct stk_text piece)
{
	*s = (struct dump_scan){
		.findings = findings, .at = piece.data, .end = piece.data + piece.size, .date = STK_TIME_UNKNOWN
	};
	while (s->at < s->end && !s->prefixed)
		if (!dump_line_may_be_header(s->at) || !dump_section_take(s))
			dump_between_take(s);
}

static void
thread_dump_scan(struct findings *findings, struct stk_text piece)
{
	struct dump_scan s;

	if (findings->memory == NULL && !findings->brief)
		findings->memory = section_memory_new();
	scan_piece(&s, findings, piece);
	dump_scan_settle(&s);
	findings->lines = s.line;
}

/* --- where a text may be cut --- */

/* The start of the last lines of [from, end), which a log keeps for what follows it; 0 when there are no others. */
static size_t
cut_before_last_lines(struct stk_text text, const char *from)
{
	const char *at = text.data + text.size;

	for (int lines = 0; lines <= CUT_KEEPS && at != NULL; lines++)
		at = memrchr(from, '\n', (size_t)(at - from));
	return at != NULL ? (size_t)(at + 1 - text.data) : 0;
}

/* A text without a thread's header, but for one that it may begin with: a log, or one large section. The scanner finds
 * where a dump is in it. */
static size_t
cut_log(struct stk_text text)
{
	struct findings findings = { 0 };
	struct thread_header header;
	const char *end = text.data + text.size;
	struct dump_scan s;

	if (text.size == 0)
		return 0;
	if (!(dump_line_may_be_header(text.data) && thread_header_read(&header, text.data, end)) &&
	    text_find(text, DUMP_HEAD_WORDS) == NULL && text_find(text, DUMP_JCMD_WORDS) == NULL)
		return cut_before_last_lines(text, text.data);
	scan_piece(&s, &findings, text);
	array_release(&findings.list);
	if (s.prefixed)
		return (size_t)(line_start(text.data, end) - text.data);
	return s.noise.from != NULL && s.place == AMONG_THREADS ? cut_before_last_lines(text, s.noise.from) : 0;
}

/* Before the last thread's header; 0 without one. */
static size_t
cut_before_thread(struct stk_text text)
{
	const char *end = text.data + text.size;
	const char *quote = end;
	struct thread_header header;

	while ((quote = text.size > 0 ? memrchr(text.data, '"', (size_t)(quote - text.data)) : NULL) != NULL &&
	       quote > text.data)
		if (quote[-1] == '\n' && thread_header_read(&header, quote, end) && header.end < end)
			return (size_t)(quote - text.data);
	return 0;
}

/* Before the last "Thread 12: (state = BLOCKED)"; 0 without one. */
static size_t
cut_before_forced(struct stk_text text)
{
	const char *end = text.data + text.size, *newline = end;
	struct thread_header header;

	while ((newline = text.size > 0 ? memrchr(text.data, '\n', (size_t)(newline - text.data)) : NULL) != NULL)
		if (end - newline > 1 && newline[1] == 'T' && thread_header_read(&header, newline + 1, end) &&
		    header.end < end)
			return (size_t)(newline + 1 - text.data);
	return 0;
}

static size_t
cut_before_section(struct stk_text text)
{
	size_t size = cut_before_thread(text);

	return size > 0 ? size : cut_before_forced(text);
}

static size_t
thread_dump_cut(struct stk_text text)
{
	size_t size = cut_before_section(text);

	return size > 0 ? size : cut_log(text);
}

const struct text_format thread_dump_format = {
	.name = "thread-dump",
	.about = "HotSpot thread dumps: jstack, jcmd Thread.print, SIGQUIT, JDK 8 to 25",
	.shown_by = "a head \"Full thread dump\", or headers of threads with stacks",
	.written_as = "dumps",
	.stack_after = 1,
	.is_dump = true,
	.mask = thread_dump_mask,
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_JVM,
	.recognise = dump_search_recognise,
	.find = dump_search_find,
	.cut = thread_dump_cut,
	.cut_tail = cut_before_section,
	.scan = thread_dump_scan,
	.read_stack = java_stack_read,
	.read_frame = java_frame_read
};
