/* SPDX-License-Identifier: MIT
 * stack_order: a tree of names in which each node is a stack, of those with equal texts the first. */
#include "choose/stack_order.h"

#include "base/id_table.h"
#include "base/text_table.h"

#define FEW        8			/* callees that are found one after another; those after them by hash */
#define LOST_STACK UINT32_MAX		/* in place of all stacks that are not defined */
#define SAME       UINT32_MAX		/* in place of a name: the text is that of `parent` */
#define SEVERAL    UINT32_MAX		/* in place of a frame's name: it is several, of inlined functions */

/* Once the order is settled, `next` is the position. */
struct order_node { uint32_t parent, name, first, next; };

/* A node's own line, or all lines below it: "x" and "x;...". Between the two there may be lines of siblings: "x$1". */
struct order_step { uint32_t rank, node; bool below; };

struct ranked_name { struct stk_text text; uint32_t number; bool below; };

struct order_level { size_t begin, at; };

/* A stack that is to be added, and its frame. */
struct order_way { uint32_t stack, frame; };

struct stack_order {
	const struct model *model;
	struct naming *naming;
	bool java;
	struct id_table nodes;			/* by stack; 0: the root. A node whose name is 0 was not added */
	uint32_t inner;				/* the last id of a node that is no stack: from the highest down */
	struct hash_map callees;
	struct id_table frames;			/* by frame: its name's number, or SEVERAL */
	struct text_table names;
	ARRAY(struct order_way) way;
	uint32_t *ranks;			/* by name: of its own line, and of those below it */
	ARRAY(struct order_step) steps;
	ARRAY(struct order_level) levels;
};

void
stack_order_open(struct stack_order **out, const struct model *model, struct naming *naming, bool java)
{
	struct stack_order *o = *out = mem_new(1, sizeof *o);

	o->model = model;
	o->naming = naming;
	o->java = java;
	o->inner = LOST_STACK;
	o->nodes.size = sizeof(struct order_node);
	o->frames.size = sizeof(uint32_t);
	(void)id_table_at(&o->nodes, 0);
}

void
stack_order_close(struct stack_order *o)
{
	if (o == NULL)
		return;
	id_table_clear(&o->nodes);
	hash_map_release(&o->callees);
	id_table_clear(&o->frames);
	text_table_release(&o->names);
	array_release(&o->way);
	free(o->ranks);
	array_release(&o->steps);
	array_release(&o->levels);
	free(o);
}

/* --- adding --- */

static struct order_node *
node_of(const struct stack_order *o, uint32_t id)
{
	return id_table_find(&o->nodes, id);
}

static bool
is_added(const struct stack_order *o, uint32_t id)
{
	const struct order_node *node = node_of(o, id);

	return node != NULL && node->name != 0;
}

static uint32_t
first_of_text(const struct stack_order *o, uint32_t id)
{
	const struct order_node *node = node_of(o, id);

	return node->name == SAME ? node->parent : id;
}

/* An id that no stack has. */
static uint32_t
new_inner(struct stack_order *o)
{
	do
		o->inner--;
	while (model_knows(o->model, STK_STACK, o->inner));
	return o->inner;
}

static uint32_t
find_by_hash(const struct stack_order *o, uint64_t hash, uint32_t parent, uint32_t name)
{
	uint32_t at = hash_map_start(&o->callees, hash), id;

	while ((id = hash_map_next(&o->callees, hash, &at)) != 0)
		if (node_of(o, id)->parent == parent && node_of(o, id)->name == name)
			return id;
	return 0;
}

/* The callee of a name: one that is there already, or `own`, or, when that is 0, a new one that is no stack. */
static uint32_t
callee_of(struct stack_order *o, uint32_t parent, uint32_t name, uint32_t own)
{
	struct order_node *above = node_of(o, parent), *node = NULL;
	uint64_t hash = hash_pair(parent, name);
	uint32_t seen = 0, id;

	for (id = above->first; id != 0 && seen < FEW; id = node->next, seen++) {
		node = node_of(o, id);
		if (node->name == name)
			return id;
	}
	if (seen == FEW && (id = find_by_hash(o, hash, parent, name)) != 0)
		return id;
	id = own != 0 ? own : new_inner(o);
	if (seen == FEW)
		hash_map_put(&o->callees, hash, id);
	*(struct order_node *)id_table_at(&o->nodes, id) = (struct order_node){
		.parent = parent, .name = name, .next = node == NULL ? 0 : node->next
	};
	if (node == NULL)
		above->first = id;
	else
		node->next = id;
	return id;
}

/* The functions of a frame, the last of which is the stack. */
static uint32_t
callee_of_names(struct stack_order *o, uint32_t parent, struct stk_text names, uint32_t own)
{
	const char *at = names.data, *end = at + names.size, *stop;

	while ((stop = memchr(at, ';', (size_t)(end - at))) != NULL) {
		parent = callee_of(o, parent, text_table_number(&o->names, text_of(at, (size_t)(stop - at))), 0);
		at = stop + 1;
	}
	return callee_of(o, parent, text_table_number(&o->names, text_of(at, (size_t)(end - at))), own);
}

