/* SPDX-License-Identifier: MIT
 * difference: each window or recording is a column of one call tree; every stack of each is compared with that of the
 * first. */
#include "answer_words.h"
#include "column_bounds.h"
#include "comparison_rules.h"
#include "tree_reports.h"
#include "window_report.h"

#include "base/memory.h"
#include "base/probability.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/row_printer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DIGITS_MOST 12		/* after the point */

/* What is compared: a window of a recording, or of several together. */
struct side {
	const char *name;		/* as it was asked for */
	int first, count;		/* recordings */
	const char *window;		/* FROM..TO, or NULL: that of --from and --to */
	struct tree_interval interval;
	double seconds;			/* how long it is */
	struct column_bounds bounds;	/* of its column */
};

struct difference {
	const struct settings *settings;
	struct recording **recordings;
	const char **paths;
	int count;
	struct side sides[OPTION_TEXTS_MOST + 1];
	unsigned sides_count;
	struct call_tree tree;
	struct answer answer;
	struct printer printer;
	bool share;
};

/* One row: a stack in a side beside the first. */
struct finding { uint32_t node; unsigned side; struct rate_difference d; uint64_t a, b; bool significant; };

/* --- sides --- */

static int
add_recording(struct difference *d, const char *path, struct stk_error *err)
{
	for (int i = 0; i < d->count; i++)
		if (strcmp(d->paths[i], path) == 0)
			return i;
	d->paths[d->count] = path;
	if (open_recording(&d->recordings[d->count], path, d->settings, err) < 0) {
		recording_close(d->recordings[d->count]);
		d->recordings[d->count] = NULL;
		return -1;
	}
	return d->count++;
}

/* The first side is the operands, in the first window that is named; windows and files that follow are the others. */
static int
read_sides(struct difference *d, char **operands, int count, struct stk_error *err)
{
	const char *const *others = d->settings->others.at;
	unsigned others_count = d->settings->others.count;
	bool first_is_window;

	for (int i = 0; i < count; i++)
		if (add_recording(d, operands[i], err) < 0)
			return -1;
	if (count == 0)
		program_usage("--diff: expected a recording to compare in");
	/* stktree day.tree --diff A..B C..D: both windows are sides of the one recording */
	first_is_window = others_count > 1 && looks_like_window(others[0]);
	d->sides[0] = (struct side){ .name = first_is_window ? others[0] : operands[0],
				     .first = 0,
				     .count = count,
				     .window = first_is_window ? others[0] : NULL };
	d->sides_count = 1;
	for (unsigned i = first_is_window; i < others_count; i++) {
		struct side *side = &d->sides[d->sides_count++];

		*side = (struct side){ .name = others[i], .first = 0, .count = count };
		if (looks_like_window(others[i])) {
			side->window = others[i];
			continue;
		}
		side->first = add_recording(d, others[i], err);
		side->count = 1;
		if (side->first < 0)
			return -1;
	}
	if (d->sides_count < 2)
		program_usage("--rules: expected --diff as well: what is compared with what");
	return 0;
}

