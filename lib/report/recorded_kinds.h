/* SPDX-License-Identifier: MIT
 * recorded_kinds: rows that were recorded, and those that were computed from names, which do not hold for others. */
#ifndef REPORT_RECORDED_KINDS_H
#define REPORT_RECORDED_KINDS_H

#include "report/report.h"

/* Whether rows of this kind are what was recorded, definitions included, not what was computed from it. */
bool kind_is_recorded(unsigned kind);

/* Says that these kinds, by number, were left out; nothing when there is none. */
void tell_left_out(const struct report *report, const bool *left_out);

#endif
