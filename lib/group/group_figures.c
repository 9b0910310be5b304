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

static uint64_t
add_samples(const struct grouping *grouping, uint32_t key, double moment_s, struct group_figures *figures)
{
	uint64_t whole = 0;
	size_t count;
	const struct group_sum *sums = grouping_sums(grouping, &count);

	for (size_t i = 0; i < count; i++) {
		struct group_figures *f = &figures[sums[i].group];

		if (sums[i].key != key)
			continue;
		f->count += sums[i].count;
		f->weight += sums[i].weight;
		f->sampled += (double)sums[i].count * moment_s;
		time_range_join(&f->times, &sums[i].times);
		whole += sums[i].weight;
	}
	return whole;
}

static void
add_events(const struct grouping *grouping, size_t groups, struct group_figures *figures)
{
	for (uint32_t g = 0; g <= groups; g++) {
		const struct group_events *sum = event_time_of(grouping_events(grouping), g);

		figures[g].paired += (double)sum->ns / 1e9;
		figures[g].count += sum->pairs + sum->points;
		figures[g].payload += sum->payload;
	}
}

static void
add_to_parent(struct group_figures *parent, const struct group_figures *f)
{
	parent->total_count += f->total_count;
	parent->total_weight += f->total_weight;
	parent->total_seconds += f->total_seconds;
	time_range_join(&parent->times, &f->times);
}

uint64_t
group_figures_gather(const struct grouping *grouping, uint32_t key, const struct group_figures_options *options,
		     struct group_figures *figures)
{
	const struct scheme *scheme = grouping_scheme(grouping);
	uint64_t whole;

	for (size_t g = 0; g <= scheme->groups.count; g++)
		figures[g] = (struct group_figures){ .times = TIME_RANGE_NONE };
	whole = add_samples(grouping, key, options->moment_s, figures);
	if (options->events)
		add_events(grouping, scheme->groups.count, figures);
	for (size_t g = scheme->groups.count + 1; g-- > 0; ) {		/* children come after their parents */
		struct group_figures *f = &figures[g];
		uint32_t parent = g == 0 ? 0 : scheme->groups.at[g - 1].parent;

		f->seconds = time_of(f, options->time);
		f->total_count += f->count;
		f->total_weight += f->weight;
		f->total_seconds += f->seconds;
		if (parent != 0)
			add_to_parent(&figures[parent], f);
	}
	return whole;
}
