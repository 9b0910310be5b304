/* SPDX-License-Identifier: MIT
 * pace: how many moments apart a VM is asked, so that what it costs stays within a budget, and no oftener than what is
 * to be known of it needs. */
#ifndef STKCAP_PACE_H
#define STKCAP_PACE_H

#include "capture/watcher.h"

struct pace_settings {
	double budget;			/* the share of time that a VM may stand still for us, and of a processor that
					 * we may use: 0.01 */
	bool adaptive;			/* not oftener than the busiest hours need */
	int64_t every_ns;
};

struct pace {			/* of one VM; all zero at first */
	double pause_ns, took_ns;	/* of a dump, smoothed */
	double running;			/* threads that run, in a dump, smoothed */
	uint64_t dumps;
	uint64_t stretch;		/* what was said last; 0 and 1: every moment */
};

/* Takes a dump's cost and content in. */
void pace_note(struct pace *pace, const struct taken *taken);

/* Every how many moments it should be asked; own_share: of a processor that we use ourselves. *why: what made it more
 * than one. */
uint64_t pace_stretch(const struct pace *pace, const struct pace_settings *settings, double own_share,
		      const char **why);

#endif
