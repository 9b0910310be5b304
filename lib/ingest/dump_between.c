/* SPDX-License-Identifier: MIT
 * dump_between: a line is read by its place first (a list, a deadlock, a heap), then by what it is itself; what is left
 * is foreign, or broken and reported as that. */
#include "ingest/dump_between.h"

#include "ingest/calm_lines.h"
#include "ingest/civil_moment.h"
#include "ingest/clean.h"
#include "ingest/dump_deadlock.h"
#include "ingest/dump_line_kind.h"
#include "ingest/dump_section.h"
#include "ingest/java_stack.h"
#include "ingest/text_lines.h"
#include "ingest/thread_header.h"

#define SHAPE_LINES 3	/* lines after a dump's head that are checked for its prefix */

/* --- the head and tail of a dump --- */

/* What JRockit has below its head: "Thu Mar  5 09:01:53 2026", "Oracle JRockit(R) R28.2.5-20-152429-1.6.0_37-...". A
 * line that is neither of them does not belong to the head. */
struct jrockit_head { struct stk_text date, vm; };

static struct jrockit_head
jrockit_head_below(struct stk_text line, const char *end)
{
	struct jrockit_head head = { text_of("", 0), text_of("", 0) };
	struct stk_text below = line_after(line, end);
	int64_t unused;

	if (civil_ctime_read(below, &unused)) {
		head.date = below;
		below = line_after(below, end);
	}
	if (below.size > 0 && *below.data != '"' && text_find(below, "JRockit") != NULL)
		head.vm = below;
	return head;
}

static void
take_head(struct dump_scan *s, struct stk_text line)
{
	bool below_date = s->date != STK_TIME_UNKNOWN && s->date_line + 1 >= s->line;
	struct finding *f = found(s->findings, FOUND_DUMP, below_date ? s->date_line : s->line);

	if (text_starts(line, DUMP_JROCKIT_WORDS)) {
		struct jrockit_head head = jrockit_head_below(line, s->end);

		if (head.date.size > 0)
			(void)civil_ctime_read(head.date, &s->date);
		f->is.dump.vm = trimmed(head.vm);
	}
	f->is.dump.civil_ns = s->date;
	if (text_starts(line, DUMP_HEAD_WORDS)) {
		f->is.dump.vm =
			unindented(trimmed(between(line.data + strlen(DUMP_HEAD_WORDS), line.data + line.size)));
		if (text_ends(f->is.dump.vm, ":"))
			f->is.dump.vm.size--;
	}
	s->date = STK_TIME_UNKNOWN;
	s->rings = 0;
	s->in_dump = true;
}

/* The number after `word`, or 0. */
static uint64_t
number_after(struct stk_text line, const char *word)
{
	const char *at = text_find(line, word);
	uint64_t number = 0;

	if (at != NULL) {
		at += strlen(word);
		scan_decimal(&at, line.data + line.size, &number);
	}
	return number;
}

static void
take_list_size(struct dump_scan *s, struct stk_text line)
{
	struct finding *f = found(s->findings, FOUND_DUMP_FACTS, s->line);

	if (line.data[1] == 'j')
		f->is.facts.listed = number_after(line, "length=");
	else
		f->is.facts.exiting = number_after(line, "length=");
}

static void
take_jni(struct dump_scan *s, struct stk_text line)
{
	struct finding *f = found(s->findings, FOUND_DUMP_FACTS, s->line);

	f->is.facts.jni_refs = number_after(line, text_find(line, "references: ") != NULL ? "references: " : "refs: ");
	f->is.facts.weak_refs = number_after(line, "weak refs: ");
	s->over = true;
	s->since_over = 0;
}

/* A line that is not blank and begins, or continues, what is between threads. */
static bool
take_known_line(struct dump_scan *s, struct stk_text line)
{
	enum line_kind kind = dump_line_kind(line, s->end);

	if (kind == LINE_FOREIGN || kind == LINE_OF_STACK || (kind == LINE_HEAP && !s->over))
		return false;
	dump_scan_flush_noise(s);
	dump_scan_leave_place(s);
	if (kind == LINE_REPLY || kind == LINE_DATE || kind == LINE_HEAD)
		dump_scan_say_over(s);
	switch (kind) {
	case LINE_DATE:
		civil_moment_read(line, &s->date);
		s->date_line = s->line;
		break;
	case LINE_HEAD:        take_head(s, line); break;
	case LINE_LIST:        s->place = IN_LIST; break;
	case LINE_LIST_SIZE:   s->place = IN_LIST; take_list_size(s, line); break;
	case LINE_END:         found(s->findings, FOUND_DUMP_END, s->line); break;
	case LINE_JNI:         take_jni(s, line); break;
	case LINE_RING:        s->place = IN_RING; s->rings++; break;
	case LINE_RING_STACKS: s->place = IN_RING_STACKS; break;
	case LINE_HEAP:        s->place = IN_HEAP; memset(&s->heap, 0, sizeof s->heap); s->heap.line = s->line; break;
	default:               break;
	}
	dump_scan_pass_line(s, line);
	if (kind == LINE_HEAD && text_starts(line, DUMP_JROCKIT_WORDS)) {
		struct jrockit_head head = jrockit_head_below(line, s->end);

		if (head.date.size > 0)
			dump_scan_pass_line(s, head.date);
		if (head.vm.size > 0)
			dump_scan_pass_line(s, head.vm);
	}
	return true;
}

