/* SPDX-License-Identifier: MIT
 * threads_text: the text that jcmd's Thread.dump_to_file writes: all threads of a VM, virtual ones too.
 *
 *	11143
 *	2026-11-20T22:14:51.613108555Z
 *	25.0.3+9-LTS
 *
 *	#33 "order-writer-0" virtual WAITING 2026-11-20T22:14:51.615294552Z
 *	    at java.base/java.lang.Object.wait0(Native Method)
 *	    - waiting on <java.lang.Object@6c9fa15f>
 *	    at com.acme.Shop.main(Shop.java:69)
 *
 * JDK 21 to 24 write neither state nor time, and frames without "at". */
#include "ingest/civil_moment.h"
#include "ingest/ingest.h"
#include "ingest/java_stack.h"
#include "ingest/log_line.h"
#include "ingest/mask.h"
#include "ingest/text_lines.h"
#include "ingest/thread_header.h"

#define HEAD_LINES 4	/* above the first thread, with an empty one */

/* --- lines --- */

struct header {
	struct stk_text name;
	uint64_t number;
	int64_t time_ns;
	enum stk_state state;
	bool is_virtual;
};

static bool
is_number(struct stk_text line)
{
	const char *at = line.data;
	uint64_t unused;

	return line.size > 0 && scan_decimal(&at, line.data + line.size, &unused) && at == line.data + line.size;
}

static bool
read_time(struct stk_text word, int64_t *ns)
{
	return word.size > CIVIL_MOMENT_SIZE && word.data[word.size - 1] == 'Z' && civil_moment_read(word, ns);
}

static struct stk_text
last_word(struct stk_text text)
{
	const char *blank = text.size > 0 ? memrchr(text.data, ' ', text.size) : NULL;

	return blank != NULL ? between(blank + 1, text.data + text.size) : text_of(text.data, 0);
}

static struct stk_text
without_last_word(struct stk_text text)
{
	return trimmed(between(text.data, last_word(text).data));
}

/* Read from its end, because a name may have quotes. */
static bool
read_header(struct header *header, struct stk_text line)
{
	const char *at = line.data + 1, *end;

	*header = (struct header){ .time_ns = STK_TIME_UNKNOWN };
	line = trimmed(line);
	end = line.data + line.size;
	if (line.size < 5 || *line.data != '#' || !scan_decimal(&at, end, &header->number) ||
	    !text_starts(between(at, end), " \""))
		return false;
	if (end[-1] != '"' && read_time(last_word(line), &header->time_ns)) {
		line = without_last_word(line);
		header->state = java_state_named(last_word(line));
		if (header->state == STK_STATE_UNKNOWN)
			return false;
		line = without_last_word(line);
	}
	if (text_is(last_word(line), "virtual") && line.data + line.size - at > 10) {
		header->is_virtual = true;
		line = without_last_word(line);
	}
	end = line.data + line.size;
	if (end - at < 3 || end[-1] != '"')
		return false;
	header->name = between(at + 2, end - 1);
	return true;
}

/* What looks like a header, whether or not it can be read. */
static bool
begins_thread(struct stk_text line)
{
	const char *at = line.data + 1;
	uint64_t unused;

	return line.size > 3 && *line.data == '#' && scan_decimal(&at, line.data + line.size, &unused) &&
	       text_starts(between(at, line.data + line.size), " \"");
}

/* The three lines above the first thread; lines of a log may be between them. */
static bool
is_head(struct stk_text first, const char *end, int64_t *time_ns, struct stk_text *version)
{
	struct stk_text second, third;

	if (!is_number(trimmed(first)))
		return false;
	second = first_unlogged(line_after(first, end), end);
	third = first_unlogged(line_after(second, end), end);
	*version = trimmed(third);
	return read_time(trimmed(second), time_ns) && version->size > 0 && version->data[0] >= '0' &&
	       version->data[0] <= '9' && trimmed(first_unlogged(line_after(third, end), end)).size == 0;
}

