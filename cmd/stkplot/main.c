/* SPDX-License-Identifier: MIT
 * stkplot: draws the contents of record streams. So far one picture: the graph of a function, with its hot paths. */
#include "stkplot.h"

#include "program/program.h"

#include <string.h>

static struct plot_settings settings;

static const struct option_row options[] = {
	OPT_HEADING("stkplot graph: draw a function's blocks and edges by how often they were taken"),
	OPT_TEXT(0, "function", &settings.function, "NAME", "the function (default: the one with the highest counts)"),
	OPT_NUMBER(0, "paths",  &settings.paths,    "N",    "how many of the most frequent paths are listed (3)"),
	OPT_END
};

int
main(int argc, char **argv)
{
	int first;

	settings.paths = 3;
	first = program_begin("stkplot", "draw the graph of a function with its hot paths", "graph [FILE]...",
			      "dot, svg (needs graphviz)", options, argc, argv);
	if (first == argc)
		program_usage("missing command: expected graph");
	if (program_common.format != NULL && strcmp(program_common.format, "dot") != 0 &&
	    strcmp(program_common.format, "svg") != 0)
		program_usage("-f: expected dot or svg, not '%s'", program_common.format);
	if (strcmp(argv[first], "graph") != 0)
		program_usage("expected graph, not '%s'", argv[first]);
	return draw_graph(&settings, argv + first + 1, argc - first - 1);
}
