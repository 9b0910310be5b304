/* SPDX-License-Identifier: MIT
 * path_runtime: what a program that stkpath instrumented carries. It counts by itself; a program needs this header only
 * to choose when counts are written, or what happens where a path of no interest ends a run (stkpath instrument --mode
 * stop).
 *
 * Counts are appended as a record stream to STKPATH_FILE (stkpath-%p.stk; %p: the process's number) at exit, when a
 * signal ends the program, before _exit and exec, by each child of a fork for itself, every STKPATH_EVERY seconds, and
 * at the signal that STKPATH_SIGNAL names; each time what was counted since. With STKPATH_MAP=FILE they are in that
 * file all the time instead, for stkpath collect. */
#ifndef STKPIPE_PATH_RUNTIME_H
#define STKPIPE_PATH_RUNTIME_H

#ifdef __cplusplus
extern "C" {
#endif

/* Appends what was counted since the last call; with STKPATH_MAP nothing but steps. May be called from any thread;
 * other threads that count wait meanwhile. Takes memory only from the kernel. What cannot be written is reported on
 * standard error, and the program continues. */
void stkpath_write(void);

/* Mode stop: sets what is called in place of exit(0) when a call turns out not to be a path of interest. It must not
 * return; it usually calls longjmp. NULL restores exit(0). Call this before the first probed function runs in another
 * thread. */
void stkpath_on_stop(void (*stop)(void));

#ifdef __cplusplus
}
#endif

#endif
