/* SPDX-License-Identifier: MIT
 * missing_moments: what a live capture could not take, by the counters that it leaves beside its dumps: of which
 * process, at how many of its moments, and why. */
#ifndef REPORT_MISSING_MOMENTS_H
#define REPORT_MISSING_MOMENTS_H

#include "base/text_table.h"
#include "report/printer.h"

#define MISSING_REASONS 8

struct moment_counter { uint64_t sum, last; };	/* last: as it was read; one that became smaller began anew */

struct missing_moments {
	struct text_table sources;
	ARRAY(struct { struct moment_counter of[MISSING_REASONS]; }) counters;
};

/* Takes a counter of a source that is not of a processor; others are ignored. */
void missing_moments_take(struct missing_moments *m, struct stk_text source, struct stk_text name, uint64_t count);
/* Its section: sources of which something is missing, at most `top`; nothing when there are none. */
void missing_moments_write(const struct missing_moments *m, struct printer *to, size_t top);
void missing_moments_release(struct missing_moments *m);

#endif
