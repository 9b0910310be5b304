/* SPDX-License-Identifier: MIT
 * thread_terminal: a column is a part of the time; its letter is the state that a thread, or most threads of a pool,
 * were in for most of it. */
#include "plot/thread_terminal.h"

#include "plot/thread_looks.h"

#include "base/terminal_text.h"
#include "base/time_text.h"

#include <stdio.h>

#define MARGIN_MOST 28
#define LEAST_WIDTH 20
#define TIMES_APART 4
#define FINDINGS_MOST 9

void
add_label_fitted(struct text_buffer *to, struct stk_text label, size_t room)
{
	ARRAY(struct stk_text) letters = { 0 };
	const char *at = label.data, *end = at + label.size;
	size_t head, used = 0;

	while (at < end) {
		size_t size = printable_size(at, end), whole = utf8_size(at, end);

		*array_push(&letters) = size == 0 ? text_of("?", 1) : text_of(at, size);
		at += size != 0 ? size : whole != 0 ? whole : 1;
	}
	head = letters.count <= room ? letters.count : room * 2 / 5;
	for (; used < head; used++)
		add_text(to, letters.at[used]);
	if (letters.count > room && room > 0) {
		size_t tail = room - head - 1;

		add_char(to, '~');
		for (size_t i = letters.count - tail; i < letters.count; i++)
			add_text(to, letters.at[i]);
		used = room;
	}
	for (; used < room; used++)
		add_char(to, ' ');
	array_release(&letters);
}

void
add_fill_colour(struct text_buffer *to, enum flame_colours colours, const struct palette_fill *fill)
{
	unsigned rgb = (unsigned)fill->rgb;

	if (colours == FLAME_TRUE)
		add_format(to, "\033[30;48;2;%u;%u;%um", rgb >> 16, rgb >> 8 & 255, rgb & 255);
	else if (colours == FLAME_256)
		add_format(to, "\033[30;48;5;%um", fill->of_256);
	else if (colours == FLAME_16)
		add_format(to, "\033[30;%um", fill->of_16);
}

static void
trim_line(struct text_buffer *to)
{
	while (to->count > 0 && to->at[to->count - 1] == ' ')
		to->count--;
	add_char(to, '\n');
}

void
add_time_line(struct text_buffer *to, const struct thread_picture *picture, size_t margin, size_t width)
{
	const struct time_range *times = &picture->history->times;
	char text[TIME_TEXT_MAX], first[TIME_TEXT_MAX] = "";
	size_t at = 0;

	for (size_t i = 0; i < margin; i++)
		add_char(to, ' ');
	while (at < width) {
		int64_t ns = times->from_ns +
			     (int64_t)((double)(times->to_ns - times->from_ns) * (double)at / (double)width);
		size_t size;

		ns -= times->to_ns - times->from_ns > 2000000000 * (int64_t)width ? ns % 1000000000 : ns % 1000000;
		if (times->to_ns - times->from_ns > 10000000000)
			ns -= ns % 1000000000;
		time_print_after(text, ns, picture->zone, first);
		size = strlen(text);
		if (at > 0 && at + size > width)
			break;
		add_string(to, text);
		if (*first == '\0')
			(void)snprintf(first, sizeof first, "%s", text);
		at += size;
		for (size_t i = 0; i < TIMES_APART && at < width; i++, at++)
			add_char(to, ' ');
	}
	trim_line(to);
}

/* The parts of the time in which there is one of the line. */
static void
mark_parts(const struct thread_picture *picture, const struct finding_line *line, bool *in, size_t width)
{
	const struct time_range *times = &picture->history->times;
	double part = ((double)times->to_ns - (double)times->from_ns) / (double)width;
	uint32_t f = line->first;

	do {
		struct time_range span = span_of_finding(picture, &picture->findings->list.at[f]);

		for (size_t i = 0; i < width; i++) {
			double from = (double)times->from_ns + part * (double)i;

			in[i] |= (double)span.to_ns > from && (double)span.from_ns < from + part;
		}
		f = picture->found->next.at[f];
	} while (f != 0);
}

/* Its number and rule, and a mark for each part of the time. */
static void
add_finding_line(struct text_buffer *to, const struct thread_picture *picture, const struct finding_line *line,
		 size_t margin, size_t width, enum flame_colours colours)
{
	bool critical = picture->findings->list.at[line->first].severity == STK_SEVERITY_CRITICAL;
	bool *in = mem_new(width + 1, sizeof *in);
	struct text_buffer label = { 0 };

	add_finding_name(&label, picture, line);
	add_label_fitted(to, text_in(&label, 0), margin - 1);
	array_release(&label);
	add_char(to, ' ');
	mark_parts(picture, line, in, width);
	for (size_t i = 0; i < width; i++) {
		if (in[i])
			add_fill_colour(to, colours, palette_alarm(picture->palette, critical));
		add_char(to, in[i] ? critical ? '!' : '-' : ' ');
		if (in[i] && colours != FLAME_PLAIN)
			add_string(to, "\033[0m");
	}
	trim_line(to);
	free(in);
}

