/* SPDX-License-Identifier: MIT
 * expression: sets of elements that can take the next byte are the states of an automaton, computed when a text first
 * reaches them. Where a match may begin is the same in each state, so it is not part of them. */
#include "base/expression.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/expression_program.h"
#include "base/hash_map.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define AT_END 256u				/* in place of the next byte */

/* What is before a place in a text. Without anchors that ask for words it is OTHER after any byte. */
enum before { BEFORE_BEGIN, BEFORE_OTHER, BEFORE_WORD, BEFORE_KINDS };

struct elements { const uint32_t *at; uint32_t count; };

struct state {
	struct elements elements;		/* ascending; those that match are of the byte before */
	struct elements at_end;			/* that match when the text ends here */
	unsigned char before;
	bool matches, end_known;
	uint32_t to[];				/* by class of bytes: a state + 1; 0 not computed yet */
};

/* What a text that begins a match here reaches by a byte of a class. */
struct start { struct elements elements; bool known; };

struct expression_set {
	struct expression_program program;
	ARRAY(uint32_t) firsts;			/* elements, one for each expression */
	ARRAY(uint32_t) numbers;		/* of the same */
	/* bytes that no expression tells apart are one class */
	bool classified;
	unsigned classes;
	unsigned char class_of[256];
	/* states, which may be forgotten at any time between two bytes */
	struct arena memory;
	size_t bytes;
	ARRAY(struct state *) states;
	struct hash_map by_elements;
	uint32_t first;				/* the state at the beginning + 1 */
	ARRAY(struct start) starts;		/* by what is before and class */
	/* the state that is being built */
	ARRAY(uint32_t) building;
	ARRAY(uint64_t) built;			/* bits: elements in it, or passed on the way */
	ARRAY(uint32_t) passed;
	/* ways that take no byte */
	ARRAY(uint32_t) waiting, here;
	ARRAY(uint32_t) rounds;			/* by element: when it was last met at the place */
	uint32_t round;
	/* by expression: the text that it was last found in */
	ARRAY(uint32_t) found;
	uint32_t text;
	struct expression_matches only;		/* of expression_fits */
};

void
expression_set_open(struct expression_set **out)
{
	*out = mem_new(1, sizeof **out);
}

static void
forget_states(struct expression_set *s)
{
	arena_reset(&s->memory);
	hash_map_clear(&s->by_elements);
	s->bytes = 0;
	s->states.count = 0;
	s->starts.count = 0;
	s->first = 0;
}

void
expression_set_close(struct expression_set *s)
{
	if (s == NULL)
		return;
	program_release(&s->program);
	arena_release(&s->memory);
	hash_map_release(&s->by_elements);
	array_release(&s->firsts);
	array_release(&s->numbers);
	array_release(&s->states);
	array_release(&s->starts);
	array_release(&s->building);
	array_release(&s->built);
	array_release(&s->passed);
	array_release(&s->waiting);
	array_release(&s->here);
	array_release(&s->only.list);
	array_release(&s->rounds);
	array_release(&s->found);
	free(s);
}

int
expression_set_add(struct expression_set *s, struct stk_text pattern, uint32_t number, uint32_t *copies,
		   struct stk_error *err)
{
	uint32_t place = (uint32_t)s->firsts.count, written = 0;
	uint32_t first = program_add(&s->program, pattern, place, &written, err);

	if (first == 0)
		return -1;
	*array_push(&s->firsts) = first;
	*array_push(&s->numbers) = number;
	array_lengthen(&s->found, s->firsts.count);
	array_lengthen(&s->rounds, s->program.elements.count);
	array_lengthen(&s->built, s->program.elements.count / 64 + 1);
	s->classified = false;
	forget_states(s);
	if (copies != NULL)
		*copies = written;
	return 0;
}

/* --- classes of bytes --- */

