/* SPDX-License-Identifier: MIT
 * comparison: each side is a column of one call tree, and the next column is the block of time at hand; where counts
 * have bounds, these are two more columns for each side. */
#include "timetree/comparison.h"

#include "base/memory.h"
#include "base/probability.h"
#include "choose/function_sums.h"
#include "model/frame_identity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOUNDED_PARTS 3	/* a count, how much of it is estimated, and how much that can be instead */

struct measured {			/* one measure of one side */
	ARRAY(uint64_t) whole[BOUNDED_PARTS];	/* by row; the last two are empty where counts are exact */
	bool known;
	ARRAY(struct block_counts) blocks;
};

struct side {
	double seconds;
	struct column_bounds bounds;
	bool estimated;			/* blocks are */
	struct block_exposure exposure;
	struct measured measured[MEASURES];
};

struct comparison {
	struct comparison_options options;
	struct call_tree tree;
	struct side *sides;
	ARRAY(uint64_t) block;		/* what each row of a measure has in the block at hand */
	double quantiles[BLOCKS_OF_SIDE * 2 + 1];	/* by degrees of freedom; 0: not yet known */
};

void
comparison_open(struct comparison **out, const struct comparison_options *options)
{
	struct comparison *c = *out = mem_new(1, sizeof *c);

	c->options = *options;
	call_tree_open(&c->tree, options->sides + 1 + (options->bounded ? 2 * options->sides : 0));
	c->sides = mem_new(options->sides, sizeof *c->sides);
	for (unsigned side = 0; side < options->sides; side++)
		c->sides[side].bounds = (struct column_bounds){
			.column = side,
			.bounds = options->bounded ? options->sides + 1 + 2 * side : 0,
			.labels = options->merged
		};
}

void
comparison_close(struct comparison *c)
{
	if (c == NULL)
		return;
	for (unsigned s = 0; s < c->options.sides; s++)
		for (unsigned m = 0; m < MEASURES; m++) {
			for (unsigned i = 0; i < BOUNDED_PARTS; i++)
				array_release(&c->sides[s].measured[m].whole[i]);
			array_release(&c->sides[s].measured[m].blocks);
		}
	free(c->sides);
	array_release(&c->block);
	call_tree_release(&c->tree);
	free(c);
}

struct call_tree *
comparison_tree(struct comparison *c)
{
	return &c->tree;
}

double
comparison_seconds(const struct comparison *c, unsigned side)
{
	return c->sides[side].seconds;
}

uint64_t
comparison_samples(const struct comparison *c, unsigned side)
{
	return c->tree.total.count == 0 ? 0 : c->tree.total.at[side];
}

unsigned
comparison_blocks(const struct comparison *c, unsigned side)
{
	return c->sides[side].exposure.count[BLOCKS_SINGLE];
}

const struct answer_bounds *
comparison_bounds(const struct comparison *c, unsigned side)
{
	return &c->sides[side].bounds.known;
}

bool
comparison_blocks_are_estimates(const struct comparison *c, unsigned side)
{
	return c->sides[side].estimated;
}

void
comparison_take_shares(struct comparison *c)
{
	c->options.share = true;
	for (unsigned s = 0; s < c->options.sides; s++) {
		c->sides[s].exposure = (struct block_exposure){ 0 };
		for (unsigned m = 0; m < MEASURES; m++)
			c->sides[s].measured[m].blocks.count = 0;
	}
}

/* --- rows --- */

/* The name as it was typed, or the same without its generated parts. */
uint32_t
comparison_function(struct comparison *c)
{
	const struct text_table *names = &c->tree.names;
	struct stk_text typed = text_from(c->options.function == NULL ? "" : c->options.function);
	uint32_t name = text_table_find(names, typed);
	size_t room = typed.size + 1;
	char *folded;

	if (name != 0 || typed.size == 0)
		return name;
	folded = mem_new(room, 1);
	name = text_table_find(
		names, text_of(folded, generated_name_fold(typed, STK_FORM_JAVA, folded, room)));
	free(folded);
	return name;
}

