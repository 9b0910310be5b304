/* SPDX-License-Identifier: MIT
 * difference_sides: files and windows of each side; a recording is opened once, whatever sides it is in. */
#include "program/difference_sides.h"

#include "base/memory.h"
#include "program/open_recordings.h"
#include "program/program.h"
#include "program/typed_windows.h"

#include <stdlib.h>
#include <string.h>

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
add_file(struct difference_sides *d, struct side *side, const char *path, struct stk_error *err)
{
	int at = 0;

	while (at < d->count && strcmp(d->paths[at], path) != 0)
		at++;
	if (at == d->count) {
		d->paths[d->count] = path;
		if (open_recording(&d->recordings[d->count], path, d->asked.recording, d->asked.verbose, err) < 0) {
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
new_side(struct difference_sides *d)
{
	return &d->at[d->sides++];
}

static void
take_first_files(struct difference_sides *d, struct side *side)
{
	for (size_t i = 0; i < d->at[0].recordings.count; i++)
		*array_push(&side->recordings) = d->at[0].recordings.at[i];
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
read_windows(struct difference_sides *d)
{
	const struct option_lists *others = d->asked.others;
	bool several = others->count > 1;

	if (several && (d->asked.choice->from != NULL || d->asked.choice->to != NULL))
		program_usage("--from and --to have no effect with two windows of --diff");
	if (several) {
		d->at[0].name.count = 0;
		add_window(&d->at[0], others->at[0]);
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
read_groups(struct difference_sides *d, struct stk_error *err)
{
	const struct option_lists *others = d->asked.others;
	struct side *side = NULL;

	for (unsigned i = 0; i < others->count; i++) {
		if (side == NULL || others->use[i] != others->use[i - 1])
			side = new_side(d);
		if (looks_like_window(others->at[i])) {
			if (side->recordings.count == 0)
				take_first_files(d, side);
			else if (side->words.count == 1 && side->recordings.at[0] == d->at[0].recordings.at[0])
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

int
difference_sides_read(struct difference_sides *d, const struct difference_asked *asked, char **operands, int count,
		      struct stk_error *err)
{
	size_t room = (size_t)count + OPTION_TEXTS_MOST;
	struct side *first;

	d->asked = *asked;
	d->recordings = mem_new(room, sizeof *d->recordings);
	d->paths = mem_new(room, sizeof *d->paths);
	first = new_side(d);
	for (int i = 0; i < count; i++) {
		add_name(first, operands[i]);
		if (add_file(d, first, operands[i], err) < 0)
			return -1;
	}
	if (has_only_windows(d->asked.others))
		read_windows(d);
	else if (read_groups(d, err) < 0)
		return -1;
	for (unsigned i = 0; i < d->sides; i++)
		d->names[i] = d->at[i].name.at;
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
parse_windows(const struct difference_sides *d, struct side *side, const char *word)
{
	struct stk_error why = { 0 };
	char *copy = mem_string(word), *next = copy;

	for (const char *one; (one = strsep(&next, ",")) != NULL; ) {
		struct tree_interval window;

		if (window_parse(one, d->asked.choice, last_of(side), &window, &why) < 0)
			program_usage("--diff: %s", why.text);
		if (window.from >= window.to)
			program_usage("--diff: the window %s holds nothing", one);
		*array_push(&side->windows) = window;
	}
	free(copy);
}

static void
read_bounds(const struct difference_sides *d, struct side *side)
{
	const struct sample_choice *choice = d->asked.choice;
	struct tree_interval window = { INT64_MIN, INT64_MAX };
	struct stk_error why = { 0 };

	if (choice->from != NULL && bound_parse(choice->from, choice, last_of(side), &window.from, &why) < 0)
		program_usage("--from: %s", why.text);
	if (choice->to != NULL && bound_parse(choice->to, choice, last_of(side), &window.to, &why) < 0)
		program_usage("--to: %s", why.text);
	if (window.from >= window.to)
		program_usage("--diff: the window %s holds nothing", side->name.at);
	*array_push(&side->windows) = window;
}

static const char *
path_of(const struct difference_sides *d, const struct recording *recording)
{
	int i = 0;

	while (d->recordings[i] != recording)
		i++;
	return d->paths[i];
}

void
difference_sides_settle(struct difference_sides *d, unsigned number)
{
	const struct selection_options *chosen = &d->asked.choice->selection;
	struct side *side = &d->at[number];

	for (size_t i = 0; i < side->words.count; i++)
		parse_windows(d, side, side->words.at[i]);
	for (unsigned w = 0; program_given("window") && w < chosen->windows_count && side->words.count == 0; w++)
		*array_push(&side->windows) =
			(struct tree_interval){ chosen->windows[w].from_ns, chosen->windows[w].to_ns };
	if (side->windows.count == 0)
		read_bounds(d, side);
	join_windows(side);
	for (size_t i = 0; i < side->recordings.count; i++)
		say_windows(side->recordings.at[i], path_of(d, side->recordings.at[i]), d->asked.choice->zone,
			    side->windows.at, side->windows.count);
}

const char *
difference_side_path(const struct difference_sides *d, unsigned number)
{
	return path_of(d, d->at[number].recordings.at[0]);
}

struct compared_side
difference_side_compared(const struct difference_sides *d, unsigned number)
{
	const struct side *side = &d->at[number];

	return (struct compared_side){ .recordings = side->recordings.at,
				       .count = side->recordings.count,
				       .windows = side->windows.at,
				       .windows_count = side->windows.count };
}

void
difference_sides_release(struct difference_sides *d)
{
	for (unsigned i = 0; i < d->sides; i++) {
		array_release(&d->at[i].name);
		array_release(&d->at[i].recordings);
		array_release(&d->at[i].words);
		array_release(&d->at[i].windows);
	}
	for (int i = 0; i < d->count; i++)
		close_recording(d->recordings[i]);
	free(d->recordings);
	free(d->paths);
}
