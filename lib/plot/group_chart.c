/* SPDX-License-Identifier: MIT
 * group_chart: a figure is what a group itself has in a step, without the groups below it, so that the areas of a
 * scheme add up. */
#include "plot/group_chart.h"

#include "base/id_table.h"
#include "base/text_table.h"
#include "base/time_math.h"
#include "model/state_stack.h"
#include "plot/activity_lanes.h"
#include "plot/chart_total.h"
#include "plot/event_areas.h"
#include "plot/event_lanes.h"
#include "plot/part_moments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMES_MOST 16u
#define FLAME_MOST_CELLS 1024u
#define PATH_DEEP    32u

/* Of events, samples are pairs that began and points, and the time is that of pairs. */
struct figure { int64_t time_ns, length_ns; uint32_t scheme, group; uint64_t samples; double ns; bool of_events; };
enum parts_by { BY_NOTHING, BY_PROCESSOR, BY_SOURCE, BY_HOST, BY_ACTIVITY };
struct named_group { struct stk_text name; uint64_t parent; };

struct group_chart {
	struct model *model;
	const char *wanted;
	struct text_table schemes, names, texts;	/* names: of groups, "VM/GC" */
	ARRAY(struct figure) figures;
	struct event_lanes lanes;
	struct activity_lanes activities;
	uint64_t dumped, sampled;		/* samples of dumps, and others */
	struct flame_counts *flame;
	bool settled;
	struct text_buffer room;
	enum parts_by by;
	struct text_table parts;		/* names */
	struct part_moments moments;
	/* of the present stream */
	ARRAY(uint32_t) scheme_of_id;		/* number in schemes, by id */
	struct id_table groups;			/* struct named_group, by scheme and group */
	struct id_table of_stack;		/* uint32_t: name, by state_stack */
	struct id_table of_thread;		/* the same by thread, of those without a stack */
};

static uint64_t
group_key(uint64_t scheme, uint64_t group)
{
	return scheme << 32 | (group & UINT32_MAX);
}

/* What the paths of a stack begin with. */
static struct stk_text
group_of_path(void *context, uint64_t stack, uint64_t state, uint64_t thread)
{
	const struct group_chart *g = context;
	const uint32_t *of_thread = stack == 0 ? id_table_find(&g->of_thread, thread) : NULL;
	const uint32_t *own = of_thread != NULL ? of_thread : id_table_find(&g->of_stack, state_stack(stack, state));
	const uint32_t *name = own != NULL ? own : id_table_find(&g->of_stack, state_stack(stack, STK_STATE_UNKNOWN));

	if (stack == 0 && name == NULL)
		return text_from(NO_STACK);
	return name == NULL || *name == 0 ? text_from(NO_GROUP) : text_table_text(&g->names, *name);
}

int
group_chart_open(struct group_chart **out, const struct group_chart_options *options, struct stk_error *err)
{
	static const char *const keys[] = { [BY_PROCESSOR] = "processor", [BY_SOURCE] = "source", [BY_HOST] = "host",
					   [BY_ACTIVITY] = "activity" };
	struct group_chart *g = *out = mem_new(1, sizeof *g);

	g->model = options->model;
	g->wanted = options->scheme;
	g->groups.size = sizeof(struct named_group);
	g->of_stack.size = g->of_thread.size = sizeof(uint32_t);
	for (unsigned i = BY_PROCESSOR; i <= BY_ACTIVITY && options->by != NULL; i++)
		if (strcmp(options->by, keys[i]) == 0)
			g->by = (enum parts_by)i;
	if (options->by != NULL && g->by == BY_NOTHING)
		return stk_fail(err, STK_EUSAGE, "--by: expected processor, source, host or activity for groups, not '%s'",
				options->by);
	if (!options->flame)
		return 0;
	return flame_counts_open(&g->flame, &(struct flame_counts_options){ .model = options->model,
					 .from_ns = INT64_MIN, .to_ns = INT64_MAX,
					 .cells = FLAME_MOST_CELLS, .first = group_of_path, .first_context = g }, err);
}

