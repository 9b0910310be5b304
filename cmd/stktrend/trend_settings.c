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

#define DAY_NS           INT64_C(86400000000000)
#define ALERT_CORRELATED 0.2	/* of level_rules, for --alert */

static struct settings given = {
	.horizon_ns = DAY_NS, .lag_ns = INT64_C(3600000000000), .stuck_ns = INT64_C(600000000000), .top = 20,
	.clip = 6, .confidence = 95, .relative_error = 10, .discovery = 5, .season_method = SEASON_T
};
static const char *zone, *against, *explain, *regressions, *constants, *smooth, *moment, *between;
static double spike;
static uint64_t kinds, literal;
static bool predict, factors, anomalies, plan, changes, seasons, fit;

enum literals { LITERAL_COUNTS = 1, LITERAL_T = 2 };

static int
take_alert(const char *value, struct stk_error *err)
{
	if (given.alerts_count == ALERTS_MOST)
		return stk_fail(err, STK_EUSAGE, "more than %d rules", ALERTS_MOST);
	given.alerts[given.alerts_count++] = value;
	return 0;
}

static int
take_limit(const char *value, struct stk_error *err)
{
	const char *equals = strrchr(value, '=');
	struct limit *limit = &given.limits[given.limits_count];
	char *name;

	if (given.limits_count == LIMITS_MOST)
		return stk_fail(err, STK_EUSAGE, "more than %d limits", LIMITS_MOST);
	if (equals == NULL || equals == value || !amount_parse(equals + 1, &limit->value))
		return stk_fail(err, STK_EUSAGE, "expected SERIES=VALUE such as heap.used=4G, not '%s'", value);
	name = mem_new(1, (size_t)(equals - value) + 1);
	memcpy(name, value, (size_t)(equals - value));
	limit->series = name;
	limit->text = equals + 1;
	given.limits_count++;
	return 0;
}

static const struct option_row moment_options[] = {
	OPT_TIME(0, "at", &moment, "TIME", "--changes: this moment (default: the one that divides best)"),
	OPT_TEXT(0, "between", &between, "FROM..TO", "--changes: before FROM against after TO"),
	OPT_ONE_OF("at between"),
	OPT_END
};

static const struct option_row filter_options[] = {
	OPT_FLAG(0, "additive", &given.additive, "add seasons to the level"),
	OPT_FLAG(0, "multiplicative", &given.multiplicative, "multiply the level by seasons"),
	OPT_TEXT(0, "smooth", &smooth, "SPAR", "smooth seasonal factors by a spline: 0 to 1, or none"),
	OPT_TEXT(0, "constants", &constants, "NAME=N,...", "alpha, beta, kappa, gamma, delta (per hour), phi"),
	OPT_FLAG(0, "fit-constants", &fit, "show the constants that suit the series of a stream best, for --constants"),
	OPT_REAL(0, "clip", &given.clip, 0, 1000, "N", "cut errors at N mean deviations (6; 0: never)"),
	OPT_LIST(0, "literal", &literal, "WHAT", "counts (only above 0), t (test)", "compute as published"),
	OPT_ONE_OF("additive multiplicative"),
	OPT_END
};

static const struct option_row rank_options[] = {
	OPT_DURATION(0, "lag", &given.lag_ns, "TIME", "--against: longest shift in either direction (1h)"),
	OPT_FLAG(0, "high-season", &given.high_season, "--against: by the latest high season alone; takes a year"),
	OPT_END
};

