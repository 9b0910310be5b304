/* SPDX-License-Identifier: MIT
 * hierarchy_table: --report hierarchy: all; below it each element of --by, such as processes and the threads of each;
 * below the last the groups: each with its own totals. */
#include "group_views.h"

#include "base/memory.h"
#include "base/text_table.h"
#include "base/time_math.h"
#include "choose/moments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a key, or the first elements of keys, has. */
struct node {
	struct stk_text name;			/* its last element */
	struct stk_text path;
	uint32_t parent, number;		/* parent: 0: of all */
	uint32_t key;				/* of a leaf */
	unsigned depth;
	bool leaf;
	struct group_all all;
	double part;				/* what shares are of */
};

struct hierarchy {
	struct grouped *of;
	const struct grouping *grouping;	/* whose rows are printed */
	struct row_printer rows;
	const char *names[KEY_NAMES_MOST];
	char from[TIME_TEXT_MAX];		/* of the step; for people the first of all times */
	bool people, schemes;
	unsigned levels;			/* elements of a key */
	struct text_table paths;		/* with ';' after each element */
	ARRAY(struct node) nodes;		/* [0]: all; then in the order of paths */
	ARRAY(uint32_t) order;			/* of nodes: those of one parent together */
	struct group_figures *figures;		/* of one key */
	double seconds;				/* that loads are over; 0: not known */
};

/* --- nodes --- */

static void
join_all(struct node *node, const struct group_all *all, double part)
{
	double counts = (double)node->all.count + (double)all->count;

	if (counts > 0)
		node->all.worth += (all->worth - node->all.worth) * (double)all->count / counts;
	node->all.count += all->count;
	node->all.untimed += all->untimed;
	node->all.seconds += all->seconds;
	time_range_join(&node->all.times, &all->times);
	node->part += part;
}

static struct node *
node_of(struct hierarchy *h, struct stk_text path, size_t name_at, uint32_t parent)
{
	uint32_t number = text_table_number(&h->paths, path);
	struct node *node;

	if (number < h->nodes.count)
		return &h->nodes.at[number];
	node = array_push(&h->nodes);
	path = text_table_text(&h->paths, number);
	*node = (struct node){
		.path = text_of(path.data, path.size - 1), .parent = parent, .number = number,
		.depth = h->nodes.at[parent].depth + 1, .all.times = TIME_RANGE_NONE
	};
	node->name = text_of(path.data + name_at, path.size - 1 - name_at);
	return node;
}

static void
add_key(struct hierarchy *h, uint32_t key, struct text_buffer *path)
{
	const struct group_figures_options options = {
		.time = h->of->settings->time, .part = h->of->settings->step_ns > 0 ? h->of->window.from : 0
	};
	double part = group_figures_gather(h->grouping, key, &options, h->figures);
	struct group_all all = group_figures_all(grouping_scheme(h->grouping), h->figures);
	uint32_t at = 0;
	size_t begin = 0;

	path->count = 0;
	add_text(path, stack_prefix_text(h->of->prefixes, key));
	add_char(path, ';');
	join_all(&h->nodes.at[0], &all, part);
	for (size_t i = 0; i < path->count; i++) {
		struct node *node;

		bool last = i + 1 == path->count;

		if (!last && (path->at[i] != ';' || h->nodes.at[at].depth + 1 >= h->levels))
			continue;
		node = node_of(h, text_of(path->at, i + 1), begin, at);
		join_all(node, &all, part);
		node->leaf = last;
		node->key = key;
		at = node->number;
		begin = i + 1;
	}
}

static const struct hierarchy *sorted;		/* by compare_nodes: qsort has no context */

/* Of one parent: for people the largest first, for programs by name. */
static int
compare_nodes(const void *a, const void *b)
{
	const struct node *x = &sorted->nodes.at[*(const uint32_t *)a], *y = &sorted->nodes.at[*(const uint32_t *)b];

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (sorted->people && (x->part < y->part || x->part > y->part))
		return x->part < y->part ? 1 : -1;
	return text_compare(x->name, y->name);
}

static void
gather_nodes(struct hierarchy *h)
{
	struct text_buffer path = { 0 };
	uint32_t *keys;
	size_t count = list_keys(h->of, &keys);

	text_table_clear(&h->paths);
	h->nodes.count = h->order.count = 0;
	*array_push(&h->nodes) = (struct node){ .all.times = TIME_RANGE_NONE };
	for (size_t k = 0; k < count; k++)
		add_key(h, keys[k], &path);
	for (uint32_t n = 1; n < h->nodes.count; n++)
		*array_push(&h->order) = n;
	sorted = h;
	if (h->order.count > 1)
		qsort(h->order.at, h->order.count, sizeof *h->order.at, compare_nodes);
	free(keys);
	array_release(&path);
}

/* --- rows --- */

/* What the time of samples of one kind adds up to in each second. */
static bool
is_of_processors(const struct hierarchy *h)
{
	const struct sampling *s = h->of->sampling;

	return s->clocks && !s->dumps && !s->others && event_time_seconds(grouping_events(h->grouping), NULL) <= 0;
}

