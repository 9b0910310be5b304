/* SPDX-License-Identifier: MIT
 * group_table: key, then groups below their parents, with what each has by itself and with those below; and what no
 * group has. */
#include "group_views.h"

#include "base/memory.h"
#include "choose/moments.h"
#include "program/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NAMES_MOST 20

struct sheet {
	struct grouped *of;
	struct row_printer rows;
	const char *names[NAMES_MOST];
	char from[TIME_TEXT_MAX];
	bool people, answers;			/* answers: rows of queries, for programs: all have the same columns */
	/* people: several schemes; any group has payload, pairs or points; any has time of samples, of pairs */
	bool schemes, payload, events, sampled, paired;
	size_t count;				/* of rows */
	uint32_t key;				/* of the row before, and whether there is one: people read it once */
	const struct scheme *scheme;
};

/* --- what a row begins with --- */

const char *
name_of_time(const struct grouped *of)
{
	const struct sampling *s = of->sampling;

	if (s->dumps && !s->clocks && !s->others)
		return "thread time#?";
	return s->clocks && !s->dumps && !s->others ? "cpu time#?" : "time#?";
}

/* A table's names, for people and for programs. */
static unsigned
list_names(const struct sheet *sheet, const char **names)
{
	static const char *const programs[] = { "group", "count", "weight", "share", "time", "total",
		"total_share", "first", "last", "payload", "sampled", "paired" };
	const char *const people[] = { "group>", "total %#", "own %#",
		sheet->events ? "count#?" : "samples#?", sheet->paired ? "time#?" : name_of_time(sheet->of) };
	unsigned n = 0;

	if (sheet->answers)
		names[n++] = "query";
	if (!sheet->people && (sheet->of->settings->step_ns > 0 || sheet->answers))
		names[n++] = "from";
	if (sheet->of->prefixes != NULL || sheet->answers)
		names[n++] = "key>";
	if (sheet->schemes)
		names[n++] = "scheme>";
	for (size_t i = 0; sheet->people && i < sizeof people / sizeof *people; i++)
		names[n++] = people[i];
	for (size_t i = 0; !sheet->people && i < sizeof programs / sizeof *programs; i++)
		names[n++] = programs[i];
	if (sheet->people && sheet->sampled && sheet->paired) {
		names[n++] = "sampled#?";
		names[n++] = "paired#?";
	}
	if (sheet->people && sheet->payload)
		names[n++] = "payload#?";
	return n;
}

struct counts { uint64_t samples, pairs, points; };

static void
add_count(struct text_buffer *to, const char *between, uint64_t count, const char *what)
{
	char text[64];

	(void)snprintf(text, sizeof text, "%s%llu %s%s", between, (unsigned long long)count, what,
		       count == 1 ? "" : "s");
	add_string(to, text);
}

/* Of a query, or of a part of --step: what people read above its table. */
static void
print_heading(const struct grouped *of, const struct counts *counts)
{
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];
	struct text_buffer title = { 0 };
	int64_t end = of->window.from > INT64_MAX - of->settings->step_ns ? INT64_MAX
									    : of->window.from + of->settings->step_ns;
	size_t begin;

	if (of->settings->query != NULL)
		add_string(&title, of->settings->query->name);
	if (of->settings->query != NULL && of->settings->step_ns > 0)
		add_string(&title, ", ");
	if (of->settings->step_ns > 0) {
		moment_print(from, of->window.from, of->settings->zone, false);
		moment_print_after(to, end, of->settings->zone, false, from);
		add_string(&title, from);
		add_string(&title, " to ");
		add_string(&title, to);
	}
	if (counts->samples > 0 || counts->pairs + counts->points == 0)
		add_count(&title, ": ", counts->samples, "sample");
	if (counts->pairs > 0)
		add_count(&title, counts->samples > 0 ? ", " : ": ", counts->pairs, "pair");
	if (counts->points > 0)
		add_count(&title, counts->samples + counts->pairs > 0 ? ", " : ": ", counts->points, "point");
	if (!of->first)
		add_char(&of->printer->text, '\n');
	begin = of->printer->text.count;
	printer_prose(of->printer, 0, text_in(&title, 0));
	printer_paint(of->printer, begin, PAINT_HEAD);
	array_release(&title);
}

static void
begin_sheet(struct sheet *sheet)
{
	struct grouped *of = sheet->of;
	size_t header = of->printer->text.count;

	sheet->names[list_names(sheet, sheet->names)] = NULL;
	time_print(sheet->from, of->window.from, of->settings->zone);
	row_printer_begin(&sheet->rows, of->settings->form, of->printer, sheet->names);
	if (!of->first)
		of->printer->text.count = header;
	of->first = false;
}

static int64_t
to_ns(double seconds)
{
	return seconds >= 9e9 ? INT64_MAX : (int64_t)(seconds * 1e9);
}

static double
share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

void
print_share(struct row_printer *rows, double part, double whole)
{
	double percent = 100 * share(part, whole);

	if (part > 0 && percent < 0.05)
		row_text(rows, text_from("<0.1"));
	else
		row_real(rows, percent, 1);
}

