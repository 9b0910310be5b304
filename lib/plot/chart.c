/* SPDX-License-Identifier: MIT
 * chart: numbers, moments and colours are the same in all forms of a picture because they come from here. */
#include "plot/chart.h"

#include "base/time_math.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define FALLS     0.5		/* of a gain that is a decrease */
#define LIMIT_FAR 4.0		/* times the highest value: a limit beyond is not on the axis */

void
chart_release(struct chart *chart)
{
	for (size_t i = 0; i < chart->panels.count; i++) {
		struct chart_panel *panel = &chart->panels.at[i];

		array_release(&panel->lines);
		array_release(&panel->marks);
		array_release(&panel->lanes);
		array_release(&panel->spans);
		array_release(&panel->rows);
	}
	array_release(&chart->panels);
	array_release(&chart->notes);
	arena_release(&chart->arena);
}

/* --- the axis --- */

void
chart_set_axis(struct chart *chart, int64_t begin_ns, int64_t end_ns, int64_t step_ns)
{
	int64_t length = time_difference(begin_ns, end_ns), steps = length / step_ns + (length % step_ns > 0);
	int64_t each = (steps + CHART_COLUMNS - 1) / CHART_COLUMNS;

	if (each < 1)
		each = 1;
	chart->begin_ns = begin_ns;
	chart->column_ns = each > INT64_MAX / step_ns ? INT64_MAX / CHART_COLUMNS : each * step_ns;
	chart->columns = (unsigned)(length / chart->column_ns + (length % chart->column_ns > 0));
	if (chart->columns == 0)
		chart->columns = 1;
	chart->seen = chart->foreseen = chart->columns;
}

unsigned
chart_column(const struct chart *chart, int64_t time_ns)
{
	int64_t from = time_difference(chart->begin_ns, time_ns);

	return time_ns < chart->begin_ns || from / chart->column_ns >= chart->columns
		       ? chart->columns
		       : (unsigned)(from / chart->column_ns);
}

double *
chart_values(struct chart *chart, double value)
{
	double *at = arena_alloc(&chart->arena, chart->columns * sizeof *at);

	for (unsigned i = 0; i < chart->columns; i++)
		at[i] = value;
	return at;
}

/* --- parts --- */

struct stk_text
chart_text(struct chart *chart, struct stk_text text)
{
	return text_of(arena_copy(&chart->arena, text.size > 0 ? text.data : "", text.size), text.size);
}

struct stk_text
chart_take(struct chart *chart, struct text_buffer *text)
{
	struct stk_text copy = chart_text(chart, text_in(text, 0));

	text->count = 0;
	return copy;
}

struct chart_panel *
chart_panel(struct chart *chart, struct stk_text name, const char *unit)
{
	struct chart_panel *panel = array_push(&chart->panels);

	*panel = (struct chart_panel){ .name = chart_text(chart, name), .say = text_of("", 0), .unit = unit, .limit = NAN,
		.limit_say = text_of("", 0), .reached_ns = STK_TIME_UNKNOWN, .earliest_ns = STK_TIME_UNKNOWN,
		.latest_ns = STK_TIME_UNKNOWN };
	return panel;
}

struct chart_line *
chart_line(struct chart *chart, struct chart_panel *panel, enum chart_role role, struct stk_text name)
{
	struct chart_line *line = array_push(&panel->lines);

	*line = (struct chart_line){ .role = role, .name = chart_text(chart, name), .say = text_of("", 0),
		.at = chart_values(chart, role == CHART_AREA ? 0 : NAN) };
	return line;
}

void
chart_note(struct chart *chart, const char *format, ...)
{
	char text[300];
	va_list list;

	va_start(list, format);
	(void)vsnprintf(text, sizeof text, format, list);
	va_end(list);
	*array_push(&chart->notes) = chart_text(chart, text_from(text));
}

/* --- numbers --- */

double
chart_mean(const double *at, unsigned from, unsigned to)
{
	double sum = 0;
	unsigned count = 0;

	for (unsigned i = from; i < to; i++)
		if (!isnan(at[i])) {
			sum += at[i];
			count++;
		}
	return count == 0 ? NAN : sum / count;
}

unsigned
chart_change(const double *at, unsigned columns, double *gain)
{
	double whole = 0, sum = 0;
	unsigned best = 0, known = 0, before = 0;

	for (unsigned c = 0; c < columns; c++)
		if (!isnan(at[c])) {
			whole += at[c];
			known++;
		}
	*gain = 0;
	for (unsigned c = 0; c < columns; c++) {
		double apart;

		if (isnan(at[c]))
			continue;
		apart = before == 0 ? 0 : (whole - sum) / (known - before) - sum / before;
		if (apart * apart * before * (known - before) > *gain) {
			*gain = apart * apart * before * (known - before);
			best = c;
		}
		sum += at[c];
		before++;
	}
	if (best > 0 && chart_mean(at, best, columns) < chart_mean(at, 0, best))
		*gain *= FALLS;
	return best;
}

bool
chart_is_stacked(const struct chart_panel *panel)
{
	return panel->lines.count > 0 && panel->lines.at[0].role == CHART_AREA;
}