/* --- scanning --- */

struct scan {
	struct findings *findings;
	const char *end;
	struct stk_text line;
	uint32_t number;
};

static void
pass(struct scan *scan)
{
	scan->line = line_after(scan->line, scan->end);
	scan->number++;
}

/* Up to an empty line, or the next thread where that is missing. Lines of a log among its lines are reported; above it
 * and below they are not part of it. */
static struct stk_text
pass_stack(struct scan *scan)
{
	const char *from = NULL, *stop = scan->line.data;

	while (scan->line.data < scan->end && trimmed(scan->line).size > 0 && !begins_thread(scan->line)) {
		if (log_line_is(scan->line)) {
			found_skipped(scan->findings, scan->number, scan->line, 1, SKIP_NOISE, "within a thread's stack");
		} else {
			from = from == NULL ? scan->line.data : from;
			stop = scan->line.data + scan->line.size;
		}
		pass(scan);
	}
	return between(from != NULL ? from : stop, stop);
}

/* ", owner #12" of a lock that others have. */
static struct stk_text
owner_in(struct stk_text stack)
{
	const char *at = text_find(stack, ">, owner #");

	return at != NULL ? trimmed(line_at(at + 3, stack.data + stack.size)) : text_of("", 0);
}

static void
take_thread(struct scan *scan)
{
	struct found_sample sample = { .processor = PROCESSOR_UNKNOWN, .weight = 1 };
	struct stk_text line = scan->line;
	size_t at = scan->findings->list.count;
	uint32_t number = scan->number;
	struct header header;
	bool is_good = read_header(&header, line);

	pass(scan);
	(void)found(scan->findings, FOUND_SAMPLE, number);
	sample.stack = pass_stack(scan);
	if (!is_good) {
		scan->findings->list.count = at;
		found_skipped(scan->findings, number, between(line.data, sample.stack.data + sample.stack.size),
			      scan->number - number, SKIP_BROKEN, "a thread's header that cannot be read");
		return;
	}
	sample.hash = sample.stack.size > 0 ? scan_hash(sample.stack) : (struct text_hash){ 0 };
	sample.name = header.name;
	sample.number = header.number;
	sample.time_ns = header.time_ns;
	sample.state = header.state;
	sample.role = header.is_virtual ? STK_ROLE_VIRTUAL : STK_ROLE_JAVA;
	sample.note = owner_in(sample.stack);
	scan->findings->list.at[at].is.sample = sample;
}

static void
pass_head(struct scan *scan, struct stk_text version)
{
	for (; scan->line.data <= version.data && scan->line.data < scan->end; pass(scan))
		if (log_line_is(scan->line))
			found_skipped(scan->findings, scan->number, scan->line, 1, SKIP_NOISE,
				      "a line that is not of a thread");
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	struct scan scan = { findings, piece.data + piece.size, line_at(piece.data, piece.data + piece.size), 0 };

	while (scan.line.data < scan.end) {
		struct stk_text version;
		int64_t time_ns;

		if (begins_thread(scan.line)) {
			take_thread(&scan);
		} else if (is_head(scan.line, scan.end, &time_ns, &version)) {
			struct finding *dump = found(findings, FOUND_DUMP, scan.number);

			dump->is.dump.civil_ns = time_ns;
			dump->is.dump.zoned = true;
			dump->is.dump.vm = version;
			pass_head(&scan, version);
		} else {
			if (text_starts(scan.line, "    at ") && text_ends(trimmed(scan.line), ")"))
				found_skipped(findings, scan.number, scan.line, 1, SKIP_BROKEN,
					      "a frame without its thread");
			else if (trimmed(scan.line).size > 0)
				found_skipped(findings, scan.number, scan.line, 1, SKIP_NOISE,
					      "a line that is not of a thread");
			pass(&scan);
		}
	}
	findings->lines = scan_count_lines(piece.data, scan.end);
}

