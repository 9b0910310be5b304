/* SPDX-License-Identifier: MIT
 * heat_names: only nodes, functions and tags of rows that are named are written, numbered in the order of the nodes. */
#include "plot/heat_names.h"

#include "base/host.h"

#include <zlib.h>

#define DEFLATE_LEVEL 6

void
heat_add_varint(struct text_buffer *to, uint64_t value)
{
	unsigned char bytes[VARINT_MAX];

	add_bytes(to, (const char *)bytes, (size_t)(put_varint(bytes, value) - bytes));
}

void
heat_add_deflated(struct text_buffer *to, enum heat_block_kind kind, const struct text_buffer *plain)
{
	uLongf size = compressBound(plain->count);

	heat_code_head(to, kind, HEAT_VARINTS, (uint32_t)plain->count);
	array_reserve(to, size);
	if (compress2((Bytef *)to->at + to->count, &size, (const Bytef *)plain->at, plain->count, DEFLATE_LEVEL) !=
	    Z_OK)
		host_out_of_memory(1, size);	/* there is room for the result: nothing else can fail */
	to->count += size;
}

/* New numbers of things that are used, from 0 on. */
struct renumbered {
	uint32_t *number;
	ARRAY(uint32_t) old;
}; /* number: + 1, by the old one */

static void
renumber_open(struct renumbered *r, size_t room)
{
	*r = (struct renumbered){ .number = mem_new(room + 1, sizeof *r->number) };
}

static void
renumber_release(struct renumbered *r)
{
	free(r->number);
	array_release(&r->old);
}

static uint32_t
renumber(struct renumbered *r, uint32_t old)
{
	if (r->number[old] == 0) {
		*array_push(&r->old) = old;
		r->number[old] = (uint32_t)r->old.count;
	}
	return r->number[old] - 1;
}

/* Nodes in their old order, which has callers first. */
static void
number_nodes(struct renumbered *nodes, const struct call_tree *tree, const struct heat_named_rows *named)
{
	uint8_t *used = mem_new(tree->nodes.count, 1);

	used[0] = 1;
	for (size_t i = 0; i < named->count; i++)
		used[named->at[i].node] = 1;
	for (size_t n = tree->nodes.count; n-- > 1;)
		if (used[n])
			used[tree->nodes.at[n].parent] = 1;
	for (uint32_t n = 0; n < tree->nodes.count; n++)
		if (used[n])
			renumber(nodes, n);
	free(used);
}

/* What is left to write, with the new numbers; 0 of processes, pools and sets is what several have. */
struct naming_of_rows {
	struct heat_rows *rows;
	const struct call_tree *tree;
	const struct scheme *scheme; /* NULL */
	struct renumbered nodes, functions, tags, processes, pools, sets, groups;
	struct text_buffer body, texts;
};

#define GROUP_OTHER 0
#define GROUP_PLACE(group) ((group) + 1) /* in `groups`: HEAT_GROUP_NONE, and those of the scheme */

static void
open_names(struct naming_of_rows *n, struct heat_rows *rows)
{
	*n = (struct naming_of_rows){ .rows = rows, .tree = heat_rows_tree(rows), .scheme = heat_rows_scheme(rows) };
	renumber_open(&n->nodes, n->tree->nodes.count);
	renumber_open(&n->functions, n->tree->names.texts.count);
	renumber_open(&n->tags, (size_t)heat_rows_tags(rows) + 1);
	renumber_open(&n->processes, heat_rows_processes(rows)->texts.count);
	renumber_open(&n->pools, heat_rows_pools(rows)->texts.count);
	renumber_open(&n->sets, heat_rows_sets(rows));
	renumber_open(&n->groups, n->scheme == NULL ? 0 : GROUP_PLACE(n->scheme->groups.count));
}

static void
release_names(struct naming_of_rows *n)
{
	renumber_release(&n->nodes);
	renumber_release(&n->functions);
	renumber_release(&n->tags);
	renumber_release(&n->processes);
	renumber_release(&n->pools);
	renumber_release(&n->sets);
	renumber_release(&n->groups);
	array_release(&n->body);
	array_release(&n->texts);
}

