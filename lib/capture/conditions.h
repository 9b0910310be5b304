/* SPDX-License-Identifier: MIT
 * conditions: what must hold for a capture to take anything: of the machine (a file, its load, who is logged in, which
 * program runs, the time of day), and of a process (its user, name and cgroup). */
#ifndef CAPTURE_CONDITIONS_H
#define CAPTURE_CONDITIONS_H

#include "stkpipe/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CONDITIONS_MOST 32

struct time_zone;

enum condition_kind {
	WHEN_USER, WHEN_PROCESS, WHEN_CGROUP,		/* of a process */
	WHEN_FILE, WHEN_LOAD_ABOVE, WHEN_LOAD_BELOW, WHEN_LOGIN, WHEN_RUNNING, WHEN_TIME
};

struct condition {
	enum condition_kind kind;
	const char *text;		/* the part after the name; borrowed */
	double load;
	uid_t user;
	unsigned from_minute, to_minute;	/* of the day; from is after to: over midnight */
};

struct conditions { struct condition at[CONDITIONS_MOST]; unsigned count; };

/* "user=root", "load>8", "time=22:00-06:00" ... 0, or -1 with *err (STK_EUSAGE). The text is borrowed. */
int  conditions_add(struct conditions *conditions, const char *text, struct stk_error *err) STK_MUST_CHECK;
/* Whether those of the machine hold now. Times of day are of the zone (NULL: UTC). */
bool conditions_machine_met(const struct conditions *conditions, const struct time_zone *zone);
/* Whether there are conditions of processes, and whether this one meets them. */
bool conditions_are_of_process(const struct conditions *conditions);
bool conditions_process_met(const struct conditions *conditions, pid_t pid);
/* Whether it is such a time of day, in minutes. */
bool condition_time_met(const struct condition *condition, unsigned minute);

#endif
