/* SPDX-License-Identifier: MIT
 * go_heap: profiles of Go and gperftools as text that weigh stacks: /debug/pprof/heap?debug=1 and allocs, block, mutex.
 *
 *	heap profile: 1: 6144 [3: 18432] @ heap/1048576		--- mutex:
 *	1: 6144 [3: 18432] @ 0x4a1b2c 0x4a1aaa			cycles/second=1996800000
 *	#	0x4a1b2b	main.work+0x4b	/src/main.go:12		sampling period=5
 *								95814 2 @ 0x4a1b2c 0x4a1aaa
 *
 * What was sampled is scaled up to what there was, as pprof does: a block of a heap is sampled with a chance that grows
 * with its size. The events are those that pprof gives them. A profile is held whole: its head has the scale. */
#include "ingest/go_record.h"
#include "ingest/weighed_record.h"

static void
add_value(struct findings *findings, uint32_t number, const struct heap_record *record, const char *event,
	  uint64_t value)
{
	struct found_sample sample = { .time_ns = STK_TIME_UNKNOWN, .processor = PROCESSOR_UNKNOWN, .weight = value,
				       .stack = record->stack, .event = text_from(event) };

	if (value == 0)
		return;
	sample.hash = scan_hash(sample.stack);
	found(findings, FOUND_SAMPLE, number)->is.sample = sample;
}

static void
add_record(struct findings *findings, uint32_t number, const struct heap_record *record, const struct heap_scale *scale,
	   bool leading)
{
	for (enum heap_value v = 0; v < HEAP_VALUES; v++)
		if ((v == heap_leading(scale)) == leading)
			add_value(findings, number, record, heap_event(scale, v), record->values[v]);
}

/* Adds the leading value of each record, or all others, and then what is no record. */
static void
scan_values(struct findings *findings, struct stk_text piece, bool leading)
{
	const char *end = piece.data + piece.size;
	struct heap_scale scale = { 0 };
	struct stk_text next, labels;
	struct heap_record record;
	uint32_t number = 0;

	for (struct stk_text line = line_at(piece.data, end); line.data < end; line = next, number++) {
		struct stk_text text = trimmed(line);

		next = line_after(line, end);
		if (is_heap_record(text, &scale, &record)) {
			uint32_t lines = go_record_lines(leading ? NULL : findings, number, &record.stack, line,
							 &labels, end);

			heap_record_scale(&scale, &record);
			add_record(findings, number, &record, &scale, leading);
			next = line_after(line_at(record.stack.data + record.stack.size, end), end);
			number += lines;
		} else if (!is_heap_scale_head(text, &scale) && !is_heap_setting(text, &scale) && !leading) {
			go_skip_line(findings, number, text);
		}
	}
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	scan_values(findings, piece, true);
	scan_values(findings, piece, false);
	findings->lines = scan_count_lines(piece.data, piece.data + piece.size);
}

/* --- the beginning and the end of a file --- */

/* The first head with a record or a setting below it, from a line on; NULL. */
static const char *
find_from(const char *at, const char *end)
{
	for (struct stk_text line = line_at(at, end); line.data < end; line = line_after(line, end)) {
		struct stk_text below = trimmed(line_after(line, end));
		struct heap_scale scale;
		struct heap_record record;

		if (is_heap_scale_head(trimmed(line), &scale) &&
		    (is_heap_record(below, &scale, &record) || is_heap_setting(below, &scale)))
			return line.data;
	}
	return NULL;
}

static const char *
find(struct stk_text text)
{
	return find_from(text.data, text.data + text.size);
}

/* What precedes the last head. */
static size_t
cut(struct stk_text text)
{
	const char *last = NULL, *end = text.data + text.size, *next = find(text);

	while (next != NULL) {
		last = next;
		next = find_from(scan_line_end(last, end), end);
	}
	return last != NULL ? (size_t)(last - text.data) : 0;
}

static int
recognise(struct stk_text text)
{
	return find(text) != NULL ? 90 : 0;
}

const struct text_format go_heap_format = {
	.name = "go-heap",
	.about = "text profiles of Go that weigh stacks: heap?debug=1, allocs, block, mutex; of gperftools",
	.shown_by = "\"heap profile: N: B [N: B] @ heap/RATE\", or \"--- mutex:\", above records",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_NATIVE,
	.ends_at_section = true,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.scan = scan_piece,
	.read_stack = go_read_stack,
	.read_frame = go_read_frame
};
