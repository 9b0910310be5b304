/* SPDX-License-Identifier: MIT
 * process: the identity of a process, from /proc. Numbers are used again, so a process is identified by its number and
 * its start time. */
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
	uid_t uid;			/* effective, */
	gid_t gid;			/* too */
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

/* Reads its current user: a daemon may start as root. When it has ended, the user is unchanged. */
void process_read_user(struct process *process);

/* Whether it is still the same process, and not another with its number. */
bool process_is_alive(const struct process *process);

/* Whether it has ended, or ends within this time. */
bool process_ends_within(const struct process *process, int milliseconds);

/* Whether it has ended or is about to: for callers that got no answer and want to know why. */
bool process_is_ending(const struct process *process);

/* Sends a signal to this process and no other; false when it has ended or is not ours. */
bool process_signal(const struct process *process, int signal);

/* Processor time it has used so far; -1 when it has ended. */
int64_t process_cpu_ns(const struct process *process);

/* The number that the process itself sees for one of its threads: a different one in a PID namespace. */
pid_t process_inner_tid(const struct process *process, pid_t tid);

/* What a person would call it: of a Java command the main class or the jar, of a Python command the script or the
 * module, else its name. Points into the process, or a static text. */
const char *process_title(const struct process *process);

/* Whether a name given by the user means this process: its main class with or without package, its jar or script with
 * or without ".jar" or ".py", or its name; a pattern of glob(7). */
bool process_is_called(const struct process *process, const char *pattern);

/* Whether one of its arguments is this one, or (if it ends in '=') begins with it; returns the rest of it, or NULL. */
const char *process_argument(const struct process *process, const char *argument);

/* The kind of Java VM, by its mapped libraries. VM_NONE also when they may not be read. This is not proof, because any
 * user may map a file of such a name. It only selects the protocol, and keeps us from contacting processes that know
 * none. */
enum vm_kind { VM_NONE, VM_HOTSPOT, VM_OPENJ9 };
enum vm_kind process_vm_kind(const struct process *process);

/* Whether a file called python3... or libpython3... is mapped in it; this is not proof either. */
bool process_is_python(const struct process *process);

/* Whether it is in the control group of this path, such as a container's, or in one below it. */
bool process_is_in_cgroup(pid_t pid, const char *cgroup);

/* Whether it is a part of the kernel, or has ended and waits for its parent. */
bool process_has_no_program(pid_t pid);

/* Calls `see` for every process, in the order of numbers. */
void process_each(void (*see)(void *context, pid_t pid), void *context);

#endif
