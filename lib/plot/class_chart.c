/* SPDX-License-Identifier: MIT
 * class_chart: segments that were split are replaced by their halves when all is read, so that the tree is that of
 * stkclass --tree at the end of the stream. */
#include "plot/class_chart.h"

#include "base/hash_map.h"
#include "base/id_table.h"
#include "base/text_table.h"
#include "base/time_math.h"
#include "choose/naming.h"
#include "report/short_name.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPLITS_DEEP  10000u	/* a segment of a segment: damage cannot make it endless */
#define MARKS_MOST   50u
#define STEP_NS      INT64_C(1000000000)

struct piece {			/* a segment */
	uint64_t first, second;
	struct stk_text frames;		/* names, root first, with ';' between */
	unsigned count;
	int64_t since_ns;		/* of a half: when it was made; STK_TIME_UNKNOWN */
};
struct kind_of_stack {		/* a class */
	struct stk_text name, part;
	ARRAY(uint64_t) signature;	/* segments, with the stream's number above 2^40 */
	uint64_t total, now;
	int64_t since_ns;
};
struct seen { uint32_t class, moment; uint64_t count; };
struct parting { int64_t time_ns; uint64_t segment, first, second, stream; };

struct class_chart {
	const struct model *model;
	struct naming *naming;
	struct text_table texts, keys;
	struct id_table pieces;			/* struct piece, by segment */
	struct id_table of_id, parts;		/* of the present stream: uint32_t, 1 + class; struct stk_text */
	ARRAY(struct kind_of_stack) classes;
	ARRAY(struct seen) seen;
	ARRAY(int64_t) moments;			/* of each dump, in the order of the stream */
	uint64_t dump;				/* the latest */
	ARRAY(struct parting) partings;
	uint64_t stream;			/* number of the present one */
	ARRAY(int64_t) begins;			/* of each stream: its first dump */
};

void
class_chart_open(struct class_chart **out, const struct model *model)
{
	struct class_chart *c = *out = mem_new(1, sizeof *c);

	c->model = model;
	c->pieces.size = sizeof(struct piece);
	c->of_id.size = sizeof(uint32_t);
	c->parts.size = sizeof(struct stk_text);
	naming_open(&c->naming, model, &(struct naming_options){ .fold = true });
}

void
class_chart_close(struct class_chart *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->classes.count; i++)
		array_release(&c->classes.at[i].signature);
	array_release(&c->classes);
	array_release(&c->seen);
	array_release(&c->moments);
	array_release(&c->partings);
	array_release(&c->begins);
	id_table_clear(&c->pieces);
	id_table_clear(&c->of_id);
	id_table_clear(&c->parts);
	text_table_release(&c->texts);
	text_table_release(&c->keys);
	naming_close(c->naming);
	free(c);
}

void
class_chart_turn(struct class_chart *c)
{
	id_table_clear(&c->of_id);
	id_table_clear(&c->parts);
	naming_forget(c->naming);
	c->dump = UINT64_MAX;
	c->stream++;
	while (c->begins.count <= c->stream)
		*array_push(&c->begins) = INT64_MAX;
}

/* --- rows --- */

static struct stk_text
kept_name(struct class_chart *c, struct stk_text text)
{
	return text_table_text(&c->texts, text_table_number(&c->texts, text));
}

static uint64_t
piece_id(const struct class_chart *c, uint64_t segment)
{
	return c->stream << 40 | (segment & ((UINT64_C(1) << 40) - 1));
}

/* The frames nearest the leaf of a stack. */
static struct stk_text
frames_of(struct class_chart *c, uint64_t stack, uint64_t count)
{
	struct text_buffer text = { 0 };
	ARRAY(uint64_t) frames = { 0 };
	struct stk_text kept;

	for (; stack != 0 && frames.count < count && model_knows(c->model, STK_STACK, stack); ) {
		struct stk_stack at = model_stack(c->model, stack);

		*array_push(&frames) = at.frame;
		stack = at.parent < stack ? at.parent : 0;
	}
	while (frames.count > 0) {
		add_string(&text, text.count > 0 ? ";" : "");
		add_text(&text, naming_frame(c->naming, frames.at[--frames.count], true));
	}
	kept = kept_name(c, text_in(&text, 0));
	array_release(&text);
	array_release(&frames);
	return kept;
}

