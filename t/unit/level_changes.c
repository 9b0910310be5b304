/* SPDX-License-Identifier: MIT
 * level_changes: figures of a reference program, and what must not change the result. */
#include "../lib/tap.h"

#include "trend/level_changes.h"

#include <math.h>

static double
uniform(uint64_t *state)
{
	*state = (1103515245 * *state + 12345) % 2147483648u;
	return (double)*state / 2147483648.0;
}

/* Levels 100, 106 from 100 on, 103 from 200 on, and a wild value at 150. */
static void
make_golden(double x[300])
{
	uint64_t state = 1;

	for (int i = 0; i < 300; i++) {
		double a = uniform(&state), b = uniform(&state), c = uniform(&state);

		x[i] = 100 + 2 * (a + b + c - 1.5) + (i >= 100 ? 6 : 0) - (i >= 200 ? 3 : 0) + (i == 150 ? 40 : 0);
	}
}

static bool
near(double a, double b, double by)
{
	return fabs(a - b) <= by;
}

static size_t
find(const double *x, size_t count, size_t places[10])
{
	struct level_change *changes;
	size_t found = level_changes_find(x, count, &level_rules_usual, &changes);

	for (size_t i = 0; i < found && i < 10; i++)
		places[i] = changes[i].from;
	free(changes);
	return found;
}

static void
test_golden(void)
{
	double x[300], y[300], sum = 0;
	struct level_change *changes;
	size_t found, places[10];

	make_golden(x);
	for (int i = 0; i < 300; i++)
		sum += x[i];
	ok(near(sum, 30957.740062861, 1e-6), "the series is that of the reference");
	ok(near(rank_difference(x, 300, 100), 13.853194025841404, 1e-9), "z of the first split");
	found = level_changes_find(x, 300, &level_rules_usual, &changes);
	ok(found == 2 && changes[0].from == 100 && changes[1].from == 200, "two changes, and the wild value is none");
	ok(near(changes[0].score, 5.559131299, 1e-6) && near(changes[1].score, 4.385649738, 1e-6), "their scores");
	ok(near(rank_difference(x + 75, 50, 25), 6.063390626, 1e-6) &&
		   near(rank_difference(x + 175, 50, 25), 5.830556426, 1e-6),
	   "z of the ranks beside them");
	ok(near(changes[0].before, 100, 0.3) && near(changes[0].after, 106, 0.8) && near(changes[1].after, 103, 0.3),
	   "levels before and after");
	free(changes);
	for (int i = 0; i < 300; i++)
		y[i] = 1e6 - 3 * x[i];
	ok(find(y, 300, places) == 2 && places[0] == 100 && places[1] == 200, "another unit changes nothing");
	for (int i = 0; i < 300; i++)
		y[i] = x[299 - i];
	ok(find(y, 300, places) == 2 && places[0] >= 99 && places[0] <= 101 && places[1] >= 199 && places[1] <= 201,
	   "backwards they are in the same places");
}

static void
test_edges(void)
{
	double x[40], grows[400];
	size_t places[10];
	uint64_t state = 3;

	for (size_t n = 0; n < 12; n++) {
		for (size_t i = 0; i < n; i++)
			x[i] = i < n / 2 ? 1 : 9;
		if (find(x, n, places) != 0)
			break;
		if (n == 11)
			ok(true, "fewer than 12 values have no change");
	}
	for (size_t i = 0; i < 40; i++)
		x[i] = 5;
	ok(find(x, 40, places) == 0, "equal values have none");
	x[20] = 6;
	ok(find(x, 40, places) == 0, "one that differs is none");
	for (size_t i = 0; i < 40; i++)
		x[i] = i < 20 ? 5 : 6;
	ok(find(x, 40, places) == 1 && places[0] == 20, "a step without noise is one");
	for (size_t i = 0; i < 40; i++)
		x[i] = uniform(&state);
	ok(find(x, 40, places) == 0, "noise has none");
	for (size_t i = 0; i < 400; i++)
		grows[i] = 100 + 0.1 * (double)i + uniform(&state);
	ok(find(grows, 400, places) == 0, "a series that only grows has none");
	for (size_t i = 250; i < 400; i++)
		grows[i] += 60;
	ok(find(grows, 400, places) == 1 && places[0] == 250, "... but one where it jumps");
}

/* A step of a size in normal-like noise of standard deviation 1, from `at` on; neighbours are alike by r. */
static void
make_step(double *x, size_t count, size_t at, double size, double r, uint64_t state)
{
	double rest = 0;

	for (size_t i = 0; i < count; i++) {
		double sum = -6;

		for (int k = 0; k < 12; k++)
			sum += uniform(&state);
		rest = r * rest + sqrt(1 - r * r) * sum;
		x[i] = rest + (i >= at ? size : 0);
	}
}

static void
test_what_people_mark(void)
{
	double x[900];
	size_t places[10], count, fresh = 0, quiet = 0, wanders = 0;
	struct judged_place *judged;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		make_step(x, 900, 880, 2.5, 0, seed);
		fresh += find(x, 900, places) == 1 && places[0] >= 875 && places[0] <= 885;
		make_step(x, 900, 0, 0, 0.3, seed);
		quiet += find(x, 900, places);
		make_step(x, 250, 0, 0, 0.3, seed);
		wanders += find(x, 250, places);
	}
	ok(fresh >= 9, "a change of the last twenty values is told at once");
	ok(quiet <= 3 && wanders <= 3, "noise whose neighbours are somewhat alike has few");
	make_step(x, 900, 450, 2, 0, 3);
	ok(find(x, 900, places) == 1 && places[0] >= 445 && places[0] <= 455, "a low step that lasts is one");
	count = level_places_judge(x, 900, &level_rules_usual, &judged);
	ok(count >= 1, "... and among the places that are judged");
	for (size_t i = 0; i < count; i++)
		if (judged[i].at == places[0]) {
			ok(is_worth_marking(level_chance(judged[i].figures)), "... with a chance that is high enough");
			judged[i].figures[0] = judged[i].figures[1] = judged[i].figures[2] = judged[i].figures[3] = 0;
			ok(!is_worth_marking(level_chance(judged[i].figures)), "... but not if the levels were the same");
			judged[i].figures[3] = INFINITY;
			ok(level_chance(judged[i].figures) < 1, "a figure beyond what was learnt counts as the greatest");
		}
	free(judged);
}

static void
test_long(void)
{
	size_t count = 50000, places[10];
	double *x = malloc(count * sizeof *x);
	uint64_t state = 5;

	for (size_t i = 0; i < count; i++)
		x[i] = uniform(&state) + (i >= 30000 ? 2 : 0);
	ok(find(x, count, places) == 1 && places[0] >= 29997 && places[0] <= 30003, "a long record is averaged");
	free(x);
}

int
main(void)
{
	test_golden();
	test_edges();
	test_what_people_mark();
	test_long();
	return tap_end();
}
