/* SPDX-License-Identifier: MIT
 * group_figures: sums first, then from each group to its parent, the last groups first. */
#include "group/group_figures.h"

#include <math.h>

/* What was counted once too often on the way up is taken away where the ways meet. */
static void
take_shared(struct group_figures *f, const struct group_sum *sum)
{
	f->total_count -= sum->count;
	f->total_weight -= sum->weight;
	f->untimed -= sum->untimed;
}

static double
seconds_of(const struct group_sum *sum)
{
	return (double)sum->ns / 1e9;
}

/* Of samples inside of pairs and between them, each once. */
static void
add_inside(struct group_figures *figures, const struct group_sum *sum)
{
	struct group_figures *pair = &figures[inside_group(sum->inside)];
	double sign = sum->shared ? -1 : 1;

	if ((sum->inside != INSIDE_GAP && inside_group(sum->inside) == 0) || (sum->shared && sum->group != 0))
		return;
	pair->inside += sign * seconds_of(sum);
	pair->inside_squares += sign * sum->squares;
}

/* The weight of all, each once. *placed: whether any were asked what they are inside of. */
static uint64_t
add_samples(const struct grouping *grouping, uint32_t key, struct group_figures *figures, bool *placed)
{
	uint64_t whole = 0;
	size_t count;
	const struct group_sum *sums = grouping_sums(grouping, &count);

	for (size_t i = 0; i < count; i++) {
		struct group_figures *f = &figures[sums[i].group];

		if (sums[i].key != key)
			continue;
		whole += sums[i].shared ? -sums[i].weight : sums[i].weight;
		*placed |= sums[i].inside != INSIDE_NOTHING;
		add_inside(figures, &sums[i]);
		if (sums[i].shared && sums[i].group != 0)
			take_shared(f, &sums[i]);
		else if (sums[i].shared)
			f->shared_count += sums[i].count;
		if (sums[i].shared) {
			f->shared_samples += seconds_of(&sums[i]);
			continue;
		}
		f->count += sums[i].count;
		f->weight += sums[i].weight;
		f->untimed += sums[i].untimed;
		f->sampled += seconds_of(&sums[i]);
		time_range_join(&f->times, &sums[i].times);
	}
	return whole;
}

/* Whether pairs have any time. */
static bool
add_events(const struct grouping *grouping, size_t groups, int64_t part, uint32_t key, struct group_figures *figures)
{
	bool paired = false;

	if (!event_time_any(grouping_events(grouping), part, key))
		return false;
	for (uint32_t g = 0; g <= groups; g++) {
		const struct group_events *sum = event_time_of(grouping_events(grouping), part, key, g);

		figures[g].paired += (double)sum->ns / 1e9;
		figures[g].count += sum->pairs + sum->points;
		figures[g].pairs += sum->pairs;
		figures[g].points += sum->points;
		figures[g].payload = sum->payload;
		figures[g].measured = sum->payloads != 0;
		time_range_join(&figures[g].times, &sum->times);
		paired |= sum->ns > 0;
	}
	return paired;
}

/* What the pairs of a group are taken to last. */
static double
span_of(const struct group_figures *f, enum time_from from)
{
	return from == TIME_MEAN && f->inside > 0 ? (f->paired + f->inside) / 2 : f->paired;
}

static void
choose_scales(struct group_figures *figures, size_t groups, enum time_from from)
{
	for (size_t g = 0; g <= groups; g++) {
		struct group_figures *f = &figures[g];
		double span = span_of(f, from);

		f->scale = 1;
		if (g > 0 && f->inside > 0 && (span < f->inside || from == TIME_NORMALISED))
			f->scale = span / f->inside;
	}
}

/* The time of samples as it is between pairs and inside of them. */
static void
scale_samples(const struct grouping *grouping, uint32_t key, struct group_figures *figures)
{
	size_t count;
	const struct group_sum *sums = grouping_sums(grouping, &count);

	for (size_t i = 0; i < count; i++) {
		struct group_figures *f = &figures[sums[i].group];
		double seconds = seconds_of(&sums[i]);

		if (sums[i].key != key)
			continue;
		if (inside_group(sums[i].inside) != 0)
			seconds *= figures[inside_group(sums[i].inside)].scale;
		if (sums[i].shared)
			f->shared += seconds;
		else if (sums[i].inside == INSIDE_UNKNOWN)
			f->unknown += seconds;
		else
			f->timed += seconds;
	}
}

/* What pairs have that no sample inside of them takes. */
static double
rest_of_pairs(const struct group_figures *f, bool grouped, enum time_from from)
{
	double rest = grouped ? span_of(f, from) - f->scale * f->inside : f->paired - f->inside;

	return rest > 0 ? rest : 0;
}

/* Samples that may be inside of pairs against what these have. */
static double
reconciled(double pairs, double unknown, enum time_from from)
{
	if (!(pairs > 0) || !(unknown > 0))
		return pairs + unknown;
	return from == TIME_MEAN ? (pairs + unknown) / 2 : from == TIME_NORMALISED || pairs > unknown ? pairs : unknown;
}

