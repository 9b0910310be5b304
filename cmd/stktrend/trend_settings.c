/* SPDX-License-Identifier: MIT
 * trend_settings: the options of stktrend. */
#include "trend_settings.h"

#include "base/quantities.h"
#include "program/options.h"
#include "program/program.h"
#include "trend/series_model.h"
#include "trend/series_set.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH_USUAL 110
#define DAY_NS      INT64_C(86400000000000)

static struct settings given;
static const char *zone, *against, *explain, *constants, *smooth, *clip, *confidence, *error, *kinds, *literal, *spike, *discovery;
static bool predict, factors, forecast, anomalies, plan;

static int
take_alert(const char *value, struct stk_error *err)
{
	if (given.alerts_count == ALERTS_MOST)
		return stk_fail(err, STK_EUSAGE, "--alert: more than %d", ALERTS_MOST);
	given.alerts[given.alerts_count++] = value;
	return 0;
}

static int
take_csv(const char *value, struct stk_error *err)
{
	(void)err;
	given.csv = value;
	given.csv_given = true;
	return 0;
}

/* A number, with k, M, G or T for powers of 1024 behind it. */
static bool
parse_amount(const char *text, double *value)
{
	static const char letters[] = "kMGT";
	const char *letter;
	char *end;

	*value = strtod(text, &end);
	if (end == text)
		return false;
	letter = *end == '\0' ? NULL : strchr(letters, *end);
	if (letter != NULL)
		for (end++; letter >= letters; letter--)
			*value *= 1024;
	return *end == '\0';
}

static int
take_limit(const char *value, struct stk_error *err)
{
	const char *equals = strrchr(value, '=');
	struct limit *limit = &given.limits[given.limits_count];
	char *name;

	if (given.limits_count == LIMITS_MOST)
		return stk_fail(err, STK_EUSAGE, "--limit: more than %d", LIMITS_MOST);
	if (equals == NULL || equals == value || !parse_amount(equals + 1, &limit->value))
		return stk_fail(err, STK_EUSAGE, "--limit: expected SERIES=VALUE such as heap.used=4G, not '%s'", value);
	name = mem_new(1, (size_t)(equals - value) + 1);
	memcpy(name, value, (size_t)(equals - value));
	limit->series = name;
	given.limits_count++;
	return 0;
}

static int
take_horizon(const char *value, struct stk_error *err)
{
	forecast = true;
	return duration_parse(value, &given.horizon_ns, err);
}

static const struct option_row options[] = {
	OPT_HEADING("what is read"),
	OPT_TAKE(0, "csv", take_csv, "FILE", "a plain series in place of a stream: CSV or TSV with a header"),
	OPT_TEXT(0, "column", &given.column, "NAME,...", "--csv: its values (all that are numbers)"),
	OPT_TEXT(0, "time", &given.time, "NAME", "--csv: its times (the first column)"),
	OPT_TEXT(0, "kind", &kinds, "KIND,...", "class, segment, group, metric, counter (all)"),
	OPT_TEXT(0, "series", &given.series, "PATTERN", "only these; * stands for any run"),
	OPT_TEXT(0, "state", &given.state, "FILE", "go on from there, and leave there where to go on"),
	OPT_HEADING("what is shown"),
	OPT_FLAG(0, "predict", &predict, "each measure and what was expected, one step ahead"),
	OPT_FLAG(0, "factors", &factors, "seasonal factors"),
	OPT_TAKE(0, "forecast", take_horizon, "TIME", "what comes in the next 24h, 7d"),
	OPT_TEXT(0, "against", &against, "SERIES", "which series explain this one, heap.used"),
	OPT_TAKE(0, "limit", take_limit, "SERIES=VALUE", "when it will be reached: heap.used=4G; may be repeated"),
	OPT_FLAG(0, "anomalies", &anomalies, "what should not have been"),
	OPT_TAKE(0, "alert", take_alert, "RULE", "one line a finding, and status 1: 'shift of jdbc*'; may be repeated"),
	OPT_TEXT(0, "explain", &explain, "SERIES", "where its filters stand, and why"),
	OPT_FLAG(0, "rate-plan", &plan, "how often to take dumps, by time of day"),
	OPT_FLAG(0, "all", &given.all_changes, "anomalies that went away, or moved between siblings, too"),
	OPT_NUMBER(0, "top", &given.top, "N", "rows of a table (20)"),
	OPT_HEADING("how"),
	OPT_TEXT(0, "periods", &given.periods, "RULES", "none, day, week, weekdays, months, or NAME=DAYS,..."),
	OPT_DURATION(0, "slot", &given.slot_ns, "TIME", "of a season (15m)"),
	OPT_DURATION(0, "step", &given.step_ns, "TIME", "measures of a stream are means over it (one slot)"),
	OPT_TEXT(0, "holidays", &given.holidays, "FILE", "days of their own: lines of DATE NAME, or iCalendar"),
	OPT_TEXT(0, "zone", &zone, "ZONE", "times of day in this zone; fit: by the series"),
	OPT_FLAG(0, "additive", &given.additive, "seasons add to the level"),
	OPT_FLAG(0, "multiplicative", &given.multiplicative, "they multiply it"),
	OPT_TEXT(0, "smooth", &smooth, "SPAR", "of seasonal factors, by spline: 0 to 1, or none"),
	OPT_TEXT(0, "constants", &constants, "NAME=N,...", "alpha, beta, kappa, gamma, delta (an hour), phi"),
	OPT_TEXT(0, "clip", &clip, "N", "cut errors at N mean deviations (6); 0: never"),
	OPT_DURATION(0, "lag", &given.lag_ns, "TIME", "--against: tried to either side (1h)"),
	OPT_TEXT(0, "fdr", &discovery, "PERCENT", "--against: of what is claimed may be false (5)"),
	OPT_TEXT(0, "confidence", &confidence, "PERCENT", "of intervals (95)"),
	OPT_TEXT(0, "error", &error, "PERCENT", "--rate-plan: of a mean, at that confidence (10)"),
	OPT_TEXT(0, "literal", &literal, "counts,t", "as published: only counts above 0; the t test"),
	OPT_TEXT(0, "spike", &spike, "N", "standard deviations that make an anomaly (6)"),
	OPT_DURATION(0, "stuck", &given.stuck_ns, "TIME", "in one busy stack makes a stuck thread (10m)"),
	OPT_END
};

