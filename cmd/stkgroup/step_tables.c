/* SPDX-License-Identifier: MIT
 * step_tables: sums of steps are moved out of the groupings and back. */
#include "step_tables.h"

#include <stdlib.h>

static int
show_step(struct step_tables *t, int64_t from_ns, struct stk_error *err)
{
	const struct scheme_set *set = t->of->set;

	t->of->window.from = from_ns;
	t->shown = true;
	t->last = from_ns;
	if (show_table(t->of, err) < 0)
		return -1;
	for (unsigned i = 0; i < set->count; i++)
		event_time_shown(grouping_events(set->groupings[i]), from_ns);
	return 0;
}

int
step_tables_end(struct step_tables *t, int64_t from_ns, struct stk_error *err)
{
	const struct scheme_set *set = t->of->set;
	struct kept_step *step;

	if (!t->keep)
		return show_step(t, from_ns, err);
	step = array_push(&t->kept);
	*step = (struct kept_step){ .from = from_ns };
	for (unsigned i = 0; i < set->count; i++)
		grouping_take_sums(set->groupings[i], &step->sums[i]);
	return 0;
}

/* The next step with events after the last one that was shown. */
static bool
next_of_events(const struct step_tables *t, int64_t *from_ns)
{
	const struct scheme_set *set = t->of->set;
	bool found = false;

	for (unsigned i = 0; i < set->count; i++) {
		int64_t part;

		if (event_time_next(grouping_events(set->groupings[i]), t->shown ? t->last + 1 : INT64_MIN, &part) &&
		    (!found || part < *from_ns)) {
			*from_ns = part;
			found = true;
		}
	}
	return found;
}

static void
put_back(const struct scheme_set *set, struct kept_step *step)
{
	for (unsigned i = 0; i < set->count; i++) {
		grouping_put_sums(set->groupings[i], &step->sums[i]);
		step->sums[i] = (struct kept_sums){ 0 };
	}
}

int
step_tables_finish(struct step_tables *t, struct stk_error *err)
{
	struct scheme_set *set = t->of->set;
	size_t k = 0;
	int64_t from = 0;

	for (;;) {
		bool events = next_of_events(t, &from), samples = k < t->kept.count;

		if (!events && !samples)
			return 0;
		scheme_set_clear(set);
		if (samples && (!events || t->kept.at[k].from <= from)) {
			from = t->kept.at[k].from;
			put_back(set, &t->kept.at[k++]);
		}
		if (show_step(t, from, err) < 0)
			return -1;
	}
}

void
step_tables_release(struct step_tables *t)
{
	for (size_t k = 0; k < t->kept.count; k++)
		for (unsigned i = 0; i < SCHEMES_MOST; i++)
			free(t->kept.at[k].sums[i].at);
	array_release(&t->kept);
}
