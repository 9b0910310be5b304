/* SPDX-License-Identifier: MIT
 * resources: what the library takes of the process that it is part of: memory and threads. */
#ifndef STKPIPE_RESOURCES_H
#define STKPIPE_RESOURCES_H

#include "stkpipe/error.h"

#include <stddef.h>

STK_DECLARATIONS_BEGIN

/* Says what is done when the system gives no more memory: handler is called in the thread that wanted it, with the
 * number and the size of the things for which there was no room (count times size bytes; 0 where the size is not
 * known). It must not return: it ends the process or the thread, or leaves by longjmp(3), and then neither the
 * call that failed nor the reader, writer or definitions that it was given may be used again, not even closed:
 * what they hold is lost. When it does return, or when there is none, which is the default, the process ends by
 * abort(3). NULL brings that default back.
 *
 * No call of the library takes more because its input asks for it: a size that was read is compared with the
 * bounds of stream.h first, and a reader holds at most one block. Call this before the first thread that uses the
 * library begins. */
void stk_on_out_of_memory(void (*handler)(size_t count, size_t size));

/* Threads that compress the blocks of writers (struct stk_writer_options). Several writers may share them. */
struct stk_workers;

/* Begins threads - 1 threads, for the calling one works as well while it waits; fewer when the system refuses
 * them, which is no failure. threads is at least 1. Never NULL; owned by the caller, who gives it back with
 * stk_workers_close. Signals that end programs are left to the other threads. */
struct stk_workers *stk_workers_open(int threads);

/* Ends the threads. Every writer that uses them must be closed before. NULL does nothing. */
void stk_workers_close(struct stk_workers *workers);

STK_DECLARATIONS_END

#endif
