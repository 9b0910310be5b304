/* SPDX-License-Identifier: MIT
 * Charts: columns, ticks, numbers, where a curve changes; groups of a stream with events, parts, an open start. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "plot/chart_svg.h"
#include "plot/group_chart.h"

#include <math.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000000)

static struct stk_error err;

struct bytes { char *at; size_t count, room, read; };

static int
write_bytes(void *context, const void *from, size_t size, struct stk_error *unused)
{
	struct bytes *b = context;

	(void)unused;
	array_reserve(b, size);
	memcpy(b->at + b->count, from, size);
	b->count += size;
	return 0;
}

static long
read_bytes(void *context, void *to, size_t size, struct stk_error *unused)
{
	struct bytes *b = context;

	(void)unused;
	size = size < b->count - b->read ? size : b->count - b->read;
	memcpy(to, b->at + b->read, size);
	b->read += size;
	return (long)size;
}

static void
add_row(struct stk_writer *writer, enum stk_kind kind, const void *row)
{
	if (stk_writer_add(writer, kind, row, &err) < 0 || stk_writer_flush(writer, &err) < 0)
		abort();
}

/* Two groups in four steps of a second; a span, a point and a start without a stop; samples of two processors. */
static void
write_groups(struct stk_writer *writer)
{
	static const struct { int64_t at; enum stk_happening what; const char *name; } events[] = {
		{ 0, STK_HAPPENING_START, "deploy" }, { 1, STK_HAPPENING_START, "deploy" },
		{ 2, STK_HAPPENING_STOP, "deploy" }, { 3, STK_HAPPENING_POINT, "<alarm>" },
		{ 1, STK_HAPPENING_SWITCH_OUT, "sched" }
	};
	struct stk_string thread_name = { text_from("main") };
	struct stk_thread thread = { .name = 1 };
	struct stk_scheme scheme = { .id = 1, .name = text_from("jobs"), .text = text_of("", 0) };
	struct stk_group outer = { .scheme = 1, .id = 1, .name = text_from("work"), .colour = text_of("", 0) };
	struct stk_group inner = { .scheme = 1, .id = 2, .parent = 1, .name = text_from("sell"),
		.colour = text_of("", 0) };

	add_row(writer, STK_STRING, &thread_name);
	add_row(writer, STK_THREAD, &thread);
	add_row(writer, STK_SCHEME, &scheme);
	add_row(writer, STK_GROUP, &outer);
	add_row(writer, STK_GROUP, &inner);
	for (int64_t i = 0; i < 4; i++) {
		struct stk_group_figure figure = { .time = i * SECOND, .length = SECOND, .scheme = 1, .group = 2,
			.samples = 2, .weight = 2, .duration = (uint64_t)((i < 2 ? 1 : 3) * SECOND) };
		struct stk_sample sample = { .time = i * SECOND, .thread = 1, .weight = 1, .processor = i % 2 };

		add_row(writer, STK_GROUP_FIGURE, &figure);
		figure.group = 0;
		figure.duration = (uint64_t)SECOND / 2;
		add_row(writer, STK_GROUP_FIGURE, &figure);
		add_row(writer, STK_SAMPLE, &sample);
	}
	for (unsigned i = 0; i < sizeof events / sizeof *events; i++) {
		struct stk_event event = { .time = events[i].at * SECOND, .thread = 1, .happening = events[i].what,
			.name = text_from(events[i].name) };

		add_row(writer, STK_EVENT, &event);
	}
}

static void
read_groups(struct bytes *bytes, const char *by, struct chart *chart)
{
	struct stk_reader_options reading = { .read = read_bytes, .context = bytes };
	struct stk_reader *reader;
	struct stk_block block;
	struct group_chart *groups;
	struct model *model;

	bytes->read = 0;
	if (stk_reader_open(&reader, &reading, &err) < 0 || model_open(&model) < 0 ||
	    group_chart_open(&groups, &(struct group_chart_options){ .model = model, .by = by }, &err) < 0)
		abort();
	while (stk_reader_next(reader, &block, &err) > 0) {
		if (block.kind == STK_HEAD)
			group_chart_turn(groups);
		if (model_take(model, reader, &block, &err) < 0 ||
		    group_chart_take(groups, reader, &block, &err) < 0)
			abort();
	}
	group_chart_make(groups, chart);
	group_chart_close(groups);
	stk_reader_close(reader);
	model_close(model);
}