static void
add_nodes(struct naming_of_rows *n)
{
	const struct renumbered *nodes = &n->nodes;

	for (size_t i = 1; i < nodes->old.count; i++)
		heat_add_varint(&n->body, i - (nodes->number[n->tree->nodes.at[nodes->old.at[i]].parent] - 1));
	for (size_t i = 1; i < nodes->old.count; i++)
		heat_add_varint(&n->body, renumber(&n->functions, n->tree->nodes.at[nodes->old.at[i]].name));
	for (size_t i = 1; i < nodes->old.count && n->scheme != NULL; i++) {
		uint32_t group = heat_rows_group_of_node(n->rows, nodes->old.at[i]);

		heat_add_varint(&n->body, group == 0 ? 0 : renumber(&n->groups, GROUP_PLACE(group)) + 1);
	}
}

static void
add_tags(struct naming_of_rows *n)
{
	for (size_t i = 0; i < n->tags.old.count; i++) {
		struct heat_tag tag = { 0 };

		if (n->tags.old.at[i] > 0)
			tag = heat_rows_tag(n->rows, n->tags.old.at[i] - 1);
		heat_add_varint(&n->body, renumber(&n->processes, tag.process));
		heat_add_varint(&n->body, renumber(&n->pools, tag.pool));
		heat_add_varint(&n->body, tag.state);
		if (n->scheme != NULL)
			heat_add_varint(&n->body, renumber(&n->sets, tag.set));
	}
}

static void
add_sets(struct naming_of_rows *n)
{
	for (size_t i = 0; i < n->sets.old.count; i++) {
		struct heat_set set = heat_rows_set(n->rows, n->sets.old.at[i]);

		heat_add_varint(&n->body, set.count == 0 ? 1 : set.count);
		if (set.count == 0)
			heat_add_varint(&n->body, renumber(&n->groups, GROUP_OTHER));
		for (size_t g = 0; g < set.count; g++)
			heat_add_varint(&n->body, renumber(&n->groups, GROUP_PLACE(set.groups[g])));
	}
}

static void
add_name(struct naming_of_rows *n, struct stk_text text)
{
	heat_add_varint(&n->body, text.size);
	add_text(&n->texts, text);
}

static void
add_texts(struct naming_of_rows *n, const struct text_table *texts, const struct renumbered *of)
{
	for (size_t i = 0; i < of->old.count; i++)
		add_name(n, of->old.at[i] == 0 ? text_from(HEAT_OTHER) : text_table_text(texts, of->old.at[i]));
}

static void
add_groups(struct naming_of_rows *n)
{
	for (size_t i = 0; i < n->groups.old.count; i++) {
		uint32_t place = n->groups.old.at[i];

		add_name(n, place == GROUP_OTHER                    ? text_from(HEAT_OTHER)
			    : place == GROUP_PLACE(HEAT_GROUP_NONE) ? text_from("(none)")
								    : n->scheme->groups.at[place - 2].path);
	}
}

void
heat_names_add(struct text_buffer *to, struct heat_rows *rows, const struct heat_named_rows *named)
{
	struct naming_of_rows n;
	struct text_buffer plain = { 0 };

	open_names(&n, rows);
	number_nodes(&n.nodes, n.tree, named);
	add_nodes(&n);
	for (size_t i = 0; i < named->count; i++)
		heat_add_varint(&n.body, n.nodes.number[named->at[i].node] - 1);
	for (size_t i = 0; i < named->count; i++)
		heat_add_varint(&n.body, renumber(&n.tags, named->at[i].tag + 1)); /* HEAT_TAG_OTHER becomes 0 */
	add_tags(&n);
	add_sets(&n);
	add_texts(&n, &n.tree->names, &n.functions);
	add_texts(&n, heat_rows_processes(rows), &n.processes);
	add_texts(&n, heat_rows_pools(rows), &n.pools);
	add_groups(&n);
	heat_add_varint(&plain, n.functions.old.count);
	heat_add_varint(&plain, n.nodes.old.count);
	heat_add_varint(&plain, named->count);
	heat_add_varint(&plain, n.tags.old.count);
	heat_add_varint(&plain, n.processes.old.count);
	heat_add_varint(&plain, n.pools.old.count);
	heat_add_varint(&plain, n.sets.old.count);
	heat_add_varint(&plain, n.groups.old.count);
	add_text(&plain, text_in(&n.body, 0));
	add_text(&plain, text_in(&n.texts, 0));
	heat_add_deflated(to, HEAT_NAMES, &plain);
	array_release(&plain);
	release_names(&n);
}
