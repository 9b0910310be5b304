/* SPDX-License-Identifier: MIT
 * draw_heat: stkplot heat. Samples are counted as they come; the page, or the drawing for a terminal, is made at the
 * end. */
#include "beside_file.h"
#include "counted_event.h"
#include "heat_terminal.h"
#include "picture_title.h"
#include "plot_forms.h"
#include "same_command.h"
#include "source_clocks.h"
#include "stkplot.h"

#include "base/quantities.h"
#include "base/terminal_text.h"
#include "choose/selected_blocks.h"
#include "plot/heat_names.h"
#include "plot/heat_page.h"
#include "plot/heat_tree.h"
#include "program/event_choice.h"
#include "program/filter.h"
#include "program/lost_ids.h"
#include "program/printing.h"
#include "program/program.h"
#include "program/scheme_places.h"
#include "report/printer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL_NS 20000000
#define MINUTE_NS INT64_C(60000000000)
#define RUNS_MEMORY (UINT64_C(192) << 20)
#define RUNS_MEMORY_BESIDE (UINT64_C(768) << 20)
#define PAGE_MOST (10 << 20)
#define LEAST_DATA (UINT64_C(32) << 10) /* of a page: a few stacks */

struct heat {
	const struct plot_settings *settings;
	struct filter filter;
	struct model *model;
	struct selection *selection;
	struct scheme *scheme;
	struct grouping *grouping;
	struct heat_rows *rows;
	struct heat_cells *cells;
	struct heat_tree *tree;	/* while the page may read the recording; NULL */
	bool begun, is_tree;	/* a stream; with a time tree */
	const char *recording;
	struct source_clocks clocks;
	struct counted_event event;
	const char *unit; /* of the counts, when all are there */
};

static int64_t
wanted_cell(const struct heat *h)
{
	return h->settings->cell_ns > 0 ? h->settings->cell_ns : CELL_NS;
}

static bool
draws_page(void)
{
	return program_common.format == NULL || strcmp(program_common.format, "html") == 0;
}

/* --- counting --- */

static int
take_samples(struct heat *h, const struct stk_block *block, struct stk_error *err)
{
	struct sample_columns c;
	struct heat_samples samples = { .columns = &c, .alike = h->settings->samples };
	const uint32_t *rows;
	uint32_t count;

	if (selection_rows(h->selection, h->filter.reader, block, &rows, &count, err) < 0 ||
	    sample_columns_load(&c, SAMPLE_TIME | SAMPLE_WEIGHT | SAMPLE_EVENT | HEAT_ROW_COLUMNS, NULL,
				h->filter.reader, block, err) < 0)
		return -1;
	samples.chosen = rows;
	samples.count = count;
	heat_cells_add(h->cells, &samples, heat_rows_find(h->rows, &samples));
	if (h->tree != NULL)
		heat_tree_add(h->tree, block, &samples);
	counted_event_add(&h->event, h->model, &c, rows, count);
	return 0;
}

static int
take_block(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct heat *h = context;

	if (block->kind == STK_HEAD) {
		source_clocks_add(&h->clocks, h->model);
		if (h->tree != NULL && h->begun)
			heat_tree_turn(h->tree, h->rows);
		h->begun = true;
		heat_rows_forget(h->rows);
		counted_event_turn(&h->event);
		selection_head(h->selection, h->filter.reader,
			       UINT64_C(1) << STK_SAMPLE | UINT64_C(1) << STK_TREE_NODE |
			       UINT64_C(1) << STK_TREE);
		selected_blocks_follow(h->selection, h->filter.reader, SELECTED_ALL_KINDS);
	}
	h->is_tree = h->is_tree || block->kind == STK_TREE;
	if (model_take(h->model, h->filter.reader, block, err) < 0)
		return -1;
	if (block->kind != STK_SAMPLE)
		return 0;
	if (model_check(h->model, h->filter.reader, block, err) < 0)
		return -1;
	return take_samples(h, block, err);
}

/* --- what is said about it --- */