static size_t
rows_of(struct comparison *c, enum measure measure)
{
	size_t names = c->tree.names.texts.count + 1;

	switch (measure) {
	case MEASURE_STACKS:
	case MEASURE_CALLS:	 return c->tree.nodes.count;
	case MEASURE_NEIGHBOURS: return NEIGHBOUR_CALLER + 2 * names;
	case MEASURE_ALL:	 return 1;
	default:		 return names;
	}
}

static void
count_nodes(struct comparison *c, enum measure measure, unsigned column, uint64_t *to)
{
	for (uint32_t n = 0; n < c->tree.nodes.count; n++)
		to[n] = (measure == MEASURE_STACKS || n == 0 ? call_tree_self(&c->tree, n)
							     : call_tree_total(&c->tree, n))[column];
}

static void
count_names(struct comparison *c, enum measure measure, unsigned column, uint64_t *to)
{
	uint64_t *sums = function_sums(&c->tree, column);

	for (size_t name = 1; name <= c->tree.names.texts.count; name++)
		to[name] = sums[2 * name + (measure == MEASURE_TOTALS)];
	to[0] = call_tree_self(&c->tree, 0)[column];
	free(sums);
}

static void
count_neighbours(struct comparison *c, unsigned column, uint64_t *to)
{
	struct neighbour_sums sums = neighbour_sums(&c->tree, column, comparison_function(c));

	to[NEIGHBOUR_TOTAL] = sums.total;
	to[NEIGHBOUR_SELF] = sums.self;
	for (size_t name = 0; name <= c->tree.names.texts.count; name++) {
		to[NEIGHBOUR_CALLER + 2 * name] = sums.callers[name];
		to[NEIGHBOUR_CALLEE + 2 * name] = sums.callees[name];
	}
	neighbour_sums_release(&sums);
}

/* What each row has in a column of the tree. */
static void
count_rows(struct comparison *c, enum measure measure, unsigned column, uint64_t *to)
{
	if (measure == MEASURE_STACKS || measure == MEASURE_CALLS)
		count_nodes(c, measure, column, to);
	else if (measure == MEASURE_NEIGHBOURS)
		count_neighbours(c, column, to);
	else if (measure == MEASURE_ALL)
		*to = call_tree_total(&c->tree, 0)[column];
	else
		count_names(c, measure, column, to);
}

static const struct measured *
whole_of(struct comparison *c, enum measure measure, unsigned side)
{
	struct measured *m = &c->sides[side].measured[measure];
	unsigned bounds = c->sides[side].bounds.bounds;

	for (unsigned i = 0; i < BOUNDED_PARTS && !m->known && (i == 0 || bounds > 0); i++) {
		array_lengthen(&m->whole[i], rows_of(c, measure));
		count_rows(c, measure, i == 0 ? side : bounds + i - 1, m->whole[i].at);
	}
	m->known = true;
	return m;
}

static uint64_t
part_at(const struct measured *m, unsigned part, uint32_t row)
{
	return row < m->whole[part].count ? m->whole[part].at[row] : 0;
}

static uint64_t
whole_at(struct comparison *c, enum measure measure, unsigned side, uint32_t row)
{
	return part_at(whole_of(c, measure, side), 0, row);
}

/* What the trees leave out. */
static bool
is_left_out_row(struct comparison *c, enum measure measure, uint32_t row)
{
	const struct text_table *names = &c->tree.names;

	switch (measure) {
	case MEASURE_STACKS:
	case MEASURE_CALLS:	 return is_left_out(&c->tree, row);
	case MEASURE_NEIGHBOURS: return text_is(text_from(c->options.function), LEFT_OUT);
	case MEASURE_ALL:	 return false;
	default:		 return row != 0 && text_is(text_table_text(names, row), LEFT_OUT);
	}
}

