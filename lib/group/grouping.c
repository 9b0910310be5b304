/* SPDX-License-Identifier: MIT
 * grouping: verdicts of stacks are kept by id; those of several groups as lists. */
#include "group/grouping.h"

#include "base/bytes.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "base/time_math.h"
#include "group/sample_time.h"

#include <stdlib.h>

/* What is known of a stack: its verdict, a list of groups; and the place of its sum without a key, in this generation
 * of sums, when it is of one group. */
struct stack_memory { uint32_t verdict, place, generation; };

struct grouping {
	struct scheme *scheme;
	struct attribution *attribution;
	struct event_time *events;
	struct id_table frames;			/* by id: number in the attribution; 0: not asked yet */
	/* struct stack_memory; verdict: number of a list in lists, from 1; 0: not decided yet */
	struct id_table stacks;
	struct id_table threads;		/* the same by thread, of those without a stack */
	struct text_table lists;		/* groups of a verdict, as words */
	/* of the current stack: frames here and in the attribution, and their groups */
	ARRAY(uint32_t) ids, numbers, groups;
	struct claims claims;
	uint64_t several;		/* samples in several groups, so far */
	struct pair_sums places;		/* of an owner and group (twice, and 1 for shared) in sums */
	struct pair_sums insides;		/* of a key and what samples are inside of */
	ARRAY(struct group_sum) sums;
	struct pair_sums rated;			/* of a place and a rate: samples whose time is not known yet */
	ARRAY(uint32_t) met;			/* by group: the walk in which it was met */
	uint32_t walk;
	uint32_t generation;			/* of sums, from 1 */
};

void
grouping_open(struct grouping **out, struct scheme *scheme)
{
	struct grouping *g = *out = mem_new(1, sizeof *g);

	g->scheme = scheme;
	g->frames.size = g->threads.size = sizeof(uint32_t);
	g->stacks.size = sizeof(struct stack_memory);
	g->generation = 1;
	event_time_open(&g->events, scheme);
	attribution_open(&g->attribution, scheme);
}

void
grouping_close(struct grouping *g)
{
	if (g == NULL)
		return;
	grouping_turn(g);
	event_time_close(g->events);
	attribution_close(g->attribution);
	text_table_release(&g->lists);
	array_release(&g->ids);
	array_release(&g->numbers);
	array_release(&g->groups);
	array_release(&g->claims.list);
	pair_sums_release(&g->places);
	pair_sums_release(&g->insides);
	pair_sums_release(&g->rated);
	array_release(&g->met);
	array_release(&g->sums);
	free(g);
}

struct scheme *
grouping_scheme(const struct grouping *g)
{
	return g->scheme;
}

struct attribution *
grouping_attribution(const struct grouping *g)
{
	return g->attribution;
}

struct event_time *
grouping_events(const struct grouping *g)
{
	return g->events;
}

void
grouping_turn(struct grouping *g)
{
	id_table_clear(&g->frames);
	id_table_clear(&g->stacks);
	id_table_clear(&g->threads);
	event_time_turn(g->events);
}

/* --- stacks --- */

static uint32_t
number_of_frame(struct grouping *g, const struct model *model, uint32_t id, uint32_t module)
{
	uint32_t *known = id_table_at(&g->frames, id | (uint64_t)module << 32);

	if (*known == 0) {
		struct stk_frame frame = model_frame(model, id);
		struct frame_parts parts = { model_string(model, frame.function),
			model_string(model, module != 0 ? module : frame.module), model_string(model, frame.file) };

		*known = attribution_frame(g->attribution, &parts);
	}
	return *known;
}

/* The frames of a stack into ids and numbers; how many. An inlined frame, of which no module is known, is in that of
 * the function that it is part of. */
