/* SPDX-License-Identifier: MIT
 * ranking_days: what seasons leave is compared with what it is by chance some days apart, also when a step is a day or
 * more. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "trend/ranking.h"

#include <math.h>

#define HOUR  INT64_C(3600000000000)
#define DAY   (24 * HOUR)
#define SLOTS 24
#define STEPS 60

static struct trend_options options = { .kinds = { true, true, true, true, true },
					.periods = "day",
					.slot_ns = HOUR,
					.smooth = SPAR_NONE,
					.clip = 6,
					.confidence = 0.95,
					.relative_error = 0.1,
					.keep_errors = true,
					.constants = { .alpha = 0.25, .gamma = 0.15, .delta = 0.02 } };

/* A series with a season, which leaves 1 and -1 by turns. */
static uint32_t
add_series(struct series_set *set, enum stk_series kind, const char *name, int turn)
{
	uint32_t number = series_set_find(set, kind, text_from(name), text_of("", 0));
	struct series *s = series_set_edit(set, number);

	s->stage = 1;
	s->rules = &set->rules[1];
	s->begun = true;
	trend_filter_open(&s->filter, s->rules, 0, 1, true);
	for (unsigned k = 0; k < season_slots(s->rules->calendar); k++)
		s->filter.factors[k] = 1 + (double)(k * 7919 % 101) / 101;
	for (int i = 0; i < STEPS; i++) {
		struct kept_point *error = array_push(&s->errors);

		error->time_ns = i * set->step_ns;
		error->value = i / turn % 2 == 0 ? 1 : -1;
	}
	return number;
}

/* How likely it is by chance that both go together, when they take turns every `turn` steps. */
static double
chance_of(int64_t step_ns, int turn)
{
	struct series_set *set;
	struct stk_error err = { 0 };
	struct ranking ranking;
	uint32_t subject;
	double p;

	options.step_ns = step_ns;
	if (series_set_open(&set, &options, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(99);
	}
	subject = add_series(set, STK_SERIES_METRIC, "heap", turn);
	(void)add_series(set, STK_SERIES_CLASS, "class", turn);
	ok(ranking_make(&ranking, set, subject) && ranking.count == 1 && ranking.at[0].together > 0.999,
	   "they go together");
	p = ranking.at[0].p;
	ranking_release(&ranking);
	series_set_close(set);
	return p;
}

int
main(void)
{
	double half = chance_of(DAY / 2, 1), halves = chance_of(DAY / 2, 2), day = chance_of(DAY, 1),
	       two = chance_of(2 * DAY, 1);

	ok(halves < half, "opposites a day apart are less by chance than equals: %.3g, %.3g", halves, half);
	ok(day < half, "when a step is a day, the next one is a day apart: %.3g", day);
	ok(fabs(two - day) < day * 1e-9, "when it is longer, too: %.3g", two);
	return tap_end();
}
