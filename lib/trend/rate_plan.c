/* SPDX-License-Identifier: MIT
 * rate_plan: each slot gets the rate of the series that wants the most dumps in it. */
#include "trend/rate_plan.h"

#include "base/time_math.h"
#include "trend/sampling_plan.h"

#include <math.h>
#include <stdlib.h>

#define PLANNED_MOST 10		/* hottest series that a plan is made for */

struct planning {
	const struct series_set *set;
	const struct season_calendar *calendar;		/* of all that are planned for */
	uint32_t planned[PLANNED_MOST];
	unsigned count;
	struct sampling_goal goal;
};

static bool
sets_the_rate(const struct planning *p, const struct series *s)
{
	return s->kind <= STK_SERIES_GROUP && s->filter.factors != NULL && s->filter.level >= RATE_PLAN_LEAST &&
	       (p->calendar == NULL || s->rules->calendar == p->calendar);
}

static void
choose_series(struct planning *p)
{
	size_t count;
	uint32_t *order = series_set_by_level(p->set, &count);

	for (size_t i = 0; i < count && p->count < PLANNED_MOST; i++) {
		const struct series *s = series_set_at(p->set, order[i]);

		if (!sets_the_rate(p, s))
			continue;
		p->calendar = s->rules->calendar;
		p->planned[p->count++] = order[i];
	}
	free(order);
}

static struct sampling_goal
goal_of(const struct planning *p)
{
	const struct trend_options *o = p->set->options;
	double slot_hours = (double)season_slot_ns(p->calendar) / HOUR_NS;

	return (struct sampling_goal){
		.relative_error = o->relative_error, .confidence = o->confidence, .gamma = o->constants.gamma,
		.slot_hours = slot_hours,
		.least_hours = 1 / 3600.0, .most_hours = slot_hours
	};
}

static struct planned_slot
plan_slot(const struct planning *p, const struct season_period *period, unsigned slot)
{
	struct planned_slot is = {
		.period = period, .slot = slot, .of_day_s = (int64_t)slot * season_slot_ns(p->calendar) / 1000000000,
		.interval_hours = p->goal.most_hours
	};

	for (unsigned i = 0; i < p->count; i++) {
		const struct series *s = series_set_at(p->set, p->planned[i]);
		double factor = s->filter.factors[period->first + slot];
		double intensity = s->rules->additive ? s->filter.level + factor : s->filter.level * factor;
		double interval =
			intensity >= RATE_PLAN_LEAST ? sampling_interval(&p->goal, intensity) : p->goal.most_hours;

		if (interval >= is.interval_hours && is.series != 0)
			continue;
		is.interval_hours = fmin(interval, is.interval_hours);
		is.series = p->planned[i];
	}
	is.dumps = (uint64_t)int64_of(ceil(p->goal.slot_hours / is.interval_hours - 1e-9));
	return is;
}

bool
rate_plan_make(struct rate_plan *plan, const struct series_set *set)
{
	struct planning p = { .set = set };

	*plan = (struct rate_plan){ 0 };
	choose_series(&p);
	if (p.count == 0)
		return false;
	p.goal = goal_of(&p);
	for (unsigned i = 0; i < season_periods(p.calendar); i++)
		for (unsigned slot = 0; slot < season_period(p.calendar, i)->slots; slot++)
			*array_push(&plan->slots) = plan_slot(&p, season_period(p.calendar, i), slot);
	return true;
}

void
rate_plan_release(struct rate_plan *plan)
{
	array_release(&plan->slots);
}
