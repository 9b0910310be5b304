/* SPDX-License-Identifier: MIT
 * name_automaton: patterns are a tree of characters and loops; sets of its nodes are the states of an automaton,
 * computed when a name first reaches them. */
#include "group/name_automaton.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/expression.h"
#include "base/hash_map.h"
#include "base/memory.h"
#include "base/text_table.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define STATES_MOST   4096		/* of 1 KB each: then all are dropped and computed again */
#define SETS_BYTES    (32u << 20)	/* of their nodes: likewise */
#define VARIANTS_MOST 256		/* of one pattern with braces */
#define COPIES_MOST   20000		/* added by the repetitions of all expressions */

enum loop { NO_LOOP, LOOP_ANY, LOOP_WITHIN };

struct node {
	uint32_t first, next;		/* child, sibling; 0 none */
	uint64_t bytes;			/* of its children: a bit for each, by its last six bits */
	uint32_t any, within;		/* the nodes of ** and * here */
	uint32_t accepts;		/* the first of a list in accept; 0 none */
	unsigned char byte;
	unsigned char loop;
};

struct accept { uint32_t pattern, next; };

/* The order of its nodes is that in which they were met first. */
struct state { const uint32_t *nodes; uint32_t count; int32_t to[256]; };

struct name_automaton {
	struct arena texts;
	ARRAY(struct stk_text) patterns;
	struct hash_map by_text;
	ARRAY(struct node) nodes;
	ARRAY(struct accept) accepts;
	struct expression_set *expressions;
	struct expression_matches matches;
	uint64_t copies;		/* of all expressions */
	/* states */
	struct arena sets;
	ARRAY(struct state *) states;
	struct hash_map by_set;
	int32_t first;			/* the state before any character; -1: not computed yet */
	size_t sets_bytes;
	ARRAY(uint32_t) building;
	uint64_t building_hash;		/* whatever the order of the nodes */
	ARRAY(uint32_t) marks;		/* by node: the round in which it was added to building */
	uint32_t round;
};

static uint32_t
add_node(struct name_automaton *a, unsigned char byte, enum loop loop)
{
	*array_push(&a->nodes) = (struct node){ .byte = byte, .loop = (unsigned char)loop };
	return (uint32_t)a->nodes.count - 1;
}

void
name_automaton_open(struct name_automaton **out)
{
	struct name_automaton *a = *out = mem_new(1, sizeof *a);

	a->first = -1;
	expression_set_open(&a->expressions);
	add_node(a, 0, NO_LOOP);
	*array_push(&a->accepts) = (struct accept){ 0 };
}

static void
forget_states(struct name_automaton *a)
{
	arena_reset(&a->sets);
	hash_map_clear(&a->by_set);
	a->states.count = 0;
	a->sets_bytes = 0;
	a->first = -1;
}

void
name_automaton_close(struct name_automaton *a)
{
	if (a == NULL)
		return;
	expression_set_close(a->expressions);
	arena_release(&a->texts);
	arena_release(&a->sets);
	array_release(&a->patterns);
	array_release(&a->nodes);
	array_release(&a->accepts);
	array_release(&a->matches.list);
	array_release(&a->states);
	array_release(&a->building);
	array_release(&a->marks);
	hash_map_release(&a->by_text);
	hash_map_release(&a->by_set);
	free(a);
}

/* --- adding --- */

static uint32_t
child_of(struct name_automaton *a, uint32_t parent, unsigned char byte)
{
	uint32_t child = a->nodes.at[parent].first;

	while (child != 0 && a->nodes.at[child].byte != byte)
		child = a->nodes.at[child].next;
	if (child != 0)
		return child;
	child = add_node(a, byte, NO_LOOP);
	a->nodes.at[child].next = a->nodes.at[parent].first;
	a->nodes.at[parent].first = child;
	a->nodes.at[parent].bytes |= UINT64_C(1) << (byte & 63);
	return child;
}

static uint32_t
loop_of(struct name_automaton *a, uint32_t parent, enum loop loop)
{
	uint32_t known = loop == LOOP_ANY ? a->nodes.at[parent].any : a->nodes.at[parent].within, node;

	if (known != 0)
		return known;
	node = add_node(a, 0, loop);
	if (loop == LOOP_ANY)
		a->nodes.at[parent].any = node;
	else
		a->nodes.at[parent].within = node;
	return node;
}

