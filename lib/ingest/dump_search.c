/* SPDX-License-Identifier: MIT
 * dump_search: a head is certain; without one, headers of threads are weighed with what is below them. */
#include "ingest/dump_search.h"

#include "ingest/dump_line_kind.h"
#include "ingest/java_stack.h"
#include "ingest/log_line.h"
#include "ingest/text_lines.h"
#include "ingest/thread_header.h"

static bool
is_stack_below(struct stk_text line, const char *end)
{
	struct stk_text below = first_unlogged(line_after(line, end), end), words = unindented(below);

	return words.data > below.data && (text_starts(words, java_state_words) || text_starts(words, "at ") ||
					   java_frame_is(trimmed(words)));
}

/* "----------------- 4711 -----------------" of jhsdb jstack --mixed: the thread below has frames of C, which
 * process_dump reads. */
static bool
is_mixed(const char *begin, const char *at)
{
	return at > begin && text_starts(line_at(line_start(begin, at - 1), at), "----------------- ");
}

struct evidence { unsigned headers, weak_headers, states, stacks; bool head; };

static void
weigh_line(struct evidence *e, struct stk_text line, const char *end)
{
	struct thread_header header;

	if (dump_line_may_be_header(line.data) && *line.data != 'o' && thread_header_read(&header, line.data, end)) {
		e->headers += header.has_ids;
		e->weak_headers += !header.has_ids;
		e->stacks += is_stack_below(line_at(header.end, end), end);
	}
	e->states += text_starts(unindented(line), java_state_words);
	e->head |= text_starts(line, DUMP_HEAD_WORDS) || text_starts(line, DUMP_JROCKIT_WORDS);
}

int
dump_search_recognise(struct stk_text text)
{
	struct evidence e = { 0 };
	const char *end = text.data + text.size;

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end))
		if (line.size > 0 && !(*line.data == '"' && is_mixed(text.data, line.data)))
			weigh_line(&e, line, end);
	if (e.head || (e.headers > 1 && e.states > 0))
		return 100;
	if (text_find(text, DUMP_HEAD_WORDS) != NULL)
		return 90;
	if (e.headers > 0)
		return e.states > 0 || e.headers > 1 ? 90 : 60;
	if (e.states > 0 && e.weak_headers > 0)
		return 50;
	return e.stacks > 1 ? 50 : e.stacks > 0 ? 20 : 0;
}

/* Back over the lines that come before a dump's head: its date, jcmd's number of the process. A log's lines may be
 * between. */
static const char *
with_lines_above(const char *from, const char *head, const char *end)
{
	const char *at = head;
	int lines = 0;

	for (const char *above = head; lines < LOG_LINES_BETWEEN && above > from; lines++) {
		struct stk_text line = line_at(above = line_start(from, above - 1), end);
		enum line_kind kind = dump_line_kind(line, end);

		if (kind == LINE_DATE || kind == LINE_REPLY)
			at = above;
		else if (!log_line_is(line))
			break;
	}
	return at;
}

/* A thread's header that is certain: ids, and a stack or another thread below. */
static const char *
find_thread(struct stk_text text)
{
	const char *end = text.data + text.size, *at = text.data;

	while (at < end) {
		struct thread_header header, next;
		struct stk_text line;
		uint32_t unused = 0;

		if (*at == '"' && !is_mixed(text.data, at) && thread_header_read(&header, at, end)) {
			line = line_at(header.end, end);
			if (is_stack_below(line, end))
				return at;
			line = line_after(line, end);
			if (line.size == 0)
				line = line_after(line, end);
			if (header.has_ids && line.size > 0 && *line.data == '"' &&
			    thread_header_read(&next, line.data, end) && next.has_ids)
				return at;
		}
		at = scan_newline_then(at, end, '"', &unused);
		at += at < end;
	}
	return NULL;
}

/* "Thread 12: (state = BLOCKED)" of jstack -F, which needs no stack below. */
static const char *
find_forced(struct stk_text text)
{
	static const char words[] = ": (state = ";
	const char *end = text.data + text.size, *at = text.data;

	while ((at = text_find(between(at, end), words)) != NULL) {
		const char *line = line_start(text.data, at);
		struct thread_header header;

		if (*line == 'T' && thread_header_read(&header, line, end) && header.state != STK_STATE_UNKNOWN)
			return line;
		at += sizeof words - 1;
	}
	return NULL;
}

const char *
dump_search_find(struct stk_text text)
{
	const char *end = text.data + text.size;
	const char *head = text_find(text, DUMP_HEAD_WORDS);
	const char *thread, *forced, *jcmd;

	if (head != NULL)
		text.size = (size_t)(head - text.data);
	jcmd = text_find(text, DUMP_JCMD_WORDS);
	head = jcmd != NULL ? jcmd : head;
	if (head != NULL) {
		text.size = (size_t)(head - text.data);
		head = with_lines_above(text.data, line_start(text.data, head), end);
	}
	head = head != NULL ? head : end;
	thread = find_thread(between(text.data, head));
	head = thread != NULL ? thread : head;
	forced = find_forced(between(text.data, head));
	head = forced != NULL ? forced : head;
	return head < end ? head : NULL;
}
