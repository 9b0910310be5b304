/* SPDX-License-Identifier: MIT
 * top_view: copies are made with the feed's lock, and shown without it. */
#include "top_view.h"
#include "top_terminal.h"

#include "program/printing.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define SILENT_LEAST 5.0	/* seconds without anything new that are worth a word */

const char *const top_by_words[TOP_BY_WORDS] = { "pool", "source", "thread", "function", "group", "class" };

const char *
top_by_text(const struct top *top)
{
	return top->own_by != NULL ? top->own_by : top_by_words[top->by];
}

static bool
name_passes(const struct top *top, struct stk_text name)
{
	size_t size = strlen(top->filter);

	for (size_t i = 0; i + size <= name.size; i++)
		if (strncasecmp(name.data + i, top->filter, size) == 0)
			return true;
	return size == 0;
}

/* The chosen row stays that of its name. */
void
top_choose_lines(struct top *top)
{
	size_t *chosen = &top->chosen[TOP_TABLE];
	uint32_t key = *chosen < top->lines.count && *chosen > 0 ? top->lines.at[*chosen].row.key : 0;

	top->lines.count = 0;
	for (size_t i = 0; i < top->all.count; i++)
		if (name_passes(top, top->all.at[i].name))
			*array_push(&top->lines) = top->all.at[i];
	live_lines_sort(top->lines.at, top->lines.count, top->order);
	for (size_t i = 0; i < top->lines.count && key != 0; i++)
		if (top->lines.at[i].row.key == key)
			*chosen = i;
}

static void
copy_rows(struct top *top)
{
	size_t count;
	const struct live_row *rows = top_feed_rows(top->feed, top->state.now_ns, &count, &top->total);

	top->all.count = top->names.count = 0;
	for (size_t i = 0; i < count; i++) {
		struct stk_text name = top_feed_name(top->feed, rows[i].key);

		*array_push(&top->all) = (struct live_line){ { NULL, name.size }, rows[i] };
		add_text(&top->names, name);
	}
	for (size_t i = 0, at = 0; i < count; i++) {
		top->all.at[i].name.data = top->names.at + at;
		at += top->all.at[i].name.size;
	}
}

void
top_refresh(struct top *top)
{
	if (top->frozen)
		return;
	top_feed_lock(top->feed);
	top_feed_state(top->feed, &top->state);
	if (top->state.now_ns != STK_TIME_UNKNOWN)
		copy_rows(top);
	top_feed_unlock(top->feed);
	top_choose_lines(top);
}

void
top_cut_texts(struct top *top)
{
	size_t from = 0;

	top->text_lines.count = 0;
	for (size_t i = 0; i < top->texts.count; i++)
		if (top->texts.at[i] == '\n') {
			*array_push(&top->text_lines) = text_of(top->texts.at + from, i - from);
			from = i + 1;
		}
}

void
top_fill_stacks(struct top *top)
{
	top_feed_lock(top->feed);
	top->stack_stream = top_feed_streams(top->feed);
	top->stack_samples = top_feed_stacks(top->feed, top->key, top->state.now_ns, !top->waiting, &top->stacks);
	top->texts.count = 0;
	for (size_t i = 0; i < top->stacks.count; i++) {
		add_format(&top->texts, "%5.1f %% %7llu  ",
			   100 * (double)top->stacks.at[i].count / (double)top->stack_samples,
			   (unsigned long long)top->stacks.at[i].count);
		top_feed_add_stack(top->feed, top->stacks.at[i].stack, false, &top->texts);
		add_char(&top->texts, '\n');
	}
	top_feed_unlock(top->feed);
	top_cut_texts(top);
}

/* False: another stream began, whose stacks have other numbers. */
bool
top_fill_frames(struct top *top)
{
	bool same;

	top_feed_lock(top->feed);
	same = top->stack_stream == top_feed_streams(top->feed);
	if (same) {
		top->texts.count = 0;
		top_feed_add_stack(top->feed, top->stacks.at[top->chosen[TOP_STACKS]].stack, true, &top->texts);
	}
	top_feed_unlock(top->feed);
	top_cut_texts(top);
	return same;
}

/* --- the screen --- */