static void
list_names(struct hierarchy *h)
{
	static const char *const programs[] = { "scheme", "level", "key", "group", "start", "end", "duration", "load",
		"key_share", "share", "count", "time", NULL };
	const char *people[] = { "name>", "start", "end", "lasted#?", is_of_processors(h) ? "cpu %#" : "threads#",
		"of key %#", "of all %#", "count#?", name_of_time(h->of), NULL };
	const char *const *names = h->people ? people : programs;
	unsigned n = 0;

	if (!h->people && h->of->settings->step_ns > 0)
		h->names[n++] = "from";
	if (h->people && h->schemes)
		h->names[n++] = "scheme>";
	while (*names != NULL)
		h->names[n++] = *names++;
	h->names[n] = NULL;
}

/* A row's figures. */
struct row { struct group_all all; double part, of_key; };

static double
lasted(const struct time_range *times)
{
	return time_range_is_known(times) ? (double)(times->to_ns - times->from_ns) / 1e9 : 0;
}

static void
print_times(struct hierarchy *h, const struct time_range *times)
{
	const struct time_zone *zone = h->of->settings->zone;
	char text[TIME_TEXT_MAX];

	row_time(&h->rows, h->people ? time_print_after(text, times->from_ns, zone, h->from)
				     : time_print(text, times->from_ns, zone));
	row_time(&h->rows, h->people ? time_print_after(text, times->to_ns, zone, h->from)
				     : time_print(text, times->to_ns, zone));
}

static void
print_figures(struct hierarchy *h, const struct row *row)
{
	bool unknown = row->all.untimed > 0 && !(row->all.seconds > 0);
	double load = h->seconds > 0 ? row->all.seconds / h->seconds : 0;
	double whole = h->nodes.at[0].part;

	print_times(h, &row->all.times);
	if (!h->people) {
		row_real(&h->rows, lasted(&row->all.times), 6);
		row_real(&h->rows, load, 6);
		row_real(&h->rows, row->of_key > 0 ? row->part / row->of_key : 0, 6);
		row_real(&h->rows, whole > 0 ? row->part / whole : 0, 6);
		row_count(&h->rows, row->all.count);
		row_real(&h->rows, row->all.seconds, 6);
		return;
	}
	print_short_seconds(&h->rows, lasted(&row->all.times));
	if (unknown || !(h->seconds > 0))
		row_text(&h->rows, text_from("-"));
	else
		row_real(&h->rows, is_of_processors(h) ? 100 * load : load, is_of_processors(h) ? 1 : 2);
	print_share(&h->rows, row->part, row->of_key);
	print_share(&h->rows, row->part, whole);
	row_count(&h->rows, row->all.count);
	if (unknown)
		row_text(&h->rows, text_from("-"));
	else
		print_short_seconds(&h->rows, row->all.seconds);
}

static void
begin_row(struct hierarchy *h)
{
	if (!h->people && h->of->settings->step_ns > 0)
		row_time(&h->rows, h->from);
	if (!h->people || h->schemes)
		row_text(&h->rows, grouping_scheme(h->grouping)->name);
}

static void
print_name(struct hierarchy *h, unsigned depth, struct stk_text name)
{
	struct text_buffer lead = { 0 };

	for (unsigned d = 0; d < depth; d++)
		add_string(&lead, "  ");
	row_label(&h->rows, text_in(&lead, 0), name);
	array_release(&lead);
}

/* The key of --by that elements at a depth are of. */
static struct stk_text
level_at(const struct settings *s, unsigned depth)
{
	const char *at = s->by;

	if (s->by_activity && strcmp(s->by, "none") == 0)
		return text_from("activity");
	for (unsigned d = 1; d < depth && at != NULL; d++) {
		at = strchr(at, ',');
		at = at == NULL ? NULL : at + 1;
	}
	return at == NULL ? text_from("activity") : text_of(at, strcspn(at, ","));
}

static void
print_node(struct hierarchy *h, const struct node *node)
{
	const struct row row = { node->all, node->part, h->nodes.at[node->parent].part };

	begin_row(h);
	if (h->people) {
		print_name(h, node->depth, node->depth == 0 ? text_from("all") : node->name);
	} else {
		row_text(&h->rows, node->depth == 0 ? text_from("all") : level_at(h->of->settings, node->depth));
		row_text(&h->rows, node->path);
		row_text(&h->rows, text_of("", 0));
	}
	print_figures(h, &row);
}

static void
print_group(struct hierarchy *h, const struct node *node, uint32_t group)
{
	const struct scheme *scheme = grouping_scheme(h->grouping);
	const struct group_figures *f = &h->figures[group];
	struct stk_text none = text_from("(none)");
	const struct row row = {
		{ .count = f->total_count, .untimed = f->untimed, .seconds = f->total_seconds, .times = f->times },
		f->total_part, node->part
	};

	begin_row(h);
	if (h->people) {
		print_name(h, node->depth + 1 + (group == 0 ? 0 : group_depth(scheme, group)),
			   group == 0 ? none : scheme->groups.at[group - 1].name);
	} else {
		row_text(&h->rows, text_from("group"));
		row_text(&h->rows, node->path);
		row_text(&h->rows, group == 0 ? none : scheme->groups.at[group - 1].path);
	}
	print_figures(h, &row);
}

