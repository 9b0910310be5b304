/* SPDX-License-Identifier: MIT
 * call_walk: stacks of the same names below the same caller are one node, whose callees are found when it is met. */
#include "timetree/call_walk.h"

#include "timetree/function_lists.h"
#include "timetree/grove.h"

/* A grove whose counts are totals, and whose frames are their functions. */
struct walked_grove {
	struct grove *grove;
	uint32_t prefix;		/* functions of the root */
	uint32_t *first, *next;		/* by number: its first callee, its caller's next one; 0: none */
};

/* A stack that is part of a node: by one of the functions of its frame. */
struct sprout { uint32_t grove, stack, function, name; uint64_t total; };

/* A node: sprouts of one name. */
struct twig { size_t first, count; uint64_t total; };

/* What a node calls. */
struct walk_level { size_t sprouts, twigs, at; };

struct call_walk {
	struct call_tree *to;
	struct function_lists lists;
	struct groves groves;
	ARRAY(struct walked_grove) walked;
	ARRAY(struct sprout) sprouts;
	ARRAY(struct twig) twigs;
	ARRAY(struct walk_level) levels;
};

static const struct text_table *compared;	/* qsort has no context */

static int
compare_names(const void *a, const void *b)
{
	const struct sprout *x = a, *y = b;

	if (x->name == y->name)
		return 0;
	return text_compare(text_table_text(compared, x->name), text_table_text(compared, y->name));
}

