/* SPDX-License-Identifier: MIT
 * difference: each window or recording is a column of one call tree; every stack of each is compared with that of the
 * first. */
#include "comparison_rules.h"
#include "tree_reports.h"
#include "window_report.h"

#include "base/memory.h"
#include "base/probability.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/row_printer.h"
#include "timetree/rate_difference.h"

#include <math.h>
#include <stdlib.h>

#define TOP_USUAL 40

/* What is compared: a window of a recording, or of several together. */
struct side {
	const char *name;		/* as it was asked for */
	int first, count;		/* recordings */
	const char *window;		/* FROM..TO, or NULL: that of --from and --to */
	struct tree_interval interval;
	double seconds;			/* how long it is */
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
	if (open_recording(&d->recordings[d->count], path, d->settings, err) < 0)
		return recording_close(d->recordings[d->count]), d->recordings[d->count] = NULL, -1;
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
	recordings_grow(d->recordings + side->first, (size_t)side->count, (struct growth_limits){ 0 }, &d->tree, column,
		&d->answer);
	if (time_range_is_known(&times)) {
		double from = (double)(w->from == INT64_MIN ? times.from_ns : w->from),
		       to = (double)(w->to == INT64_MAX ? last : w->to);

		side->seconds = (to - from) / 1e9;
	}
	return 0;
}

/* --- findings --- */

static struct finding *
find_all(struct difference *d, size_t *count)
{
	struct call_tree *tree = &d->tree;
	struct finding *list = mem_new(tree->nodes.count * (d->sides_count - 1) + 1, sizeof *list);
	const uint64_t *whole = call_tree_total(tree, 0);
	double confidence = d->settings->confidence / 100;
	double *p;
	bool *significant;
	size_t n = 0;

	for (uint32_t node = 0; node < tree->nodes.count; node++) {
		const uint64_t *self = call_tree_self(tree, node);

		for (unsigned s = 1; s < d->sides_count; s++) {
			if (self[0] == 0 && self[s] == 0)
				continue;
			list[n] = (struct finding){ .node = node, .side = s, .a = self[0], .b = self[s] };
			list[n].d = d->share ? share_difference(self[0], whole[0], self[s], whole[s], 1, confidence)
					     : rate_difference(self[0], d->sides[0].seconds, self[s],
						       d->sides[s].seconds, 1, confidence);
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

static int
print_findings(struct difference *d, const struct finding *list, size_t count, struct stk_error *err)
{
	static const char *const names[] = { "stack", "a", "b", "delta", "low", "high", "significant", NULL };
	static const char *const names_of_many[] = { "with", "stack", "a", "b", "delta", "low", "high", "significant",
		NULL };
	static const char *const for_people[] = { "a#", "b#", "delta#", "low#", "high#", "", "stack*", NULL },
				 *const many_for_people[] = { "with", "a#", "b#", "delta#", "low#", "high#", "",
					 "stack*", NULL };
	const struct settings *s = d->settings;
	bool many = d->sides_count > 2, people = s->form == FORM_TEXT;
	size_t most = s->top > 0 ? (size_t)s->top : people ? TOP_USUAL : count;
	struct text_buffer path = { 0 };
	struct row_printer rows;
	int result;

	row_printer_begin(&rows, (enum row_form)s->form, &d->printer, people ? (many ? many_for_people : for_people)
		: many ? names_of_many
		       : names);
	for (size_t i = 0; i < count && i < most; i++) {
		const struct finding *f = &list[i];
		double scale = people && d->share ? 100 : 1;
		int digits = d->share ? 2 : 3;

		path.count = 0;
		call_tree_add_path(&d->tree, f->node, &path);
		if (many)
			row_text(&rows, text_from(d->sides[f->side].name));
		if (!people)
			row_text(&rows, text_in(&path, 0));
		row_real(&rows, scale * f->d.a, digits), row_real(&rows, scale * f->d.b, digits),
			row_real(&rows, scale * f->d.delta, digits);
		row_real(&rows, scale * f->d.low, digits), row_real(&rows, scale * f->d.high, digits);
		if (people) {
			row_text(&rows, text_from(f->significant ? "*" : ""));
			row_text(&rows, text_in(&path, 0));
		} else {
			row_count(&rows, f->significant);
		}
	}
	result = row_printer_end(&rows, err);
	array_release(&path);
	if (people && result == 0)
		program_say(
			"a, b: %s; low, high: %g%% limits of the difference; *: more than chance (of these at most %g%% are false)",
			d->share ? "percent of the samples" : "samples a second", s->confidence, s->discovery);
	return result;
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
			compared.column = side;
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
	call_tree_open(&d.tree, d.sides_count == 0 ? 1 : d.sides_count);
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