static const struct option_row options[] = {
	OPT_HEADING("input"),
	OPT_TEXT(0, "csv", &given.csv, "FILE", "read plain series in place of a stream: CSV or TSV with a header"),
	OPT_TEXT(0, "column", &given.column, "NAME,...", "--csv: columns of values (default: all that are numbers)"),
	OPT_TEXT(0, "time-column", &given.time, "NAME", "--csv: column of times (default: the first)"),
	OPT_LIST(0, "kind", &kinds, "KIND,...", "class, segment, group, metric, counter", "only these of a stream"),
	OPT_TEXTS(0, "series", &given.series, "PATTERN", "only these; * matches any text; may be repeated"),
	OPT_WRITTEN(0, "resume", &given.state, "FILE", "resume from FILE, and keep it up to date"),
	OPT_FLAG(0, "merge", &given.merge, "join the inputs, which are states, each series in one of them"),
	OPT_TABLE_NAMED(sample_choice_options, "select samples, see stkpipe(7)"),
	OPT_HEADING("output"),
	OPT_FLAG(0, "predict", &predict, "show each measure and its prediction one step ahead"),
	OPT_FLAG(0, "factors", &factors, "show seasonal factors"),
	OPT_FLAG(0, "seasons", &seasons, "show which days, weeks, ... years are alike: r, t, p, n of each pair"),
	OPT_DURATION(0, "forecast", &given.horizon_ns, "TIME", "forecast the next 24h, 7d, ..."),
	OPT_TEXT(0, "against", &against, "SERIES", "show which series explain this one: heap.used"),
	OPT_TAKE(0, "limit", take_limit, "SERIES=VALUE", "show when a value will be reached: heap.used=4G; may be repeated"),
	OPT_FLAG(0, "anomalies", &anomalies, "show anomalies"),
	OPT_FLAG(0, "changes", &changes, "show what is another after a moment than before, and which moment"),
	OPT_TAKE(0, "alert", take_alert, "RULE", "one line per finding, status 4: 'shift of jdbc*'; may be repeated"),
	OPT_TEXT(0, "explain", &explain, "SERIES", "show the state of its filters, and why"),
	OPT_TEXT(0, "regressions", &regressions, "SERIES", "show rival lines through it, and what measures count for"),
	OPT_FLAG(0, "rate-plan", &plan, "show how often to take dumps; -o FILE.yaml: for stkcap --adaptive"),
	OPT_FLAG(0, "all", &given.all_changes, "also show anomalies that ended, or moved between siblings"),
	OPT_NUMBER(0, "top", &given.top, "N", "rows of a table (20)"),
	OPT_TABLE_NAMED(moment_options, "the moment of --changes (default: the one that divides the input best)"),
	OPT_HEADING("method"),
	OPT_TEXT(0, "periods", &given.periods, "RULES", "none, day, week, weekdays, months, or NAME=DAYS,..."),
	OPT_DURATION(0, "season-step", &given.slot_ns, "TIME", "length of a season's slots (15m)"),
	OPT_DURATION(0, "step", &given.step_ns, "TIME", "average the measures of a stream over TIME (one slot)"),
	OPT_TEXT(0, "holidays", &given.holidays, "FILE", "read holidays from lines of DATE NAME, or iCalendar"),
	OPT_TEXT(0, "zone", &zone, "ZONE", "zone of times and days; fit: the one that suits the series of --csv"),
	OPT_CHOICE(0, "season-test", &given.season_method, "TEST", "shift, t (the default), fisher, permutation, effective",
		   "--seasons: p by"),
	OPT_TABLE_NAMED(filter_options, "the filters themselves, see stktrend(1)"),
	OPT_TABLE_NAMED(rank_options, "what --against compares, see stktrend(1)"),
	OPT_PERCENT(0, "fdr", &given.discovery, 0, 100, "PERCENT", "--against, --changes: share of claims that may be false (5)"),
	OPT_PERCENT(0, "confidence", &given.confidence, 50, 99.99, "PERCENT", "confidence level of intervals (95)"),
	OPT_PERCENT(0, "error", &given.relative_error, 0.1, 100, "PERCENT",
		    "--rate-plan: error of a mean, at --confidence (10)"),
	OPT_REAL(0, "spike", &spike, 2, 100, "N", "standard deviations that count as an anomaly (6)"),
	OPT_DURATION(0, "stuck", &given.stuck_ns, "TIME", "time in one busy stack that makes a thread stuck (10m)"),
	OPT_OLD("time", "time-column"),
	OPT_OLD("slot", "season-step"),
	OPT_ONE_OF("predict factors seasons forecast against anomalies changes alert explain regressions rate-plan fit-constants"),
	OPT_ONE_OF("csv resume"),
	OPT_ONE_OF("csv against"),
	OPT_ONE_OF("csv rate-plan"),
	OPT_ONE_OF("csv changes"),
	OPT_ONE_OF("csv fit-constants"),
	OPT_ONE_OF("resume fit-constants"),
	OPT_ONE_OF("merge csv"),
	OPT_ONE_OF("merge changes fit-constants"),
	OPT_ONE_OF("merge seasons"),
	OPT_ONE_OF("merge high-season"),
	OPT_ONE_OF("resume changes"),
	OPT_ONE_OF("resume seasons"),
	OPT_ONE_OF("resume high-season"),
	OPT_NEEDS("at", "changes"),
	OPT_NEEDS("between", "changes"),
	OPT_NEEDS("column", "csv"),
	OPT_NEEDS("time-column", "csv"),
	OPT_NEEDS("predict", "csv"),
	OPT_NEEDS("lag", "against"),
	OPT_NEEDS("season-test", "seasons"),
	OPT_NEEDS("high-season", "against"),
	OPT_NEEDS("error", "rate-plan"),
	OPT_END
};

