/* SPDX-License-Identifier: MIT
 * restarts: falls of the slots as they are, or of what the wave of the day leaves of them: a fall each evening is no
 * restart, and the wave must not hide one. */
#include "trend/restarts.h"

#include "base/memory.h"
#include "trend/epochs.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_LEAST 8
#define CLEARLY 10.0 /* less misfit that other restarts must have */
#define ROUNDS 4

struct search {
	const struct capacity_slot *slots;
	size_t count;
	double *days, *level; /* the values, or what the wave leaves of them */
	size_t *starts, epochs; /* the best so far */
	double misfit;
};

/* Takes other cuts when they explain the slots clearly better. */
static void
offer_cuts(struct search *s, double deviations)
{
	size_t *starts, epochs = epochs_find(s->days, s->level, s->count, deviations, &starts);
	double misfit;

	if (epochs == s->epochs && memcmp(starts, s->starts, epochs * sizeof *starts) == 0) {
		free(starts);
		return;
	}
	misfit = capacity_misfit(s->slots, s->count, starts, epochs);
	if (!(misfit < s->misfit - CLEARLY)) {
		free(starts);
		return;
	}
	free(s->starts);
	s->starts = starts;
	s->epochs = epochs;
	s->misfit = misfit;
}

/* The wave is known the better the more restarts are. */
static void
search(struct search *s)
{
	static const double deviations[] = { EPOCHS_FALL, 4.5, 3 };
	static const size_t none = 0;

	for (int round = 0; round < ROUNDS; round++) {
		for (size_t d = 0; d < sizeof deviations / sizeof *deviations; d++)
			offer_cuts(s, deviations[d]);
		capacity_take_wave_off(s->slots, s->count, round == 0 ? &none : s->starts, round == 0 ? 1 : s->epochs,
				       s->level);
	}
}

size_t
restarts_find(const struct capacity_slot *slots, size_t count, size_t **starts)
{
	struct search s = { .slots = slots, .count = count, .starts = mem_new(1, sizeof *s.starts), .epochs = 1 };

	if (count >= SLOTS_LEAST) {
		s.days = mem_new(count, sizeof *s.days);
		s.level = mem_new(count, sizeof *s.level);
		for (size_t i = 0; i < count; i++) {
			s.days[i] = slots[i].at.day;
			s.level[i] = slots[i].value;
		}
		s.misfit = capacity_misfit(slots, count, s.starts, s.epochs);
		search(&s);
		free(s.days);
		free(s.level);
	}
	*starts = s.starts;
	return s.epochs;
}