static void
take_segment_row(struct class_chart *c, const struct stk_segment *row)
{
	struct piece *piece = id_table_at(&c->pieces, piece_id(c, row->id));

	if (piece->frames.data == NULL)
		piece->since_ns = STK_TIME_UNKNOWN;
	piece->first = row->first == 0 ? piece->first : piece_id(c, row->first);
	piece->second = row->second == 0 ? piece->second : piece_id(c, row->second);
	piece->frames = frames_of(c, row->stack, row->frames);
	piece->count = (unsigned)row->frames;
}

/* Halves of a half have rows of their own. */
static void
take_split_row(struct class_chart *c, const struct stk_split *row)
{
	uint64_t first = piece_id(c, row->first), second = piece_id(c, row->second);
	struct piece *whole = id_table_at(&c->pieces, piece_id(c, row->segment));

	whole->first = first;
	whole->second = second;
	((struct piece *)id_table_at(&c->pieces, first))->since_ns = row->time;
	((struct piece *)id_table_at(&c->pieces, second))->since_ns = row->time;
	*array_push(&c->partings) = (struct parting){ row->time, piece_id(c, row->segment), first, second,
		c->stream };
}

static void
take_class_row(struct class_chart *c, const struct stk_class *row)
{
	const struct stk_text *part = id_table_find(&c->parts, row->part);
	struct text_buffer key = { 0 };
	const char *at = row->signature.data, *end = at + row->signature.size;
	struct kind_of_stack *class;
	uint32_t number;

	(void)text_joined(&key, row->name, part != NULL ? *part : text_of("", 0));
	number = text_table_number(&c->keys, text_in(&key, 0));
	array_release(&key);
	if (number > c->classes.count)
		*array_push(&c->classes) = (struct kind_of_stack){ .name = kept_name(c, row->name),
			.since_ns = row->since, .part = part != NULL ? *part : text_of("", 0) };
	class = &c->classes.at[number - 1];
	class->signature.count = 0;
	while (at < end) {
		uint64_t id = 0;

		for (; at < end && *at >= '0' && *at <= '9' && id < UINT64_C(1) << 39; at++)
			id = 10 * id + (uint64_t)(*at - '0');
		if (id > 0)
			*array_push(&class->signature) = piece_id(c, id);
		at++;
	}
	*(uint32_t *)id_table_at(&c->of_id, row->id) = number;
}

/* Rows of one dump follow one another. */
static void
take_intensity_row(struct class_chart *c, const struct stk_intensity *row)
{
	const uint32_t *number = id_table_find(&c->of_id, row->id);

	if (row->time == STK_TIME_UNKNOWN)
		return;
	if (c->moments.count == 0 || c->dump != row->dump || c->moments.at[c->moments.count - 1] != row->time) {
		*array_push(&c->moments) = row->time;
		c->dump = row->dump;
		if (c->stream < c->begins.count && row->time < c->begins.at[c->stream])
			c->begins.at[c->stream] = row->time;
		for (size_t i = 0; i < c->classes.count; i++)
			c->classes.at[i].now = 0;
	}
	if (row->series != STK_SERIES_CLASS || number == NULL || *number == 0)
		return;
	*array_push(&c->seen) = (struct seen){ *number - 1, (uint32_t)c->moments.count - 1, row->count };
	c->classes.at[*number - 1].total += row->count;
	c->classes.at[*number - 1].now += row->count;
}

