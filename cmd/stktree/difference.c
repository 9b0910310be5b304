/* SPDX-License-Identifier: MIT
 * difference: counts the sides, then one of the views. */
#include "difference.h"

#include "answer_words.h"
#include "comparison_rules.h"
#include "window_report.h"

#include "base/memory.h"
#include "program/difference_sides.h"
#include "program/open_recordings.h"
#include "program/printing.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

struct difference {
	const struct settings *settings;
	struct difference_sides sides;
	struct comparison *comparison;
	struct answer answer;
	struct printer printer;
	bool share;
};

/* --- counting --- */

static void
check_lengths(struct difference *d)
{
	for (unsigned i = 0; i < d->sides.sides && !d->share; i++)
		if (!(comparison_seconds(d->comparison, i) > 0)) {
			program_say("%s: its times say no length: shares are compared", d->sides.names[i]);
			comparison_take_shares(d->comparison);
			d->share = true;
		}
	for (unsigned i = 0; i < d->sides.sides; i++)
		if (comparison_samples(d->comparison, i) == 0)
			program_warn("%s: no samples there", d->sides.names[i]);
	for (unsigned i = 0; i < d->sides.sides; i++)
		if (comparison_bounds(d->comparison, i)->unknown)
			program_warn("%s: the tree of an earlier version does not tell the weight of what its counts leave out: it is not counted (--samples counts all)",
				     d->sides.names[i]);
}

static int
count_sides(struct difference *d, struct stk_error *err)
{
	for (unsigned i = 0; i < d->sides.sides; i++) {
		struct compared_side side;

		difference_sides_settle(&d->sides, i);
		side = difference_side_compared(&d->sides, i);
		if (comparison_count(d->comparison, i, &side, &d->answer, err) < 0)
			return -1;
	}
	check_lengths(d);
	hush_recordings(d->sides.recordings, d->sides.count);
	for (unsigned i = 0; i < d->sides.sides; i++) {
		struct compared_side side = difference_side_compared(&d->sides, i);

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

	for (unsigned side = 1; side < d->sides.sides; side++) {
		compared.side = side;
		compared.name = d->sides.names[side];
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
	if (difference_shows_totals(s))
		return 1u << MEASURE_FUNCTIONS | 1u << MEASURE_TOTALS;
	return 1u << (s->compared == VIEW_TREE      ? MEASURE_CALLS
		      : s->compared == VIEW_PATHS   ? MEASURE_STACKS
		      : s->compared == VIEW_CALLERS ? MEASURE_NEIGHBOURS
						    : MEASURE_FUNCTIONS);
}

static bool
has_bounds(const struct difference *d)
{
	bool bounded = false;

	for (int i = 0; i < d->sides.count; i++)
		bounded |= recording_facts(d->sides.recordings[i])->bounded;
	return bounded;
}

/* What is said of a stack's bounds holds for one name of each function. */
static bool
merges_stacks(const struct difference *d)
{
	bool merged = d->settings->recording.as != AS_FRAMES;

	for (int i = 0; i < d->sides.count && !merged && has_bounds(d); i++)
		merged = recording_folds_names(d->sides.recordings[i]);
	return merged;
}

static int
compare(struct difference *d, struct stk_error *err)
{
	const struct settings *s = d->settings;
	struct comparison_options options = { .sides = d->sides.sides,
					      .measures = measures_of(s),
					      .function = s->function,
					      .samples = s->recording.samples,
					      .share = s->share,
					      .bounded = has_bounds(d),
					      .merged = merges_stacks(d),
					      .confidence = s->confidence / 100,
					      .discovery = s->discovery / 100 };
	struct difference_report report = { .settings = s,
					    .recordings = d->sides.recordings,
					    .recordings_count = d->sides.count,
					    .names = d->sides.names,
					    .sides = d->sides.sides,
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
	difference_sides_release(&d->sides);
	comparison_close(d->comparison);
	printer_release(&d->printer);
}

int
report_difference(
	const struct settings *settings, struct output *output, char **operands, int count, struct stk_error *err)
{
	const struct difference_asked asked = { .recording = &settings->recording, .choice = &settings->choice,
						.others = &settings->others, .verbose = settings->verbose };
	struct difference *d;
	int result;

	if (settings->others.count == 0)
		program_usage("--rules: expected --diff as well: what is compared with what");
	d = mem_new(1, sizeof *d);
	d->settings = settings;
	d->printer = printer_to(output);
	result = difference_sides_read(&d->sides, &asked, operands, count, err);
	if (result == 0)
		result = compare(d, err);
	if (result == 0)
		say_answer(&d->answer, d->sides.recordings, d->sides.count, settings);
	release(d);
	free(d);
	return result;
}
