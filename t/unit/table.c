/* SPDX-License-Identifier: MIT
 * Tables fit where they can: labels are cut so that they stay different, then columns are left out and named; numbers
 * are never cut; colours only where they are wanted, and nothing else that steers a terminal. */
#include "base/screen.h"
#include "report/label_cut.h"
#include "report/table.h"

#include "../lib/tap.h"

#define MOST 300

/* --- labels --- */

/* Cuts, and checks what always holds. */
static bool
are_cut(struct stk_text *labels, size_t count, size_t width, bool keep_end, struct text_buffer *room)
{
	struct stk_text before[MOST];

	memcpy(before, labels, count * sizeof *before);
	labels_cut(labels, count, width, keep_end, room);
	for (size_t i = 0; i < count; i++) {
		if (text_characters(labels[i]) > width)
			return false;
		if (text_characters(before[i]) <= width && !text_equal(before[i], labels[i]))
			return false;
		for (size_t k = 0; k < i; k++)
			if (text_equal(before[i], before[k]) != text_equal(labels[i], labels[k]))
				return false;
	}
	return true;
}

static bool
gives(const char *text, size_t width, bool keep_end, const char *wanted)
{
	struct stk_text label = text_from(text);
	struct text_buffer room = { 0 };
	bool same;

	labels_cut(&label, 1, width, keep_end, &room);
	same = text_is(label, wanted);
	if (!same)
		printf("# %.*s\n", (int)label.size, label.data);
	array_release(&room);
	return same;
}

static void
check_single(void)
{
	struct text_buffer room = { 0 };

	labels_cut(NULL, 0, 8, false, &room);
	ok(room.count == 0, "no label is no work");
	ok(gives("", 8, false, "") && gives("abcdefgh", 8, false, "abcdefgh"),
	   "what fits stays, to the last character");
	ok(gives("abcdefghi", 8, false, "abcde..."), "the end gives way");
	ok(gives("abcdefghi", 8, true, "...efghi"), "or the beginning");
	ok(gives("com.acme.shop.web.Handler", 20, true, "...shop.web.Handler"), "which then begins with a whole word");
	ok(gives("\303\244\303\266\303\274\303\237\303\244\303\266\303\274\303\237", 8, false,
		 "\303\244\303\266\303\274\303\237\303\244\303\266\303\274\303\237"),
	   "characters count, not bytes");
	ok(gives("\303\244\303\266\303\274\303\237\303\244\303\266\303\274\303\237x", 8, true,
		 "...\303\244\303\266\303\274\303\237x"),
	   "... and none is cut in two");
	array_release(&room);
}

static void
check_pairs(void)
{
	static const char *const long_ones[] = {
		"com.acme.shop.pricing.Discount.evaluateRules",  "com.acme.shop.billing.Discount.evaluateRules",
		"com.acme.shop.pricing.Discount.evaluateTaxes",  "com.acme.shop.pricing.Discount.evaluateRules",
		"org.other.shop.pricing.Discount.evaluateRules", "short",
	};
	struct stk_text labels[6];
	struct text_buffer room = { 0 };
	bool well = true;

	for (size_t width = 8; width < 50; width++)
		for (int keep_end = 0; keep_end < 2; keep_end++) {
			for (size_t i = 0; i < 6; i++)
				labels[i] = text_from(long_ones[i]);
			room.count = 0;
			well &= are_cut(labels, 6, width, keep_end != 0, &room);
		}
	ok(well, "at every width those that differ still do, equal ones are equal, none is too long");
	labels[0] = text_from("com.acme.shop.pricing.Discount.evaluate");
	labels[1] = text_from("com.acme.shop.billing.Discount.evaluate");
	room.count = 0;
	labels_cut(labels, 2, 30, true, &room);
	ok(text_is(labels[0], "...pricing.Discount.evaluate") && text_is(labels[1], "...billing.Discount.evaluate"),
	   "what they have in common goes first: %.*s", (int)labels[0].size, labels[0].data);
	labels[0] = text_from("com.acme.shop.pricing.Discount.evaluate.everything.there.is");
	labels[1] = text_from("com.acme.shop.billing.Discount.evaluate.everything.there.is");
	room.count = 0;
	labels_cut(labels, 2, 30, true, &room);
	ok(text_is(labels[0], "...hop.pricing.Di...g.there.is") && text_is(labels[1], "...hop.billing.Di...g.there.is"),
	   "or the middle, when they differ far from the end: %.*s", (int)labels[0].size, labels[0].data);
	labels[0] = text_from("sleep < com.acme.shop.api.pricing.Discount.evaluate < everything.there.is");
	labels[1] = text_from("sleep < com.acme.shop.api.billing.Discount.evaluate < everything.there.is");
	room.count = 0;
	labels_cut(labels, 2, 28, false, &room);
	ok(text_is(labels[0], "sleep < c...api.pricing.D..."), "... or from the beginning: %.*s", (int)labels[0].size,
	   labels[0].data);
	array_release(&room);
}

