/* SPDX-License-Identifier: MIT
 * python_walker: the Python threads of a process and their stacks, read from its memory while it runs; nothing is
 * loaded into it. The stack of a thread that runs meanwhile is a mixture of what it did at several moments: whoever
 * calls makes sure that it does not run. Works for CPython 3.8 to 3.13. */
#ifndef WALK_PYTHON_WALKER_H
#define WALK_PYTHON_WALKER_H

#include "walk/python_objects.h"

#define PYTHON_THREADS_MAX 65536u
#define PYTHON_DEPTH_MAX 8192u /* frames; callers beyond it are left out, and the stack says so */

struct python_walker;

struct python_thread {
	uint64_t state; /* where its state is */
	uint64_t ident; /* as Python names it */
	pid_t tid; /* as the process sees it; 0: its C library is not known */
};

struct python_threads {
	ARRAY(struct python_thread) list;
};

/* -1 (STK_EDATA): it is not a Python program, not one of these versions, or may not be read; *err says which. */
int python_walker_open(struct python_walker **out, pid_t pid, struct stk_error *err) STK_MUST_CHECK;
/* Of any memory: what is known of it, and where its runtime is. */
void python_walker_of(struct python_walker **out, const struct remote_memory *memory, const struct python_heap *known,
		      uint64_t runtime);
void python_walker_close(struct python_walker *walker);

unsigned python_walker_minor(const struct python_walker *walker); /* 11 of Python 3.11 */

/* Replaces the threads with those of all interpreters. False: they changed while they were read, or are not what they
 * should be. */
bool python_walker_threads(struct python_walker *walker, struct python_threads *to);

/* Adds the stack of a thread, leaf first, as faulthandler writes it:
 *	  File "work.py", line 12 in Shop.sell
 * Nothing is added where it runs no Python code. False: it is not consistent, and nothing is added. */
bool python_walker_stack(struct python_walker *walker, const struct python_thread *thread, struct text_buffer *to);

/* Reads the names that the threading module has. */
void python_walker_read_names(struct python_walker *walker);
/* Adds the name of a thread as they were read; false: it has none. */
bool python_walker_name(struct python_walker *walker, const struct python_thread *thread, struct text_buffer *to);

#endif
