/* SPDX-License-Identifier: MIT
 * zone_clocks: offsets are compared by day, and a change within one is found by halving it to the minute. */
#include "trend/zone_clocks.h"

#include "base/array.h"
#include "base/host.h"
#include "base/time_math.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZONE_LIST "zone1970.tab" /* one line for each that differs from all others since 1970 */
#define LINE_MOST 1024
#define SECOND_NS INT64_C(1000000000)
#define DAY_S     86400
#define MINUTE_S  60

/* Where many zones have the same clocks, people know them by these names. */
static const char *const well_known[] = { "Europe/Berlin",  "Europe/London",	    "Europe/Athens",
					  "America/New_York",	 "America/Chicago",   "America/Denver",
					  "America/Los_Angeles", "Australia/Sydney", "Pacific/Auckland",
					  "America/Sao_Paulo",	 "Asia/Tokyo",	    "Asia/Kolkata" };

static size_t
rank_of(const char *name)
{
	size_t i = 0;

	while (i < sizeof well_known / sizeof *well_known && strcmp(name, well_known[i]) != 0)
		i++;
	return i;
}

static void
add_change(struct zone_clock *clock, int64_t at_s)
{
	*array_push(&clock->changes) = (struct offset_change){ at_s, time_zone_offset(clock->zone, at_s) };
}

/* The first minute with another offset than that before; one is between the two. */
static int64_t
find_change(const struct time_zone *zone, int64_t before_s, int64_t after_s)
{
	int offset = time_zone_offset(zone, before_s);

	while (after_s - before_s > MINUTE_S) {
		int64_t middle = before_s + (after_s - before_s) / 2 / MINUTE_S * MINUTE_S;

		if (middle == before_s)
			break;
		if (time_zone_offset(zone, middle) == offset)
			before_s = middle;
		else
			after_s = middle;
	}
	return after_s;
}

static void
find_changes(struct zone_clock *clock, int64_t from_s, int64_t to_s)
{
	add_change(clock, from_s);
	for (int64_t at = from_s; at < to_s; at += DAY_S) {
		int64_t next = at + DAY_S < to_s ? at + DAY_S : to_s;

		if (time_zone_offset(clock->zone, next) != time_zone_offset(clock->zone, at))
			add_change(clock, find_change(clock->zone, at, next));
	}
}

static bool
are_alike(const struct zone_clock *a, const struct zone_clock *b)
{
	if (a->changes.count != b->changes.count)
		return false;
	for (size_t i = 0; i < a->changes.count; i++)
		if (a->changes.at[i].at_s != b->changes.at[i].at_s ||
		    a->changes.at[i].offset_s != b->changes.at[i].offset_s)
			return false;
	return true;
}

static void
release(struct zone_clock *clock)
{
	time_zone_close(clock->zone);
	array_release(&clock->changes);
	*clock = (struct zone_clock){ 0 };
}

static void
add_zone(struct zone_clocks *clocks, const char *name, int64_t from_s, int64_t to_s)
{
	struct zone_clock clock = { .zones = 1 };
	struct stk_error err = { 0 };

	if (strlen(name) >= sizeof clock.name || time_zone_open(&clock.zone, name, &err) < 0) {
		clocks->missing++; /* a list may name more than is installed */
		return;
	}
	(void)snprintf(clock.name, sizeof clock.name, "%s", name);
	find_changes(&clock, from_s, to_s);
	for (size_t i = 0; i < clocks->count; i++) {
		struct zone_clock *known = &clocks->at[i];

		if (!are_alike(known, &clock))
			continue;
		known->zones++;
		if (rank_of(name) < rank_of(known->name))
			(void)snprintf(known->name, sizeof known->name, "%s", name);
		release(&clock);
		return;
	}
	*array_push(clocks) = clock;
}

static FILE *
open_list(void)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof path, "%s/%s", host_zone_folder(), ZONE_LIST);

	return (size_t)length < sizeof path ? fopen(path, "re") : NULL;
}

/* The name is the third of the columns. */
void
zone_clocks_open(struct zone_clocks *out, int64_t from_ns, int64_t to_ns)
{
	FILE *file = open_list();
	char line[LINE_MOST];

	*out = (struct zone_clocks){ .listed = file != NULL };
	while (file != NULL && fgets(line, sizeof line, file) != NULL) {
		char *name = line[0] == '#' ? NULL : strchr(line, '\t');

		name = name == NULL ? NULL : strchr(name + 1, '\t');
		if (name == NULL)
			continue;
		name[1 + strcspn(name + 1, "\t\n")] = '\0';
		add_zone(out, name + 1, time_units(from_ns, SECOND_NS), time_units(to_ns, SECOND_NS));
	}
	if (file != NULL)
		fclose(file);
}

void
zone_clocks_close(struct zone_clocks *clocks)
{
	for (size_t i = 0; i < clocks->count; i++)
		release(&clocks->at[i]);
	array_release(clocks);
}

bool
zone_clock_covers(const struct zone_clock *clock, int offset_s)
{
	int least = clock->changes.at[0].offset_s, most = least;

	for (size_t i = 1; i < clock->changes.count; i++) {
		least = clock->changes.at[i].offset_s < least ? clock->changes.at[i].offset_s : least;
		most = clock->changes.at[i].offset_s > most ? clock->changes.at[i].offset_s : most;
	}
	return least <= offset_s && offset_s <= most;
}
