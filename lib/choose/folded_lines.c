/* SPDX-License-Identifier: MIT
 * folded_lines: lines with one prefix are a group, which gives them in order. Groups come one after another; only where
 * the lines of one may be between those of another, because its prefix begins like that one's, their texts are
 * compared. */
#include "choose/folded_lines.h"

#include "base/bytes.h"
#include "choose/stack_order.h"

#define SORTED_BY_BYTES 64	/* fewer entries are compared */
#define LINES_AHEAD     8
#define STACKS_AHEAD    32u	/* of each of them */
#define STACKS_A_LINE   (64u / sizeof(struct ordered_stack))	/* of the processor's cache */

/* What was counted of a stack: at first with its id, then with its place, at last with its position. */
struct entry { uint32_t stack; uint64_t count, weight; };

/* A caller of the last line's stack, and where its name ends in the text. */
struct way_stack { uint32_t position; size_t end; };

struct group {
	const struct stack_order *order;	/* NULL where `alone` */
	struct stk_text prefix;
	bool java, alone;			/* alone: samples without a stack */
	size_t at, end;				/* of its entries: those that are left */
	ARRAY(struct way_stack) way;
	ARRAY(uint32_t) fresh;
	struct text_buffer text;
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
			(struct entry){ sum->b, sum->count, sum->weight };
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

/* The entries of groups with stacks that are named alike: each gets its position, and each group its order. */
static void
place_stacks(struct folded_lines *lines, size_t first_group, struct stack_places *places, struct naming *naming,
	     bool java)
{
	struct stack_order *order;

	order = *array_push(&lines->orders) = mem_new(1, sizeof *order);
	stack_order_make(order, places, naming, java);
	for (size_t i = first_group; i < lines->groups.count; i++) {
		struct group *g = &lines->groups.at[i];

		if (g->alone || g->java != java)
			continue;
		g->order = order;
		for (size_t e = g->at; e < g->end; e++)
			lines->entries.at[e].stack = order->positions[lines->entries.at[e].stack];
		sort_by_position(lines->entries.at + g->at, g->end - g->at, order->last);
	}
	free(order->positions);
	order->positions = NULL;
}

static void
place_stacks_twice(struct folded_lines *lines, size_t first_group, struct stack_places *places, struct naming *naming)
{
	size_t count = places->callers.count;
	uint32_t *callers = mem_new(count, sizeof *callers);

	memcpy(callers, places->callers.at, count * sizeof *callers);
	place_stacks(lines, first_group, places, naming, false);
	places->callers.at = callers;
	places->callers.count = places->callers.room = count;
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

/* What is new of a stack, from its leaf on; those of the last one that it has too stay. */
static void
leave_last(struct group *g, uint32_t position)
{
	g->fresh.count = 0;
	while (position != 0) {
		while (g->way.count > 0 && g->way.at[g->way.count - 1].position > position)
			g->way.count--;
		if (g->way.count > 0 && g->way.at[g->way.count - 1].position == position)
			return;
		*array_push(&g->fresh) = position;
		position = g->order->stacks[position].caller;
	}
	g->way.count = 0;
}

static void
write_text(struct group *g, uint32_t position)
{
	leave_last(g, position);
	g->text.count = g->way.count > 0 ? g->way.at[g->way.count - 1].end : 0;
	if (g->way.count == 0)
		add_text(&g->text, g->prefix);
	while (g->fresh.count > 0) {
		position = g->fresh.at[--g->fresh.count];
		if (g->way.count > 0 || g->prefix.size > 0)
			add_char(&g->text, ';');
		add_text(&g->text, g->order->names[g->order->stacks[position].frame]);
		*array_push(&g->way) = (struct way_stack){ position, g->text.count };
	}
}

/* The position of the line at hand. Stacks of neighbouring lines are far from one another in memory: those of a line
 * soon to come are asked for. A stack that is alone for long has its callers next to it. */
static uint32_t
next_position(const struct folded_lines *lines, const struct group *g)
{
	const struct entry *entry = &lines->entries.at[g->at];
	uint32_t position;

	if (g->end - g->at <= LINES_AHEAD || g->alone)
		return entry->stack;
	position = entry[LINES_AHEAD].stack;
	for (uint32_t above = 0; above < STACKS_AHEAD && above <= position; above += STACKS_A_LINE)
		__builtin_prefetch(&g->order->stacks[position - above]);
	return entry->stack;
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
	position = next_position(lines, g);
	write_text(g, position);
	g->count = g->weight = 0;
	for (; g->at < g->end && lines->entries.at[g->at].stack == position; g->at++) {
		g->count += lines->entries.at[g->at].count;
		g->weight += lines->entries.at[g->at].weight;
	}
}

static struct stk_text
line_of(const struct group *g)
{
	return g->text.count > 0 ? text_in(&g->text, 0) : text_of("?", 1);
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
