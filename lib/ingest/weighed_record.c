/* SPDX-License-Identifier: MIT
 * weighed_record: heads, settings and records of text profiles that weigh stacks. */
#include "ingest/weighed_record.h"

#include "ingest/text_lines.h"

#include <math.h>

#define HEAP       "heap profile: "
#define CYCLES     "cycles/second"
#define PERIOD     "sampling period"

/* --- heads --- */

/* "1: 6144 [3: 18432] " at *at, which moves past it. */
bool
heap_values_take(const char **at, const char *end, uint64_t values[HEAP_VALUES])
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
is_heap_head(struct stk_text line, struct heap_scale *scale)
{
	static const struct { const char *name; double times; } kinds[] = { { "@ heap/", 0.5 }, { "@ heapz_v2/", 1 },
									    { "@ heap_v2/", 1 } };
	const char *at = line.data + strlen(HEAP), *end = line.data + line.size;
	uint64_t values[HEAP_VALUES], rate;

	if (!text_starts(line, HEAP) || !heap_values_take(&at, end, values))
		return false;
	*scale = (struct heap_scale){ 0 };
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
	return text_is(between(at, end), "@ heapprofile") || text_is(between(at, end), "@ growthz") ||
	       text_is(between(at, end), "@ fragmentationz");
}

static bool
is_contention_head(struct stk_text line, struct heap_scale *scale)
{
	static const char *const heads[] = { "--- mutex:", "--- contention:", "--- contentionz " };
	bool is = text_is(line, heads[0]) || text_is(line, heads[1]) || text_starts(line, heads[2]);

	if (is)
		*scale = (struct heap_scale){ .contention = true, .cycles = 1000000000, .period = 1 };
	return is;
}

bool
is_heap_scale_head(struct stk_text line, struct heap_scale *scale)
{
	return is_heap_head(line, scale) || is_contention_head(line, scale);
}

/* "cycles/second=1996800000", "sampling period = 5". */
bool
is_heap_setting(struct stk_text line, struct heap_scale *scale)
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

bool
is_heap_record(struct stk_text line, const struct heap_scale *scale, struct heap_record *record)
{
	const char *at = unindented(line).data, *end = line.data + line.size;

	*record = (struct heap_record){ 0 };
	if (!scale->contention) {
		if (!heap_values_take(&at, end, record->values))
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
heap_times(const struct heap_scale *scale, uint64_t objects, uint64_t bytes)
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

void
heap_record_scale(const struct heap_scale *scale, struct heap_record *record)
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

const char *
heap_event(const struct heap_scale *scale, enum heap_value value)
{
	static const char *const heap[HEAP_VALUES] = { "inuse_objects", "inuse_space/bytes", "alloc_objects",
						       "alloc_space/bytes" };
	static const char *const contention[HEAP_VALUES] = { "delay/nanoseconds", "contentions", "", "" };

	return scale->contention ? contention[value] : heap[value];
}
