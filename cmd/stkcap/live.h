/* SPDX-License-Identifier: MIT
 * live: captures from running processes, at common moments, until stopped. */
#ifndef STKCAP_LIVE_H
#define STKCAP_LIVE_H

#include "capture_files.h"
#include "pace.h"
#include "tick_capture.h"

#include "capture/budgets.h"
#include "capture/conditions.h"

#define LIVE_COMMANDS_MAX 32

#define LIVE_SETS_MAX     16

struct live_set {			/* some processes, and how they are asked */
	const char *jvm;		/* PID, NAME or all, with commas between */
	const char *native, *python;	/* PID or NAME */
	const char *commands[LIVE_COMMANDS_MAX];
	unsigned commands_count;
	const char *of;			/* PID or NAME: the processes for {pid} in commands */
	int64_t every_ns;		/* 0: once */
	uint64_t rate;			/* every rate-th moment of the capture */
	struct budgets budgets;
	bool agent;			/* stacks of Java VMs through an agent */
	bool locks;			/* also those of java.util.concurrent, which costs */
	const char *adaptive;		/* NULL: not; "": by what runs; else the file of a plan of rates */
	struct pace_settings pace;	/* but for the budget */
};

struct file_hook;

struct live_settings {
	struct live_set sets[LIVE_SETS_MAX];
	unsigned sets_count;
	const char *source;		/* the name of all; NULL: each has its own */
	int64_t every_ns;		/* of the set that is asked most often; 0: once */
	bool only_ticks;		/* of Java VMs: they are asked for no dumps, and a moment is a second of
					 * ticks */
	int64_t count;			/* of moments; 0: without end, or one */
	int64_t patience_ns;
	bool has_ticks;
	struct tick_settings ticks, away;	/* away: of threads that leave their processor */
	int64_t away_every;		/* 0: they are not sampled */
	char event[64];			/* of the ticks, without its period */
	struct conditions conditions;	/* for all of it */
	struct file_plan files;
	uint64_t plain_names;		/* bits of plain_name.h */
	const char *listen;		/* where --status is answered; NULL: nowhere */
	const char *upload;		/* the program for finished files; NULL: none */
	struct file_hook *hook;		/* that runs it; NULL: none */
	/* called at SIGHUP: the capture ends when it returns true, and otherwise opens its file anew. NULL: it does */
	bool (*reload)(void);
};

/* *begun: whether it came as far as its first moment. -1 with *err: it could not begin, or not go on. */
int live_run(const struct live_settings *settings, bool *begun, struct stk_error *err) STK_MUST_CHECK;

#endif
