/* SPDX-License-Identifier: MIT
 * draw_report: stkplot report: what is wrong, and pictures of it, as one page without scripts, which mail programs show
 * as it is. A section is a row of the table below. */
#include "counted_event.h"
#include "picture_title.h"
#include "report_changes.h"
#include "report_functions.h"
#include "report_verdict.h"
#include "report_windows.h"
#include "same_command.h"
#include "source_clocks.h"
#include "thread_reader.h"

#include "base/quantities.h"
#include "base/terminal_text.h"
#include "base/time_text.h"
#include "choose/selected_blocks.h"
#include "plot/chart_svg.h"
#include "plot/class_chart.h"
#include "plot/flame_svg.h"
#include "plot/group_chart.h"
#include "plot/page_text.h"
#include "plot/thread_svg.h"
#include "plot/trend_chart.h"
#include "program/event_choice.h"
#include "program/lost_ids.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/event_unit.h"

#include <stdlib.h>
#include <string.h>

extern const struct page_source report_page_source; /* written by scripts/embed-page */

#define CLASSES_MOST   24u	/* rows of their tree */
#define PAGE_MOST      (1 << 20)	/* bytes; it is mailed */
#define TRENDS_MOST    7u	/* panels: one large, and two rows of small ones */

struct report {
	const struct plot_settings *settings;
	struct filter filter;
	struct model *model;
	struct thread_reader threads;
	struct selection *samples;
	struct flame_counts *counts;
	struct flame_tree *tree;	/* of counts, when all are there; */
	struct counted_event event;
	uint64_t counted;		/* samples in it; */
	const char *unit;		/* and what its numbers are of */
	struct thread_picture picture;
	struct finding_lines found;
	struct report_changes changes;
	struct trend_chart *trends;	/* what other filters added to the stream, if any of them did */
	struct group_chart *groups;
	struct class_chart *classes;
	struct source_clocks clocks;
	char **operands;
	int operands_count;
	struct text_buffer *to;
	uint64_t others_bytes;		/* of all sections but that of windows */
};

/* --- sections --- */

static bool
has_dumps(const struct report *r)
{
	return r->picture.found->list.count > 0;
}

static void
add_verdict(struct report *r)
{
	report_add_verdict(r->to, &r->picture);
}

static void
add_states(struct report *r)
{
	(void)thread_svg_add(r->to, &r->picture, true);
}

static void
add_flame(struct report *r)
{
	struct flame_svg_options options = { .title = "", .unit = r->unit, .width = THREAD_SVG_WIDTH, .icicle = true, .inside = true,
					    .palette = r->picture.palette };
	uint64_t hidden;

	(void)flame_svg_add(r->to, r->tree, &options, &hidden);
}

static bool
has_windows(const struct report *r)
{
	return r->tree->cells > 1;
}

static uint64_t
page_most(const struct report *r)
{
	return r->settings->max_bytes > 0 ? (uint64_t)r->settings->max_bytes : PAGE_MOST;
}

/* Its flame graphs are what the page has room for beside the rest. */
static void
add_windows(struct report *r)
{
	uint64_t most = page_most(r);

	report_windows_add(r->to, r->tree, &(struct window_map_options){
		.width = THREAD_SVG_WIDTH, .unit = r->unit, .palette = r->picture.palette, .zone = r->picture.zone,
		.monotonic = source_clocks_are_monotonic(&r->clocks),
		.most_bytes = most > r->others_bytes ? most - r->others_bytes : 0 });
}

static bool
has_changes(const struct report *r)
{
	return r->changes.number != 0;
}

static void
add_changes(struct report *r)
{
	report_changes_add(r->to, &r->changes);
}

static void
add_functions(struct report *r)
{
	report_functions_add(r->to, r->tree);
}

static void
add_chart(struct report *r, struct chart *chart)
{
	if (sample_choice_has_window() || sample_choice_is_filtered())
		add_string(r->to, "<p>Of the whole input, whatever samples were chosen.</p>\n");
	chart_svg_add(r->to, chart, THREAD_SVG_WIDTH, true);
	chart_release(chart);
}

static struct chart
empty_chart(const struct report *r)
{
	return (struct chart){ .zone = r->picture.zone, .zone_name = "", .monotonic = source_clocks_are_monotonic(&r->clocks),
			       .command = "", .palette = r->picture.palette };
}

static bool
has_trends(const struct report *r)
{
	return trend_chart_count(r->trends) > 0;
}

static void
add_trends(struct report *r)
{
	struct chart chart = empty_chart(r);

	trend_chart_make(r->trends, TRENDS_MOST, &chart);
	add_chart(r, &chart);
}

static bool
has_groups(const struct report *r)
{
	return group_chart_count(r->groups) > 0;
}

static void
add_groups(struct report *r)
{
	struct chart chart = empty_chart(r);

	group_chart_make(r->groups, &chart);
	add_chart(r, &chart);
}