static int
ask_side(struct difference *d, unsigned column, struct stk_error *err)
{
	struct side *side = &d->sides[column];
	const struct settings *s = d->settings;
	struct stk_error why = { 0 };
	struct time_range times = range_of_recordings(d->recordings + side->first, side->count);
	int64_t last = time_range_is_known(&times) ? times.to_ns : 0;
	struct tree_interval *w = &side->interval;

	*w = (struct tree_interval){ INT64_MIN, INT64_MAX };
	if (side->window != NULL && window_parse(side->window, s, last, w, &why) < 0)
		program_usage("--diff: %s", why.text);
	if (side->window == NULL && s->choice.from != NULL && bound_parse(s->choice.from, s, last, &w->from, &why) < 0)
		program_usage("--from: %s", why.text);
	if (side->window == NULL && s->choice.to != NULL && bound_parse(s->choice.to, s, last, &w->to, &why) < 0)
		program_usage("--to: %s", why.text);
	if (w->from >= w->to)
		program_usage("--diff: the window %s holds nothing", side->name);
	for (int i = side->first; i < side->first + side->count; i++) {
		say_window(d->recordings[i], d->paths[i], s, *w);
		if (recording_count(d->recordings[i], *w, &d->answer, err) < 0)
			return -1;
	}
	if (recordings_grow(d->recordings + side->first, (size_t)side->count, (struct growth_limits){ 0 }, &d->tree,
			    column, &d->answer, err) < 0)
		return -1;
	if (recordings_grow_bounds(d->recordings + side->first, (size_t)side->count, &d->tree, column,
				   side->bounds.bounds, &side->bounds.known, err) < 0)
		return -1;
	if (time_range_is_known(&times)) {
		double from = (double)(w->from == INT64_MIN ? times.from_ns : w->from),
		       to = (double)(w->to == INT64_MAX ? last : w->to);

		side->seconds = (to - from) / 1e9;
	}
	return 0;
}

/* --- findings --- */

static struct bounded_side
side_of(struct difference *d, unsigned side, uint32_t node)
{
	const struct column_bounds *bounds = &d->sides[side].bounds;

	return (struct bounded_side){ bounded_self(&d->tree, node, bounds), bounded_whole(&d->tree, bounds),
				      d->share ? 0 : d->sides[side].seconds };
}

/* Of what was left out nobody knows whether it is the same. */
static struct rate_difference
difference_of(struct difference *d, unsigned side, uint32_t node)
{
	struct bounded_side a = side_of(d, 0, node), b = side_of(d, side, node);
	struct rate_difference difference = bounded_difference(&a, &b, 1, d->settings->confidence / 100);

	if (is_left_out(&d->tree, node))
		difference.p = 1;
	return difference;
}

static struct finding *
find_all(struct difference *d, size_t *count)
{
	struct call_tree *tree = &d->tree;
	struct finding *list = mem_new(tree->nodes.count * (d->sides_count - 1) + 1, sizeof *list);
	double *p;
	bool *significant;
	size_t n = 0;

	for (uint32_t node = 0; node < tree->nodes.count; node++) {
		const uint64_t *self = call_tree_self(tree, node);

		for (unsigned s = 1; s < d->sides_count; s++) {
			if (self[0] == 0 && self[s] == 0)
				continue;
			list[n] = (struct finding){ .node = node, .side = s, .a = self[0], .b = self[s] };
			list[n].d = difference_of(d, s, node);
			n++;
		}
	}
	p = mem_new(n + 1, sizeof *p);
	significant = mem_new(n + 1, sizeof *significant);
	for (size_t i = 0; i < n; i++)
		p[i] = list[i].d.p;
	false_discovery(p, n, d->settings->discovery / 100, significant);
	for (size_t i = 0; i < n; i++)
		list[i].significant = significant[i];
	free(p);
	free(significant);
	*count = n;
	return list;
}

/* What is sure first, then by how much it changed; and by stack, so that the order depends on nothing else. */
static int
compare_findings(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	double p = fabs(x->d.delta), q = fabs(y->d.delta);

	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	if (x->significant != y->significant)
		return x->significant ? -1 : 1;
	return p > q ? -1 : p < q ? 1 : x->node < y->node ? -1 : x->node > y->node;
}

/* --- for programs --- */