static void
read_constants(struct settings *s)
{
	static const char *const names[] = { "alpha", "beta", "kappa", "gamma", "delta", "phi" };
	double *const at[] = { &s->constants.alpha, &s->constants.beta,  &s->constants.kappa,
			       &s->constants.gamma, &s->constants.delta, &s->constants.phi };
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
		if (end == NULL || end == text + size + 1 || (*end != '\0' && *end != ',') ||
		    !(*at[which] >= 0 && *at[which] < 1))
			program_usage(
				"--constants: expected NAME=N with alpha, beta, kappa, gamma, delta or phi and 0 <= N < 1, not '%s'",
				text);
		text = end + (*end == ',');
	}
}

static void
read_kinds(struct settings *s)
{
	for (unsigned k = 0; k < sizeof s->kinds / sizeof *s->kinds; k++)
		s->kinds[k] = kinds == 0 || (kinds >> k & 1) != 0;
}

static enum trend_view
view_given(const struct settings *s, const char *format)
{
	if (format != NULL && strcmp(format, "stream") == 0)
		return TREND_RECORDS;
	if (predict)
		return TREND_PREDICT;
	if (factors)
		return TREND_FACTORS;
	if (against != NULL)
		return TREND_AGAINST;
	if (anomalies)
		return TREND_ANOMALIES;
	if (s->alerts_count > 0)
		return TREND_ALERT;
	if (explain != NULL)
		return TREND_EXPLAIN;
	if (plan)
		return TREND_RATE_PLAN;
	if (changes)
		return TREND_CHANGES;
	if (seasons)
		return TREND_SEASONS;
	if (fit)
		return TREND_CONSTANTS;
	if (regressions != NULL)
		return TREND_REGRESSIONS;
	if (program_given("forecast"))
		return TREND_FORECAST;
	if (format != NULL && strcmp(format, "openmetrics") == 0 && s->limits_count == 0)
		return TREND_GAUGES;
	return s->csv_given || s->merge || s->limits_count > 0 || format != NULL ? TREND_TABLE : TREND_RECORDS;
}

/* A plan is written as YAML when the format or the name of the file says so. */
static void
read_plan_form(struct settings *s, const char *format)
{
	const char *output = program_common.output, *end = output != NULL ? strrchr(output, '.') : NULL;
	bool wanted = format != NULL && strcmp(format, "yaml") == 0;

	if (wanted && s->view != TREND_RATE_PLAN)
		program_usage("-f yaml needs --rate-plan");
	s->yaml = wanted || (s->view == TREND_RATE_PLAN && format == NULL && end != NULL &&
			     (strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0));
}

