/* SPDX-License-Identifier: MIT
 * folded_walk: the stacks of a call tree in the order of their folded lines. */
#include "choose/folded_walk.h"

#include "base/array.h"
#include "base/memory.h"

/* A node's own line, or all lines below it: "x" and "x;...". Between the two there may be lines of siblings: "x$1". */
struct step {
	struct stk_text name;
	uint32_t node;
	bool below;
};

/* The steps of a caller, some of them done, and how long its text is. */
struct level { size_t begin, end, at, text_size; };

struct folded_walk {
	const struct call_tree *tree;
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

/* The callees of a node come next. Most have one: its own line is before those below it. */
static void
enter(struct folded_walk *walk, uint32_t node)
{
	const struct call_node *nodes = walk->tree->nodes.at;
	size_t begin = walk->steps.count;

	if (node == 0)
		*array_push(&walk->steps) = (struct step){ text_of("?", 1), 0, false };
	for (uint32_t child = nodes[node].first; child != 0; child = nodes[child].next) {
		struct stk_text name = call_tree_name(walk->tree, child);

		*array_push(&walk->steps) = (struct step){ name, child, false };
		if (nodes[child].first != 0)
			*array_push(&walk->steps) = (struct step){ name, child, true };
	}
	if (node == 0 || nodes[nodes[node].first].next != 0)
		qsort(walk->steps.at + begin, walk->steps.count - begin, sizeof *walk->steps.at, compare_steps);
	*array_push(&walk->levels) = (struct level){ begin, walk->steps.count, begin, walk->text.count };
}

void
folded_walk_open(struct folded_walk **out, const struct call_tree *tree)
{
	struct folded_walk *walk = mem_new(1, sizeof *walk);

	walk->tree = tree;
	enter(walk, 0);
	*out = walk;
}

void
folded_walk_close(struct folded_walk *walk)
{
	if (walk == NULL)
		return;
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
		if (walk->levels.count > 1)		/* the first element may be empty */
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
