/* SPDX-License-Identifier: MIT
 * live_screen: every size has lines of that width and nothing that steers but its own; rows are in their order. */
#include "../lib/tap.h"

#include "base/array.h"
#include "base/terminal_text.h"
#include "plot/live_screen.h"

#define ROWS 50

static struct live_line lines[ROWS];
static struct live_row total;

static void
make_lines(void)
{
	static const char *const names[] = { "pool", "a\033[2Jb", "\302\233x", "\343\201\202\343\201\204", "\377\376", "",
					     "n\314\201",
					     "a long name that goes on and on and on and on and on and on and on and on" };

	for (size_t i = 0; i < ROWS; i++) {
		lines[i].name = text_from(names[i % 8]);
		lines[i].row.now = (double)(i * 7 % ROWS) * 30;
		lines[i].row.recent = (double)i;
		for (int c = 0; c < LIVE_CELLS; c++)
			lines[i].row.cells[c] = c % 3 == 0 ? -1 : (float)(c % 10);
	}
}

/* Columns of each line, which the text begins with ESC [ line ; 1 H; -1: a line is not of that width, or something
 * else steers. */
static long
lines_of_screen(const struct text_buffer *text, unsigned columns)
{
	const char *at = text->at, *end = text->at + text->count;
	long found = 0, used = (long)columns;

	while (at < end) {
		size_t size;

		if (*at == '\033') {
			const char *last = at + 2;

			while (last < end && ((*last >= '0' && *last <= '9') || *last == ';'))
				last++;
			if (at[1] != '[' || last == end || (*last != 'H' && *last != 'm'))
				return -1;
			if (*last == 'H') {
				if (used != (long)columns)
					return -1;
				used = 0;
				found++;
			}
			at = last + 1;
			continue;
		}
		size = printable_size(at, end);
		if (size == 0)
			return -1;
		at += size;
		used++;
	}
	return used == (long)columns ? found : -1;
}

static void
test_sizes(void)
{
	struct live_screen screen = { .by = "pool", .unit = "threads", .cell_ns = 1000000000, .chosen = 3,
				      .title = text_from("title \033]0;x\007"), .message = text_from("") };
	struct text_buffer text = { 0 };
	struct stk_text texts[ROWS];
	bool good = true;

	for (size_t i = 0; i < ROWS; i++)
		texts[i] = lines[i].name;
	for (screen.columns = LIVE_COLUMNS_LEAST; screen.columns < 300 && good; screen.columns++)
		for (screen.lines = LIVE_LINES_LEAST; screen.lines < 80 && good; screen.lines += 9) {
			screen.blocks = screen.columns % 2 == 0;
			screen.first = screen.columns % 20;
			text.count = 0;
			live_screen_add(&text, &screen, lines, screen.columns % 51, &total);
			good = lines_of_screen(&text, screen.columns) == (long)screen.lines;
			text.count = 0;
			live_screen_add_texts(&text, &screen, texts, ROWS);
			good &= lines_of_screen(&text, screen.columns) == (long)screen.lines;
		}
	ok(good, "all sizes: %u columns, %u lines", screen.columns, screen.lines);
	array_release(&text);
}

static void
test_order(void)
{
	bool good = true;

	live_lines_sort(lines, ROWS, LIVE_BY_NOW);
	for (size_t i = 1; i < ROWS; i++)
		good &= lines[i - 1].row.now >= lines[i].row.now;
	ok(good, "by now");
	live_lines_sort(lines, ROWS, LIVE_BY_RECENT);
	ok(lines[0].row.recent > 48.5 && lines[ROWS - 1].row.recent < 0.5, "by the time between");
	live_lines_sort(lines, ROWS, LIVE_BY_NAME);
	ok(lines[0].name.size == 0 && lines[ROWS - 1].name.data[0] == '\377', "by name, as bytes");
	live_lines_sort(lines, 0, LIVE_BY_NOW);
	live_lines_sort(NULL, 0, LIVE_BY_NAME);
}

int
main(void)
{
	make_lines();
	test_sizes();
	test_order();
	return tap_end();
}
