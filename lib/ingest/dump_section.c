/* SPDX-License-Identifier: MIT
 * dump_section: a section that the dump before had as well is recalled, not read. Where it is read, lines of others
 * within it are reported, and what they cut is left out. */
#include "ingest/dump_section.h"

#include "ingest/calm_lines.h"
#include "ingest/civil_moment.h"
#include "ingest/dump_line_kind.h"
#include "ingest/dump_sample.h"
#include "ingest/java_stack.h"
#include "ingest/section_memory.h"
#include "ingest/text_lines.h"
#include "ingest/thread_header.h"

/* A body with foreign lines in it: where it ends, and where the section ends. */
struct body {
	const char *end;	/* of what is the thread's */
	const char *stop;	/* the newline before what follows the section, or the end of the text */
	uint32_t lines;		/* newlines from the header's start to stop */
};

/* Whether the line that is not indented belongs to what follows a section. */
static bool
ends_section(struct stk_text line, const char *end)
{
	struct thread_header header;
	enum line_kind kind;

	if (dump_line_may_be_header(line.data) && thread_header_read(&header, line.data, end))
		return true;
	if (*line.data == '"')
		return text_ends(trimmed(line), "\":");
	kind = dump_line_kind(line, end);
	return kind != LINE_FOREIGN && kind != LINE_OF_STACK;
}

static bool
is_foreign(struct stk_text line, const char *end)
{
	return line.size > 0 && (unsigned char)*line.data > ' ' && !ends_section(line, end) &&
	       dump_line_kind(line, end) != LINE_OF_STACK;
}

/* The last of the foreign lines that follow each other from `line` on. */
static struct stk_text
last_foreign(struct stk_text line, const char *end, uint32_t *lines)
{
	struct stk_text next;

	for (*lines = 1; is_foreign(next = line_after(line, end), end); line = next)
		++*lines;
	return line;
}

/* Whether what follows foreign lines continues the section they are in. A frame after an empty line does not: it
 * belongs to an exception. */
static bool
goes_on(struct stk_text next, const char *end, bool behind_blank)
{
	if (!behind_blank && next.size == 0)
		next = line_after(next, end);
	else if (!behind_blank)
		return *next.data == '\t' || *next.data == ' ' || dump_line_kind(next, end) == LINE_OF_STACK;
	return text_starts(unindented(next), java_owned_words);
}

static bool
names_exception(struct stk_text text)
{
	return text_find(text, "Exception") != NULL || text_find(text, "Error") != NULL ||
	       text_find(text, "Throwable") != NULL;
}

/* An exception was printed in the middle of the stack: the frames of the two cannot be separated, so all up to the next
 * line that is not indented are dropped. */
static void
drop_frames(struct dump_scan *s, struct body *body, struct stk_text first, struct stk_text last)
{
	uint32_t before = body->lines + 1;

	body->lines = before + scan_count_lines(first.data, last.data + last.size);
	body->stop = calm_lines_end(last.data + last.size, s->end, &body->lines);
	found_skipped(s->findings, s->line + before, trimmed(between(first.data, body->stop)),
		      1 + scan_count_lines(first.data, first.data + trimmed(between(first.data, body->stop)).size),
		      SKIP_BROKEN, "an exception in the middle of a thread's stack");
}

/* One run of lines that are not indented, at body->stop. True when the section continues after it. */
static bool
pass_odd_lines(struct dump_scan *s, struct body *body)
{
	struct stk_text first = line_at(body->stop + 1, s->end), last;
	bool behind_blank = body->stop[-1] == '\n';
	uint32_t lines;

	if (ends_section(first, s->end))
		return false;
	if (dump_line_kind(first, s->end) == LINE_OF_STACK) {
		body->lines++;
		body->stop = calm_lines_end(first.data + first.size, s->end, &body->lines);
		return true;
	}
	last = last_foreign(first, s->end, &lines);
	if (last.data + last.size == s->end || !goes_on(line_after(last, s->end), s->end, behind_blank))
		return false;
	if (!behind_blank && names_exception(between(first.data, last.data + last.size))) {
		if (body->end == NULL)
			body->end = body->stop;
		drop_frames(s, body, first, last);
		return true;
	}
	found_skipped(s->findings, s->line + body->lines + 1, between(first.data, last.data + last.size), lines,
		      SKIP_NOISE, "within a thread's stack");
	body->lines += lines;
	body->stop = calm_lines_end(last.data + last.size, s->end, &body->lines);
	return true;
}