/* A text without braces. */
static void
add_simple(struct name_automaton *a, struct stk_text text, uint32_t pattern)
{
	const char *at = text.data, *end = at + text.size;
	uint32_t node = 0;

	while (at < end) {
		if (*at == '\\' && at + 1 < end) {
			node = child_of(a, node, (unsigned char)at[1]);
			at += 2;
		} else if (*at == '*') {
			bool twice = at + 1 < end && at[1] == '*', edge = at == text.data || at + 1 + twice == end;

			node = loop_of(a, node, twice || edge ? LOOP_ANY : LOOP_WITHIN);
			at += 1 + twice;
		} else {
			node = child_of(a, node, (unsigned char)*at++);
		}
	}
	*array_push(&a->accepts) = (struct accept){ pattern, a->nodes.at[node].accepts };
	a->nodes.at[node].accepts = (uint32_t)a->accepts.count - 1;
}

/* The alternatives of the first pair of braces with a comma; false when there is none: other braces are ordinary
 * characters. */
static bool
find_braces(struct stk_text text, size_t *open, size_t *close)
{
	for (size_t i = 0; i < text.size; i++) {
		bool comma = false;

		if (text.data[i] == '\\')
			i++;
		else if (text.data[i] == '{')
			for (size_t j = i + 1; j < text.size && text.data[j] != '{'; j++) {
				comma |= text.data[j] == ',';
				if (text.data[j] == '}') {
					*open = i;
					*close = j;
					if (comma)
						return true;
					break;
				}
			}
	}
	return false;
}

static int
add_variants(struct name_automaton *a, struct stk_text text, uint32_t pattern, unsigned *left, struct stk_error *err)
{
	size_t open, close;
	const char *at, *end;

	if (!find_braces(text, &open, &close)) {
		if (*left == 0)
			return stk_fail(err, STK_EDATA, "more than %d alternatives in one pattern", VARIANTS_MOST);
		(*left)--;
		add_simple(a, text, pattern);
		return 0;
	}
	for (at = text.data + open + 1, end = text.data + close; at <= end; ) {
		const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma == NULL ? end : comma;
		size_t size = open + (size_t)(stop - at) + text.size - close - 1;
		char *variant = arena_alloc(&a->texts, size + 1);

		memcpy(variant, text.data, open);
		memcpy(variant + open, at, (size_t)(stop - at));
		memcpy(variant + open + (stop - at), text.data + close + 1, text.size - close - 1);
		if (add_variants(a, text_of(variant, size), pattern, left, err) < 0)
			return -1;
		at = stop + 1;
	}
	return 0;
}

static int
add_expression(struct name_automaton *a, struct stk_text text, uint32_t pattern, struct stk_error *err)
{
	struct stk_text source = text_of(text.data + 1, text.size - 2);
	struct stk_error why = { 0 };
	uint32_t copies;

	if (expression_set_add(a->expressions, source, pattern, &copies, &why) < 0)
		return stk_fail(err, STK_EDATA, "bad regular expression '%.*s': %s",
				(int)(text.size < 100 ? text.size : 100), text.data, why.text);
	a->copies += copies;
	if (a->copies > COPIES_MOST)
		return stk_fail(err, STK_EDATA,
				"bad regular expression '%.*s': the repetitions of all of them are too many when they "
				"are written out (expected at most %d)",
				(int)(text.size < 100 ? text.size : 100), text.data, COPIES_MOST);
	return 0;
}

int64_t
name_automaton_add(struct name_automaton *a, struct stk_text pattern, struct stk_error *err)
{
	uint64_t hash = XXH3_64bits(pattern.data, pattern.size);
	uint32_t at = hash_map_start(&a->by_text, hash), known, number = (uint32_t)a->patterns.count;
	unsigned left = VARIANTS_MOST;
	bool expression = pattern.size > 2 && pattern.data[0] == '/' && pattern.data[pattern.size - 1] == '/';

	while ((known = hash_map_next(&a->by_text, hash, &at)) != 0)
		if (text_equal(a->patterns.at[known - 1], pattern))
			return known - 1;
	if (pattern.size == 0)
		return stk_fail(err, STK_EDATA, "an empty pattern");
	pattern.data = arena_copy(&a->texts, pattern.data, pattern.size);
	*array_push(&a->patterns) = pattern;
	hash_map_put(&a->by_text, hash, number + 1);
	forget_states(a);
	if ((expression ? add_expression(a, pattern, number, err) : add_variants(a, pattern, number, &left, err)) < 0)
		return -1;
	return number;
}

uint32_t
name_automaton_patterns(const struct name_automaton *a)
{
	return (uint32_t)a->patterns.count;
}

struct stk_text
name_automaton_pattern(const struct name_automaton *a, uint32_t number)
{
	return a->patterns.at[number];
}

/* --- states --- */

