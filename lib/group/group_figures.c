/* SPDX-License-Identifier: MIT
 * group_figures: sums first, then from each group to its parent, the last groups first. */
#include "group/group_figures.h"

/* The two measures of a group's time as one. */
static double
time_of(const struct group_figures *f, enum time_from from)
{
	switch (from) {
	case TIME_PAIRED:  return f->paired;
	case TIME_SAMPLED: return f->sampled;
	case TIME_MEAN:
		return f->paired > 0 && f->sampled > 0 ? (f->paired + f->sampled) / 2 : f->paired + f->sampled;
	default:           return f->paired > 0 ? f->paired : f->sampled;
	}
}

/* What was counted once too often on the way up is taken away where the ways meet. */
static void
take_shared(struct group_figures *f, const struct group_sum *sum)
{
	f->total_count -= sum->count;
	f->total_weight -= sum->weight;
	f->untimed -= sum->untimed;
	f->shared += (double)sum->ns / 1e9;
}

/* The weight of all, each once; *shared: seconds that several groups have, once too often. */
static uint64_t
add_samples(const struct grouping *grouping, uint32_t key, struct group_figures *figures, double *shared)
{
	uint64_t whole = 0;
	size_t count;
	const struct group_sum *sums = grouping_sums(grouping, &count);

	for (size_t i = 0; i < count; i++) {
		struct group_figures *f = &figures[sums[i].group];

		if (sums[i].key != key)
			continue;
		whole += sums[i].shared ? -sums[i].weight : sums[i].weight;
		if (sums[i].shared) {
			if (sums[i].group != 0)
				take_shared(f, &sums[i]);
			else
				*shared += (double)sums[i].ns / 1e9;
			continue;
		}
		f->count += sums[i].count;
		f->weight += sums[i].weight;
		f->untimed += sums[i].untimed;
		f->sampled += (double)sums[i].ns / 1e9;
		time_range_join(&f->times, &sums[i].times);
	}
	return whole;
}

/* Whether pairs have any time. */
static bool
add_events(const struct grouping *grouping, size_t groups, int64_t part, uint32_t key, struct group_figures *figures)
{
	bool paired = false;

	for (uint32_t g = 0; g <= groups; g++) {
		const struct group_events *sum = event_time_of(grouping_events(grouping), part, key, g);

		figures[g].paired += (double)sum->ns / 1e9;
		figures[g].count += sum->pairs + sum->points;
		figures[g].pairs += sum->pairs;
		figures[g].points += sum->points;
		figures[g].payload = sum->payload;
		figures[g].measured = sum->payloads != 0;
		paired |= sum->ns > 0;
	}
	return paired;
}

static void
add_to_parent(struct group_figures *parent, const struct group_figures *f)
{
	parent->total_count += f->total_count;
	parent->total_weight += f->total_weight;
	parent->total_seconds += f->total_seconds;
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
	double shared = 0;
	bool paired;

	for (size_t g = 0; g <= scheme->groups.count; g++)
		figures[g] = (struct group_figures){ .times = TIME_RANGE_NONE };
	whole = add_samples(grouping, key, figures, &shared);
	paired = add_events(grouping, scheme->groups.count, options->part, key, figures) &&
		 options->time != TIME_SAMPLED;
	for (size_t g = scheme->groups.count + 1; g-- > 0; ) {		/* children come after their parents */
		struct group_figures *f = &figures[g];
		uint32_t parent = g == 0 ? 0 : scheme->groups.at[g - 1].parent;

		f->seconds = time_of(f, options->time);
		f->total_count += f->count;
		f->total_weight += f->weight;
		f->total_seconds += f->seconds - (options->time == TIME_PAIRED ? 0 : f->shared);
		if (parent != 0)
			add_to_parent(&figures[parent], f);
	}
	shared = options->time == TIME_PAIRED ? 0 : shared;
	return share_out(figures, scheme->groups.count, paired, paired ? -shared : (double)whole);
}
