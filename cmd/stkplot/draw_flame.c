/* SPDX-License-Identifier: MIT
 * draw_flame: stkplot flame and icicle. Samples are counted as they come; the picture is made at the end. */
#include "stkplot.h"

#include "counted_event.h"
#include "picture_title.h"
#include "plot_forms.h"
#include "source_clocks.h"

#include "base/quantities.h"
#include "choose/selected_blocks.h"
#include "plot/flame_page.h"
#include "plot/flame_svg.h"
#include "plot/flame_terminal.h"
#include "program/event_choice.h"
#include "program/filter.h"
#include "program/lost_ids.h"
#include "program/printing.h"
#include "program/program.h"
#include "program/scheme_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SVG_WIDTH  1200

struct drawing {
	const struct plot_settings *settings;
	enum plot_kind kind;
	enum plot_form form;
	struct filter filter;
	struct model *model;
	struct selection *selection;
	struct scheme *scheme;
	struct grouping *grouping;
	struct flame_counts *counts;
	uint64_t samples;
	struct source_clocks clocks;
	struct counted_event event;
	const char *unit;	/* of the counts, when all are there */
};

/* --- counting --- */

static int
take_samples(struct drawing *d, const struct stk_block *block, struct stk_error *err)
{
	struct sample_columns c;
	const uint32_t *rows;
	uint32_t count;

	if (selection_rows(d->selection, d->filter.reader, block, &rows, &count, err) < 0 ||
	    sample_columns_load(&c, FLAME_COLUMNS | SAMPLE_WEIGHT | SAMPLE_EVENT, NULL, d->filter.reader, block,
				err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = selected_row(rows, i);

		flame_counts_add(d->counts, &c, at, d->settings->samples ? 1 : sample_value(&c.weight, at));
	}
	d->samples += count;
	counted_event_add(&d->event, d->model, &c, rows, count);
	return 0;
}

static void
begin_stream(struct drawing *d)
{
	source_clocks_add(&d->clocks, d->model);
	flame_counts_turn(d->counts);
	counted_event_turn(&d->event);
	selection_head(d->selection, d->filter.reader, UINT64_C(1) << STK_SAMPLE | UINT64_C(1) << STK_TREE_NODE |
			       UINT64_C(1) << STK_TREE);
	selected_blocks_follow(d->selection, d->filter.reader, SELECTED_ALL_KINDS);
}

static int
take_block(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct drawing *d = context;

	if (block->kind == STK_HEAD)
		begin_stream(d);
	if (model_take(d->model, d->filter.reader, block, err) < 0)
		return -1;
	if (block->kind != STK_SAMPLE)
		return 0;
	if (model_check(d->model, d->filter.reader, block, err) < 0)
		return -1;
	return take_samples(d, block, err);
}

/* --- pictures --- */

static int
write_page(const struct drawing *d, const struct flame_tree *tree, const char *title, struct text_buffer *to,
	   struct stk_error *err)
{
	struct flame_page_options options = {
		.title = title,
		.zone = d->settings->choice.zone_name != NULL ? d->settings->choice.zone_name : d->clocks.zone,
		.unit = d->unit,
		.command = d->settings->command,
		.scheme = d->scheme,
		.palette = (enum palette)d->settings->palette,
		.monotonic = source_clocks_are_monotonic(&d->clocks),
		.icicle = d->kind != PLOT_FLAME,
		.plain = d->settings->text,
		.max_bytes = d->settings->max_bytes > 0 ? (uint64_t)d->settings->max_bytes : FLAME_PAGE_BYTES
	};
	char local[TIME_TEXT_MAX];
	uint64_t least;

	if (strcmp(options.zone, "local") == 0)
		options.zone = time_zone_local_name(local);
	if (flame_page_add(to, tree, &options, &least, err) < 0)
		return -1;
	if (least > 1)
		program_say("call paths with fewer than %llu of %llu %s are shown as %s (see --max-size)", (unsigned long long)least,
			    (unsigned long long)tree->calls.total.at[0], options.unit, FLAME_REST);
	return 0;
}

static int
write_terminal(const struct drawing *d, const struct flame_tree *tree, struct printer *printer, struct stk_error *err)
{
	struct flame_terminal_options options = { .width = printer->screen.width,
						  .palette = (enum palette)d->settings->palette,
						  .colours = plot_colours(printer->screen.colours),
						  .icicle = d->kind == PLOT_ICICLE };
	struct text_buffer text = { 0 };
	struct flame_undrawn undrawn;
	uint64_t whole = tree->calls.total.at[0];
	int result;

	flame_terminal_add(&text, tree, &options, &undrawn);
	result = output_write(d->filter.output, text.at, text.count, err);	/* printer would mask the colours */
	array_release(&text);
	if (result == 0)
		plot_remark_undrawn(printer, &undrawn, whole, d->unit);
	return result;
}

static int
draw(struct drawing *d, char **operands, int count, struct stk_error *err)
{
	struct flame_tree *tree = flame_counts_settle(d->counts);
	struct printer printer = printer_to(d->filter.output);
	struct flame_svg_options svg = { .icicle = d->kind == PLOT_ICICLE,
					 .width = SVG_WIDTH,
					 .palette = (enum palette)d->settings->palette };
	char title[PICTURE_TITLE_MOST];
	uint64_t hidden;
	bool plain = d->settings->samples || tree->calls.total.at[0] == d->samples;
	int result = 0;

	source_clocks_add(&d->clocks, d->model);
	counted_event_warn(&d->event, plain);
	d->unit = svg.unit = counted_event_unit(&d->event, plain);
	if (program_common.width > 0)
		svg.width = (unsigned)program_common.width;
	svg.title = picture_title(d->settings, &d->filter, "", operands, count, title);
	if (d->samples > 0 && tree->calls.total.at[0] == 0)
		program_warn("all samples have weight 0: nothing is drawn (--samples counts them)");
	if (d->form == FORM_HTML)
		result = write_page(d, tree, svg.title, &printer.text, err);
	else if (d->form == FORM_SVG)
		(void)flame_svg_add(&printer.text, tree, &svg, &hidden);
	else if (tree->calls.total.at[0] == 0 && d->samples == 0)
		program_say("no samples");
	else if (tree->calls.total.at[0] == 0)
		result = 0;
	else
		result = write_terminal(d, tree, &printer, err);
	if (result == 0)
		result = printer_settle(&printer, true, err);
	printer_release(&printer);
	return result;
}

/* --- the command --- */

static int
open_all(struct drawing *d, char **operands, int count, struct stk_error *err)
{
	const struct plot_settings *s = d->settings;
	struct selection_options selection = s->choice.selection;
	struct flame_counts_options options = { .by = s->by, .from_ns = selection.from_ns, .to_ns = selection.to_ns };

	if (filter_open(&d->filter, operands, count, err) < 0)
		return -1;
	d->form = plot_form(&d->filter, true);
	plot_check_form(s, d->form, &d->filter, 100);
	if (d->form != FORM_HTML && s->scheme != NULL)
		program_usage("--scheme has an effect only on -f html");
	if (model_open(&d->model) < 0)
		return stk_fail(err, STK_ESYSTEM, "cannot begin");
	count_one_event(&selection, &d->filter);
	if (selection_open(&d->selection, d->model, &selection, err) < 0)
		return -1;
	if (s->scheme != NULL) {
		if (scheme_file_read(&d->scheme, s->scheme, scheme_places(), err) < 0)
			return -1;
		grouping_open(&d->grouping, d->scheme);
	}
	filter_tell_thinned(&d->filter, selection.from_ns, selection.to_ns, s->choice.zone);
	options.model = d->model;
	options.grouping = d->grouping;
	return flame_counts_open(&d->counts, &options, err);
}

static void
close_all(struct drawing *d, bool well)
{
	flame_counts_close(d->counts);
	counted_event_release(&d->event);
	if (d->grouping != NULL)
		grouping_close(d->grouping);
	if (d->scheme != NULL)
		scheme_close(d->scheme);
	selection_close(d->selection);
	model_close(d->model);
	filter_close(&d->filter, well);
}

int
draw_flame(const struct plot_settings *settings, enum plot_kind kind, char **operands, int count)
{
	struct drawing d = { .settings = settings, .kind = kind };
	struct stk_error err = { 0 };
	int result = open_all(&d, operands, count, &err);

	if (result == 0)
		result = filter_each(&d.filter, take_block, &d, &err);
	if (result == 0) {
		say_other_events(d.selection, &d.filter);
		report_lost_ids(d.model);
		result = draw(&d, operands, count, &err);
	}
	program_say_error(&err);
	if (d.model != NULL)
		(void)sample_choice_report(&settings->choice, &d.filter);
	close_all(&d, result == 0);
	return program_end();
}
