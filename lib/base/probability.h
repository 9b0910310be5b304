/* SPDX-License-Identifier: MIT
 * probability: the few distributions that tests of significance need, and which of many findings to believe. */
#ifndef BASE_PROBABILITY_H
#define BASE_PROBABILITY_H

#include <stdbool.h>
#include <stddef.h>

/* P(Z < z), and its inverse. */
double normal_below(double z);
double normal_quantile(double p);
/* P(T < t) and P(T > t) of Student's t, each exact in its own tail, and the inverse of the first. Degrees of freedom
 * may be fractional. */
double student_below(double t, double freedom);
double student_above(double t, double freedom);
double student_quantile(double p, double freedom);
/* P(K <= k) for K of n trials with chance p; n and k may be fractional. */
double binomial_at_most(double k, double n, double p);

/* Benjamini and Hochberg: marks the findings of which at most `rate` are expected to be false. */
void false_discovery(const double *p, size_t count, double rate, bool *significant);
/* And for each finding the lowest such rate at which it is marked. */
void false_discovery_rates(const double *p, size_t count, double *q);

#endif
