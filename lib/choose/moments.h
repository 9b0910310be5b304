/* SPDX-License-Identifier: MIT
 * moments: times as text, by the clock and the zone of the source that they are from. */
#ifndef CHOOSE_MOMENTS_H
#define CHOOSE_MOMENTS_H

#include "base/time_text.h"
#include "model/model.h"

struct moments;

/* zone: for all sources; NULL: the source's own when `own`, else UTC. The model and the zone are borrowed. */
void moments_open(struct moments **out, const struct model *model, const struct time_zone *zone, bool own);
void moments_close(struct moments *moments);
/* Source ids start anew. */
void moments_forget(struct moments *moments);

/* RFC 3339 for a wall clock; seconds for a clock that counts from an unknown start; "-" when it is not known. Source 0,
 * of rows that have none, has the clock of the stream's sources; RFC 3339 where these differ. Returns `to`. */
char *moments_print(struct moments *moments, char to[TIME_TEXT_MAX], uint64_t source, int64_t ns);

/* The zone of a source, NULL for UTC. */
const struct time_zone *moments_zone(struct moments *moments, uint64_t source);

/* A moment as --from takes it: "@100.2" by a clock that counts from an unknown start, as the zone may say too, else a
 * date and time. */
char *moment_print(char to[TIME_TEXT_MAX], int64_t ns, const struct time_zone *zone, bool seconds);
/* The same without the date where `before`, which moment_print wrote, has it too. */
char *moment_print_after(char to[TIME_TEXT_MAX], int64_t ns, const struct time_zone *zone, bool seconds,
			 const char *before);

#endif
