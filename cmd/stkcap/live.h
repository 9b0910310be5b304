/* SPDX-License-Identifier: MIT
 * live: captures from running processes, at common moments, until stopped. */
#ifndef STKCAP_LIVE_H
#define STKCAP_LIVE_H

#include "capture_files.h"
#include "pace.h"
#include "tick_capture.h"

#define LIVE_COMMANDS_MAX 32

struct live_settings {
	const char *jvm;		/* PID, NAME or all, with commas between */
	const char *native;		/* PID or NAME */
	const char *commands[LIVE_COMMANDS_MAX];
	unsigned commands_count;
	const char *of;			/* PID or NAME: the processes for {pid} in commands */
	const char *source;		/* the name of all; NULL: each has its own */
	int64_t every_ns;		/* 0: once */
	bool only_ticks;		/* of Java VMs: they are asked for no dumps, and a moment is a second of
					 * ticks */
	int64_t count;			/* of moments; 0: without end, or one */
	int64_t patience_ns;
	bool has_ticks;
	struct tick_settings ticks;
	bool agent;			/* stacks of Java VMs through an agent */
	struct pace_settings pace;
	bool locks;			/* also those of java.util.concurrent, which costs */
	struct file_plan files;
	uint64_t plain_names;		/* bits of plain_name.h */
};

int live_run(const struct live_settings *settings, struct stk_error *err) STK_MUST_CHECK;

#endif
