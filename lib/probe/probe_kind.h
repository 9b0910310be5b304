/* SPDX-License-Identifier: MIT
 * probe_kind: how the counts of a probed function become paths, and how many counts it has. */
#ifndef PROBE_PROBE_KIND_H
#define PROBE_PROBE_KIND_H

#include "path/runtime/probed_function.h"
#include "probe/probe_module.h"

enum probed_kind probed_kind_of(const struct probed *probed);
/* Whether its ids are counted in place, in an array. */
bool probe_counts_in_place(const struct probed *probed);
/* How many counts it has in place, marks included. */
uint64_t probe_count_total(const struct probed *probed);

#endif
