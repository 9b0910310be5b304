/* SPDX-License-Identifier: MIT
 * step_tables: sums of steps are moved out of the groupings and back. */
#include "step_tables.h"

#include "program/program.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JUST_OVER_S 60

/* The place of a step, or where it belongs. */
static size_t
place_of(const struct step_tables *t, int64_t from_ns)
{
	size_t low = 0, high = t->kept.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->kept.at[middle].from < from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
put_back(struct step_tables *t, struct kept_step *step)
{
	for (unsigned i = 0; i < step->count; i++)
		grouping_put_sums(t->set->groupings[i], &step->sums[i]);
	free(step->sums);
	step->sums = NULL;
	step->count = 0;
}

void
step_tables_begin(struct step_tables *t, int64_t from_ns)
{
	size_t place = place_of(t, from_ns);

	if (place < t->kept.count && t->kept.at[place].from == from_ns)
		put_back(t, &t->kept.at[place]);
}

int
step_tables_end(struct step_tables *t, int64_t from_ns, struct stk_error *err)
{
	size_t place = place_of(t, from_ns);
	struct kept_step *step;

	if (t->at_once) {
		t->shown = t->shown_any && t->shown > from_ns ? t->shown : from_ns;
		t->shown_any = true;
		return t->show(t->context, from_ns, err);
	}
	if (place == t->kept.count || t->kept.at[place].from != from_ns) {
		(void)array_push(&t->kept);
		memmove(t->kept.at + place + 1, t->kept.at + place,
			(t->kept.count - 1 - place) * sizeof *t->kept.at);
	}
	step = &t->kept.at[place];
	*step = (struct kept_step){ from_ns, t->set->count, mem_new(t->set->count + 1, sizeof *step->sums) };
	for (unsigned i = 0; i < t->set->count; i++)
		grouping_take_sums(t->set->groupings[i], &step->sums[i]);
	return 0;
}

void
step_tables_tell_waiting(struct step_tables *t, const struct input *input, int64_t until_ns)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (t->at_once || t->told || input == NULL || !input_ends_for_good(input) ||
	    until_ns / 1000000000 < (int64_t)now.tv_sec - JUST_OVER_S)
		return;
	t->told = true;
	program_say("steps are shown when the input ends; --follow shows each when the next begins");
}

/* The first step from a time on that has events. */
static bool
next_of_events(const struct step_tables *t, int64_t from_ns, int64_t *next)
{
	bool found = false;

	for (unsigned i = 0; i < t->set->count; i++) {
		int64_t part;

		if (event_time_next(grouping_events(t->set->groupings[i]), from_ns, &part) &&
		    (!found || part < *next)) {
			*next = part;
			found = true;
		}
	}
	return found;
}

/* What was shown at once are the steps of samples. */
static int
show_rest(struct step_tables *t, struct stk_error *err)
{
	for (int64_t next = INT64_MIN, from = 0; next_of_events(t, next, &from); next = from + 1) {
		if (t->shown_any && !t->again && from <= t->shown)
			continue;
		scheme_set_clear(t->set);
		if (t->show(t->context, from, err) < 0)
			return -1;
	}
	return 0;
}

int
step_tables_finish(struct step_tables *t, struct stk_error *err)
{
	int64_t next = INT64_MIN, from = 0;

	for (size_t k = 0; !t->at_once; next = from + 1) {
		bool events = next_of_events(t, next, &from), samples = k < t->kept.count;

		if (!events && !samples)
			break;
		scheme_set_clear(t->set);
		if (samples && (!events || t->kept.at[k].from <= from)) {
			from = t->kept.at[k].from;
			put_back(t, &t->kept.at[k++]);
		}
		if (t->show(t->context, from, err) < 0)
			return -1;
	}
	return t->at_once ? show_rest(t, err) : 0;
}

void
step_tables_release(struct step_tables *t)
{
	for (size_t k = 0; k < t->kept.count; k++) {
		for (unsigned i = 0; i < t->kept.at[k].count; i++)
			free(t->kept.at[k].sums[i].at);
		free(t->kept.at[k].sums);
	}
	array_release(&t->kept);
}
