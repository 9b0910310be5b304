/* SPDX-License-Identifier: MIT
 * dump_source: something that yields all its stacks at once, as text that ingest reads: a Java VM, a native process, a
 * command. One file per kind. */
#ifndef CAPTURE_DUMP_SOURCE_H
#define CAPTURE_DUMP_SOURCE_H

#include "capture/attach.h"

struct dump_source;

struct dump_source_kind {
	const char *name;		/* "attach" */
	const char *format;		/* that reads its text; NULL: the text decides */
	enum attach_result (*take)(void *source, int64_t deadline_ns, struct attach_reply *reply,
				   struct stk_error *err);
	/* After ATTACH_LATE: whether it must not be asked yet. Never waits. NULL: it may be asked at once. */
	bool (*is_owed)(void *source);
	void (*close)(void *source);
	bool says_pause;		/* its replies say how long threads were stopped for them */
};

/* Each returns -1 (STK_EDATA) when it cannot be used for the process, and *err says why. */
int jvm_dumps_open(struct dump_source **out, const struct process *process, bool locks,
		   struct stk_error *err) STK_MUST_CHECK;
/* By stkagent, which is loaded into the VM at the first dump. */
int agent_dumps_open(struct dump_source **out, const struct process *process, bool locks,
		     struct stk_error *err) STK_MUST_CHECK;
/* All threads are stopped while they are unwound. */
int  native_dumps_open(struct dump_source **out, const struct process *process, struct stk_error *err) STK_MUST_CHECK;
/* The output of a command; {pid} in it is replaced by the process's number (the process may be NULL). It is killed with
 * everything it started when the deadline passes. */
int command_dumps_open(struct dump_source **out, const char *command, const struct process *process,
		       struct stk_error *err) STK_MUST_CHECK;

enum attach_result dump_source_take(struct dump_source *source, int64_t deadline_ns, struct attach_reply *reply,
				    struct stk_error *err);
bool dump_source_is_owed(struct dump_source *source);
const struct dump_source_kind *dump_source_kind(const struct dump_source *source);
void dump_source_close(struct dump_source *source);

/* For implementations: takes ownership of `own`. */
struct dump_source *dump_source_of(const struct dump_source_kind *kind, void *own);

#endif