static int
print_for_programs(struct difference *d, const struct finding *list, size_t count, struct stk_error *err)
{
	static const char *const names[] = { "with", "stack", "a", "b", "delta", "low", "high", "significant", NULL };
	bool many = d->sides_count > 2;
	struct text_buffer path = { 0 };
	struct row_printer rows;
	int result;

	row_printer_begin(&rows, (enum row_form)d->settings->form, &d->printer, many ? names : names + 1);
	for (size_t i = 0; i < count; i++) {
		const struct finding *f = &list[i];

		path.count = 0;
		call_tree_add_path(&d->tree, f->node, &path);
		if (many)
			row_text(&rows, text_from(d->sides[f->side].name));
		row_text(&rows, text_in(&path, 0));
		row_real(&rows, f->d.a, 6);
		row_real(&rows, f->d.b, 6);
		row_real(&rows, f->d.delta, 6);
		row_real(&rows, f->d.low, 6);
		row_real(&rows, f->d.high, 6);
		row_count(&rows, f->significant);
	}
	result = row_printer_end(&rows, err);
	array_release(&path);
	return result;
}

/* --- for people --- */

/* So many that what a row is about has three that count, however small it is. */
static int
digits_of(const struct finding *f, double scale)
{
	double most = scale * fmax(fmax(f->d.a, f->d.b), fabs(f->d.delta));
	int digits = most > 0 ? 2 - (int)floor(log10(most)) : 0;

	return digits < 0 ? 0 : digits > DIGITS_MOST ? DIGITS_MOST : digits;
}

static void
print_finding(struct difference *d, struct row_printer *rows, const struct finding *f, struct stk_text stack)
{
	double scale = d->share ? 100 : 1;
	int digits = digits_of(f, scale);
	char delta[64], limits[128];

	(void)snprintf(delta, sizeof delta, f->d.delta == 0 ? "%.*f" : "%+.*f", digits, scale * f->d.delta);
	(void)snprintf(limits, sizeof limits, "%.*f to %.*f", digits, scale * f->d.low, digits, scale * f->d.high);
	row_paint(rows, !f->significant ? PAINT_NONE : f->d.delta > 0 ? PAINT_HOT : PAINT_COLD);
	if (d->sides_count > 2)
		row_text(rows, text_from(d->sides[f->side].name));
	row_real(rows, scale * f->d.a, digits);
	row_real(rows, scale * f->d.b, digits);
	row_text(rows, text_from(delta));
	row_text(rows, text_from(limits));
	row_text(rows, text_from(f->significant ? "*" : ""));
	row_text(rows, stack);
}

static void
remark_findings(struct difference *d, size_t shown, size_t count, size_t significant)
{
	const struct settings *s = d->settings;

	if (d->sides_count == 2)
		printer_remark(&d->printer, "a: %s; b: %s", d->sides[0].name, d->sides[1].name);
	else
		printer_remark(&d->printer, "a: %s; b: what it is compared with", d->sides[0].name);
	printer_remark(&d->printer, "%s; + means more in b; limits: of the difference, %g%% sure",
		       d->share ? "percent of the samples" : "samples a second (--rate share: percent)", s->confidence);
	if (significant > 0)
		printer_remark(&d->printer, "*: more than chance; of these at most %g%% are false", s->discovery);
	else
		printer_remark(&d->printer, "no difference is more than chance would make");
	if (shown < count)
		printer_remark(&d->printer, "left out: %zu %s (more with --top 0)", count - shown,
			       count - shown == 1 ? "stack" : "stacks");
}

static int
print_for_people(struct difference *d, const struct finding *list, size_t shown, size_t count, struct stk_error *err)
{
	static const char *const rates[] = { "with>", "a /s#", "b /s#", "delta /s#", "limits#?", "", "stack*", NULL };
	static const char *const shares[] = { "with>", "a %#", "b %#", "delta %#", "limits#?", "", "stack*", NULL };
	const char *const *names = d->share ? shares : rates;
	struct text_buffer path = { 0 };
	struct row_printer rows;
	size_t significant = 0;
	int result;

	row_printer_begin(&rows, ROWS_TEXT, &d->printer, d->sides_count > 2 ? names : names + 1);
	for (size_t i = 0; i < count; i++) {
		significant += list[i].significant;
		if (i >= shown)
			continue;
		path.count = 0;
		call_tree_add_path(&d->tree, list[i].node, &path);
		print_finding(d, &rows, &list[i], text_in(&path, 0));
	}
	result = row_printer_end(&rows, err);
	array_release(&path);
	if (result < 0)
		return -1;
	remark_findings(d, shown, count, significant);
	return printer_settle(&d->printer, true, err);
}