static uint32_t
callee_of_frame(struct stack_order *o, uint32_t parent, uint64_t frame, uint32_t own)
{
	uint32_t *number = id_table_at(&o->frames, frame);

	if (*number == 0) {
		struct stk_text name = naming_frame(o->naming, frame, o->java);

		*number = name.size > 0 && memchr(name.data, ';', name.size) != NULL
				  ? SEVERAL
				  : text_table_number(&o->names, name);
	}
	return *number != SEVERAL ? callee_of(o, parent, *number, own)
				  : callee_of_names(o, parent, naming_frame(o->naming, frame, o->java), own);
}

/* A stack that is not defined is LOST_STACK, which has no frame and no caller. A caller is there before its callees. */
void
stack_order_add(struct stack_order *o, uint32_t stack)
{
	uint32_t parent;

	while (stack != 0 && !is_added(o, stack)) {
		struct stk_stack row = model_stack(o->model, stack);

		if (row.frame == 0 && row.parent == 0 && stack != LOST_STACK &&
		    !model_knows(o->model, STK_STACK, stack)) {
			stack = LOST_STACK;
			continue;
		}
		*array_push(&o->way) = (struct order_way){ stack, (uint32_t)row.frame };
		stack = row.parent < stack ? (uint32_t)row.parent : 0;
	}
	parent = first_of_text(o, stack);
	while (o->way.count > 0) {
		struct order_way way = o->way.at[--o->way.count];

		parent = callee_of_frame(o, parent, way.frame, way.stack);
		if (parent != way.stack)
			*(struct order_node *)id_table_at(&o->nodes, way.stack) = (struct order_node){
				.parent = parent, .name = SAME
			};
	}
}

/* --- the order --- */

static int
byte_at(const struct ranked_name *of, size_t place)
{
	if (place < of->text.size)
		return (unsigned char)of->text.data[place];
	return of->below ? ';' : -1;
}

static int
compare_names(const void *a, const void *b)
{
	const struct ranked_name *x = a, *y = b;
	size_t common = x->text.size < y->text.size ? x->text.size : y->text.size;
	int order = common == 0 ? 0 : memcmp(x->text.data, y->text.data, common);

	return order != 0 ? order : byte_at(x, common) - byte_at(y, common);
}

static void
rank_names(struct stack_order *o)
{
	size_t count = o->names.texts.count;
	struct ranked_name *names = mem_new(2 * count, sizeof *names);

	for (uint32_t i = 0; i < 2 * count; i++)
		names[i] = (struct ranked_name){ text_table_text(&o->names, i / 2 + 1), i / 2 + 1, i % 2 != 0 };
	qsort(names, 2 * count, sizeof *names, compare_names);
	o->ranks = mem_new(2 * (count + 1), sizeof *o->ranks);
	for (uint32_t i = 0; i < 2 * count; i++)
		o->ranks[2 * names[i].number + names[i].below] = i;
	free(names);
}

static int
compare_steps(const void *a, const void *b)
{
	const struct order_step *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Most nodes have one callee: its own line is before those below it. */
static void
enter(struct stack_order *o, uint32_t id)
{
	size_t begin = o->steps.count;
	const struct order_node *node = node_of(o, id);

	for (id = node->first; id != 0; id = node->next) {
		node = node_of(o, id);
		*array_push(&o->steps) = (struct order_step){ o->ranks[2 * node->name], id, false };
		if (node->first != 0)
			*array_push(&o->steps) = (struct order_step){ o->ranks[2 * node->name + 1], id, true };
	}
	if (o->steps.count > begin + 2 || (o->steps.count == begin + 2 && !o->steps.at[begin + 1].below))
		qsort(o->steps.at + begin, o->steps.count - begin, sizeof *o->steps.at, compare_steps);
	*array_push(&o->levels) = (struct order_level){ begin, begin };
}

void
stack_order_settle(struct stack_order *o)
{
	uint32_t position = 0;

	rank_names(o);
	enter(o, 0);
	while (o->levels.count > 0) {
		struct order_level *level = &o->levels.at[o->levels.count - 1];
		struct order_step step;

		if (level->at == o->steps.count) {
			o->steps.count = level->begin;
			o->levels.count--;
			continue;
		}
		step = o->steps.at[level->at++];
		if (step.below)
			enter(o, step.node);
		else
			node_of(o, step.node)->next = ++position;
	}
}

uint32_t
stack_order_position(const struct stack_order *o, uint32_t stack)
{
	return node_of(o, first_of_text(o, is_added(o, stack) ? stack : LOST_STACK))->next;
}
