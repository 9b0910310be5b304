/* SPDX-License-Identifier: MIT
 * folded_lines: lines with one prefix are a group, which gives them in order. Groups come one after another; only where
 * the lines of one may be between those of another, because its prefix begins like that one's, their texts are
 * compared. */
#include "choose/folded_lines.h"

#include "base/bytes.h"
#include "choose/stack_order.h"

#define SORTED_BY_BYTES 64	/* fewer entries are compared */
#define LINES_AHEAD     4
#define ROWS_AHEAD      24u
#define ROWS_A_LINE     (64u / sizeof(struct order_row))	/* of the processor's cache */

/* What was counted of a stack: at first with its id, then with its place, at last with its position. */
struct entry { uint32_t stack, row; uint64_t count, weight; };

/* A row of the last line's stack and its callers: the place after those whose names are in the text, and where these
 * end. */
struct way_row { uint32_t row, next; size_t end; };

struct group {
	const struct stack_order *order;	/* NULL where `alone` */
	struct stk_text prefix;
	bool java, alone;			/* alone: samples without a stack */
	size_t at, end;				/* of its entries: those that are left */
	ARRAY(struct way_row) way;
	ARRAY(uint32_t) fresh;			/* rows */
	struct text_buffer text;		/* begins with ';' where there is no prefix */
	uint64_t count, weight;			/* of the line at hand */
	bool has_line, given;			/* there is one; and it was given */
};

struct folded_lines {
	ARRAY(struct entry) entries;
	ARRAY(struct group) groups;
	ARRAY(struct stack_order *) orders;
	bool sorted;
	size_t from, to;			/* the groups whose lines are compared now */
};

void
folded_lines_open(struct folded_lines **out)
{
	*out = mem_new(1, sizeof **out);
}

static void
release_group(struct group *g)
{
	array_release(&g->way);
	array_release(&g->fresh);
	array_release(&g->text);
}

static void
close_order(struct stack_order *order)
{
	stack_order_release(order);
	free(order);
}

void
folded_lines_close(struct folded_lines *lines)
{
	if (lines == NULL)
		return;
	for (size_t g = 0; g < lines->groups.count; g++)
		release_group(&lines->groups.at[g]);
	for (size_t i = 0; i < lines->orders.count; i++)
		close_order(lines->orders.at[i]);
	array_release(&lines->orders);
	array_release(&lines->groups);
	array_release(&lines->entries);
	free(lines);
}

/* --- adding --- */

/* Entries by prefix, those without a stack apart: group 2 * prefix + 1 and 2 * prefix. first[g] is where a group
 * begins. */
static void
sort_by_group(struct folded_lines *lines, const struct pair_sums *sums, size_t *first, size_t groups)
{
	size_t begin = lines->entries.count;

	array_lengthen(&lines->entries, begin + sums->sums.count);
	for (size_t i = 0; i < sums->sums.count; i++)
		first[2 * (size_t)sums->sums.at[i].a + (sums->sums.at[i].b != 0)]++;
	first[0] += begin;
	for (size_t g = 1; g <= groups; g++)
		first[g] += first[g - 1];
	for (size_t i = sums->sums.count; i-- > 0;) {
		const struct pair_sum *sum = &sums->sums.at[i];

		lines->entries.at[--first[2 * (size_t)sum->a + (sum->b != 0)]] =
			(struct entry){ sum->b, 0, sum->count, sum->weight };
	}
}

static int
compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* By one byte of the position; entries with equal ones keep their order. */
static void
sort_by_byte(struct entry *to, const struct entry *from, size_t count, unsigned shift)
{
	size_t places[256] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		places[from[i].stack >> shift & 255]++;
	for (unsigned byte = 0; byte < 256; byte++) {
		size_t same = places[byte];

		places[byte] = sum;
		sum += same;
	}
	for (size_t i = 0; i < count; i++)
		to[places[from[i].stack >> shift & 255]++] = from[i];
}

