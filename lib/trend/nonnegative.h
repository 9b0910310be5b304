/* SPDX-License-Identifier: MIT
 * nonnegative: least squares whose coefficients are not below 0, by the active set of Lawson and Hanson. */
#ifndef TREND_NONNEGATIVE_H
#define TREND_NONNEGATIVE_H

#include <stdbool.h>
#include <stddef.h>

#define NONNEGATIVE_MOST 16

/* Minimises m'Gm - 2b'm over m >= 0: G is X'X, a row after another, and b is X'y, for k <= NONNEGATIVE_MOST columns. A
 * column that the others explain gets 0. */
void nonnegative_solve(const double *g, const double *b, size_t k, double *m);

/* The inverse of G into *inverse; false when it has none. */
bool symmetric_inverse(const double *g, size_t k, double *inverse);

#endif
