/* SPDX-License-Identifier: MIT
 * draw_top: stkplot top: its keys. */
#include "stkplot.h"

#include "top_terminal.h"
#include "top_view.h"

#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REFRESH_MS 1000
#define KEYS_TEXT \
	"up down pgup pgdn home end: choose\nenter, right: stacks of the row; frames of the stack\nescape, left: back\n" \
	"s: sort by now, recent, whole, name\nb: rows by pool, source, thread, function, group, class\n/: filter by a part of the name\n" \
	"r: stacks of threads that run, or that do not\nspace: freeze, and go on\nw: write the last minutes to a stream\nq: quit\n"

static void
say(struct top *top, const char *format, const char *text)
{
	snprintf(top->message, sizeof top->message, format, text);
}

static void
save(struct top *top)
{
	struct recent_rows rows = { 0 };
	struct stk_error err = { 0 };
	time_t now = time(NULL);
	struct tm parts;
	char path[64];
	int result;

	if (localtime_r(&now, &parts) == NULL || strftime(path, sizeof path, "top-%Y%m%d-%H%M%S.stk", &parts) == 0)
		return;
	top_feed_lock(top->feed);
	result = top_feed_save(top->feed, path, &rows, &err);
	top_feed_unlock(top->feed);
	if (result < 0) {
		say(top, "not saved: %s", err.text);
		return;
	}
	snprintf(top->message, sizeof top->message, "%s: the last %.0f s, %llu dumps, %llu samples", path,
		 rows.from_ns == STK_TIME_UNKNOWN ? 0 : (double)(rows.to_ns - rows.from_ns) / 1e9,
		 (unsigned long long)rows.dumps, (unsigned long long)rows.samples);
}

static void
change_rows(struct top *top)
{
	struct stk_error err = { 0 };
	int result;

	if (top->frozen) {
		say(top, "%s", "frozen: space goes on");
		return;
	}
	top_feed_lock(top->feed);
	top->by = top->own_by != NULL ? 0 : (top->by + 1) % TOP_BY_WORDS;
	while (!top_feed_has(top->feed, top_by_words[top->by]))
		top->by = (top->by + 1) % TOP_BY_WORDS;
	top->own_by = NULL;
	result = top_feed_by(top->feed, top_by_words[top->by], &err);
	top_feed_unlock(top->feed);
	if (result < 0)
		say(top, "%s", err.text);
	top->chosen[TOP_TABLE] = top->first[TOP_TABLE] = 0;
	top->lines.count = 0;
	top_refresh(top);
}

static void
enter(struct top *top)
{
	if (top->view == TOP_TABLE && top->chosen[TOP_TABLE] < top->lines.count) {
		const struct live_line *line = &top->lines.at[top->chosen[TOP_TABLE]];

		top->key = line->row.key;
		snprintf(top->key_name, sizeof top->key_name, "%.*s",
			 line->name.size < 100 ? (int)line->name.size : 100, line->name.data);
		top->waiting = line->row.whole <= 0;
		top->view = TOP_STACKS;
		top->chosen[TOP_STACKS] = top->first[TOP_STACKS] = 0;
		top_fill_stacks(top);
	} else if (top->view == TOP_STACKS && top->chosen[TOP_STACKS] < top->stacks.count) {
		if (!top_fill_frames(top)) {
			say(top, "%s", "another stream began: these stacks are gone");
			return;
		}
		top->view = TOP_FRAMES;
		top->chosen[TOP_FRAMES] = top->first[TOP_FRAMES] = 0;
	}
}

static void
go_back(struct top *top)
{
	if (top->view == TOP_KEYS)
		top->view = top->before_keys;
	else if (top->view != TOP_TABLE)
		top->view--;
	else
		top->filter[0] = '\0';
	if (top->view == TOP_STACKS)
		top_fill_stacks(top);
	if (top->view == TOP_FRAMES && !top_fill_frames(top))
		top->view = TOP_TABLE;
	top_choose_lines(top);
}

static void
list_keys(struct top *top)
{
	if (top->view != TOP_KEYS)
		top->before_keys = top->view;
	top->view = TOP_KEYS;
	top->texts.count = 0;
	add_string(&top->texts, KEYS_TEXT);
	top_cut_texts(top);
}

static void
move(struct top *top, long by)
{
	size_t count = top_shown_count(top), *chosen;

	if (top->view == TOP_KEYS || count == 0)
		return;
	chosen = &top->chosen[top->view];
	if (by < 0)
		*chosen = *chosen > (size_t)-by ? *chosen - (size_t)-by : 0;
	else
		*chosen = count - 1 - *chosen > (size_t)by ? *chosen + (size_t)by : count - 1;
}

