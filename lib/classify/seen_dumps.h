/* SPDX-License-Identifier: MIT
 * seen_dumps: which dumps were counted, so that none is counted twice, in whatever order they come. Of each source the
 * latest 65,536 are remembered; what is older than all of these counts as seen. */
#ifndef CLASSIFY_SEEN_DUMPS_H
#define CLASSIFY_SEEN_DUMPS_H

#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stddef.h>

#define SEEN_DUMPS_MAX 65536u

enum seen { SEEN_NEW, SEEN_SAME, SEEN_OTHER, SEEN_TOO_OLD };	/* OTHER: one of that time with a different content */

struct seen_dumps;

void seen_dumps_open(struct seen_dumps **out);
void seen_dumps_close(struct seen_dumps *seen);

/* Notes a dump. Those without a time are always new. The check is a hash of what it held. */
enum seen seen_dumps_note(struct seen_dumps *seen, struct stk_text source, int64_t time_ns, uint32_t check);

/* The dumps noted, by source in the order of first notes, then by time; number from 0. False: there are no more. The
 * text is valid until the close. */
struct seen_dump { struct stk_text source; int64_t time_ns; uint32_t check; };
bool seen_dumps_get(const struct seen_dumps *seen, size_t source, size_t number, struct seen_dump *out);
size_t seen_dumps_sources(const struct seen_dumps *seen);

#endif
