/* SPDX-License-Identifier: MIT
 * live_conditions: what follows from --when: nothing is taken while it does not hold, or, with --look-back, what is
 * taken is kept in memory. */
#ifndef STKCAP_LIVE_CONDITIONS_H
#define STKCAP_LIVE_CONDITIONS_H

#include "live_state.h"

/* Looks at the conditions at most once a second, and acts on it. -1: the output has no reader any more. */
int live_check_conditions(struct live *live, struct stk_error *err) STK_MUST_CHECK;
/* Why there is no dump, as the end of a message: a condition never held, of the whole capture or of this process (0: of
 * none); else "". */
const char *live_unmet_text(const struct live *live, pid_t pid);
/* Before the processes are found. */
int live_begin_conditions(struct live *live, struct stk_error *err) STK_MUST_CHECK;

#endif