/* A line whose meaning depends on its place. */
static bool
take_placed_line(struct dump_scan *s, struct stk_text line)
{
	const char *stop = NULL;

	switch (s->place) {
	case AMONG_THREADS:
		return false;
	case IN_LIST:
		stop = text_starts(line, "0x") || *line.data == '}' || *line.data == '_' ? line.data + line.size : NULL;
		if (text_starts(line, "_java_thread_list=") || text_starts(line, "_to_delete_list="))
			stop = NULL;	/* has a number for us */
		break;
	case IN_RING:
		stop = dump_deadlock_take(s, line);
		break;
	case IN_RING_STACKS:
		stop = dump_deadlock_take_stack(s, line);
		break;
	case IN_HEAP:
		stop = dump_heap_take(&s->heap, line) ? line.data + line.size : NULL;
		break;
	}
	if (stop == NULL)
		return false;
	dump_scan_flush_noise(s);
	dump_scan_pass(s, stop);
	return true;
}

/* --- dumps whose lines have a prefix --- */

static bool
has_prefix(struct stk_text prefix, struct stk_text line)
{
	size_t size;

	return clean_prefix_matches(prefix, line, &size);
}

/* Whether the lines after the head have the prefix as well. */
static bool
is_prefix(struct stk_text prefix, struct stk_text line, const char *end)
{
	int asked = 0, have = 0;

	if (prefix.size > CLEAN_PREFIX_MAX)
		return false;
	while (asked < SHAPE_LINES && line.data + line.size < end) {
		line = line_after(line, end);
		have += has_prefix(prefix, line);
		asked++;
	}
	return asked > 0 && have * 2 > asked;
}

/* The date above the head has the prefix too, and was taken for noise: the dump begins there. */
static void
take_back_date(struct dump_scan *s, struct stk_text *prefix)
{
	const char *start, *stop = s->at - 1;
	struct stk_text line;
	size_t size;
	int64_t ns;

	if (s->noise.from == NULL || s->noise.to != stop || s->noise.last + 1 != s->line)
		return;
	start = memrchr(s->noise.from, '\n', (size_t)(stop - s->noise.from));
	line = between(start != NULL ? start + 1 : s->noise.from, stop);
	if (!clean_prefix_matches(*prefix, line, &size) ||
	    !civil_moment_read(text_of(line.data + size, line.size - size), &ns))
		return;
	*prefix = text_of(line.data, size);
	s->at = line.data;
	s->line--;
	s->noise.last--;
	s->noise.to = line.data - 1;
	if (start == NULL)
		s->noise.from = NULL;
}

/* Where the head of a dump is in a line, of HotSpot or of JRockit; NULL. */
static const char *
head_within(struct stk_text whole)
{
	if (text_ends(whole, "):") || text_ends(whole, "dump:"))
		return text_find(whole, DUMP_HEAD_WORDS);
	return text_ends(whole, "====") ? text_find(whole, DUMP_JROCKIT_WORDS) : NULL;
}

/* A dump's head that does not begin its line: after a log's prefix, or after a line that was cut there. */
static bool
take_hidden_head(struct dump_scan *s, struct stk_text line)
{
	const char *head = head_within(trimmed(line));
	struct stk_text prefix;

	if (head == NULL || head == line.data)
		return false;
	prefix = between(line.data, head);
	if (is_prefix(prefix, line, s->end)) {
		take_back_date(s, &prefix);
		dump_scan_settle(s);
		found(s->findings, FOUND_PREFIX, s->line)->is.prefix.prefix = prefix;
		return s->prefixed = true;
	}
	if (trimmed(line_after(line, s->end)).size > 0)
		return false;
	dump_scan_settle(s);
	found_skipped(s->findings, s->line, prefix, 1, SKIP_CUT, "a dump begins in the middle of a line");
	take_head(s, between(head, line.data + line.size));
	dump_scan_pass_line(s, line);
	return true;
}

/* --- lines that are not understood --- */

