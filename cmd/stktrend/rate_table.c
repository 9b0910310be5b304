/* SPDX-License-Identifier: MIT
 * rate_table: how often to take dumps, as a table, or as a file for stkcap --adaptive. */
#include "series_text.h"
#include "trend_views.h"

#include "base/quantities.h"
#include "base/time_math.h"
#include "program/program.h"
#include "trend/rate_plan.h"

#include <math.h>

#define MS_AN_HOUR 3.6e6

/* "at most 9.7 %" */
static double
percent(double part)
{
	return ceil(part * 1000 - 1e-6) / 10;
}

/* The class as people and --series know it. */
static void
add_known_name(const struct series *s, struct text_buffer *to)
{
	struct text_buffer name = { 0 };

	add_series(s, &name);
	add_masked(to, text_in(&name, 0));
	array_release(&name);
}

/* --- what the plan does not give --- */

static void
warn_of_shortfalls(const struct trends *t, const struct rate_plan *plan)
{
	struct text_buffer name = { 0 };

	for (size_t i = 0; i < plan->left_out.count; i++) {
		name.count = 0;
		add_known_name(series_set_at(t->set, plan->left_out.at[i]), &name);
		program_warn("%.*s is left out: it has no season yet, or fewer than %.1f threads a dump", (int)name.count,
			     name.at, RATE_PLAN_LEAST);
	}
	for (size_t i = 0; i < plan->held.count; i++) {
		const struct held_series *held = &plan->held.at[i];

		if (held->slots_short == 0)
			continue;
		name.count = 0;
		add_known_name(series_set_at(t->set, held->number), &name);
		program_warn("%.*s: in %u of %u slots a dump every second does not give %.3g %%, but %.1f %% at worst",
			     (int)name.count, name.at, held->slots_short, held->slots,
			     t->settings->relative_error * 100, percent(held->error));
	}
	array_release(&name);
}

static double
saving(const struct rate_plan *plan)
{
	return 100 * (1 - plan->dumps_a_week / plan->steady_a_week);
}

/* --- a table --- */

static void
slot_row(const struct trends *t, struct row_printer *rows, const struct planned_slot *is,
	 const struct series_labels *labels, size_t i, struct text_buffer *text)
{
	char interval[TIME_TEXT_MAX];

	text->count = 0;
	add_format(text, "%02d:%02d", (int)(is->of_day_s / 3600 % 24), (int)(is->of_day_s / 60 % 60));
	row_text(rows, text_from(is->period->name));
	row_count(rows, is->slot);
	row_text(rows, text_in(text, 0));
	if (t->settings->form == ROWS_TEXT)
		row_text(rows, text_from(duration_print(interval, int64_of(is->interval_hours * HOUR_NS))));
	else
		row_real(rows, is->interval_hours * 3600, 3);
	row_count(rows, is->dumps);
	if (t->settings->form == ROWS_TEXT) {
		row_text(rows, labels->labels.at[i]);
		return;
	}
	text->count = 0;
	series_add_name(series_set_at(t->set, is->series), text);
	row_text(rows, text_in(text, 0));
	row_text(rows, series_set_at(t->set, is->series)->label);
}

static int
show_slots(const struct trends *t, const struct rate_plan *plan, struct stk_error *err)
{
	static const char *const few[] = { "period", "slot#?", "at", "interval#", "dumps#", "series>", NULL },
				 *const all[] = { "period", "slot#?", "at", "interval#", "dumps#", "series>", "label", NULL };
	bool people = t->settings->form == ROWS_TEXT;
	struct series_labels labels = { 0 };
	struct row_printer rows;
	struct text_buffer text = { 0 };
	int result;

	for (size_t i = 0; i < plan->slots.count; i++)
		series_labels_add(&labels, t->set, plan->slots.at[i].series);
	series_labels_make(&labels);
	row_printer_begin(&rows, t->settings->form, t->printer, people ? few : all);
	for (size_t i = 0; i < plan->slots.count; i++)
		slot_row(t, &rows, &plan->slots.at[i], &labels, i, &text);
	array_release(&text);
	series_labels_release(&labels);
	result = row_printer_end(&rows, err);
	if (result == 0 && people)
		printer_remark(t->printer,
			       "%zu series to within %.3g %% at %.4g %%: %.0f dumps a week, %.0f %% fewer than the %.0f at one rate",
			       plan->held.count, t->settings->relative_error * 100, t->settings->confidence * 100,
			       plan->dumps_a_week, saving(plan), plan->steady_a_week);
	return result;
}

/* --- a file --- */

static const char *
zone_of_plan(const struct trends *t, char local[TIME_TEXT_MAX])
{
	const char *name = t->settings->choice.zone_name;

	if (name == NULL)
		return "UTC";
	if (strcmp(name, "local") != 0)
		return name;
	return *time_zone_local_name(local) != '\0' ? local : "local";
}

