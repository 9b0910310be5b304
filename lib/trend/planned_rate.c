/* SPDX-License-Identifier: MIT
 * planned_rate: how many moments each slot of a season's calendar has. */
#include "trend/planned_rate.h"

#include "base/bytes.h"
#include "base/config_text.h"
#include "base/memory.h"
#include "base/quantities.h"
#include "base/time_math.h"
#include "base/time_text.h"
#include "trend/season_calendar.h"

#include <pthread.h>
#include <stdlib.h>

#define SECOND_NS INT64_C(1000000000)
#define DAY_S     86400
#define LEAST_NS  INT64_C(1000000)	/* between two moments: products of what fits into a day fit into 64 bits */

struct planned_rate {
	struct season_calendar *calendar;
	struct time_zone *zone;
	int64_t slot_ns, shortest_ns;
	int64_t *moments;		/* by slot of all periods */
	pthread_mutex_t lock;		/* a calendar remembers what it was asked for */
};

struct reading { const char *path; struct planned_rate *plan; };

static int
fail_at(const struct reading *r, const struct config_node *node, bool key, const char *what, struct stk_error *err)
{
	return stk_fail(err, STK_EUSAGE, "%s:%u:%u: %s", r->path, key ? node->key_line : node->line,
			key ? node->key_column : node->column, what);
}

/* --- the calendar --- */

static int
take_text(const struct reading *r, const struct config_node *root, const char *name, const struct config_node **out,
	  struct stk_error *err)
{
	*out = config_member(root, name);
	if (*out != NULL && (*out)->type == CONFIG_TEXT)
		return 0;
	return stk_fail(err, STK_EUSAGE, "%s: expected '%s: ...', as stktrend --rate-plan -o FILE.yaml writes it",
			r->path, name);
}

/* Of another name it would be a misspelled one, without effect. */
static int
check_names(const struct reading *r, const struct config_node *root, struct stk_error *err)
{
	static const char *const names[] = { "rate-plan", "zone", "season-step", "periods", "confidence", "error", "held",
					     "holidays", "dumps" };

	for (const struct config_node *at = root->first; at != NULL; at = at->next) {
		size_t i = 0;

		while (i < sizeof names / sizeof *names && !text_equal(at->key, text_from(names[i])))
			i++;
		if (i == sizeof names / sizeof *names)
			return fail_at(r, at, true, "not a part of a plan of rates", err);
	}
	return 0;
}

static int
take_holidays(const struct reading *r, const struct config_node *list, struct stk_error *err)
{
	if (list == NULL)
		return 0;
	if (list->type != CONFIG_MAP)
		return fail_at(r, list, false, "expected DATE: NAME", err);
	for (const struct config_node *at = list->first; at != NULL; at = at->next) {
		struct stk_error why = { 0 };
		int64_t day_ns;

		if (at->key.size != sizeof "2026-12-25" - 1 || at->key.data[4] != '-' ||
		    time_parse(at->key.data, 0, NULL, &day_ns, &why) < 0)
			return fail_at(r, at, true, "expected a date such as 2026-12-25", err);
		if (at->type != CONFIG_TEXT || at->text.size == 0)
			return fail_at(r, at, false, "expected the name of the holiday", err);
		if (season_calendar_holiday(r->plan->calendar, time_units(day_ns, DAY_S * SECOND_NS), at->text, err) <
		    0)
			return -1;
	}
	season_calendar_settle(r->plan->calendar);
	return 0;
}