/* By position, of which none is above `most`. */
static void
sort_by_position(struct entry *entries, size_t count, uint32_t most)
{
	struct entry *from = entries, *to, *other;

	if (count < SORTED_BY_BYTES) {
		qsort(entries, count, sizeof *entries, compare_entries);
		return;
	}
	to = other = mem_resize(NULL, count, sizeof *other);
	for (unsigned shift = 0; shift < 32 && most >> shift > 0; shift += 8) {
		struct entry *sorted = to;

		sort_by_byte(to, from, count, shift);
		to = from;
		from = sorted;
	}
	if (from != entries)
		memcpy(entries, from, count * sizeof *entries);
	free(other);
}

static bool
any_is_named(const struct folded_lines *lines, size_t first_group, bool java)
{
	for (size_t i = first_group; i < lines->groups.count; i++)
		if (!lines->groups.at[i].alone && lines->groups.at[i].java == java)
			return true;
	return false;
}

static inline void
put_in_order(struct entry *entry, const struct stack_order *order)
{
	struct ordered_stack stack = stack_order_find(order, entry->stack);

	entry->stack = stack.position;
	entry->row = stack.row;
}

/* The entries of groups with stacks that are named alike: each gets its position, and each group its order. */
static void
place_stacks(struct folded_lines *lines, size_t first_group, struct stack_places *places, struct naming *naming,
	     bool java)
{
	struct stack_order *order;
	uint32_t most;

	order = *array_push(&lines->orders) = mem_new(1, sizeof *order);
	stack_order_make(order, places, naming, java);
	most = order->rows.at[order->rows.count - 1].position;
	for (size_t i = first_group; i < lines->groups.count; i++) {
		struct group *g = &lines->groups.at[i];

		if (g->alone || g->java != java)
			continue;
		g->order = order;
		for (size_t e = g->at; e < g->end; e++)
			put_in_order(&lines->entries.at[e], order);
		sort_by_position(lines->entries.at + g->at, g->end - g->at, most);
	}
	stack_order_forget_places(order);
}

static void
place_stacks_twice(struct folded_lines *lines, size_t first_group, struct stack_places *places, struct naming *naming)
{
	size_t count = places->frames.count;
	uint32_t *frames = mem_resize(NULL, count, sizeof *frames);

	memcpy(frames, places->frames.at, count * sizeof *frames);
	place_stacks(lines, first_group, places, naming, false);
	places->frames.at = frames;
	places->frames.count = places->frames.room = count;
	place_stacks(lines, first_group, places, naming, true);
}

/* Instead of stacks the entries from `first` on have their places. The samples of those that are not defined. */
static uint64_t
find_places(struct folded_lines *lines, size_t first, struct stack_places *places)
{
	uint64_t lost = 0;

	for (size_t e = first; e < lines->entries.count; e++)
		stack_places_add(places, lines->entries.at[e].stack);
	stack_places_settle(places);
	for (size_t e = first; e < lines->entries.count; e++) {
		struct entry *entry = &lines->entries.at[e];

		entry->stack = stack_place(places, entry->stack);
		lost += entry->stack == PLACE_LOST ? entry->count : 0;
	}
	return lost;
}

uint64_t
folded_lines_add(struct folded_lines *lines, const struct model *model, struct naming *naming,
		 const struct stack_prefixes *prefixes, struct pair_sums *sums)
{
	size_t first_group = lines->groups.count, first_entry = lines->entries.count, groups = 0, *first;
	struct stack_places places;
	uint64_t lost;

	for (size_t i = 0; i < sums->sums.count; i++)
		if (2 * (size_t)sums->sums.at[i].a + 2 > groups)
			groups = 2 * (size_t)sums->sums.at[i].a + 2;
	hash_map_release(&sums->map);
	first = mem_new(groups + 1, sizeof *first);
	sort_by_group(lines, sums, first, groups);
	for (size_t g = 0; g < groups; g++)
		if (first[g] < first[g + 1])
			*array_push(&lines->groups) = (struct group){
				.prefix = stack_prefix_text(prefixes, (uint32_t)(g / 2)),
				.java = stack_prefix_is_java((uint32_t)(g / 2)), .alone = g % 2 == 0,
				.at = first[g], .end = first[g + 1]
			};
	free(first);
	pair_sums_release(sums);
	stack_places_open(&places, model);
	lost = find_places(lines, first_entry, &places);
	stack_places_forget_ids(&places);
	if (any_is_named(lines, first_group, false) && any_is_named(lines, first_group, true))
		place_stacks_twice(lines, first_group, &places, naming);
	else
		place_stacks(lines, first_group, &places, naming, any_is_named(lines, first_group, true));
	stack_places_release(&places);
	return lost;
}

