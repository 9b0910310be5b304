/* SPDX-License-Identifier: MIT
 * resources: what the library takes from its process: memory and threads. */
#ifndef STKPIPE_RESOURCES_H
#define STKPIPE_RESOURCES_H

#include "stkpipe/error.h"

#include <stddef.h>

STK_DECLARATIONS_BEGIN

/* Sets what happens when the system has no more memory: handler is called in the thread that asked for it, with the
 * number and the size of the things for which there was no room (count times size bytes; 0 where the size is not
 * known). It must not return: it ends the process or the thread, or leaves by longjmp(3). After a longjmp the reader,
 * writer or definitions that the failed call was given must not be used again, not even closed: what they hold is lost.
 * When the handler returns, or there is none (the default), the process ends by abort(3). NULL restores the default.
 *
 * No call of the library takes more memory because its input asks for it: a size that was read is first compared with
 * the bounds of stream.h, and a reader holds at most one block. Call this before the first thread that uses the library
 * starts. */
void stk_on_out_of_memory(void (*handler)(size_t count, size_t size));

/* Threads that compress the blocks of writers (struct stk_writer_options). Several writers may share them. */
struct stk_workers;

/* Starts threads - 1 threads, because the calling one works too while it waits; fewer when the system refuses them,
 * which is not a failure. threads is at least 1. Never NULL; the caller closes it with stk_workers_close. Signals that
 * end programs are left to the other threads. */
struct stk_workers *stk_workers_open(int threads);

/* Ends the threads. Every writer that uses them must be closed before. NULL does nothing. */
void stk_workers_close(struct stk_workers *workers);

STK_DECLARATIONS_END

#endif
