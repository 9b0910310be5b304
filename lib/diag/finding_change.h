/* SPDX-License-Identifier: MIT
 * finding_change: the findings of one window beside those of another one, such as the same hours of the day before:
 * what is new, what lasted longer, what is gone. */
#ifndef DIAG_FINDING_CHANGE_H
#define DIAG_FINDING_CHANGE_H

#include "diag/diagnosis.h"

/* Of each finding in `now` says how it was in `before`, and of each in `before` whether it is gone. Findings are the
 * same when rule, subject (whatever its numbers) and process are; what holds up a lock is the same whether its holder
 * changes, stays or sleeps. Processes are the same when their hosts and names are, and when there is one on either
 * side of the same host. touching: one window begins where the other one ends. Both diagnoses have ended. */
void findings_compare(const struct diagnosis *now, struct diag_findings *findings, const struct diagnosis *before,
		      struct diag_findings *others, bool touching);

/* Whether each window has one process, which are taken for the same although their names differ; the names. */
bool findings_pair_processes(const struct diagnosis *now, const struct diagnosis *before, struct stk_text names[2]);

/* How many have changed so. */
size_t findings_changed(const struct diag_findings *findings, enum finding_change change);

/* "new", "gone"; "" for what is not compared. */
const char *finding_change_name(enum finding_change change);

#endif