/* A node, and what can be reached from it without a character: its loops. */
static void
add_to_set(struct name_automaton *a, uint32_t node)
{
	if (a->marks.at[node] == a->round)
		return;
	a->marks.at[node] = a->round;
	*array_push(&a->building) = node;
	a->building_hash += hash_pair(node, 0);
	if (a->nodes.at[node].any != 0)
		add_to_set(a, a->nodes.at[node].any);
	if (a->nodes.at[node].within != 0)
		add_to_set(a, a->nodes.at[node].within);
}

static void
begin_set(struct name_automaton *a)
{
	a->building.count = 0;
	a->building_hash = 0;
	array_lengthen(&a->marks, a->nodes.count);
	a->round++;
}

/* Whether a state has the nodes of the set that was built: as many, and all marked. */
static bool
is_built(const struct name_automaton *a, const struct state *state)
{
	if (state->count != a->building.count)
		return false;
	for (uint32_t i = 0; i < state->count; i++)
		if (a->marks.at[state->nodes[i]] != a->round)
			return false;
	return true;
}

/* The state of the set that was built. */
static int32_t
state_of_set(struct name_automaton *a)
{
	size_t size = a->building.count * sizeof *a->building.at;
	uint32_t at = hash_map_start(&a->by_set, a->building_hash), known;
	struct state *state;

	while ((known = hash_map_next(&a->by_set, a->building_hash, &at)) != 0)
		if (is_built(a, a->states.at[known - 1]))
			return (int32_t)known - 1;
	state = arena_alloc(&a->sets, sizeof *state);
	state->nodes = size == 0 ? NULL : memcpy(arena_alloc(&a->sets, size), a->building.at, size);
	state->count = (uint32_t)a->building.count;
	for (unsigned byte = 0; byte < 256; byte++)
		state->to[byte] = -1;
	*array_push(&a->states) = state;
	a->sets_bytes += size;
	hash_map_put(&a->by_set, a->building_hash, (uint32_t)a->states.count);
	return (int32_t)a->states.count - 1;
}

static int32_t
first_state(struct name_automaton *a)
{
	if (a->first >= 0)
		return a->first;
	begin_set(a);
	add_to_set(a, 0);
	return a->first = state_of_set(a);
}

static bool
is_separator(unsigned char byte)
{
	return byte == '.' || byte == '/' || byte == ':';
}

static int32_t
step(struct name_automaton *a, int32_t from, unsigned char byte)
{
	struct state *state = a->states.at[from];
	uint64_t bit = UINT64_C(1) << (byte & 63);

	begin_set(a);
	for (uint32_t i = 0; i < state->count; i++) {
		const struct node *node = &a->nodes.at[state->nodes[i]];

		if (node->loop == LOOP_ANY || (node->loop == LOOP_WITHIN && !is_separator(byte)))
			add_to_set(a, state->nodes[i]);
		for (uint32_t child = (node->bytes & bit) != 0 ? node->first : 0; child != 0;
		     child = a->nodes.at[child].next)
			if (a->nodes.at[child].byte == byte)
				add_to_set(a, child);
	}
	/* one long name that reaches many states */
	if (a->states.count >= 2 * STATES_MOST || a->sets_bytes >= 2 * SETS_BYTES) {
		forget_states(a);
		return state_of_set(a);
	}
	return state->to[byte] = state_of_set(a);
}

static int
compare_patterns(const void *x, const void *y)
{
	uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;

	return (p > q) - (p < q);
}

void
name_automaton_match(struct name_automaton *a, struct stk_text name, struct pattern_set *to)
{
	int32_t at;
	size_t kept = 0;

	if (a->states.count > STATES_MOST || a->sets_bytes > SETS_BYTES)
		forget_states(a);
	at = first_state(a);
	for (size_t i = 0; i < name.size; i++) {
		int32_t next = a->states.at[at]->to[(unsigned char)name.data[i]];

		at = next >= 0 ? next : step(a, at, (unsigned char)name.data[i]);
	}
	to->list.count = 0;
	for (uint32_t i = 0; i < a->states.at[at]->count; i++)
		for (uint32_t accept = a->nodes.at[a->states.at[at]->nodes[i]].accepts; accept != 0;
		     accept = a->accepts.at[accept].next)
			*array_push(&to->list) = a->accepts.at[accept].pattern;
	expression_set_match(a->expressions, name, &a->matches);
	for (size_t i = 0; i < a->matches.list.count; i++)
		*array_push(&to->list) = a->matches.list.at[i];
	if (to->list.count > 1)
		qsort(to->list.at, to->list.count, sizeof *to->list.at, compare_patterns);
	for (size_t i = 0; i < to->list.count; i++)
		if (kept == 0 || to->list.at[kept - 1] != to->list.at[i])
			to->list.at[kept++] = to->list.at[i];
	to->list.count = kept;
}
