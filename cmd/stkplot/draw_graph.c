/* SPDX-License-Identifier: MIT
 * draw_graph: stkplot graph. graphviz places the blocks: its dot is run for SVG. */
#include "stkplot.h"

#include "flow_picture.h"
#include "picture_title.h"
#include "source_listing.h"

#include "base/output.h"
#include "base/quantities.h"
#include "program/filter.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/function_choice.h"
#include "report/counting_methods.h"
#include "report/printer.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct drawing {
	struct filter filter;
	struct flow_pictures pictures;
	struct counting_methods methods;
	struct tally lost;		/* calls without a counted path, by "function	file" */
};

static int
take_block(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct drawing *d = context;

	if (block->kind != STK_CFG && block->kind != STK_PATH_COUNT && block->kind != STK_PATH_CALL)
		return 0;
	if (stk_reader_rows(d->filter.reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		struct stk_path_count count;
		struct stk_path_call call;
		struct stk_cfg edge;

		if (block->kind == STK_CFG) {
			stk_reader_row(d->filter.reader, i, &edge);
			flow_pictures_edge(&d->pictures, &edge);
		} else if (block->kind == STK_PATH_CALL) {
			stk_reader_row(d->filter.reader, i, &call);
			counting_methods_take(&d->methods, &call);
			if (call.calls > call.counted)
				tally_add(&d->lost, text_joined(&d->methods.scratch, call.function, call.file),
					  call.calls - call.counted);
		} else {
			stk_reader_row(d->filter.reader, i, &count);
			flow_pictures_count(&d->pictures, &count);
		}
	}
	return 0;
}

/* --- graphviz --- */

static int
write_all(int fd, const struct text_buffer *text)
{
	for (size_t done = 0; done < text->count; ) {
		ssize_t got = write(fd, text->at + done, text->count - done);

		if (got < 0 && errno != EINTR)
			return -1;
		done += got > 0 ? (size_t)got : 0;
	}
	return lseek(fd, 0, SEEK_SET) < 0 ? -1 : 0;
}

/* The output of a program for a file on its stdin. */
static int
run_dot(int from, struct text_buffer *to, struct stk_error *err)
{
	char name[] = "dot", option[] = "-Tsvg", *const command[] = { name, option, NULL };
	posix_spawn_file_actions_t files;
	int ends[2], status = 0, failed;
	ssize_t got = 1;
	pid_t child;

	if (pipe(ends) < 0)
		return stk_fail_errno(err, "cannot make a pipe");
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, from, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&files, ends[0]);
	failed = posix_spawnp(&child, "dot", &files, NULL, command, environ);
	posix_spawn_file_actions_destroy(&files);
	close(ends[1]);
	while (failed == 0 && got > 0) {
		array_reserve(to, 65536);
		got = read(ends[0], to->at + to->count, 65536);
		to->count += got > 0 ? (size_t)got : 0;
	}
	close(ends[0]);
	if (failed != 0)
		return stk_fail(err, STK_EUSAGE, "dot: %s: -f svg needs graphviz; -f dot does not", strerror(failed));
	if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0 || got < 0)
		return stk_fail(err, STK_ESYSTEM, "dot -Tsvg failed");
	return 0;
}

static int
make_svg(struct text_buffer *text, struct stk_error *err)
{
	struct text_buffer svg = { 0 };
	int fd = memfd_create("graph", MFD_CLOEXEC), result;

	if (fd < 0 || write_all(fd, text) < 0) {
		result = stk_fail_errno(err, "out of memory for dot");
	} else {
		result = run_dot(fd, &svg, err);
	}
	if (fd >= 0)
		close(fd);
	array_release(text);
	*text = svg;
	return result;
}

/* --- the command --- */

static bool
is_format(const char *name)
{
	return program_common.format != NULL && strcmp(program_common.format, name) == 0;
}

/* The source of the function that is chosen, or, where none is asked for, of all functions of the file of that. */
static int
list_source(struct drawing *d, const struct plot_settings *settings, uint32_t function, char **operands, int count,
	    struct stk_error *err)
{
	struct printer printer = printer_to(d->filter.output);
	struct text_buffer words = { 0 };
	struct source_listing listing;
	char title[PICTURE_TITLE_MOST];
	struct stk_text file = text_table_text(&d->pictures.functions, function);
	int result;