/* Whether a line without a newline at the end of the text is all there. */
static bool
is_whole(struct stk_text line)
{
	struct stk_text words = unindented(trimmed(line));

	if (words.size == 0)
		return true;
	if (strchr(")>:]", words.data[words.size - 1]) != NULL && words.data[words.size - 1] != '\0')
		return true;
	return text_is(words, "- None") || text_is(words, "No compile task") ||
	       text_is(words, "java.lang.Thread.State: RUNNABLE") || text_is(words, "java.lang.Thread.State: NEW") ||
	       text_is(words, "java.lang.Thread.State: TERMINATED");
}

/* Removes a last line that was cut by the end of the text, or by the date of the next dump. */
static struct stk_text
without_cut_line(struct dump_scan *s, struct stk_text text, const struct body *body)
{
	const char *end = text.data + text.size;
	const char *line = text.size > 0 ? line_start(text.data, end) : end;
	bool may_be_cut = body->stop == s->end && body->end == s->end && end == s->end;

	if (dump_line_ends_in_date(between(line, end), s->end, &s->date)) {
		s->date_line = s->line + body->lines;
		end -= CIVIL_MOMENT_SIZE;
		may_be_cut = true;
	}
	if (!may_be_cut || is_whole(between(line, end)))
		return between(text.data, end);
	found_skipped(s->findings, s->line + body->lines, between(line, end), 1, SKIP_CUT,
		      "a thread's stack that was cut");
	return trimmed(between(text.data, line));
}

static struct stk_text
without_long_end(struct dump_scan *s, struct stk_text text, const struct thread_header *header)
{
	const char *end;

	if (text.size <= INGEST_SECTION_MAX)
		return text;
	end = line_start(text.data, text.data + INGEST_SECTION_MAX);
	found_skipped(s->findings, s->line + header->lines + 1 + scan_count_lines(text.data, end),
		      between(end, text.data + text.size), scan_count_lines(end, text.data + text.size) + 1,
		      SKIP_TOO_LONG, "a thread's stack that is too long");
	return trimmed(between(text.data, end));
}

/* Whether the text ends in the header. It may be complete: only its last characters can tell. */
static bool
is_cut_header(const struct thread_header *header, const char *end)
{
	return header->end == end && header->state == STK_STATE_UNKNOWN && end[-1] != ']' && end[-1] != ' ' &&
	       !text_is(header->condition, "runnable") && !text_is(header->condition, "waiting on condition");
}

/* The stack of a thread that had the same one in the dump before. */
static bool
take_known_stack(struct dump_scan *s, const struct known_section *known, const struct thread_header *header,
		 struct found_sample *sample)
{
	const char *next;
	uint32_t lines;

	if (!known_stack(known, header, s->end, &sample->stack, &sample->hash, &next, &lines))
		return false;
	sample->role = dump_sample_role(header, sample->stack.size > 0);
	s->line += lines;
	s->at = next;
	return true;
}

bool
dump_section_take(struct dump_scan *s)
{
	struct known_section *known =
		s->findings->memory != NULL ? section_memory_find(s->findings->memory, s->at, s->end) : NULL;
	struct thread_header header;
	struct body body = { 0 };
	struct stk_text text;
	size_t finding;
	int64_t date;

	if (known == NULL || !known_header(known, &header, s->at, s->end)) {
		if (!thread_header_read(&header, s->at, s->end) || header.name.size > INGEST_LINE_MAX ||
		    is_cut_header(&header, s->end))
			return false;
		if (known != NULL)
			known_learn_header(known, s->at, &header);
	}
	if (dump_line_ends_in_date(between(s->at, header.end), s->end, &date))
		return false;
	if (s->noise.from != NULL || s->place != AMONG_THREADS || s->over)
		dump_scan_settle(s);
	finding = s->findings->list.count;
	dump_sample_fill(&found(s->findings, FOUND_SAMPLE, s->line)->is.sample, &header);
	if (known != NULL && take_known_stack(s, known, &header, &s->findings->list.at[finding].is.sample))
		return s->in_dump = true;
	body.lines = header.lines;
	body.stop = calm_lines_end(header.end, s->end, &body.lines);
	while (body.stop < s->end && !(body.stop[1] == '"' && body.stop[-1] == '\n') && pass_odd_lines(s, &body))
		;
	if (body.end == NULL)
		body.end = body.stop;
	text = trimmed(between(header.end + 1, body.end));
	if (body.stop == s->end || body.stop[1] == 'F' || body.stop[1] == 'T')
		text = without_cut_line(s, text, &body);
	dump_sample_fill_stack(s, finding, &header, without_long_end(s, text, &header));
	s->line += body.lines + (body.stop < s->end);
	s->at = body.stop < s->end ? body.stop + 1 : s->end;
	if (known != NULL && s->findings->list.count == finding + 1 && s->at < s->end && *s->at == '"')
		known_learn_stack(known, &header, &s->findings->list.at[finding].is.sample, s->at, body.lines + 1);
	return s->in_dump = true;
}
