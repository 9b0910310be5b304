/* SPDX-License-Identifier: MIT
 * draw_diff: stkplot diff, from what diff_counts has. */
#include "diff_counts.h"
#include "picture_title.h"
#include "plot_forms.h"

#include "base/memory.h"
#include "base/quantities.h"
#include "plot/flame_page.h"
#include "plot/flame_svg.h"
#include "plot/flame_terminal.h"
#include "program/open_recordings.h"
#include "program/printing.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SVG_WIDTH 1200

struct diff_drawing {
	const struct plot_settings *settings;
	enum plot_form form;
	struct filter filter;		/* of which only the output is used, and what was lost */
	struct diff_counts counts;
};

/* --- pictures --- */

static int
write_page(struct diff_drawing *d, const char *title, struct text_buffer *to, struct stk_error *err)
{
	const struct plot_settings *s = d->settings;
	struct flame_page_options options = {
		.title = title,
		.zone = s->choice.zone_name != NULL ? s->choice.zone_name : d->counts.clocks.zone,
		.unit = "samples",		/* chance acts on samples: weights that are periods do not count */
		.command = s->command,
		.sides = { d->counts.sides.names[0], d->counts.sides.names[1] },
		.seconds = { d->counts.difference.seconds[0], d->counts.difference.seconds[1] },
		.shares = d->counts.difference.shares,
		.monotonic = source_clocks_are_monotonic(&d->counts.clocks),
		.icicle = true,
		.palette = (enum palette)s->palette,
		.plain = s->text,
		.max_bytes = s->max_bytes > 0 ? (uint64_t)s->max_bytes : FLAME_PAGE_BYTES
	};
	char local[TIME_TEXT_MAX];
	uint64_t least;

	if (strcmp(options.zone, "local") == 0)
		options.zone = time_zone_local_name(local);
	if (flame_page_add(to, &d->counts.difference.tree, &options, &least, err) < 0)
		return -1;
	if (least > 1)
		program_say("call paths with fewer than %llu of %llu %s are shown as %s (see --max-size)", (unsigned long long)least,
			    (unsigned long long)d->counts.difference.tree.calls.total.at[0], options.unit, FLAME_REST);
	return 0;
}

static int
write_terminal(struct diff_drawing *d, struct printer *printer, struct stk_error *err)
{
	struct flame_terminal_options options = { .width = printer->screen.width,
						  .colours = plot_colours(printer->screen.colours),
						  .icicle = true,
						  .palette = (enum palette)d->settings->palette,
						  .difference = &d->counts.difference };
	const struct flame_tree *tree = &d->counts.difference.tree;
	struct text_buffer text = { 0 };
	struct flame_undrawn undrawn;
	uint64_t whole = tree->calls.total.at[0];
	int result;

	flame_terminal_add(&text, tree, &options, &undrawn);
	result = output_write(d->filter.output, text.at, text.count, err);	/* printer would mask the colours */
	array_release(&text);
	if (result < 0)
		return -1;
	printer_remark(printer, "%s against %s", d->counts.sides.names[1], d->counts.sides.names[0]);
	printer_remark(printer, "+, -: points of all %s; ~: no more than chance would make; (gone): its width before",
		       d->counts.difference.shares ? "samples" : "samples a second");
	plot_remark_undrawn(printer, &undrawn, whole, "samples");
	return 0;
}

static int
draw(struct diff_drawing *d, struct stk_error *err)
{
	struct printer printer = printer_to(d->filter.output);
	struct flame_svg_options svg = { .icicle = true, .unit = "samples",
					 .width = SVG_WIDTH,
					 .palette = (enum palette)d->settings->palette,
					 .difference = &d->counts.difference };
	char title[PICTURE_TITLE_MOST], what[DIFF_NAME_MOST + 20], *before = d->counts.sides.names[0];
	uint64_t hidden;
	int result = 0;

	if (program_common.width > 0)
		svg.width = (unsigned)program_common.width;
	d->filter.lost = recordings_damaged();
	(void)snprintf(what, sizeof what, "%s against ", d->counts.sides.names[1]);
	svg.title = picture_title(d->settings, &d->filter, what, &before, 1, title);
	if (d->form == FORM_HTML) {
		result = write_page(d, svg.title, &printer.text, err);
	} else {
		flame_difference_widen(&d->counts.difference);
		if (d->form == FORM_SVG)
			(void)flame_svg_add(&printer.text, &d->counts.difference.tree, &svg, &hidden);
		else if (d->counts.difference.tree.calls.total.at[0] == 0)
			program_say("no samples");
		else
			result = write_terminal(d, &printer, err);
	}
	if (result == 0)
		result = printer_settle(&printer, true, err);
	printer_release(&printer);
	return result;
}

/* --- the command --- */

static int
count_sides(struct diff_drawing *d, struct stk_error *err)
{
	if (diff_counts_make(&d->counts, d->settings, err) < 0)
		return -1;
	for (unsigned side = 0; side < 2; side++)
		if (comparison_samples(d->counts.comparison, side) == 0)
			program_warn("%s: no samples there", d->counts.sides.names[side]);
	if (!d->counts.timed && program_given("rate") && d->settings->shares == 0)
		program_say("times do not say how long both sides are: shares are compared");
	return 0;
}

static int
run(struct diff_drawing *d, char **operands, int count, struct stk_error *err)
{
	if (output_open(&d->filter.output, program_common.output, err) < 0)
		return -1;
	d->form = plot_form(&d->filter, true);
	plot_check_form(d->settings, d->form, &d->filter, 100);
	if (diff_sides_open(&d->counts.sides, d->settings, operands, count, err) < 0 || count_sides(d, err) < 0)
		return -1;
	diff_sides_say(&d->counts.sides, &d->counts.answer);
	return draw(d, err);
}

int
draw_diff(const struct plot_settings *settings, char **operands, int count)
{
	struct diff_drawing *d = mem_new(1, sizeof *d);
	struct stk_error err = { 0 };
	bool well;

	if (count == 0 || settings->others.count == 0)
		program_usage("diff: expected what is compared with what: FILE... --diff FILE or FROM..TO");
	d->settings = settings;
	well = run(d, operands, count, &err) == 0;
	diff_counts_release(&d->counts);
	if (d->filter.output != NULL &&
	    output_close(d->filter.output, well && !program_stopping(), well ? &err : &(struct stk_error){ 0 }) < 0)
		well = false;
	free(d);
	if (well)
		stk_error_clear(&err);
	return program_finish(&err, NULL);
}
