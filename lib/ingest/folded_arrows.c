/* SPDX-License-Identifier: MIT
 * folded_arrows: folded stacks with arrows between frames, root first: "main -> sell -> read 12". As texts of other
 * kinds have arrows too, all lines must have counts, and one of them more than two frames. */
#include "ingest/folded.h"
#include "ingest/log_line.h"
#include "ingest/text_lines.h"

#define ARROW "->"

/* The next arrow that is not an operator of C++, or NULL. */
static const char *
next_arrow(const char *at, const char *end)
{
	static const char word[] = "operator";
	const char *arrow = at;

	while (arrow < end && (arrow = memmem(arrow, (size_t)(end - arrow), ARROW, strlen(ARROW))) != NULL) {
		if ((size_t)(arrow - at) < strlen(word) ||
		    memcmp(arrow - strlen(word), word, strlen(word)) != 0)
			return arrow;
		arrow += strlen(ARROW);
	}
	return NULL;
}

static void
read_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size, *arrow;

	stack_is_root_first(reading);
	for (const char *at = stack.data; ; at = arrow + strlen(ARROW)) {
		arrow = next_arrow(at, end);
		stack_frame(reading, trimmed(unindented(between(at, arrow != NULL ? arrow : end))));
		if (arrow == NULL)
			break;
	}
}

static bool
has_blank(struct stk_text text)
{
	return text.size > 0 &&
	       (memchr(text.data, ' ', text.size) != NULL || memchr(text.data, '\t', text.size) != NULL);
}

static bool
ends_in_count(struct stk_text line)
{
	const char *blank = line.size > 0 ? memrchr(line.data, ' ', line.size) : NULL,
		   *tab = line.size > 0 ? memrchr(line.data, '\t', line.size) : NULL;
	const char *at = tab == NULL || (blank != NULL && blank > tab) ? blank : tab, *end = line.data + line.size;
	uint64_t count;

	if (at == NULL)
		return false;
	at++;
	return scan_decimal(&at, end, &count) && (at == end || *at == '.' || (*at | 0x20) == 'e');
}

/* What would become a stack of one frame. */
static bool
take_other(struct findings *findings, uint32_t number, struct stk_text line)
{
	struct stk_text text = trimmed(line);
	bool counted, has_arrow;

	if (text.size == 0 || text.size > INGEST_LINE_MAX)
		return false;
	counted = ends_in_count(text);
	has_arrow = next_arrow(text.data, text.data + text.size) != NULL;
	if (has_arrow ? counted : !counted || memchr(text.data, ';', text.size) == NULL)
		return false;
	found_skipped(findings, number, line, 1, SKIP_BROKEN,
		      has_arrow ? "a stack without a count" : "a stack with ; between its frames, not arrows");
	return true;
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	folded_scan(findings, piece, take_other, true);
}

bool
folded_has_arrows(struct stk_text stack, unsigned least)
{
	const char *end = stack.data + stack.size, *at = stack.data;

	for (; least > 0 && (at = next_arrow(at, end)) != NULL; least--)
		at += strlen(ARROW);
	return least == 0;
}

#define FIND_LINES 3	/* one after the other: a log may have an arrow and a number in a line */

/* A line with a count, arrows and no `;`, which does not begin as a log's does. */
static bool
is_stack(struct stk_text line)
{
	return line.size > 0 && *line.data != ' ' && *line.data != '\t' && ends_in_count(trimmed(line)) &&
	       next_arrow(line.data, line.data + line.size) != NULL && memchr(line.data, ';', line.size) == NULL &&
	       !log_line_is(line);
}

/* Of more than two frames, none of which has a blank: it counts for two. */
static bool
is_deep(struct stk_text line)
{
	const char *at = line.data, *end, *arrow;
	unsigned frames = 1;

	line = trimmed(line);
	for (end = line.data + line.size; end > at && end[-1] != ' ' && end[-1] != '\t';)
		end--;
	for (; (arrow = next_arrow(at, end)) != NULL; at = arrow + strlen(ARROW), frames++)
		if (has_blank(trimmed(unindented(between(at, arrow)))))
			return false;
	return frames > 2 && !has_blank(trimmed(unindented(between(at, end))));
}

static const char *
find(struct stk_text text)
{
	const char *at = text.data, *end = text.data + text.size, *first = NULL;
	unsigned count = 0;

	for (const char *arrow; count < FIND_LINES && (arrow = text_find(between(at, end), ARROW)) != NULL;) {
		const char *from = line_start(at, arrow);
		struct stk_text line = line_at(from, end);

		count = !is_stack(line) ? 0 : from == at ? count + 1 : 1;
		first = count == 1 ? from : first;
		count += count > 0 && is_deep(line);
		at = line_after(line, end).data;
	}
	return count >= FIND_LINES ? first : NULL;
}

static int
recognise(struct stk_text text)
{
	const char *at = text.data, *end = text.data + text.size;
	uint32_t lines = 0, with_arrows = 0, deep = 0, unused = 0;

	while (at < end) {
		struct stk_text line = take_next_line(&at, end, &unused);
		const char *arrow, *line_end = line.data + line.size;

		if (line.size == 0 || *line.data == '#')
			continue;
		if (at == end && lines > 0 && end[-1] != '\n')
			break;	/* may be cut off */
		if (!ends_in_count(line) || memchr(line.data, ';', line.size) != NULL)
			return 0;
		lines++;
		arrow = next_arrow(line.data, line_end);
		with_arrows += arrow != NULL;
		deep += arrow != NULL && next_arrow(arrow + strlen(ARROW), line_end) != NULL;
	}
	return deep > 0 && with_arrows > lines / 2 ? 50 : 0;
}

const struct text_format folded_arrows_format = {
	.name = "folded-arrows",
	.about = "one stack a line, root first, with arrows: frame -> frame -> frame COUNT",
	.shown_by = "lines of frames with -> between, all of which have a count at the end",
	.clock = STK_CLOCK_UNKNOWN,
	.runtime = STK_RUNTIME_UNKNOWN,
	.ends_at_section = true,
	.recognise = recognise,
	.find = find,
	.cut = whole_lines_size,
	.cut_tail = whole_lines_size,
	.scan = scan_piece,
	.read_stack = read_stack,
	.read_frame = folded_read_frame
};
