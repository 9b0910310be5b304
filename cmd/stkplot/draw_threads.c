/* SPDX-License-Identifier: MIT
 * draw_threads: stkplot states and locks: what each thread did over time, and who waited for whom. */
#include "thread_reader.h"

#include "picture_title.h"
#include "plot_forms.h"

#include "plot/lock_picture.h"
#include "plot/thread_page.h"
#include "plot/thread_svg.h"
#include "plot/thread_terminal.h"
#include "program/lost_ids.h"
#include "program/printing.h"
#include "program/program.h"

#include <string.h>

#define PAGE_BYTES     (2 << 20)
#define TERMINAL_LINES 60
#define SENTENCES_MOST 4

struct thread_drawing {
	const struct plot_settings *settings;
	enum plot_kind kind;
	enum plot_form form;
	struct filter filter;
	struct model *model;
	struct thread_reader reader;
};

static int
take_block(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct thread_drawing *d = context;

	if (block->kind == STK_HEAD)
		thread_reader_turn(&d->reader, d->filter.reader);
	if (model_take(d->model, d->filter.reader, block, err) < 0)
		return -1;
	return thread_reader_take(&d->reader, d->filter.reader, block, err);
}

/* --- a terminal --- */

static void
print_finding(struct printer *printer, const struct thread_picture *picture, const struct finding_line *found)
{
	const struct finding *finding = &picture->findings->list.at[found->first];
	struct text_buffer line = { 0 };
	size_t from = printer->text.count;

	if (finding->rule != RULE_HEALTHY)
		add_format(&line, "%u ", found->number);
	add_finding_words(&line, picture, found);
	add_string(&line, finding->rule != RULE_HEALTHY ? "." : "");
	printer_prose(printer, 0, text_in(&line, 0));
	if (finding->rule != RULE_HEALTHY)
		printer_paint(printer, from, finding->severity == STK_SEVERITY_CRITICAL ? PAINT_HOT : PAINT_WARM);
	array_release(&line);
}

/* What is wrong comes first, numbered as it is drawn. */
static void
print_findings(struct printer *printer, const struct thread_picture *picture)
{
	const struct finding_lines *found = picture->found;

	for (size_t l = 0; l < found->list.count; l++)
		if (found->list.at[l].number != 0 && found->list.at[l].number <= SENTENCES_MOST)
			print_finding(printer, picture, &found->list.at[l]);
	if (found->drawn > SENTENCES_MOST)
		printer_remark(printer, "%u more findings (stkdiag -f text)", found->drawn - SENTENCES_MOST);
	if (found->drawn == 0 && found->list.count > 0 && picture->findings->list.at[0].rule == RULE_HEALTHY)
		print_finding(printer, picture, &found->list.at[0]);
}

static int
write_terminal(struct thread_drawing *d, struct thread_picture *picture, struct printer *printer, struct stk_error *err)
{
	struct text_buffer text = { 0 };
	uint64_t left_out;
	int result;

	picture->width = (unsigned)printer->screen.width;
	picture->lines_most = TERMINAL_LINES;
	print_findings(printer, picture);
	if (printer_settle(printer, true, err) < 0)
		return -1;
	left_out = d->kind == PLOT_LOCKS
			   ? lock_terminal_add(&text, picture, plot_colours(printer->screen.colours))
			   : thread_terminal_add(&text, picture, plot_colours(printer->screen.colours));
	result = output_write(d->filter.output, text.at, text.count, err); /* printer would mask the colours */
	array_release(&text);
	if (left_out > 0)
		printer_remark(printer, "%llu %s more are not drawn (-o PAGE.html has all)", (unsigned long long)left_out,
			       d->kind == PLOT_LOCKS ? "locks" : "threads");
	add_what_is_drawn(&text, picture);
	add_char(&text, '.');
	if (d->kind == PLOT_STATES)
		add_how_parts_are_drawn(&text, picture, thread_terminal_columns(picture));
	printer_prose(printer, 0, text_in(&text, 0));
	array_release(&text);
	return result;
}

