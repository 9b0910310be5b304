/* SPDX-License-Identifier: MIT
 * live_options: the options of a live capture, which a command line and a file (--config) have in common. Both are
 * parsed by these rows into one place, and then settled: combined into the settings of a capture. */
#ifndef STKCAP_LIVE_OPTIONS_H
#define STKCAP_LIVE_OPTIONS_H

#include "live.h"

#include "program/options.h"

extern const struct option_row live_set_options[];		/* which processes, and how they are asked */
extern const struct option_row live_capture_options[];		/* of the whole capture */
extern const struct option_row live_rules[];		/* of the whole capture, */
extern const struct option_row live_set_rules[];		/* and of both, for a single set */

/* Where values go: the set, and the rest. */
struct live_options {
	struct live_set set;
	struct live_settings live;
	int64_t ticks_hertz;
	const char *tick_event;
	uint64_t stack_copy;
	int tick_order;
};

extern struct live_options live_given;

/* Nothing is given. */
void live_options_reset(void);
/* The settings of a capture of these sets, to a file or NULL; they point into themselves, so they stay where they are.
 * -1 (STK_EUSAGE): they do not fit together. */
int live_options_settle(struct live_settings *to, const struct live_set *sets, unsigned count, const char *output,
			struct stk_error *err) STK_MUST_CHECK;
/* What settle opened: plans of rates. */
void live_settings_release(struct live_settings *settings);

#endif