void
group_chart_close(struct group_chart *g)
{
	if (g == NULL)
		return;
	flame_counts_close(g->flame);
	text_table_release(&g->schemes);
	text_table_release(&g->names);
	text_table_release(&g->texts);
	text_table_release(&g->parts);
	event_lanes_release(&g->lanes);
	activity_lanes_release(&g->activities);
	part_moments_release(&g->moments);
	array_release(&g->figures);
	array_release(&g->room);
	array_release(&g->scheme_of_id);
	id_table_clear(&g->groups);
	id_table_clear(&g->of_stack);
	id_table_clear(&g->of_thread);
	free(g);
}

void
group_chart_turn(struct group_chart *g)
{
	if (g->flame != NULL)
		flame_counts_turn(g->flame);
	g->scheme_of_id.count = 0;
	event_lanes_turn(&g->lanes);
	id_table_clear(&g->groups);
	id_table_clear(&g->of_stack);
	id_table_clear(&g->of_thread);
}

size_t
group_chart_count(const struct group_chart *g)
{
	return g->figures.count;
}

/* --- rows --- */

/* 0: it is not to be drawn. */
static uint32_t
scheme_number(const struct group_chart *g, uint64_t id)
{
	return id < g->scheme_of_id.count ? g->scheme_of_id.at[id] : 0;
}

static void
take_scheme(struct group_chart *g, const struct stk_scheme *row)
{
	if (row->id >= SCHEMES_MOST || (g->wanted != NULL && !text_is(row->name, g->wanted)))
		return;
	array_lengthen(&g->scheme_of_id, row->id + 1);
	g->scheme_of_id.at[row->id] = text_table_number(&g->schemes, row->name);
}

/* The names of a group and of those that contain it. */
static uint32_t
group_name(struct group_chart *g, uint64_t scheme, uint64_t group)
{
	const struct named_group *path[PATH_DEEP], *at;
	unsigned depth = 0;

	for (; group != 0 && depth < PATH_DEEP; group = at->parent) {
		at = id_table_find(&g->groups, group_key(scheme, group));
		if (at == NULL)
			break;
		path[depth++] = at;
	}
	g->room.count = 0;
	if (depth == 0)
		add_string(&g->room, NO_GROUP);
	while (depth > 0) {
		add_text(&g->room, path[--depth]->name);
		add_string(&g->room, depth > 0 ? "/" : "");
	}
	return text_table_number(&g->names, text_in(&g->room, 0));
}

static void
take_figure(struct group_chart *g, const struct stk_group_figure *row)
{
	uint32_t scheme = scheme_number(g, row->scheme);

	if (scheme == 0 || row->time == STK_TIME_UNKNOWN || row->length <= 0)
		return;
	if (row->paired > 0 || row->pairs + row->points > 0)
		*array_push(&g->figures) = (struct figure){ row->time, row->length, scheme,
			group_name(g, row->scheme, row->group), row->pairs + row->points, (double)row->paired, true };
	else if (row->samples == 0 && row->weight == 0 && row->payload_name.size > 0)
		return;
	if (row->samples > 0 || row->weight > 0 || row->paired == 0)
		*array_push(&g->figures) = (struct figure){ row->time, row->length, scheme,
			group_name(g, row->scheme, row->group), row->samples, (double)row->duration, false };
}

/* What is of several groups is of the first, in the first scheme. */
static void
take_membership(struct group_chart *g, struct id_table *table, uint64_t key, uint64_t scheme, uint64_t group)
{
	uint32_t *name;

	if (scheme_number(g, scheme) != 1)
		return;
	name = id_table_at(table, key);
	if (*name == 0)
		*name = group_name(g, scheme, group);
}

