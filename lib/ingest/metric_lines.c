/* SPDX-License-Identifier: MIT
 * metric_lines: times and numbers of lines that hold metrics. */
#include "ingest/metric_lines.h"

#include "base/time_text.h"
#include "ingest/text_lines.h"

#include <stdlib.h>

#define ASKED      (1u << 14)	/* bytes that are looked at to recognise a text */
#define MOMENT_MAX 64

void
metric_say(struct findings *findings, uint32_t line, struct metric_time time, const char *name, struct stk_text more,
	   double value)
{
	struct finding *f = found(findings, FOUND_METRIC, line);

	f->is.metric.name = text_from(name);
	f->is.metric.more = more;
	f->is.metric.value = value;
	f->is.metric.timed = true;
	f->is.metric.zoned = time.zoned;
	f->is.metric.time_ns = time.ns;
}

/* The zone after the time of day. */
static bool
has_zone(struct stk_text text)
{
	for (size_t i = 16; i < text.size; i++)
		if (text.data[i] == 'Z' || text.data[i] == '+' || text.data[i] == '-')
			return true;
	return false;
}

bool
metric_date(struct stk_text text, struct metric_time *time)
{
	struct stk_error unused = { 0 };
	char copy[MOMENT_MAX];

	if (text.size < 16 || text.size >= sizeof copy || text.data[4] != '-' || text.data[7] != '-')
		return false;
	memcpy(copy, text.data, text.size);
	copy[text.size] = '\0';
	time->zoned = has_zone(text);
	return time_parse(copy, 0, NULL, &time->ns, &unused) == 0;
}

size_t
metric_seconds(struct stk_text text, double *seconds)
{
	char copy[MOMENT_MAX];
	size_t size = 0;

	while (size < text.size && size + 1 < sizeof copy &&
	       ((text.data[size] >= '0' && text.data[size] <= '9') || text.data[size] == '.' ||
		text.data[size] == ',')) {
		copy[size] = text.data[size] == ',' ? '.' : text.data[size];
		size++;
	}
	if (size == 0 || text.data[0] == '.' || text.data[0] == ',')
		return 0;
	copy[size] = '\0';
	*seconds = strtod(copy, NULL);
	return size;
}

size_t
metric_cut(struct stk_text text)
{
	while (text.size > 0 && text.data[text.size - 1] != '\n')
		text.size--;
	return text.size;
}

size_t
metric_cut_before(struct stk_text text, bool (*begins)(struct stk_text line))
{
	size_t size = metric_cut(text);

	while (size > 0) {
		const char *newline = memrchr(text.data, '\n', size - 1);
		size_t from = newline == NULL ? 0 : (size_t)(newline + 1 - text.data);

		if (begins(text_of(text.data + from, size - 1 - from)))
			return from;
		size = from;
	}
	return 0;
}

const char *
metric_find(struct stk_text text, bool (*begins)(struct stk_text line))
{
	const char *end = text.data + text.size, *last = NULL;

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end)) {
		bool is = begins(line);

		if (is && last != NULL)
			return last;
		last = is ? line.data : NULL;
	}
	return NULL;
}

bool
metric_lines_are(struct stk_text text, enum line_sort (*sort)(struct stk_text line))
{
	size_t size = text.size < ASKED ? text.size : metric_cut(text_of(text.data, ASKED));
	const char *end = text.data + size;
	unsigned counts[LINE_FOREIGN + 1] = { 0 };

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end))
		counts[sort(line)]++;
	return counts[LINE_OURS] > 0 && counts[LINE_OURS] > 3 * counts[LINE_FOREIGN];
}

void
metric_no_stack(struct stack_reading *reading, struct stk_text stack)
{
	(void)reading, (void)stack;
}

bool
metric_no_frame(struct frame_parts *parts, struct stk_text line)
{
	(void)parts, (void)line;
	return false;
}
