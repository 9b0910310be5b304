/* SPDX-License-Identifier: MIT
 * high_season: the part of the year that is far above the others: the months around the highest one, as long as they
 * are in the top 15 % of the range. */
#ifndef TREND_HIGH_SEASON_H
#define TREND_HIGH_SEASON_H

#include <stdbool.h>
#include <stddef.h>

/* factors of n months (around the year: December is beside January); high[i] says which belong. tie: which of several
 * highest ones is meant, from 1 on. The threshold. */
double high_season(const double *factors, size_t n, unsigned tie, bool *high);

#endif
