/* SPDX-License-Identifier: MIT
 * folded_walk: the stacks of a call tree in the order of their folded lines. */
#include "choose/folded_walk.h"

#include "base/array.h"
#include "base/memory.h"

/* A node's own line, or all lines below it: "x" and "x;...". Between the two may be those of siblings: "x$1". */
struct step {
	struct stk_text name;
	uint32_t node;
	bool below;
};

/* The steps of a caller, some of them done, and how long its text is. */
struct level { size_t begin, end, at, text_size; };

struct folded_walk {
	const struct call_tree *tree;
	uint32_t *first, *children;	/* of node n: children[first[n]] to children[first[n + 1] - 1] */
	ARRAY(struct step) steps;	/* of the levels at hand */
	ARRAY(struct level) levels;
	struct text_buffer text;
};

/* The byte at a place of what a step's lines have in common; -1 after the end of a line. */
static int
byte_at(const struct step *step, size_t place)
{
	if (place < step->name.size)
		return (unsigned char)step->name.data[place];
	return step->below ? ';' : -1;
}

static int
compare_steps(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	size_t common = x->name.size < y->name.size ? x->name.size : y->name.size;
	int order = common == 0 ? 0 : memcmp(x->name.data, y->name.data, common);

	return order != 0 ? order : byte_at(x, common) - byte_at(y, common);
}

static void
find_children(struct folded_walk *walk)
{
	const struct call_tree *tree = walk->tree;
	size_t count = tree->nodes.count;
	uint32_t *next = mem_new(count + 1, sizeof *next);

	walk->first = mem_new(count + 2, sizeof *walk->first);
	walk->children = mem_new(count, sizeof *walk->children);
	for (size_t n = 1; n < count; n++)
		walk->first[tree->nodes.at[n].parent + 1]++;
	for (size_t n = 0; n < count; n++) {
		walk->first[n + 1] += walk->first[n];
		next[n] = walk->first[n];
	}
	for (uint32_t n = 1; n < count; n++)
		walk->children[next[tree->nodes.at[n].parent]++] = n;
	free(next);
}

/* The callees of a node come next. */
static void
enter(struct folded_walk *walk, uint32_t node)
{
	size_t begin = walk->steps.count;

	if (node == 0)
		*array_push(&walk->steps) = (struct step){ text_of("?", 1), 0, false };
	for (uint32_t c = walk->first[node]; c < walk->first[node + 1]; c++) {
		uint32_t child = walk->children[c];
		struct stk_text name = call_tree_name(walk->tree, child);

		*array_push(&walk->steps) = (struct step){ name, child, false };
		if (walk->first[child] < walk->first[child + 1])
			*array_push(&walk->steps) = (struct step){ name, child, true };
	}
	qsort(walk->steps.at + begin, walk->steps.count - begin, sizeof *walk->steps.at, compare_steps);
	*array_push(&walk->levels) = (struct level){ begin, walk->steps.count, begin, walk->text.count };
}

void
folded_walk_open(struct folded_walk **out, const struct call_tree *tree)
{
	struct folded_walk *walk = mem_new(1, sizeof *walk);

	walk->tree = tree;
	find_children(walk);
	enter(walk, 0);
	*out = walk;
}

void
folded_walk_close(struct folded_walk *walk)
{
	if (walk == NULL)
		return;
	free(walk->first);
	free(walk->children);
	array_release(&walk->steps);
	array_release(&walk->levels);
	array_release(&walk->text);
	free(walk);
}

bool
folded_walk_next(struct folded_walk *walk, uint32_t *node, struct stk_text *text)
{
	while (walk->levels.count > 0) {
		struct level *level = &walk->levels.at[walk->levels.count - 1];
		const struct step *step;

		if (level->at == level->end) {
			walk->steps.count = level->begin;
			walk->levels.count--;
			continue;
		}
		step = &walk->steps.at[level->at++];
		walk->text.count = level->text_size;
		if (walk->text.count > 0)
			add_char(&walk->text, ';');
		add_text(&walk->text, step->name);
		if (step->below) {
			enter(walk, step->node);
			continue;
		}
		*node = step->node;
		*text = text_in(&walk->text, 0);
		return true;
	}
	return false;
}
