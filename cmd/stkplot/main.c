/* SPDX-License-Identifier: MIT
 * stkplot: draws the contents of record streams. */
#include "stkplot.h"

#include "same_command.h"

#include "plot/palette.h"
#include "program/program.h"
#include "program/typed_windows.h"

#include <string.h>

static struct plot_settings settings;

static const struct option_row options[] = {
	OPT_HEADING("stkplot flame, icicle, diff, heat, states, locks: by call path; what changed; over time; by thread"),
	OPT_TABLE(sample_choice_options),
	OPT_TABLE(sample_zone_option),
	OPT_LISTS(0, "diff", &settings.others, "WHAT...", "diff: FILE or FROM..TO to compare with, or two windows; as of stktree"),
	OPT_TEXT(0, "with", &settings.with, "WHAT", "diff: the same with one FILE or window"),
	OPT_CHOICE(0, "rate", &settings.shares, NULL, "second, share", "diff: samples a second (default, if times are known), or shares"),
	OPT_FLAG(0, "samples", &settings.samples, "count samples, not their weights"),
	OPT_TEXT(0, "by", &settings.by, "KEY,...", "begin paths with source, process, thread, pool, state..."),
	OPT_TEXT(0, "scheme", &settings.scheme, "NAME", "html: colour frames by the groups of a scheme; heat: choose them"),
	OPT_TEXT(0, "rules", &settings.rules, "FILE", "states, locks, report: thresholds, as of stkdiag"),
	OPT_CHOICE(0, "palette", &settings.palette, NULL, PALETTE_NAMES, "colours; safe: for any colour vision"),
	OPT_TEXT(0, "title", &settings.title, "TEXT", "title of the picture"),
	OPT_DURATION(0, "cell", &settings.cell_ns, "TIME", "heat: length of the finest cells (20ms); top: of the cells of its graphs (1s)"),
	OPT_SIZE(0, "max-size", &settings.max_bytes, "BYTES", "of the page (2M, heat 10M, report 1M): less detail where it would be more"),
	OPT_FLAG(0, "beside", &settings.beside, "heat: fine cells into x.heat beside -o x.html, for a web server"),
	OPT_FLAG(0, "text", &settings.text, "make a page of ASCII alone, a third larger"),
	OPT_HEADING("stkplot graph: draw a function's blocks and edges by how often they were taken"),
	OPT_TEXT(0, "function", &settings.function, "NAME", "the function (default: the one with the highest counts)"),
	OPT_TEXT(0, "source", &settings.source, "DIR", "html, term: the folder of the source (.)"),
	OPT_NUMBER(0, "paths",  &settings.paths,    "N",    "how many of the most frequent paths are listed (3)"),
	OPT_ONE_OF("diff with"),
	OPT_END
};

#define OF_SAMPLES "from to window thread process state event grep invert where running zone "

#define PICTURES "flame, icicle, diff, heat, states, locks, report, trend, groups, classes, top, graph or rows"

/* What there is to draw, with the options and forms that it has. */
static const struct picture { const char *name, *options, *formats; enum plot_kind kind; } pictures[] = {
	{ "flame", OF_SAMPLES "samples by scheme palette title max-size text ", "html svg term ", PLOT_FLAME },
	{ "icicle", OF_SAMPLES "samples by scheme palette title max-size text ", "html svg term ", PLOT_ICICLE },
	{ "diff", OF_SAMPLES "diff with rate samples by palette title max-size text ", "html svg term ", PLOT_DIFF },
	{ "heat", OF_SAMPLES "samples scheme cell beside palette title max-size text ", "html term ", PLOT_HEAT },
	{ "states", OF_SAMPLES "rules palette title max-size text ", "html svg term ", PLOT_STATES },
	{ "locks", OF_SAMPLES "rules palette title max-size text ", "html svg term ", PLOT_LOCKS },
	{ "report", OF_SAMPLES "rules palette title max-size ", "html ", PLOT_REPORT },
	{ "trend", "zone palette title max-size text ", "html svg term ", PLOT_TREND },
	{ "groups", "zone scheme by palette title max-size text ", "html svg term ", PLOT_GROUPS },
	{ "classes", "zone palette title max-size text ", "html svg term ", PLOT_CLASSES },
	{ "top", "thread process state event grep invert where running zone scheme by cell ", "", PLOT_TOP },
	{ "graph", "function paths source palette title ", "dot svg html term ", PLOT_GRAPH },
	{ "rows", "palette title ", "svg ", PLOT_ROWS },
};

/* Whether a word is in a list of words, each with a blank after it. */
static bool
has_word(const char *list, const char *word)
{
	for (size_t size = strlen(word); *list != '\0'; list += strcspn(list, " ") + 1)
		if (strncmp(list, word, size) == 0 && list[size] == ' ')
			return true;
	return false;
}

static const struct picture *
find_picture(const char *name)
{
	for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
		if (strcmp(pictures[i].name, name) == 0)
			return &pictures[i];
	program_usage("expected " PICTURES ", not '%s'", name);
}

/* An option that a picture does not have is refused. */
static void
check_options(const struct picture *picture)
{
	static const char all[] = OF_SAMPLES "diff with rate samples by scheme cell beside rules palette title max-size text function paths source ";

	for (const char *at = all; *at != '\0'; at += strcspn(at, " ") + 1) {
		char name[20] = "";

		memcpy(name, at, strcspn(at, " "));
		if (program_given(name) && !has_word(picture->options, name))
			program_usage("--%s has no effect on %s", name, picture->name);
	}
	if (program_common.format != NULL && picture->formats[0] == '\0')
		program_usage("-f has no effect on %s", picture->name);
	if (picture->kind == PLOT_TOP && program_common.output != NULL)
		program_usage("-o has no effect on top: its key w writes a file");
	if (program_common.format != NULL && !has_word(picture->formats, program_common.format))
		program_usage("-f: expected %.*s for %s, not '%s'", (int)strlen(picture->formats) - 1, picture->formats, picture->name,
			      program_common.format);
}

