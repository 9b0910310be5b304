/* SPDX-License-Identifier: MIT
 * window_heading: an end of a window that was not asked for is that of the recording, where it is known. */
#include "window_heading.h"

#include "base/bytes.h"
#include "base/quantities.h"
#include "choose/moments.h"
#include "program/open_recordings.h"
#include "program/program.h"
#include "report/event_unit.h"

#include <stdio.h>

#define WINDOWS_SHOWN 3

/* --- the times --- */

static void
add_window(struct text_buffer *to, struct tree_interval window, const struct recordings_facts *facts,
	   const struct time_zone *zone)
{
	bool known = facts->times.from_ns != STK_TIME_UNKNOWN && !facts->mixed;
	int64_t first = window.from != INT64_MIN ? window.from : known ? facts->times.from_ns : STK_TIME_UNKNOWN;
	int64_t last = window.to != INT64_MAX                      ? window.to
		       : known && facts->times.to_ns >= first ? facts->times.to_ns
							      : STK_TIME_UNKNOWN;
	char from[TIME_TEXT_MAX], till[TIME_TEXT_MAX];

	(void)moment_print(from, first, zone, facts->seconds);
	(void)moment_print_after(till, last, zone, facts->seconds, from);
	if (first != STK_TIME_UNKNOWN && last != STK_TIME_UNKNOWN)
		add_format(to, "%s to %s", from, till);
	else if (first != STK_TIME_UNKNOWN)
		add_format(to, "from %s", from);
	else if (last != STK_TIME_UNKNOWN)
		add_format(to, "until %s", till);
	else if (facts->mixed)
		add_string(to, "times of two clocks");
}

void
add_heading(struct text_buffer *to, const struct tree_interval *windows, unsigned count,
	    const struct recordings_facts *facts, const struct counted *counted, const struct time_zone *zone)
{
	size_t begin = to->count;

	for (unsigned w = 0; w < count && w < WINDOWS_SHOWN; w++) {
		if (w > 0)
			add_string(to, ", ");
		add_window(to, windows[w], facts, zone);
	}
	if (count > WINDOWS_SHOWN)
		add_format(to, " and %u more windows", count - WINDOWS_SHOWN);
	if (to->count > begin)
		add_string(to, ": ");
	add_format(to, "%s%llu %s", counted->estimated ? "about " : "", (unsigned long long)counted->samples, plural(counted->samples, "sample", "samples"));
	if (counted->plain)
		return;
	add_string(to, ", ");
	add_event_amount(to, text_from(counted->event), counted->weight);
}

/* --- what is counted --- */

void
add_unit(struct text_buffer *to, const struct counted *counted)
{
	if (counted->plain)
		add_string(to, "samples");
	else
		add_event_unit(to, text_from(counted->event));
}

bool
counts_time(const struct counted *counted)
{
	return !counted->plain && event_is_time(text_from(counted->event));
}

int
need_labels(struct recording *const *recordings, int count, const char *path,
	    const struct recording_options *options, struct stk_error *err)
{
	bool classes = options->as == AS_CLASSES;

	if (options->as == AS_FRAMES || options->as == AS_POOLS)
		return 0;
	for (int i = 0; i < count; i++)
		if (recording_facts(recordings[i])->labels)
			return 0;
	if (recordings_damaged() > 0)
		return stk_fail(err, STK_EDATA, "no %s of the stacks of %s can be read: what has them is damaged",
				classes ? "class" : "group", path);
	return stk_fail(err, STK_EUSAGE, "no stack of %s has a %s: %s adds them, as in '%s %s | stktree --report %s'", path,
			classes ? "class" : "group", classes ? "stkclass" : "stkgroup",
			classes ? "stkclass" : "stkgroup -s SCHEME", path, classes ? "classes" : "groups");
}

static bool
mixes_events(struct recording *const *recordings, int count)
{
	struct stk_text first = text_of("", 0), one;
	bool met = false;

	for (int i = 0; i < count; i++) {
		unsigned here = recording_events_met(recordings[i], &one);

		if (here > 1 || (here == 1 && met && !text_equal(one, first)))
			return true;
		if (here == 1)
			first = one;
		met |= here == 1;
	}
	return false;
}

void
say_events(struct recording *const *recordings, int count, bool weights)
{
	if (mixes_events(recordings, count))
		program_say("samples of several events are added up, %s",
			    weights ? "whose weights have different units (--samples counts each as 1)" : "each as 1");
	else
		say_other_events_of(recordings, count);
}
