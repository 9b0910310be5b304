/* SPDX-License-Identifier: MIT
 * diff_counts: what is counted once in each side is counted again in blocks of time, since chance acts on these. */
#include "diff_counts.h"

#include "program/open_recordings.h"

#define CONFIDENCE 0.95 /* the defaults of stktree --diff */
#define DISCOVERY 0.05

static bool
any_bounded(const struct diff_counts *d, bool *merged)
{
	bool bounded = false;

	for (int i = 0; i < d->sides.sides.count; i++)
		bounded |= recording_facts(d->sides.sides.recordings[i])->bounded;
	for (int i = 0; i < d->sides.sides.count && bounded; i++)
		*merged |= recording_folds_names(d->sides.sides.recordings[i]);
	return bounded;
}

static int
measure(struct diff_counts *d, bool shares, struct stk_error *err)
{
	if (shares)
		comparison_take_shares(d->comparison);
	for (unsigned side = 0; side < 2; side++) {
		struct compared_side is = difference_side_compared(&d->sides.sides, side);

		if (comparison_measure(d->comparison, side, &is, err) < 0)
			return -1;
	}
	flame_difference_mark(&d->difference, d->comparison, shares);
	return 0;
}

/* Frames and sources are in the model whatever is lent of it. */
static void
note_definitions(struct diff_counts *d)
{
	for (int i = 0; i < d->sides.sides.count; i++)
		for (size_t s = 0; s < recording_streams(d->sides.sides.recordings[i]); s++) {
			const struct recording *recording = d->sides.sides.recordings[i];
			struct model *model = (struct model *)(uintptr_t)recording_model(recording, s);

			source_clocks_add(&d->clocks, model);
			flame_difference_add_modules(&d->difference, model);
		}
}

int
diff_counts_make(struct diff_counts *d, const struct plot_settings *settings, struct stk_error *err)
{
	struct comparison_options options = { .sides = 2,
					      .measures = 1u << MEASURE_CALLS | 1u << MEASURE_FUNCTIONS |
							  1u << MEASURE_TOTALS | 1u << MEASURE_ALL,
					      .samples = settings->samples,
					      .confidence = CONFIDENCE,
					      .discovery = DISCOVERY };

	options.bounded = any_bounded(d, &options.merged);
	comparison_open(&d->comparison, &options);
	for (unsigned side = 0; side < 2; side++) {
		struct compared_side is = difference_side_compared(&d->sides.sides, side);

		if (comparison_count(d->comparison, side, &is, &d->answer, err) < 0)
			return -1;
	}
	hush_recordings(d->sides.sides.recordings, d->sides.sides.count);
	flame_difference_open(&d->difference, d->comparison);
	note_definitions(d);
	d->timed = comparison_seconds(d->comparison, 0) > 0 && comparison_seconds(d->comparison, 1) > 0;
	d->difference.shares = !d->timed || settings->shares != 0;
	if (d->timed && measure(d, false, err) < 0)
		return -1;
	return measure(d, true, err);
}

void
diff_counts_release(struct diff_counts *d)
{
	comparison_close(d->comparison);
	flame_difference_release(&d->difference);
	diff_sides_release(&d->sides);
}
