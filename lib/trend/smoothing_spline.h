/* SPDX-License-Identifier: MIT
 * smoothing_spline: the cubic smoothing spline over 1..n that R's smooth.spline(1:n, y, spar = SPAR) gives, to the last
 * digits. What depends on n and spar alone is factored once. */
#ifndef TREND_SMOOTHING_SPLINE_H
#define TREND_SMOOTHING_SPLINE_H

#include <stddef.h>

struct smoothing_spline;

/* n at least 4 (R's own least). */
void smoothing_spline_open(struct smoothing_spline **out, size_t n, double spar);
void smoothing_spline_close(struct smoothing_spline *spline);
size_t smoothing_spline_size(const struct smoothing_spline *spline);
double smoothing_spline_lambda(const struct smoothing_spline *spline);

/* fit may be y. */
void smoothing_spline_fit(const struct smoothing_spline *spline, const double *y, double *fit);

#endif