static int
take_calendar(const struct reading *r, const struct config_node *root, struct stk_error *err)
{
	const struct config_node *version, *zone, *step, *periods;
	struct stk_error why = { 0 };

	if (take_text(r, root, "rate-plan", &version, err) < 0 || take_text(r, root, "zone", &zone, err) < 0 ||
	    take_text(r, root, "season-step", &step, err) < 0 || take_text(r, root, "periods", &periods, err) < 0 ||
	    check_names(r, root, err) < 0)
		return -1;
	if (!text_equal(version->text, text_from("1")))
		return fail_at(r, version, false, "expected version 1 of a plan of rates", err);
	if (time_zone_open(&r->plan->zone, zone->text.data, &why) < 0)
		return fail_at(r, zone, false, why.text, err);
	if (duration_parse(step->text.data, &r->plan->slot_ns, &why) < 0)
		return fail_at(r, step, false, why.text, err);
	if (season_calendar_open(&r->plan->calendar, periods->text.data, r->plan->slot_ns, r->plan->zone, 0, &why) < 0)
		return fail_at(r, periods, false, why.text, err);
	if (season_year_parts(r->plan->calendar) > 0 || season_cycle_days(r->plan->calendar) > 31)
		return fail_at(r, periods, false, "a plan is for days and weeks, not for a season of the year", err);
	return take_holidays(r, config_member(root, "holidays"), err);
}

/* --- the slots --- */

/* Digits at *at, at most so many: their value; -1: there are none. */
static int64_t
take_digits(const char **at, int most)
{
	int64_t value = -1;

	for (; most > 0 && **at >= '0' && **at <= '9'; most--, (*at)++)
		value = (value < 0 ? 0 : value * 10) + (**at - '0');
	return value;
}

/* ":15", or `otherwise`. */
static int64_t
take_part(const char **at, int64_t otherwise)
{
	if (**at != ':')
		return otherwise;
	++*at;
	return take_digits(at, 2);
}

/* "09:00", "24:15:30" on the second day: seconds; -1: it is none. */
static int64_t
seconds_of(const char *text)
{
	int64_t hours = take_digits(&text, 4), minutes = take_part(&text, -1), seconds = take_part(&text, 0);

	if (hours < 0 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59 || *text != '\0')
		return -1;
	return hours * 3600 + minutes * 60 + seconds;
}

/* As many moments as the interval fits into the slot. */
static int
take_interval(const struct reading *r, const struct config_node *at, int64_t *moments, struct stk_error *err)
{
	struct planned_rate *plan = r->plan;
	struct stk_error why = { 0 };
	int64_t interval;

	if (at->type != CONFIG_TEXT)
		return fail_at(r, at, false, "expected a duration such as 40s", err);
	if (duration_parse(at->text.data, &interval, &why) < 0)
		return fail_at(r, at, false, why.text, err);
	if (interval < LEAST_NS)
		return fail_at(r, at, false, "expected a duration of at least 1ms", err);
	*moments = plan->slot_ns <= interval ? 1 : (plan->slot_ns - 1) / interval + 1;
	if (plan->shortest_ns == 0 || plan->slot_ns / *moments < plan->shortest_ns)
		plan->shortest_ns = plan->slot_ns / *moments;
	return 0;
}

/* "09:00: 40s": from then on, up to what follows. */
static int
take_period(const struct reading *r, const struct season_period *period, const struct config_node *map,
	    struct stk_error *err)
{
	int64_t step_s = r->plan->slot_ns / SECOND_NS, next = 0, moments = 0;
	int64_t *slots = r->plan->moments + period->first;

	if (map->type != CONFIG_MAP || map->first == NULL)
		return fail_at(r, map, false, "expected 00:00: INTERVAL", err);
	for (const struct config_node *at = map->first; at != NULL; at = at->next) {
		int64_t from_s = seconds_of(at->key.data), slot;

		if (from_s < 0 || step_s == 0 || from_s % step_s != 0)
			return fail_at(r, at, true, "expected a time of day at which a slot begins, such as 09:00", err);
		slot = from_s / step_s;
		if (at == map->first && slot != 0)
			return fail_at(r, at, true, "expected 00:00 first", err);
		if (slot < next || slot >= period->slots)
			return fail_at(r, at, true, slot < next ? "expected times in their order"
								: "the period has fewer days", err);
		for (; next < slot; next++)
			slots[next] = moments;
		if (take_interval(r, at, &moments, err) < 0)
			return -1;
		slots[next++] = moments;
	}
	for (; next < period->slots; next++)
		slots[next] = moments;
	return 0;
}