/* Parts each class into what is in a set and what is not. */
static void
part_classes(struct expression_set *s, const struct byte_set *set)
{
	int inside[256];			/* by class: that of its bytes in the set; -1 not met */
	bool outside[256] = { false };

	memset(inside, 0xff, sizeof inside);
	for (unsigned byte = 0; byte < 256; byte++)
		outside[s->class_of[byte]] |= !byte_set_has(set, (unsigned char)byte);
	for (unsigned byte = 0; byte < 256; byte++) {
		unsigned class = s->class_of[byte];

		if (!byte_set_has(set, (unsigned char)byte) || !outside[class])
			continue;
		if (inside[class] < 0)
			inside[class] = (int)s->classes++;
		s->class_of[byte] = (unsigned char)inside[class];
	}
}

static void
part_bytes(struct expression_set *s)
{
	bool alone[256] = { false };

	for (size_t i = 1; i < s->program.elements.count; i++)
		if (s->program.elements.at[i].kind == ELEMENT_BYTE)
			alone[s->program.elements.at[i].what] = true;
	for (unsigned byte = 0; byte < 256; byte++) {
		struct byte_set one = { { 0 } };

		one.bits[byte / 64] = UINT64_C(1) << byte % 64;
		if (alone[byte])
			part_classes(s, &one);
	}
}

static void
classify(struct expression_set *s)
{
	struct byte_set words = { { 0 } };

	if (s->classified)
		return;
	memset(s->class_of, 0, sizeof s->class_of);
	s->classes = 1;
	part_bytes(s);
	for (size_t i = 0; i < s->program.sets.count; i++)
		part_classes(s, &s->program.sets.at[i]);
	for (unsigned byte = 0; byte < 256 && s->program.asks_words; byte++)
		if (is_word_byte((unsigned char)byte))
			words.bits[byte / 64] |= UINT64_C(1) << byte % 64;
	if (s->program.asks_words)
		part_classes(s, &words);
	s->classified = true;
}

/* --- the next state --- */

/* Adds an element to the state, or what it leads to without a byte. */
static void
reach(struct expression_set *s, uint32_t element)
{
	s->waiting.count = 0;
	*array_push(&s->waiting) = element;
	while (s->waiting.count > 0) {
		uint32_t at = s->waiting.at[--s->waiting.count];
		const struct element *e = &s->program.elements.at[at];
		uint64_t bit = UINT64_C(1) << at % 64;

		if ((s->built.at[at / 64] & bit) != 0)
			continue;
		s->built.at[at / 64] |= bit;
		if (e->kind == ELEMENT_EITHER) {
			*array_push(&s->passed) = at;
			*array_push(&s->waiting) = e->other;
			*array_push(&s->waiting) = e->next;
		} else {
			*array_push(&s->building) = at;
		}
	}
}

static bool
passes(enum anchor anchor, enum before before, unsigned next)
{
	bool after_word = before == BEFORE_WORD, word = next != AT_END && is_word_byte((unsigned char)next);

	switch (anchor) {
	case ANCHOR_BEGIN:        return before == BEFORE_BEGIN;
	case ANCHOR_END:          return next == AT_END;
	case ANCHOR_WORD_BEGIN:   return !after_word && word;
	case ANCHOR_WORD_END:     return after_word && !word;
	case ANCHOR_WORD_EDGE:    return after_word != word;
	case ANCHOR_NO_WORD_EDGE: return after_word == word;
	}
	return false;
}

/* The elements at a place, between a byte and the next, that are met twice are examined once. */
static void
begin_place(struct expression_set *s)
{
	if (++s->round == 0) {
		memset(s->rounds.at, 0, s->rounds.count * sizeof *s->rounds.at);
		s->round = 1;
	}
}

/* Where an element leads at this place: by the next byte, or without one over anchors that pass here. What matches
 * before the next byte is carried to the state after it, since only the next byte showed that. */
