/* SPDX-License-Identifier: MIT
 * diagnosis: thread dumps of streams in, findings out. */
#ifndef DIAG_DIAGNOSIS_H
#define DIAG_DIAGNOSIS_H

#include "diag/dump_intake.h"
#include "diag/diag_findings.h"
#include "diag/wait_graph.h"

struct diagnosis;

struct diagnosis_options {
	struct model *model;
	struct selection *window, *chosen;	/* see dump_intake.h */
	struct scheme *waits, *idle;		/* become its own */
	const struct diag_limits *limits;
	/* Who else wants to see each dump, and who waits for whom in it, during the call. NULL: nobody. */
	void (*watch)(void *context, const struct diag_dump *dump, const struct wait_graph *graph);
	void *watcher;
};

/* What is not named otherwise is borrowed. */
void diagnosis_open(struct diagnosis **out, const struct diagnosis_options *options);
void diagnosis_close(struct diagnosis *diagnosis);

/* Another stream begins. Call it before the model is cleared. */
void diagnosis_turn(struct diagnosis *diagnosis);
/* Reads a block, when it is of a kind that matters. -1 with *err: it is damaged. */
int diagnosis_take(struct diagnosis *diagnosis, struct stk_reader *reader, const struct stk_block *block,
		   struct stk_error *err) STK_MUST_CHECK;
/* The end of all streams: the findings, the worst first. They are the diagnosis' own. */
struct diag_findings *diagnosis_end(struct diagnosis *diagnosis);

/* How many metrics were looked at. */
uint64_t diagnosis_measures(const struct diagnosis *diagnosis);
/* Brief incidents that were too many to see whether they come back. */
uint64_t diagnosis_forgotten(const struct diagnosis *diagnosis);
/* For what findings refer to. */
const struct dump_intake *diagnosis_intake(const struct diagnosis *diagnosis);
const struct stack_facts *diagnosis_stacks(const struct diagnosis *diagnosis);
struct stk_text diagnosis_text(const struct diagnosis *diagnosis, uint32_t text);

#endif
