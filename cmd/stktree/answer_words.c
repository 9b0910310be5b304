/* SPDX-License-Identifier: MIT
 * answer_words: an answer that is not exact never looks as if it were. */
#include "answer_words.h"

#include "window_heading.h"

#include "base/quantities.h"
#include "choose/moments.h"
#include "program/open_recordings.h"
#include "program/printing.h"
#include "program/program.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

typedef unsigned long long u64;

/* Of the left out samples that one stack can have. */
static uint64_t
bound_of(const struct answer *a)
{
	uint64_t most = a->tree.left.samples - a->tree.guessed.samples + a->tree.possible.samples,
		 bound = a->tree.left.alike_bound + a->tree.possible.alike_bound;

	return bound < most ? bound : most;
}

/* Rounded down: 100 % is all. */
static double
coverage_of(const struct answer *a)
{
	uint64_t whole = a->samples + a->tree.left.samples;

	return floor(10000 * (double)a->samples / (double)whole) / 100;
}

bool
describe_coverage(char *to, size_t room, const struct answer *a)
{
	if (a->tree.left.samples > 0)
		(void)snprintf(to, room,
			       "coverage %.2f%%: counts cover %llu of %llu samples; no stack has more than %llu beyond those shown",
			       coverage_of(a), (u64)a->samples, (u64)(a->samples + a->tree.left.samples),
			       (u64)bound_of(a));
	else if (a->tree.possible.samples > 0)
		(void)snprintf(to, room, "of %llu samples the stack is not known: some may be selected",
			       (u64)a->tree.possible.samples);
	return a->tree.left.samples > 0 || a->tree.possible.samples > 0;
}

bool
describe_estimate(char *to, size_t room, const struct answer *a)
{
	if (a->estimated > 0)
		(void)snprintf(to, room,
			       "estimated: the window cuts intervals that have only counts; of their %llu samples a part "
			       "in proportion is taken to be in it, and it can be none or all of them",
			       (u64)a->estimated);
	return a->estimated > 0;
}

static void
say_unseen(const struct answer *a, struct recording *const *recordings, int count, const struct settings *settings)
{
	bool seconds = facts_of_recordings(recordings, count).seconds;
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];

	moment_print(from, a->unseen_at.from, settings->zone, seconds);
	moment_print(to, a->unseen_at.to, settings->zone, seconds);
	program_warn("from %s to %s, %llu samples are thinned to counts, which do not know %s: they are not in the report",
		     from, to, (u64)a->unseen,
		     settings->recording.filtered ? "what is selected" : "these keys or this event");
}

static void
say_coverage(const struct answer *a, struct recording *const *recordings, int count, const struct settings *settings)
{
	char text[256];

	if (describe_coverage(text, sizeof text, a))
		program_say("%s", text);
	if (describe_estimate(text, sizeof text, a))
		program_say("%s", text);
	if (a->tree.left.weight_unknown && !settings->recording.samples && settings->view != VIEW_DIFFERENCE)
		program_warn("the tree of an earlier version does not tell the weight of %llu samples that its counts leave out: shares are of the others (--samples counts all)",
			     (u64)a->tree.left.samples);
	if (a->unseen > 0)
		say_unseen(a, recordings, count, settings);
	if (a->several > 0)
		program_say("%llu sample%s in several groups: shares add up to more than 100 %%", (u64)a->several,
			    plural(a->several, " is", "s are"));
	if (a->replaced > 0)
		program_warn("%llu damaged node%s of the tree: the samples were counted instead", (u64)a->replaced,
			     plural(a->replaced, "", "s"));
	else if (a->tree.damaged > 0)
		program_warn("%llu damaged node%s of the tree: those below were read instead, where there are any",
			     (u64)a->tree.damaged, plural(a->tree.damaged, "", "s"));
}

static void
print_coverage(char *to, size_t room, const struct answer *a)
{
	if (a->incomplete || a->unseen > 0)
		(void)snprintf(to, room, "unknown");
	else if (a->tree.left.samples == 0)
		(void)snprintf(to, room, a->tree.possible.samples > 0 ? "unknown" : "100%%");
	else
		(void)snprintf(to, room, "%.6g%%", coverage_of(a));
}

/* Comparisons and rules count samples. */
static bool
adds_weights(const struct settings *s)
{
	return !s->recording.samples && s->others.count == 0 && s->rules == NULL;
}

void
say_answer(const struct answer *a, struct recording *const *recordings, int count, const struct settings *settings)
{
	uint64_t bytes_read = 0, file_bytes = 0;
	char coverage[40];

	for (int i = 0; i < count; i++) {
		bytes_read += recording_bytes_read(recordings[i]);
		file_bytes += recording_bytes(recordings[i]);
	}
	say_coverage(a, recordings, count, settings);
	say_events(recordings, count, adds_weights(settings));
	if (a->samples == 0 && a->tree.left.samples == 0 && a->estimated == 0)
		program_warn("no samples in the window");
	if (!settings->stats)
		return;
	print_coverage(coverage, sizeof coverage, a);
	program_say("nodes %llu, stacks %llu, bytes %llu of %llu, coverage %s", (u64)a->tree.nodes,
		    (u64)(a->tree.stacks + a->scanned), (u64)(bytes_read < file_bytes ? bytes_read : file_bytes),
		    (u64)file_bytes, coverage);
	if (a->skipped_blocks > 0)
		program_say("skipped %llu block%s with %llu samples: by the index none of them is selected",
			    (u64)a->skipped_blocks, plural(a->skipped_blocks, "", "s"), (u64)a->skipped_samples);
	program_say("%.1f ms of CPU time, including start-up", 1000 * (double)clock() / CLOCKS_PER_SEC);
}

static double
percent(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : 100 * (double)part / (double)whole;
}

void
remark_bounds(struct printer *printer, const struct answer_bounds *known, uint64_t whole)
{
	uint64_t left = known->most - known->least;

	if (known->left.samples > 0)
		printer_remark(printer,
			       LEFT_OUT ": the tree keeps counts of %.2f %% of the samples; a stack can have %.2f %% (%llu) "
			       "more than its row, and a function all that is left out",
			       100 - percent(known->left.weight, whole), percent(known->stack, whole),
			       (u64)known->stack);
	else if (known->most > 0)
		printer_remark(printer, "the tree leaves out the stacks of %llu samples: some may be selected",
			       (u64)left);
	if (known->possible > 0)
		printer_remark(printer,
			       "estimated: of intervals that the window cuts only counts are left; %llu of %llu are taken to "
			       "be in the window, and it can be 0 to %llu",
			       (u64)known->estimated, (u64)known->possible, (u64)known->possible);
	if (known->unknown)
		printer_remark(printer, "the weight of what is left out is not known: shares are of the rest");
}
