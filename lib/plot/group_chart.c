/* SPDX-License-Identifier: MIT
 * group_chart: a figure is what a group itself has in a step, without the groups below it, so that the areas of a
 * scheme add up. */
#include "plot/group_chart.h"

#include "base/id_table.h"
#include "base/text_table.h"
#include "base/time_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMES_MOST 16u
#define LANES_MOST   12u
#define SPANS_MOST   2000u
#define FLAME_MOST_CELLS 1024u
#define NO_GROUP     "(none)"
#define NO_STACK     "(no stack)"	/* such threads have a group by their name, which paths do not show */
#define PATH_DEEP    32u
#define FALLS        0.5	/* what falls is told only if nothing grew half as much */

struct figure { int64_t time_ns, length_ns; uint32_t scheme, group; uint64_t samples; double ns; };
struct happening { int64_t from_ns, to_ns; uint32_t lane; double value; };	/* to_ns STK_TIME_UNKNOWN: it is open */
struct open_event { uint64_t thread, activity; uint32_t lane, place; };
struct named_group { struct stk_text name; uint64_t parent; };

struct group_chart {
	struct model *model;
	const char *wanted;
	struct text_table schemes, names, texts, lanes;	/* names: of groups, "VM/GC" */
	ARRAY(struct figure) figures;
	ARRAY(struct happening) happenings;
	ARRAY(struct open_event) open;
	uint64_t dumped, sampled;		/* samples of dumps, and others */
	struct flame_counts *flame;
	bool settled;
	struct text_buffer room;
	/* of the present stream */
	ARRAY(uint32_t) scheme_of_id;		/* number in schemes, by id */
	struct id_table groups;			/* struct named_group, by scheme and group */
	struct id_table of_stack;		/* uint32_t: name, by stack */
};

static uint64_t
group_key(uint64_t scheme, uint64_t group)
{
	return scheme << 32 | (group & UINT32_MAX);
}

/* What the paths of a stack begin with. */
static struct stk_text
group_of_path(void *context, uint64_t stack)
{
	const struct group_chart *g = context;
	const uint32_t *name = id_table_find(&g->of_stack, stack);

	if (stack == 0)
		return text_from(NO_STACK);
	return name == NULL || *name == 0 ? text_from(NO_GROUP) : text_table_text(&g->names, *name);
}

int
group_chart_open(struct group_chart **out, struct model *model, const char *scheme, bool flame, struct stk_error *err)
{
	struct group_chart *g = *out = mem_new(1, sizeof *g);

	g->model = model;
	g->wanted = scheme;
	g->groups.size = sizeof(struct named_group);
	g->of_stack.size = sizeof(uint32_t);
	if (!flame)
		return 0;
	return flame_counts_open(&g->flame, &(struct flame_counts_options){ .model = model, .from_ns = INT64_MIN,
					 .to_ns = INT64_MAX, .sides = 1, .cells = FLAME_MOST_CELLS,
					 .first = group_of_path, .first_context = g }, err);
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
	text_table_release(&g->lanes);
	array_release(&g->figures);
	array_release(&g->happenings);
	array_release(&g->open);
	array_release(&g->room);
	array_release(&g->scheme_of_id);
	id_table_clear(&g->groups);
	id_table_clear(&g->of_stack);
	free(g);
}

void
group_chart_turn(struct group_chart *g)
{
	if (g->flame != NULL)
		flame_counts_turn(g->flame);
	g->scheme_of_id.count = 0;
	g->open.count = 0;
	id_table_clear(&g->groups);
	id_table_clear(&g->of_stack);
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
	*array_push(&g->figures) = (struct figure){ row->time, row->length, scheme,
		group_name(g, row->scheme, row->group), row->samples, (double)row->duration };
}

/* A stack of several groups is of the first, in the first scheme. */
static void
take_stack(struct group_chart *g, const struct stk_group_of_stack *row)
{
	uint32_t *name;

	if (scheme_number(g, row->scheme) != 1)
		return;
	name = id_table_at(&g->of_stack, row->stack);
	if (*name == 0)
		*name = group_name(g, row->scheme, row->group);
}

static void
take_event(struct group_chart *g, const struct stk_event *row)
{
	uint32_t lane;

	if (row->time == STK_TIME_UNKNOWN || row->happening == STK_HAPPENING_SWITCH_OUT ||
	    row->happening == STK_HAPPENING_SWITCH_IN)
		return;
	lane = text_table_number(&g->lanes, row->name);
	for (size_t i = g->open.count; row->happening == STK_HAPPENING_STOP && i-- > 0; ) {
		struct open_event open = g->open.at[i];

		if (open.lane != lane || open.thread != row->thread || open.activity != row->activity)
			continue;
		g->happenings.at[open.place].to_ns = row->time;
		g->open.at[i] = g->open.at[--g->open.count];
		return;
	}
	if (row->happening == STK_HAPPENING_START)
		*array_push(&g->open) = (struct open_event){ row->thread, row->activity, lane,
			(uint32_t)g->happenings.count };
	*array_push(&g->happenings) = (struct happening){ row->time,
		row->happening == STK_HAPPENING_START ? STK_TIME_UNKNOWN : row->time, lane, row->value };
}