int
class_chart_take(struct class_chart *c, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	unsigned kind = (unsigned)block->kind;
	union {
		struct stk_segment segment;
		struct stk_split split;
		struct stk_class class;
		struct stk_intensity intensity;
		struct stk_part part;
	} row;

	if (kind != STK_SEGMENT && kind != STK_SPLIT && kind != STK_CLASS && kind != STK_INTENSITY && kind != STK_PART)
		return 0;
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		stk_reader_row(reader, i, &row);
		if (kind == STK_SEGMENT)
			take_segment_row(c, &row.segment);
		else if (kind == STK_SPLIT)
			take_split_row(c, &row.split);
		else if (kind == STK_CLASS)
			take_class_row(c, &row.class);
		else if (kind == STK_INTENSITY)
			take_intensity_row(c, &row.intensity);
		else
			*(struct stk_text *)id_table_at(&c->parts, row.part.id) = kept_name(c, row.part.text);
	}
	return 0;
}

size_t
class_chart_count(const struct class_chart *c)
{
	return c->classes.count;
}

/* --- the tree --- */

struct way { uint32_t parent, child, sibling; uint64_t piece, total, own, now; struct stk_text part; bool ends; };

struct ways {
	const struct class_chart *of;
	ARRAY(struct way) list;		/* 0: the root */
	ARRAY(uint32_t) of_class;	/* where each ends */
	struct hash_map map;
};

static const struct piece *
piece_of(const struct class_chart *c, uint64_t id)
{
	return id_table_find(&c->pieces, id);
}

static uint32_t
way_below(struct ways *w, uint32_t parent, uint64_t piece, struct stk_text part)
{
	uint64_t hash = hash_pair(hash_pair(parent, piece), piece == 0 ? (uintptr_t)part.data : 0);
	uint32_t at = hash_map_start(&w->map, hash), id;

	while ((id = hash_map_next(&w->map, hash, &at)) != 0)
		if (w->list.at[id].parent == parent && w->list.at[id].piece == piece &&
		    (piece != 0 || text_compare(w->list.at[id].part, part) == 0))
			return id;
	id = (uint32_t)w->list.count;
	*array_push(&w->list) = (struct way){ .parent = parent, .piece = piece, .part = part,
		.sibling = w->list.at[parent].child };
	w->list.at[parent].child = id;
	hash_map_put(&w->map, hash, id);
	return id;
}

/* By a list, not by recursion: segments are split as deep as stacks are. */
static uint32_t
way_along(struct ways *w, uint32_t at, uint64_t segment, const struct kind_of_stack *class)
{
	ARRAY(uint64_t) todo = { 0 };
	unsigned steps = 0;

	*array_push(&todo) = segment;
	while (todo.count > 0 && steps++ < SPLITS_DEEP) {
		uint64_t id = todo.at[--todo.count];
		const struct piece *piece = piece_of(w->of, id);

		if (piece != NULL && piece->first != 0 && piece->second != 0) {
			*array_push(&todo) = piece->second;
			*array_push(&todo) = piece->first;
			continue;
		}
		at = way_below(w, at, id, class->part);
		w->list.at[at].total += class->total;
		w->list.at[at].now += class->now;
	}
	array_release(&todo);
	return at;
}

static void
make_ways(struct ways *w, const struct class_chart *c)
{
	*w = (struct ways){ .of = c };
	*array_push(&w->list) = (struct way){ .part = text_of("", 0) };
	for (size_t i = 0; i < c->classes.count; i++) {
		const struct kind_of_stack *class = &c->classes.at[i];
		uint32_t at = 0;

		w->list.at[0].total += class->total;
		w->list.at[0].now += class->now;
		if (class->part.size > 0) {
			at = way_below(w, 0, 0, class->part);
			w->list.at[at].total += class->total;
			w->list.at[at].now += class->now;
		}
		for (size_t k = 0; k < class->signature.count; k++)
			at = way_along(w, at, class->signature.at[k], class);
		w->list.at[at].own += class->total;
		w->list.at[at].ends = true;
		*array_push(&w->of_class) = at;
	}
}

