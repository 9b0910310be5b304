/* SPDX-License-Identifier: MIT
 * heap_holders: which classes of a stream hold a metric such as the heap, and how many bytes a thread of them is. */
#ifndef TREND_HEAP_HOLDERS_H
#define TREND_HEAP_HOLDERS_H

#include "trend/heap_model.h"
#include "trend/series_set.h"

#define HEAP_CLASSES_MOST 1000 /* that are compared: those with the most threads */

struct heap_holders {
	uint32_t subject;
	struct heap_fit fit;
	uint32_t *classes; /* the series of the fit's classes; after the last one 0: all threads */
	size_t compared, left_out; /* classes; those beyond HEAP_CLASSES_MOST */
	size_t slots, hours; /* with dumps and measures; of a slot */
	bool by_mean; /* of the measures of a slot, which threads explain better than its least one */
	double explained_least; /* what they explain of that */
	double days; /* from the first to the last */
	size_t restarts;
	size_t sources; /* of dumps that are put together; 1: those of the metric's own source */
	/* by slot: its start, and what is told of no class and not of all threads: base and leak */
	int64_t *time_ns;
	double *rest;
	double *held; /* of fit.holders, then of all threads: a slot after another, a holder at a time */
};

/* The set keeps hours. Release it. */
void heap_holders_find(struct heap_holders *out, const struct series_set *set, uint32_t subject);
void heap_holders_release(struct heap_holders *holders);

/* Whether all threads hold as many bytes each, beyond what chance does. */
bool heap_follows_load(const struct heap_fit *fit);

#endif
