/* SPDX-License-Identifier: MIT
 * effective_pairs: as many pairs count as the memory of both series leaves, computed by hand for series of eight. */
#include "../lib/tap.h"

#include "trend/season_test.h"

#include <math.h>

#define COUNT 8

static void
is_close(double got, double wanted, const char *fact)
{
	ok(fabs(got - wanted) < 1e-9, "%s: %.9f", fact, got);
}

int
main(void)
{
	/* autocorrelations at lags 1 and 2: of twos 1/8 and -6/8, of ones -7/8 and 6/8 */
	static const double twos[COUNT] = { 1, 1, -1, -1, 1, 1, -1, -1 }, ones[COUNT] = { 1, -1, 1, -1, 1, -1, 1, -1 },
			    level[COUNT] = { 5, 5, 5, 5, 5, 5, 5, 5 };
	double shifted[COUNT];

	is_close(effective_pairs(twos, twos, COUNT, 1), 8 / (1 + 2 * (7.0 / 8) * (1.0 / 64)), "one lag");
	is_close(effective_pairs(twos, twos, COUNT, 2),
		 8 / (1 + 2 * (7.0 / 8) * (1.0 / 64) + 2 * (6.0 / 8) * (36.0 / 64)), "two lags");
	is_close(effective_pairs(twos, ones, COUNT, 1), 8, "opposite memories are no more pairs than there are");
	is_close(effective_pairs(ones, ones, COUNT, 2), 3, "of two that repeat themselves three are left");
	is_close(effective_pairs(ones, ones, COUNT, COUNT), effective_pairs(ones, ones, COUNT, 0), "0 lags are all");
	is_close(effective_pairs(level, twos, COUNT, 1), 3, "a level has no more than three");
	for (int i = 0; i < COUNT; i++)
		shifted[i] = 100 + 7 * twos[i];
	is_close(effective_pairs(shifted, twos, COUNT, 2), effective_pairs(twos, twos, COUNT, 2),
		 "level and size do not matter");
	return tap_end();
}
