/* SPDX-License-Identifier: MIT
 * label_cut: cuts each text by itself, then looks which became equal: those are cut again around where they differ. A
 * group that is cut so falls into parts, in which texts have more in common, until none is left or ROUNDS are over;
 * what is still equal then gets a number. */
#include "report/label_cut.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOTS   3
#define ROUNDS 8
#define BEFORE 4	/* characters shown before the first that differs */
#define SNAP   8	/* so many characters are given up to begin at a whole word */
#define ROOMY  18	/* columns from which there is room for two parts */

struct cut {
	struct stk_text text;
	size_t from, size;	/* of what is shown, in the room */
	const char *shown;	/* the same, while the room is not moved */
	bool whole;
};

struct cutting {
	struct cut *cuts;
	size_t count, width;
	bool keep_end;
	struct text_buffer *room;
	size_t numbered;
};

static bool
is_start(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* Bytes of the first `count` characters. */
static size_t
bytes_of(struct stk_text text, size_t count)
{
	size_t at = 0;

	while (at < text.size && (!is_start(text.data[at]) || count-- > 0))
		at++;
	return at;
}

static void
add_part(struct text_buffer *to, struct stk_text text, size_t from, size_t end)
{
	size_t at = bytes_of(text, from);

	add_bytes(to, text.data + at, bytes_of(text, end) - at);
}

/* Where a word begins at or shortly after a character, or that character. */
static size_t
word_from(struct stk_text text, size_t from)
{
	size_t at = bytes_of(text, from);

	for (size_t i = at; i < at + SNAP && i < text.size; i++)
		if (strchr(".;/ :<", text.data[i]) != NULL)
			return from + text_characters(text_of(text.data + at, i + 1 - at));
	return from;
}

static void
begin_shown(const struct cutting *c, struct cut *cut)
{
	cut->from = c->room->count;
}

static void
end_shown(const struct cutting *c, struct cut *cut)
{
	cut->size = c->room->count - cut->from;
}

/* Without a look at the others. */
static void
cut_plainly(const struct cutting *c, struct cut *cut)
{
	size_t characters = text_characters(cut->text);

	begin_shown(c, cut);
	cut->whole = characters <= c->width;
	if (cut->whole) {
		add_text(c->room, cut->text);
	} else if (c->keep_end) {
		add_string(c->room, "...");
		add_part(c->room, cut->text, word_from(cut->text, characters - (c->width - DOTS)), characters);
	} else {
		add_part(c->room, cut->text, 0, c->width - DOTS);
		add_string(c->room, "...");
	}
	end_shown(c, cut);
}

/* From character `from` on, as many as fit into `room` columns; when that is not to the end, dots after them. */
static void
add_middle(const struct cutting *c, struct stk_text text, size_t from, size_t room)
{
	size_t characters = text_characters(text);

	if (characters - from <= room) {
		add_part(c->room, text, characters - room, characters);
	} else {
		add_part(c->room, text, from, from + room - DOTS);
		add_string(c->room, "...");
	}
}

/* A part of the beginning, dots, and what follows from shortly before where texts begin to differ. */
static void
cut_after_head(const struct cutting *c, struct stk_text text, size_t common)
{
	size_t from = common > BEFORE ? common - BEFORE : 0;
	size_t head = c->width >= ROOMY ? c->width / 3 : 0;

	if (from <= head + DOTS) {
		add_middle(c, text, 0, c->width);
		return;
	}
	add_part(c->room, text, 0, head);
	add_string(c->room, "...");
	add_middle(c, text, from, c->width - head - DOTS);
}

/* What follows from shortly before where texts begin to differ, dots, and a part of the end. */
static void
cut_before_tail(const struct cutting *c, struct stk_text text, size_t common)
{
	size_t characters = text_characters(text), from = common > BEFORE + DOTS ? common - BEFORE : 0;
	size_t tail = c->width >= ROOMY ? c->width / 3 : 0, lead = from > 0 ? DOTS : 0;

	add_string(c->room, from > 0 ? "..." : "");
	if (characters - from + lead <= c->width || tail == 0) {
		add_middle(c, text, from, c->width - lead);
		return;
	}
	add_part(c->room, text, from, from + c->width - lead - DOTS - tail);
	add_string(c->room, "...");
	add_part(c->room, text, characters - tail, characters);
}

/* Characters with which both texts begin, at most `most`. */
static size_t
common_characters(struct stk_text a, struct stk_text b, size_t most)
{
	size_t size = a.size < b.size ? a.size : b.size, at = 0;

	while (at < size && a.data[at] == b.data[at])
		at++;
	while (at > 0 && at < a.size && !is_start(a.data[at]))
		at--;
	size = text_characters(text_of(a.data, at));
	return size < most ? size : most;
}

static void
cut_around(const struct cutting *c, struct cut *cut, size_t common)
{
	begin_shown(c, cut);
	if (c->keep_end)
		cut_before_tail(c, cut->text, common);
	else
		cut_after_head(c, cut->text, common);
	end_shown(c, cut);
}

static int
compare_texts(const void *a, const void *b)
{
	return text_compare(((const struct cut *)a)->text, ((const struct cut *)b)->text);
}

static int
compare_shown(const void *a, const void *b)
{
	const struct cut *x = a, *y = b;
	int order = text_compare(text_of(x->shown, x->size), text_of(y->shown, y->size));

	return order != 0 ? order : text_compare(x->text, y->text);
}

static void
sort_by_shown(struct cutting *c)
{
	for (size_t i = 0; i < c->count; i++)
		c->cuts[i].shown = c->room->at + c->cuts[i].from;
	qsort(c->cuts, c->count, sizeof *c->cuts, compare_shown);
}

/* How many from i on show the same. Only while the room is as it was when they were sorted. */
static size_t
alike_from(const struct cutting *c, size_t i)
{
	size_t end = i + 1;

	while (end < c->count && text_equal(text_of(c->cuts[i].shown, c->cuts[i].size),
					    text_of(c->cuts[end].shown, c->cuts[end].size)))
		end++;
	return end - i;
}

/* Notes for each cut how many of its kind there are from it on, because the room moves while they are cut again. */
static bool
list_alike(const struct cutting *c, size_t *alike)
{
	bool any = false;

	for (size_t i = 0; i < c->count; i += alike[i]) {
		alike[i] = alike_from(c, i);
		any |= alike[i] > 1;
	}
	return any;
}

static void
cut_again(const struct cutting *c, struct cut *group, size_t count)
{
	/* they are in the order of their texts: what the first and the last share, all do */
	size_t common = common_characters(group[0].text, group[count - 1].text, SIZE_MAX);

	for (size_t i = 0; i < count; i++)
		if (!group[i].whole)
			cut_around(c, &group[i], common);
}

/* The last resort: each of a kind but the first ends in a number that no other has. */
static void
number_them(struct cutting *c, struct cut *group, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		char mark[24];
		size_t size = (size_t)snprintf(mark, sizeof mark, "~%zu", ++c->numbered);

		begin_shown(c, &group[i]);
		add_part(c->room, group[i].text, 0, c->width > size ? c->width - size : 0);
		add_string(c->room, mark);
		end_shown(c, &group[i]);
	}
}