	(void)text_take(&file, '\t');
	result = source_listing_make(&listing, &d->pictures, &d->methods, &d->lost, file,
				     settings->function != NULL ? function : 0,
				     settings->source != NULL ? settings->source : ".", err);
	if (result == 0 && listing.beyond > 0)
		program_warn("%s: %u %s beyond its end: it is not what was compiled", listing.path,
			     listing.beyond, plural(listing.beyond, "block begins", "blocks begin"));
	if (result == 0 && is_format("html")) {
		source_listing_add_page(&printer.text, &listing,
					picture_title(settings, &d->filter, "Source of ", operands, count, title),
					(enum palette)settings->palette);
	} else if (result == 0) {
		source_listing_add_text(&printer.text, &listing);
		source_listing_add_words(&words, &listing);
		printer_prose(&printer, 0, text_in(&words, 0));
	}
	if (result == 0)
		result = printer_settle(&printer, true, err);
	array_release(&words);
	printer_release(&printer);
	source_listing_release(&listing);
	return result;
}

static int
draw(struct drawing *d, const struct plot_settings *settings, char **operands, int count, struct stk_error *err)
{
	struct printer printer;
	uint32_t function = flow_pictures_most(&d->pictures);
	struct stk_text name, file;
	int result = 0;

	if (settings->function != NULL &&
	    function_choose(&function, &d->pictures.functions, settings->function, err) < 0)
		return -1;
	if (function == 0)
		return stk_fail(
			err, STK_EUSAGE,
			settings->function != NULL
				? "no graph and no path of %s in the input"
				: "no graph and no path in the input: expected the output of an instrumented program%s",
			settings->function != NULL ? settings->function : "");
	if (is_format("html") || is_format("term"))
		return list_source(d, settings, function, operands, count, err);
	file = text_table_text(&d->pictures.functions, function);
	name = text_take(&file, '\t');
	if (counting_methods_overlap(&d->methods, name, file))
		return stk_fail(
			err, STK_EUSAGE,
			"%.*s: its paths overlap (method ac), so that their counts do not add up to those of blocks and edges: count with epp or pap for this picture",
			(int)name.size, name.data);
	printer = printer_to(d->filter.output);
	result = flow_picture_write(&printer.text, &d->pictures, function, (size_t)settings->paths,
				    tally_of(&d->lost, text_table_text(&d->pictures.functions, function)),
				    counting_methods_are_inexact(&d->methods, name, file),
				    (enum palette)settings->palette, err);
	if (result == 0 && is_format("svg"))
		result = make_svg(&printer.text, err);
	if (result == 0)
		result = printer_settle(&printer, true, err);
	printer_release(&printer);
	return result;
}

static void
check_options(const struct drawing *d)
{
	bool source = is_format("html") || is_format("term");

	if (!source && program_given("source"))
		program_usage("--source has an effect only on -f html and -f term");
	if (!is_format("html") && program_given("title"))
		program_usage("--title has an effect only on -f html");
	if (is_format("term") && program_given("palette"))
		program_usage("--palette has no effect on -f term");
	if (source && program_given("paths"))
		program_usage("--paths has no effect on -f %s", program_common.format);
	if (is_format("html") && output_is_terminal(d->filter.output))
		program_usage("a page is not for a terminal: use -o FILE.html, or -f term");
}

int
draw_graph(const struct plot_settings *settings, char **operands, int count)
{
	struct drawing d = { .filter = { .tell_lost = true } };
	struct stk_error err = { 0 };
	int result = filter_open(&d.filter, operands, count, &err);

	if (result == 0)
		check_options(&d);
	if (result == 0)
		result = filter_each(&d.filter, take_block, &d, &err);
	if (result == 0)
		result = draw(&d, settings, operands, count, &err);
	program_say_error(&err);
	tally_release(&d.lost);
	flow_pictures_release(&d.pictures);
	counting_methods_release(&d.methods);
	filter_close(&d.filter, result == 0);
	return program_end();
}
