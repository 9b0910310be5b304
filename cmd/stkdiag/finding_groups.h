/* SPDX-License-Identifier: MIT
 * finding_groups: findings of one rule and subject, at several times. For people they are one paragraph. */
#ifndef STKDIAG_FINDING_GROUPS_H
#define STKDIAG_FINDING_GROUPS_H

#include "base/array.h"
#include "diag/diag_findings.h"

struct finding_group {
	size_t first, last;		/* places in the findings: of the worst, and of the one added last */
	size_t count;
};

/* A zeroed struct is empty. */
struct finding_groups {
	ARRAY(struct finding_group) list;	/* in the order of their worst findings */
	ARRAY(size_t) next;		/* by finding: the place of the next one of its group; 0: there is none */
};

void finding_groups_make(struct finding_groups *groups, const struct diag_findings *findings);
void finding_groups_release(struct finding_groups *groups);

#endif
