/* SPDX-License-Identifier: MIT
 * habit_findings: which findings are no more than what a pool does as a habit. */
#ifndef DIAG_HABIT_FINDINGS_H
#define DIAG_HABIT_FINDINGS_H

#include "diag/diag_findings.h"
#include "diag/resting_places.h"

/* Findings that are a habit of returning become information, and no habit loses time: one finding for all times at
 * which a pool stood in a place. chance: see resting_places_habit. */
void habit_findings_settle(struct diag_findings *findings, const struct resting_places *places, double chance);

#endif
