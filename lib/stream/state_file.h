/* SPDX-License-Identifier: MIT
 * state_file: the file that one run writes and the next run resumes from: one whole record stream, with a note of which
 * program wrote it and with which options.
 *
 *	state_file_open(&file, path, &err)			locked from here on
 *	state_file_read(path, &kind, take, context, &err)
 *	...
 *	state_file_write(file, &kind, add, context, &err)	beside the old state
 *	state_file_close(file, delivered, &err)			the new state takes its place, or is dropped
 *
 * What a state contains is up to its engine. Messages name the file. A state that cannot be used is STK_ESYSTEM, never
 * STK_EDATA: a run that went on without it would replace it. Other options are STK_EUSAGE. */
#ifndef STREAM_STATE_FILE_H
#define STREAM_STATE_FILE_H

#include "stkpipe/stream.h"

#include <stdbool.h>

struct state_kind {
	const char *program;	/* whose states they are, for messages: "stkclass" */
	const char *about;	/* of the note that holds the identity */
	const char *identity;	/* the options that all runs with this state must share, as text; not empty */
	const char *former;	/* the same as an earlier version wrote it, which is accepted too; NULL: none */
};

/* Takes a whole block of the state. After -1 with *err it gets no more. */
typedef int state_take_function(void *context, struct stk_reader *reader, const struct stk_block *block,
				struct stk_error *err);
/* Adds the rows of a state. */
typedef int state_add_function(void *context, struct stk_writer *writer, struct stk_error *err);

/* Reads the state at `path`, whether this run has it open or not; it is not changed. 1; 0 when there is no such file;
 * -1 when it is damaged, truncated, of another program or of other options: then what was read must not be used. */
int state_file_read(const char *path, const struct state_kind *kind, state_take_function *take, void *context,
		    struct stk_error *err) STK_MUST_CHECK;

struct state_file;

/* Takes the lock of a state, which need not exist yet; `path` is borrowed. -1 with *out NULL: another run has it,
 * or PATH.lock cannot be written. */
int  state_file_open(struct state_file **out, const char *path, struct stk_error *err) STK_MUST_CHECK;

/* Writes a new state beside the old one, once. -1: state_file_close then leaves the old one. */
int state_file_write(struct state_file *file, const struct state_kind *kind, state_add_function *add, void *context,
		     struct stk_error *err) STK_MUST_CHECK;

/* Releases the lock. A complete new state replaces the old one if `delivered`, which means that everything this run
 * found was written: the next run will not find it again. -1: it could not be replaced, or the host says that this run
 * failed; the old state is kept. NULL does nothing. */
int  state_file_close(struct state_file *file, bool delivered, struct stk_error *err) STK_MUST_CHECK;

#endif
