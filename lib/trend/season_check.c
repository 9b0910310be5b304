/* SPDX-License-Identifier: MIT
 * season_check: sums for a correlation; as many independent pairs as the smoothness of the factors leaves. */
#include "trend/season_check.h"

#include "trend/season_test.h"

#include <math.h>

static double
independent_pairs(const struct trend_filter *f, const struct trend_rules *rules, double n)
{
	double pairs = 0;

	for (unsigned p = 0; p < season_periods(rules->calendar); p++) {
		const struct season_period *period = season_period(rules->calendar, p);
		const double *factors = f->factors + period->first;

		if (!isnan(correlation(factors, factors, period->slots, NULL)))
			pairs += effective_pairs(factors, factors, period->slots, 0);
	}
	return fmin(pairs, n);
}

static void
judge(struct season_check *c)
{
	double xx = c->xx - c->x * c->x / c->n, ss = c->ss - c->s * c->s / c->n, xs = c->xs - c->x * c->s / c->n;

	c->measures = c->n;
	c->r = c->strength = 0;
	if (c->n < 4 || xx <= 1e-12 * c->xx || ss <= 1e-12 * c->ss)
		return;
	c->r = fmax(-1, fmin(1, xs / sqrt(xx * ss)));
	/* what is left is the variance that factors do not explain */
	c->strength = fmax(0, 1 - (xx + ss - 2 * xs) / xx);
}

double
season_check_p(const struct season_check *c, const struct trend_filter *f, const struct trend_rules *rules,
	       bool literal)
{
	if (f->factors == NULL || c->measures <= 0)
		return NAN;
	return correlation_p(c->r, literal ? c->measures : independent_pairs(f, rules, c->measures));
}

void
season_check_take(struct season_check *c, const struct trend_filter *f, const struct trend_rules *rules,
		  const struct season_place *place, double value)
{
	double x, s;

	if (f->factors == NULL)
		return;
	if (c->until == 0 || place->day >= c->until) {
		if (c->n > 0)
			judge(c);
		c->n = c->x = c->s = c->xx = c->ss = c->xs = 0;
		c->until = place->day + season_cycle_days(rules->calendar);
	}
	if (!rules->additive && !(f->level > 0))
		return;
	s = trend_filter_factor(f, rules, place);
	x = rules->additive ? value - f->level : value / f->level;
	c->n++;
	c->x += x;
	c->s += s;
	c->xx += x * x;
	c->ss += s * s;
	c->xs += x * s;
}