/* --- the lines of a group --- */

/* What is new of a stack, the rows from its own up; those of the last one that it has too stay. */
static void
leave_last(struct group *g, uint32_t row)
{
	g->fresh.count = 0;
	for (; row != 0; row = g->order->rows.at[row].caller) {
		while (g->way.count > 0 && g->way.at[g->way.count - 1].row > row)
			g->way.count--;
		if (g->way.count > 0 && g->way.at[g->way.count - 1].row == row)
			return;
		*array_push(&g->fresh) = row;
	}
	g->way.count = 0;
}

/* Nearly all names are short: all pieces have one size, which costs less than to look at theirs. */
static inline void
add_name(struct text_buffer *to, struct stk_text name)
{
	array_reserve(to, name.size + ORDER_PIECE);
	memcpy(to->at + to->count, name.data, ORDER_PIECE);
	if (name.size > ORDER_PIECE)
		memcpy(to->at + to->count + ORDER_PIECE, name.data + ORDER_PIECE, name.size - ORDER_PIECE);
	to->count += name.size;
}

/* Names of a row of the way, up to a position, or all. */
static void
go_along(struct group *g, struct way_row *at, uint32_t position)
{
	const struct stack_order *order = g->order;
	const struct order_row *row = &order->rows.at[at->row];
	uint32_t end = row[1].position;

	if (g->fresh.count == 0 && position + 1 < end)
		end = position + 1;
	end = row->first + (end - row->position);
	for (; at->next < end; at->next++)
		add_name(&g->text, order->names[order->frames[at->next]]);
	at->end = g->text.count;
}

static void
write_text(struct group *g, uint32_t position, uint32_t row)
{
	leave_last(g, row);
	if (g->way.count > 0) {
		g->text.count = g->way.at[g->way.count - 1].end;
		go_along(g, &g->way.at[g->way.count - 1], position);
	} else {
		g->text.count = 0;
		add_text(&g->text, g->prefix);
	}
	while (g->fresh.count > 0) {
		struct way_row *at = array_push(&g->way);

		row = g->fresh.at[--g->fresh.count];
		*at = (struct way_row){ row, g->order->rows.at[row].first, 0 };
		go_along(g, at, position);
	}
}

/* Rows of neighbouring lines are far from one another in memory: those of a line soon to come are asked for, and a
 * little later what is in them. */
static void
ask_ahead(const struct folded_lines *lines, const struct group *g)
{
	const struct order_row *rows = g->order->rows.at, *row;
	const struct entry *entry = &lines->entries.at[g->at];

	if (g->end - g->at <= 2 * LINES_AHEAD)
		return;
	row = &rows[entry[2 * LINES_AHEAD].row];
	for (size_t above = 0; above < ROWS_AHEAD && above <= (size_t)(row - rows); above += ROWS_A_LINE)
		__builtin_prefetch(row - above);
	row = &rows[entry[LINES_AHEAD].row];
	__builtin_prefetch(&g->order->frames[row->first + (entry[LINES_AHEAD].stack - row->position)]);
	for (unsigned above = 0; above < ROWS_AHEAD && row != rows; above++, row = &rows[row->caller])
		__builtin_prefetch(&g->order->frames[row->first]);
}

