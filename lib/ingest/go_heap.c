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

#include <math.h>

#define HEAP       "heap profile: "
#define CONTENTION "--- "
#define CYCLES     "cycles/second"
#define PERIOD     "sampling period"

enum heap_value { INUSE_OBJECTS, INUSE_SPACE, ALLOC_OBJECTS, ALLOC_SPACE, HEAP_VALUES };

struct scale {
	bool contention;
	double rate;			/* bytes from one sample of the heap to the next; 0: all blocks are there */
	uint64_t cycles, period;	/* of contention, a second and a sample */
};

struct record { uint64_t values[HEAP_VALUES]; struct stk_text stack; };	/* of contention: cycles, count */

/* --- heads --- */

/* "1: 6144 [3: 18432] " at *at, which moves past it. */
static bool
take_four(const char **at, const char *end, uint64_t values[HEAP_VALUES])
{
	static const char *const between_them[] = { ": ", " [", ": ", "] " };

	for (unsigned v = 0; v < HEAP_VALUES; v++) {
		size_t size = strlen(between_them[v]);

		while (*at < end && **at == ' ')
			++*at;
		if (!scan_decimal(at, end, &values[v]) || (size_t)(end - *at) < size ||
		    memcmp(*at, between_them[v], size) != 0)
			return false;
		*at += size;
	}
	return true;
}

/* Go writes twice the rate after "heap/". */
static bool
is_heap_head(struct stk_text line, struct scale *scale)
{
	static const struct { const char *name; double times; } kinds[] = { { "@ heap/", 0.5 }, { "@ heapz_v2/", 1 },
									    { "@ heap_v2/", 1 } };
	const char *at = line.data + strlen(HEAP), *end = line.data + line.size;
	uint64_t values[HEAP_VALUES], rate;

	if (!text_starts(line, HEAP) || !take_four(&at, end, values))
		return false;
	*scale = (struct scale){ 0 };
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct stk_text rest = between(at, end);

		if (!text_starts(rest, kinds[k].name))
			continue;
		at += strlen(kinds[k].name);
		if (!scan_decimal(&at, end, &rate) || at != end)
			return false;
		scale->rate = (double)rate * kinds[k].times;
		return true;
	}
	return text_is(between(at, end), "@ heapprofile");
}

static bool
is_contention_head(struct stk_text line, struct scale *scale)
{
	static const char *const heads[] = { "--- mutex:", "--- contention:", "--- contentionz " };
	bool is = text_is(line, heads[0]) || text_is(line, heads[1]) || text_starts(line, heads[2]);

	if (is)
		*scale = (struct scale){ .contention = true, .cycles = 1000000000, .period = 1 };
	return is;
}

static bool
is_head(struct stk_text line, struct scale *scale)
{
	return is_heap_head(line, scale) || is_contention_head(line, scale);
}

/* "cycles/second=1996800000", "sampling period = 5". */
static bool
is_setting(struct stk_text line, struct scale *scale)
{
	const char *equals = line.size > 0 ? memchr(line.data, '=', line.size) : NULL, *end = line.data + line.size;
	struct stk_text name;
	uint64_t value;

	if (!scale->contention || equals == NULL)
		return false;
	name = trimmed(between(line.data, equals));
	equals = unindented(between(equals + 1, end)).data;
	if (!scan_decimal(&equals, end, &value) || equals != end)
		return false;
	if (text_is(name, CYCLES) && value > 0)
		scale->cycles = value;
	else if (text_is(name, PERIOD) && value > 0)
		scale->period = value;
	return true;
}

/* --- records --- */

static bool
is_record(struct stk_text line, const struct scale *scale, struct record *record)
{
	const char *at = unindented(line).data, *end = line.data + line.size;

	*record = (struct record){ 0 };
	if (!scale->contention) {
		if (!take_four(&at, end, record->values))
			return false;
	} else if (!scan_decimal(&at, end, &record->values[0]) || at == end || *at++ != ' ' ||
		   !scan_decimal(&at, end, &record->values[1]) || at == end || *at++ != ' ') {
		return false;
	}
	record->stack = between(at, end);
	return text_is(record->stack, "@") || text_starts(record->stack, "@ 0x");
}

/* How many times a value of blocks of this mean size is to be counted. */
static double
heap_times(const struct scale *scale, uint64_t objects, uint64_t bytes)
{
	if (scale->rate <= 1 || objects == 0 || bytes == 0)
		return 1;
	return 1 / -expm1(-((double)bytes / (double)objects) / scale->rate);
}

static uint64_t
rounded(double value)
{
	return value < 0x1p62 ? (uint64_t)value : UINT64_C(1) << 62;
}

static void
scale_record(const struct scale *scale, struct record *record)
{
	uint64_t *v = record->values;

	if (scale->contention) {
		v[0] = rounded((double)v[0] * (double)scale->period * 1e9 / (double)scale->cycles);
		v[1] = rounded((double)v[1] * (double)scale->period);
		return;
	}
	for (unsigned i = 0; i < HEAP_VALUES; i += 2) {
		double times = heap_times(scale, v[i], v[i + 1]);

		v[i] = rounded((double)v[i] * times);
		v[i + 1] = rounded((double)v[i + 1] * times);
	}
}

static void
add_value(struct findings *findings, uint32_t number, const struct record *record, const char *event, uint64_t value)
{
	struct found_sample sample = { .time_ns = STK_TIME_UNKNOWN, .processor = PROCESSOR_UNKNOWN, .weight = value,
				       .stack = record->stack, .event = text_from(event) };

	if (value == 0)
		return;
	sample.hash = scan_hash(sample.stack);
	found(findings, FOUND_SAMPLE, number)->is.sample = sample;
}

/* The first event of a stream is what is counted unless another is asked for: what is in use, and delays. */
static void
add_record(struct findings *findings, uint32_t number, const struct record *record, bool contention, bool leading)
{
	static const char *const events[HEAP_VALUES] = { "inuse_objects", "inuse_space/bytes", "alloc_objects",
							 "alloc_space/bytes" };

	if (contention) {
		add_value(findings, number, record, leading ? "delay/nanoseconds" : "contentions",
			  record->values[leading ? 0 : 1]);
		return;
	}
	for (unsigned v = 0; v < HEAP_VALUES; v++)
		if ((v == INUSE_SPACE) == leading)
			add_value(findings, number, record, events[v], record->values[v]);
}

/* Adds the leading value of each record, or all others, and then what is no record. */
static void
scan_values(struct findings *findings, struct stk_text piece, bool leading)
{
	const char *end = piece.data + piece.size;
	struct scale scale = { 0 };
	struct stk_text next, labels;
	struct record record;
	uint32_t number = 0;

	for (struct stk_text line = line_at(piece.data, end); line.data < end; line = next, number++) {
		struct stk_text text = trimmed(line);

		next = line_after(line, end);
		if (is_record(text, &scale, &record)) {
			uint32_t lines = go_record_lines(&record.stack, line, &labels, end);

			scale_record(&scale, &record);
			add_record(findings, number, &record, scale.contention, leading);
			next = line_after(line_at(record.stack.data + record.stack.size, end), end);
			number += lines;
		} else if (!is_head(text, &scale) && !is_setting(text, &scale) && !leading) {
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
		struct scale scale;
		struct record record;

		if (is_head(trimmed(line), &scale) && (is_record(below, &scale, &record) || is_setting(below, &scale)))
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
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.scan = scan_piece,
	.read_stack = go_read_stack,
	.read_frame = go_read_frame
};
