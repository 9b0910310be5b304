/* SPDX-License-Identifier: MIT
 * budgets: what captured processes may cost: one budget for all, and others for those of a number or name. */
#ifndef CAPTURE_BUDGETS_H
#define CAPTURE_BUDGETS_H

#include "capture/process.h"

#define OWN_BUDGETS_MAX 32

struct budgets {
	double percent;			/* of all others */
	struct own_budget { char who[128]; double percent; } own[OWN_BUDGETS_MAX];
	unsigned own_count;
};

/* "1%", or NAME=3%, or several with commas between. -1 with *err. */
int budgets_take(struct budgets *budgets, const char *text, struct stk_error *err) STK_MUST_CHECK;
/* The percentage of a process (NULL: none): of its number, else of the first of its names. *own: which of its own it
 * is, or -1. */
double budgets_of(const struct budgets *budgets, const struct process *process, int *own);

#endif
