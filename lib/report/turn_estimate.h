/* SPDX-License-Identifier: MIT
 * turn_estimate: the share of its ticks that a VM spent somehow, of which only some were counted, because VMs were
 * counted one after another (stkcap --rotate-interest); and how far from that the share of all of them may be. */
#ifndef REPORT_TURN_ESTIMATE_H
#define REPORT_TURN_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

struct turn_estimate {			/* all zero at first */
	double ticks, hits;		/* of the turn that is going on */
	double turns, sum_ticks, sum_hits, squares_ticks, squares_hits, products;
};

/* What was counted in an interval: of `possible` ticks of the processor `ticks` fell into the VM's turn, of which
 * `hits` count. Intervals come in the order of time; one that is not wholly within the turn ends it. */
void turn_estimate_add(struct turn_estimate *e, double ticks, double hits, double possible);
/* The share of hits, and how far it may be off: 95 % limits, by the spread between turns. counted: the part of all
 * ticks that was counted. False: fewer than three turns, of which no limits are known; *share is set. */
bool turn_estimate_share(const struct turn_estimate *e, double counted, double *share, double *off);

#endif
