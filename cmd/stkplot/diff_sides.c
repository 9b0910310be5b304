/* SPDX-License-Identifier: MIT
 * diff_sides: a picture has two sides, and says of each what it is. */
#include "diff_sides.h"

#include "picture_title.h"

#include "base/quantities.h"
#include "choose/moments.h"
#include "program/open_recordings.h"
#include "program/program.h"
#include "program/typed_windows.h"
#include "timetree/sample_event.h"

#include <stdio.h>

typedef unsigned long long u64;

/* --- messages --- */

static void
say_thinned(const struct diff_sides *d, const struct answer *a)
{
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];

	if (a->unseen > 0) {
		bool seconds = facts_of_recordings(d->sides.recordings, d->sides.count).seconds;

		moment_print(from, a->unseen_at.from, d->settings->choice.zone, seconds);
		moment_print(to, a->unseen_at.to, d->settings->choice.zone, seconds);
		program_warn("from %s to %s, %llu samples are thinned to counts, which do not know what is selected: they are not in the picture",
			     from, to, (u64)a->unseen);
	}
	if (a->tree.left.samples > 0)
		program_say("counts cover %llu of %llu samples: the others are drawn as " LEFT_OUT, (u64)a->samples,
			    (u64)(a->samples + a->tree.left.samples));
	if (a->estimated > 0)
		program_say("estimated: the windows cut intervals that have only counts; of their %llu samples a part in proportion is taken to be in them",
			    (u64)a->estimated);
	if (a->tree.damaged > 0)
		program_warn("%llu damaged node%s of the tree: the samples, or those below, were counted instead",
			     (u64)a->tree.damaged, plural(a->tree.damaged, "", "s"));
}

void
diff_sides_say(const struct diff_sides *d, const struct answer *answer)
{
	say_thinned(d, answer);
	say_other_events_of(d->sides.recordings, d->sides.count);
}

/* --- what was typed --- */

static void
name_side(struct diff_sides *d, unsigned number)
{
	const struct side *side = &d->sides.at[number];
	char *to = d->names[number];
	size_t files = side->recordings.count;
	const char *file = input_name(difference_side_path(&d->sides, number));
	int used = snprintf(to, DIFF_NAME_MOST, files > 1 ? "%.100s and %zu more" : "%.100s", file, files - 1);

	if (side->words.count > 0 && used >= 0 && used < DIFF_NAME_MOST)
		(void)snprintf(to + used, (size_t)(DIFF_NAME_MOST - used), " %s%s", side->words.at[0],
			       side->words.count > 1 ? ", ..." : "");
}

static unsigned
windows_among(const struct option_lists *words)
{
	unsigned windows = 0;

	for (unsigned i = 0; i < words->count; i++)
		windows += looks_like_window(words->at[i]);
	return windows;
}

static void
check_words(const struct option_lists *words)
{
	if (windows_among(words) < words->count)
		return;
	if (words->count > 2)
		program_usage("diff: a picture has two sides: write a comma between windows that are one side");
	if (words->count == 2 && sample_choice_has_window())
		program_usage("--from, --to and --window have no effect with two windows of --diff");
}

static void
check_files(const struct difference_sides *sides)
{
	const struct side *first = &sides->at[0], *second = &sides->at[1];

	for (size_t i = 0; i < first->recordings.count && first->words.count + second->words.count == 0; i++)
		if (first->recordings.at[i] == second->recordings.at[0])
			program_usage("diff: '%s' is compared with itself", difference_side_path(sides, 1));
}

static int
open_sides(struct diff_sides *d, const struct plot_settings *settings, const struct option_lists *others,
	   char **operands, int count, struct stk_error *err)
{
	struct difference_asked asked = { .choice = &d->choice, .others = others, .recording = &d->options };

	d->settings = settings;
	d->options = (struct recording_options){ .by = settings->by != NULL ? settings->by : "none",
						 .selection = settings->choice.selection,
						 .filtered = sample_choice_is_filtered(),
						 .naming = { .fold = true },
						 .samples = settings->samples };
	d->options.selection.from_ns = INT64_MIN;		/* each side has windows of its own */
	d->options.selection.to_ns = INT64_MAX;
	d->options.selection.windows = NULL;
	d->options.selection.windows_count = 0;
	if (difference_sides_read(&d->sides, &asked, operands, count, err) < 0)
		return -1;
	check_files(&d->sides);
	for (unsigned side = 0; side < 2; side++) {
		difference_sides_settle(&d->sides, side);
		name_side(d, side);
	}
	return 0;
}

int
diff_sides_open(struct diff_sides *d, const struct plot_settings *settings, char **operands, int count,
		struct stk_error *err)
{
	*d = (struct diff_sides){ .choice = settings->choice };
	check_words(&settings->others);
	return open_sides(d, settings, &settings->others, operands, count, err);
}

int
diff_sides_open_windows(struct diff_sides *d, const struct plot_settings *settings, const struct option_lists *windows,
			char **operands, int count, struct stk_error *err)
{
	*d = (struct diff_sides){ .choice = settings->choice };
	d->choice.from = d->choice.to = NULL;
	return open_sides(d, settings, windows, operands, count, err);
}

void
diff_sides_release(struct diff_sides *d)
{
	difference_sides_release(&d->sides);
}
