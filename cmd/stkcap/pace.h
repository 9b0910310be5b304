/* SPDX-License-Identifier: MIT
 * pace: how many moments apart a VM is asked, so that its cost remains within a budget, and not more often than the
 * required precision needs. */
#ifndef STKCAP_PACE_H
#define STKCAP_PACE_H

#include "capture/watcher.h"
#include "trend/planned_rate.h"

struct pace_settings {
	double budget;			/* the share of time that a VM may be stopped for us, and of a processor that
					 * we may use: 0.01 */
	bool adaptive;			/* not more often than the busiest hours need */
	struct planned_rate *plan;	/* when it is asked; NULL: at every moment */
	int64_t every_ns;
};

struct pace {			/* of one VM; all zero at first */
	double pause_ns, took_ns;	/* of a dump, smoothed */
	double running;			/* threads that run, in a dump, smoothed */
	uint64_t dumps;
	uint64_t states;		/* dumps that show the states of threads */
	uint64_t stretch;		/* as it is; 0 and 1: every moment */
	uint64_t told;			/* reported last */
};

/* Takes the cost and content of a dump. */
void pace_note(struct pace *pace, const struct taken *taken);

/* How far apart it is asked at present. */
int64_t pace_interval(const struct pace *pace, const struct pace_settings *settings);

/* It should be asked every so many moments; own_share: the share of a processor that we use. *why: the reason when it
 * is more than one. */
uint64_t pace_stretch(const struct pace *pace, const struct pace_settings *settings, double own_share,
		      const char **why);
/* Asked after each dump: true once, when enough of them show no states of threads, so that nothing can be adapted. */
bool pace_cannot_adapt(const struct pace *pace, const struct pace_settings *settings);
/* Whether a change is worth a word: the first, a return to every moment, and twice or half of what was reported last.
 */
bool pace_is_news(const struct pace *pace);

#endif