/* --- a stack --- */

static void
read_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size;

	for (struct stk_text line = line_at(stack.data, end); line.data < end; line = line_after(line, end)) {
		struct stk_text words = unindented(trimmed(line));
		struct lock_line lock;

		if (words.size == 0 || text_is(words, "- lock is eliminated") || log_line_is(line))
			continue;
		if (line.size > INGEST_LINE_MAX)
			stack_broken(reading, line, "a line over 1 MiB");
		else if (text_starts(words, "- ") && lock_line_read(&lock, words))
			stack_lock(reading, lock.relation, lock.class, lock.address);
		else if (words.data == line.data || text_starts(words, "- ") || words.data[words.size - 1] != ')')
			stack_broken(reading, line, "a line of a stack that is not understood");
		else
			stack_frame(reading,
				    text_starts(words, "at ") ? text_of(words.data + 3, words.size - 3) : words);
	}
}

/* --- the beginning and the end of a file --- */

/* A piece ends after an empty line above a thread's header, or above a head. */
static size_t
cut(struct stk_text text)
{
	const char *end = text.data + text.size;

	for (const char *at = end;
	     (at = at > text.data ? memrchr(text.data, '\n', (size_t)(at - text.data)) : NULL) != NULL;)
		if (at > text.data && at[-1] == '\n' && at + 1 < end &&
		    memchr(at + 1, '\n', (size_t)(end - at - 1)) != NULL &&
		    (begins_thread(line_at(at + 1, end)) || is_number(trimmed(line_at(at + 1, end)))))
			return (size_t)(at + 1 - text.data);
	return 0;
}

/* The head above the thread's line at `thread`; that line without one. */
static const char *
head_above(struct stk_text text, const char *thread)
{
	const char *end = text.data + text.size, *at = thread;
	unsigned others = 0;

	for (unsigned lines = 0; lines < LOG_LINES_BETWEEN && others < HEAD_LINES && at > text.data; lines++) {
		const char *newline = memrchr(text.data, '\n', (size_t)(at - 1 - text.data));
		struct stk_text line, version;
		int64_t unused;

		at = newline != NULL ? newline + 1 : text.data;
		line = line_at(at, end);
		if (is_head(line, end, &unused, &version))
			return at;
		others += !log_line_is(line);
	}
	return thread;
}

/* "    at java.base/java.lang.Object.wait0(Native Method)", without "at " in older ones */
static bool
is_frame(struct stk_text line)
{
	struct stk_text words = unindented(trimmed(line));

	if (words.data < line.data + 4)
		return false;
	return java_frame_is(text_starts(words, "at ") ? between(words.data + 3, words.data + words.size) : words);
}

/* A thread with a head above it, or with frames below. */
static const char *
find(struct stk_text text)
{
	const char *end = text.data + text.size, *at = text.data;

	while (at < end) {
		struct stk_text line = line_at(at, end);
		struct header unused;
		uint32_t lines = 0;

		if (*at == '#' && read_header(&unused, line)) {
			const char *head = head_above(text, at);

			if (head < at || is_frame(first_unlogged(line_after(line, end), end)))
				return head;
		}
		at = scan_newline_then(at, end, '#', &lines);
		at += at < end;
	}
	return NULL;
}

static int
recognise(struct stk_text text)
{
	return find(text) != NULL ? 90 : 0;
}

const struct text_format threads_text_format = {
	.name = "threads-text",
	.about = "threads of a Java VM as jcmd Thread.dump_to_file writes them, JDK 21 to 25",
	.shown_by = "lines '#N \"name\"' below a process, a time and a version, or above frames",
	.stack_after = 1,
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_JVM,
	.is_dump = true,
	.mask = thread_dump_mask,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan_piece,
	.read_stack = read_stack,
	.read_frame = java_frame_read
};
