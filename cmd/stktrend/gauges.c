/* SPDX-License-Identifier: MIT
 * gauges: the table of series as gauges for Prometheus. Only what OpenMetrics and the form before it have in common: no
 * times, which node_exporter refuses in its textfile folder, and no counters, whose names the two write differently. */
#include "trend_views.h"

#include "base/text_table.h"
#include "base/time_math.h"
#include "program/program.h"
#include "report/exposition.h"
#include "trend/outlook.h"

#include <math.h>
#include <stdlib.h>

#define DAY_HOURS    24.0
#define CAREFUL_MOST 40		/* series whose forecast is as --forecast has it */

struct gauge_row {
	const struct series *series;
	struct forecast_value next;	/* NAN: not known */
	uint64_t findings;
	uint32_t labels;		/* number of their text */
};

struct gauges {
	ARRAY(struct gauge_row) rows;
	struct text_table labels;
	size_t repeated;
};

static double level_of(const struct gauge_row *row) { return series_level(row->series); }
static double rate_of(const struct gauge_row *row) { return row->series->filter.rate * DAY_HOURS; }
static double residual_of(const struct gauge_row *row) { return row->series->filter.residual; }
static double forecast_of(const struct gauge_row *row) { return row->next.value; }
static double low_of(const struct gauge_row *row) { return row->next.low; }
static double high_of(const struct gauge_row *row) { return row->next.high; }
static double findings_of(const struct gauge_row *row) { return (double)row->findings; }
static double last_of(const struct gauge_row *row) { return (double)row->series->last_ns / 1e9; }

static const struct gauge {
	const char *name, *help;
	double (*value)(const struct gauge_row *row);
} gauges[] = {
	{ "stk_trend_level", "Level of the series, without its season.", level_of },
	{ "stk_trend_rate_per_day", "Change of the level a day.", rate_of },
	{ "stk_trend_residual", "Last measure less what was expected.", residual_of },
	{ "stk_trend_forecast", "Expected value after the horizon of stktrend's table.", forecast_of },
	{ "stk_trend_forecast_low", "Lower limit of the forecast.", low_of },
	{ "stk_trend_forecast_high", "Upper limit of the forecast.", high_of },
	{ "stk_trend_findings", "Anomalies that were found in the input.", findings_of },
	{ "stk_trend_last_measure_timestamp_seconds", "Time of the last measure.", last_of },
};

static void
add_row(struct gauges *g, const struct trends *t, uint32_t number, bool careful)
{
	const struct series *s = series_set_at(t->set, number);
	struct gauge_row row = { .series = s, .findings = t->settings->all_changes ? s->changes : s->news };
	struct text_buffer name = { 0 }, labels = { 0 };
	struct stk_error why = { 0 };

	row.next.time_ns = time_clamp(s->last_ns + t->settings->horizon_ns);
	if (outlook_forecast(t->set, number, plain_points_of(t, number), careful, &row.next, 1, &why) < 0)
		row.next.value = row.next.low = row.next.high = NAN;
	series_add_name(s, &name);
	exposition_label(&labels, "series", text_in(&name, 0));
	add_char(&labels, ',');
	exposition_label(&labels, "kind", text_from(series_kind_names[s->kind]));
	if (s->label.size > 0) {
		add_char(&labels, ',');
		exposition_label(&labels, "about", s->label);
	}
	row.labels = text_table_number(&g->labels, text_in(&labels, 0));
	if (row.labels <= g->rows.count)
		g->repeated++;
	else
		*array_push(&g->rows) = row;
	array_release(&name);
	array_release(&labels);
}

static int
print_gauge(const struct gauges *g, const struct gauge *gauge, struct printer *printer, struct stk_error *err)
{
	struct text_buffer *to = &printer->text;
	bool begun = false;

	for (size_t i = 0; i < g->rows.count; i++) {
		double value = gauge->value(&g->rows.at[i]);

		if (isnan(value))
			continue;
		if (!begun)
			add_format(to, "# HELP %s %s\n# TYPE %s gauge\n", gauge->name, gauge->help, gauge->name);
		begun = true;
		add_string(to, gauge->name);
		add_char(to, '{');
		add_text(to, text_table_text(&g->labels, g->rows.at[i].labels));
		add_string(to, "} ");
		add_real(to, value);
		add_char(to, '\n');
		if (printer_settle(printer, false, err) < 0)
			return -1;
	}
	return 0;
}

int
show_gauges(const struct trends *t, struct stk_error *err)
{
	struct gauges g = { .repeated = 0 };
	size_t count;
	uint32_t *order = series_set_by_level(t->set, &count);
	int result = 0;

	for (size_t i = 0; i < count; i++)
		add_row(&g, t, order[i], i < CAREFUL_MOST);
	for (size_t f = 0; f < sizeof gauges / sizeof *gauges && result == 0; f++)
		result = print_gauge(&g, &gauges[f], t->printer, err);
	add_string(&t->printer->text, "# EOF\n");
	if (g.repeated > 0)
		program_warn("-f openmetrics: of series of one name the first is kept; %zu left out", g.repeated);
	free(order);
	array_release(&g.rows);
	text_table_release(&g.labels);
	return result;
}
