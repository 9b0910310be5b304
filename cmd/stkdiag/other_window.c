/* SPDX-License-Identifier: MIT
 * other_window: the same hours of another day are such by the clock: a day on which the clock changes has 23 or 25 of
 * them. */
#include "other_window.h"

#include "program/program.h"

#include <string.h>

#define NS_PER_S INT64_C(1000000000)

/* The moment at which the clock shows the same, days before. */
static int64_t
days_before(int64_t ns, int days, const struct time_zone *zone)
{
	int64_t seconds = ns / NS_PER_S - (ns % NS_PER_S < 0);
	struct time_civil civil;

	time_civil_of(&civil, seconds + time_zone_offset(zone, seconds));
	/* a day of the month below 1 is one of the month before */
	time_civil_of(&civil, (time_days(civil.year, civil.month, civil.day) - days) * 86400 + civil.hour * 3600 +
				      civil.minute * 60 + civil.second);
	return time_from_civil(civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second,
			       ns - seconds * NS_PER_S, zone);
}

static void
read_same_hours(struct other_window *other, int days, const char *text, const struct sample_choice *choice)
{
	const struct time_zone *zone = sample_choice_typing_zone(choice);

	for (unsigned w = 0; w < choice->selection.windows_count; w++) {
		struct time_window window = choice->selection.windows[w];

		if (window.from_ns <= STK_TIME_LEAST)
			program_usage("--compare %s: the window has no beginning (expected --window FROM..TO)", text);
		if (window.to_ns >= STK_TIME_MOST)	/* until the end of the recording */
			window.to_ns = choice->last_ns + 1 > window.from_ns ? choice->last_ns + 1 : window.from_ns + 1;
		window.from_ns = days_before(window.from_ns, days, zone);
		window.to_ns = days_before(window.to_ns, days, zone);
		if (window.from_ns >= window.to_ns)
			program_usage("--compare %s: the clock skips these hours on that day", text);
		other->own[other->own_count++] = window;
	}
}

static void
read_window(struct other_window *other, const char *text, const struct sample_choice *choice)
{
	struct stk_error err = { 0 };

	if (strstr(text, "..") == NULL)
		program_usage("--compare: expected FROM..TO, yesterday or last-week, not '%.100s'", text);
	if (time_window_parse(text, choice->last_ns, sample_choice_typing_zone(choice), &other->own[0], &err) < 0)
		program_usage("--compare: %s", err.text);
	if (other->own[0].from_ns >= other->own[0].to_ns)
		program_usage("--compare: the window %s is empty", text);
	other->own_count = 1;
}

static void
check_apart(struct other_window *other, const struct time_window *a, const struct time_window *b,
	    const struct sample_choice *choice)
{
	const struct time_zone *zone = sample_choice_typing_zone(choice);
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];

	if (a->from_ns < b->to_ns && b->from_ns < a->to_ns)
		program_usage("--compare: the windows overlap from %s to %s",
			      time_print(from, a->from_ns > b->from_ns ? a->from_ns : b->from_ns, zone),
			      time_print(to, a->to_ns < b->to_ns ? a->to_ns : b->to_ns, zone));
	other->touches |= a->from_ns == b->to_ns || b->from_ns == a->to_ns;
}

/* Both lists are in order. */
static void
join(struct other_window *other, const struct sample_choice *choice)
{
	unsigned a = 0, b = 0;

	while (a < choice->selection.windows_count || b < other->own_count)
		if (b == other->own_count || (a < choice->selection.windows_count &&
					      choice->selection.windows[a].from_ns < other->own[b].from_ns))
			other->both[other->both_count++] = choice->selection.windows[a++];
		else
			other->both[other->both_count++] = other->own[b++];
}

void
other_window_read(struct other_window *other, const char *text, const struct sample_choice *choice)
{
	if (strcmp(text, "yesterday") == 0)
		read_same_hours(other, 1, text, choice);
	else if (strcmp(text, "last-week") == 0)
		read_same_hours(other, 7, text, choice);
	else
		read_window(other, text, choice);
	for (unsigned w = 0; w < choice->selection.windows_count; w++)
		for (unsigned o = 0; o < other->own_count; o++)
			check_apart(other, &choice->selection.windows[w], &other->own[o], choice);
	join(other, choice);
}

struct selection_options
other_window_selection(const struct sample_choice *choice, const struct time_window *windows, unsigned count)
{
	struct selection_options options = choice->selection;

	options.windows = windows;
	options.windows_count = count;
	options.from_ns = windows[0].from_ns;
	options.to_ns = windows[count - 1].to_ns;
	return options;
}
