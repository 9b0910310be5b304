/* SPDX-License-Identifier: MIT
 * process: who a process is, as /proc tells it. A number alone is nobody: numbers are used again, so a process is its
 * number and the moment it began. */
#ifndef CAPTURE_PROCESS_H
#define CAPTURE_PROCESS_H

#include "stkpipe/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESS_COMMAND_MAX 4096

struct process {
	pid_t pid;			/* as we see it */
	pid_t inner_pid;		/* as it sees itself, in the innermost namespace of processes */
	uid_t uid;			/* effective */
	uint64_t start_ticks;		/* since boot, in clock ticks */
	int64_t start_ns;		/* since 1970 */
	bool catches_quit;		/* SIGQUIT does not kill it */
	bool stopped;			/* by SIGSTOP or a tracer */
	char name[64];			/* of its main thread */
	char command[PROCESS_COMMAND_MAX];	/* its arguments, each ended by a NUL, as many as fit */
	size_t command_size;
};

/* -1: there is no such process (STK_EDATA), or it cannot be looked at. */
int process_read(struct process *process, pid_t pid, struct stk_error *err) STK_MUST_CHECK;

/* Whose it is now: a daemon may begin as root's. When it is gone, it stays as it was. */
void process_read_user(struct process *process);

/* Whether it is still this very process, and not another with its number. */
bool process_is_alive(const struct process *process);

/* Whether it has ended, or does before so much time has passed. */
bool process_ends_within(const struct process *process, int milliseconds);

/* Whether it has ended or is about to: for who got no answer and would know why. */
bool process_is_ending(const struct process *process);

/* Sends a signal to this very process; false when it is gone or not ours. */
bool process_signal(const struct process *process, int signal);

/* Processor time it has used so far; -1 when it is gone. */
int64_t process_cpu_ns(const struct process *process);

/* The number that it has itself for a thread of its: another one in a namespace of processes. */
pid_t process_inner_tid(const struct process *process, pid_t tid);

/* What a person would call it: of a Java command the main class or the jar, else its name. Points into the process, or
 * a static text. */
const char *process_title(const struct process *process);

/* Whether a name that somebody gave means this process: its main class with or without package, its jar with or without
 * ".jar", or its name; a pattern of glob(7). */
bool process_is_called(const struct process *process, const char *pattern);

/* Whether one of its arguments is this one, or (ending in '=') begins so; the rest of it, or NULL. */
const char *process_argument(const struct process *process, const char *argument);

/* What kind of Java VM its mapped libraries say it is. Also VM_NONE when they may not be looked at. That is no trust:
 * any user may map a file of such a name. It says whom to ask how, and keeps us from speaking to what never heard of
 * these protocols. */
enum vm_kind { VM_NONE, VM_HOTSPOT, VM_OPENJ9 };
enum vm_kind process_vm_kind(const struct process *process);

/* Calls `see` for every process there is, in the order of numbers. */
void process_each(void (*see)(void *context, pid_t pid), void *context);

#endif