/* The next line of a group, of all stacks with its text. */
static void
go_on(struct folded_lines *lines, struct group *g)
{
	uint32_t position;

	g->given = false;
	g->has_line = g->at < g->end;
	if (!g->has_line)
		return;
	position = lines->entries.at[g->at].stack;
	if (!g->alone)
		ask_ahead(lines, g);
	write_text(g, position, lines->entries.at[g->at].row);
	g->count = g->weight = 0;
	for (; g->at < g->end && lines->entries.at[g->at].stack == position; g->at++) {
		g->count += lines->entries.at[g->at].count;
		g->weight += lines->entries.at[g->at].weight;
	}
}

static struct stk_text
line_of(const struct group *g)
{
	size_t begin = g->prefix.size == 0 ? 1 : 0;

	return g->text.count > begin ? text_in(&g->text, begin) : text_of("?", 1);
}

/* --- all lines --- */

/* What all lines of a group begin with: the prefix, and what comes after it where there are stacks. A line that is
 * alone ends there. */
static int
byte_of(const struct group *g, size_t place)
{
	if (place < g->prefix.size)
		return (unsigned char)g->prefix.data[place];
	if (g->prefix.size == 0 && g->alone)
		return place == 0 ? '?' : -1;
	return g->alone || g->prefix.size == 0 || place > g->prefix.size ? -1 : ';';
}

static int
compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	size_t place = 0;

	while (byte_of(x, place) == byte_of(y, place) && byte_of(x, place) >= 0)
		place++;
	return byte_of(x, place) - byte_of(y, place);
}

/* Whether lines of y may come before the last one of x, which is not after y. */
static bool
may_mix(const struct group *x, const struct group *y)
{
	size_t place = 0;

	while (byte_of(x, place) >= 0 && byte_of(x, place) == byte_of(y, place))
		place++;
	return byte_of(x, place) < 0 && (!x->alone || byte_of(y, place) < 0);
}

/* The groups to be compared next, each at its first line. */
static bool
next_groups(struct folded_lines *lines)
{
	size_t from = lines->to, to = from + 1, widest = from;

	for (size_t g = lines->from; g < lines->to; g++)
		release_group(&lines->groups.at[g]);
	if (!lines->sorted && lines->groups.count > 0)
		qsort(lines->groups.at, lines->groups.count, sizeof *lines->groups.at, compare_groups);
	lines->sorted = true;
	lines->from = from;
	lines->to = from;
	if (from >= lines->groups.count)
		return false;
	while (to < lines->groups.count) {
		if (lines->groups.at[widest].alone && may_mix(&lines->groups.at[widest], &lines->groups.at[to]))
			widest = to;
		else if (!may_mix(&lines->groups.at[widest], &lines->groups.at[to]))
			break;
		to++;
	}
	lines->to = to;
	for (size_t g = from; g < to; g++)
		go_on(lines, &lines->groups.at[g]);
	return true;
}

static struct group *
least_line(struct folded_lines *lines)
{
	struct group *least = NULL;

	for (size_t g = lines->from; g < lines->to; g++) {
		struct group *one = &lines->groups.at[g];

		if (one->has_line && (least == NULL || text_compare(line_of(one), line_of(least)) < 0))
			least = one;
	}
	return least;
}

bool
folded_lines_next(struct folded_lines *lines, struct stk_text *text, uint64_t *count, uint64_t *weight)
{
	struct group *least;

	for (size_t g = lines->from; g < lines->to; g++)
		if (lines->groups.at[g].given)
			go_on(lines, &lines->groups.at[g]);
	while ((least = least_line(lines)) == NULL)
		if (!next_groups(lines))
			return false;
	*text = line_of(least);
	*count = *weight = 0;
	for (size_t g = lines->from; g < lines->to; g++) {
		struct group *one = &lines->groups.at[g];

		if (!one->has_line || (one != least && !text_equal(line_of(one), *text)))
			continue;
		*count += one->count;
		*weight += one->weight;
		one->given = true;
	}
	return true;
}