static double
highest(const struct chart_panel *panel, unsigned columns)
{
	double top = 0;

	for (unsigned c = 0; c < columns; c++) {
		double stacked = 0;

		for (size_t i = 0; i < panel->lines.count; i++) {
			double value = panel->lines.at[i].at[c];

			stacked += isnan(value) ? 0 : value;
			top = fmax(top, value);
		}
		if (chart_is_stacked(panel))
			top = fmax(top, stacked);
		if (panel->high != NULL)
			top = fmax(top, panel->high[c]);
	}
	return top;
}

/* The least of 1, 2, 2.5, 4, 5, 8 times a power that is not below it. */
static double
round_up(double value, const char *unit)
{
	static const double of_ten[] = { 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };
	double base = 1;

	if (!(value > 0))
		return 1;
	while (strcmp(unit, "bytes") == 0 && value / base >= 1024)
		base *= 1024;
	base *= pow(10, floor(log10(value / base)));
	for (unsigned i = 0; i < sizeof of_ten / sizeof *of_ten; i++)
		if (of_ten[i] * base >= value * (1 - 1e-12))
			return of_ten[i] * base;
	return 10 * base;
}

double
chart_top(const struct chart_panel *panel, unsigned columns)
{
	double top = highest(panel, columns);

	if (!isnan(panel->limit) && panel->limit <= LIMIT_FAR * top)
		top = fmax(top, panel->limit * 1.02);
	return round_up(top, panel->unit);
}

void
chart_add_number(struct text_buffer *to, double value, const char *unit)
{
	static const char letters[] = " kMGTPE";
	double power = strcmp(unit, "bytes") == 0 ? 1024 : 1000, size = fabs(value);
	unsigned letter = 0;

	if (isnan(value)) {
		add_string(to, "\xE2\x80\x93");
		return;
	}
	while (size >= power * 0.9995 && letter < sizeof letters - 2) {
		size /= power;
		letter++;
	}
	if (value < 0 && size >= 0.005)
		add_char(to, '-');
	if (letter == 0 && size < 0.995 && size >= 0.005)
		add_format(to, "%.2f", size);
	else if (size >= 99.5 || (size == floor(size) && letter == 0))
		add_format(to, "%.0f", size);
	else if (letter == 0 && size < 0.005)
		add_string(to, size > 0 ? "<0.01" : "0");
	else
		add_format(to, "%.1f", size);
	if (letter > 0)
		add_char(to, letters[letter]);
}

void
chart_add_moment(struct text_buffer *to, const struct chart *chart, int64_t time_ns)
{
	int64_t seconds = time_ns / SECOND - (time_ns % SECOND < 0);
	struct time_civil civil;

	if (chart->monotonic) {
		add_format(to, "%.3f s", (double)time_ns / 1e9);
		return;
	}
	time_civil_of(&civil, seconds + time_zone_offset(chart->zone, seconds));
	add_format(to, "%04d-%02d-%02d %02d:%02d", civil.year, civil.month, civil.day, civil.hour, civil.minute);
	if (chart->column_ns < 60 * SECOND)
		add_format(to, ":%02d", civil.second);
}

/* --- ticks --- */

static const int64_t tick_steps[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600,
				      43200, 86400, 172800, 604800, 1209600, 2419200, 7776000, 31536000 };

static void
print_tick(char to[24], const struct chart *chart, int64_t time_ns, int64_t step)
{
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	int64_t seconds = time_ns / SECOND - (time_ns % SECOND < 0);
	struct time_civil civil;

	if (chart->monotonic) {
		(void)snprintf(to, 24, "%.6g s", (double)time_ns / 1e9);
		return;
	}
	time_civil_of(&civil, seconds + time_zone_offset(chart->zone, seconds));
	if (step >= 31536000)
		(void)snprintf(to, 24, "%d", civil.year);
	else if (step >= 86400 || (civil.hour == 0 && civil.minute == 0 && civil.second == 0))
		(void)snprintf(to, 24, "%s %d", months[(civil.month - 1) % 12], civil.day);
	else if (step < 60)
		(void)snprintf(to, 24, "%02d:%02d:%02d", civil.hour, civil.minute, civil.second);
	else
		(void)snprintf(to, 24, "%02d:%02d", civil.hour, civil.minute);
}

unsigned
chart_ticks(const struct chart *chart, struct chart_tick *to, unsigned most)
{
	int64_t begin = chart->begin_ns, end = chart_end_ns(chart), step = 0, from, offset, at;
	unsigned count = 0;

	for (size_t i = 0; i < sizeof tick_steps / sizeof *tick_steps; i++) {
		step = tick_steps[i] * SECOND;
		if (time_difference(begin, end) / step < most)
			break;
	}
	offset = chart->monotonic ? 0 : (int64_t)time_zone_offset(chart->zone, begin / SECOND) * SECOND;
	from = begin + offset;		/* round moments are those of the zone's clocks */
	at = from / step * step;
	if (at < from)
		at += step;
	for (at -= offset; at < end && count < most; at += step, count++) {
		to[count].time_ns = at;
		print_tick(to[count].text, chart, at, step / SECOND);
	}
	return count;
}