static uint32_t
part_of(struct group_chart *g, uint64_t source, int64_t processor)
{
	g->room.count = 0;
	if (g->by == BY_SOURCE)
		add_text(&g->room, model_source_name(g->model, source));
	else if (g->by == BY_HOST)
		add_text(&g->room, model_string(g->model, model_source(g->model, source).host));
	else if (processor >= 0)
		add_format(&g->room, "processor %lld", (long long)processor);
	if (g->room.count == 0)
		add_string(&g->room, g->by == BY_PROCESSOR ? "no processor" : g->by == BY_HOST ? "no host" : "no source");
	return text_table_number(&g->parts, text_in(&g->room, 0));
}

static uint32_t
part_of_activity(struct group_chart *g, uint64_t activity)
{
	g->room.count = 0;
	if (activity != 0)
		add_activity(&g->room, activity);
	else
		add_string(&g->room, "no activity");
	return text_table_number(&g->parts, text_in(&g->room, 0));
}

static void
take_event(struct group_chart *g, const struct stk_event *row)
{
	struct happening *begun = event_lanes_take(&g->lanes, row);

	if (g->by == BY_ACTIVITY) {
		activity_lanes_take(&g->activities, row);
		if (begun != NULL)
			begun->part = part_of_activity(g, row->activity);
	} else if (begun != NULL && g->by != BY_NOTHING) {
		begun->part = part_of(g, model_sample_source(g->model, row->thread, 0), row->processor);
	}
}

static void
take_group(struct group_chart *g, const struct stk_group *row)
{
	struct named_group *group = id_table_at(&g->groups, group_key(row->scheme, row->id));

	group->name = text_table_text(&g->texts, text_table_number(&g->texts, row->name));
	group->parent = row->parent < row->id ? row->parent : 0;
}

static uint32_t
part_of_sample(struct group_chart *g, const struct sample_columns *c, uint32_t i)
{
	return part_of(g, model_sample_source(g->model, sample_value(&c->thread, i), sample_value(&c->dump, i)),
		       (int64_t)sample_value(&c->processor, i));
}

static uint32_t
group_of_sample(struct group_chart *g, const struct sample_columns *c, uint32_t i)
{
	return text_table_number(&g->names,
				 group_of_path(g, sample_value(&c->stack, i), sample_value(&c->state, i),
					       sample_value(&c->thread, i)));
}

static int
take_samples(struct group_chart *g, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct sample_columns c;

	if (sample_columns_load(&c, FLAME_COLUMNS | SAMPLE_PROCESSOR, g->model, reader, block, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		if (sample_value(&c.dump, i) != 0)
			g->dumped++;
		else
			g->sampled++;
		if (g->flame != NULL)
			flame_counts_add(g->flame, &c, i, 1);
		if (g->by != BY_NOTHING && g->by != BY_ACTIVITY)
			part_moments_add(&g->moments, part_of_sample(g, &c, i), group_of_sample(g, &c, i),
					 sample_time(&c, i));
	}
	return 0;
}

int
group_chart_take(struct group_chart *g, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	unsigned kind = (unsigned)block->kind;
	union {
		struct stk_scheme scheme;
		struct stk_group group;
		struct stk_group_of_stack stack;
		struct stk_group_of_thread thread;
		struct stk_group_figure figure;
		struct stk_event event;
	} row;

	if (kind == STK_SAMPLE)
		return take_samples(g, reader, block, err);
	if (kind != STK_SCHEME && kind != STK_GROUP && kind != STK_GROUP_OF_STACK && kind != STK_GROUP_OF_THREAD &&
	    kind != STK_GROUP_FIGURE && kind != STK_EVENT)
		return 0;
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		stk_reader_row(reader, i, &row);
		if (kind == STK_SCHEME)
			take_scheme(g, &row.scheme);
		else if (kind == STK_GROUP)
			take_group(g, &row.group);
		else if (kind == STK_GROUP_OF_STACK)
			take_membership(g, &g->of_stack, state_stack(row.stack.stack, row.stack.state),
					row.stack.scheme, row.stack.group);
		else if (kind == STK_GROUP_OF_THREAD)
			take_membership(g, &g->of_thread, row.thread.thread, row.thread.scheme, row.thread.group);
		else if (kind == STK_GROUP_FIGURE)
			take_figure(g, &row.figure);
		else
			take_event(g, &row.event);
	}
	return 0;
}

