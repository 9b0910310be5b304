/* SPDX-License-Identifier: MIT
 * level_figures: what stktrend judges in whole records, for scripts/fit-changes: of each line of numbers the places
 * that may be changes of its level, a line each: the number of the record from 0, the place, its figures. */
#include "base/array.h"
#include "trend/level_changes.h"

#include <stdio.h>

static void
write_places(size_t record, const double *values, size_t count)
{
	struct judged_place *places;
	size_t judged = level_places_judge(values, count, &level_rules_usual, &places);

	for (size_t i = 0; i < judged; i++) {
		printf("%zu %zu", record, places[i].at);
		for (size_t k = 0; k < LEVEL_FIGURES; k++)
			printf(" %.17g", places[i].figures[k]);
		putchar('\n');
	}
	free(places);
}

int
main(void)
{
	ARRAY(double) values = { 0 };
	double value;
	int next;

	for (size_t record = 0; scanf("%lf", &value) == 1;) {
		*array_push(&values) = value;
		while ((next = getchar()) == ' ')
			;
		if (next == '\n' || next == EOF) {
			write_places(record++, values.at, values.count);
			values.count = 0;
		} else
			ungetc(next, stdin);
	}
	array_release(&values);
	return 0;
}
