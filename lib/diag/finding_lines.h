/* SPDX-License-Identifier: MIT
 * finding_lines: the findings of a diagnosis, of which those that are the same but for their time share a line: a pool
 * that is busy every night is one thing to read, not thirty. */
#ifndef DIAG_FINDING_LINES_H
#define DIAG_FINDING_LINES_H

#include "diag/diag_findings.h"

struct finding_line {
	uint32_t first; /* of the findings, the worst of them */
	uint32_t count;
	uint32_t number; /* among those that are drawn, from 1 on; 0: an info, or without a time */
	struct time_range times; /* of all of them */
};

struct finding_lines {
	ARRAY(struct finding_line) list; /* in the order of the findings */
	ARRAY(uint32_t) next; /* by finding: the next of its line; 0: none */
	uint32_t drawn; /* lines */
};

/* Of findings that are sorted. Same: rule, severity, process and subject. */
void finding_lines_make(struct finding_lines *out, const struct diag_findings *findings);
void finding_lines_release(struct finding_lines *lines);

#endif