/* What is to be asked for the same numbers: stktree; in a heat map windows are chosen, and added by the page. Of
 * threads over time stkdiag, and stkcat for a moment, which the page adds. */
static void
say_command(struct text_buffer *command, struct text_buffer *of_any_window, enum plot_kind kind, char **operands,
	    int count)
{
	struct text_buffer selection = { 0 };
	const char *program = is_of_threads(kind) ? "stkdiag -f text" : kind == PLOT_REPORT ? "" : "stktree";

	add_text(&selection, text_in(kind == PLOT_HEAT ? of_any_window : command, 0));
	command->count = 0;
	add_string(command, program);
	if (is_of_threads(kind))
		same_command_option(command, "rules", settings.rules);
	add_text(command, text_in(&selection, 0));
	array_release(&selection);
	if (kind == PLOT_DIFF) {
		same_command_diff(command, operands, count, &settings.others);
	} else {
		if (kind != PLOT_HEAT && kind != PLOT_REPORT && !is_of_threads(kind))
			add_string(command, " --report flat");
		same_command_operands(command, operands, count);
	}
	add_char(command, '\0');
	settings.command = command->at;
	same_command_operands(of_any_window, operands, count);
	add_char(of_any_window, '\0');
	settings.selection = of_any_window->at;
}

/* What --with names; and files that follow windows, as in `--diff A..B C..D FILE`, are those of the windows. Returns
 * the place of the name of the picture. */
static int
take_sides(int first, int argc, char **argv)
{
	struct option_lists *others = &settings.others;
	bool alone = first + 1 == argc, windows = false;
	unsigned left = 0;

	if (settings.with != NULL)
		others->at[others->count++] = settings.with;
	if (others->uses > 1)
		program_usage("--diff: a picture has two sides: only once");
	for (unsigned i = 0; i < others->count; i++) {
		const char *word = others->at[i];

		if (windows && !looks_like_window(word)) {
			if (!alone)
				program_usage("--diff: name '%s' before its windows", word);
			argv[first - 1] = argv[first];		/* the name of the picture */
			argv[first--] = (char *)(uintptr_t)word;
			continue;
		}
		windows |= looks_like_window(word);
		others->at[left++] = word;
	}
	others->count = left;
	return first;
}

static int
draw_samples(enum plot_kind kind, char **operands, int count)
{
	int status;

	if (kind == PLOT_DIFF)
		sample_choice_keep_file();
	sample_choice_read(&settings.choice, operands, count);
	status = kind == PLOT_HEAT ? draw_heat(&settings, operands, count)
		 : kind == PLOT_REPORT ? draw_report(&settings, operands, count)
		 : is_of_threads(kind) ? draw_threads(&settings, kind, operands, count)
		 : kind == PLOT_TOP    ? draw_top(&settings, operands, count)
		 : kind >= PLOT_TREND  ? draw_chart(&settings, kind, operands, count)
		 : kind == PLOT_DIFF   ? draw_diff(&settings, operands, count)
					: draw_flame(&settings, kind, operands, count);
	sample_choice_release(&settings.choice);
	return status;
}

static bool
is_named(const char *picture, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], picture) == 0)
			return true;
	return false;
}

static bool draws_graph;

static bool
runs_dot(void)
{
	return draws_graph;
}

/* Before the options are read: what a picture needs that the others do not. graph runs dot; top reads keys, and one of
 * them writes a recording into the present folder. */
static void
confine_to(int argc, char **argv)
{
	draws_graph = is_named("graph", argc, argv);
	program_confine(runs_dot);
	if (is_named("top", argc, argv)) {
		program_will_write("top.stk");
		program_will_write("/dev/tty");
	}
}

int
main(int argc, char **argv)
{
	struct text_buffer command = { 0 }, of_any_window = { 0 };
	const struct picture *picture;
	int first, count, status;

	settings.paths = 3;
	same_command_begin(&command, argc, argv, true);		/* parsing changes argv */
	same_command_begin(&of_any_window, argc, argv, false);
	confine_to(argc, argv);
	first = program_begin("stkplot", "draw pictures: flame graphs, what changed, samples over time, functions",
			      "flame | icicle | diff | heat | states | locks | report | trend | groups | classes | top | graph | rows [FILE | -]...",
			      "html, svg, term, dot", options, argc, argv);
	if (first == argc)
		program_usage("missing command: expected " PICTURES);
	picture = find_picture(argv[first]);
	check_options(picture);
	if (picture->kind == PLOT_DIFF)
		first = take_sides(first, argc, argv);
	count = argc - first - 1;
	if (picture->kind == PLOT_GRAPH) {
		status = draw_graph(&settings, argv + first + 1, count);
	} else if (picture->kind == PLOT_ROWS) {
		status = draw_rows(&settings, argv + first + 1, count);
	} else {
		say_command(&command, &of_any_window, picture->kind, argv + first + 1, count);
		status = draw_samples(picture->kind, argv + first + 1, count);
	}
	array_release(&command);
	array_release(&of_any_window);
	return status;
}
