/* SPDX-License-Identifier: MIT
 * diff_sides: a recording is opened once, whatever sides it is in. */
#include "diff_sides.h"

#include "picture_title.h"

#include "base/memory.h"
#include "base/quantities.h"
#include "base/time_math.h"
#include "program/lost_ids.h"
#include "program/program.h"
#include "timetree/sample_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long u64;

/* Of an open recording: what its messages need. */
struct diff_told {
	struct diff_sides *sides;
	const char *path;
	struct diff_told *next;
	bool hushed;
};

/* --- messages --- */

static void
tell_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	struct diff_told *told = context;

	(void)bytes;
	if (told->hushed)
		return;
	told->sides->damaged++;
	program_warn("%s:%lld: %s", told->path, (long long)offset, what);
}

static void
tell_lost(void *context, int64_t from, int64_t to, const char *why)
{
	struct diff_told *told = context;
	char first[TIME_TEXT_MAX], last[TIME_TEXT_MAX];

	if (told->hushed)
		return;
	told->sides->damaged++;
	time_print(first, from, told->sides->settings->choice.zone);
	time_print(last, to, told->sides->settings->choice.zone);
	if (to == INT64_MAX)
		program_warn("%s: the recording is %s: nothing after %s is known", told->path, why,
			     from == STK_TIME_UNKNOWN ? "its beginning" : first);
	else if (to == STK_TIME_UNKNOWN)
		program_warn("%s: samples without a time are lost", told->path);
	else
		program_warn("%s: the recording is %s: samples from %s to %s are lost", told->path, why,
			     from == STK_TIME_UNKNOWN ? "its beginning" : first, last);
}

static void
tell_growing(void *context)
{
	const struct diff_told *told = context;

	if (!told->hushed)
		program_say("%s: still being written; read as far as it is now", told->path);
}

void
diff_sides_hush(struct diff_sides *d)
{
	for (struct diff_told *told = d->told; told != NULL; told = told->next)
		told->hushed = true;
	for (int i = 0; i < d->count; i++)
		for (size_t s = 0; s < recording_streams(d->recordings[i]); s++)
			report_lost_ids(recording_model(d->recordings[i], s));
}

static void
say_thinned(const struct diff_sides *d, const struct answer *a)
{
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];

	if (a->unseen > 0) {
		time_print(from, a->unseen_at.from, d->settings->choice.zone);
		time_print(to, a->unseen_at.to, d->settings->choice.zone);
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
	const char *event = d->count > 0 ? recording_facts(d->recordings[0])->event : "";
	uint64_t others = 0;

	say_thinned(d, answer);
	for (int i = 0; i < d->count; i++)
		others += recording_other_events(d->recordings[i]);
	if (others > 0 && strcmp(event, EVENT_NONE) == 0)
		program_say("counted samples without an event only, as those of dumps; %llu sample%s of events left out (see --event)",
			    (u64)others, plural(others, "", "s"));
	else if (others > 0)
		program_say("counted samples of event %s only; %llu sample%s of other events left out (see --event)", event,
			    (u64)others, plural(others, "", "s"));
}

/* --- files --- */

static int
open_file(struct diff_sides *d, struct recording **out, const char *path, struct stk_error *err)
{
	const struct plot_settings *s = d->settings;
	struct recording_options options = { .by = s->by != NULL ? s->by : "none",
					     .selection = s->choice.selection,
					     .filtered = sample_choice_is_filtered(),
					     .naming = { .fold = true },
					     .samples = s->samples };
	struct diff_told *told = mem_new(1, sizeof *told);
	struct recording_listener listener = {
		.damage = tell_damage, .lost = tell_lost, .growing = tell_growing, .context = told
	};
	struct stk_error why;

	*told = (struct diff_told){ .sides = d, .path = path, .next = d->told };
	d->told = told;
	options.selection.from_ns = INT64_MIN;
	options.selection.to_ns = INT64_MAX;
	options.selection.windows = NULL;
	options.selection.windows_count = 0;
	if (d->count > 0)			/* all count the event of the first */
		options.selection.first_event = recording_facts(d->recordings[0])->event;
	if (recording_open(out, path, &options, &listener, err) == 0 || err->code == STK_EUSAGE)
		return err->code == STK_EUSAGE ? -1 : 0;
	why = *err;
	stk_error_clear(err);
	return stk_fail(err, why.code, "%s: %s", path, why.text);
}