static bool
has_classes(const struct report *r)
{
	return class_chart_count(r->classes) > 0;
}

static void
add_classes(struct report *r)
{
	struct chart chart = empty_chart(r);

	class_chart_make(r->classes, CLASSES_MOST, &chart);
	add_chart(r, &chart);
}

/* What the report has, from top to bottom, and the command that shows more of each. */
static const struct report_section {
	const char *heading, *command;
	bool of_rules;			/* the command has their option */
	bool of_all;			/* and not those that choose samples */
	void (*add)(struct report *report);
	bool (*has)(const struct report *report);	/* NULL: always */
} sections[] = {
	{ "What is wrong", "stkdiag -f text", true, false, add_verdict, NULL },
	{ "What was different", "stkplot diff --rate share -o diff.html", false, false, add_changes, has_changes },
	{ "What threads did", "stkplot states -o states.html", true, false, add_states, has_dumps },
	{ "How many samples, and when", "stkplot heat -o heat.html", false, false, add_windows, has_windows },
	{ "Where they were", "stkplot icicle -o icicle.html", false, false, add_flame, NULL },
	{ "Which functions, and when", "stktree -f text --when --report flat", false, false, add_functions, NULL },
	{ "Groups", "stkplot groups -o groups.html", false, true, add_groups, has_groups },
	{ "Classes", "stkplot classes -o classes.html", false, true, add_classes, has_classes },
	{ "Trends", "stkplot trend -o trends.html", false, true, add_trends, has_trends },
};

#define SECTIONS (sizeof sections / sizeof *sections)

static void
add_command(struct report *r, const struct report_section *section, struct text_buffer *to)
{
	struct text_buffer text = { 0 };

	add_format(to, "<pre><code>%s", section->command);
	if (section->of_rules)
		same_command_option(&text, "rules", r->settings->rules);
	if (section->add == add_changes)
		report_changes_add_command(&text, &r->changes);
	else if (section->of_all)
		same_command_operands(&text, r->operands, r->operands_count);
	else
		add_string(&text, r->settings->command);
	page_add_text(to, text_in(&text, 0));
	add_string(to, "</code></pre>\n");
	array_release(&text);
}

static void
add_section(struct report *r, const struct report_section *section, struct text_buffer *to)
{
	struct text_buffer text = { 0 };

	if (section->has != NULL && !section->has(r))
		return;
	r->to = &text;
	section->add(r);
	add_format(to, "<section>\n<h2>%s</h2>\n<div class=scroll tabindex=0 role=group aria-label=\"%s\">", section->heading,
		   section->heading);
	report_add_ascii(to, text_in(&text, 0));
	add_string(to, "</div>\n");
	add_command(r, section, to);
	add_string(to, "</section>\n");
	array_release(&text);
}

/* In their order; that of windows is made last. */
static void
add_sections(struct report *r, struct text_buffer *to)
{
	struct text_buffer made[SECTIONS] = { 0 };

	r->others_bytes = to->count;
	for (unsigned windows = 0; windows < 2; windows++)
		for (size_t s = 0; s < SECTIONS; s++) {
			if ((sections[s].add == add_windows) != (windows == 1))
				continue;
			add_section(r, &sections[s], &made[s]);
			r->others_bytes += made[s].count;
		}
	if (r->others_bytes > page_most(r))
		program_say("the page has %llu kB: its pictures are bounded by their pixels, not by --max-size",
			    (unsigned long long)r->others_bytes / 1024);
	for (size_t s = 0; s < SECTIONS; s++) {
		add_text(to, text_in(&made[s], 0));
		array_release(&made[s]);
	}
}

static void
add_page(struct report *r, struct text_buffer *to)
{
	struct text_buffer text = { 0 };

	page_add_head(to, &report_page_source, r->picture.title);
	add_string(to, "<h1>");
	page_add_text(to, text_from(r->picture.title));
	add_string(to, "</h1>\n<p>");
	if (has_dumps(r))
		add_what_is_drawn(&text, &r->picture);
	else
		add_unit_amount(&text, r->tree->calls.total.at[0], r->unit);
	page_add_text(to, text_in(&text, 0));
	add_string(to, "</p>\n");
	if (r->filter.lost > 0)
		add_format(to, "<p><strong>Part of the input was lost (%llu %s): this report may be incomplete. "
			   "stkcat --check FILE shows where.</strong></p>\n", (unsigned long long)r->filter.lost,
			   plural(r->filter.lost, "place", "places"));
	array_release(&text);
	add_sections(r, to);
	add_string(to, "</main>\n");
}

/* --- the command --- */

