/* SPDX-License-Identifier: MIT
 * difference: what is compared with what: files and windows of each side; then one of the views. */
#include "difference.h"

#include "answer_words.h"
#include "comparison_rules.h"
#include "open_recordings.h"
#include "window_report.h"

#include "base/memory.h"
#include "program/printing.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

/* Files, or those of the first side, in windows, or in that of --from and --to. */
struct side {
	struct text_buffer name;	/* as it was asked for */
	ARRAY(struct recording *) recordings;
	ARRAY(const char *) words;	/* that name windows */
	ARRAY(struct tree_interval) windows;
};

struct difference {
	const struct settings *settings;
	struct recording **recordings;
	const char **paths;
	int count;
	struct side sides[OPTION_TEXTS_MOST + 1];
	const char *names[OPTION_TEXTS_MOST + 1];
	unsigned sides_count;
	struct comparison *comparison;
	struct answer answer;
	struct printer printer;
	bool share;
};

/* --- sides --- */

static void
add_name(struct side *side, const char *word)
{
	if (side->name.count > 0)
		side->name.count--;		/* the 0 at the end */
	add_string(&side->name, side->name.count > 0 ? " " : "");
	add_string(&side->name, word);
	add_char(&side->name, '\0');
}

/* A recording is opened once, whatever sides it is in. */
static int
add_file(struct difference *d, struct side *side, const char *path, struct stk_error *err)
{
	int at = 0;

	while (at < d->count && strcmp(d->paths[at], path) != 0)
		at++;
	if (at == d->count) {
		d->paths[d->count] = path;
		if (open_recording(&d->recordings[d->count], path, d->settings, err) < 0) {
			close_recording(d->recordings[d->count]);
			d->recordings[d->count] = NULL;
			return -1;
		}
		d->count++;
	}
	for (size_t i = 0; i < side->recordings.count; i++)
		if (side->recordings.at[i] == d->recordings[at])
			program_usage("--diff: '%s' is named twice on one side", path);
	*array_push(&side->recordings) = d->recordings[at];
	return 0;
}

static void
add_window(struct side *side, const char *word)
{
	*array_push(&side->words) = word;
	add_name(side, word);
}

static struct side *
new_side(struct difference *d)
{
	return &d->sides[d->sides_count++];
}

static void
take_first_files(struct difference *d, struct side *side)
{
	for (size_t i = 0; i < d->sides[0].recordings.count; i++)
		*array_push(&side->recordings) = d->sides[0].recordings.at[i];
}

static bool
has_only_windows(const struct option_lists *others)
{
	for (unsigned i = 0; i < others->count; i++)
		if (!looks_like_window(others->at[i]))
			return false;
	return true;
}

/* `day.tree --diff A..B C..D`: windows of the same files, each against the first. */
static void
read_windows(struct difference *d)
{
	const struct option_lists *others = &d->settings->others;
	bool several = others->count > 1;

	if (several && (d->settings->choice.from != NULL || d->settings->choice.to != NULL))
		program_usage("--from and --to have no effect with two windows of --diff");
	if (several) {
		d->sides[0].name.count = 0;
		add_window(&d->sides[0], others->at[0]);
	}
	for (unsigned i = several; i < others->count; i++) {
		struct side *side = new_side(d);

		take_first_files(d, side);
		add_window(side, others->at[i]);
	}
}

/* Two windows without files are two sides where no side has files, so here they would be read in two ways. */
static void
check_windows(const struct option_lists *others, unsigned second)
{
	if (looks_like_window(others->at[second - 1]) &&
	    (second == 1 || others->use[second - 2] != others->use[second]))
		program_usage("--diff: '%s' and '%s' without a file: write a comma between them, if they are one side",
			      others->at[second - 1], others->at[second]);
}

/* Each --diff is a side: its files, or those of the first side, in its windows. */
static int
read_groups(struct difference *d, struct stk_error *err)
{
	const struct option_lists *others = &d->settings->others;
	struct side *side = NULL;

	for (unsigned i = 0; i < others->count; i++) {
		if (side == NULL || others->use[i] != others->use[i - 1])
			side = new_side(d);
		if (looks_like_window(others->at[i])) {
			if (side->recordings.count == 0)
				take_first_files(d, side);
			else if (side->words.count == 1 && side->recordings.at[0] == d->sides[0].recordings.at[0])
				check_windows(others, i);
			add_window(side, others->at[i]);
			continue;
		}
		add_name(side, others->at[i]);
		if (add_file(d, side, others->at[i], err) < 0)
			return -1;
	}
	return 0;
}

