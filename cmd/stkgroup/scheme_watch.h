/* SPDX-License-Identifier: MIT
 * scheme_watch: --follow: schemes that are edited while we run are read again. */
#ifndef STKGROUP_SCHEME_WATCH_H
#define STKGROUP_SCHEME_WATCH_H

#include "group/scheme_set.h"

struct scheme_watch { int64_t modified_ns[SCHEMES_MOST]; };	/* zeroed: nothing was checked yet */

/* Reads each scheme again whose files changed since the last call; the first call only notes their times. names: those
 * of -s, one per scheme of the set. True: some are new. An invalid one is reported, and the old one remains. */
bool scheme_watch_look(struct scheme_watch *watch, struct scheme_set *set, const char *const *names);

#endif
