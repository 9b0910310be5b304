/* SPDX-License-Identifier: MIT
 * draw_chart: stkplot trend, groups and classes: what other filters computed, over time. */
#include "stkplot.h"

#include "picture_title.h"
#include "plot_forms.h"
#include "source_clocks.h"
#include "same_command.h"

#include "plot/chart_page.h"
#include "plot/chart_svg.h"
#include "plot/chart_terminal.h"
#include "plot/class_chart.h"
#include "plot/group_chart.h"
#include "plot/trend_chart.h"
#include "program/filter.h"
#include "program/lost_ids.h"
#include "program/printing.h"
#include "program/program.h"

#include <stdio.h>
#include <string.h>

#define PAGE_BYTES  (2 << 20)
#define SVG_WIDTH   1200
#define TREND_MOST  24u		/* panels of a page */
#define STILL_MOST  13u		/* of a still picture, */
#define TERM_MOST   5u		/* and of a drawing for a terminal */
#define ROWS_MOST   400u	/* of the tree of classes in a page */
#define STILL_ROWS  60u

struct drawing {
	const struct plot_settings *settings;
	enum plot_kind kind;
	enum plot_form form;
	struct filter filter;
	struct model *model;
	struct trend_chart *trends;
	struct group_chart *groups;
	struct class_chart *classes;
	struct time_zone *zone;
	struct source_clocks clocks;
};

/* --- reading --- */

static int
take_block(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct drawing *d = context;
	struct stk_reader *reader = d->filter.reader;

	if (block->kind == STK_HEAD) {
		source_clocks_add(&d->clocks, d->model);
		if (d->kind == PLOT_TREND)
			trend_chart_turn(d->trends);
		else if (d->kind == PLOT_GROUPS)
			group_chart_turn(d->groups);
		else
			class_chart_turn(d->classes);
	}
	if (model_take(d->model, reader, block, err) < 0)
		return -1;
	if (d->kind == PLOT_TREND)
		return trend_chart_take(d->trends, reader, block, err);
	return d->kind == PLOT_GROUPS ? group_chart_take(d->groups, reader, block, err)
				      : class_chart_take(d->classes, reader, block, err);
}

/* --- the chart --- */

/* The zone of the option, or else of the recording. */
static int
open_zone(struct drawing *d, struct chart *chart, struct stk_error *err)
{
	static char local[TIME_TEXT_MAX];
	const char *name = d->settings->choice.zone_name;

	chart->monotonic = source_clocks_are_monotonic(&d->clocks);
	chart->zone = d->settings->choice.zone;
	chart->zone_name = name == NULL ? d->clocks.zone : strcmp(name, "local") == 0 ? time_zone_local_name(local) : name;
	if (name != NULL || d->clocks.zone[0] == '\0')
		return 0;
	if (time_zone_open(&d->zone, d->clocks.zone, err) < 0) {
		*err = (struct stk_error){ 0 };		/* a stream may claim any zone */
		chart->zone_name = "";
		return 0;
	}
	chart->zone = d->zone;
	return 0;
}

static void
make_chart(struct drawing *d, struct chart *chart, char **operands, int count, struct text_buffer *command)
{
	static const unsigned panels[] = { [FORM_HTML] = TREND_MOST, [FORM_SVG] = STILL_MOST, [FORM_TERM] = TERM_MOST };
	unsigned rows = d->form == FORM_HTML ? ROWS_MOST : STILL_ROWS;

	if (d->kind == PLOT_TREND) {
		trend_chart_make(d->trends, panels[d->form], chart);
		add_string(command, "stkcat -f tsv --only measure");
	} else if (d->kind == PLOT_GROUPS) {
		group_chart_make(d->groups, chart);
		add_string(command, "stkgroup");
		group_chart_add_options(d->groups, command);
		add_string(command, " -f tsv");
	} else {
		class_chart_make(d->classes, rows, chart);
		add_string(command, "stkclass --tree -f tsv");
	}
	same_command_operands(command, operands, count);
	add_char(command, '\0');
	chart->command = command->at;
}

