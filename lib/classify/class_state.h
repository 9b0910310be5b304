/* SPDX-License-Identifier: MIT
 * class_state: a classifier, and what is kept beside it, as records of a stream, and back. So a run resumes where
 * another ended, and states of several runs can be merged. What is written depends only on what was counted: a state
 * after two runs is that of one run over both, byte for byte. */
#ifndef CLASSIFY_CLASS_STATE_H
#define CLASSIFY_CLASS_STATE_H

#include "classify/classifier.h"
#include "classify/sample_intake.h"
#include "stkpipe/stream.h"

/* What a ratio of segments is compared with has rows of its own, in the same columns: from SHARES_FROM on, SHARES_STEP
 * for each. */
#define SHARES_FROM 16
#define SHARES_STEP 64

_Static_assert(SHARE_PARTS <= SHARES_STEP, "parts of a share have numbers of their own");

int class_state_write(struct classifier *classifier, struct sample_intake *intake, struct stk_writer *writer,
		      struct stk_error *err) STK_MUST_CHECK;

struct class_state;		/* a state that is being read */

void class_state_open(struct class_state **out);
void class_state_close(struct class_state *state);
/* Reads the reader's current block. */
int class_state_take(struct class_state *state, struct stk_reader *reader, const struct stk_block *block,
		     struct stk_error *err) STK_MUST_CHECK;
/* The end of the state: fills an empty classifier and intake. -1 when it is not consistent. */
int class_state_restore(struct class_state *state, struct classifier *classifier, struct sample_intake *intake,
			struct stk_error *err) STK_MUST_CHECK;

/* Adds what `from` counted to `to`: classes by their frames and parts. The segments of `to` follow the order of adding:
 * see class_state_canonical. Returns how many dumps both had counted. */
uint64_t class_state_add(struct classifier *to, struct sample_intake *to_intake, struct classifier *from,
			 struct sample_intake *from_intake);
/* Fills an empty classifier and intake with what another holds, classes in the order of their totals, then names: so
 * the trees depend only on counts. */
void class_state_canonical(struct classifier *to, struct sample_intake *to_intake, struct classifier *from,
			   struct sample_intake *from_intake);

#endif