size_t
top_shown_count(const struct top *top)
{
	return top->view == TOP_TABLE ? top->lines.count : top->text_lines.count;
}

static void
add_clock(struct text_buffer *to, const struct top *top)
{
	char when[TIME_TEXT_MAX];

	if (top->state.now_ns == STK_TIME_UNKNOWN)
		return;
	add_string(to, "  ");
	add_string(to, time_print(when, top->state.now_ns / 1000000000 * 1000000000, top->settings->choice.zone));
}

static void
add_title(struct text_buffer *to, const struct top *top)
{
	add_string(to, "stkplot top");
	add_clock(to, top);
	if (top->view == TOP_TABLE)
		add_format(to, "  %zu of %zu by %s", top->lines.count, top->all.count, top_by_text(top));
	else if (top->view != TOP_KEYS)
		add_format(to, "  %s: %llu samples of threads that %s", top->key_name,
			   (unsigned long long)top->stack_samples, top->waiting ? "do not run" : "run");
	if (top->filter[0] != '\0')
		add_format(to, "  filter: %s", top->filter);
	if (top->frozen)
		add_string(to, "  FROZEN");
	if (top->state.ended)
		add_string(to, top->state.trouble != NULL ? "  input failed: " : "  end of input");
	if (top->state.trouble != NULL)
		add_string(to, top->state.trouble);
	else if (top->state.silent_seconds >= SILENT_LEAST)
		add_format(to, "  nothing new for %.0f s", top->state.silent_seconds);
	if (top->state.left_out > 0)
		add_format(to, "  %llu samples of further rows left out", (unsigned long long)top->state.left_out);
}

static const char *
message_of(struct top *top)
{
	static char text[TOP_TYPED_MOST + 40];

	if (top->typing) {
		snprintf(text, sizeof text, "filter: %s_", top->typed);
		return text;
	}
	if (top->message[0] != '\0')
		return top->message;
	return top->state.now_ns == STK_TIME_UNKNOWN && !top->state.ended ? "waiting for samples (q quits)" : "";
}

/* The chosen line is on the screen. */
static void
scroll(struct top *top, unsigned rows)
{
	size_t count = top_shown_count(top), *chosen = &top->chosen[top->view], *first = &top->first[top->view];

	if (*chosen >= count)
		*chosen = count > 0 ? count - 1 : 0;
	if (*chosen < *first)
		*first = *chosen;
	if (rows > 0 && *chosen >= *first + rows)
		*first = *chosen - rows + 1;
	if (*first > 0 && *first + rows > count)
		*first = count > rows ? count - rows : 0;
}

void
top_show(struct top *top)
{
	struct live_screen screen = { .order = top->order, .by = top_by_text(top), .unit = top->state.unit };
	struct text_buffer title = { 0 };

	top_terminal_size(&screen.columns, &screen.lines);
	top->screen.count = 0;
	if (screen.columns < LIVE_COLUMNS_LEAST || screen.lines < LIVE_LINES_LEAST) {
		add_string(&top->screen, "\033[H\033[2Jtoo small");
		top_terminal_show(&top->screen);
		return;
	}
	screen.blocks = printing_shows_blocks();
	screen.cell_ns = top->settings->cell_ns > 0 ? top->settings->cell_ns : 1000000000;
	add_title(&title, top);
	screen.title = text_in(&title, 0);
	screen.message = text_from(message_of(top));
	if (top->view != TOP_KEYS)
		scroll(top, live_screen_rows(&screen) + (top->view == TOP_TABLE ? 0 : 2));
	screen.chosen = top->view == TOP_KEYS ? SIZE_MAX : top->chosen[top->view];
	screen.first = top->view == TOP_KEYS ? 0 : top->first[top->view];
	if (top->view == TOP_TABLE)
		live_screen_add(&top->screen, &screen, top->lines.at, top->lines.count, &top->total);
	else
		live_screen_add_texts(&top->screen, &screen, top->text_lines.at, top->text_lines.count);
	top_terminal_show(&top->screen);
	array_release(&title);
}

void
top_release(struct top *top)
{
	array_release(&top->lines);
	array_release(&top->all);
	array_release(&top->names);
	free(top->stacks.at);
	array_release(&top->texts);
	array_release(&top->text_lines);
	array_release(&top->screen);
}
