/* SPDX-License-Identifier: MIT
 * carried_rows: rows of the schemes that captured processes carry, once in each stream. */
#ifndef STKCAP_CARRIED_ROWS_H
#define STKCAP_CARRIED_ROWS_H

#include "capture/carried_schemes.h"
#include "stkpipe/stream.h"

struct carried_rows {
	struct carried_schemes *schemes;
	uint64_t stream;		/* which it is, from 1 on */
	size_t written;			/* schemes, in this stream */
	size_t reported;		/* schemes */
	struct carried_oddities odd;	/* as reported */
};

void carried_rows_open(struct carried_rows *rows);
void carried_rows_close(struct carried_rows *rows);

/* Another stream begins. */
void carried_rows_turn(struct carried_rows *rows);

/* Looks for schemes in the files of a process, unless that was done in this stream (*looked), and writes those that it
 * does not have yet. */
int carried_rows_write(struct carried_rows *rows, const struct process *process, uint64_t *looked,
		       struct stk_writer *writer, struct stk_error *err) STK_MUST_CHECK;

#endif