static double
parse_number(const char *option, const char *text, double usual, double least, double most)
{
	double value;
	char *end;

	if (text == NULL)
		return usual;
	value = strtod(text, &end);
	if (*end == '%')
		end++;
	if (end == text || *end != '\0' || !(value >= least && value <= most))
		program_usage("--%s: expected a number from %g to %g, not '%s'", option, least, most, text);
	return value;
}

static void
read_constants(struct settings *s)
{
	static const char *const names[] = { "alpha", "beta", "kappa", "gamma", "delta", "phi" };
	double *const at[] = { &s->constants.alpha, &s->constants.beta, &s->constants.kappa, &s->constants.gamma, &s->constants.delta, &s->constants.phi };
	const char *text = constants;

	s->constants = trend_constants_usual;
	s->constants_given = constants != NULL;
	while (text != NULL && *text != '\0') {
		size_t size = strcspn(text, "="), which = 0;
		char *end = NULL;

		while (which < 6 && (strlen(names[which]) != size || memcmp(names[which], text, size) != 0))
			which++;
		if (which < 6 && text[size] == '=')
			*at[which] = strtod(text + size + 1, &end);
		if (end == NULL || end == text + size + 1 || (*end != '\0' && *end != ',') || !(*at[which] >= 0 && *at[which] < 1))
			program_usage("--constants: expected alpha, beta, kappa, gamma, delta or phi, = and a number from 0 to below 1, not '%s'", text);
		text = end + (*end == ',');
	}
}

static void
read_kinds(struct settings *s)
{
	const char *const *names = series_kind_names;
	const char *text = kinds;

	for (unsigned k = 0; k < 5; k++)
		s->kinds[k] = kinds == NULL;
	while (text != NULL && *text != '\0') {
		size_t size = strcspn(text, ","), which = 0;

		while (which < 5 && (strlen(names[which]) != size || memcmp(names[which], text, size) != 0))
			which++;
		if (which == 5)
			program_usage("--kind: expected class, segment, group, metric or counter, not '%.*s'", (int)size, text);
		s->kinds[which] = true;
		text += size + (text[size] == ',');
	}
}

static void
read_view(struct settings *s)
{
	const char *format = program_common.format;
	int views = predict + factors + forecast + anomalies + plan + (against != NULL) + (explain != NULL) + (s->alerts_count > 0);

	if (views > 1)
		program_usage("--predict, --factors, --forecast, --against, --anomalies, --alert, --explain and --rate-plan: only one at a time");
	s->form = ROWS_TEXT;
	if (format != NULL && strcmp(format, "tsv") == 0)
		s->form = ROWS_TSV;
	else if (format != NULL && strcmp(format, "ndjson") == 0)
		s->form = ROWS_NDJSON;
	else if (format != NULL && strcmp(format, "text") != 0 && strcmp(format, "stream") != 0)
		program_usage("-f: expected text, tsv, ndjson or stream, not '%s'", format);
	s->view = predict ? TREND_PREDICT : factors ? TREND_FACTORS : against != NULL ? TREND_AGAINST : anomalies ? TREND_ANOMALIES : s->alerts_count > 0 ? TREND_ALERT : explain != NULL ? TREND_EXPLAIN :
		  plan ? TREND_RATE_PLAN : forecast ? TREND_FORECAST : s->csv_given || s->limits_count > 0 || (format != NULL && strcmp(format, "stream") != 0) ? TREND_TABLE : TREND_RECORDS;
	if (format != NULL && strcmp(format, "stream") == 0)
		s->view = TREND_RECORDS;
	s->subject = against != NULL ? against : explain;
	if (s->csv_given && s->view == TREND_RECORDS && format != NULL)
		program_usage("-f stream: a plain series becomes records with stkcap: stkcap FILE | stktrend");
	if (s->csv_given && s->state != NULL)
		program_usage("--state: is for streams; a CSV is read whole, with constants fitted to all of it");
	if (s->csv_given && (s->view == TREND_AGAINST || s->view == TREND_RATE_PLAN))
		program_usage("--against and --rate-plan: want a stream (stkcap reads CSV files of metrics)");
}