/* Many at random from few letters, so that much is alike. */
static void
check_many(void)
{
	struct stk_text labels[MOST];
	static char texts[MOST][80];
	struct text_buffer room = { 0 };
	uint32_t seed = 1;
	bool well = true;

	for (unsigned round = 0; round < 60; round++) {
		for (size_t i = 0; i < MOST; i++) {
			size_t size = 1 + seed % 79;

			for (size_t k = 0; k < size; k++) {
				seed = seed * 1664525 + 1013904223;
				texts[i][k] = (seed >> 24) < 250 ? 'a' : (seed >> 8 & 1) != 0 ? 'b' : '.';
			}
			labels[i] = text_of(texts[i], size);
		}
		room.count = 0;
		well &= are_cut(labels, MOST, 12 + round, round % 2 == 0, &room);
	}
	ok(well, "so it is with hundreds of labels that are nearly the same");
	array_release(&room);
}

/* --- tables --- */

static const char *
printed(struct printer *to, struct table *table)
{
	to->text.count = 0;
	table_print(table, to);
	add_char(&to->text, '\0');
	return to->text.at;
}

static void
fill(struct table *table)
{
	table_column(table, TABLE_RIGHT, "count");
	table_column(table, TABLE_RIGHT | TABLE_SPARE, "low");
	table_column(table, TABLE_LEFT | TABLE_SPARE, "first seen");
	table_column(table, TABLE_CUT_FRONT, "function");
	table_column(table, TABLE_LEFT, "when");
	for (unsigned i = 1; i <= 2; i++) {
		table_format(table, "%u", i * 1000000);
		table_format(table, "-%u", i);
		table_cell(table, text_from("2026-11-20T23:53:55Z"));
		table_cell(table, text_from(i == 1 ? "com.acme.shop.pricing.Discount.evaluate"
						   : "com.acme.shop.billing.Discount.evaluate"));
		table_cell(table, text_from("2026-11-20"));
	}
}

static size_t
longest_line(const char *text)
{
	size_t most = 0;

	for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
		most = (size_t)(end - text) > most ? (size_t)(end - text) : most;
	return most;
}

static void
check_widths(void)
{
	struct printer to = { .screen = { .width = 200 } };
	struct table table = { 0 };
	bool fit = true, whole = true;

	fill(&table);
	is_text(printed(&to, &table),
		"    count  low  first seen            function                                 when\n"
		"  1000000   -1  2026-11-20T23:53:55Z  com.acme.shop.pricing.Discount.evaluate  2026-11-20\n"
		"  2000000   -2  2026-11-20T23:53:55Z  com.acme.shop.billing.Discount.evaluate  2026-11-20\n",
		"with room, all is there");
	for (size_t width = 50; width <= 95; width++) {
		const char *text;

		fill(&table);
		to.screen.width = width;
		text = printed(&to, &table);
		fit &= longest_line(text) <= width;
		whole &= strstr(text, "1000000") != NULL && strstr(text, " 2026-11-20\n") != NULL;
	}
	ok(fit, "every width that can be kept is kept");
	ok(whole, "... and no number and no date is cut");
	fill(&table);
	to.screen.width = 60;
	is_text(printed(&to, &table),
		"    count  low  function                      when\n"
		"  1000000   -1  ...pricing.Discount.evaluate  2026-11-20\n"
		"  2000000   -2  ...billing.Discount.evaluate  2026-11-20\n"
		"  not shown: first seen (--width 82)\n",
		"labels give way down to a few words, then columns that may be left out");
	array_release(&to.text);
	table_release(&table);
}

