/* SPDX-License-Identifier: MIT
 * live_missing: requested processes that were not found, or gave nothing. */
#ifndef STKCAP_LIVE_MISSING_H
#define STKCAP_LIVE_MISSING_H

#include "live_state.h"

/* Reports why a requested process gave no dump. */
void live_report_missing(struct live *live);

#endif