/* --- a page --- */

static int
write_page(struct thread_drawing *d, const struct thread_picture *picture, struct text_buffer *to,
	   struct stk_error *err)
{
	const struct plot_settings *settings = d->settings;
	struct text_buffer dumps = { 0 };
	struct thread_page_options options = {
		.zone = settings->choice.zone_name != NULL ? settings->choice.zone_name : d->reader.clocks.zone,
		.command = settings->command,
		.locks = d->kind == PLOT_LOCKS,
		.plain = settings->text,
		.max_bytes = settings->max_bytes > 0 ? (uint64_t)settings->max_bytes : PAGE_BYTES
	};
	char local[TIME_TEXT_MAX];
	int result;

	if (strcmp(options.zone, "local") == 0)
		options.zone = time_zone_local_name(local);
	add_string(&dumps, "stkcat -f dumps");
	add_string(&dumps, settings->selection);
	add_char(&dumps, '\0');
	options.dumps = dumps.at;
	result = thread_page_add(to, picture, &d->reader.history, &options, err);
	array_release(&dumps);
	if (result == 0 && d->reader.history.together > 1)
		program_say("%u dumps became one moment, in which a thread is as in most of them (see --max-size)",
			    d->reader.history.together);
	return result;
}

/* --- the command --- */

static int
draw(struct thread_drawing *d, char **operands, int count, struct stk_error *err)
{
	struct printer printer = printer_to(d->filter.output);
	char title[PICTURE_TITLE_MOST];
	struct finding_lines found;
	struct thread_picture picture = { .history = &d->reader.history,
					  .findings = d->reader.findings,
					  .found = &found,
					  .title = picture_title(d->settings, &d->filter, "", operands, count, title),
					  .zone = thread_reader_zone(&d->reader),
					  .palette = (enum palette)d->settings->palette,
					  .width = THREAD_SVG_WIDTH,
					  .lines_most = THREAD_SVG_LINES };
	int result = 0;

	finding_lines_make(&found, d->reader.findings);
	if (program_common.width > 0)
		picture.width = (unsigned)program_common.width;
	if (d->form == FORM_HTML)
		result = write_page(d, &picture, &printer.text, err);
	else if (d->form == FORM_SVG)
		(void)(d->kind == PLOT_LOCKS ? lock_svg_add(&printer.text, &picture)
					     : thread_svg_add(&printer.text, &picture, false));
	else if (d->reader.history.dumps == 0)
		program_say("no thread dumps");
	else
		result = write_terminal(d, &picture, &printer, err);
	if (result == 0)
		result = printer_settle(&printer, true, err);
	finding_lines_release(&found);
	printer_release(&printer);
	return result;
}

static int
open_all(struct thread_drawing *d, char **operands, int count, struct stk_error *err)
{
	if (filter_open(&d->filter, operands, count, err) < 0)
		return -1;
	d->form = plot_form(&d->filter, true);
	plot_check_form(d->settings, d->form, &d->filter, 600);
	if (model_open(&d->model) < 0)
		return stk_fail(err, STK_ESYSTEM, "cannot begin");
	return thread_reader_open(&d->reader, d->settings, d->model, err);
}

int
draw_threads(const struct plot_settings *settings, enum plot_kind kind, char **operands, int count)
{
	struct thread_drawing d = { .settings = settings, .kind = kind };
	struct stk_error err = { 0 };
	int result = open_all(&d, operands, count, &err);

	if (result == 0)
		result = filter_each(&d.filter, take_block, &d, &err);
	if (result == 0) {
		thread_reader_end(&d.reader);
		report_lost_ids(d.model);
		result = draw(&d, operands, count, &err);
	}
	program_say_error(&err);
	if (d.model != NULL)
		(void)sample_choice_report(&settings->choice, &d.filter);
	thread_reader_close(&d.reader);
	model_close(d.model);
	filter_close(&d.filter, result == 0);
	return program_end();
}