static void
check_leads(void)
{
	struct printer to = { .screen = { .width = 40 } };
	struct table table = { 0 };

	table_column(&table, TABLE_RIGHT, "n");
	table_column(&table, TABLE_CUT_FRONT, "function");
	for (unsigned i = 0; i < 3; i++) {
		table_format(&table, "%u", i);
		table_label(&table, text_of("            ", 4 * i),
			    text_from("com.acme.shop.pricing.discount.Discount.evaluate"));
	}
	is_text(printed(&to, &table),
		"  n  function\n"
		"  0  ...discount.Discount.evaluate\n"
		"  1      ...discount.Discount.evaluate\n"
		"  2          ...Discount.evaluate\n",
		"what a label begins with is not cut");
	array_release(&to.text);
	table_release(&table);
}

static void
check_smallest(void)
{
	struct printer to = { .screen = { .width = 80 } };
	struct table table = { 0 };

	is_text(printed(&to, &table), "", "a table without a column is nothing");
	table_column(&table, TABLE_CUT, "name");
	is_text(printed(&to, &table), "  name\n", "one without a row is its header");
	table_column(&table, TABLE_LEFT | TABLE_SPARE, "a column that is far too wide for what there is of room");
	to.screen.width = 40;
	is_text(printed(&to, &table),
		"\n  not shown: a column that is far too\n  wide for what there is of room\n  (--width 57)\n",
		"what may be left out is named, with the width that shows it");
	array_release(&to.text);
	table_release(&table);
}

static void
check_colours(void)
{
	struct printer to = { .screen = { .width = 80, .colours = true } };
	struct table table = { 0 };

	table_column(&table, TABLE_LEFT, "name");
	table.paint = PAINT_HOT;
	table_cell(&table, text_from("\033[31mevil"));
	is_text(printed(&to, &table), "  name\n  ?[31mevil\n",
		"the text has no colour in it, and nothing that steers a terminal");
	is_u64(to.painted.count, 2, "what has a colour is noted beside it: the header and the cell");
	ok(to.painted.at[1].paint == PAINT_HOT && to.painted.at[1].from == 9 && to.painted.at[1].to == 18,
	   "... exactly");
	to.screen.colours = false;
	to.painted.count = 0;
	table_column(&table, TABLE_LEFT, "name");
	(void)printed(&to, &table);
	is_u64(to.painted.count, 0, "without colours nothing is noted");
	printer_release(&to);
	table_release(&table);
}

static void
check_prose(void)
{
	struct printer to = { .screen = { .width = 12 } };

	printer_prose(&to, 0, text_from(""));
	printer_prose(&to, 2, text_from("a word, and averyveryverylongone then"));
	add_char(&to.text, '\0');
	is_text(to.text.at, "\n  a word,\n  and\n  averyveryverylongone\n  then\n", "sentences are wrapped between words");
	to.text.count = 0;
	to.screen.width = 13;
	printer_prose(&to, 2, text_from("a word, and"));
	printer_prose(&to, 2, text_from("a word, andx"));
	add_char(&to.text, '\0');
	is_text(to.text.at, "  a word, and\n  a word,\n  andx\n", "... exactly at the edge");
	printer_release(&to);
}

static void
check_screen(void)
{
	ok(screen_columns_said("80") == 80 && screen_columns_said("10000") == 10000, "COLUMNS is a number");
	ok(screen_columns_said(NULL) == 0 && screen_columns_said("") == 0 && screen_columns_said("x") == 0 &&
		   screen_columns_said("-5") == 0 && screen_columns_said("10001") == 0 &&
		   screen_columns_said("80x") == 0,
	   "or else nobody said anything");
	is_u64(screen_columns(-1), 0, "what is not a terminal has no columns");
}

int
main(void)
{
	check_single();
	check_pairs();
	check_many();
	check_widths();
	check_leads();
	check_smallest();
	check_colours();
	check_prose();
	check_screen();
	return tap_end();
}
