/* SPDX-License-Identifier: MIT
 * epochs: a series that grows and is set back, as a heap by restarts: the times between, and the line of the present
 * one. */
#ifndef TREND_EPOCHS_H
#define TREND_EPOCHS_H

#include "trend/robust_line.h"

#define EPOCHS_FALL 6.0		/* deviations, of a series as it is */

/* Where epochs begin, the first of them 0, into *starts, which is freed by the caller; returns how many there are. x in
 * days, which do not fall; y without its season. deviations: robust ones of differences of hours, that a restart falls
 * by. */
size_t epochs_find(const double *x, const double *y, size_t count, double deviations, size_t **starts);

/* The line through the measures of the last epoch. Its slope leans on those of earlier ones, the more the shorter it
 * is: what leaked before leaks again. Of one epoch it is the line through all. */
struct robust_line epochs_line(const double *x, const double *y, size_t count, const size_t *starts, size_t epochs);

#endif