void
print_short_seconds(struct row_printer *rows, double seconds)
{
	char time[TIME_TEXT_MAX];

	row_text(rows, text_from(duration_print(time, to_ns(seconds))));
}

static void
print_for_people(struct sheet *sheet, struct stk_text group, unsigned depth, const struct group_figures *f,
		 double whole)
{
	struct row_printer *rows = &sheet->rows;
	struct text_buffer lead = { 0 };

	for (unsigned d = 0; d < depth; d++)
		add_string(&lead, "  ");
	row_label(rows, text_in(&lead, 0), group);
	array_release(&lead);
	print_share(rows, f->total_part, whole);
	print_share(rows, f->part, whole);
	row_count(rows, f->total_count);
	if (f->untimed > 0 && !(f->total_seconds > 0))
		row_text(rows, text_from("-"));
	else
		print_short_seconds(rows, f->total_seconds);
	if (sheet->sampled && sheet->paired) {
		print_short_seconds(rows, f->total_sampled);
		print_short_seconds(rows, f->total_paired);
	}
	if (sheet->payload && isnan(f->payload))
		row_text(rows, text_from("several"));
	else if (sheet->payload)
		row_real(rows, f->payload, 0);
}

static void
print_for_programs(struct row_printer *rows, struct stk_text group, const struct group_figures *f, double whole,
		   const struct time_zone *zone)
{
	char text[TIME_TEXT_MAX];

	row_text(rows, group);
	row_count(rows, f->count);
	row_count(rows, f->weight);
	row_real(rows, share(f->part, whole), 6);
	row_real(rows, f->seconds, 6);
	row_count(rows, f->total_count);
	row_real(rows, share(f->total_part, whole), 6);
	row_time(rows, time_print(text, f->times.from_ns, zone));
	row_time(rows, time_print(text, f->times.to_ns, zone));
	row_real(rows, f->payload, 6);
	row_real(rows, f->sampled, 6);
	row_real(rows, f->paired, 6);
}

static void
print_row(struct sheet *sheet, const struct scheme *scheme, uint32_t key, struct stk_text group, unsigned depth,
	  const struct group_figures *f, double whole)
{
	struct row_printer *rows = &sheet->rows;
	const struct grouped *of = sheet->of;
	bool again = sheet->people && sheet->scheme == scheme && sheet->key == key;
	struct stk_text nothing = text_of("", 0);

	sheet->scheme = scheme;
	sheet->key = key;
	sheet->count++;
	if (sheet->answers)
		row_text(rows, text_from(of->settings->query->name));
	if (!sheet->people && of->settings->step_ns > 0)
		row_time(rows, sheet->from);
	else if (sheet->answers)
		row_unknown(rows);
	if (of->prefixes != NULL)
		row_text(rows, again ? nothing : stack_prefix_text(of->prefixes, key));
	else if (sheet->answers)
		row_unknown(rows);
	if (sheet->schemes)
		row_text(rows, again ? nothing : scheme->name);
	if (sheet->people)
		print_for_people(sheet, group, depth, f, whole);
	else
		print_for_programs(rows, group, f, whole, of->settings->zone);
}

unsigned
group_depth(const struct scheme *scheme, uint32_t group)
{
	unsigned depth = 0;

	for (uint32_t at = scheme->groups.at[group - 1].parent; at != 0; at = scheme->groups.at[at - 1].parent)
		depth++;
	return depth;
}

/* A person sees what has anything, the largest first on each level; a program everything that has anything, in the
 * scheme's order. */
struct place { uint32_t group; double part, seconds; };

static int
compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->part < y->part || x->part > y->part)
		return x->part < y->part ? 1 : -1;
	if (x->seconds < y->seconds || x->seconds > y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return x->group < y->group ? -1 : x->group > y->group;
}

/* Whether a group has anything, and --min and --depth let it through. */
static bool
is_shown(const struct settings *s, const struct scheme *scheme, uint32_t group, const struct group_figures *f,
	 double whole)
{
	if (f->total_count == 0 && !(f->total_seconds > 0) && !f->measured)
		return false;
	if (!(100 * share(f->total_part, whole) >= s->least))
		return false;
	return s->depth == 0 || group_depth(scheme, group) < (uint64_t)s->depth;
}

size_t
list_groups(const struct settings *s, const struct scheme *scheme, uint32_t parent,
	    const struct group_figures *figures, double whole, uint32_t **groups)
{
	ARRAY(struct place) places = { 0 };
	size_t count;

	for (uint32_t g = 1; g <= scheme->groups.count; g++) {
		const struct group_figures *f = &figures[g];

		if (scheme->groups.at[g - 1].parent == parent && is_shown(s, scheme, g, f, whole))
			*array_push(&places) = (struct place){ g, f->total_part, f->total_seconds };
	}
	if (s->form == ROWS_TEXT && places.count > 1)
		qsort(places.at, places.count, sizeof *places.at, compare_places);
	count = places.count;
	*groups = mem_new(count + 1, sizeof **groups);
	for (size_t i = 0; i < count; i++)
		(*groups)[i] = places.at[i].group;
	array_release(&places);
	return count;
}

