/* SPDX-License-Identifier: MIT
 * scheme_watch: --follow: schemes that are edited while we run are read again. */
#ifndef STKGROUP_SCHEME_WATCH_H
#define STKGROUP_SCHEME_WATCH_H

#include "group/scheme_set.h"

struct scheme_watch { int64_t modified_ns[SCHEMES_MOST]; };	/* zeroed: nothing was looked at */

/* Reads each scheme again whose files changed since the last call; the first call only looks at them. names: as -s gave
 * them, one a scheme of the set. True: some are new. One that is broken stays as it was, which is reported. */
bool scheme_watch_look(struct scheme_watch *watch, struct scheme_set *set, const char *const *names);

#endif