static void
add_finding_lines(struct text_buffer *to, const struct thread_picture *picture, size_t margin, size_t width,
		  enum flame_colours colours)
{
	for (size_t l = 0; l < picture->found->list.count; l++) {
		const struct finding_line *line = &picture->found->list.at[l];

		if (line->number != 0 && line->number <= FINDINGS_MOST)
			add_finding_line(to, picture, line, margin, width, colours);
	}
}

static void
add_states(struct text_buffer *to, const struct thread_picture *picture, const struct thread_line *line, size_t width,
	   enum flame_colours colours)
{
	double *parts = mem_new(width * LOOKS + 1, sizeof *parts);
	unsigned before = LOOKS;

	thread_line_parts(picture, line, width, parts);
	for (size_t i = 0; i < width; i++) {
		unsigned look = most_of_looks(parts + i * LOOKS);

		if (look != before && before != LOOKS && colours != FLAME_PLAIN)
			add_string(to, "\033[0m");
		if (look != before && look != LOOKS)
			add_fill_colour(to, colours, thread_look_fill(picture->palette, look));
		add_char(to, look == LOOKS ? ' ' : thread_look(look)->letter);
		before = look;
	}
	if (before != LOOKS && colours != FLAME_PLAIN)
		add_string(to, "\033[0m");
	trim_line(to);
	free(parts);
}

static void
add_line(struct text_buffer *to, const struct thread_picture *picture, const struct thread_line *line, size_t margin,
	 size_t width, enum flame_colours colours)
{
	struct text_buffer label = { 0 };
	bool states = line->kind == LINE_POOL || line->kind == LINE_THREAD;

	add_line_label(&label, picture, line);
	add_label_fitted(to, text_in(&label, 0), states ? margin - 1 : margin + width);
	array_release(&label);
	if (!states) {
		trim_line(to);
		return;
	}
	add_char(to, ' ');
	add_states(to, picture, line, width, colours);
}

static void
add_legend(struct text_buffer *to, const struct thread_picture *picture, enum flame_colours colours)
{
	uint64_t samples[LOOKS] = { 0 };
	bool idle = false;
	size_t used = 0;

	for (size_t p = 0; p < picture->history->pools.count; p++)
		for (unsigned look = 0; look < LOOKS; look++)
			samples[look] += picture->history->pools.at[p].samples[look];
	for (unsigned place = 0; place < LOOKS / 2; place++) {
		const struct thread_look *look = thread_look(urgent_look(place));

		idle |= samples[urgent_look(place) + 1] > 0;
		if (samples[urgent_look(place)] + samples[urgent_look(place) + 1] == 0)
			continue;
		if (used + strlen(look->name) + 4 > picture->width) {
			add_char(to, '\n');
			used = 0;
		}
		used += strlen(look->name) + 4;
		add_fill_colour(to, colours, thread_look_fill(picture->palette, urgent_look(place)));
		add_char(to, look->letter);
		add_string(to, colours == FLAME_PLAIN ? " " : "\033[0m ");
		add_string(to, look->name);
		add_string(to, "  ");
	}
	if (idle && used + 27 > picture->width)
		add_char(to, '\n');
	if (idle)
		add_string(to, "small letter: waits for work");
	trim_line(to);
}

static size_t
margin_of(const struct thread_picture *picture)
{
	size_t margin = picture->width / 3 < MARGIN_MOST ? picture->width / 3 : MARGIN_MOST;

	return margin < 2 ? 2 : margin;
}

size_t
thread_terminal_columns(const struct thread_picture *picture)
{
	size_t margin = margin_of(picture);

	return picture->width > margin + LEAST_WIDTH ? picture->width - margin : LEAST_WIDTH;
}

uint64_t
thread_terminal_add(struct text_buffer *to, const struct thread_picture *picture, enum flame_colours colours)
{
	size_t margin = margin_of(picture), width = thread_terminal_columns(picture);
	struct thread_lines lines;
	uint64_t left_out;

	add_time_line(to, picture, margin, width);
	add_finding_lines(to, picture, margin, width, colours);
	thread_lines_make(&lines, picture);
	for (size_t i = 0; i < lines.list.count; i++)
		add_line(to, picture, &lines.list.at[i], margin, width, colours);
	add_legend(to, picture, colours);
	left_out = lines.threads;
	thread_lines_release(&lines);
	return left_out;
}