static void
take_group(struct group_chart *g, const struct stk_group *row)
{
	struct named_group *group = id_table_at(&g->groups, group_key(row->scheme, row->id));

	group->name = text_table_text(&g->texts, text_table_number(&g->texts, row->name));
	group->parent = row->parent < row->id ? row->parent : 0;
}

static int
take_samples(struct group_chart *g, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct sample_columns c;

	if (sample_columns_load(&c, FLAME_COLUMNS | SAMPLE_WEIGHT, g->model, reader, block, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		if (sample_value(&c.dump, i) != 0)
			g->dumped++;
		else
			g->sampled++;
		if (g->flame != NULL)
			flame_counts_add(g->flame, &c, i, sample_value(&c.weight, i), 0);
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
		struct stk_group_figure figure;
		struct stk_event event;
	} row;

	if (kind == STK_SAMPLE)
		return take_samples(g, reader, block, err);
	if (kind != STK_SCHEME && kind != STK_GROUP && kind != STK_GROUP_OF_STACK && kind != STK_GROUP_FIGURE &&
	    kind != STK_EVENT)
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
			take_stack(g, &row.stack);
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

static void
say_total(struct chart *chart, struct chart_line *line, uint64_t samples, double ns, double share)
{
	struct text_buffer text = { 0 };

	if (ns > 0) {
		add_real(&text, ns / 1e9);
		add_string(&text, " s, ");
	}
	add_format(&text, "%llu sample%s, %.1f %%", (unsigned long long)samples, samples == 1 ? "" : "s", share);
	line->say = chart_take(chart, &text);
	array_release(&text);
}

/* In what time of each column a group had how many threads; samples where no sample has a time of its own. */
static void
fill_area(const struct group_chart *g, const struct chart *chart, uint32_t scheme, uint32_t name, bool timed,
	  double *at)
{
	for (size_t i = 0; i < g->figures.count; i++) {
		const struct figure *f = &g->figures.at[i];
		unsigned column = chart_column(chart, f->time_ns);

		if (f->scheme == scheme && f->group == name && column < chart->columns)
			at[column] += timed ? f->ns / (double)chart->column_ns : (double)f->samples;
	}
}

static void
add_panel_of_scheme(const struct group_chart *g, struct chart *chart, uint32_t scheme)
{
	struct group_total *totals = mem_new(g->names.texts.count + 1, sizeof *totals);
	struct text_buffer text = { 0 };
	struct chart_panel *panel;
	size_t count = 0;
	double ns = 0, whole;
	uint64_t samples = 0, left_samples = 0;
	double left_ns = 0;
	struct chart_line *other = NULL;

	for (uint32_t n = 1; n <= g->names.texts.count; n++)
		totals[n - 1].name = n;
	for (size_t i = 0; i < g->figures.count; i++) {
		const struct figure *f = &g->figures.at[i];

		if (f->scheme != scheme)
			continue;
		totals[f->group - 1].ns += f->ns;
		totals[f->group - 1].samples += f->samples;
		ns += f->ns;
		samples += f->samples;
	}
	whole = ns > 0 ? ns : (double)samples;
	qsort_r(totals, g->names.texts.count, sizeof *totals, compare_group_totals,
		&(struct area_sort){ &g->names, ns > 0 });
	panel = chart_panel(chart, text_table_text(&g->schemes, scheme),
			    ns > 0 ? g->dumped >= g->sampled ? "threads" : "CPUs" : "samples");
	for (size_t i = 0; i < g->names.texts.count; i++) {
		const struct group_total *t = &totals[i];
		struct stk_text name = text_table_text(&g->names, t->name);
		struct chart_line *line;

		if (t->samples == 0 && t->ns <= 0)
			continue;
		if (count >= CHART_FILLS && !text_is(name, NO_GROUP)) {
			if (other == NULL) {
				other = chart_line(chart, panel, CHART_AREA, text_from("(other)"));
				other->colour = CHART_OTHER;
			}
			fill_area(g, chart, scheme, t->name, ns > 0, other->at);
			left_ns += t->ns;
			left_samples += t->samples;
			continue;
		}
		line = chart_line(chart, panel, CHART_AREA, name);
		line->colour = text_is(name, NO_GROUP) ? CHART_OTHER : (unsigned)count++;
		fill_area(g, chart, scheme, t->name, ns > 0, line->at);
		say_total(chart, line, t->samples, t->ns,
			  100 * (ns > 0 ? t->ns : (double)t->samples) / (whole > 0 ? whole : 1));
		if (other != NULL)		/* it has moved */
			other = &panel->lines.at[CHART_FILLS];
	}
	if (other != NULL)
		say_total(chart, other, left_samples, left_ns,
			  100 * (ns > 0 ? left_ns : (double)left_samples) / (whole > 0 ? whole : 1));
	add_format(&text, "%s per step of ", ns > 0 ? panel->unit : "samples");
	{
		char step[TIME_TEXT_MAX];

		add_string(&text, duration_print(step, chart->column_ns));
	}
	add_string(&text, ", by group; all: ");
	if (ns > 0) {
		add_real(&text, ns / 1e9);
		add_string(&text, " s in ");
	}
	add_format(&text, "%llu sample%s", (unsigned long long)samples, samples == 1 ? "" : "s");
	panel->say = chart_take(chart, &text);
	array_release(&text);
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

		gain *= chart_mean(curve, at, chart->columns) < chart_mean(curve, 0, at) ? FALLS : 1;
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

/* --- spans --- */

static int
compare_happenings(const void *a, const void *b)
{
	const struct happening *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return (x->to_ns > y->to_ns) - (x->to_ns < y->to_ns);
}

static void
say_span(struct chart *chart, struct chart_span *span, struct stk_text lane, size_t merged)
{
	struct text_buffer text = { 0 };
	char lasted[TIME_TEXT_MAX];

	add_text(&text, lane);
	add_string(&text, ", ");
	chart_add_moment(&text, chart, span->from_ns);
	if (span->to_ns > span->from_ns)
		add_format(&text, ", %s", duration_print(lasted, time_difference(span->from_ns, span->to_ns)));
	if (merged > 1)
		add_format(&text, ", %zu of them", merged);
	span->say = chart_take(chart, &text);
	array_release(&text);
}

/* What is less than half a column apart is one span. */
static void
add_happenings(struct group_chart *g, struct chart *chart)
{
	struct chart_panel *panel = chart->panels.count > 0 ? &chart->panels.at[0] : NULL;
	size_t merged = 0, left = 0;

	if (panel == NULL || g->happenings.count == 0)
		return;
	qsort(g->happenings.at, g->happenings.count, sizeof *g->happenings.at, compare_happenings);
	for (uint32_t lane = 1; lane <= g->lanes.texts.count && lane <= LANES_MOST; lane++)
		*array_push(&panel->lanes) = chart_text(chart, text_table_text(&g->lanes, lane));
	for (size_t i = 0; i < g->happenings.count; i++) {
		const struct happening *is = &g->happenings.at[i];
		struct chart_span *last = merged > 0 ? &panel->spans.at[panel->spans.count - 1] : NULL;
		int64_t to = is->to_ns == STK_TIME_UNKNOWN ? chart_end_ns(chart) : is->to_ns;

		if (is->lane > LANES_MOST) {
			left++;
			continue;
		}
		if (last != NULL && last->lane + 1 == is->lane &&
		    time_difference(last->to_ns, is->from_ns) < chart->column_ns / 2) {
			last->to_ns = to > last->to_ns ? to : last->to_ns;
			merged++;
			continue;
		}
		if (last != NULL)
			say_span(chart, last, panel->lanes.at[last->lane], merged);
		merged = 0;
		if (panel->spans.count >= SPANS_MOST) {
			left++;
			continue;
		}
		*array_push(&panel->spans) = (struct chart_span){ is->from_ns, to, is->lane - 1, text_of("", 0) };
		merged = 1;
	}
	if (merged > 0)
		say_span(chart, &panel->spans.at[panel->spans.count - 1],
			 panel->lanes.at[panel->spans.at[panel->spans.count - 1].lane], merged);
	if (left > 0)
		chart_note(chart, "%zu events of more than %u lanes or %u spans are not drawn", left, LANES_MOST, SPANS_MOST);
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
	if (begin > end)
		begin = 0, end = step = INT64_C(60000000000);
	chart_set_axis(chart, begin, end, step);
}

void
group_chart_make(struct group_chart *g, struct chart *chart)
{
	chart->kind = "groups";
	find_axis_of_figures(g, chart);
	for (uint32_t scheme = 1; scheme <= g->schemes.texts.count; scheme++)
		add_panel_of_scheme(g, chart, scheme);
	add_happenings(g, chart);
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