/* Whether a line that begins with a quote was to be a thread's header: its number is there, or a thread's state or
 * frame below it. */
static bool
is_broken_header(struct stk_text line, const char *end)
{
	struct stk_text next = line_after(line, end);
	const char *quote = memrchr(line.data + 1, '"', line.size - 1);

	if (quote != NULL && line.data + line.size - quote > 3 && quote[1] == ' ' && quote[2] == '#' &&
	    (unsigned char)(quote[3] - '0') < 10)
		return true;
	return text_starts(next, "\tat ") || text_starts(unindented(next), java_state_words);
}

static void
take_broken_header(struct dump_scan *s, struct stk_text line)
{
	uint32_t lines = 0;
	const char *stop = calm_lines_end(line.data + line.size, s->end, &lines);
	struct stk_text section = trimmed(between(s->at, stop));

	dump_scan_flush_noise(s);
	dump_scan_leave_place(s);
	found_skipped(s->findings, s->line, section, scan_count_lines(section.data, section.data + section.size) + 1,
		      SKIP_BROKEN, "a thread's header that cannot be read");
	dump_scan_pass(s, stop);
}

static void
take_long_line(struct dump_scan *s, struct stk_text line)
{
	dump_scan_flush_noise(s);
	found_skipped(s->findings, s->line, line, 1, SKIP_TOO_LONG, "a line over 1 MiB");
	dump_scan_pass_line(s, line);
}

/* A header cut by the end of the text, when the text has other threads. */
static bool
is_header_cut(const struct dump_scan *s, struct stk_text line)
{
	struct thread_header header;

	return s->in_dump && line.data + line.size == s->end &&
	       (memchr(line.data + 1, '"', line.size - 1) == NULL || is_broken_header(line, s->end) ||
		thread_header_read(&header, line.data, s->end));
}

/* Whether a part of a thread is in the line, but does not begin it: after a log's prefix that is not known. A frame
 * counts only where a thread's text just broke off, as logs have frames of exceptions too. */
static bool
hides_thread(const struct dump_scan *s, struct stk_text line)
{
	const char *quote = memchr(line.data, '"', line.size), *frame = text_find(line, "\tat ");

	if (quote != NULL && quote > line.data && text_find(line, " tid=0x") > quote && text_find(line, " nid=") > quote)
		return true;
	if (text_find(line, java_state_words) > line.data)
		return true;
	return frame > line.data && s->in_dump && s->noise.from == NULL && text_ends(trimmed(line), ")");
}

static void
take_unknown_line(struct dump_scan *s, struct stk_text line)
{
	if (take_hidden_head(s, line))
		return;
	if (*line.data == '"' && is_header_cut(s, line)) {
		dump_scan_flush_noise(s);
		found_skipped(s->findings, s->line, line, 1, SKIP_CUT, "the text ends in a thread's header");
	} else if (*line.data == '"' && is_broken_header(line, s->end)) {
		take_broken_header(s, line);
		return;
	} else if (hides_thread(s, line)) {
		dump_scan_flush_noise(s);
		found_skipped(s->findings, s->line, line, 1, SKIP_BROKEN,
			      "a part of a thread after other text, such as a log's prefix that is not known");
	} else {
		dump_scan_add_noise(s, line);
	}
	dump_scan_pass_line(s, line);
}

/* The threads of a deadlock are separate since JDK 9, and so is the metaspace under Shenandoah. */
static bool
goes_on_behind_blank(const struct dump_scan *s, struct stk_text line)
{
	return s->place == IN_RING || (s->place == IN_HEAP && text_starts(line_after(line, s->end), " Metaspace"));
}

/* The line is taken as if the text ended where the date begins. */
static void
take_joined_line(struct dump_scan *s, struct stk_text line, int64_t date)
{
	const char *end = s->end;

	s->end = line.data + line.size - CIVIL_MOMENT_SIZE;
	if (!dump_line_may_be_header(s->at) || !dump_section_take(s))
		dump_between_take(s);
	s->end = end;
	dump_scan_settle(s);
	s->date = date;
	s->date_line = s->line;
	dump_scan_pass_line(s, line);
}

void
dump_between_take(struct dump_scan *s)
{
	struct stk_text line = line_at(s->at, s->end);
	int64_t date;

	if (line.size > INGEST_LINE_MAX) {
		take_long_line(s, line);
	} else if (trimmed(line).size == 0) {
		if (!goes_on_behind_blank(s, line))
			dump_scan_leave_place(s);
		dump_scan_pass_line(s, line);
	} else if (dump_line_ends_in_date(line, s->end, &date)) {
		take_joined_line(s, line, date);
	} else if (!take_placed_line(s, line) && !take_known_line(s, line)) {
		take_unknown_line(s, line);
	}
}