static void
warn_left_out(void *context, const char *text)
{
	(void)context;
	program_warn("%s", text);
}

struct trend_options
settings_of_engines(const struct settings *s)
{
	struct trend_options to = {
		.series = s->series, .also = s->view == TREND_AGAINST ? s->subject : NULL, .follow_all = s->state != NULL,
		.keep_history = s->view == TREND_FORECAST, .keep_errors = s->subject != NULL,
		.periods = s->periods, .holidays = s->holidays, .slot_ns = s->slot_ns, .step_ns = s->step_ns, .zone = s->zone, .fit_zone = s->fit_zone,
		.additive = s->additive, .multiplicative = s->multiplicative, .smooth_given = s->smooth_given, .smooth = s->smooth,
		.constants_given = s->constants_given, .constants = s->constants, .clip = s->clip, .literal_counts = s->literal_counts,
		.watch = s->watch, .stuck_ns = s->stuck_ns, .confidence = s->confidence, .lag_ns = s->lag_ns, .relative_error = s->relative_error,
		.listener = { .left_out = warn_left_out }
	};

	memcpy(to.kinds, s->kinds, sizeof to.kinds);
	return to;
}

void
settings_choose(struct settings *s, bool to_terminal)
{
	if (s->view == TREND_RECORDS && to_terminal && program_common.format == NULL)
		s->view = TREND_TABLE;
}

int
settings_read(struct settings *s, int argc, char **argv, const char *columns, int64_t now_ns)
{
	struct stk_error err = { 0 };
	int first = program_begin("stktrend", "how every series moves, what comes next, and what explains another", "[FILE | DIR | -]...", "text, tsv, ndjson, stream", options, argc, argv);
	int64_t width = columns == NULL ? 0 : strtol(columns, NULL, 10);

	*s = given;
	s->now_ns = now_ns;
	s->fit_zone = zone != NULL && strcmp(zone, "fit") == 0;
	if (zone != NULL && !s->fit_zone && time_zone_open(&s->zone, zone, &err) < 0)
		program_usage("%s", err.text);
	read_constants(s);
	read_kinds(s);
	read_view(s);
	s->smooth_given = smooth != NULL;
	s->smooth = smooth == NULL || strcmp(smooth, "none") == 0 ? SPAR_NONE : parse_number("smooth", smooth, 0, -1, 2);
	s->clip = parse_number("clip", clip, 6, 0, 1000);
	s->confidence = parse_number("confidence", confidence, 95, 50, 99.99) / 100;
	s->relative_error = parse_number("error", error, 10, 0.1, 100) / 100;
	s->discovery = parse_number("fdr", discovery, 5, 0, 100) / 100;
	s->watch = watch_rules_usual;
	s->watch.spike = parse_number("spike", spike, s->watch.spike, 2, 100);
	if (literal != NULL) {
		s->literal_counts = strstr(literal, "counts") != NULL;
		s->literal_test = strcmp(literal, "t") == 0 || strstr(literal, ",t") != NULL || strstr(literal, "t,") == literal;
		if (!s->literal_counts && !s->literal_test)
			program_usage("--literal: expected counts, t or both with a comma, not '%s'", literal);
	}
	if (s->additive && s->multiplicative)
		program_usage("--additive and --multiplicative: only one of them");
	if (s->slot_ns > 0 && DAY_NS % s->slot_ns != 0)
		program_usage("--slot: expected a part of a day such as 15m, 30m or 1h");
	if (s->horizon_ns <= 0)
		s->horizon_ns = DAY_NS;
	s->lag_ns = s->lag_ns > 0 ? s->lag_ns : INT64_C(3600000000000);
	s->stuck_ns = s->stuck_ns > 0 ? s->stuck_ns : INT64_C(600000000000);
	s->top = s->top > 0 ? s->top : 20;
	s->width = width < 60 ? WIDTH_USUAL : width > 1000 ? 1000 : width;
	return first;
}

void
settings_release(struct settings *s)
{
	for (unsigned i = 0; i < s->limits_count; i++)
		free((char *)(uintptr_t)s->limits[i].series);
	time_zone_close(s->zone);
}