static void
say_what_was_cut(const struct heat_parts *parts)
{
	char cell[TIME_TEXT_MAX], wanted[TIME_TEXT_MAX];

	if (parts->cell_ns != parts->wanted_cell_ns && parts->whole_bytes == 0)
		program_say("cells are %s: with %s they would be too many for this program's memory", duration_print(cell, parts->cell_ns),
			    duration_print(wanted, parts->wanted_cell_ns));
	else if (parts->cell_ns != parts->wanted_cell_ns)
		program_say("cells are %s: with %s the page would have %.1f MB (see --max-size)",
			    duration_print(cell, parts->cell_ns), duration_print(wanted, parts->wanted_cell_ns),
			    parts->whole_bytes / (1 << 20));
	if (parts->other_rows > 0)
		program_say("%llu rare stacks are shown as %s: %.1f %% of all counts (see --max-size)",
			    (unsigned long long)parts->other_rows, HEAT_OTHER,
			    parts->sum == 0 ? 0 : 100 * (double)parts->other_sum / (double)parts->sum);
}

static void
say_clocks(const struct heat *h)
{
	uint64_t untimed = heat_cells_facts(h->cells)->untimed;

	if (untimed > 0)
		program_say("%llu sample%s without a time left out", (unsigned long long)untimed,
			    plural(untimed, "", "s"));
	if (h->clocks.monotonic && h->clocks.wall)
		program_warn(
			"the sources have clocks of two kinds, wall and monotonic, whose times cannot be compared (--process separates them)");
}

/* --- the page --- */

/* What gives the same numbers also where conditions of the page leave other events first. */
static void
add_command(const struct heat *h, struct text_buffer *to)
{
	static const char program[] = "stktree";
	struct stk_text kept;
	uint64_t others = selection_other_events(h->selection, &kept);

	add_string(to, program);
	if (others > 0 && !program_given("event")) {
		char *event = mem_new(kept.size + 1, 1);

		memcpy(event, kept.data, kept.size);
		same_command_option(to, "event", kept.size > 0 ? event : EVENT_NONE);
		free(event);
	}
	add_string(to, h->settings->command + strlen(program));
	add_char(to, '\0');
}

/* What the page knows of the recording, as a block; its row numbers are not known before there are parts. */
static int
write_places(struct heat *h, const struct heat_parts *parts, struct text_buffer *to, struct stk_error *err)
{
	struct heat_grid grid = { .begin_ns = parts->begin_ns, .cell_ns = parts->cell_ns, .unit = parts->unit };
	struct text_buffer plain = { 0 };
	int result = heat_tree_write(h->tree, &plain, h->recording, &grid, parts->row_numbers, err);

	if (result == 0)
		heat_add_deflated(to, HEAT_PLACES, &plain);
	array_release(&plain);
	return result;
}

/* How many bytes it will have, about. */
static int
guess_places(struct heat *h, uint64_t *bytes, struct stk_error *err)
{
	const struct heat_facts *facts = heat_cells_facts(h->cells);
	struct heat_parts parts = { .begin_ns = facts->first_cell * facts->cell_ns,
				    .cell_ns = facts->cell_ns,
				    .unit = facts->unit };
	struct text_buffer block = { 0 };
	int result = write_places(h, &parts, &block, err);

	*bytes = block.count + block.count / 50;
	array_release(&block);
	return result;
}

/* Where fine counts will be; *places: bytes of the page that tell where in a recording. */
static int
choose_place(struct heat *h, uint64_t limit, enum heat_place *place, uint64_t *places, struct stk_error *err)
{
	const char *why = NULL;

	*places = 0;
	*place = h->settings->beside ? HEAT_BESIDE : HEAT_INSIDE;
	if (h->tree == NULL || !h->is_tree)
		return 0;
	heat_tree_turn(h->tree, h->rows);
	why = heat_tree_obstacle(h->tree);
	if (why == NULL && guess_places(h, places, err) < 0)
		return -1;
	if (why == NULL && *places > limit / 2)
		why = "its stacks take too much of --max-size";
	if (why == NULL) {
		*place = HEAT_RECORDING;
		return 0;
	}
	*places = 0;
	program_say("the page cannot read %s itself, so its counts are written beside the page: %s", h->recording,
		    why);
	return 0;
}