static int
take_slots(const struct reading *r, const struct config_node *root, struct stk_error *err)
{
	const struct season_calendar *calendar = r->plan->calendar;
	const struct config_node *map = config_member(root, "dumps");

	if (map == NULL || map->type != CONFIG_MAP)
		return stk_fail(err, STK_EUSAGE, "%s: expected 'dumps:', with the intervals of each period", r->path);
	r->plan->moments = mem_new(season_slots(calendar), sizeof *r->plan->moments);
	for (unsigned p = 0; p < season_periods(calendar); p++) {
		const struct season_period *period = season_period(calendar, p);
		const struct config_node *of = config_member(map, period->name);

		if (of == NULL)
			return stk_fail(err, STK_EUSAGE, "%s:%u: dumps: the period '%s' is missing", r->path, map->line,
					period->name);
		if (take_period(r, period, of, err) < 0)
			return -1;
	}
	if (map->count != season_periods(calendar))
		return fail_at(r, map, false, "dumps: expected the periods of 'periods', and no others", err);
	return 0;
}

int
planned_rate_open(struct planned_rate **out, const char *path, struct stk_error *err)
{
	struct reading r = { .path = path, .plan = mem_new(1, sizeof *r.plan) };
	struct config *config = NULL;
	struct stk_error why = { 0 };
	int result = -1;

	*out = NULL;
	pthread_mutex_init(&r.plan->lock, NULL);
	if (config_read_file(&config, path, &why) < 0)
		(void)stk_fail(err, STK_EUSAGE, "%s", why.text);
	else if (config_root(config)->type != CONFIG_MAP)
		(void)stk_fail(err, STK_EUSAGE, "%s: expected a plan, as stktrend --rate-plan -o FILE.yaml writes it", path);
	else if (take_calendar(&r, config_root(config), err) == 0)
		result = take_slots(&r, config_root(config), err);
	config_close(config);
	if (result == 0)
		*out = r.plan;
	else
		planned_rate_close(r.plan);
	return result;
}

void
planned_rate_close(struct planned_rate *plan)
{
	if (plan == NULL)
		return;
	season_calendar_close(plan->calendar);
	time_zone_close(plan->zone);
	free(plan->moments);
	pthread_mutex_destroy(&plan->lock);
	free(plan);
}

/* --- asking --- */

/* The slot of a moment: how many moments it has, and how far into it this one is. */
static int64_t
slot_at(struct planned_rate *plan, int64_t time_ns, int64_t *into_ns)
{
	int64_t offset = time_zone_offset(plan->zone, time_units(time_ns, SECOND_NS)), of_day, moments;

	pthread_mutex_lock(&plan->lock);
	moments = plan->moments[season_place(plan->calendar, time_ns).slot];
	pthread_mutex_unlock(&plan->lock);
	of_day = (time_ns % (DAY_S * SECOND_NS) + offset * SECOND_NS) % plan->slot_ns;
	*into_ns = of_day < 0 ? of_day + plan->slot_ns : of_day;
	return moments;
}

/* The n-th of so many moments that are spread evenly over a slot; rounded up, so that moments are never too early. */
static int64_t
moment_of_slot(const struct planned_rate *plan, int64_t n, int64_t moments)
{
	return n * (plan->slot_ns / moments) + (n * (plan->slot_ns % moments) + moments - 1) / moments;
}

int64_t
planned_rate_next(struct planned_rate *plan, int64_t after_ns)
{
	int64_t into, moments = slot_at(plan, after_ns, &into), n = into / (plan->slot_ns / moments);

	while (n > 0 && moment_of_slot(plan, n, moments) > into)
		n--;
	return after_ns - into + (n + 1 < moments ? moment_of_slot(plan, n + 1, moments) : plan->slot_ns);
}

int64_t
planned_rate_interval(struct planned_rate *plan, int64_t time_ns)
{
	int64_t into, moments = slot_at(plan, time_ns, &into);

	return plan->slot_ns / moments;
}

int64_t
planned_rate_shortest(const struct planned_rate *plan)
{
	return plan->shortest_ns;
}
