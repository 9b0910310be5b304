/* SPDX-License-Identifier: MIT
 * conditions: what must hold for a capture to take anything: of the machine (a file, its load, who is logged in, which
 * program runs, the time of day), of a process (its user, name and cgroup), and of a Java VM (vm_conditions.h). */
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
	WHEN_FILE, WHEN_LOAD_ABOVE, WHEN_LOAD_BELOW, WHEN_LOGIN, WHEN_RUNNING, WHEN_TIME,
	WHEN_HEAP, WHEN_PAUSE, WHEN_COUNTER		/* of any VM that is watched */
};

struct condition {
	enum condition_kind kind;
	const char *text;		/* the part after the name; borrowed */
	double load;
	uid_t user;
	unsigned from_minute, to_minute;	/* of the day; from is after to: over midnight */
	char name[96];			/* of a VM's counter */
	double limit;			/* bytes, a share of the heap, nanoseconds of pause, or a counter's unit */
	bool is_share, below, per_second;
};

struct conditions { struct condition at[CONDITIONS_MOST]; unsigned count; };

/* "user=root", "load>8", "time=22:00-06:00" ... 0, or -1 with *err (STK_EUSAGE). The text is borrowed. */
int  conditions_add(struct conditions *conditions, const char *text, struct stk_error *err) STK_MUST_CHECK;
/* Whether those of the machine hold now, and those of VMs, of which vm_met has a bit for each that some VM meets. Times
 * of day are of the zone (NULL: UTC). */
bool conditions_met(const struct conditions *conditions, const struct time_zone *zone, uint32_t vm_met);
/* Whether there are conditions that hold or do not for the whole capture; and whether some are of VMs. */
bool conditions_are_of_machine(const struct conditions *conditions);
bool conditions_are_of_vm(const struct conditions *conditions);
/* Whether it compares two looks at a VM, which a single one cannot meet; and whether one of them does. */
bool condition_is_of_growth(const struct condition *condition);
bool conditions_are_of_growth(const struct conditions *conditions);
/* Whether there are conditions of processes, and whether this one meets them. */
bool conditions_are_of_process(const struct conditions *conditions);
bool conditions_process_met(const struct conditions *conditions, pid_t pid);
/* Whether it is such a time of day, in minutes. */
bool condition_time_met(const struct condition *condition, unsigned minute);

#endif
