/* SPDX-License-Identifier: MIT
 * sparkline: measures and forecasts are averaged over the time of a character. */
#include "sparkline.h"

#include "series_text.h"

#include "base/time_math.h"

#include <math.h>

#define HALF_LEAST 8		/* characters of a past or a future that say anything */
#define HALF_MOST  48
#define LABEL      10		/* "forecast" with blanks around it */

void
add_bars(const double *values, size_t count, double least, double most, struct text_buffer *to)
{
	static const char *const bars[] = { "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
					    "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88" };
	bool flat = !(most - least > 1e-12 * fabs(most));

	for (size_t i = 0; i < count; i++) {
		double height = isnan(values[i]) ? NAN : flat ? 0 : (values[i] - least) / (most - least);

		add_string(to, isnan(height) ? " " : bars[(unsigned)(height * 7.999)]);
	}
}

/* The means of as many values as fall to each character; NAN where none does. */
struct cells { double sums[HALF_MOST], counts[HALF_MOST]; unsigned width; };

static void
add_cell(struct cells *c, double place, double value)
{
	unsigned at;

	if (!(place >= 0 && place < 1))
		return;
	at = (unsigned)(place * c->width);
	c->sums[at] += value;
	c->counts[at]++;
}

static void
end_cells(struct cells *c, double *least, double *most)
{
	for (unsigned i = 0; i < c->width; i++) {
		c->sums[i] = c->counts[i] > 0 ? c->sums[i] / c->counts[i] : NAN;
		*least = fmin(*least, c->sums[i]);
		*most = fmax(*most, c->sums[i]);
	}
}

static void
print_line(const struct cells *past, const char *label, const struct cells *next, double least, double most,
	   struct printer *to)
{
	add_string(&to->text, "  ");
	if (past != NULL)
		add_bars(past->sums, past->width, least, most, &to->text);
	for (unsigned i = 0; past == NULL && i < next->width; i++)
		add_char(&to->text, ' ');
	add_format(&to->text, " %-*s", LABEL - 1, label);
	add_bars(next->sums, next->width, least, most, &to->text);
	add_char(&to->text, '\n');
}

void
print_outlook(const struct series *series, struct stk_text name, const struct kept_point *points, size_t count,
	      const struct forecast_value *values, size_t steps, struct printer *to)
{
	int room = ((int)to->screen.width - LABEL - 2) / 2;
	unsigned half = room > HALF_MOST ? HALF_MOST : room < 0 ? 0 : (unsigned)room;
	struct cells past = { .width = half }, high = past, middle = past, low = past;
	int64_t now = series->last_ns, horizon;
	double least = INFINITY, most = -INFINITY;
	size_t from;

	if (half < HALF_LEAST || steps < HALF_LEAST)
		return;
	half = steps < half ? (unsigned)steps : half;
	past.width = high.width = middle.width = low.width = half;
	horizon = time_difference(now, values[steps - 1].time_ns);
	for (size_t i = 0; i < count; i++)
		add_cell(&past, 1 - (double)time_difference(points[i].time_ns, now + 1) / (double)(horizon + 1),
			 points[i].value);
	for (size_t i = 0; i < steps; i++) {
		double place = (double)i / (double)steps;

		add_cell(&high, place, values[i].high);
		add_cell(&middle, place, values[i].value);
		add_cell(&low, place, values[i].low);
	}
	end_cells(&past, &least, &most);
	end_cells(&high, &least, &most);
	end_cells(&middle, &least, &most);
	end_cells(&low, &least, &most);
	from = to->text.count;
	add_text(&to->text, name);
	printer_paint(to, from, PAINT_HEAD);
	add_string(&to->text, ": ");
	add_amount(series, least, &to->text);
	add_string(&to->text, " to ");
	add_amount(series, most, &to->text);
	add_string(&to->text, series->kind <= STK_SERIES_SEGMENT ? " threads a dump, the last " : ", the last ");
	add_distance(horizon, &to->text);
	add_string(&to->text, " and the next\n");
	print_line(NULL, "high", &high, least, most, to);
	print_line(&past, "forecast", &middle, least, most, to);
	print_line(NULL, "low", &low, least, most, to);
}