static void
make_different(struct cutting *c)
{
	size_t *alike = mem_new(c->count + 1, sizeof *alike);
	bool any = true;

	for (unsigned round = 0; any && round <= ROUNDS; round++) {
		sort_by_shown(c);
		any = list_alike(c, alike);
		for (size_t i = 0; any && i < c->count; i += alike[i])
			if (alike[i] > 1 && round < ROUNDS)
				cut_again(c, &c->cuts[i], alike[i]);
			else if (alike[i] > 1)
				number_them(c, &c->cuts[i], alike[i]);
	}
	free(alike);
}

/* Each distinct text once, in order. */
static size_t
list_distinct(struct cut *cuts, const struct stk_text *labels, size_t count)
{
	size_t distinct = 0;

	for (size_t i = 0; i < count; i++)
		cuts[i] = (struct cut){ .text = labels[i] };
	qsort(cuts, count, sizeof *cuts, compare_texts);
	for (size_t i = 0; i < count; i++)
		if (distinct == 0 || !text_equal(cuts[distinct - 1].text, cuts[i].text))
			cuts[distinct++] = cuts[i];
	return distinct;
}

void
labels_cut(struct stk_text *labels, size_t count, size_t width, bool keep_end, struct text_buffer *room)
{
	struct cutting c = { .cuts = mem_new(count + 1, sizeof *c.cuts), .width = width, .keep_end = keep_end,
			     .room = room };

	c.count = list_distinct(c.cuts, labels, count);
	for (size_t i = 0; i < c.count; i++)
		cut_plainly(&c, &c.cuts[i]);
	make_different(&c);
	qsort(c.cuts, c.count, sizeof *c.cuts, compare_texts);
	for (size_t i = 0; i < count; i++) {
		struct cut wanted = { .text = labels[i] };
		const struct cut *found = bsearch(&wanted, c.cuts, c.count, sizeof *c.cuts, compare_texts);

		labels[i] = text_of(room->at == NULL ? "" : room->at + found->from, found->size);
	}
	free(c.cuts);
}
