/* SPDX-License-Identifier: MIT
 * rate_plan: each slot gets the rate of the series that wants the most dumps in it. */
#include "trend/rate_plan.h"

#include "base/time_math.h"
#include "trend/sampling_plan.h"

#include <math.h>
#include <stdlib.h>

#define PLANNED_MOST  10		/* hottest series that a plan is made for when none are named */
#define LEAST_HOURS   (1 / 3600.0)	/* between dumps */
#define WEEK_HOURS    168
#define YEAR_WEEKS    52.1775
#define ALMOST        1.001		/* an error that is as good as the wanted one */

static bool
has_season(const struct rate_plan *plan, const struct series *s)
{
	return s->kind <= STK_SERIES_GROUP && s->filter.factors != NULL && s->filter.level >= RATE_PLAN_LEAST &&
	       (plan->calendar == NULL || s->rules->calendar == plan->calendar);
}

static void
choose_series(struct rate_plan *plan, const struct series_set *set)
{
	bool named = set->options->series_count > 0;
	size_t count;
	uint32_t *order = series_set_by_level(set, &count);

	for (size_t i = 0; i < count && (named || plan->held.count < PLANNED_MOST); i++) {
		const struct series *s = series_set_at(set, order[i]);

		if (!has_season(plan, s)) {
			if (named)
				*array_push(&plan->left_out) = order[i];
			continue;
		}
		plan->calendar = s->rules->calendar;
		*array_push(&plan->held) = (struct held_series){ .number = order[i] };
	}
	free(order);
}

static struct sampling_goal
goal_of(const struct rate_plan *plan, const struct series_set *set)
{
	const struct trend_options *o = set->options;
	double slot_hours = (double)season_slot_ns(plan->calendar) / HOUR_NS;

	return (struct sampling_goal){
		.relative_error = o->relative_error, .confidence = o->confidence, .gamma = o->constants.gamma,
		.slot_hours = slot_hours, .least_hours = LEAST_HOURS, .most_hours = slot_hours
	};
}

static double
intensity_in(const struct series_set *set, const struct held_series *held, const struct planned_slot *slot)
{
	const struct series *s = series_set_at(set, held->number);
	double factor = s->filter.factors[slot->period->first + slot->slot];

	return s->rules->additive ? s->filter.level + factor : s->filter.level * factor;
}

static void
plan_slot(const struct rate_plan *plan, const struct series_set *set, struct planned_slot *slot)
{
	struct sampling_goal goal = goal_of(plan, set);
	double slot_hours = goal.slot_hours;

	slot->of_day_s = (int64_t)slot->slot * season_slot_ns(plan->calendar) / 1000000000;
	slot->interval_hours = slot_hours;
	for (size_t i = 0; i < plan->held.count; i++) {
		const struct held_series *held = &plan->held.at[i];
		double intensity = intensity_in(set, held, slot);
		double interval = intensity >= RATE_PLAN_LEAST ? sampling_interval(&goal, intensity) : slot_hours;

		if (interval >= slot->interval_hours && slot->series != 0)
			continue;
		slot->interval_hours = fmin(interval, slot->interval_hours);
		slot->series = held->number;
	}
	slot->dumps = (uint64_t)int64_of(ceil(slot_hours / slot->interval_hours - 1e-9));
}

/* What the plan gives for a series: its error is by the root of the dumps that the goal needs and those it gets. */
static void
judge(const struct rate_plan *plan, const struct series_set *set, struct held_series *held)
{
	struct sampling_goal goal = goal_of(plan, set);

	for (size_t i = 0; i < plan->slots.count; i++) {
		const struct planned_slot *slot = &plan->slots.at[i];
		double intensity = intensity_in(set, held, slot), needed, error;

		if (intensity < RATE_PLAN_LEAST)
			continue;
		needed = sampling_dumps(&goal, intensity, goal.slot_hours / (double)slot->dumps);
		error = goal.relative_error * sqrt(needed / (double)slot->dumps);
		held->slots++;
		held->slots_short += error > goal.relative_error * ALMOST;
		held->error = fmax(held->error, error);
	}
}

static void
sum_up(struct rate_plan *plan)
{
	uint64_t most = 0;

	for (size_t i = 0; i < plan->slots.count; i++) {
		const struct planned_slot *slot = &plan->slots.at[i];

		plan->dumps_a_week += (double)slot->dumps * slot->period->cycles / YEAR_WEEKS;
		most = slot->dumps > most ? slot->dumps : most;
	}
	plan->steady_a_week = (double)most * WEEK_HOURS / ((double)season_slot_ns(plan->calendar) / HOUR_NS);
}

bool
rate_plan_make(struct rate_plan *plan, const struct series_set *set)
{
	*plan = (struct rate_plan){ 0 };
	choose_series(plan, set);
	if (plan->held.count == 0)
		return false;
	for (unsigned i = 0; i < season_periods(plan->calendar); i++) {
		const struct season_period *period = season_period(plan->calendar, i);

		for (unsigned slot = 0; slot < period->slots; slot++) {
			struct planned_slot is = { .period = period, .slot = slot };

			plan_slot(plan, set, &is);
			*array_push(&plan->slots) = is;
		}
	}
	for (size_t i = 0; i < plan->held.count; i++)
		judge(plan, set, &plan->held.at[i]);
	sum_up(plan);
	return true;
}

void
rate_plan_release(struct rate_plan *plan)
{
	array_release(&plan->slots);
	array_release(&plan->held);
	array_release(&plan->left_out);
}