static void
add_head(const struct trends *t, const struct rate_plan *plan, struct text_buffer *to)
{
	char local[TIME_TEXT_MAX], step[TIME_TEXT_MAX];

	add_format(to,
		   "# how often to take dumps: stkcap --adaptive=FILE\n"
		   "# %.0f dumps a week; the shortest interval at all times would be %.0f: %.0f %% fewer\n"
		   "rate-plan: 1\n"
		   "zone: %s\n"
		   "season-step: %s\n"
		   "periods: ",
		   plan->dumps_a_week, plan->steady_a_week, saving(plan), zone_of_plan(t, local),
		   duration_print(step, season_slot_ns(plan->calendar)));
	add_yaml_text(to, text_from(season_calendar_rules(plan->calendar)));
	add_format(to, "\nconfidence: %.4g%%\nerror: %.4g%%\n", t->settings->confidence * 100,
		   t->settings->relative_error * 100);
}

static void
add_held(const struct trends *t, const struct rate_plan *plan, struct text_buffer *to)
{
	struct text_buffer name = { 0 };

	add_char(to, '\n');
	add_string(to, "# what is known so exactly; worst: its error in the slot where it is the greatest\nheld:\n");
	for (size_t i = 0; i < plan->held.count; i++) {
		const struct held_series *held = &plan->held.at[i];
		const struct series *s = series_set_at(t->set, held->number);

		name.count = 0;
		add_known_name(s, &name);
		add_string(to, "  - series: ");
		add_yaml_text(to, text_in(&name, 0));
		add_format(to, "\n    threads: %.3g\n    worst: %.1f%%\n", series_level(s), percent(held->error));
	}
	array_release(&name);
}

static void
add_holidays(const struct rate_plan *plan, struct text_buffer *to)
{
	int64_t day, last = INT64_MIN;
	const char *name;

	for (size_t i = 0; season_calendar_holiday_at(plan->calendar, i, &day, &name); i++) {
		struct time_civil date;

		if (i == 0)
			add_string(to, "\nholidays:\n");
		if (day == last)	/* the first name of a day counts */
			continue;
		last = day;
		time_civil_of(&date, day * 86400);
		add_format(to, "  %04d-%02d-%02d: ", date.year, date.month, date.day);
		add_yaml_text(to, text_from(name));
		add_char(to, '\n');
	}
}

/* As short as it can be said exactly; rounded up, so that a slot gets the dumps that were planned, and not one more. */
static void
add_interval(double hours, struct text_buffer *to)
{
	int64_t ms = int64_of(ceil(hours * MS_AN_HOUR - 1e-6)), same;
	struct stk_error err = { 0 };
	char text[TIME_TEXT_MAX];

	if (duration_parse(duration_print(text, ms * 1000000), &same, &err) == 0 && same == ms * 1000000)
		add_string(to, text);
	else
		add_format(to, "%lld.%03llds", (long long)(ms / 1000), (long long)(ms % 1000));
}

/* From when on dumps are so far apart: slots that say what the one before them says are left out. */
static void
add_slots(const struct rate_plan *plan, struct text_buffer *to)
{
	double slot_hours = (double)season_slot_ns(plan->calendar) / HOUR_NS;
	const struct season_period *period = NULL;
	uint64_t dumps = 0;

	add_string(to, "\n# from when on dumps are how far apart; 24:00 begins the second day of a period\ndumps:\n");
	for (size_t i = 0; i < plan->slots.count; i++) {
		const struct planned_slot *is = &plan->slots.at[i];
		int minutes = (int)(is->of_day_s / 60);

		if (is->period == period && is->dumps == dumps)
			continue;
		if (is->period != period) {
			add_string(to, "  ");
			add_yaml_text(to, text_from(is->period->name));
			add_string(to, ":\n");
		}
		period = is->period;
		dumps = is->dumps;
		add_format(to, "    %02d:%02d", minutes / 60, minutes % 60);
		if (is->of_day_s % 60 != 0)
			add_format(to, ":%02d", (int)(is->of_day_s % 60));
		add_string(to, ": ");
		add_interval(slot_hours / (double)dumps, to);
		add_char(to, '\n');
	}
}

static int
write_file(const struct trends *t, const struct rate_plan *plan, struct stk_error *err)
{
	add_head(t, plan, &t->printer->text);
	add_held(t, plan, &t->printer->text);
	add_holidays(plan, &t->printer->text);
	add_slots(plan, &t->printer->text);
	return printer_settle(t->printer, false, err);
}

int
show_rate_plan(const struct trends *t, struct stk_error *err)
{
	struct rate_plan plan;
	int result;

	if (!rate_plan_make(&plan, t->set)) {
		rate_plan_release(&plan);
		*t->too_early = true;
		return stk_fail(
			err, STK_EUSAGE,
			"--rate-plan: no class, segment or group has a season and %.1f threads a dump: two days of dumps are needed",
			RATE_PLAN_LEAST);
	}
	warn_of_shortfalls(t, &plan);
	result = t->settings->yaml ? write_file(t, &plan, err) : show_slots(t, &plan, err);
	rate_plan_release(&plan);
	return result;
}
