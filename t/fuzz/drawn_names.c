/* SPDX-License-Identifier: MIT
 * fuzz/drawn_names: any bytes as names of functions, modules and series, drawn in every form. A name is text and
 * nothing else wherever it is drawn: an SVG is XML with no elements but its own, a page has no more elements than the
 * same page of plain names, a terminal gets no control character but those that colour. */
#include "base/bytes.h"
#include "base/memory.h"
#include "base/terminal_text.h"
#include "plot/chart_page.h"
#include "plot/chart_svg.h"
#include "plot/chart_terminal.h"
#include "plot/flame_page.h"
#include "plot/flame_svg.h"
#include "plot/flame_terminal.h"

#include <stdlib.h>

#define NAMES_MOST 12
#define PAGE_MOST  (1 << 20)
#define SECOND	   INT64_C(1000000000)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void
must(bool fact)
{
	if (!fact)
		abort();
}

/* --- what is drawn is looked at --- */

struct seen { struct stk_text open[32]; unsigned depth; };

static const char *
end_of_tag(const char *at, const char *end)
{
	char quote = '\0';

	for (; at < end; at++) {
		if (quote != '\0' && *at == quote)
			quote = '\0';
		else if (quote == '\0' && (*at == '"' || *at == '\''))
			quote = *at;
		else if (quote == '\0' && *at == '>')
			return at;
		must(*at != '<');
	}
	abort();
}

static void
check_tag(struct seen *seen, struct stk_text tag)
{
	static const char *const known[] = { "svg", "g", "rect", "path", "text", "title", "style", "tspan", "desc",
					     "defs", "pattern", "circle" };
	bool closes = tag.size > 0 && tag.data[0] == '/';
	struct stk_text name = closes ? text_of(tag.data + 1, tag.size - 1) : tag;
	unsigned k = 0;

	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] == ' ' || name.data[i] == '/') {
			name.size = i;
			break;
		}
	if (closes) {
		must(seen->depth > 0);
		seen->depth--;
		must(name.size == seen->open[seen->depth].size &&
		     memcmp(name.data, seen->open[seen->depth].data, name.size) == 0);
		return;
	}
	while (k < sizeof known / sizeof *known && !text_is(name, known[k]))
		k++;
	must(k < sizeof known / sizeof *known);
	if (tag.data[tag.size - 1] == '/')
		return;
	must(seen->depth < sizeof seen->open / sizeof *seen->open);
	seen->open[seen->depth++] = name;
}

static void
check_characters(struct stk_text drawn, bool coloured)
{
	const char *at = drawn.data, *end = at + drawn.size;

	while (at < end) {
		size_t letter = utf8_size(at, end);

		if (coloured && *at == '\033') {
			must(++at < end && *at++ == '[');
			while (at < end && ((*at >= '0' && *at <= '9') || *at == ';'))
				at++;
			must(at < end && *at++ == 'm');
			continue;
		}
		must(letter > 0);
		must(*at == '\n' || *at == '\t' || ((unsigned char)*at >= 0x20 && *at != 0x7F));
		must(letter != 2 || utf8_number(at, 2) >= 0xA0);
		at += letter;
	}
}

static void
check_svg(struct stk_text drawn)
{
	struct seen seen = { .depth = 0 };
	const char *at = drawn.data, *end = at + drawn.size;

	check_characters(drawn, false);
	while (at < end) {
		if (*at == '<') {
			const char *close = end_of_tag(at + 1, end);

			check_tag(&seen, text_of(at + 1, (size_t)(close - at - 1)));
			at = close + 1;
			continue;
		}
		if (*at == '&') {
			const char *close = memchr(at, ';', (size_t)(end - at));

			must(close != NULL && close - at <= 9);
		}
		at++;
	}
	must(seen.depth == 0);
}

/* The brackets of elements and comments: letters and signs that follow a '<'. */
static size_t
count_elements(struct stk_text page)
{
	size_t count = 0;

	for (size_t i = 0; i + 1 < page.size; i++)
		count += page.data[i] == '<' && strchr("/!sS", page.data[i + 1]) != NULL;
	return count;
}

/* --- what is drawn --- */

struct names { struct stk_text at[NAMES_MOST]; unsigned count; };

/* Names, modules and their order follow the numbers, not the names, so that plain names draw the same page. */
static void
make_tree(struct flame_tree *tree, const struct names *names)
{
	uint32_t node = 0;

	*tree = (struct flame_tree){ .cells = 1, .cell_ns = SECOND };
	call_tree_open(&tree->calls, 1);
	for (unsigned i = 0; i < names->count; i++) {
		struct pair_sum counts = { 0, 0, 1, i % 3 + 1 };
		uint32_t number;

		node = call_tree_child(&tree->calls, i % 4 == 0 ? 0 : node, names->at[i]);
		number = tree->calls.nodes.at[node].name;
		while (tree->modules.count <= number)
			*array_push(&tree->modules) = 0;
		if (i % 2 == 0)
			tree->modules.at[number] = text_table_number(&tree->module_texts,
								     names->at[names->count - 1 - i]);
		counts.a = pair_sums_index(&tree->rows, node, 1);
		pair_sums_add(&tree->counts, &counts);
	}
	flame_tree_sum(tree);
}

