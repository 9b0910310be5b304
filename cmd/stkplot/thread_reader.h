/* SPDX-License-Identifier: MIT
 * thread_reader: what pictures of threads over time are made of: the dumps of the operands, and what stkdiag finds in
 * them. */
#ifndef STKPLOT_THREAD_READER_H
#define STKPLOT_THREAD_READER_H

#include "source_clocks.h"
#include "stkplot.h"

#include "plot/thread_lines.h"
#include "program/filter.h"

struct thread_reader {
	const struct plot_settings *settings;
	struct model *model;
	struct selection *window, *chosen;
	struct diag_limits limits;
	struct diagnosis *diagnosis;
	struct diag_findings *findings; /* of the diagnosis, after thread_reader_end */
	uint64_t findings_read; /* of other runs, in the operands */
	struct thread_history history;
	struct source_clocks clocks; /* their zone */
};

/* The filter is open, the model as well; both are borrowed. */
int thread_reader_open(struct thread_reader *reader, const struct plot_settings *settings, struct model *model,
		       struct stk_error *err);
/* Each block, after the model has it; the beginning of a stream before. */
void thread_reader_turn(struct thread_reader *reader, struct stk_reader *from);
int thread_reader_take(struct thread_reader *reader, struct stk_reader *from, const struct stk_block *block,
		       struct stk_error *err);
/* After the last block: findings and history are complete, and what could not be drawn is said. */
void thread_reader_end(struct thread_reader *reader);
void thread_reader_close(struct thread_reader *reader);

/* The zone of times on pictures. */
const struct time_zone *thread_reader_zone(const struct thread_reader *reader);

#endif