static void
read_view(struct settings *s)
{
	const char *format = program_common.format;

	s->csv_given = s->csv != NULL;
	s->form = ROWS_TEXT;
	if (format != NULL && strcmp(format, "tsv") == 0)
		s->form = ROWS_TSV;
	else if (format != NULL && strcmp(format, "ndjson") == 0)
		s->form = ROWS_NDJSON;
	s->view = view_given(s, format);
	if (program_given("top") && (s->form != ROWS_TEXT || s->view == TREND_RECORDS || s->view == TREND_GAUGES))
		program_usage("--top works only with -f text: other formats have all rows");
	if (format != NULL && strcmp(format, "openmetrics") == 0 && s->view != TREND_GAUGES)
		program_usage("-f openmetrics writes the table of series: leave out --anomalies, --limit and the like");
	read_plan_form(s, format);
	s->subject = against != NULL ? against : regressions != NULL ? regressions : explain;
	s->holders = against != NULL;
	if (s->csv_given && s->view == TREND_RECORDS)
		program_usage("-f stream: --csv cannot be written as records; use stkcap FILE | stktrend");
	if ((changes || seasons || fit || regressions != NULL) && s->view == TREND_RECORDS)
		program_usage("-f stream: --%s cannot be written as records",
			      changes ? "changes" : seasons ? "seasons" : fit ? "fit-constants" : "regressions");
	if (program_given("fdr") && against == NULL && !changes)
		program_usage("--fdr needs --against or --changes");
	if (s->merge && (sample_choice_has_window() || sample_choice_is_filtered()))
		program_usage("--merge: --from, --thread and the like select rows of a stream, and states have none");
	if (s->csv_given && (sample_choice_has_window() || sample_choice_is_filtered()))
		program_usage("--csv: --from, --thread and the like select rows of a stream only");
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
	struct trend_options to = { .series = s->series.at,
				    .series_count = s->series.count,
				    .also = s->view == TREND_AGAINST ? s->subject : NULL,
				    .follow_all = s->state != NULL || s->merge,
				    .keep_history = s->view == TREND_FORECAST || s->view == TREND_SEASONS ||
						    s->view == TREND_REGRESSIONS || s->view == TREND_CONSTANTS ||
						    s->high_season,
				    .keep_errors = against != NULL || explain != NULL,
				    .keep_steps = s->view == TREND_RECORDS,
				    .keep_counts = s->view == TREND_CHANGES,
				    .keep_hours = s->holders,
				    .periods = s->periods,
				    .holidays = s->holidays,
				    .slot_ns = s->slot_ns,
				    .step_ns = s->step_ns,
				    .zone = s->zone,
				    .fit_zone = s->fit_zone,
				    .additive = s->additive,
				    .multiplicative = s->multiplicative,
				    .smooth_given = s->smooth_given,
				    .smooth = s->smooth,
				    .constants_given = s->constants_given,
				    .constants = s->constants,
				    .clip = s->clip,
				    .literal_counts = s->literal_counts,
				    .watch = s->watch,
				    .levels = level_rules_usual,
				    .stuck_ns = s->stuck_ns,
				    .confidence = s->confidence,
				    .lag_ns = s->lag_ns,
				    .high_season = s->high_season,
				    .relative_error = s->relative_error,
				    .listener = { .left_out = warn_left_out } };

	memcpy(to.kinds, s->kinds, sizeof to.kinds);
	if (s->view == TREND_ALERT)	/* nobody looks at a picture first */
		to.levels.correlated = ALERT_CORRELATED;
	return to;
}

void
settings_choose(struct settings *s, bool to_terminal)
{
	if (s->view == TREND_RECORDS && to_terminal && program_common.format == NULL)
		s->view = TREND_TABLE;
}

/* The zone also defines the days of seasons, and may be fitted to the series. */
static void
read_zone(struct settings *s, char **operands, int count)
{
	s->fit_zone = zone != NULL && strcmp(zone, "fit") == 0;
	if (!s->fit_zone)
		sample_choice_set_zone(zone);
	if (s->csv_given || s->merge)
		sample_choice_read(&s->choice, NULL, 0);
	else
		sample_choice_read(&s->choice, operands, count);
	s->zone = s->choice.zone;
}

