/* SPDX-License-Identifier: MIT
 * epochs: restarts are found where they are, the line is that of the time since, and a record without any has one
 * epoch. */
#include "../lib/tap.h"

#include "trend/epochs.h"

#include <math.h>

#define COUNT 480		/* hours */

static double
uniform(uint64_t *state)
{
	*state = (1103515245 * *state + 12345) % 2147483648u;
	return (double)*state / 2147483648.0;
}

/* 50 a day, set back at the days of `starts`. */
static void
make_saw(double *x, double *y, const double *starts, size_t restarts)
{
	uint64_t state = 3;
	double since = 0;

	for (size_t i = 0; i < COUNT; i++) {
		double day = (double)i / 24;

		for (size_t k = 0; k < restarts; k++)
			since = day >= starts[k] ? starts[k] : since;
		x[i] = day;
		y[i] = 500 + 50 * (day - since) + 8 * (uniform(&state) - 0.5);
	}
}

static void
test_saw(void)
{
	static const double days[] = { 6, 13 };
	double x[COUNT], y[COUNT];
	size_t *starts, epochs;
	struct robust_line line;

	make_saw(x, y, days, 2);
	epochs = epochs_find(x, y, COUNT, EPOCHS_FALL, &starts);
	ok(epochs == 3 && starts[0] == 0 && starts[1] == 144 && starts[2] == 312, "two restarts, each at its hour");
	line = epochs_line(x, y, COUNT, starts, epochs);
	ok(fabs(line.slope - 50) < 0.2 && line.slope_error < 0.1, "the slope is that between restarts");
	ok(fabs(line_at(&line, 20) - 850) < 2, "... from where the last one set it");
	free(starts);
	epochs = epochs_find(x, y, 312 + 5, EPOCHS_FALL, &starts);
	line = epochs_line(x, y, 312 + 5, starts, epochs);
	ok(epochs == 3 && fabs(line.slope - 50) < 1, "just after a restart the slope is that of earlier times");
	free(starts);
}

static void
test_none(void)
{
	double x[COUNT], y[COUNT];
	size_t *starts;
	struct robust_line line, whole;

	make_saw(x, y, NULL, 0);
	ok(epochs_find(x, y, COUNT, EPOCHS_FALL, &starts) == 1, "a series that only grows has one epoch");
	line = epochs_line(x, y, COUNT, starts, 1);
	whole = robust_line(x, y, COUNT, LINE_BISQUARE, true, 0);
	ok(line.slope == whole.slope && line.at_middle == whole.at_middle, "... and its line is that through all");
	free(starts);
	for (size_t i = 0; i < COUNT; i++)
		y[i] = 500 + 100 * sin((double)i * M_PI / 12) + (i == 200 ? -300 : 0);
	ok(epochs_find(x, y, COUNT, EPOCHS_FALL, &starts) == 1, "neither waves nor a single low measure are restarts");
	free(starts);
	for (size_t n = 0; n <= 3; n++) {
		size_t epochs = epochs_find(x, y, n, EPOCHS_FALL, &starts);

		ok(epochs == 1 && starts[0] == 0, "%zu measures are one epoch", n);
		line = epochs_line(x, y, n, starts, epochs);
		ok(!isnan(line_at(&line, 0)), "... with a line that is a number");
		free(starts);
	}
}

int
main(void)
{
	test_saw();
	test_none();
	return tap_end();
}