static void
make_chart(struct chart *chart, const struct names *names)
{
	*chart = (struct chart){ .kind = "groups", .zone_name = "", .command = "stkgroup" };
	chart->title = chart_text(chart, names->at[0]);
	chart->answer = chart_text(chart, names->at[names->count - 1]);
	chart_set_axis(chart, 0, 8 * SECOND, SECOND);
	chart->seen = chart->foreseen = chart->columns;
	for (unsigned i = 0; i < names->count; i += 3) {
		struct chart_panel *panel = chart_panel(chart, chart_text(chart, names->at[i]), "threads");

		panel->say = chart_text(chart, names->at[i]);
		for (unsigned k = i; k < i + 3 && k < names->count; k++) {
			struct chart_line *line = chart_line(chart, panel, CHART_AREA, chart_text(chart, names->at[k]));

			line->say = line->name;
			line->colour = k;
			for (unsigned column = 0; column < chart->columns; column++)
				line->at[column] = k + column;
		}
		*array_push(&panel->lanes) = chart_text(chart, names->at[i]);
		*array_push(&panel->spans) = (struct chart_span){ .to_ns = SECOND, .say = panel->say };
		*array_push(&panel->marks) = (struct chart_mark){ SECOND, 2 * SECOND, panel->say, panel->say };
	}
	*array_push(&chart->notes) = chart_text(chart, names->at[0]);
}

/* A title is a C string: it ends where the name has a zero. */
static char *
title_of(const struct names *names)
{
	char *title = mem_new(names->at[0].size + 1, 1);

	memcpy(title, names->at[0].data, names->at[0].size);
	return title;
}

static size_t
draw_pages(const struct names *names)
{
	struct text_buffer to = { 0 };
	struct flame_tree tree;
	struct chart chart;
	struct stk_error err = { 0 };
	char *title = title_of(names);
	struct flame_page_options flame = { .title = title, .zone = "", .unit = "samples", .command = title, .plain = true,
					    .max_bytes = PAGE_MOST };
	struct chart_page_options plain = { .plain = true, .max_bytes = PAGE_MOST };
	uint64_t least;
	size_t elements;

	make_tree(&tree, names);
	make_chart(&chart, names);
	must(flame_page_add(&to, &tree, &flame, &least, &err) == 0);
	must(chart_page_add(&to, &chart, &plain, &err) == 0);
	check_characters(text_in(&to, 0), false);
	elements = count_elements(text_in(&to, 0));
	array_release(&to);
	flame_tree_release(&tree);
	chart_release(&chart);
	free(title);
	return elements;
}

static void
draw_still(const struct names *names)
{
	struct text_buffer to = { 0 };
	struct flame_tree tree;
	struct flame_undrawn undrawn;
	struct chart chart;
	char *title = title_of(names);
	struct flame_svg_options svg = { .title = title, .unit = title, .width = 1200 };
	uint64_t hidden;

	make_tree(&tree, names);
	make_chart(&chart, names);
	flame_svg_add(&to, &tree, &svg, &hidden);
	check_svg(text_in(&to, 0));
	to.count = 0;
	chart_svg_add(&to, &chart, 1200, false);
	check_svg(text_in(&to, 0));
	for (unsigned colours = FLAME_PLAIN; colours <= FLAME_TRUE; colours++) {
		struct flame_terminal_options flame = { .width = 80, .colours = (enum flame_colours)colours };
		struct chart_terminal_options curves = { .width = 80, .colours = (enum flame_colours)colours,
							 .blocks = colours % 2 == 0 };

		to.count = 0;
		flame_terminal_add(&to, &tree, &flame, &undrawn);
		chart_terminal_add(&to, &chart, &curves);
		check_characters(text_in(&to, 0), colours != FLAME_PLAIN);
	}
	array_release(&to);
	flame_tree_release(&tree);
	chart_release(&chart);
	free(title);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char letters[NAMES_MOST + 1] = "abcdefghijkl";
	static size_t elements[NAMES_MOST + 1];		/* of a page of so many plain names */
	struct names names = { .count = 0 }, plain = { .count = 0 };
	const char *at = (const char *)bytes, *end = at + size;

	while (at < end && names.count < NAMES_MOST) {		/* 0xFE, which is in no UTF-8, between names */
		const char *stop = memchr(at, 0xFE, (size_t)(end - at));

		stop = stop != NULL ? stop : end;
		names.at[names.count++] = text_of(at, (size_t)(stop - at));
		at = stop + 1;
	}
	if (names.count == 0)
		return 0;
	for (; plain.count < names.count; plain.count++)
		plain.at[plain.count] = text_of(letters + plain.count, 1);
	if (elements[names.count] == 0)
		elements[names.count] = draw_pages(&plain);
	draw_still(&names);
	must(draw_pages(&names) == elements[names.count]);
	return 0;
}
