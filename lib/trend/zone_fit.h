/* SPDX-License-Identifier: MIT
 * zone_fit: the zone in which the days of a series are days: the one with which one step ahead is seen best. */
#ifndef TREND_ZONE_FIT_H
#define TREND_ZONE_FIT_H

#include "trend/trend_options.h"
#include "trend/trend_start.h"
#include "trend/zone_clocks.h"

struct zone_fit {
	int shift_s;		/* from UTC; with a zone: that which alone fits best */
	struct time_zone *zone; /* whose clocks were changed on the way; NULL: none fits better */
	char name[ZONE_NAME_MOST];
	unsigned alike;	  /* zones that had the same clocks all along, with it */
	unsigned rivals;  /* kinds of other clocks that fit about as well */
	bool unsure;	  /* without a zone: clocks that were changed, such as those of `name`, fit about as well */
	bool unlisted;	  /* the machine has no list of zones: none whose clocks were changed was tried; */
	unsigned missing; /* or so many of the list, which could not be read */
	unsigned doubts;  /* hours that it could be away from UTC instead, which fit about as well */
};

/* -1 with *err: no model can be (STK_EUSAGE), or the past is too short. Release *out in any case. */
int zone_fit_find(struct zone_fit *out, const struct trend_options *options, struct trend_point *points, size_t count,
		  struct stk_error *err) STK_MUST_CHECK;
void zone_fit_release(struct zone_fit *fit);

#endif