static uint32_t
take_frames(struct grouping *g, const struct model *model, uint64_t stack)
{
	uint32_t count = model_stack_frames(model, stack, NULL, 0), module = 0;

	array_lengthen(&g->ids, count);
	array_lengthen(&g->numbers, count);
	(void)model_stack_frames(model, stack, g->ids.at, count);
	for (uint32_t i = 0; i < count; i++) {
		struct stk_frame frame = model_frame(model, g->ids.at[i]);
		bool inlined = frame.form == STK_FORM_INLINED && frame.module == 0;

		if (!inlined)
			module = (uint32_t)frame.module;
		g->numbers.at[i] = number_of_frame(g, model, g->ids.at[i], inlined ? module : 0);
	}
	return count;
}

static bool
knows_stack(const struct grouping *g, uint64_t stack)
{
	const struct stack_memory *known = stack > UINT32_MAX ? NULL : id_table_find(&g->stacks, (uint32_t)stack);

	return known != NULL && known->verdict != 0;
}

/* Of the frames in numbers. */
static uint32_t
decide(struct grouping *g, uint32_t count)
{
	attribution_claims(g->attribution, g->numbers.at, count, &g->claims);
	g->groups.count = 0;
	for (size_t i = 0; i < g->claims.list.count; i++)
		if (g->claims.list.at[i].won)
			*array_push(&g->groups) = g->claims.list.at[i].group;
	if (g->groups.count == 0)
		*array_push(&g->groups) = 0;
	return text_table_number(&g->lists, text_of((const char *)g->groups.at,
						    g->groups.count * sizeof *g->groups.at));
}

static uint32_t
list_of(const struct grouping *g, uint32_t verdict, const uint32_t **groups)
{
	struct stk_text list = text_table_text(&g->lists, verdict);

	*groups = (const uint32_t *)(const void *)list.data;
	return **groups == 0 ? 0 : (uint32_t)(list.size / sizeof **groups);
}

/* The state as a frame on top of the stack in numbers, so that what is nearest the leaf decides. */
static uint32_t
add_state(struct grouping *g, uint32_t count, uint64_t state)
{
	const char *const *names = stk_schema()->kind[STK_SAMPLE].column[STK_COLUMN(sample, state)].names;
	struct frame_parts parts = { text_from(names[state]), text_from(MODULE_OF_STATES), text_of("", 0) };

	array_lengthen(&g->numbers, count + 1u);
	g->numbers.at[count] = attribution_frame(g->attribution, &parts);
	return count + 1;
}

/* The pair that the frames in numbers are inside of as a frame below the root. */
static uint32_t
add_pair(struct grouping *g, uint32_t count, uint32_t inside)
{
	array_lengthen(&g->numbers, count + 1u);
	memmove(g->numbers.at + 1, g->numbers.at, count * sizeof *g->numbers.at);
	g->numbers.at[0] = attribution_frame_of_group(g->attribution, inside_group(inside));
	return count + 1;
}

/* Of a stack in a state and inside of a pair; those of different states and pairs are different stacks here. */
static struct stack_memory *
memory_in_state(struct grouping *g, const struct model *model, uint64_t stack, uint64_t state, uint32_t inside)
{
	uint64_t id = model_knows(model, STK_STACK, stack) ? stack : 0;
	struct stack_memory *memory =
		id_table_at(&g->stacks, id | state << 32 | (uint64_t)inside_group(inside) << 36);
	uint32_t count;

	_Static_assert(STK_STATE_SLEEPING < 16, "a state has four bits");
	if (memory->verdict != 0)
		return memory;
	count = take_frames(g, model, stack);
	if (state != 0)
		count = add_state(g, count, state);
	if (inside_group(inside) != 0)
		count = add_pair(g, count, inside);
	memory->verdict = decide(g, count);
	return memory;
}

/* An unknown stack counts as no stack. */
static struct stack_memory *
memory_of(struct grouping *g, const struct model *model, uint64_t stack)
{
	struct stack_memory *memory;

	if (knows_stack(g, stack))
		return id_table_at(&g->stacks, (uint32_t)stack);
	memory = id_table_at(&g->stacks, model_knows(model, STK_STACK, stack) ? (uint32_t)stack : 0);
	if (memory->verdict == 0)
		memory->verdict = decide(g, take_frames(g, model, stack));
	return memory;
}

