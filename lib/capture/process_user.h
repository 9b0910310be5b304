/* SPDX-License-Identifier: MIT
 * process_user: acts as the user of a process that is in a namespace of users of its own, such as in a container that
 * was not started by root. There the numbers of all others are nobody's, also root's: no file can be created there in
 * their name, and a VM does not answer them. Of other processes, and where we are not root, nothing changes. */
#ifndef CAPTURE_PROCESS_USER_H
#define CAPTURE_PROCESS_USER_H

#include "capture/process.h"

struct process_user { bool taken; gid_t before; };

/* The calling thread alone has the process's effective user and group until process_user_leave. -1: errno; nothing has
 * changed. */
int  process_user_take(struct process_user *user, const struct process *process) STK_MUST_CHECK;
/* Leaves errno as it is. */
void process_user_leave(const struct process_user *user);
/* Whether it can be taken: root may be confined to fewer rights (CAP_SETUID and CAP_SETGID). */
bool process_user_may_take(const struct process *process);

#endif
