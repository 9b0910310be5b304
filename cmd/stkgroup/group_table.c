/* SPDX-License-Identifier: MIT
 * group_table: key, then groups below their parents, with what each has by itself and with those below; and what no
 * group has. */
#include "group_views.h"

#include "base/memory.h"

#include <stdlib.h>

#define NAMES_MOST 16

struct sheet {
	struct grouped *of;
	struct row_printer rows;
	const char *names[NAMES_MOST];
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];
};

static void
begin_sheet(struct sheet *sheet, struct grouped *of)
{
	static const char *const people[] = { "scheme", "group", "total%#", "own%#", "samples#", "time s#", "payload#",
		NULL };
	static const char *const programs[] = { "scheme", "group", "count", "weight", "share", "time", "total",
		"total_share", "first", "last", "payload", "sampled", "paired", NULL };
	const char *const *names = of->settings->form == ROWS_TEXT ? people : programs;
	size_t header = of->printer->text.count;
	unsigned n = 0;

	sheet->of = of;
	if (of->settings->step_ns > 0) {
		sheet->names[n++] = "from";
		time_print(sheet->from, of->window.from, of->settings->zone);
	}
	if (of->prefixes != NULL)
		sheet->names[n++] = "key";
	while (*names != NULL)
		sheet->names[n++] = *names++;
	sheet->names[n] = NULL;
	row_printer_begin(&sheet->rows, of->settings->form, of->printer, sheet->names);
	if (!of->first)
		of->printer->text.count = header;
	of->first = false;
}

static double
share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void
print_for_people(struct row_printer *rows, struct stk_text group, unsigned depth, const struct group_figures *f,
		 uint64_t whole)
{
	struct text_buffer name = { 0 };

	for (unsigned d = 0; d < depth; d++)
		add_string(&name, "  ");
	add_text(&name, group);
	row_text(rows, text_in(&name, 0));
	array_release(&name);
	row_real(rows, 100 * share((double)f->total_weight, (double)whole), 1);
	row_real(rows, 100 * share((double)f->weight, (double)whole), 1);
	row_count(rows, f->total_count);
	row_real(rows, f->total_seconds, 3);
	row_real(rows, f->payload, 0);
}

static void
print_for_programs(struct row_printer *rows, struct stk_text group, const struct group_figures *f, uint64_t whole,
		   const struct time_zone *zone)
{
	char text[TIME_TEXT_MAX];

	row_text(rows, group);
	row_count(rows, f->count);
	row_count(rows, f->weight);
	row_real(rows, share((double)f->weight, (double)whole), 6);
	row_real(rows, f->seconds, 6);
	row_count(rows, f->total_count);
	row_real(rows, share((double)f->total_weight, (double)whole), 6);
	row_time(rows, time_print(text, f->times.from_ns, zone));
	row_time(rows, time_print(text, f->times.to_ns, zone));
	row_real(rows, f->payload, 6);
	row_real(rows, f->sampled, 6);
	row_real(rows, f->paired, 6);
}

static void
print_row(struct sheet *sheet, const struct scheme *scheme, uint32_t key, struct stk_text group, unsigned depth,
	  const struct group_figures *f, uint64_t whole)
{
	struct row_printer *rows = &sheet->rows;
	const struct grouped *of = sheet->of;

	if (of->settings->step_ns > 0)
		row_time(rows, sheet->from);
	if (of->prefixes != NULL)
		row_text(rows, stack_prefix_text(of->prefixes, key));
	row_text(rows, scheme->name);
	if (of->settings->form == ROWS_TEXT)
		print_for_people(rows, group, depth, f, whole);
	else
		print_for_programs(rows, group, f, whole, of->settings->zone);
}

static unsigned
depth_of(const struct scheme *scheme, uint32_t group)
{
	unsigned depth = 0;

	for (uint32_t at = scheme->groups.at[group - 1].parent; at != 0; at = scheme->groups.at[at - 1].parent)
		depth++;
	return depth;
}

/* A person sees what has anything, the largest first on each level; a program everything that has anything, in the
 * scheme's order. */
struct place { uint32_t group; uint64_t weight; double seconds; };

static int
compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->seconds < y->seconds || x->seconds > y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return x->group < y->group ? -1 : x->group > y->group;
}

/* Whether a group has anything, and --min and --depth let it through. */
static bool
is_shown(const struct settings *s, const struct scheme *scheme, uint32_t group, const struct group_figures *f,
	 uint64_t whole)
{
	if (f->total_count == 0 && !(f->total_seconds > 0) && !(f->payload > 0))
		return false;
	if (!(100 * share((double)f->total_weight, (double)whole) >= s->least))
		return false;
	return s->depth == 0 || depth_of(scheme, group) < (uint64_t)s->depth;
}

static void
print_below(struct sheet *sheet, const struct scheme *scheme, uint32_t key, uint32_t parent,
	    const struct group_figures *figures, uint64_t whole)
{
	const struct settings *s = sheet->of->settings;
	ARRAY(struct place) places = { 0 };

	for (uint32_t g = 1; g <= scheme->groups.count; g++) {
		const struct group_figures *f = &figures[g];

		if (scheme->groups.at[g - 1].parent == parent && is_shown(s, scheme, g, f, whole))
			*array_push(&places) = (struct place){ g, f->total_weight, f->total_seconds };
	}
	if (s->form == ROWS_TEXT && places.count > 1)
		qsort(places.at, places.count, sizeof *places.at, compare_places);
	for (size_t i = 0; i < places.count; i++) {
		const struct scheme_group *group = &scheme->groups.at[places.at[i].group - 1];

		print_row(sheet, scheme, key, s->form == ROWS_TEXT ? group->name : group->path,
			  depth_of(scheme, places.at[i].group), &figures[places.at[i].group], whole);
		print_below(sheet, scheme, key, places.at[i].group, figures, whole);
	}
	array_release(&places);
}

static void
print_scheme(struct sheet *sheet, struct grouping *grouping, uint32_t key, bool events)
{
	const struct scheme *scheme = grouping_scheme(grouping);
	struct group_figures *figures = mem_new(scheme->groups.count + 1, sizeof *figures);
	const struct group_figures_options options = {
		.moment_s = sheet->of->moment_s, .time = sheet->of->settings->time, .events = events
	};
	uint64_t whole = group_figures_gather(grouping, key, &options, figures);

	print_below(sheet, scheme, key, 0, figures, whole);
	if (figures[0].count > 0 || figures[0].seconds > 0)
		print_row(sheet, scheme, key, text_from("(none)"), 0, &figures[0], whole);
	free(figures);
}

/* Keys in the order in which they came. */
static size_t
list_keys(const struct grouped *of, uint32_t **keys)
{
	size_t count, kept = 0;
	const struct group_sum *sums = grouping_sums(of->set->groupings[0], &count);

	*keys = mem_new(count + 1, sizeof **keys);
	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < kept && (*keys)[k] != sums[i].key)
			k++;
		if (k == kept)
			(*keys)[kept++] = sums[i].key;
	}
	if (kept == 0)
		kept = 1;		/* events alone: key 0 */
	return kept;
}

int
show_table(struct grouped *of, struct stk_error *err)
{
	struct sheet sheet = { 0 };
	uint32_t *keys = NULL;
	size_t count = of->set->count == 0 ? 0 : list_keys(of, &keys);

	begin_sheet(&sheet, of);
	for (size_t k = 0; k < count; k++)
		for (unsigned g = 0; g < of->set->count; g++)
			/* events have no keys */
			print_scheme(&sheet, of->set->groupings[g], keys[k], k == 0);
	free(keys);
	return row_printer_end(&sheet.rows, err);
}