/* --- areas --- */

struct group_total { uint32_t name; uint64_t samples; double ns; };

struct area_sort { const struct text_table *names; bool timed; };

static int
compare_group_totals(const void *a, const void *b, void *context)
{
	const struct area_sort *sort = context;
	const struct group_total *x = a, *y = b;
	bool p = text_is(text_table_text(sort->names, x->name), NO_GROUP),
	     q = text_is(text_table_text(sort->names, y->name), NO_GROUP);

	if (p != q)
		return p ? 1 : -1;
	if (sort->timed && x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return text_compare(text_table_text(sort->names, x->name), text_table_text(sort->names, y->name));
}

struct figures_of { uint32_t scheme; bool events; };

static bool
is_of(const struct figure *f, struct figures_of of)
{
	return f->scheme == of.scheme && f->of_events == of.events;
}

/* In what time of each column a group had how many threads; samples where no sample has a time of its own. areas: of
 * each group, the values that it is added to. */
static void
fill_areas(const struct group_chart *g, const struct chart *chart, struct figures_of of, bool timed,
	   double *const *areas)
{
	for (size_t i = 0; i < g->figures.count; i++) {
		const struct figure *f = &g->figures.at[i];
		unsigned column = chart_column(chart, f->time_ns);

		if (is_of(f, of) && areas[f->group - 1] != NULL && column < chart->columns)
			areas[f->group - 1][column] += timed ? f->ns / (double)chart->column_ns : (double)f->samples;
	}
}

/* Of all groups, the heaviest first. Returns whether there is any figure. */
static bool
sum_groups(const struct group_chart *g, struct figures_of of, struct group_total *totals, struct group_total *all)
{
	bool any = false;

	*all = (struct group_total){ 0 };
	for (uint32_t n = 1; n <= g->names.texts.count; n++)
		totals[n - 1].name = n;
	for (size_t i = 0; i < g->figures.count; i++) {
		const struct figure *f = &g->figures.at[i];

		if (!is_of(f, of))
			continue;
		any = true;
		totals[f->group - 1].ns += f->ns;
		totals[f->group - 1].samples += f->samples;
		all->ns += f->ns;
		all->samples += f->samples;
	}
	if (g->names.texts.count > 0)
		qsort_r(totals, g->names.texts.count, sizeof *totals, compare_group_totals,
			&(struct area_sort){ &g->names, all->ns > 0 });
	return any;
}

static void
say_panel(struct chart *chart, struct chart_panel *panel, const struct group_total *all, bool of_events)
{
	struct text_buffer text = { 0 };
	char step[TIME_TEXT_MAX];

	add_format(&text, "%s per step of %s, by group", panel->unit, duration_print(step, chart->column_ns));
	if (of_events)
		add_string(&text, all->ns > 0 ? ", between events that begin and end something" : "");
	add_string(&text, "; all: ");
	if (all->ns > 0) {
		add_real(&text, all->ns / 1e9);
		add_string(&text, " s in ");
	}
	add_format(&text, "%llu %s%s", (unsigned long long)all->samples, of_events ? "event" : "sample",
		   all->samples == 1 ? "" : "s");
	panel->say = chart_take(chart, &text);
	array_release(&text);
}

/* The colour that a group has in a panel, so that samples and events of one look alike; else the next one. */
static unsigned
colour_of_group(const struct chart *chart, size_t first, struct stk_text name, unsigned *next)
{
	const struct chart_panel *of = first < chart->panels.count ? &chart->panels.at[first] : NULL;

	if (text_is(name, NO_GROUP))
		return CHART_OTHER;
	for (size_t i = 0; of != NULL && i < of->lines.count; i++)
		if (text_compare(of->lines.at[i].name, name) == 0)
			return of->lines.at[i].colour;
	return *next < CHART_FILLS ? (*next)++ : CHART_OTHER;
}

static double
share_of(const struct group_total *part, const struct group_total *all)
{
	double whole = all->ns > 0 ? all->ns : (double)all->samples;

	return 100 * (all->ns > 0 ? part->ns : (double)part->samples) / (whole > 0 ? whole : 1);
}

static unsigned
colours_used(const struct chart *chart, size_t panel)
{
	unsigned used = 0;

	for (size_t i = 0; panel < chart->panels.count && i < chart->panels.at[panel].lines.count; i++)
		used += chart->panels.at[panel].lines.at[i].colour < CHART_OTHER;
	return used;
}

/* A line for each group that has a colour, and one for all others. */
static void
add_areas_of_groups(const struct group_chart *g, struct chart *chart, size_t panel, struct figures_of of,
		    const struct group_total *totals, const struct group_total *all, size_t like)
{
	unsigned next = colours_used(chart, like);
	struct group_total left = { 0 };
	double *other = NULL, **areas = mem_new(g->names.texts.count + 1, sizeof *areas);
	size_t count = 0;

	for (size_t i = 0; i < g->names.texts.count; i++) {
		const struct group_total *t = &totals[i];
		struct stk_text name = text_table_text(&g->names, t->name);
		struct chart_line *line;

		if (t->samples == 0 && t->ns <= 0)
			continue;
		if (count >= CHART_FILLS && !text_is(name, NO_GROUP)) {
			if (other == NULL)
				other = chart_values(chart, 0);
			areas[t->name - 1] = other;
			left.ns += t->ns;
			left.samples += t->samples;
			continue;
		}
		count += !text_is(name, NO_GROUP);
		line = chart_line(chart, &chart->panels.at[panel], CHART_AREA, name);
		line->colour = colour_of_group(chart, like, name, &next);
		areas[t->name - 1] = line->at;
		chart_say_total(chart, line, (struct chart_total){ t->samples, t->ns }, share_of(t, all), of.events);
	}
	if (other != NULL) {
		struct chart_line *line = chart_line(chart, &chart->panels.at[panel], CHART_AREA, text_from("(other)"));

		line->colour = CHART_OTHER;
		line->at = other;
		chart_say_total(chart, line, (struct chart_total){ left.samples, left.ns }, share_of(&left, all),
				of.events);
	}
	fill_areas(g, chart, of, all->ns > 0, areas);
	free(areas);
}

/* Of its samples, or of its events; like: a panel whose colours groups have here, too. */
static void
add_panel_of_scheme(const struct group_chart *g, struct chart *chart, struct figures_of of, size_t like)
{
	struct group_total *totals = mem_new(g->names.texts.count + 1, sizeof *totals), all;
	struct text_buffer name = { 0 };
	size_t number = chart->panels.count;
	struct chart_panel *panel;

	if (sum_groups(g, of, totals, &all)) {
		add_text(&name, text_table_text(&g->schemes, of.scheme));
		add_string(&name, of.events ? ", events" : "");
		panel = chart_panel(chart, text_in(&name, 0),
				    all.ns <= 0 ? of.events ? "events" : "samples"
				    : of.events || g->dumped >= g->sampled ? "threads" : "CPUs");
		say_panel(chart, panel, &all, of.events);
		add_areas_of_groups(g, chart, number, of, totals, &all, like != number ? like : SIZE_MAX);
	}
	array_release(&name);
	free(totals);
}

/* --- what changed --- */

static void
answer_groups(struct chart *chart)
{
	struct text_buffer text = { 0 };
	const struct chart_panel *panel = chart->panels.count > 0 ? &chart->panels.at[0] : NULL;
	const struct chart_line *changed = NULL;
	double most = 0;
	unsigned where = 0;

	for (size_t i = 0; panel != NULL && i < panel->lines.count; i++) {
		const double *curve = panel->lines.at[i].at;
		double gain;
		unsigned at = chart_change(curve, chart->columns, &gain);

		if (at > 0 && gain > most) {
			most = gain;
			where = at;
			changed = &panel->lines.at[i];
		}
	}
	if (panel != NULL && panel->lines.count > 0) {
		add_string(&text, "most: ");
		add_text(&text, panel->lines.at[0].name);
		add_string(&text, ", ");
		add_text(&text, panel->lines.at[0].say);
	} else {
		add_string(&text, "no figures");
	}
	if (changed != NULL) {
		double before = chart_mean(changed->at, 0, where),
		       after = chart_mean(changed->at, where, chart->columns);

		add_string(&text, "; ");
		add_text(&text, changed->name);
		add_string(&text, after > before ? " grew from " : " fell from ");
		chart_add_number(&text, before, panel->unit);
		add_string(&text, " to ");
		chart_add_number(&text, after, panel->unit);
		add_format(&text, " %s at ", panel->unit);
		chart_add_moment(&text, chart, chart->begin_ns + (int64_t)where * chart->column_ns);
	}
	chart->answer = chart_take(chart, &text);
	array_release(&text);
}

/* --- the whole --- */

static void
find_axis_of_figures(const struct group_chart *g, struct chart *chart)
{
	int64_t begin = INT64_MAX, end = INT64_MIN, step = INT64_MAX;

	for (size_t i = 0; i < g->figures.count; i++) {
		const struct figure *f = &g->figures.at[i];
		int64_t until = time_sum(f->time_ns, f->length_ns);

		begin = f->time_ns < begin ? f->time_ns : begin;
		end = until > end ? until : end;
		step = f->length_ns < step ? f->length_ns : step;
	}
	if (begin > end) {
		begin = 0;
		end = step = INT64_C(60000000000);
	}
	chart_set_axis(chart, begin, end, step);
}

void
group_chart_make(struct group_chart *g, struct chart *chart)
{
	chart->kind = "groups";
	find_axis_of_figures(g, chart);
	for (uint32_t scheme = 1; scheme <= g->schemes.texts.count; scheme++) {
		size_t first = chart->panels.count;

		add_panel_of_scheme(g, chart, (struct figures_of){ scheme, false }, SIZE_MAX);
		add_panel_of_scheme(g, chart, (struct figures_of){ scheme, true }, first);
	}
	event_lanes_settle(&g->lanes);
	event_lanes_draw(&g->lanes, chart);
	activity_lanes_draw(&g->activities, chart);
	if (g->by != BY_NOTHING) {
		part_moments_draw(&g->moments, chart, &g->parts, &g->names);
		event_areas_draw(&g->lanes, &g->parts, chart);
	}
	answer_groups(chart);
}

void
group_chart_add_options(const struct group_chart *g, struct text_buffer *to)
{
	int64_t step = INT64_MAX;
	char text[TIME_TEXT_MAX];

	for (uint32_t i = 1; i <= g->schemes.texts.count; i++) {
		add_string(to, " -s '");
		for (size_t k = 0; k < text_table_text(&g->schemes, i).size; k++) {
			char c = text_table_text(&g->schemes, i).data[k];

			if (c == '\'')
				add_string(to, "'\\''");
			else
				add_char(to, c);
		}
		add_char(to, '\'');
	}
	for (size_t i = 0; i < g->figures.count; i++)
		step = g->figures.at[i].length_ns < step ? g->figures.at[i].length_ns : step;
	if (step != INT64_MAX)
		add_format(to, " --step %s", duration_print(text, step));
}

struct flame_tree *
group_chart_flame(struct group_chart *g)
{
	return g->flame == NULL ? NULL : flame_counts_settle(g->flame);
}
