/* SPDX-License-Identifier: MIT
 * row_chart: panels and series are in the order in which the rows name them. */
#include "plot/row_chart.h"

#include "base/bytes.h"
#include "base/delimited.h"

#include <math.h>

bool
row_chart_number(struct stk_text text, double *to)
{
	return delimited_number(text, to) && isfinite(*to);
}

/* The number of a name, from 1; 0: one too many. */
static uint32_t
number_of(struct text_table *table, struct stk_text name, uint32_t most)
{
	uint32_t number = text_table_number(table, name);

	return number <= most ? number : 0;
}

static int
take_row(struct row_chart *c, struct stk_text row, unsigned line, struct stk_error *err)
{
	struct stk_text panel = text_take(&row, '\t'), series = text_take(&row, '\t'), x = text_take(&row, '\t');
	uint32_t number = number_of(&c->panels, panel, ROW_PANELS_MOST);
	uint32_t of = number_of(&c->series, series, ROW_SERIES_MOST);
	struct row_value value = { .y = NAN };
	struct row_panel *to;
	double at;

	if (x.size == 0 || (!text_is(row, "-") && !row_chart_number(row, &value.y)))
		return stk_fail(err, STK_EUSAGE, "line %u: expected a panel, a series, x and a number, with tabs between",
				line);
	while (c->list.count < number)
		*array_push(&c->list) = (struct row_panel){ 0 };
	if (number == 0 || of == 0 ||
	    (value.place = number_of(&c->list.at[number - 1].places, x, ROW_PLACES_MOST)) == 0)
		return stk_fail(err, STK_EUSAGE, "line %u: more than %u panels, %u series, or %u values of x in a panel",
				line, ROW_PANELS_MOST, ROW_SERIES_MOST, ROW_PLACES_MOST);
	to = &c->list.at[number - 1];
	value.place--;
	value.series = of - 1;
	c->bars |= !row_chart_number(x, &at);
	if (isnan(value.y))
		return 0;
	*array_push(&to->values) = value;
	to->low = fmin(to->low, value.y);
	to->high = fmax(to->high, value.y);
	return 0;
}

int
row_chart_read(struct row_chart *c, struct stk_text text, struct stk_error *err)
{
	struct stk_text header = text_take(&text, '\n');

	*c = (struct row_chart){ 0 };
	(void)text_take(&header, '\t');
	(void)text_take(&header, '\t');
	c->x_name = text_take(&header, '\t');
	c->y_name = text_take(&header, '\t');
	if (c->y_name.size == 0 || header.size > 0)
		return stk_fail(err, STK_EUSAGE,
				"line 1: expected the names of four columns, with tabs between: panel, series, x, y");
	for (unsigned line = 2; text.size > 0; line++)
		if (take_row(c, text_take(&text, '\n'), line, err) < 0)
			return -1;
	return c->list.count > 0 ? 0 : stk_fail(err, STK_EUSAGE, "has no row below its header");
}

void
row_chart_release(struct row_chart *c)
{
	for (size_t i = 0; i < c->list.count; i++) {
		text_table_release(&c->list.at[i].places);
		array_release(&c->list.at[i].values);
	}
	array_release(&c->list);
	text_table_release(&c->panels);
	text_table_release(&c->series);
}
