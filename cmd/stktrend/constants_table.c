/* SPDX-License-Identifier: MIT
 * constants_table: --fit-constants: those with which the series of a stream would have been predicted best. */
#include "trend_views.h"

#include "trend/trend_fit.h"

#include <stdlib.h>

#define EVALUATIONS 200

struct pasts {
	struct trend_past *at;
	size_t count, room;
};

static void
add_past(struct pasts *pasts, const struct series *s, const struct trend_rules *rules)
{
	struct trend_point *points = mem_new(s->history.count + 1, sizeof *points);

	for (size_t i = 0; i < s->history.count; i++)
		points[i] = (struct trend_point){ .time_ns = s->history.at[i].time_ns,
						  .value = s->history.at[i].value,
						  .weight = 1 };
	trend_points_place(rules, points, s->history.count);
	*array_push(pasts) = (struct trend_past){ points, s->history.count, s->filter.dumps };
}

static int
print_constants(const struct trends *t, const struct trend_constants *c, double error, size_t used,
		struct stk_error *err)
{
	static const char *const names[] = {
		"alpha", "beta", "kappa", "gamma", "delta", "phi", "error", "series", NULL
	};
	const double values[] = { c->alpha, c->beta, c->kappa, c->gamma, c->delta, c->phi, error };
	struct row_printer rows;

	if (t->settings->form == ROWS_TEXT) {
		add_format(&t->printer->text,
			   "--constants alpha=%.4g,beta=%.4g,kappa=%.4g,gamma=%.4g,delta=%.4g,phi=%.4g\n", c->alpha,
			   c->beta, c->kappa, c->gamma, c->delta, c->phi);
		printer_remark(t->printer,
			       "mean error of one step: %.1f %% of what it is with the constants in use, over %zu %s",
			       100 * error, used, used == 1 ? "series" : "series together");
		return printer_settle(t->printer, true, err);
	}
	row_printer_begin(&rows, t->settings->form, t->printer, names);
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		row_real(&rows, values[i], 6);
	row_count(&rows, used);
	return row_printer_end(&rows, err);
}

/* The last stage that one of them has reached: seasons of a week, of a day, or none. */
static unsigned
last_stage(const struct series_set *set, const uint32_t *order, size_t count)
{
	unsigned stage = 0;

	for (size_t i = 0; i < count; i++) {
		const struct series *s = series_set_at(set, order[i]);

		if (s->stage < set->stages && s->stage > stage)
			stage = s->stage;
	}
	return stage;
}

int
show_constants(const struct trends *t, struct stk_error *err)
{
	size_t count, used = 0;
	uint32_t *order = series_set_by_level(t->set, &count);
	struct pasts pasts = { 0 };
	struct trend_rules rules;
	double error = 1;
	unsigned stage;
	int result;

	count = count > (size_t)t->settings->top ? (size_t)t->settings->top : count;
	stage = last_stage(t->set, order, count);
	rules = t->set->rules[stage];
	for (size_t i = 0; i < count; i++)
		if (series_set_at(t->set, order[i])->stage == stage)
			add_past(&pasts, series_set_at(t->set, order[i]), &rules);
	free(order);
	if (pasts.count > 0)
		error = trend_fit_many(&rules, pasts.at, pasts.count, EVALUATIONS, &used);
	for (size_t i = 0; i < pasts.count; i++)
		free((struct trend_point *)(uintptr_t)pasts.at[i].points);
	array_release(&pasts);
	*t->too_early = used == 0;
	result =
		used > 0
			? print_constants(t, &rules.constants, error, used, err)
			: stk_fail(
				  err, STK_EUSAGE,
				  "--fit-constants: no series has more than the two cycles that its seasons are made of");
	return result;
}