static void
type(struct top *top, int key)
{
	size_t size = strlen(top->typed);

	if (key == '\n' || key == TOP_KEY_ESCAPE) {
		top->typing = false;
		if (key == '\n')
			memcpy(top->filter, top->typed, sizeof top->filter);
		top_choose_lines(top);
	} else if (key == TOP_KEY_BACKSPACE && size > 0) {
		top->typed[size - 1] = '\0';
	} else if (key >= ' ' && key < 256 && key != TOP_KEY_BACKSPACE && size < TOP_TYPED_MOST) {
		top->typed[size] = (char)key;
		top->typed[size + 1] = '\0';
	}
}

static void
begin_typing(struct top *top)
{
	if (top->view != TOP_TABLE)
		return;
	top->typing = true;
	top->typed[0] = '\0';
}

static void
turn_waiting(struct top *top)
{
	if (top->view != TOP_STACKS)
		return;
	top->waiting = !top->waiting;
	top->chosen[TOP_STACKS] = top->first[TOP_STACKS] = 0;
	top_fill_stacks(top);
}

static void
turn_frozen(struct top *top)
{
	top->frozen = !top->frozen;
	top_refresh(top);
}

static void
sort_next(struct top *top)
{
	static const char *const words[LIVE_ORDERS] = { "now", "the time between", "the whole time", "name" };

	top->order = (top->order + 1) % LIVE_ORDERS;
	say(top, "sorted by %s", words[top->order]);
	top_choose_lines(top);
}

/* False: quit. */
static bool
take_key(struct top *top, int key)
{
	unsigned columns, lines;
	long page;

	if (key == TOP_KEY_NONE || key == TOP_KEY_RESIZE)
		return true;
	if (key == TOP_KEY_GONE)
		return false;
	if (top->typing) {
		type(top, key);
		return true;
	}
	top_terminal_size(&columns, &lines);
	page = lines > 5 ? (long)lines - 5 : 1;
	top->message[0] = '\0';
	switch (key) {
	case 'q':	       return false;
	case TOP_KEY_UP: case 'k':   move(top, -1); break;
	case TOP_KEY_DOWN: case 'j': move(top, 1); break;
	case TOP_KEY_PAGE_UP:  move(top, -page); break;
	case TOP_KEY_PAGE_DOWN: move(top, page); break;
	case TOP_KEY_HOME:     move(top, -(LIVE_KEYS_MOST + 1L) * 1000); break;
	case TOP_KEY_END:      move(top, (LIVE_KEYS_MOST + 1L) * 1000); break;
	case TOP_KEY_RIGHT: case '\n': enter(top); break;
	case TOP_KEY_LEFT: case TOP_KEY_ESCAPE: case TOP_KEY_BACKSPACE: go_back(top); break;
	case 's':	       sort_next(top); break;
	case 'b':	       if (top->view == TOP_TABLE) change_rows(top); break;
	case '/':	       begin_typing(top); break;
	case 'r':	       turn_waiting(top); break;
	case ' ':	       turn_frozen(top); break;
	case 'w':	       save(top); break;
	case '?': case 'h':    list_keys(top); break;
	default:	       say(top, "%s", "? shows the keys"); break;
	}
	return true;
}

/* --- the command --- */

static void
run_top(struct top *top)
{
	int key = TOP_KEY_NONE;

	do {
		if (key == TOP_KEY_NONE)
			top_refresh(top);
		top_show(top);
		key = top_terminal_key(REFRESH_MS);
	} while (take_key(top, key));
}

static void
take_by(struct top *top, const char *by)
{
	for (unsigned i = 0; i < TOP_BY_WORDS; i++)
		if (by == NULL || strcmp(top_by_words[i], by) == 0) {
			top->by = i;
			return;
		}
	top->own_by = by;
}

int
draw_top(const struct plot_settings *settings, char **operands, int count)
{
	struct top top = { .settings = settings };
	struct stk_error err = { 0 };

	take_by(&top, settings->by);
	if (top_feed_open(&top.feed, settings, operands, count, &err) < 0 || top_terminal_open(&err) < 0) {
		top_feed_close(top.feed);
		return program_finish(&err, NULL);
	}
	if (top_feed_start(top.feed, &err) == 0)
		run_top(&top);
	top_terminal_close();
	top_release(&top);
	/* the thread may still read: the end of the program ends it */
	if (top.state.ended)
		top_feed_close(top.feed);
	return program_finish(&err, NULL);
}
