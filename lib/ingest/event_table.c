/* SPDX-License-Identifier: MIT
 * event_table: events as lines, see event_line.h; instrumentation that is not samples. */
#include "ingest/folded.h"
#include "ingest/metric_lines.h"
#include "ingest/scan_text.h"

#include "base/event_line.h"
#include "base/event_values.h"
#include "ingest/text_lines.h"

#define LINES_ASKED 20
#define HEADING     "time\tthread\thappening"

static void
scan(struct findings *findings, struct stk_text piece)
{
	const char *end = piece.data + piece.size, *next;
	uint32_t number = 0;

	for (const char *at = piece.data; at < end; at = next + (next < end)) {
		struct event_line read;
		int got;

		next = scan_line_end(at, end);
		got = event_line_read(between(at, next), NULL, &read);
		if (got > 0)
			found_event(found(findings, FOUND_EVENT, number), &read);
		if (got > 0 && event_values_too_large(read.event.values) > 0)
			found_skipped(findings, number, read.event.values, 1, SKIP_BROKEN,
				      "a value is too large to be summed: its event counts without it");
		else if (got < 0)
			found_skipped(findings, number, between(at, next), 1, SKIP_BROKEN,
				      "an event is a time, a thread, a happening and a name, with tabs between");
		number += next < end;
	}
	findings->lines = number;
}

static int
recognise(struct stk_text text)
{
	const char *end = text.data + text.size, *next;
	unsigned good = 0, bad = 0, lines = 0;

	for (const char *at = text.data; at < end && lines < LINES_ASKED; at = next + (next < end)) {
		struct event_line read;
		int got;

		next = scan_line_end(at, end);
		if (next == end && lines > 0)
			break;			/* it may go on */
		if (at == text.data && text_starts(text, HEADING))
			return 96;		/* its header says so */
		got = event_line_read(between(at, next), NULL, &read);
		lines += got != 0;
		good += got > 0;
		bad += got < 0;
	}
	return good > 0 && good > 3 * bad ? 93 : 0;
}

/* An event, or the heading of its columns. */
static bool
is_certain(struct stk_text line)
{
	struct event_line unused;

	return line.size > 0 && *line.data != '\t' && memchr(line.data, '\t', line.size) != NULL &&
	       (event_line_read(line, NULL, &unused) > 0 || text_starts(line, HEADING));
}

static const char *
find(struct stk_text text)
{
	return metric_find(text, is_certain);
}

const struct text_format event_table_format = {
	.name = "events",
	.about = "lines of time, thread, happening (point, start, stop, switch-out, switch-in), name, value, activity, stack, "
		 "processor, process and values, with tabs between",
	.shown_by = "lines of a time, a thread and one of these words",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_UNKNOWN,
	.ends_at_section = true,
	.recognise = recognise,
	.find = find,
	.cut = metric_cut,
	.cut_tail = metric_cut,
	.scan = scan,
	.read_stack = folded_read_stack,
	.read_frame = folded_read_frame
};
