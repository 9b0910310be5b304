/* SPDX-License-Identifier: MIT
 * class_settings: the options of stkclass. */
#include "class_settings.h"

#include "base/bytes.h"
#include "program/options.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_USUAL 132
#define SLICE_USUAL (10 * INT64_C(1000000000))

static struct settings given = { .top = 20, .samples = { .slice_ns = SLICE_USUAL } };
static const char *by, *class_id, *segment_id, *stack, *zone, *codes;
static bool restore, tree, segments, grammar, lines, exact;

static const struct option_row options[] = {
	OPT_HEADING("what is shown"),
	OPT_FLAG(0, "tree", &tree, "classes as a tree of what they have in common"),
	OPT_TEXT(0, "class", &class_id, "ID", "one class, by number or name"),
	OPT_TEXT(0, "segment", &segment_id, "ID", "one segment, by number or name"),
	OPT_FLAG(0, "segments", &segments, "all segments"),
	OPT_TEXT(0, "explain", &stack, "STACK", "how frame;frame;frame is parsed"),
	OPT_FLAG(0, "grammar", &grammar, "classes and segments as production rules"),
	OPT_TEXT(0, "names", &given.names, "FILE", "names of segments: lines of frame;frame NAME"),
	OPT_NUMBER(0, "top", &given.top, "N", "rows of a table (20; 0 all)"),
	OPT_TEXT(0, "zone", &zone, "ZONE", "times in this zone"),
	OPT_HEADING("what a class is"),
	OPT_TEXT(0, "by", &by, "KEY,...", "keep apart: source, pool, state"),
	OPT_FLAG(0, "lines", &lines, "frames with other line numbers are other frames"),
	OPT_FLAG(0, "exact", &exact, "generated names are not folded"),
	OPT_DURATION(0, "slice", &given.samples.slice_ns, "TIME", "samples without a dump, so long at once (10s)"),
	OPT_FLAG(0, "offline", &given.canonical, "learn by frequency, not by arrival"),
	OPT_FLAG(0, "variants", &given.samples.variants, "mark frames that stand in several forms"),
	OPT_HEADING("codes"),
	OPT_TEXT(0, "codes", &codes, "ORDER", "dumps as codes: frequency, arrival, or counts"),
	OPT_FLAG(0, "stats", &given.sizes, "what codes take beside text, gzip and zstd"),
	OPT_FLAG(0, "restore", &restore, "the input is codes: samples of them"),
	OPT_HEADING("state"),
	OPT_TEXT(0, "state", &given.state, "FILE", "go on from FILE, and keep it up to date"),
	OPT_FLAG(0, "merge", &given.merge, "the inputs are states: join them"),
	OPT_END
};

static void
read_by(void)
{
	for (const char *at = by; at != NULL && *at != '\0'; ) {
		struct stk_text word = text_of(at, strcspn(at, ","));

		if (text_is(word, "source"))
			given.samples.by_source = true;
		else if (text_is(word, "pool"))
			given.samples.by_pool = true;
		else if (text_is(word, "state"))
			given.samples.by_state = true;
		else
			program_usage("--by: '%.*s' is not one of source, pool, state", (int)word.size, word.data);
		at += word.size + (at[word.size] == ',');
	}
}

static void
read_codes(struct settings *s)
{
	static const char *const orders[] = { [CODE_FREQUENCY] = "frequency", [CODE_ARRIVAL] = "arrival", [CODE_COUNTS] = "counts" };

	if (codes != NULL && restore)
		program_usage("--codes and --restore: only one at a time");
	if (s->sizes && codes == NULL)
		program_usage("--stats is for --codes");
	if (codes == NULL)
		return;
	for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++)
		if (strcmp(codes, orders[i]) == 0) {
			s->code_order = (enum code_order)i;
			return;
		}
	program_usage("--codes: expected frequency, arrival or counts, not '%s'", codes);
}

static void
read_view(struct settings *s)
{
	const char *format = program_common.format;
	bool coded = codes != NULL || restore;
	int views = coded + tree + segments + grammar + (class_id != NULL) + (segment_id != NULL) + (stack != NULL);
	bool text = format == NULL || strcmp(format, "text") == 0 || strcmp(format, "tsv") == 0;

	if (views > 1)
		program_usage("--tree, --class, --segment, --segments, --explain, --grammar and --codes: only one at a time");
	if (!text && strcmp(format, "stream") != 0)
		program_usage("-f: expected text, tsv or stream, not '%s'", format);
	if (!text && (views > coded || s->canonical || s->merge))
		program_usage("-f stream: records go out as they come; --tree and the like, --offline and --merge are for tables and --state");
	s->tsv = format != NULL && strcmp(format, "tsv") == 0;
	if (coded && (s->state != NULL || s->canonical || s->merge || (text && format != NULL)))
		program_usage("--codes and --restore write a stream of their own, and keep no state");
	s->view = codes != NULL ? VIEW_CODES : restore ? VIEW_RESTORED : tree ? VIEW_TREE : segments ? VIEW_SEGMENTS : grammar ? VIEW_GRAMMAR : class_id != NULL ? VIEW_CLASS : segment_id != NULL ? VIEW_SEGMENT :
		  stack != NULL ? VIEW_EXPLAIN : text && (format != NULL || s->canonical) ? VIEW_CLASSES : VIEW_RECORDS;
	s->subject = class_id != NULL ? class_id : segment_id != NULL ? segment_id : stack;
}

int
settings_read(struct settings *s, int argc, char **argv, const char *columns)
{
	struct stk_error err = { 0 };
	int first = program_begin("stkclass", "segments and classes of stacks, and how many threads stand in each", "[FILE | DIR | -]...", "text, tsv, stream", options, argc, argv);
	int64_t width = columns == NULL ? 0 : strtol(columns, NULL, 10);

	read_by();
	given.samples.identity.lines = lines;
	given.samples.identity.exact = exact;
	if (given.samples.slice_ns <= 0)
		program_usage("--slice: expected more than nothing");
	*s = given;
	read_codes(s);
	read_view(s);
	if (zone != NULL && time_zone_open(&s->zone, zone, &err) < 0)
		program_usage("%s", err.text);
	(void)snprintf(s->identity, sizeof s->identity, "lines=%d exact=%d by=%s%s%s slice=%lld", lines, exact, s->samples.by_source ? "source " : "",
		       s->samples.by_pool ? "pool " : "", s->samples.by_state ? "state" : "", (long long)s->samples.slice_ns);
	s->width = width < 60 ? WIDTH_USUAL : width > 1000 ? 1000 : width;
	return first;
}

void
settings_release(struct settings *s)
{
	time_zone_close(s->zone);
}