static void
ways_release(struct ways *w)
{
	array_release(&w->list);
	array_release(&w->of_class);
	hash_map_release(&w->map);
}

/* Where a way goes on without a branch or an end: that is one row. */
static uint32_t
end_of_way(const struct ways *w, uint32_t at)
{
	while (w->list.at[at].piece != 0 && !w->list.at[at].ends && w->list.at[at].child != 0 &&
	       w->list.at[w->list.at[at].child].sibling == 0)
		at = w->list.at[at].child;
	return at;
}

static int
compare_ways(const void *a, const void *b, void *context)
{
	const struct ways *w = context;
	const struct way *x = &w->list.at[*(const uint32_t *)a], *y = &w->list.at[*(const uint32_t *)b];

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->piece != y->piece ? (x->piece > y->piece) - (x->piece < y->piece) : text_compare(x->part, y->part);
}

/* --- rows of the picture --- */

static struct stk_text
first_frame(struct stk_text frames)
{
	const char *end = memchr(frames.data, ';', frames.size);

	return end == NULL ? frames : text_of(frames.data, (size_t)(end - frames.data));
}

static struct stk_text
last_frame(struct stk_text frames)
{
	const char *from = memrchr(frames.data, ';', frames.size);

	return from == NULL ? frames : text_of(from + 1, frames.size - (size_t)(from + 1 - frames.data));
}

static void
name_way(const struct ways *w, uint32_t from, uint32_t to, struct text_buffer *name, struct text_buffer *frames,
	 int64_t *since_ns)
{
	ARRAY(uint32_t) way = { 0 };
	unsigned count = 0;

	*since_ns = STK_TIME_UNKNOWN;
	name->count = frames->count = 0;
	for (uint32_t at = to; ; at = w->list.at[at].parent) {
		*array_push(&way) = at;
		if (at == from)
			break;
	}
	while (way.count > 0) {
		const struct way *at = &w->list.at[way.at[--way.count]];
		const struct piece *piece = piece_of(w->of, at->piece);

		if (piece == NULL)
			continue;
		add_string(frames, frames->count > 0 ? ";" : "");
		add_text(frames, piece->frames);
		count += piece->count;
		if (piece->since_ns != STK_TIME_UNKNOWN && piece->since_ns > *since_ns)
			*since_ns = piece->since_ns;
	}
	array_release(&way);
	if (w->list.at[from].piece == 0) {
		add_text(name, w->list.at[from].part);
		return;
	}
	add_text(name, short_name(first_frame(text_in(frames, 0))));
	if (count > 1) {
		if (count > 2)
			add_format(name, " ..%u..", count - 2);
		add_char(name, ' ');
		add_text(name, short_name(last_frame(text_in(frames, 0))));
	}
}

struct picked { uint32_t from, to; unsigned depth; };

