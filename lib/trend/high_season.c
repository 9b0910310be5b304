/* SPDX-License-Identifier: MIT
 * high_season: a closure: from the highest month on, neighbours join while they are above the threshold. */
#include "trend/high_season.h"

#define PART 0.85

static size_t
highest(const double *factors, size_t n, unsigned tie)
{
	size_t best = 0, last;

	for (size_t i = 1; i < n; i++)
		if (factors[i] > factors[best])
			best = i;
	last = best;
	for (size_t i = best + 1; i < n && tie > 1; i++)
		if (factors[i] >= factors[best]) {
			last = i;
			tie--;
		}
	return last;
}

double
high_season(const double *factors, size_t n, unsigned tie, bool *high)
{
	double least = factors[0], most = factors[0], threshold;
	size_t top = highest(factors, n, tie);

	for (size_t i = 0; i < n; i++) {
		least = factors[i] < least ? factors[i] : least;
		most = factors[i] > most ? factors[i] : most;
		high[i] = false;
	}
	threshold = least + PART * (most - least);
	high[top] = true;
	for (size_t at = (top + 1) % n; !high[at] && factors[at] > threshold; at = (at + 1) % n)
		high[at] = true;
	for (size_t at = (top + n - 1) % n; !high[at] && factors[at] > threshold; at = (at + n - 1) % n)
		high[at] = true;
	return threshold;
}