static int
add_file(struct diff_sides *d, struct diff_side *side, const char *path, struct stk_error *err)
{
	int at = 0;

	while (at < d->count && strcmp(d->paths[at], path) != 0)
		at++;
	if (at == d->count) {
		d->paths[at] = path;
		if (open_file(d, &d->recordings[at], path, err) < 0) {
			recording_close(d->recordings[at]);
			return -1;
		}
		d->count++;
	}
	for (size_t i = 0; i < side->count; i++)
		if (side->recordings[i] == d->recordings[at])
			program_usage("diff: '%s' is named twice on one side", path);
	side->recordings[side->count++] = d->recordings[at];
	return 0;
}

/* --- windows --- */

static int64_t
last_of(const struct diff_side *side)
{
	struct time_range range = TIME_RANGE_NONE;

	for (size_t i = 0; i < side->count; i++)
		time_range_join(&range, &recording_facts(side->recordings[i])->times);
	return time_range_is_known(&range) ? range.to_ns : 0;
}

static int
compare_windows(const void *a, const void *b)
{
	const struct tree_interval *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* In order, and those that touch are one, so that no sample counts twice. */
static void
join_windows(struct diff_side *side)
{
	struct tree_interval *at = side->windows;
	size_t left = 0;

	qsort(at, side->windows_count, sizeof *at, compare_windows);
	for (size_t i = 0; i < side->windows_count; i++) {
		if (left > 0 && at[i].from <= at[left - 1].to)
			at[left - 1].to = at[i].to > at[left - 1].to ? at[i].to : at[left - 1].to;
		else
			at[left++] = at[i];
	}
	side->windows_count = left;
}

static void
add_window(struct diff_side *side, struct tree_interval window, const char *word)
{
	if (window.from >= window.to)
		program_usage("diff: the window %s holds nothing", word);
	if (side->windows_count > OPTION_TEXTS_MOST)
		program_usage("diff: at most %d windows are one side", OPTION_TEXTS_MOST);
	side->windows[side->windows_count++] = window;
}

/* "A..B", or several with commas between. */
static void
read_windows(const struct diff_sides *d, struct diff_side *side, const char *word)
{
	const struct time_zone *zone = sample_choice_typing_zone(&d->settings->choice);
	char *copy = strdup(word), *next = copy;

	for (const char *one; (one = strsep(&next, ",")) != NULL; ) {
		struct stk_error why = { 0 };
		struct time_window window;

		if (time_window_parse(one, last_of(side), zone, &window, &why) < 0)
			program_usage("diff: %s", why.text);
		add_window(side, (struct tree_interval){ window.from_ns, window.to_ns }, one);
	}
	free(copy);
}

static int64_t
read_bound(const struct diff_sides *d, const struct diff_side *side, const char *text, int64_t unbounded)
{
	struct stk_error why = { 0 };
	int64_t ns = unbounded;

	if (text != NULL &&
	    time_parse(text, last_of(side), sample_choice_typing_zone(&d->settings->choice), &ns, &why) < 0)
		program_usage("diff: %s", why.text);
	return text == NULL ? unbounded : time_clamp(ns);
}

/* Those that were typed for the side, else --window, or --from and --to, which are relative to its own end. */
static void
settle_windows(const struct diff_sides *d, struct diff_side *side)
{
	const struct sample_choice *choice = &d->settings->choice;

	for (unsigned i = 0; i < side->words_count; i++)
		read_windows(d, side, side->words[i]);
	if (side->words_count == 0 && program_given("window"))
		for (unsigned w = 0; w < choice->selection.windows_count; w++)
			add_window(side, (struct tree_interval){ choice->windows[w].from_ns, choice->windows[w].to_ns }, "");
	else if (side->words_count == 0)
		add_window(side, (struct tree_interval){ read_bound(d, side, choice->from, INT64_MIN),
							 read_bound(d, side, choice->to, INT64_MAX) }, "of --from and --to");
	join_windows(side);
}

static void
say_windows(const struct diff_sides *d, const struct diff_side *side)
{
	for (size_t i = 0; i < side->count; i++) {
		const struct recording_facts *facts = recording_facts(side->recordings[i]);
		const struct tree_interval *first = &side->windows[0], *last = &side->windows[side->windows_count - 1];

		if (first->from == INT64_MIN && last->to == INT64_MAX)
			continue;
		if (facts->untimed > 0)
			program_say("%s: samples without a time are in no window", side->name);
		if (!time_range_is_known(&facts->times))
			program_warn("%s: no sample has a time, so every window is empty", side->name);
		else if (first->from > facts->times.to_ns || last->to <= facts->times.from_ns)
			program_warn("%s: the window is outside the recording", side->name);
	}
	(void)d;
}

/* --- what was typed --- */

bool
diff_is_window(const char *text)
{
	return strstr(text, "..") != NULL && access(text, F_OK) != 0;
}

static void
name_side(struct diff_side *side, const char *file, size_t files)
{
	int used = snprintf(side->name, sizeof side->name, files > 1 ? "%.100s and %zu more" : "%.100s", file, files - 1);

	if (side->words_count > 0 && used >= 0 && (size_t)used < sizeof side->name)
		(void)snprintf(side->name + used, sizeof side->name - (size_t)used, " %s%s", side->words[0],
			       side->words_count > 1 ? ", ..." : "");
}

/* `day.stk --diff A..B C..D`: two windows of the operands; one is against all of them, or what --from and --to
 * leave. */
static void
read_two_windows(struct diff_sides *d, const struct option_lists *words)
{
	if (words->count > 2)
		program_usage("diff: a picture has two sides: write a comma between windows that are one side");
	if (words->count == 2 && sample_choice_has_window())
		program_usage("--from, --to and --window have no effect with two windows of --diff");
	if (words->count == 2)
		d->at[0].words[d->at[0].words_count++] = words->at[0];
	d->at[1].words[d->at[1].words_count++] = words->at[words->count - 1];
	memcpy(d->at[1].recordings, d->at[0].recordings, d->at[0].count * sizeof *d->at[0].recordings);
	d->at[1].count = d->at[0].count;
}

int
diff_sides_open(struct diff_sides *d, const struct plot_settings *settings, char **operands, int count,
		struct stk_error *err)
{
	const struct option_lists *words = &settings->others;
	size_t room = (size_t)count + words->count + 1, files = 0;
	const char *file = operands[0];

	*d = (struct diff_sides){ .settings = settings };
	d->recordings = mem_new(room, sizeof *d->recordings);
	d->paths = mem_new(room, sizeof *d->paths);
	for (unsigned side = 0; side < 2; side++)
		d->at[side].recordings = mem_new(room, sizeof *d->at[side].recordings);
	for (int i = 0; i < count; i++)
		if (add_file(d, &d->at[0], operands[i], err) < 0)
			return -1;
	for (unsigned i = 0; i < words->count; i++)
		if (!diff_is_window(words->at[i]) && add_file(d, &d->at[1], words->at[i], err) < 0)
			return -1;
	for (unsigned i = 0; i < words->count && d->at[1].count > 0; i++) {
		if (diff_is_window(words->at[i]))
			d->at[1].words[d->at[1].words_count++] = words->at[i];
		else if (files++ == 0)
			file = words->at[i];
	}
	if (files == 0)
		read_two_windows(d, words);
	for (size_t i = 0; i < d->at[0].count && files > 0; i++)
		if (d->at[0].recordings[i] == d->at[1].recordings[0] && d->at[1].words_count == 0)
			program_usage("diff: '%s' is compared with itself", file);
	name_side(&d->at[0], input_name(operands[0]), (size_t)count);
	name_side(&d->at[1], input_name(file), files > 0 ? files : (size_t)count);
	for (unsigned side = 0; side < 2; side++) {
		settle_windows(d, &d->at[side]);
		say_windows(d, &d->at[side]);
	}
	return 0;
}

struct compared_side
diff_side_compared(const struct diff_side *side)
{
	return (struct compared_side){ .recordings = side->recordings,
				       .count = side->count,
				       .windows = side->windows,
				       .windows_count = side->windows_count };
}

void
diff_sides_release(struct diff_sides *d)
{
	for (int i = 0; i < d->count; i++)
		recording_close(d->recordings[i]);
	for (struct diff_told *next, *told = d->told; told != NULL; told = next) {
		next = told->next;
		free(told);
	}
	free(d->at[0].recordings);
	free(d->at[1].recordings);
	free(d->recordings);
	free(d->paths);
}