/* The moment of --changes, relative to the end of the input as other times are. */
static void
read_moment(struct settings *s, char **operands, int count)
{
	const struct time_zone *typed;
	struct stk_error err = { 0 };
	int result = 0;

	if ((moment != NULL || between != NULL) && !sample_choice_has_window())
		sample_choice_refer(&s->choice, operands, count);
	typed = sample_choice_typing_zone(&s->choice);
	s->changed = (struct time_window){ STK_TIME_UNKNOWN, STK_TIME_UNKNOWN };
	if (between != NULL)
		result = time_window_parse(between, s->choice.last_ns, typed, &s->changed, &err);
	else if (moment != NULL)
		result = time_parse(moment, s->choice.last_ns, typed, &s->changed.from_ns, &err);
	if (result < 0)
		program_usage("--%s: %s", between != NULL ? "between" : "at", err.text);
	if (between == NULL)
		s->changed.to_ns = s->changed.from_ns;
	else if (s->changed.from_ns == INT64_MIN || s->changed.to_ns == INT64_MAX)
		program_usage("--between %s: expected two moments, FROM..TO", between);
	else if (s->changed.from_ns > s->changed.to_ns)
		program_usage("--between %s: it ends before it begins", between);
}

static void
read_model(struct settings *s)
{
	double spar = SPAR_NONE;

	if (smooth != NULL && strcmp(smooth, "none") != 0 &&
	    (!real_parse(smooth, false, &spar) || spar < -1 || spar > 2))
		program_usage("--smooth: expected a number from -1 to 2, or none, not '%s'", smooth);
	s->smooth_given = smooth != NULL;
	s->smooth = spar;
	s->confidence /= 100;
	s->relative_error /= 100;
	s->discovery /= 100;
	s->watch = watch_rules_usual;
	if (program_given("spike"))
		s->watch.spike = spike;
	s->literal_counts = (literal & LITERAL_COUNTS) != 0;
	s->literal_test = (literal & LITERAL_T) != 0;
	if (s->periods != NULL && strchr(s->periods, '*') != NULL && !s->csv_given)
		program_usage("--periods %s: a season of the year upon others needs --csv", s->periods);
	if (s->slot_ns > 0 && DAY_NS % s->slot_ns != 0)
		program_usage("--season-step: expected a duration that divides a day, such as 15m, 30m or 1h");
}

int
settings_read(struct settings *s, int argc, char **argv, int64_t now_ns)
{
	int first;

	program_confine(NULL);
	first = program_begin("stktrend", "follow series over time, forecast them, and find what explains them",
				  "[FILE | DIR | -]...", "text, tsv, ndjson, stream, openmetrics, yaml", options, argc, argv);

	*s = given;
	s->now_ns = now_ns;
	read_constants(s);
	read_kinds(s);
	read_view(s);
	read_model(s);
	read_zone(s, argv + first, argc - first);
	read_moment(s, argv + first, argc - first);
	s->top = s->top > 0 ? s->top : 20;
	return first;
}

struct settings_identity
settings_identify(const struct settings *s)
{
	struct settings_identity is;
	char chosen[400];

	sample_choice_describe(chosen, sizeof chosen);
	(void)snprintf(
		is.former, sizeof is.former,
		"periods=%.300s slot=%lld step=%lld additive=%d constants=%.9g,%.9g,%.9g,%.9g,%.9g,%.9g clip=%.9g smooth=%.9g literal=%d%s",
		s->periods == NULL ? "" : s->periods, (long long)s->slot_ns, (long long)s->step_ns, s->additive,
		s->constants.alpha, s->constants.beta, s->constants.kappa, s->constants.gamma, s->constants.delta,
		s->constants.phi, s->clip, s->smooth, s->literal_counts, chosen);
	(void)snprintf(is.present, sizeof is.present, "%s multiplicative=%d zone=%s stuck=%lld spike=%.9g", is.former,
		       s->multiplicative, time_zone_is_utc(s->zone) ? "UTC" : s->choice.zone_name,
		       (long long)s->stuck_ns, s->watch.spike);
	return is;
}

void
settings_release(struct settings *s)
{
	for (unsigned i = 0; i < s->limits_count; i++)
		free((char *)(uintptr_t)s->limits[i].series);
	sample_choice_release(&s->choice);
}