uint32_t
grouping_of_stack(struct grouping *g, const struct model *model, uint64_t stack, const uint32_t **groups)
{
	return list_of(g, memory_of(g, model, stack)->verdict, groups);
}

/* 0: states do not matter, or it has none. */
static uint64_t
state_asked(const struct grouping *g, uint64_t state)
{
	return g->scheme->asks_states && state <= STK_STATE_SLEEPING ? state : 0;
}

uint32_t
grouping_of_sample(struct grouping *g, const struct model *model, uint64_t stack, uint64_t state,
		   const uint32_t **groups)
{
	const struct stack_memory *memory;

	state = state_asked(g, state);
	memory = state == 0 ? memory_of(g, model, stack) : memory_in_state(g, model, stack, state, INSIDE_NOTHING);
	return list_of(g, memory->verdict, groups);
}

static uint32_t
groups_of_thread(struct grouping *g, const struct model *model, uint64_t thread, uint32_t inside,
		 const uint32_t **groups)
{
	uint32_t *verdict = id_table_at(&g->threads, (model_knows(model, STK_THREAD, thread) ? (uint32_t)thread : 0) |
							     (uint64_t)inside_group(inside) << 36);

	if (*verdict == 0) {
		struct frame_parts parts = { model_string(model, model_thread(model, thread).name),
			text_from(MODULE_OF_THREADS), text_of("", 0) };

		array_lengthen(&g->numbers, 1);
		g->numbers.at[0] = attribution_frame(g->attribution, &parts);
		*verdict = decide(g, inside_group(inside) == 0 ? 1 : add_pair(g, 1, inside));
	}
	return list_of(g, *verdict, groups);
}

uint32_t
grouping_of_thread(struct grouping *g, const struct model *model, uint64_t thread, const uint32_t **groups)
{
	return groups_of_thread(g, model, thread, INSIDE_NOTHING, groups);
}

bool
grouping_is_library(struct grouping *g, const struct model *model, uint32_t frame)
{
	uint32_t member;

	return attribution_is_library(g->attribution, number_of_frame(g, model, frame, 0), &member);
}

uint32_t
grouping_of_frames(struct grouping *g, const struct model *model, uint64_t stack, const uint32_t **frames,
		   const uint32_t **groups)
{
	uint32_t count = take_frames(g, model, stack);

	array_lengthen(&g->groups, count);
	attribution_of_frames(g->attribution, g->numbers.at, count, g->groups.at);
	*frames = g->ids.at;
	*groups = g->groups.at;
	return count;
}

/* --- sums --- */

#define INSIDE_OWNER (UINT32_C(1) << 31)		/* keys are less */

/* What has a sum for each group: a key, or what is inside of something of a key. */
static uint32_t
owner_of(struct grouping *g, uint32_t key, uint32_t inside)
{
	return inside == INSIDE_NOTHING ? key : INSIDE_OWNER | pair_sums_index(&g->insides, key, inside);
}

/* The place of the sum of a sample's key and of a group, created when it is new: other sums may move. */
static uint32_t
place_of(struct grouping *g, const struct group_sample *sample, uint32_t group, bool shared)
{
	uint32_t place = pair_sums_index(&g->places, owner_of(g, sample->key, sample->inside), 2 * group + shared);

	if (place == g->sums.count)
		*array_push(&g->sums) = (struct group_sum){
			.key = sample->key, .group = group, .inside = sample->inside, .shared = shared,
			.times = TIME_RANGE_NONE
		};
	return place;
}

/* Samples that stand for some time each. */
static void
add_worth(struct group_sum *sum, int64_t ns, uint64_t samples)
{
	sum->ns = time_sum(sum->ns, time_product(ns, samples));
	sum->squares += (double)ns / 1e9 * ((double)ns / 1e9) * (double)samples;
}