static bool
is_empty(const struct drawing *d)
{
	return d->kind == PLOT_TREND ? trend_chart_count(d->trends) == 0 :
	       d->kind == PLOT_GROUPS ? group_chart_count(d->groups) == 0 : class_chart_count(d->classes) == 0;
}

static void
warn_empty(const struct drawing *d)
{
	static const char *const of[] = {
		[PLOT_TREND] = "no measures of series in the input (expected the output of stktrend -f stream)",
		[PLOT_GROUPS] = "no figures of groups in the input (expected the output of stkgroup --step TIME -f stream)",
		[PLOT_CLASSES] = "no classes in the input (expected the output of stkclass -f stream)",
	};

	program_warn("%s", of[d->kind]);
}

/* --- pictures --- */

static int
draw(struct drawing *d, char **operands, int count, struct stk_error *err)
{
	static const char *const of[] = { [PLOT_TREND] = "Trends of ",
					  [PLOT_GROUPS] = "Groups of ",
					  [PLOT_CLASSES] = "Classes of " };
	struct chart chart = { .palette = (enum palette)d->settings->palette };
	struct text_buffer text = { 0 }, command = { 0 };
	struct printer printer = printer_to(d->filter.output);
	char title[PICTURE_TITLE_MOST];
	int result = 0;

	source_clocks_add(&d->clocks, d->model);
	if (open_zone(d, &chart, err) < 0)
		return -1;
	chart.title = chart_text(&chart, text_from(picture_title(d->settings, &d->filter, of[d->kind], operands, count,
								 title)));
	make_chart(d, &chart, operands, count, &command);
	if (d->form == FORM_HTML) {
		struct chart_page_options options = { .plain = d->settings->text,
			.max_bytes = d->settings->max_bytes > 0 ? (uint64_t)d->settings->max_bytes : PAGE_BYTES,
			.flame = d->kind == PLOT_GROUPS ? group_chart_flame(d->groups) : NULL };

		result = chart_page_add(&text, &chart, &options, err);
	} else if (d->form == FORM_SVG) {
		chart_svg_add(&text, &chart, program_common.width > 0 ? (unsigned)program_common.width : SVG_WIDTH,
			      false);
	} else if (!is_empty(d)) {
		struct chart_terminal_options options = { printer.screen.width,
							  plot_colours(printer.screen.colours),
							  printer.screen.blocks };

		chart_terminal_add(&text, &chart, &options);
	}
	if (result == 0)
		result = output_write(d->filter.output, text.at, text.count, err);
	array_release(&text);
	array_release(&command);
	chart_release(&chart);
	printer_release(&printer);
	return result;
}

/* --- the command --- */

static int
open_all(struct drawing *d, char **operands, int count, struct stk_error *err)
{
	if (filter_open(&d->filter, operands, count, err) < 0)
		return -1;
	d->form = plot_form(&d->filter, true);
	plot_check_form(d->settings, d->form, &d->filter, CHART_WIDTH_LEAST);
	if (model_open(&d->model) < 0)
		return stk_fail(err, STK_ESYSTEM, "cannot begin");
	if (d->kind == PLOT_TREND)
		trend_chart_open(&d->trends);
	else if (d->kind == PLOT_GROUPS)
		return group_chart_open(&d->groups, &(struct group_chart_options){ .model = d->model,
						.scheme = d->settings->scheme, .by = d->settings->by,
						.flame = d->form == FORM_HTML }, err);
	else
		class_chart_open(&d->classes, d->model);
	return 0;
}

int
draw_chart(const struct plot_settings *settings, enum plot_kind kind, char **operands, int count)
{
	struct drawing d = { .settings = settings, .kind = kind };
	struct stk_error err = { 0 };
	int result = open_all(&d, operands, count, &err);

	if (result == 0)
		result = filter_each(&d.filter, take_block, &d, &err);
	if (result == 0) {
		report_lost_ids(d.model);
		if (is_empty(&d))
			warn_empty(&d);
		result = draw(&d, operands, count, &err);
	}
	program_say_error(&err);
	trend_chart_close(d.trends);
	group_chart_close(d.groups);
	class_chart_close(d.classes);
	time_zone_close(d.zone);
	model_close(d.model);
	filter_close(&d.filter, result == 0);
	return program_end();
}
