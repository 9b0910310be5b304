/* SPDX-License-Identifier: MIT
 * stkplot: draws the contents of record streams. */
#include "stkplot.h"

#include "base/text_buffer.h"
#include "program/program.h"

#include <string.h>

static struct plot_settings settings;

static const struct option_row options[] = {
	OPT_HEADING("stkplot graph: draw a function's blocks and edges by how often they were taken"),
	OPT_TEXT(0, "function", &settings.function, "NAME", "the function (default: the one with the highest counts)"),
	OPT_NUMBER(0, "paths",  &settings.paths,    "N",    "how many of the most frequent paths are listed (3)"),
	OPT_HEADING("stkplot heat: samples over time; the flame graph of any window, and what changed between two"),
	OPT_TABLE(sample_choice_options),
	OPT_TABLE(sample_zone_option),
	OPT_FLAG(0, "samples", &settings.samples, "count samples, not their weights"),
	OPT_DURATION(0, "cell", &settings.cell_ns, "TIME", "length of the finest cells; divides a minute (20ms)"),
	OPT_SIZE(0, "max-size", &settings.max_bytes, "BYTES", "of the page (10M): longer cells where it would be more"),
	OPT_TEXT(0, "title", &settings.title, "TEXT", "title of the page"),
	OPT_FLAG(0, "text", &settings.text, "make a page of ASCII alone, a third larger"),
	OPT_END
};

static const char *const of_graph[] = { "function", "paths", NULL };
static const char *const of_heat[] = { "from", "to", "window", "thread", "process", "state", "event", "grep", "invert",
				       "where", "running", "zone", "samples", "cell", "max-size", "title", "text",
				       NULL };

static void
refuse(const char *const *names, const char *command)
{
	for (; *names != NULL; names++)
		if (program_given(*names))
			program_usage("--%s has no effect on %s", *names, command);
}

static void
need_format(const char *first, const char *second)
{
	const char *format = program_common.format;

	if (format != NULL && strcmp(format, first) != 0 && strcmp(format, second) != 0)
		program_usage("-f: expected %s or %s, not '%s'", first, second, format);
}

/* --- the command beside a picture --- */

static void
add_quoted(struct text_buffer *to, const char *word)
{
	if (*word != '\0' && strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./,:=-") ==
				     strlen(word)) {
		add_string(to, word);
		return;
	}
	add_char(to, '\'');
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			add_string(to, "'\\''");
		else
			add_char(to, *word);
	}
	add_char(to, '\'');
}

/* Options that stktree has too, as they were typed; windows are chosen in the picture. argv is not yet permuted. */
static void
add_selection(struct text_buffer *to, int argc, char **argv)
{
	static const char *const with_value[] = { "thread", "process", "state", "event", "grep", "where" },
				 *const without[] = { "invert", "running", "samples" };

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *name = argv[i] + 2, *equals = strchr(argv[i], '=');
		size_t size = strncmp(argv[i], "--", 2) != 0 ? 0
			      : equals != NULL             ? (size_t)(equals - name)
							   : strlen(name);

		for (unsigned k = 0; k < sizeof without / sizeof *without; k++)
			if (size == strlen(without[k]) && memcmp(name, without[k], size) == 0)
				add_format(to, " --%s", without[k]);
		for (unsigned k = 0; k < sizeof with_value / sizeof *with_value; k++) {
			if (size != strlen(with_value[k]) || memcmp(name, with_value[k], size) != 0)
				continue;
			if (equals == NULL && i + 1 == argc)
				return;
			add_format(to, " --%s ", with_value[k]);
			add_quoted(to, equals != NULL ? equals + 1 : argv[++i]);
		}
	}
}

static void
add_operands(struct text_buffer *to, char **operands, int count)
{
	for (int i = 0; i < count; i++) {
		add_char(to, ' ');
		add_quoted(to, operands[i]);
	}
}

int
main(int argc, char **argv)
{
	struct text_buffer command = { 0 };
	int first, count, status;

	settings.paths = 3;
	settings.max_bytes = 10 << 20;
	add_string(&command, "stktree");
	add_selection(&command, argc, argv);
	first = program_begin("stkplot", "draw pictures: samples over time, functions with their hot paths",
			      "graph | heat [FILE | -]...", "dot, svg (needs graphviz), html, term", options, argc, argv);
	if (first == argc)
		program_usage("missing command: expected graph or heat");
	count = argc - first - 1;
	if (strcmp(argv[first], "graph") == 0) {
		need_format("dot", "svg");
		refuse(of_heat, "graph");
		status = draw_graph(&settings, argv + first + 1, count);
	} else if (strcmp(argv[first], "heat") == 0) {
		need_format("html", "term");
		refuse(of_graph, "heat");
		sample_choice_read(&settings.choice, argv + first + 1, count, false);
		add_operands(&command, argv + first + 1, count);
		add_char(&command, '\0');
		settings.command = command.at;
		status = draw_heat(&settings, argv + first + 1, count);
		sample_choice_release(&settings.choice);
	} else {
		program_usage("expected graph or heat, not '%s'", argv[first]);
	}
	array_release(&command);
	return status;
}