static int
compare_totals_down(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* The heaviest of all, in the order of the tree. */
struct tree_rows { ARRAY(struct picked) list; size_t left; };

static void
pick_rows(struct ways *w, size_t most, struct tree_rows *rows)
{
	ARRAY(struct picked) todo = { 0 };
	ARRAY(uint32_t) children = { 0 };
	uint64_t least = 0, *totals = mem_new(w->list.count + 1, sizeof *totals);

	for (size_t i = 0; i < w->list.count; i++)
		totals[i] = w->list.at[i].total;
	*array_push(&todo) = (struct picked){ 0, 0, 0 };
	if (w->list.count > most + 1) {		/* the total of the last one that is shown */
		qsort(totals, w->list.count, sizeof *totals, compare_totals_down);
		least = totals[most];
	}
	free(totals);
	while (todo.count > 0) {
		struct picked at = todo.at[--todo.count];

		if (at.from != 0 && (w->list.at[at.from].total < least || rows->list.count >= most)) {
			rows->left++;
			continue;
		}
		if (at.from != 0) {
			at.to = end_of_way(w, at.from);
			*array_push(&rows->list) = at;
		}
		children.count = 0;
		for (uint32_t child = w->list.at[at.to].child; child != 0; child = w->list.at[child].sibling)
			*array_push(&children) = child;
		if (children.count > 0)
			qsort_r(children.at, children.count, sizeof *children.at, compare_ways, w);
		for (size_t i = children.count; i-- > 0; )
			*array_push(&todo) = (struct picked){ children.at[i], children.at[i],
								 at.from == 0 ? 0 : at.depth + 1 };
	}
	array_release(&todo);
	array_release(&children);
}

/* Threads per dump of a way and all below it. */
static void
fill_rows(const struct class_chart *c, const struct ways *w, const struct tree_rows *rows, struct chart *chart,
	  struct chart_panel *panel)
{
	uint32_t *row_of = mem_new(w->list.count + 1, sizeof *row_of);
	unsigned *dumps = mem_new(chart->columns + 1, sizeof *dumps);

	for (size_t i = 0; i < rows->list.count; i++) {
		row_of[rows->list.at[i].from] = (uint32_t)i + 1;
		panel->rows.at[i].at = chart_values(chart, 0);
	}
	for (size_t i = 0; i < c->moments.count; i++)
		dumps[chart_column(chart, c->moments.at[i])]++;
	for (size_t i = 0; i < c->seen.count; i++) {
		const struct seen *seen = &c->seen.at[i];
		unsigned column = chart_column(chart, c->moments.at[seen->moment]);

		if (column >= chart->columns)
			continue;
		for (uint32_t at = w->of_class.at[seen->class]; at != 0; at = w->list.at[at].parent)
			if (row_of[at] != 0)
				panel->rows.at[row_of[at] - 1].at[column] += (double)seen->count;
	}
	for (size_t i = 0; i < panel->rows.count; i++) {
		struct chart_row *row = &panel->rows.at[i];

		for (unsigned k = 0; k < chart->columns; k++) {
			row->at[k] = dumps[k] == 0 ? NAN : row->at[k] / dumps[k];
			row->most = fmax(row->most, row->at[k]);
		}
	}
	free(row_of);
	free(dumps);
}

/* --- splits --- */

/* Threads of all dumps: on the way before it was split; since then to where it parts, and on as before. */
struct lineage { const struct parting *parting; uint64_t before, to, on; size_t dumps_before, dumps_since; };

/* What is now the beginning, or the end, of a segment. */
static uint64_t
end_piece(const struct class_chart *c, uint64_t segment, bool last)
{
	for (unsigned steps = 0; steps < SPLITS_DEEP; steps++) {
		const struct piece *piece = piece_of(c, segment);

		if (piece == NULL || piece->first == 0 || piece->second == 0)
			break;
		segment = last ? piece->second : piece->first;
	}
	return segment;
}

enum { COMES = 1, GOES_ON = 2 };

/* Whether a class comes by a piece, and whether it goes on to another from there: pieces can be of several ways. */
static unsigned char
goes_by(const struct ways *w, uint32_t way, uint64_t piece, uint64_t on)
{
	unsigned char goes = 0;
	uint64_t above = 0;

	for (; way != 0; way = w->list.at[way].parent) {
		if (w->list.at[way].piece == piece)
			goes |= above == on ? COMES | GOES_ON : COMES;
		above = w->list.at[way].piece;
	}
	return goes;
}

static void
mark_classes(const struct ways *w, const struct parting *parting, unsigned char *marks)
{
	uint64_t to = end_piece(w->of, parting->first, true), on = end_piece(w->of, parting->second, false);

	for (size_t i = 0; i < w->of_class.count; i++)
		marks[i] = goes_by(w, w->of_class.at[i], to, on);
}

static void
sum_lineage(const struct class_chart *c, const unsigned char *marks, struct lineage *l)
{
	int64_t time = l->parting->time_ns;

	for (size_t i = 0; i < c->moments.count; i++)
		*(c->moments.at[i] < time ? &l->dumps_before : &l->dumps_since) += 1;
	for (size_t i = 0; i < c->seen.count; i++) {
		const struct seen *seen = &c->seen.at[i];
		bool before = c->moments.at[seen->moment] < time;

		if ((marks[seen->class] & COMES) != 0 && !before)
			l->to += seen->count;
		if ((marks[seen->class] & GOES_ON) != 0)
			*(before ? &l->before : &l->on) += seen->count;
	}
}

/* In its first dump a recording has all its ways at once: these splits say nothing about time. */
static bool
is_news(const struct class_chart *c, const struct parting *parting)
{
	return parting->time_ns != STK_TIME_UNKNOWN && piece_of(c, parting->first) != NULL &&
	       piece_of(c, parting->second) != NULL && parting->stream < c->begins.count &&
	       parting->time_ns > c->begins.at[parting->stream];
}

static void
add_mean(struct text_buffer *to, uint64_t threads, size_t dumps)
{
	chart_add_number(to, dumps == 0 ? NAN : (double)threads / (double)dumps, "threads");
}

static void
say_lineage(const struct class_chart *c, const struct lineage *l, struct text_buffer *to)
{
	const struct piece *whole = piece_of(c, l->parting->segment), *first = piece_of(c, l->parting->first);
	const struct piece *second = piece_of(c, l->parting->second);
	struct stk_text none = text_from("?"), place = first->frames.data == NULL ? none : last_frame(first->frames);

	if (whole != NULL && whole->frames.data != NULL) {
		add_text(to, short_name(first_frame(whole->frames)));
		add_string(to, " to ");
		add_text(to, short_name(last_frame(whole->frames)));
	} else {
		add_text(to, none);
	}
	add_string(to, " was one way (");
	add_mean(to, l->before, l->dumps_before);
	add_string(to, " per dump), split after ");
	add_text(to, short_name(place));
	add_string(to, ": since then ");
	add_mean(to, l->to, l->dumps_since);
	add_string(to, " per dump come there, ");
	add_mean(to, l->on, l->dumps_since);
	add_string(to, " go on to ");
	add_text(to, second->frames.data == NULL ? none : short_name(first_frame(second->frames)));
	add_string(to, ", ");
	add_mean(to, l->to > l->on ? l->to - l->on : 0, l->dumps_since);
	add_string(to, " elsewhere");
}

/* The latest, each with what became of its threads. */
static void
add_partings(const struct class_chart *c, const struct ways *w, struct chart *chart, struct chart_panel *panel)
{
	unsigned char *marks = mem_new(c->classes.count + 1, 1);
	struct text_buffer text = { 0 };
	size_t news = 0, left, structure;

	for (size_t i = 0; i < c->partings.count; i++)
		news += is_news(c, &c->partings.at[i]);
	left = news > MARKS_MOST ? news - MARKS_MOST : 0;
	for (size_t i = 0, seen = 0; i < c->partings.count; i++) {
		struct lineage lineage = { .parting = &c->partings.at[i] };

		if (!is_news(c, lineage.parting) || seen++ < left)
			continue;
		mark_classes(w, lineage.parting, marks);
		sum_lineage(c, marks, &lineage);
		if (lineage.before == 0)
			continue;
		say_lineage(c, &lineage, &text);
		*array_push(&panel->marks) = (struct chart_mark){ lineage.parting->time_ns, lineage.parting->time_ns,
			text_from("split"), chart_take(chart, &text) };
	}
	if (left > 0)
		chart_note(chart, "%zu earlier splits are not marked", left);
	structure = c->partings.count - left - panel->marks.count;
	if (structure > 0)
		chart_note(chart, "%zu splits of ways that nobody was on before are not marked", structure);
	array_release(&text);
	free(marks);
}

static void
find_axis_of_dumps(const struct class_chart *c, struct chart *chart)
{
	int64_t begin = INT64_MAX, end = INT64_MIN, step = INT64_MAX;

	for (size_t i = 0; i < c->moments.count; i++) {
		int64_t apart = i == 0 ? 0 : time_difference(c->moments.at[i - 1], c->moments.at[i]);

		begin = c->moments.at[i] < begin ? c->moments.at[i] : begin;
		end = c->moments.at[i] > end ? c->moments.at[i] : end;
		step = apart > 0 && apart < step ? apart : step;
	}
	if (begin > end)
		begin = end = 0;
	step = step == INT64_MAX || step < STEP_NS / 1000 ? STEP_NS : step;
	chart_set_axis(chart, begin, time_sum(end, step), step);
}

/* The row that changed most; of those on its way, the innermost that has most of the change. */
static const struct chart_row *
row_that_changed(const struct chart *chart, const struct chart_panel *panel, unsigned *where)
{
	const struct chart_row *best = NULL;
	double most = 0, gain;

	for (size_t i = 0; i < panel->rows.count; i++) {
		const struct chart_row *row = &panel->rows.at[i];
		unsigned at = chart_change(row->at, chart->columns, &gain);
		bool within = best != NULL && row->depth > best->depth;

		/* rows of a way follow it; the gain is a square */
		if (at == 0 || !(gain > most || (within && gain > most / 4)))
			continue;
		most = gain;
		best = row;
		*where = at;
	}
	return best;
}

static void
answer_growth(struct chart *chart, const struct chart_panel *panel, const struct class_chart *c)
{
	struct text_buffer text = { 0 };
	unsigned where = 0;
	const struct chart_row *best = row_that_changed(chart, panel, &where);

	add_format(&text, "%zu class%s in %zu dump%s, %zu split%s since", c->classes.count,
		   c->classes.count == 1 ? "" : "es", c->moments.count, c->moments.count == 1 ? "" : "s",
		   panel->marks.count, panel->marks.count == 1 ? "" : "s");
	if (best != NULL) {
		double before = chart_mean(best->at, 0, where), after = chart_mean(best->at, where, chart->columns);

		add_string(&text, "; ");
		add_text(&text, best->name);
		add_string(&text, after > before ? " grew from " : " fell from ");
		chart_add_number(&text, before, "threads");
		add_string(&text, " to ");
		chart_add_number(&text, after, "threads");
		add_string(&text, " threads per dump at ");
		chart_add_moment(&text, chart, chart->begin_ns + (int64_t)where * chart->column_ns);
	}
	chart->answer = chart_take(chart, &text);
	array_release(&text);
}

void
class_chart_make(struct class_chart *c, unsigned most, struct chart *chart)
{
	struct text_buffer name = { 0 }, frames = { 0 };
	struct tree_rows rows = { 0 };
	struct chart_panel *panel;
	struct ways ways;

	chart->kind = "classes";
	find_axis_of_dumps(c, chart);
	make_ways(&ways, c);
	pick_rows(&ways, most, &rows);
	panel = chart_panel(chart, text_from("Tree of classes"), "threads");
	for (size_t i = 0; i < rows.list.count; i++) {
		const struct picked *at = &rows.list.at[i];
		struct chart_row *row = array_push(&panel->rows);
		int64_t since;

		name_way(&ways, at->from, at->to, &name, &frames, &since);
		*row = (struct chart_row){ .name = chart_text(chart, text_in(&name, 0)),
			.frames = chart_text(chart, text_in(&frames, 0)), .depth = at->depth,
			.total = ways.list.at[at->from].total, .now = ways.list.at[at->from].now,
			.own = ways.list.at[at->to].own, .since_ns = since };
	}
	fill_rows(c, &ways, &rows, chart, panel);
	add_partings(c, &ways, chart, panel);
	answer_growth(chart, panel, c);
	panel->say = text_from("threads per dump on each way from the root, of all dumps and over time; each row by its own maximum");
	if (rows.left > 0)
		chart_note(chart, "%zu lighter branches are not drawn (see stkclass --tree --top 0)", rows.left);
	array_release(&rows.list);
	ways_release(&ways);
	array_release(&name);
	array_release(&frames);
}