static int
read_sides(struct difference *d, char **operands, int count, struct stk_error *err)
{
	struct side *first = new_side(d);

	for (int i = 0; i < count; i++) {
		add_name(first, operands[i]);
		if (add_file(d, first, operands[i], err) < 0)
			return -1;
	}
	if (d->settings->others.count == 0)
		program_usage("--rules: expected --diff as well: what is compared with what");
	if (has_only_windows(&d->settings->others))
		read_windows(d);
	else if (read_groups(d, err) < 0)
		return -1;
	for (unsigned i = 0; i < d->sides_count; i++)
		d->names[i] = d->sides[i].name.at;
	return 0;
}

/* --- windows --- */

static int64_t
last_of(const struct side *side)
{
	struct time_range times = range_of_recordings(side->recordings.at, (int)side->recordings.count);

	return time_range_is_known(&times) ? times.to_ns : 0;
}

static int
compare_windows(const void *a, const void *b)
{
	const struct tree_interval *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* In order, and those that touch are one, so that no sample counts twice. */
static void
join_windows(struct side *side)
{
	struct tree_interval *at = side->windows.at;
	size_t left = 0;

	qsort(at, side->windows.count, sizeof *at, compare_windows);
	for (size_t i = 0; i < side->windows.count; i++) {
		if (left > 0 && at[i].from <= at[left - 1].to)
			at[left - 1].to = at[i].to > at[left - 1].to ? at[i].to : at[left - 1].to;
		else
			at[left++] = at[i];
	}
	side->windows.count = left;
}

/* "A..B", or several with commas between. */
static void
parse_windows(const struct difference *d, struct side *side, const char *word)
{
	struct stk_error why = { 0 };
	char *copy = strdup(word), *next = copy;

	for (const char *one; (one = strsep(&next, ",")) != NULL; ) {
		struct tree_interval window;

		if (window_parse(one, d->settings, last_of(side), &window, &why) < 0)
			program_usage("--diff: %s", why.text);
		if (window.from >= window.to)
			program_usage("--diff: the window %s holds nothing", one);
		*array_push(&side->windows) = window;
	}
	free(copy);
}

static void
read_bounds(const struct difference *d, struct side *side)
{
	const struct settings *s = d->settings;
	struct tree_interval window = { INT64_MIN, INT64_MAX };
	struct stk_error why = { 0 };

	if (s->choice.from != NULL && bound_parse(s->choice.from, s, last_of(side), &window.from, &why) < 0)
		program_usage("--from: %s", why.text);
	if (s->choice.to != NULL && bound_parse(s->choice.to, s, last_of(side), &window.to, &why) < 0)
		program_usage("--to: %s", why.text);
	if (window.from >= window.to)
		program_usage("--diff: the window %s holds nothing", side->name.at);
	*array_push(&side->windows) = window;
}

static const char *
path_of(const struct difference *d, const struct recording *recording)
{
	int i = 0;

	while (d->recordings[i] != recording)
		i++;
	return d->paths[i];
}

static void
settle_windows(struct difference *d, struct side *side)
{
	for (size_t i = 0; i < side->words.count; i++)
		parse_windows(d, side, side->words.at[i]);
	if (side->words.count == 0)
		read_bounds(d, side);
	join_windows(side);
	for (size_t i = 0; i < side->recordings.count; i++)
		for (size_t w = 0; w < side->windows.count; w++)
			say_window(side->recordings.at[i], path_of(d, side->recordings.at[i]), d->settings,
				   side->windows.at[w]);
}

/* --- counting --- */

static struct compared_side
compared(const struct side *side)
{
	return (struct compared_side){ .recordings = side->recordings.at,
				       .count = side->recordings.count,
				       .windows = side->windows.at,
				       .windows_count = side->windows.count };
}

static void
check_lengths(struct difference *d)
{
	for (unsigned i = 0; i < d->sides_count && !d->share; i++)
		if (!(comparison_seconds(d->comparison, i) > 0)) {
			program_say("%s: its times say no length: shares are compared", d->names[i]);
			comparison_take_shares(d->comparison);
			d->share = true;
		}
	for (unsigned i = 0; i < d->sides_count; i++)
		if (comparison_samples(d->comparison, i) == 0)
			program_warn("%s: no samples there", d->names[i]);
	for (unsigned i = 0; i < d->sides_count; i++)
		if (comparison_bounds(d->comparison, i)->unknown)
			program_warn("%s: the tree of an earlier version does not tell the weight of what its counts leave out: it is not counted (--samples counts all)",
				     d->names[i]);
}

static int
count_sides(struct difference *d, struct stk_error *err)
{
	for (unsigned i = 0; i < d->sides_count; i++) {
		struct compared_side side;

		settle_windows(d, &d->sides[i]);
		side = compared(&d->sides[i]);
		if (comparison_count(d->comparison, i, &side, &d->answer, err) < 0)
			return -1;
	}
	check_lengths(d);
	hush_recordings(d->recordings, d->count);
	for (unsigned i = 0; i < d->sides_count; i++) {
		struct compared_side side = compared(&d->sides[i]);

		if (comparison_measure(d->comparison, i, &side, err) < 0)
			return -1;
	}
	return 0;
}

/* --- reports --- */

static int
apply_rules(struct difference *d, struct stk_error *err)
{
	const struct settings *s = d->settings;
	struct compared compared = { .comparison = d->comparison,
				     .share = d->share,
				     .confidence = s->confidence / 100 };

	for (unsigned side = 1; side < d->sides_count; side++) {
		compared.side = side;
		compared.name = d->names[side];
		if (rules_apply(s->rules, &compared, (enum row_form)s->form, &d->printer, err) < 0)
			return -1;
	}
	return 0;
}

static unsigned
measures_of(const struct settings *s)
{
	if (s->rules != NULL)
		return 1u << MEASURE_FUNCTIONS | 1u << MEASURE_TOTALS | 1u << MEASURE_STACKS | 1u << MEASURE_ALL;
	return 1u << (s->compared == VIEW_TREE      ? MEASURE_CALLS
		      : s->compared == VIEW_PATHS   ? MEASURE_STACKS
		      : s->compared == VIEW_CALLERS ? MEASURE_NEIGHBOURS
						    : MEASURE_FUNCTIONS);
}

static bool
has_bounds(const struct difference *d)
{
	bool bounded = false;

	for (int i = 0; i < d->count; i++)
		bounded |= recording_facts(d->recordings[i])->bounded;
	return bounded;
}

/* What is said of a stack's bounds holds for one name of each function. */
static bool
merges_stacks(const struct difference *d)
{
	bool merged = d->settings->recording.as != AS_FRAMES;

	for (int i = 0; i < d->count && !merged && has_bounds(d); i++)
		merged = recording_folds_names(d->recordings[i]);
	return merged;
}

static int
compare(struct difference *d, struct stk_error *err)
{
	const struct settings *s = d->settings;
	struct comparison_options options = { .sides = d->sides_count,
					      .measures = measures_of(s),
					      .function = s->function,
					      .samples = s->recording.samples,
					      .share = s->share,
					      .bounded = has_bounds(d),
					      .merged = merges_stacks(d),
					      .confidence = s->confidence / 100,
					      .discovery = s->discovery / 100 };
	struct difference_report report = { .settings = s,
					    .recordings = d->recordings,
					    .recordings_count = d->count,
					    .names = d->names,
					    .sides = d->sides_count,
					    .printer = &d->printer };

	d->share = s->share;
	comparison_open(&d->comparison, &options);
	if (count_sides(d, err) < 0)
		return -1;
	if (s->rules != NULL)
		return apply_rules(d, err);
	report.comparison = d->comparison;
	report.share = d->share;
	return s->compared == VIEW_TREE ? report_difference_tree(&report, err) : report_difference_table(&report, err);
}

static void
release(struct difference *d)
{
	for (unsigned i = 0; i < d->sides_count; i++) {
		array_release(&d->sides[i].name);
		array_release(&d->sides[i].recordings);
		array_release(&d->sides[i].words);
		array_release(&d->sides[i].windows);
	}
	for (int i = 0; i < d->count; i++)
		close_recording(d->recordings[i]);
	free(d->recordings);
	free(d->paths);
	comparison_close(d->comparison);
	printer_release(&d->printer);
}

int
report_difference(
	const struct settings *settings, struct output *output, char **operands, int count, struct stk_error *err)
{
	struct difference *d = mem_new(1, sizeof *d);
	size_t room = (size_t)count + OPTION_TEXTS_MOST;
	int result;

	d->settings = settings;
	d->printer = printer_to(output);
	d->recordings = mem_new(room, sizeof *d->recordings);
	d->paths = mem_new(room, sizeof *d->paths);
	result = read_sides(d, operands, count, err);
	if (result == 0)
		result = compare(d, err);
	if (result == 0)
		say_answer(&d->answer, d->recordings, d->count, settings);
	release(d);
	free(d);
	return result;
}
