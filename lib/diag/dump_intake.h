/* SPDX-License-Identifier: MIT
 * dump_intake: the thread dumps of streams, each whole and in the order of its process, with how much time it stands
 * for. Sources that are one process are recognised: a dump a file is usual, and then each file is a source of its
 * own. */
#ifndef DIAG_DUMP_INTAKE_H
#define DIAG_DUMP_INTAKE_H

#include "base/time_range.h"
#include "choose/selection.h"
#include "diag/diag_dump.h"
#include "diag/stack_facts.h"

struct dump_intake;

struct dump_listener_of_processes {
	/* The dump is valid during the call. */
	void (*take)(void *context, const struct diag_dump *dump);
	void *context;
};

/* A process that was seen: one or several sources. */
struct diag_process {
	uint32_t name;			/* a text; of several sources with * in place of what differs */
	struct stk_source row;		/* of the latest source, its texts as numbers of texts */
	uint64_t dumps, threads, sources;
	struct time_range times;
};

struct dump_intake_totals {
	uint64_t dumps, threads;
	uint64_t chosen;		/* of the threads: what findings are about */
	uint64_t outside;		/* samples that are part of no dump */
	uint64_t backward;		/* dumps earlier than the one before them of their process */
	uint64_t untimed;		/* dumps without a time */
	uint64_t cut;			/* dumps that end in the middle */
	struct time_range times;
};

struct dump_intake_options {
	struct model *model;
	struct text_table *texts;
	struct stack_facts *facts;
	struct selection *window;	/* which samples there are at all */
	struct selection *chosen;	/* and which of them findings are to be about */
	struct dump_listener_of_processes listener;
};

/* All are borrowed. */
void dump_intake_open(struct dump_intake **out, const struct dump_intake_options *options);
void dump_intake_close(struct dump_intake *intake);

/* Another stream begins: what was read of the old one is complete. Call it before the model is cleared. */
void dump_intake_turn(struct dump_intake *intake);
/* Reads a block of samples, or of deadlocks that the VM found. -1 with *err: it is damaged, and not used. */
int dump_intake_take(struct dump_intake *intake, struct stk_reader *reader, const struct stk_block *block,
		     struct stk_error *err) STK_MUST_CHECK;
/* The end of all streams: the last dump of each process goes to the listener. */
void dump_intake_end(struct dump_intake *intake);

uint32_t dump_intake_processes(const struct dump_intake *intake);	/* numbers are from 1 on */
const struct diag_process *dump_intake_process(const struct dump_intake *intake, uint32_t process);
/* The number of a source of the present stream. */
uint32_t dump_intake_process_of(struct dump_intake *intake, uint64_t source);
const struct dump_intake_totals *dump_intake_totals(const struct dump_intake *intake);

#endif
