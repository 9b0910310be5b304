/* SPDX-License-Identifier: MIT
 * path_runtime: what a program that stkpath instrumented carries. It counts by itself; a program needs this header
 * only to say when counts are to be written, or what is to happen where paths of no interest end a run (stkpath
 * instrument --mode stop).
 *
 * Counts are appended as a record stream to STKPATH_FILE (stkpath-%p.stk; %p: the process's number) at exit, when
 * a signal ends the program, by each child of a fork for itself, and at the signal that STKPATH_SIGNAL names; each
 * time what was counted since. */
#ifndef STKPIPE_PATH_RUNTIME_H
#define STKPIPE_PATH_RUNTIME_H

#ifdef __cplusplus
extern "C" {
#endif

/* Appends what was counted since the last time, from any thread; others that count wait meanwhile. Takes no memory but
 * from the kernel. What cannot be written is reported on standard error, and the program goes on. */
void stkpath_write(void);

/* Mode stop: what is done in place of exit(0) when a call turns out to be no path of interest; it must not return:
 * longjmp, mostly. NULL: exit(0) again. Call it before the first probed function runs in another thread. */
void stkpath_on_stop(void (*stop)(void));

#ifdef __cplusplus
}
#endif

#endif