/* Whether the query, if there is one, asks for a row. */
static bool
is_asked(const struct sheet *sheet, const struct scheme *scheme, uint32_t group, const struct group_figures *f,
	 double whole)
{
	const struct group_query *query = sheet->of->settings->query;

	return query == NULL || group_query_takes(query, scheme, group, f, whole);
}

static void
print_below(struct sheet *sheet, const struct scheme *scheme, uint32_t key, uint32_t parent,
	    const struct group_figures *figures, double whole)
{
	const struct settings *s = sheet->of->settings;
	uint32_t *groups;
	size_t count = list_groups(s, scheme, parent, figures, whole, &groups);

	for (size_t i = 0; i < count; i++) {
		const struct scheme_group *group = &scheme->groups.at[groups[i] - 1];

		if (is_asked(sheet, scheme, groups[i], &figures[groups[i]], whole))
			print_row(sheet, scheme, key, s->form == ROWS_TEXT ? group->name : group->path,
				  group_depth(scheme, groups[i]), &figures[groups[i]], whole);
		print_below(sheet, scheme, key, groups[i], figures, whole);
	}
	free(groups);
}

static double
gather(const struct grouped *of, const struct grouping *grouping, uint32_t key, struct group_figures *figures)
{
	const struct group_figures_options options = {
		.time = of->settings->time, .part = of->settings->step_ns > 0 ? of->window.from : 0
	};

	return group_figures_gather(grouping, key, &options, figures);
}

static void
print_scheme(struct sheet *sheet, struct grouping *grouping, uint32_t key)
{
	const struct scheme *scheme = grouping_scheme(grouping);
	struct group_figures *figures = mem_new(scheme->groups.count + 1, sizeof *figures);
	double whole = gather(sheet->of, grouping, key, figures);

	print_below(sheet, scheme, key, 0, figures, whole);
	if ((figures[0].count > 0 || figures[0].seconds > 0 || figures[0].measured) &&
	    is_asked(sheet, scheme, 0, &figures[0], whole))
		print_row(sheet, scheme, key, text_from("(none)"), 0, &figures[0], whole);
	free(figures);
}

/* What people are not shown needs no column. The counts of all. */
static struct counts
look_at_figures(struct sheet *sheet, const uint32_t *keys, size_t count)
{
	const struct grouped *of = sheet->of;
	struct counts counts = { 0 };

	for (unsigned g = 0; g < of->set->count; g++) {
		size_t groups = grouping_scheme(of->set->groupings[g])->groups.count;
		struct group_figures *figures = mem_new(groups + 1, sizeof *figures);

		for (size_t k = 0; k < count; k++) {
			(void)gather(of, of->set->groupings[g], keys[k], figures);
			for (size_t i = 0; i <= groups; i++) {
				sheet->payload |= figures[i].measured;
				sheet->sampled |= figures[i].sampled > 0;
				sheet->paired |= figures[i].paired > 0;
				if (g > 0)
					continue;
				counts.samples += figures[i].count - figures[i].pairs - figures[i].points;
				counts.pairs += figures[i].pairs;
				counts.points += figures[i].points;
			}
		}
		free(figures);
	}
	return counts;
}

static int
show_table(struct grouped *of, struct stk_error *err)
{
	const struct settings *settings = of->settings;
	struct sheet sheet = {
		.of = of, .people = settings->form == ROWS_TEXT,
		.answers = settings->query != NULL && settings->form != ROWS_TEXT
	};
	size_t before = of->printer->text.count;
	bool first = of->first;
	uint32_t *keys = NULL;
	size_t count = of->set->count == 0 ? 0 : list_keys(of, &keys);

	sheet.schemes = !sheet.people || of->set->count > 1;
	if (sheet.people) {
		struct counts counts = look_at_figures(&sheet, keys, count);

		sheet.events = counts.pairs + counts.points > 0;
		if (settings->step_ns > 0 || settings->query != NULL)
			print_heading(of, &counts);
	}
	begin_sheet(&sheet);
	for (size_t k = 0; k < count; k++)
		for (unsigned g = 0; g < of->set->count; g++)
			print_scheme(&sheet, of->set->groupings[g], keys[k]);
	free(keys);
	if (!sheet.people || settings->query == NULL || sheet.count > 0)
		return row_printer_end(&sheet.rows, err);
	row_printer_drop(&sheet.rows);			/* people read only what answers a query */
	of->printer->text.count = before;
	of->first = first;
	if (settings->step_ns == 0)
		program_say("query '%s': no rows", settings->query->name);
	return 0;
}

int
show_report(struct grouped *of, struct stk_error *err)
{
	switch (of->settings->report) {
	case REPORT_HIERARCHY:   return show_hierarchy(of, err);
	case REPORT_PAYLOADS:    return show_payloads(of, err);
	case REPORT_CROSS_CHECK: return show_check(of, err);
	case REPORT_PATH:        return show_paths(of, err);
	default:                 return show_table(of, err);
	}
}
