/* SPDX-License-Identifier: MIT
 * spare_checks: a plan of psp0 checks r at each block to which an edge leads that was chosen among several. Most of
 * these checks need not be done. */
#ifndef PROBE_SPARE_CHECKS_H
#define PROBE_SPARE_CHECKS_H

#include "path/word_plan.h"

/* Leaves checks only on edges that bring values which are none of an interesting path as well as values which are, and
 * ends on those that bring no other. What is counted is the same; only the operations differ. Other plans are not
 * changed. */
void spare_checks(struct word_plan *plan);

#endif