static void
groups(void)
{
	struct bytes bytes = { 0 };
	struct stk_writer_options writing = { .write = write_bytes, .context = &bytes, .level = 1 };
	struct stk_writer *writer;
	struct chart chart = { .zone_name = "", .command = "" };
	const struct chart_panel *panel;
	struct text_buffer text = { 0 };

	if (stk_writer_open(&writer, &writing, &err) < 0)
		abort();
	write_groups(writer);
	if (stk_writer_close(writer, true, &err) < 0)
		abort();
	read_groups(&bytes, "processor", &chart);
	is_u64(chart.panels.count, 5, "a panel of the scheme, one of each processor, and two of time between events");
	ok(!chart.panels.at[3].part && text_is(chart.panels.at[3].name, "time between events") &&
		   chart.panels.at[4].part && text_is(chart.panels.at[4].name, "processor 0, between events"),
	   "... of all, and of the one that has events");
	panel = &chart.panels.at[0];
	is_u64(chart.columns, 4, "a column for each step");
	is_u64(panel->lines.count, 2, "the group, and what is in none");
	ok(text_is(panel->lines.at[0].name, "work/sell") && text_is(panel->lines.at[1].name, "(none)"), "by their names");
	ok(text_is(panel->lines.at[0].say, "8.0 s, 8 samples, 80.0 %"), "the sum of the group: %.*s",
	   (int)panel->lines.at[0].say.size, panel->lines.at[0].say.data);
	ok(panel->lines.at[0].at[1] == 1 && panel->lines.at[0].at[2] == 3, "threads of each step");
	is_u64(panel->lanes.count, 2, "lanes: switches have none");
	is_u64(panel->spans.count, 2, "spans that touch are one: starts with a stop and without one");
	ok(panel->spans.at[0].from_ns == 0 && panel->spans.at[0].to_ns == 4 * SECOND,
	   "a start without a stop lasts to the end");
	ok(panel->spans.at[1].from_ns == 3 * SECOND && panel->spans.at[1].to_ns == 3 * SECOND, "a point is a moment");
	ok(chart.panels.at[1].part && text_is(chart.panels.at[1].name, "processor 0"), "the part of a processor");
	ok(chart.panels.at[1].lines.at[0].at[0] == 1 && chart.panels.at[1].lines.at[0].at[1] == 0 &&
		   chart.panels.at[2].lines.at[0].at[1] == 1,
	   "... has its samples");
	ok(memmem(chart.answer.data, chart.answer.size, "work/sell grew from 1 to 3 CPUs at", 33) != NULL,
	   "what grew: %.*s", (int)chart.answer.size, chart.answer.data);
	chart.title = text_from("");
	chart_svg_add(&text, &chart, 600, false);
	ok(memmem(text.at, text.count, "&#60;alarm&#62;", 15) != NULL && memmem(text.at, text.count, "<alarm>", 7) == NULL,
	   "names of events are only shown");
	array_release(&text);
	chart_release(&chart);
	array_release(&bytes);
}

static void
axes(void)
{
	struct chart chart = { .zone_name = "", .command = "" };
	struct chart_tick ticks[10];
	struct text_buffer text = { 0 };
	unsigned count;

	chart_set_axis(&chart, 0, 100000 * SECOND, SECOND);
	ok(chart.columns <= CHART_COLUMNS && chart.column_ns % SECOND == 0 && chart_end_ns(&chart) >= 100000 * SECOND,
	   "a long axis has columns of whole steps");
	is_u64(chart_column(&chart, 0), 0, "the first moment is in the first column");
	is_u64(chart_column(&chart, chart_end_ns(&chart)), chart.columns, "the end is in none");
	is_u64(chart_column(&chart, -1), chart.columns, "what is earlier is in none");
	count = chart_ticks(&chart, ticks, 10);
	ok(count >= 4 && count <= 10, "%u ticks", count);
	ok(ticks[0].time_ns == 0 && strcmp(ticks[0].text, "Jan 1") == 0 && strcmp(ticks[1].text, "03:00") == 0,
	   "at round moments: %s, %s", ticks[0].text, ticks[1].text);
	chart_set_axis(&chart, STK_TIME_LEAST, STK_TIME_MOST, SECOND);
	count = chart_ticks(&chart, ticks, 10);
	ok(chart.columns <= CHART_COLUMNS && count <= 10, "all of time is an axis, too");
	chart_set_axis(&chart, 5, 5, SECOND);
	is_u64(chart.columns, 1, "a moment is a column");
	chart_add_number(&text, 4294967296.0, "bytes");
	add_char(&text, ' ');
	chart_add_number(&text, 999.7, "");
	add_char(&text, ' ');
	chart_add_number(&text, -0.25, "threads");
	add_char(&text, ' ');
	chart_add_number(&text, 0.001, "threads");
	add_char(&text, ' ');
	chart_add_number(&text, 12, "threads");
	ok(text_is(text_in(&text, 0), "4.0G 1.0k -0.25 <0.01 12"), "numbers: %.*s", (int)text.count, text.at);
	array_release(&text);
	chart_release(&chart);
}

static void
changes(void)
{
	static const double step[] = { 1, 1, NAN, 1, 5, 5, 5 }, even[] = { 2, 2, 2 }, unknown[] = { NAN, NAN };
	double gain;

	is_u64(chart_change(step, 7, &gain), 4, "a step is where it is, whatever is not known");
	is_u64(chart_change(even, 3, &gain), 0, "an even curve has none");
	is_u64(chart_change(unknown, 2, &gain), 0, "nor has one that nobody knows");
	is_u64(chart_change(step, 1, &gain), 0, "nor one of a single value");
}

int
main(void)
{
	groups();
	axes();
	changes();
	return tap_end();
}