struct bounded_side
comparison_side(struct comparison *c, enum measure measure, uint32_t row, unsigned side)
{
	const struct column_bounds *bounds = &c->sides[side].bounds;
	const struct measured *m = whole_of(c, measure, side);
	struct bounded_side is = { .whole = bounded_whole(&c->tree, bounds),
				   .exposure = c->options.share ? 0 : c->sides[side].seconds };

	if (measure == MEASURE_ALL)
		is.count = is.whole;
	else if (measure == MEASURE_STACKS)
		is.count = bounded_self(&c->tree, row, bounds);
	else
		is.count = bounded_sum(part_at(m, 0, row), part_at(m, 1, row), part_at(m, 2, row), bounds);
	return is;
}

/* --- counting --- */

static struct time_range
times_of(const struct compared_side *is)
{
	struct time_range range = TIME_RANGE_NONE;

	for (size_t i = 0; i < is->count; i++)
		time_range_join(&range, &recording_facts(is->recordings[i])->times);
	return range;
}

/* A window with the ends that it has in a recording of these times. */
static struct tree_interval
with_ends(struct tree_interval window, const struct time_range *times)
{
	if (window.from == INT64_MIN)
		window.from = times->from_ns;
	if (window.to == INT64_MAX)
		window.to = times->to_ns < INT64_MAX ? times->to_ns + 1 : INT64_MAX;
	return window;
}

static double
seconds_of(const struct compared_side *is, const struct time_range *times)
{
	double seconds = 0;

	for (size_t w = 0; w < is->windows_count; w++) {
		struct tree_interval window = with_ends(is->windows[w], times);

		if (is->windows[w].to == INT64_MAX)
			window.to--;
		seconds += ((double)window.to - (double)window.from) / 1e9;
	}
	return seconds;
}

int
comparison_count(struct comparison *c, unsigned side, const struct compared_side *is, struct answer *answer,
		 struct stk_error *err)
{
	struct column_bounds *bounds = &c->sides[side].bounds;
	struct time_range times = times_of(is);

	for (size_t w = 0; w < is->windows_count; w++)
		for (size_t i = 0; i < is->count; i++)
			if (recording_count(is->recordings[i], is->windows[w], answer, err) < 0)
				return -1;
	for (size_t i = 0; i < is->count; i++)
		recording_give_samples(is->recordings[i],
				       c->options.samples || !recording_weights_are_counts(is->recordings[i]));
	if (recordings_grow(is->recordings, is->count, (struct growth_limits){ 0 }, &c->tree, side, answer, err) < 0 ||
	    recordings_grow_bounds(is->recordings, is->count, &c->tree, side, bounds->bounds, &bounds->known, err) < 0)
		return -1;
	if (time_range_is_known(&times))
		c->sides[side].seconds = seconds_of(is, &times);
	return 0;
}

/* --- blocks --- */

static void
clear_block(struct comparison *c)
{
	for (uint32_t n = 0; n < c->tree.nodes.count; n++)
		call_tree_self(&c->tree, n)[c->options.sides] = 0;
}

static void
add_block(struct comparison *c, unsigned number, double exposure)
{
	struct side *side = &c->sides[number];

	block_begin(&side->exposure, exposure);
	for (unsigned m = 0; m < MEASURES; m++) {
		size_t rows = rows_of(c, m);

		if ((c->options.measures >> m & 1) == 0)
			continue;
		array_lengthen(&c->block, rows);
		memset(c->block.at, 0, rows * sizeof *c->block.at);
		count_rows(c, m, c->options.sides, c->block.at);
		array_lengthen(&side->measured[m].blocks, rows);
		for (size_t row = 0; row < rows; row++)
			block_add(&side->exposure, &side->measured[m].blocks.at[row], c->block.at[row]);
	}
	block_end(&side->exposure);
}