static void
choose_times(const struct grouping *grouping, uint32_t key, struct group_figures *figures, enum time_from from,
	     bool placed)
{
	size_t groups = grouping_scheme(grouping)->groups.count;
	bool both = from != TIME_PAIRED && from != TIME_SAMPLED;

	choose_scales(figures, groups, from);
	for (size_t g = 0; g <= groups; g++) {
		figures[g].shared = from == TIME_PAIRED || (both && placed) ? 0 : figures[g].shared_samples;
		figures[g].timed = both && placed ? 0 : figures[g].sampled;
	}
	if (both && placed)
		scale_samples(grouping, key, figures);
	for (size_t g = 0; g <= groups; g++) {
		struct group_figures *f = &figures[g];

		if (both)
			f->seconds = f->timed + reconciled(rest_of_pairs(f, g > 0, from), f->unknown, from);
		else
			f->seconds = from == TIME_PAIRED ? f->paired : f->sampled;
	}
}

static void
add_to_parent(struct group_figures *parent, const struct group_figures *f)
{
	parent->total_count += f->total_count;
	parent->total_weight += f->total_weight;
	parent->total_seconds += f->total_seconds;
	parent->total_sampled += f->total_sampled;
	parent->total_paired += f->total_paired;
	parent->untimed += f->untimed;
	time_range_join(&parent->times, &f->times);
}

/* What shares are of, of each group and of all. */
static double
share_out(struct group_figures *figures, size_t groups, bool of_time, double whole)
{
	for (size_t g = 0; g <= groups; g++) {
		struct group_figures *f = &figures[g];

		f->part = of_time ? f->seconds : (double)f->weight;
		f->total_part = of_time ? f->total_seconds : (double)f->total_weight;
		whole += of_time ? f->seconds : 0;
	}
	return whole;
}

double
group_figures_gather(const struct grouping *grouping, uint32_t key, const struct group_figures_options *options,
		     struct group_figures *figures)
{
	const struct scheme *scheme = grouping_scheme(grouping);
	uint64_t whole;
	bool paired, placed = false;

	for (size_t g = 0; g <= scheme->groups.count; g++)
		figures[g] = (struct group_figures){ .times = TIME_RANGE_NONE };
	whole = add_samples(grouping, key, figures, &placed);
	paired = add_events(grouping, scheme->groups.count, options->part, key, figures) &&
		 options->time != TIME_SAMPLED;
	choose_times(grouping, key, figures, options->time, placed);
	for (size_t g = scheme->groups.count + 1; g-- > 0; ) {		/* children come after their parents */
		struct group_figures *f = &figures[g];
		uint32_t parent = g == 0 ? 0 : scheme->groups.at[g - 1].parent;

		f->total_count += f->count;
		f->total_weight += f->weight;
		f->total_seconds += f->seconds - (g == 0 ? 0 : f->shared);
		f->total_sampled += f->sampled - (g == 0 ? 0 : f->shared_samples);
		f->total_paired += f->paired;
		if (parent != 0)
			add_to_parent(&figures[parent], f);
	}
	return share_out(figures, scheme->groups.count, paired, paired ? -figures[0].shared : (double)whole);
}

struct group_all
group_figures_all(const struct scheme *scheme, const struct group_figures *figures)
{
	struct group_all all = { .times = TIME_RANGE_NONE };
	double sampled = -figures[0].shared_samples;
	uint64_t events = 0;

	for (size_t g = 0; g <= scheme->groups.count; g++) {
		const struct group_figures *f = &figures[g];

		events += f->pairs + f->points;
		if (g > 0 && scheme->groups.at[g - 1].parent != 0)
			continue;
		sampled += f->total_sampled;
		all.count += f->total_count;
		all.untimed += f->untimed;
		all.seconds += f->total_seconds;
		time_range_join(&all.times, &f->times);
	}
	all.count -= figures[0].shared_count;
	all.seconds -= figures[0].shared;
	all.worth = all.count > events ? sampled / (double)(all.count - events) : 0;
	return all;
}

/* The limits are the score interval of a Poisson count, in seconds: each sample stands for some. */
struct group_check
group_figures_check(const struct group_figures *figures, size_t groups, uint32_t group)
{
	const struct group_figures *f = &figures[group];
	const double z = 1.959964;
	double squares = f->inside_squares, sum = f->inside, unit, width;
	struct group_check check = { .difference = f->inside - f->paired };

	for (size_t g = 0; g <= groups && !(f->inside > 0); g++) {
		squares += figures[g].inside_squares;
		sum += figures[g].inside;
	}
	unit = sum > 0 ? squares / sum : 0;
	width = z * sqrt(unit * f->inside + z * z * unit * unit / 4);
	check.low = check.difference + z * z * unit / 2 - width;
	check.high = check.difference + z * z * unit / 2 + width;
	check.agrees = check.low <= 0 && check.high >= 0;
	return check;
}