static int
take_block(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct report *r = context;
	struct sample_columns c;
	const uint32_t *rows;
	uint32_t count;

	if (block->kind == STK_HEAD) {
		source_clocks_add(&r->clocks, r->model);
		flame_counts_turn(r->counts);
		counted_event_turn(&r->event);
		selection_head(r->samples, r->filter.reader, 0);
		thread_reader_turn(&r->threads, r->filter.reader);
		trend_chart_turn(r->trends);
		group_chart_turn(r->groups);
		class_chart_turn(r->classes);
	}
	if (model_take(r->model, r->filter.reader, block, err) < 0 ||
	    thread_reader_take(&r->threads, r->filter.reader, block, err) < 0 ||
	    trend_chart_take(r->trends, r->filter.reader, block, err) < 0 ||
	    group_chart_take(r->groups, r->filter.reader, block, err) < 0 ||
	    class_chart_take(r->classes, r->filter.reader, block, err) < 0)
		return -1;
	if (block->kind != STK_SAMPLE)
		return 0;
	if (model_check(r->model, r->filter.reader, block, err) < 0 ||
	    selection_rows(r->samples, r->filter.reader, block, &rows, &count, err) < 0 ||
	    sample_columns_load(&c, FLAME_COLUMNS | SAMPLE_WEIGHT | SAMPLE_EVENT, NULL, r->filter.reader, block,
				err) < 0)
		return -1;
	counted_event_add(&r->event, r->model, &c, rows, count);
	r->counted += count;
	for (uint32_t i = 0; i < count; i++)
		flame_counts_add(r->counts, &c, selected_row(rows, i), sample_value(&c.weight, selected_row(rows, i)));
	return 0;
}

static int
open_all(struct report *r, char **operands, int count, struct stk_error *err)
{
	struct selection_options selection = r->settings->choice.selection;
	struct flame_counts_options options = { .from_ns = selection.from_ns, .to_ns = selection.to_ns,
						.cells = WINDOW_MAP_CELLS };

	if (filter_open(&r->filter, operands, count, err) < 0)
		return -1;
	if (output_is_terminal(r->filter.output))
		return stk_fail(err, STK_EUSAGE, "a page is not for a terminal: use -o FILE.html");
	if (program_common.width > 0)
		return stk_fail(err, STK_EUSAGE, "--width has no effect on report: the page is as wide as its window");
	if (model_open(&r->model) < 0)
		return stk_fail(err, STK_ESYSTEM, "cannot begin");
	options.model = r->model;
	trend_chart_open(&r->trends);
	class_chart_open(&r->classes, r->model);
	if (group_chart_open(&r->groups, &(struct group_chart_options){ .model = r->model }, err) < 0)
		return -1;
	count_one_event(&selection, &r->filter);
	if (selection_open(&r->samples, r->model, &selection, err) < 0 ||
	    flame_counts_open(&r->counts, &options, err) < 0)
		return -1;
	return thread_reader_open(&r->threads, r->settings, r->model, err);
}

int
draw_report(const struct plot_settings *settings, char **operands, int count)
{
	struct report r = { .settings = settings, .operands = operands, .operands_count = count };
	struct stk_error err = { 0 };
	char title[PICTURE_TITLE_MOST];
	bool plain;
	int result = open_all(&r, operands, count, &err);

	if (result == 0)
		result = filter_each(&r.filter, take_block, &r, &err);
	if (result == 0) {
		struct printer printer = printer_to(r.filter.output);

		thread_reader_end(&r.threads);
		r.tree = flame_counts_settle(r.counts);
		plain = r.tree->calls.total.at[0] == r.counted;
		counted_event_warn(&r.event, plain);
		r.unit = counted_event_unit(&r.event, plain);
		source_clocks_add(&r.clocks, r.model);
		say_other_events(r.samples, &r.filter);
		report_lost_ids(r.model);
		finding_lines_make(&r.found, r.threads.findings);
		r.picture = (struct thread_picture){ .history = &r.threads.history,
						     .findings = r.threads.findings,
						     .found = &r.found,
						     .title = picture_title(settings, &r.filter, "", operands, count,
									    title),
						     .zone = thread_reader_zone(&r.threads),
						     .palette = (enum palette)settings->palette,
						     .width = THREAD_SVG_WIDTH,
						     .lines_most = THREAD_SVG_LINES };
		report_changes_make(&r.changes, settings, &r.picture, operands, count);
		add_page(&r, &printer.text);
		result = printer_settle(&printer, true, &err);
		printer_release(&printer);
	}
	program_say_error(&err);
	if (r.model != NULL)
		(void)sample_choice_report(&settings->choice, &r.filter);
	report_changes_release(&r.changes);
	finding_lines_release(&r.found);
	thread_reader_close(&r.threads);
	flame_counts_close(r.counts);
	counted_event_release(&r.event);
	trend_chart_close(r.trends);
	group_chart_close(r.groups);
	class_chart_close(r.classes);
	selection_close(r.samples);
	model_close(r.model);
	filter_close(&r.filter, result == 0);
	return program_end();
}
