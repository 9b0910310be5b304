/* SPDX-License-Identifier: MIT
 * smooth: the smoothing spline over the numbers on standard input, one a line: smooth SPAR. For comparison with R. */
#include "trend/smoothing_spline.h"

#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
	static double y[10000], fit[10000];
	struct smoothing_spline *spline;
	size_t n = 0;

	while (n < 10000 && scanf("%lf", &y[n]) == 1)
		n++;
	smoothing_spline_open(&spline, n, strtod(argc > 1 ? argv[1] : "0.3", NULL));
	smoothing_spline_fit(spline, y, fit);
	for (size_t i = 0; i < n; i++)
		printf("%.17g\n", fit[i]);
	smoothing_spline_close(spline);
	return 0;
}
