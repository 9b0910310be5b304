/* SPDX-License-Identifier: MIT
 * metric_unit: the metrics that stkcap makes of dumps, logs and live VMs have fixed names; a stream has no units. */
#include "report/metric_unit.h"

#include "base/time_math.h"
#include "base/time_text.h"
#include "report/table.h"

enum unit { UNIT_NONE, UNIT_BYTES, UNIT_SECONDS, UNIT_SHARE };

/* A name, or with a point at its end all that begin so. */
static const struct { const char *name; enum unit unit; } units[] = {
	{ "heap.", UNIT_BYTES },          { "metaspace.", UNIT_BYTES },      { "old.used", UNIT_BYTES },
	{ "gc.pause", UNIT_SECONDS },     { "gc.pause.", UNIT_SECONDS },     { "gc.cause.", UNIT_SECONDS },
	{ "gc.concurrent.", UNIT_SECONDS },
	{ "gc.seconds", UNIT_SECONDS },   { "gc.time", UNIT_SECONDS },       { "capture.pause", UNIT_SECONDS },
	{ "capture.interval", UNIT_SECONDS }, { "capture.share", UNIT_SHARE }, { "capture.cpu", UNIT_SHARE },
	{ "ticks.share.", UNIT_SHARE },   { "cpu.user", UNIT_SHARE },        { "cpu.system", UNIT_SHARE },
	{ "cpu.machine", UNIT_SHARE },    { "memory.resident", UNIT_BYTES },
};

/* Of Prometheus: "http_request_duration_seconds_sum{code="200"}". */
static enum unit
unit_by_end(struct stk_text name)
{
	const char *labels = memchr(name.data, '{', name.size);

	if (labels != NULL)
		name.size = (size_t)(labels - name.data);
	if (text_ends(name, "_total"))
		name.size -= 6;
	else if (text_ends(name, "_sum"))
		name.size -= 4;
	return text_ends(name, "_seconds") ? UNIT_SECONDS
	       : text_ends(name, "_bytes") ? UNIT_BYTES
	       : text_ends(name, "_ratio") ? UNIT_SHARE
					   : UNIT_NONE;
}

static enum unit
unit_of(struct stk_text name)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t size = strlen(units[i].name);

		if (units[i].name[size - 1] == '.' ? name.size > size && text_starts(name, units[i].name)
						   : text_is(name, units[i].name))
			return units[i].unit;
	}
	return name.size > 0 ? unit_by_end(name) : UNIT_NONE;
}

static void
add_number(struct text_buffer *to, double value)
{
	add_format(to, value == (double)int64_of(value) && value > -1e15 && value < 1e15 ? "%.0f" : "%.6g", value);
}

void
add_metric(struct text_buffer *to, struct stk_text name, double value)
{
	enum unit unit = unit_of(name);
	char time[TIME_TEXT_MAX];

	if (unit == UNIT_BYTES && value >= 0 && value < 1e18)
		add_size(to, (uint64_t)(value + 0.5));
	else if (unit == UNIT_SECONDS && value >= 0 && value < 9e9)
		add_string(to, duration_print(time, (int64_t)(value * 1e9 + 0.5)));
	else if (unit == UNIT_SHARE && value >= 0 && value <= 1e3)
		add_share(to, value, 1);
	else
		add_number(to, value);
}