static int
make_parts(struct heat *h, struct heat_parts *parts, struct stk_error *err)
{
	const struct plot_settings *s = h->settings;
	uint64_t limit = (uint64_t)(s->max_bytes > 0 ? s->max_bytes : PAGE_MOST), frame, places;
	enum heat_place place;
	int result;

	if (choose_place(h, limit, &place, &places, err) < 0)
		return -1;
	frame = heat_page_frame_bytes(s->text, place);
	if (limit < frame + LEAST_DATA)
		return stk_fail(err, STK_EUSAGE, "--max-size: expected at least %llu kB: a page without data has %llu",
				(unsigned long long)(frame + LEAST_DATA) / 1024 + 1, (unsigned long long)frame / 1024);
	limit -= frame;
	if (s->text)
		limit = limit / 4 * 3;
	limit = limit > places + LEAST_DATA ? limit - places : LEAST_DATA;
	result = heat_parts_make(parts, h->cells, h->rows, limit, place, err);
	parts->wanted_cell_ns = wanted_cell(h);
	return result;
}

/* beside: the path of the file beside the page; NULL: there is none. places: what the page knows of a recording. */
static void
add_page(const struct heat *h, const char *title, const struct heat_parts *parts, const char *beside,
	 const struct text_buffer *places, struct text_buffer *to)
{
	const struct plot_settings *s = h->settings;
	const struct sample_choice *choice = &s->choice;
	struct text_buffer command = { 0 }, scheme = { 0 };
	char local[TIME_TEXT_MAX];
	struct heat_page_options options = { .title = title,
					     .zone = choice->zone_name != NULL ? choice->zone_name : h->clocks.zone,
					     .unit = h->unit,
					     .samples = s->samples,
					     .monotonic = source_clocks_are_monotonic(&h->clocks),
					     .palette = (enum palette)s->palette,
					     .plain = s->text,
					     .from_ns = choice->selection.from_ns,
					     .to_ns = choice->selection.to_ns,
					     .untimed = heat_cells_facts(h->cells)->untimed };

	if (strcmp(options.zone, "local") == 0)
		options.zone = time_zone_local_name(local);
	add_command(h, &command);
	options.command = command.at;
	if (s->scheme != NULL) {
		same_command_word(&scheme, s->scheme);
		add_char(&scheme, '\0');
		options.scheme = scheme.at;
	}
	if (beside != NULL)
		options.beside = beside_name(beside);
	if (parts->place == HEAT_RECORDING) {
		options.beside_bytes = heat_tree_bytes(h->tree);
		options.places = text_in(places, 0);
	}
	heat_page_add(to, parts, &options);
	array_release(&command);
	array_release(&scheme);
}

static int
write_page(struct heat *h, const char *title, struct printer *printer, struct stk_error *err)
{
	char *beside = h->settings->beside ? beside_file_name(program_common.output) : NULL;
	struct heat_parts parts = { 0 };
	struct text_buffer places = { 0 };
	int result = make_parts(h, &parts, err);
	bool recording = parts.place == HEAT_RECORDING;

	if (result == 0 && recording)
		result = write_places(h, &parts, &places, err);
	else if (result == 0 && beside != NULL)
		result = beside_file_write(beside, &parts, err);
	if (result == 0) {
		add_page(h, title, &parts, recording ? h->recording : beside, &places, &printer->text);
		result = printer_settle(printer, true, err);
		say_what_was_cut(&parts);
		if (recording && !beside_is_near(program_common.output, h->recording))
			program_say("%s reads %s in its own folder: put it there", program_common.output,
				    beside_name(h->recording));
	}
	heat_parts_release(&parts);
	array_release(&places);
	free(beside);
	return result;
}

static int
write_terminal(struct heat *h, struct printer *printer, struct stk_error *err)
{
	bool monotonic = source_clocks_are_monotonic(&h->clocks);
	const struct time_zone *zone = sample_choice_typing_zone(&h->settings->choice);
	struct heat_terminal_options options = { .width = printer->screen.width,
						 .colours = plot_colours(printer->screen.colours),
						 .unit = h->unit,
						 .palette = (enum palette)h->settings->palette,
						 .zone = monotonic ? NULL : zone,
						 .seconds = monotonic };
	struct text_buffer map = { 0 }, say = { 0 };
	int result;

	heat_terminal_add(&map, h->cells, heat_rows_count(h->rows), &options, &say);
	result = output_write(h->filter.output, map.at, map.count, err);	/* printer would mask the colours */
	printer_remark(printer, "%.*s", (int)say.count, say.at);
	if (result == 0)
		result = printer_settle(printer, true, err);
	array_release(&map);
	array_release(&say);
	return result;
}