/* Names are in order already, and first is by name. */
static int
compare_twigs(const void *a, const void *b)
{
	const struct twig *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* --- groves --- */

static void
settle_grove(struct call_walk *w, struct grove *g)
{
	uint32_t count = (uint32_t)g->callers.count;
	bool java = stack_prefix_is_java(g->prefix);
	struct stk_text prefix = stack_prefix_text(g->part->prefixes, g->prefix);
	struct walked_grove walked = { .grove = g,
				       .first = mem_new(count, sizeof *walked.first),
				       .next = mem_new(count, sizeof *walked.next) };

	function_lists_turn(&w->lists);
	if (prefix.size > 0)
		walked.prefix = function_lists_text(&w->lists, prefix);
	for (uint32_t n = count; n-- > 1;) {
		uint32_t caller = g->callers.at[n];

		if (g->frames.at[n] == GROVE_NO_STACK)
			continue;
		g->frames.at[n] = function_lists_frame(&w->lists, g->part, g->frames.at[n], java);
		if (g->counts.at[n] == 0)
			continue;
		g->counts.at[caller] += g->counts.at[n];
		walked.next[n] = walked.first[caller];
		walked.first[caller] = n;
	}
	*array_push(&w->walked) = walked;
}

/* --- nodes --- */

static struct name_list
names_of(const struct call_walk *w, uint32_t grove, uint32_t stack)
{
	const struct walked_grove *g = &w->walked.at[grove];

	if (stack == 0 && g->prefix == 0)
		return (struct name_list){ NULL, 0 };
	return function_lists_names(&w->lists, stack == 0 ? &g->prefix : &g->grove->frames.at[stack]);
}

static void
add_sprout(struct call_walk *w, uint32_t grove, uint32_t stack, uint32_t function)
{
	*array_push(&w->sprouts) = (struct sprout){ grove, stack, function,
						    names_of(w, grove, stack).names[function],
						    w->walked.at[grove].grove->counts.at[stack] };
}

/* What a stack calls. Returns what it has of its own. */
static uint64_t
add_callees(struct call_walk *w, uint32_t grove, uint32_t stack)
{
	const struct walked_grove *g = &w->walked.at[grove];
	uint64_t self = g->grove->counts.at[stack];

	for (uint32_t callee = g->first[stack]; callee != 0; callee = g->next[callee]) {
		self -= g->grove->counts.at[callee];
		add_sprout(w, grove, callee, 0);
	}
	return self;
}

/* The functions of a frame call one another. */
static uint64_t
add_below(struct call_walk *w, struct sprout sprout)
{
	if (sprout.function + 1 >= names_of(w, sprout.grove, sprout.stack).count)
		return add_callees(w, sprout.grove, sprout.stack);
	add_sprout(w, sprout.grove, sprout.stack, sprout.function + 1);
	return 0;
}

/* The sprouts of a level become nodes. */
static void
join(struct call_walk *w, const struct walk_level *level)
{
	size_t end = w->sprouts.count;

	if (end > level->sprouts + 1) {
		compared = &w->to->names;
		qsort(w->sprouts.at + level->sprouts, end - level->sprouts, sizeof *w->sprouts.at, compare_names);
	}
	for (size_t i = level->sprouts; i < end; i++) {
		const struct sprout *s = &w->sprouts.at[i];

		if (i == level->sprouts || s[-1].name != s->name)
			*array_push(&w->twigs) = (struct twig){ .first = i };
		w->twigs.at[w->twigs.count - 1].count++;
		w->twigs.at[w->twigs.count - 1].total += s->total;
	}
	if (w->twigs.count > level->twigs + 1)
		qsort(w->twigs.at + level->twigs, w->twigs.count - level->twigs, sizeof *w->twigs.at, compare_twigs);
}

static struct walk_level *
begin_level(struct call_walk *w)
{
	struct walk_level *level = array_push(&w->levels);

	*level = (struct walk_level){ w->sprouts.count, w->twigs.count, w->twigs.count };
	return level;
}

static void
leave_level(struct call_walk *w)
{
	const struct walk_level *level = &w->levels.at[--w->levels.count];

	w->sprouts.count = level->sprouts;
	w->twigs.count = level->twigs;
}

/* The root's callees are the first names of prefixes, or the callees of groves that have none. */
static void
begin_root(struct call_walk *w)
{
	struct walk_level *level = begin_level(w);

	for (uint32_t g = 0; g < w->walked.count; g++) {
		uint64_t total = w->walked.at[g].grove->counts.at[0];

		*call_tree_total(w->to, 0) += total;
		if (w->walked.at[g].prefix == 0)
			*call_tree_self(w->to, 0) += add_callees(w, g, 0);
		else if (total > 0)
			add_sprout(w, g, 0, 0);
	}
	join(w, level);
}

int
recordings_walk(struct call_walk **out, struct recording *const *recordings, size_t count, struct call_tree *to,
		struct answer *answer, struct stk_error *err)
{
	struct call_walk *w = *out = mem_new(1, sizeof *w);

	w->to = to;
	function_lists_open(&w->lists, &to->names);
	array_lengthen(&to->total, to->self.count);
	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < recordings[i]->parts.count; p++) {
			struct part *part = recordings[i]->parts.at[p];

			part_add_answer(part, answer);
			model_count_lost(part->model, STK_STACK,
					 groves_add(&w->groves, part, recordings[i]->options.samples));
			pair_sums_clear(&part->sums);
		}
	for (size_t g = 0; g < w->groves.all.count; g++)
		settle_grove(w, &w->groves.all.at[g]);
	begin_root(w);
	return recordings_error(recordings, count, err);
}

void
call_walk_close(struct call_walk *w)
{
	if (w == NULL)
		return;
	for (size_t g = 0; g < w->walked.count; g++) {
		free(w->walked.at[g].first);
		free(w->walked.at[g].next);
	}
	array_release(&w->walked);
	groves_release(&w->groves);
	function_lists_release(&w->lists);
	array_release(&w->sprouts);
	array_release(&w->twigs);
	array_release(&w->levels);
	free(w);
}

bool
call_walk_next(struct call_walk *w, struct walked_call *call)
{
	struct walk_level *level;
	struct twig twig;

	while (w->levels.count > 0 && w->levels.at[w->levels.count - 1].at == w->twigs.count)
		leave_level(w);
	if (w->levels.count == 0)
		return false;
	twig = w->twigs.at[w->levels.at[w->levels.count - 1].at++];
	*call = (struct walked_call){ (uint32_t)w->levels.count, w->sprouts.at[twig.first].name, 0, twig.total };
	level = begin_level(w);
	for (size_t i = twig.first; i < twig.first + twig.count; i++)
		call->self += add_below(w, w->sprouts.at[i]);
	join(w, level);
	return true;
}

void
call_walk_skip(struct call_walk *w)
{
	leave_level(w);
}
