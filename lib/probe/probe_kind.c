/* SPDX-License-Identifier: MIT
 * probe_kind: the kind follows from the method of the plan. */
#include "probe/probe_kind.h"

#define IDS_IN_PLACE 65536u		/* more paths than these are counted in a table that grows */

enum probed_kind
probed_kind_of(const struct probed *probed)
{
	const struct path_plan *plan;

	if (probed->words == NULL)
		return PROBED_STEPS;
	plan = probed->words->plan;
	if (plan->method == PATH_AC)
		return PROBED_SUB_PATHS;
	if (plan->method == PATH_EPP)
		return PROBED_SUMS;
	return plan->paths.count > 0 ? PROBED_LISTED : PROBED_DIGITS;
}

bool
probe_counts_in_place(const struct probed *probed)
{
	return probed_kind_of(probed) == PROBED_SUMS && probed->words->plan->all_paths <= IDS_IN_PLACE;
}

uint64_t
probe_count_total(const struct probed *probed)
{
	switch (probed_kind_of(probed)) {
	case PROBED_LISTED:    return PROBED_MARKS + probed->words->plan->paths.count;
	case PROBED_SUMS:      return PROBED_MARKS
		+ (probe_counts_in_place(probed) ? probed->words->plan->all_paths : 0);
	case PROBED_DIGITS:    return PROBED_MARKS;
	case PROBED_SUB_PATHS: return PROBED_MARKS + probed->words->visits;
	case PROBED_STEPS:     break;
	}
	return 0;
}
