/* SPDX-License-Identifier: MIT
 * agent_client: has stkagent loaded into a VM, and asks it: for all stacks (agent_dumps_open in dump_source.h), or for
 * one thread's. */
#ifndef CAPTURE_AGENT_CLIENT_H
#define CAPTURE_AGENT_CLIENT_H

#include "capture/attach.h"

struct agent_client;

/* Nothing is done to the VM yet. -1 (STK_EDATA): it is not a VM that an agent can be loaded into, and *err says why. */
int  agent_client_open(struct agent_client **out, const struct process *process, struct stk_error *err) STK_MUST_CHECK;
void agent_client_close(struct agent_client *client);

/* A request of stkagent's, "dump\n"; loads it when it does not serve yet. */
enum attach_result agent_client_ask(struct agent_client *client, const char *request, int64_t deadline_ns,
				    struct attach_reply *reply, struct stk_error *err);

/* The stack of the thread that the system knows by this number, as lines of a thread dump. May be called by several
 * threads at once: they take turns. False when there is none: the thread is new, has ended, or is not a Java thread. */
bool agent_client_stack(struct agent_client *client, pid_t tid, int64_t deadline_ns, struct attach_reply *reply);

#endif
