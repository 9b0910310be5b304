/* SPDX-License-Identifier: MIT
 * grove: stacks get places, all of a part; then, for one prefix after the other, those that have one in it get numbers
 * in the same order. */
#include "timetree/grove.h"

#include "model/stack_places.h"

struct grove_making {
	struct stack_places places;
	uint32_t *callers;		/* by place */
	uint64_t lost;			/* samples of stacks that are not defined */
	ARRAY(uint32_t) first, order;	/* sums by prefix: from order[first[prefix]] on, up to the next one's */
	uint64_t *needed;		/* a bit for each place of the present prefix */
	uint32_t *numbers;		/* by place: its number in the present grove */
};

static void
sort_sums(struct grove_making *m, const struct pair_sums *sums)
{
	array_lengthen(&m->order, sums->sums.count);
	for (size_t i = 0; i < sums->sums.count; i++) {
		array_lengthen(&m->first, (size_t)sums->sums.at[i].a + 2);
		m->first.at[sums->sums.at[i].a]++;
	}
	for (size_t p = 1; p < m->first.count; p++)
		m->first.at[p] += m->first.at[p - 1];
	for (size_t i = sums->sums.count; i-- > 0;)
		m->order.at[--m->first.at[sums->sums.at[i].a]] = (uint32_t)i;
}

static void
find_places(struct grove_making *m, const struct part *part)
{
	const struct pair_sums *sums = &part->sums;

	stack_places_open(&m->places, part->model);
	for (size_t i = 0; i < sums->sums.count; i++)
		stack_places_add(&m->places, sums->sums.at[i].b);
	stack_places_settle(&m->places);
	m->callers = stack_places_callers(&m->places);
	for (size_t i = 0; i < sums->sums.count; i++)
		if (stack_place(&m->places, sums->sums.at[i].b) == PLACE_LOST)
			m->lost += sums->sums.at[i].count;
}

static void
need(struct grove_making *m, uint32_t place)
{
	while (place != PLACE_NONE && (m->needed[place / 64] >> place % 64 & 1) == 0) {
		m->needed[place / 64] |= UINT64_C(1) << place % 64;
		place = m->callers[place];
	}
}

static void
add_stack(struct grove *grove, uint32_t caller, uint32_t frame)
{
	*array_push(&grove->callers) = caller;
	*array_push(&grove->frames) = frame;
}

/* A row of its own. */
static bool
is_caller(const struct stack_places *places, uint32_t place)
{
	for (size_t row = 1; row + 1 < places->rows.count; row++)
		if (places->rows.at[places->rows.at[row].caller + 1].first - 1 == place)
			return true;
	return false;
}

/* Where all have the same prefix, places are numbers. There is always one for stacks that are not defined. */
static void
take_places(struct grove_making *m, struct grove *grove)
{
	struct stack_places *places = &m->places;

	grove->callers.at = m->callers;
	grove->frames.at = places->frames.at;
	grove->callers.count = grove->frames.count = places->frames.count;
	grove->callers.room = grove->frames.room = places->frames.count;
	for (size_t n = 0; n < grove->frames.count; n++)
		grove->frames.at[n] = places->frame_ids.at[grove->frames.at[n]];
	if (m->lost == 0 && !is_caller(places, PLACE_LOST))
		grove->frames.at[PLACE_LOST] = GROVE_NO_STACK;
	m->callers = places->frames.at = NULL;
}

/* The needed places, which are no longer needed then. */
static void
number_places(struct grove_making *m, struct grove *grove)
{
	const struct stack_places *places = &m->places;

	add_stack(grove, 0, 0);
	m->numbers[PLACE_NONE] = 0;
	for (size_t word = 0; word <= places->frames.count / 64; word++)
		for (; m->needed[word] != 0; m->needed[word] &= m->needed[word] - 1) {
			size_t place = word * 64 + (size_t)__builtin_ctzll(m->needed[word]);

			m->numbers[place] = (uint32_t)grove->callers.count;
			add_stack(grove, m->numbers[m->callers[place]], places->frame_ids.at[places->frames.at[place]]);
		}
}

/* The stacks of some sums, and those above them. */
static void
choose_places(struct grove_making *m, struct grove *grove, const uint32_t *at, const uint32_t *end)
{
	m->numbers = m->numbers != NULL ? m->numbers : mem_new(m->places.frames.count, sizeof *m->numbers);
	m->needed = m->needed != NULL ? m->needed : mem_new(m->places.frames.count / 64 + 1, sizeof *m->needed);
	for (; at < end; at++)
		need(m, stack_place(&m->places, grove->part->sums.sums.at[*at].b));
	number_places(m, grove);
}

static void
make_grove(struct grove_making *m, struct grove *grove, bool samples)
{
	const struct pair_sum *sums = grove->part->sums.sums.at;
	const uint32_t *at = m->order.at + m->first.at[grove->prefix],
		       *end = m->order.at + m->first.at[grove->prefix + 1];

	if ((size_t)(end - at) == m->order.count)
		take_places(m, grove);
	else
		choose_places(m, grove, at, end);
	array_lengthen(&grove->counts, grove->callers.count);
	for (const uint32_t *i = at; i < end; i++) {
		uint32_t place = stack_place(&m->places, sums[*i].b);

		grove->counts.at[m->numbers == NULL ? place : m->numbers[place]] +=
			samples ? sums[*i].count : sums[*i].weight;
	}
}

uint64_t
groves_add(struct groves *to, struct part *part, bool samples)
{
	struct grove_making m = { 0 };

	sort_sums(&m, &part->sums);
	find_places(&m, part);
	for (uint32_t prefix = 0; prefix + 1 < m.first.count; prefix++) {
		if (m.first.at[prefix] == m.first.at[prefix + 1])
			continue;
		*array_push(&to->all) = (struct grove){ .part = part, .prefix = prefix };
		make_grove(&m, &to->all.at[to->all.count - 1], samples);
	}
	stack_places_release(&m.places);
	array_release(&m.first);
	array_release(&m.order);
	free(m.callers);
	free(m.needed);
	free(m.numbers);
	return m.lost;
}

void
grove_release(struct grove *grove)
{
	array_release(&grove->callers);
	array_release(&grove->frames);
	array_release(&grove->counts);
}

void
groves_release(struct groves *groves)
{
	for (size_t g = 0; g < groves->all.count; g++)
		grove_release(&groves->all.at[g]);
	array_release(&groves->all);
}
