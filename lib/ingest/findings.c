/* SPDX-License-Identifier: MIT
 * findings: the list of what a scanner found. */
#include "ingest/ingest.h"

#include "base/event_line.h"
#include "base/memory.h"
#include "ingest/text_lines.h"

#include <stdlib.h>

struct finding *
found(struct findings *findings, enum finding_kind kind, uint32_t line)
{
	struct finding *finding = array_push(&findings->list);

	memset(finding, 0, sizeof *finding);
	finding->kind = kind;
	finding->line = line;
	return finding;
}

void
found_skipped(struct findings *findings, uint32_t line, struct stk_text text, uint32_t lines, enum skip_reason reason,
	      const char *why)
{
	struct finding *finding = found(findings, FOUND_SKIPPED, line);

	finding->is.skipped.text = text;
	finding->is.skipped.lines = lines;
	finding->is.skipped.reason = reason;
	finding->is.skipped.why = why;
}

void
found_event(struct finding *finding, const struct event_line *line)
{
	finding->is.event.thread = line->thread;
	finding->is.event.name = line->event.name;
	finding->is.event.stack = line->stack;
	finding->is.event.process = line->process;
	finding->is.event.values = line->event.values;
	finding->is.event.processor = (int32_t)line->event.processor;
	finding->is.event.happening = line->event.happening;
	finding->is.event.value = line->event.value;
	finding->is.event.activity = line->event.activity;
	finding->is.event.time_ns = line->event.time;
	finding->is.event.zoned = line->zoned;
}

/* A byte a line: 1 when it is within what was skipped. To free. */
static unsigned char *
mark_skipped(const struct findings *findings)
{
	unsigned char *marks = mem_new(findings->lines + 1, 1);

	for (size_t i = 0; i < findings->list.count; i++) {
		const struct finding *at = &findings->list.at[i];
		uint32_t lines = at->kind == FOUND_SKIPPED ? at->is.skipped.lines : 0;

		if (at->line < findings->lines)
			memset(marks + at->line, 1,
			       lines < findings->lines - at->line ? lines : findings->lines - at->line);
	}
	return marks;
}

uint32_t
findings_blank_lines(const struct findings *findings, struct stk_text piece)
{
	unsigned char *skipped = mark_skipped(findings);
	const char *end = piece.data + piece.size, *next;
	uint32_t line = 0, blank = 0;

	for (const char *at = piece.data; at < end && line < findings->lines; at = next + 1, line++) {
		next = scan_line_end(at, end);
		blank += trimmed(between(at, next)).size == 0 && skipped[line] == 0;
	}
	free(skipped);
	return blank;
}

void
findings_release(struct findings *findings)
{
	array_release(&findings->list);
	free(findings->memory);
	findings->memory = NULL;
}