static void
advance(struct expression_set *s, uint32_t element, enum before before, unsigned next)
{
	s->here.count = 0;
	*array_push(&s->here) = element;
	while (s->here.count > 0) {
		uint32_t at = s->here.at[--s->here.count];
		const struct element *e = &s->program.elements.at[at];

		if (s->rounds.at[at] == s->round)
			continue;
		s->rounds.at[at] = s->round;
		switch ((enum element_kind)e->kind) {
		case ELEMENT_EITHER:
			*array_push(&s->here) = e->other;
			*array_push(&s->here) = e->next;
			break;
		case ELEMENT_ANCHOR:
			if (passes((enum anchor)e->what, before, next))
				*array_push(&s->here) = e->next;
			break;
		case ELEMENT_BYTE:
			if (next == e->what)
				reach(s, e->next);
			break;
		case ELEMENT_SET:
			if (next != AT_END && byte_set_has(&s->program.sets.at[e->other], (unsigned char)next))
				reach(s, e->next);
			break;
		case ELEMENT_MATCH: reach(s, at); break;
		}
	}
}

static int
compare_elements(const void *x, const void *y)
{
	uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;

	return (p > q) - (p < q);
}

/* Ascending, and no longer marked. Many are read off the marks, which takes no longer than there are elements. */
static void
finish_building(struct expression_set *s)
{
	for (size_t i = 0; i < s->passed.count; i++)
		s->built.at[s->passed.at[i] / 64] &= ~(UINT64_C(1) << s->passed.at[i] % 64);
	s->passed.count = 0;
	if (s->building.count > s->built.count) {
		s->building.count = 0;
		for (size_t i = 0; i < s->built.count; i++)
			for (uint64_t left = s->built.at[i]; left != 0; left &= left - 1)
				*array_push(&s->building) = (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(left);
	} else if (s->building.count > 1) {
		qsort(s->building.at, s->building.count, sizeof *s->building.at, compare_elements);
	}
	for (size_t i = 0; i < s->building.count; i++)
		s->built.at[s->building.at[i] / 64] = 0;
}

static void *
take_memory(struct expression_set *s, size_t size)
{
	s->bytes += size;
	return arena_alloc(&s->memory, size);
}

static struct elements
keep_elements(struct expression_set *s)
{
	size_t size = s->building.count * sizeof *s->building.at;

	if (size == 0)
		return (struct elements){ 0 };
	return (struct elements){ memcpy(take_memory(s, size), s->building.at, size), (uint32_t)s->building.count };
}

/* What begins a match here. */
static const struct elements *
start_elements(struct expression_set *s, enum before before, unsigned byte)
{
	struct start *start;

	array_lengthen(&s->starts, (size_t)BEFORE_KINDS * s->classes);
	start = &s->starts.at[(size_t)before * s->classes + s->class_of[byte]];
	if (start->known)
		return &start->elements;
	begin_place(s);
	for (size_t i = 0; i < s->firsts.count; i++)
		advance(s, s->firsts.at[i], before, byte);
	finish_building(s);
	start->elements = keep_elements(s);
	start->known = true;
	s->building.count = 0;
	return &start->elements;
}

/* Returns the number + 1. */
static uint32_t
find_or_add_state(struct expression_set *s, enum before before)
{
	size_t size = s->building.count * sizeof *s->building.at, to = s->classes * sizeof(uint32_t);
	uint64_t hash = XXH3_64bits_withSeed(s->building.at, size, before);
	uint32_t at = hash_map_start(&s->by_elements, hash), known;
	struct state *state;

	while ((known = hash_map_next(&s->by_elements, hash, &at)) != 0) {
		state = s->states.at[known - 1];
		if (state->before == before && state->elements.count == s->building.count &&
		    (size == 0 || memcmp(state->elements.at, s->building.at, size) == 0))
			return known;
	}
	state = take_memory(s, sizeof *state + to);
	memset(state, 0, sizeof *state + to);
	state->elements = keep_elements(s);
	state->before = (unsigned char)before;
	for (size_t i = 0; i < s->building.count && !state->matches; i++)
		state->matches = s->program.elements.at[s->building.at[i]].kind == ELEMENT_MATCH;
	*array_push(&s->states) = state;
	hash_map_put(&s->by_elements, hash, (uint32_t)s->states.count);
	return (uint32_t)s->states.count;
}

/* The state of what was built, which is then empty for the next. */
static uint32_t
state_of_building(struct expression_set *s, enum before before)
{
	uint32_t state = find_or_add_state(s, before);

	s->building.count = 0;
	return state;
}

static struct state *
first_state(struct expression_set *s)
{
	if (s->first == 0)
		s->first = state_of_building(s, BEFORE_BEGIN);
	return s->states.at[s->first - 1];
}

/* What matched is not carried on. */
static void
advance_all(struct expression_set *s, const struct state *from, unsigned next)
{
	begin_place(s);
	for (uint32_t i = 0; i < from->elements.count; i++)
		if (s->program.elements.at[from->elements.at[i]].kind != ELEMENT_MATCH)
			advance(s, from->elements.at[i], (enum before)from->before, next);
}

/* The state after a byte; also when there is no memory to keep it in for longer than until the next. */
static struct state *
step(struct expression_set *s, struct state *from, unsigned char byte)
{
	bool word = s->program.asks_words && is_word_byte(byte);
	enum before before = word ? BEFORE_WORD : BEFORE_OTHER;
	const struct elements *start = start_elements(s, (enum before)from->before, byte);
	uint32_t to;

	for (uint32_t i = 0; i < start->count; i++)
		reach(s, start->at[i]);
	advance_all(s, from, byte);
	finish_building(s);
	if (s->bytes > EXPRESSION_STATES_MOST) {
		forget_states(s);
		return s->states.at[state_of_building(s, before) - 1];
	}
	to = state_of_building(s, before);
	from->to[s->class_of[byte]] = to;
	return s->states.at[to - 1];
}

/* --- matching --- */

static void
note_matches(struct expression_set *s, const struct elements *elements, struct expression_matches *to)
{
	for (uint32_t i = 0; i < elements->count; i++) {
		const struct element *e = &s->program.elements.at[elements->at[i]];

		if (e->kind != ELEMENT_MATCH || s->found.at[e->other] == s->text)
			continue;
		s->found.at[e->other] = s->text;
		*array_push(&to->list) = s->numbers.at[e->other];
	}
}

static const struct elements *
matches_at_end(struct expression_set *s, struct state *state)
{
	if (state->end_known)
		return &state->at_end;
	advance_all(s, state, AT_END);
	for (size_t i = 0; i < s->firsts.count; i++)
		advance(s, s->firsts.at[i], (enum before)state->before, AT_END);
	finish_building(s);
	state->at_end = keep_elements(s);
	state->end_known = true;
	s->building.count = 0;
	return &state->at_end;
}

static void
begin_text(struct expression_set *s)
{
	classify(s);
	if (++s->text == 0) {
		memset(s->found.at, 0, s->found.count * sizeof *s->found.at);
		s->text = 1;
	}
}

void
expression_set_match(struct expression_set *s, struct stk_text text, struct expression_matches *to)
{
	struct state *state;

	to->list.count = 0;
	if (s->firsts.count == 0)
		return;
	begin_text(s);
	state = first_state(s);
	for (size_t i = 0; i < text.size && to->list.count < s->firsts.count; i++) {
		unsigned char byte = (unsigned char)text.data[i];
		uint32_t next = state->to[s->class_of[byte]];

		state = next != 0 ? s->states.at[next - 1] : step(s, state, byte);
		if (state->matches)
			note_matches(s, &state->elements, to);
	}
	if (to->list.count < s->firsts.count)
		note_matches(s, matches_at_end(s, state), to);
}

/* --- a single one --- */

int
expression_open(struct expression *to, const char *pattern, struct stk_error *err)
{
	expression_set_open(&to->set);
	if (expression_set_add(to->set, text_from(pattern), 0, NULL, err) == 0)
		return 0;
	expression_set_close(to->set);
	to->set = NULL;
	return -1;
}

void
expression_close(struct expression *expression)
{
	expression_set_close(expression->set);
	expression->set = NULL;
}

bool
expression_fits(const struct expression *expression, struct stk_text text)
{
	struct expression_set *set = expression->set;

	expression_set_match(set, text, &set->only);
	return set->only.list.count > 0;
}
