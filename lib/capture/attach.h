/* SPDX-License-Identifier: MIT
 * attach: sends requests to a running Java VM, mostly for thread dumps, through the socket that jstack and jcmd use,
 * without starting a VM of our own.
 *
 * There is never more than one request under way to a VM. One that was not answered in time stays open: the VM is asked
 * nothing else until it has answered or ended, because it would answer all of them, one after another, when it
 * wakes. */
#ifndef CAPTURE_ATTACH_H
#define CAPTURE_ATTACH_H

#include "capture/attach_reply.h"
#include "capture/process.h"

enum attach_result {
	ATTACH_ANSWERED,	/* the reply is whole as far as the connection can tell */
	ATTACH_CUT,		/* the connection ended in the middle, or the reply was too large: what came is there */
	ATTACH_REFUSED,		/* the VM refused, or must not be asked: *err says why. Asking again may help only much
				 * later */
	ATTACH_LATE,		/* the deadline passed; the request is still open */
	ATTACH_GONE		/* the process has ended */
};

struct attach;

/* -1 (STK_EDATA): it is not a Java VM, or one of another user, and we are not root. */
int attach_is_allowed(const struct process *process, struct stk_error *err) STK_MUST_CHECK;

/* Nothing is sent yet. -1 (STK_EDATA): it is not a VM that can be asked, and *err says why; nothing was done to it. */
int  attach_open(struct attach **out, const struct process *process, struct stk_error *err) STK_MUST_CHECK;
void attach_close(struct attach *attach);

/* Sends a command with up to three arguments, and waits for the reply until deadline_ns (CLOCK_MONOTONIC). *err is set
 * unless it answered. */
enum attach_result attach_ask(struct attach *attach, const char *const command[4], int64_t deadline_ns,
			      struct attach_reply *reply, struct stk_error *err);

/* After ATTACH_LATE: whether the VM still owes that reply. What arrives of it is discarded. Never waits. */
bool attach_is_owed(struct attach *attach);

/* Thread dumps are requested so that the VM does not write to us while its threads are stopped, where it supports that
 * (JDK 25). */
enum attach_result attach_thread_dump(struct attach *attach, bool locks, int64_t deadline_ns,
				      struct attach_reply *reply, struct stk_error *err);

/* Now, on the clock of all these times. */
int64_t monotonic_ns(void);
/* What must be added to it for the time since 1970. */
int64_t wall_minus_monotonic_ns(void);

/* The protocol of a VM. One per file of that name. */
struct attach_protocol {
	/* The state needed to talk to this VM, which belongs to our user or we are root. NULL: *err says why it must
	 * not be asked. */
	void *(*open)(const struct process *process, struct stk_error *err);
	void (*close)(void *vm);
	/* A connection on which the request was sent, or -1 with *result and *err. A connection and *result
	 * ATTACH_LATE: a reply is still to come on it. */
	int (*send)(void *vm, const char *const command[4], int64_t deadline_ns, enum attach_result *result,
		    struct stk_error *err);
	/* Whether what has arrived is the whole reply although the connection is still open. */
	bool (*is_whole)(const struct attach_reply *reply);
	/* Removes the protocol's own parts, and returns what kind of answer it is. */
	enum attach_result (*read)(void *vm, int fd, struct attach_reply *reply, struct stk_error *err);
	/* The command for a thread dump. */
	void (*dump_command)(void *vm, bool locks, const char *command[4]);
	bool (*is_whole_dump)(const struct attach_reply *reply);
};

extern const struct attach_protocol hotspot_protocol, openj9_protocol;

/* Reads a reply to its end, or until is_whole (NULL: the end of the connection says it). ATTACH_LATE: the deadline
 * passed first. */
enum attach_result attach_read(int fd, bool (*is_whole)(const struct attach_reply *reply), int64_t deadline_ns,
			       struct attach_reply *reply, struct stk_error *err);

/* For protocols: waits until the descriptor can be read or written (-1: none). False when the deadline passed first. */
bool attach_wait(int fd, short events, int64_t deadline_ns);

/* For the calling thread: as soon as this descriptor can be read, no call waits any more, as if every deadline had
 * passed. -1: none (the default). */
void attach_stop_by(int fd);
bool attach_is_stopped(void);

#endif