static int
draw(struct heat *h, char **operands, int count, struct stk_error *err)
{
	const struct heat_facts *facts;
	struct printer printer = printer_to(h->filter.output);
	char title[PICTURE_TITLE_MOST];
	bool plain;
	int result;

	source_clocks_add(&h->clocks, h->model);
	heat_cells_settle(h->cells);
	facts = heat_cells_facts(h->cells);
	say_clocks(h);
	plain = h->settings->samples || facts->weight == facts->samples;
	counted_event_warn(&h->event, plain);
	h->unit = counted_event_unit(&h->event, plain);
	if (facts->samples == 0)
		return stk_fail(err, STK_EUSAGE, facts->untimed > 0 ? "no sample has a time" : "no samples to draw");
	if (facts->first_cell > facts->last_cell)
		return stk_fail(err, STK_EUSAGE, "all samples have weight 0: use --samples");
	if (draws_page()) {
		result = write_page(h, picture_title(h->settings, &h->filter, "", operands, count, title), &printer, err);
	} else {
		result = write_terminal(h, &printer, err);
	}
	printer_release(&printer);
	return result;
}

/* --- the command --- */

static int
open_heat(struct heat *h, char **operands, int count, struct stk_error *err)
{
	struct selection_options selection = h->settings->choice.selection;
	int64_t cell = wanted_cell(h);

	if (cell < 1000000 || cell > MINUTE_NS || MINUTE_NS % cell != 0 || cell % 1000000 != 0)
		return stk_fail(err, STK_EUSAGE,
				"--cell: expected whole milliseconds that divide a minute, such as 20ms or 1s");
	if (filter_open(&h->filter, operands, count, err) < 0)
		return -1;
	for (unsigned i = 0; i < 2 && !draws_page(); i++) {
		static const char *const names[] = { "scheme", "beside" };

		if (program_given(names[i]))
			return stk_fail(err, STK_EUSAGE, "--%s has an effect only on -f html", names[i]);
	}
	if (!draws_page())
		plot_check_palette();
	if (draws_page() && output_is_terminal(h->filter.output))
		return stk_fail(err, STK_EUSAGE, "a page is not for a terminal: use -o FILE.html, or -f term");
	if (h->settings->beside && (program_common.output == NULL || !output_is_file(h->filter.output)))
		return stk_fail(err, STK_EUSAGE, "--beside: expected -o FILE.html, as FILE.heat is written beside it");
	if (model_open(&h->model) < 0)
		return stk_fail(err, STK_ESYSTEM, "cannot begin");
	count_one_event(&selection, &h->filter);
	if (selection_open(&h->selection, h->model, &selection, err) < 0)
		return -1;
	filter_tell_thinned(&h->filter, selection.from_ns, selection.to_ns, h->settings->choice.zone);
	if (h->settings->beside && count == 1 && !sample_choice_is_filtered() && selection.windows_count <= 1 &&
	    beside_is_recording(operands[0])) {
		heat_tree_open(&h->tree);
		h->recording = operands[0];
	}
	heat_cells_open(&h->cells, cell, h->settings->beside ? RUNS_MEMORY_BESIDE : RUNS_MEMORY);
	if (h->settings->scheme != NULL) {
		if (scheme_file_read(&h->scheme, h->settings->scheme, scheme_places(), err) < 0)
			return -1;
		grouping_open(&h->grouping, h->scheme);
	}
	return heat_rows_open(&h->rows, h->model, h->grouping, err);
}

int
draw_heat(const struct plot_settings *settings, char **operands, int count)
{
	struct heat h = { .settings = settings };
	struct stk_error err = { 0 };
	int result = open_heat(&h, operands, count, &err);

	if (result == 0)
		result = filter_each(&h.filter, take_block, &h, &err);
	if (result == 0) {
		say_other_events(h.selection, &h.filter);
		report_lost_ids(h.model);
		result = draw(&h, operands, count, &err);
	}
	program_say_error(&err);
	if (h.model != NULL)
		(void)sample_choice_report(&settings->choice, &h.filter);
	heat_rows_close(h.rows);
	if (h.grouping != NULL)
		grouping_close(h.grouping);
	if (h.scheme != NULL)
		scheme_close(h.scheme);
	heat_cells_close(h.cells);
	heat_tree_close(h.tree);
	counted_event_release(&h.event);
	selection_close(h.selection);
	model_close(h.model);
	filter_close(&h.filter, result == 0);
	return program_end();
}