static void
print_groups_below(struct hierarchy *h, const struct node *node, uint32_t parent)
{
	const struct settings *s = h->of->settings;
	uint32_t *places;
	size_t count = list_groups(s, grouping_scheme(h->grouping), parent, h->figures, h->nodes.at[0].part, &places);

	for (size_t i = 0; i < count; i++) {
		print_group(h, node, places[i]);
		print_groups_below(h, node, places[i]);
	}
	free(places);
}

static void
print_groups(struct hierarchy *h, const struct node *node)
{
	const struct group_figures_options options = {
		.time = h->of->settings->time, .part = h->of->settings->step_ns > 0 ? h->of->window.from : 0
	};
	const struct group_figures *none = &h->figures[0];

	(void)group_figures_gather(h->grouping, node->key, &options, h->figures);
	print_groups_below(h, node, 0);
	if (none->count > 0 || none->seconds > 0 || none->measured)
		print_group(h, node, 0);
}

/* Of the step, the windows as far as there is anything, or from the first to the last of all, where samples stand for
 * as much before and after them. */
static double
seconds_of(const struct grouped *of, const struct group_all *all)
{
	const struct time_range *times = &all->times;
	const struct event_choice *choice = &of->set->events;
	double sum = 0;

	if (choice->step_ns > 0)
		return (double)choice->step_ns / 1e9;
	for (unsigned w = 0; w < choice->windows_count; w++) {
		struct time_range window = { choice->windows[w].from_ns, choice->windows[w].to_ns };

		if (window.from_ns == INT64_MIN)
			window.from_ns = times->from_ns;
		if (window.to_ns == INT64_MAX)
			window.to_ns = times->to_ns;
		sum += window.to_ns > window.from_ns ? lasted(&window) : 0;
	}
	return choice->windows_count > 0 ? sum : lasted(times) + all->worth;
}

/* The first place in `order` of those below a node. */
static size_t
first_below(const struct hierarchy *h, uint32_t node)
{
	size_t from = 0, to = h->order.count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (h->nodes.at[h->order.at[middle]].parent < node)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* A node with less than --min of all is left out with what is below it. */
static void
print_tree(struct hierarchy *h, uint32_t number)
{
	const struct node *node = &h->nodes.at[number];
	double whole = h->nodes.at[0].part;

	if (whole > 0 && 100 * node->part / whole < h->of->settings->least)
		return;
	print_node(h, node);
	if (node->leaf)
		print_groups(h, node);
	for (size_t i = first_below(h, number); i < h->order.count && h->nodes.at[h->order.at[i]].parent == number; i++)
		print_tree(h, h->order.at[i]);
}

/* What people read above the table: from when to when, so that rows need no date. */
static void
print_heading(struct hierarchy *h)
{
	const struct grouped *of = h->of;
	const struct time_range *times = &h->nodes.at[0].all.times;
	char to[TIME_TEXT_MAX], text[2 * TIME_TEXT_MAX + 8];
	bool stepped = of->settings->step_ns > 0;

	if (!of->first)
		add_char(&of->printer->text, '\n');
	moment_print(h->from, stepped ? of->window.from : times->from_ns, of->settings->zone, false);
	moment_print_after(to, stepped ? time_sum(of->window.from, of->settings->step_ns) : times->to_ns,
			   of->settings->zone, false, h->from);
	(void)snprintf(text, sizeof text, "%s to %s", h->from, to);
	if (stepped || time_range_is_known(times))
		printer_prose(of->printer, 0, text_from(text));
}

static void
print_scheme(struct hierarchy *h, const struct grouping *grouping)
{
	bool first = h->figures == NULL;

	free(h->figures);
	h->grouping = grouping;
	h->figures = mem_new(grouping_scheme(grouping)->groups.count + 1, sizeof *h->figures);
	gather_nodes(h);
	if (first && h->people)
		print_heading(h);
	h->seconds = seconds_of(h->of, &h->nodes.at[0].all);
	print_tree(h, 0);
}

int
show_hierarchy(struct grouped *of, struct stk_error *err)
{
	struct hierarchy h = {
		.of = of, .people = of->settings->form == ROWS_TEXT, .schemes = of->set->count > 1,
			.levels = settings_levels(of->settings)
	};
	size_t header = of->printer->text.count;

	if (of->set->count == 0)
		return 0;
	h.grouping = of->set->groupings[0];
	list_names(&h);
	time_print(h.from, of->window.from, of->settings->zone);
	row_printer_begin(&h.rows, of->settings->form, of->printer, h.names);
	if (!of->first)
		of->printer->text.count = header;
	for (unsigned g = 0; g < of->set->count; g++)
		print_scheme(&h, of->set->groupings[g]);
	of->first = false;
	free(h.figures);
	text_table_release(&h.paths);
	array_release(&h.nodes);
	array_release(&h.order);
	return row_printer_end(&h.rows, err);
}