/* Parts of windows, of which each side has as many as blocks. */
struct cutting { struct tree_interval windows[BLOCKS_OF_SIDE + 1]; size_t count; uint64_t length; };

static int
count_block(struct comparison *c, unsigned number, const struct compared_side *is, const struct cutting *block,
	    struct stk_error *err)
{
	struct answer ignored = { 0 };
	struct answer_bounds known;
	double samples;

	for (size_t w = 0; w < block->count; w++)
		for (size_t i = 0; i < is->count; i++)
			if (recording_count(is->recordings[i], block->windows[w], &ignored, err) < 0)
				return -1;
	if (recordings_grow(is->recordings, is->count, (struct growth_limits){ 0 }, &c->tree, c->options.sides,
			    &ignored, err) < 0 ||
	    recordings_grow_bounds(is->recordings, is->count, &c->tree, c->options.sides, 0, &known, err) < 0)
		return -1;
	c->sides[number].estimated |= ignored.estimated > 0;
	samples = (double)call_tree_total(&c->tree, 0)[c->options.sides];
	if (c->options.share ? samples > 0 : block->length > 0)
		add_block(c, number, c->options.share ? samples : (double)block->length / 1e9);
	clear_block(c);
	return 0;
}

static int64_t
at_most(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Shares are measured where there are samples: the rest of a window would be blocks of nothing. */
static struct tree_interval
clipped(const struct comparison *c, struct tree_interval window, const struct time_range *times)
{
	window = with_ends(window, times);
	if (!c->options.share)
		return window;
	if (window.from < times->from_ns)
		window.from = times->from_ns;
	if (times->to_ns < INT64_MAX)
		window.to = at_most(window.to, times->to_ns + 1);
	return window;
}

int
comparison_measure(struct comparison *c, unsigned side, const struct compared_side *is, struct stk_error *err)
{
	struct time_range times = times_of(is);
	uint64_t length = 0, done = 0;
	unsigned number = 0;
	struct cutting block = { 0 };

	if (c->options.measures == 0 || !time_range_is_known(&times))
		return 0;
	for (size_t w = 0; w < is->windows_count; w++) {
		struct tree_interval window = clipped(c, is->windows[w], &times);

		if (window.from < window.to)
			length += (uint64_t)window.to - (uint64_t)window.from;
	}
	for (size_t w = 0; w < is->windows_count; w++) {
		struct tree_interval window = clipped(c, is->windows[w], &times);

		while (window.from < window.to) {
			uint64_t end = length / BLOCKS_OF_SIDE * (number + 1) +
				       length % BLOCKS_OF_SIDE * (number + 1) / BLOCKS_OF_SIDE,
				 left = (uint64_t)window.to - (uint64_t)window.from,
				 size = end - done < left ? end - done : left;
			struct tree_interval *part = &block.windows[block.count];

			*part = (struct tree_interval){ window.from, (int64_t)((uint64_t)window.from + size) };
			block.count += size > 0;
			block.length += size;
			done += size;
			window.from = part->to;
			if (done < end && block.count < BLOCKS_OF_SIDE)
				continue;
			if (count_block(c, side, is, &block, err) < 0)
				return -1;
			block = (struct cutting){ 0 };
			number += done >= end;
		}
	}
	return 0;
}

/* --- differences --- */

/* The blocks of a side know only the rows that were there then. */
static const struct block_counts *
blocks_at(const struct measured *m, uint32_t row)
{
	static const struct block_counts none;

	return row < m->blocks.count ? &m->blocks.at[row] : &none;
}

/* The same for nearly all rows. */
static double
quantile_of(struct comparison *c, double freedom)
{
	size_t at = freedom <= BLOCKS_OF_SIDE * 2 ? (size_t)freedom : 0;

	if (at == 0)
		return 0;
	if (c->quantiles[at] <= 0)
		c->quantiles[at] = confidence_quantile(c->options.confidence, freedom);
	return c->quantiles[at];
}

static struct dispersion
dispersion_of(struct comparison *c, enum measure measure, uint32_t row, unsigned side)
{
	const struct side *first = &c->sides[0], *other = &c->sides[side];
	struct dispersion of = block_spread(blocks_at(&first->measured[measure], row), &first->exposure,
					    blocks_at(&other->measured[measure], row), &other->exposure,
					    c->options.share);

	of.quantile = quantile_of(c, of.freedom);
	return of;
}

/* Of what was left out nobody knows whether it is the same. */
struct rate_difference
comparison_difference(struct comparison *c, enum measure measure, uint32_t row, unsigned side)
{
	struct bounded_side a = comparison_side(c, measure, row, 0), b = comparison_side(c, measure, row, side);
	struct rate_difference d = bounded_difference(&a, &b, dispersion_of(c, measure, row, side),
						      c->options.confidence);

	if (is_left_out_row(c, measure, row))
		d.p = 1;
	return d;
}

struct rate_difference
comparison_certain(struct comparison *c, enum measure measure, uint32_t row, unsigned side)
{
	struct bounded_side a = comparison_side(c, measure, row, 0), b = comparison_side(c, measure, row, side);

	return certain_difference(&a, &b, dispersion_of(c, measure, row, side), c->options.confidence);
}

static bool
is_compared(struct comparison *c, enum measure measure, uint64_t depth, const struct compared_row *row)
{
	if (measure == MEASURE_CALLS && depth > 0 && c->tree.nodes.at[row->row].depth > depth)
		return false;
	return row->self[0] > 0 || row->self[1] > 0 || row->total[0] > 0 || row->total[1] > 0;
}

static void
fill_row(struct comparison *c, enum measure measure, struct compared_row *row)
{
	bool names = measure == MEASURE_FUNCTIONS || measure == MEASURE_TOTALS;
	enum measure self = names ? MEASURE_FUNCTIONS : measure == MEASURE_CALLS ? MEASURE_STACKS : measure,
		     total = names ? MEASURE_TOTALS : measure;

	for (unsigned i = 0; i < 2; i++) {
		unsigned side = i == 0 ? 0 : row->side;

		row->self[i] = whole_at(c, self, side, row->row);
		row->total[i] = whole_at(c, total, side, row->row);
	}
}

/* A function that is only called through has nothing of its own that could differ, and is no test. */
static void
mark_significant(struct comparison *c, struct compared_row *rows, size_t count)
{
	double *p = mem_new(count + 1, sizeof *p);
	bool *significant = mem_new(count + 1, sizeof *significant);
	size_t tests = 0;

	for (size_t i = 0; i < count; i++)
		if (rows[i].d.a > 0 || rows[i].d.b > 0)
			p[tests++] = rows[i].d.p;
	false_discovery(p, tests, c->options.discovery, significant);
	tests = 0;
	for (size_t i = 0; i < count; i++)
		rows[i].significant = (rows[i].d.a > 0 || rows[i].d.b > 0) && significant[tests++];
	free(p);
	free(significant);
}

struct compared_row *
comparison_rows(struct comparison *c, enum measure measure, uint64_t depth, size_t *count)
{
	size_t rows = rows_of(c, measure), n = 0;
	struct compared_row *list = mem_new(rows * (c->options.sides - 1) + 1, sizeof *list);

	for (unsigned side = 1; side < c->options.sides; side++)
		for (uint32_t row = 0; row < rows; row++) {
			list[n] = (struct compared_row){ .row = row, .side = side };
			fill_row(c, measure, &list[n]);
			if (!is_compared(c, measure, depth, &list[n]))
				continue;
			list[n].d = comparison_difference(c, measure, row, side);
			n++;
		}
	mark_significant(c, list, n);
	compared_rows_sort(list, n);
	*count = n;
	return list;
}