static int
print_findings(struct difference *d, const struct finding *list, size_t count, struct stk_error *err)
{
	size_t shown = d->settings->top > 0 && (uint64_t)d->settings->top < count ? (size_t)d->settings->top : count;

	if (d->settings->form == FORM_TEXT)
		return print_for_people(d, list, shown, count, err);
	return print_for_programs(d, list, shown, err);
}

static int
compare(struct difference *d, struct stk_error *err)
{
	const struct settings *s = d->settings;
	struct finding *list;
	size_t count;
	int result;

	d->share = s->share;
	for (unsigned side = 0; side < d->sides_count; side++) {
		if (ask_side(d, side, err) < 0)
			return -1;
		if (!(d->sides[side].seconds > 0) && !d->share) {
			program_say("%s: its times say no length: shares are compared", d->sides[side].name);
			d->share = true;
		}
	}
	for (unsigned side = 0; side < d->sides_count; side++)
		if (call_tree_total(&d->tree, 0)[side] == 0)
			program_warn("%s: no samples there", d->sides[side].name);
	if (s->rules != NULL) {
		struct compared compared = { .tree = &d->tree, .share = d->share, .confidence = s->confidence / 100 };

		for (unsigned side = 1; side < d->sides_count; side++) {
			compared.bounds[0] = d->sides[0].bounds;
			compared.bounds[1] = d->sides[side].bounds;
			compared.seconds[0] = d->sides[0].seconds;
			compared.seconds[1] = d->sides[side].seconds;
			compared.name = d->sides[side].name;
			if (rules_apply(s->rules, &compared, (enum row_form)s->form, &d->printer, err) < 0)
				return -1;
		}
		return 0;
	}
	list = find_all(d, &count);
	qsort(list, count, sizeof *list, compare_findings);
	result = print_findings(d, list, count, err);
	free(list);
	return result;
}

/* A column for each side, and two more for each where bounds are needed. */
static void
open_columns(struct difference *d)
{
	unsigned sides = d->sides_count == 0 ? 1 : d->sides_count;
	bool bounded = false;

	for (int i = 0; i < d->count; i++)
		bounded |= d->recordings[i] != NULL && recording_facts(d->recordings[i])->bounded;
	for (unsigned side = 0; side < d->sides_count; side++)
		d->sides[side].bounds = (struct column_bounds){ .column = side,
								.bounds = bounded ? sides + 2 * side : 0,
								.labels = d->settings->recording.as != AS_FRAMES };
	call_tree_open(&d->tree, bounded ? 3 * sides : sides);
}

int
report_difference(
	const struct settings *settings, struct output *output, char **operands, int count, struct stk_error *err)
{
	struct settings counted = *settings;		/* samples are what chance acts on, whatever they weigh */
	struct difference d = { .settings = &counted, .printer = printer_to(output) };
	size_t room = (size_t)count + OPTION_TEXTS_MOST;
	int result;

	counted.recording.samples = true;
	d.recordings = mem_new(room, sizeof *d.recordings);
	d.paths = mem_new(room, sizeof *d.paths);
	result = read_sides(&d, operands, count, err);
	open_columns(&d);
	if (result == 0)
		result = compare(&d, err);
	if (result == 0)
		say_answer(&d.answer, d.recordings, d.count, settings);
	for (int i = 0; i < d.count; i++)
		close_recording(d.recordings[i]);
	free(d.recordings);
	free(d.paths);
	call_tree_release(&d.tree);
	printer_release(&d.printer);
	return result;
}
