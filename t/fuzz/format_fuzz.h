/* SPDX-License-Identifier: MIT
 * format_fuzz: what a text format must bear: recognise, cut, scan and read_frame of any bytes, in memory of exactly
 * their size. */
#ifndef T_FUZZ_FORMAT_FUZZ_H
#define T_FUZZ_FORMAT_FUZZ_H

#include "ingest/ingest.h"
#include "ingest/scan_text.h"
#include "ingest/weighed_record.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static inline void
must(bool fact)
{
	if (!fact)
		abort();
}

static inline void
must_lie_within(struct stk_text part, struct stk_text whole)
{
	must(part.size == 0 || (part.data >= whole.data && part.data + part.size <= whole.data + whole.size));
}

static inline void
check_frames(const struct text_format *format, struct stk_text text)
{
	const char *end = text.data + text.size;
	const char *next;

	for (const char *at = text.data; at < end; at = next + (next < end)) {
		struct frame_parts parts = { .form = STK_FORM_PLAIN };	/* the rest empty, as in collect_stacks.c */

		next = scan_line_end(at, end);
		if (!format->read_frame(&parts, text_of(at, (size_t)(next - at))))
			continue;
		if (!text_is(parts.function, "[unknown]"))	/* may be no text of the line's */
			must_lie_within(parts.function, text);
		must_lie_within(parts.module, text);
		must_lie_within(parts.file, text);
	}
}

/* An event that the text does not name: of a native stack, or of a value of a heap. */
static inline bool
is_own_event(struct stk_text event)
{
	struct heap_scale heap = { .contention = false }, contention = { .contention = true };
	bool is_of_heap = false;

	for (enum heap_value v = 0; v < HEAP_VALUES; v++)
		is_of_heap |= text_is(event, heap_event(&heap, v)) || text_is(event, heap_event(&contention, v));
	return is_of_heap || text_is(event, "native");
}

static inline void
check_event(const struct text_format *format, const struct finding *finding, struct stk_text text)
{
	struct text_buffer values = { 0 };

	must_lie_within(finding->is.event.thread, text);
	must_lie_within(finding->is.event.name, text);
	must_lie_within(finding->is.event.stack, text);
	must_lie_within(finding->is.event.values, text);
	if (format->read_values != NULL)
		format->read_values(&values, finding->is.event.name, finding->is.event.values);
	array_release(&values);
}

static inline void
check_finding(const struct text_format *format, const struct finding *finding, struct stk_text text)
{
	if (finding->kind == FOUND_EVENT)
		check_event(format, finding, text);
	if (finding->kind == FOUND_SKIPPED)
		must_lie_within(finding->is.skipped.text, text);
	if (finding->kind == FOUND_CAPTURE)
		must_lie_within(finding->is.capture.host, text);
	if (finding->kind != FOUND_SAMPLE)
		return;
	must_lie_within(finding->is.sample.stack, text);
	if (!text_is(finding->is.sample.name, "goroutine"))	/* of records without the head of their profile */
		must_lie_within(finding->is.sample.name, text);
	if (!is_own_event(finding->is.sample.event))
		must_lie_within(finding->is.sample.event, text);
	must(finding->is.sample.leaf_size <= finding->is.sample.stack.size);
}

static inline int
format_fuzz(const struct text_format *format, const uint8_t *bytes, size_t size)
{
	struct findings findings = { .choice = { size % 2 != 0, size % 3 == 0, size % 5 == 0 } };
	uint64_t skipped = 0;
	char *copy = malloc(size > 0 ? size : 1);
	struct stk_text text = text_of(copy, size);
	const char *at;
	int sure;

	if (size > 0)
		memcpy(copy, bytes, size);
	sure = format->recognise(text);
	must(sure >= 0 && sure <= 100);
	must(format->cut(text) <= size);
	if (format->find != NULL && (at = format->find(text)) != NULL)
		must(at >= copy && at < copy + size && (at == copy || at[-1] == '\n'));
	format->scan(&findings, text);
	must(findings.lines == scan_count_lines(copy, copy + size));
	for (size_t i = 0; i < findings.list.count; i++) {
		check_finding(format, &findings.list.at[i], text);
		must(findings.list.at[i].line <= findings.lines);
		if (findings.list.at[i].kind == FOUND_SKIPPED)
			skipped += findings.list.at[i].is.skipped.lines;
	}
	must(skipped + findings_blank_lines(&findings, text) <= (uint64_t)findings.lines + 1);
	check_frames(format, text);
	findings_release(&findings);
	free(copy);
	return 0;
}

#endif