static void
add_to(struct grouping *g, uint32_t place, const struct group_sample *sample)
{
	struct group_sum *sum = &g->sums.at[place];

	sum->count++;
	sum->weight += sample->weight;
	time_range_add(&sum->times, sample->time);
	if (sample->rate != 0)
		pair_sums_at(&g->rated, place, sample->rate)->weight += sample->times;
	else if (sample->ns == WORTH_UNKNOWN)
		sum->untimed++;
	else
		add_worth(sum, sample->ns, 1);
}

/* Of a sample in several groups: each of them gets it, but where two ways up from them meet, it came once too often. */
static void
add_shared(struct grouping *g, const uint32_t *groups, uint32_t count, const struct group_sample *sample)
{
	array_lengthen(&g->met, g->scheme->groups.count + 1);
	g->walk++;
	g->several++;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = groups[i];

		while (g->met.at[at] != g->walk) {
			g->met.at[at] = g->walk;
			at = at == 0 ? 0 : g->scheme->groups.at[at - 1].parent;
		}
		if (i > 0)
			add_to(g, place_of(g, sample, at, true), sample);
	}
}

void
grouping_add(struct grouping *g, const struct model *model, const struct group_sample *sample)
{
	uint64_t state = state_asked(g, sample->state);
	bool plain = state == 0 && inside_group(sample->inside) == 0;
	struct stack_memory *memory = sample->stack == 0 ? NULL
				      : plain ? memory_of(g, model, sample->stack)
					      : memory_in_state(g, model, sample->stack, state, sample->inside);
	bool remembers = memory != NULL && sample->key == 0 && sample->inside == INSIDE_NOTHING;
	uint32_t count;
	const uint32_t *groups;

	if (remembers && memory->generation == g->generation) {
		add_to(g, memory->place, sample);
		return;
	}
	count = memory == NULL ? groups_of_thread(g, model, sample->thread, sample->inside, &groups)
			       : list_of(g, memory->verdict, &groups);
	for (uint32_t i = 0; i < count || i == 0; i++)
		add_to(g, place_of(g, sample, count == 0 ? 0 : groups[i], false), sample);
	if (count > 1)
		add_shared(g, groups, count, sample);
	if (remembers && count < 2) {
		memory->place = place_of(g, sample, count == 0 ? 0 : groups[0], false);
		memory->generation = g->generation;
	}
}

uint64_t
grouping_in_several(const struct grouping *g)
{
	return g->several;
}

void
grouping_settle(struct grouping *g, group_rate *ask, const void *context, bool last)
{
	struct pair_sums left = { 0 };
	int64_t ns;

	for (size_t i = 0; i < g->rated.sums.count; i++) {
		const struct pair_sum *rated = &g->rated.sums.at[i];
		struct group_sum *sum = &g->sums.at[rated->a];

		if (!ask(context, rated->b, &ns) && !last)
			pair_sums_add(&left, rated);
		else if (ns <= 0)
			sum->untimed += rated->weight;
		else
			add_worth(sum, ns, rated->weight);
	}
	pair_sums_release(&g->rated);
	g->rated = left;
}

const struct group_sum *
grouping_sums(const struct grouping *g, size_t *count)
{
	*count = g->sums.count;
	return g->sums.at;
}

void
grouping_take_sums(struct grouping *g, struct kept_sums *out)
{
	*out = (struct kept_sums){ g->sums.at, g->sums.count };
	g->sums.at = NULL;
	g->sums.room = 0;
	grouping_clear(g);
}

void
grouping_put_sums(struct grouping *g, const struct kept_sums *sums)
{
	grouping_clear(g);
	array_release(&g->sums);
	g->sums.at = sums->at;
	g->sums.count = g->sums.room = sums->count;
	for (size_t i = 0; i < sums->count; i++)
		(void)pair_sums_index(&g->places, owner_of(g, sums->at[i].key, sums->at[i].inside),
				      2 * sums->at[i].group + sums->at[i].shared);
}

void
grouping_clear(struct grouping *g)
{
	pair_sums_clear(&g->places);
	pair_sums_clear(&g->insides);
	pair_sums_clear(&g->rated);
	g->sums.count = 0;
	g->generation++;
}
