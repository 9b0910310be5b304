/* SPDX-License-Identifier: MIT
 * heat_names: only nodes, functions and tags of rows that are named are written, numbered in the order of the nodes. */
#include "plot/heat_names.h"

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
	if (compress2((Bytef *)to->at + to->count, &size, (const Bytef *)plain->at, plain->count, DEFLATE_LEVEL) ==
	    Z_OK)
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

/* Processes and pools, 0 is what several have. */
static void
add_tags(struct text_buffer *to, const struct heat_rows *rows, const struct renumbered *tags,
	 struct renumbered *processes, struct renumbered *pools)
{
	for (size_t i = 0; i < tags->old.count; i++) {
		struct heat_tag tag = { 0 };

		if (tags->old.at[i] > 0)
			tag = heat_rows_tag(rows, tags->old.at[i] - 1);
		heat_add_varint(to, renumber(processes, tag.process));
		heat_add_varint(to, renumber(pools, tag.pool));
		heat_add_varint(to, tag.state);
	}
}

static struct stk_text
name_in(const struct text_table *texts, uint32_t number)
{
	return number == 0 ? text_from("(other)") : text_table_text(texts, number);
}

static void
add_texts(struct text_buffer *lengths, struct text_buffer *bytes, const struct text_table *texts,
	  const struct renumbered *of)
{
	for (size_t i = 0; i < of->old.count; i++) {
		struct stk_text text = name_in(texts, of->old.at[i]);

		heat_add_varint(lengths, text.size);
		add_text(bytes, text);
	}
}

void
heat_names_add(struct text_buffer *to, struct heat_rows *rows, const struct heat_named_rows *named)
{
	const struct call_tree *tree = heat_rows_tree(rows);
	const struct text_table *process_texts = heat_rows_processes(rows), *pool_texts = heat_rows_pools(rows);
	struct renumbered nodes, functions, tags, processes, pools;
	struct text_buffer plain = { 0 }, body = { 0 }, bytes = { 0 };

	renumber_open(&nodes, tree->nodes.count);
	renumber_open(&functions, tree->names.texts.count);
	renumber_open(&tags, (size_t)heat_rows_tags(rows) + 1);
	renumber_open(&processes, process_texts->texts.count);
	renumber_open(&pools, pool_texts->texts.count);
	number_nodes(&nodes, tree, named);
	for (size_t n = 1; n < nodes.old.count; n++)
		heat_add_varint(&body, n - (nodes.number[tree->nodes.at[nodes.old.at[n]].parent] - 1));
	for (size_t n = 1; n < nodes.old.count; n++)
		heat_add_varint(&body, renumber(&functions, tree->nodes.at[nodes.old.at[n]].name));
	for (size_t i = 0; i < named->count; i++)
		heat_add_varint(&body, nodes.number[named->at[i].node] - 1);
	for (size_t i = 0; i < named->count; i++)
		heat_add_varint(&body, renumber(&tags, named->at[i].tag + 1)); /* HEAT_TAG_OTHER becomes 0 */
	add_tags(&body, rows, &tags, &processes, &pools);
	add_texts(&body, &bytes, &tree->names, &functions);
	add_texts(&body, &bytes, process_texts, &processes);
	add_texts(&body, &bytes, pool_texts, &pools);
	heat_add_varint(&plain, functions.old.count);
	heat_add_varint(&plain, nodes.old.count);
	heat_add_varint(&plain, named->count);
	heat_add_varint(&plain, tags.old.count);
	heat_add_varint(&plain, processes.old.count);
	heat_add_varint(&plain, pools.old.count);
	add_text(&plain, text_in(&body, 0));
	add_text(&plain, text_in(&bytes, 0));
	heat_add_deflated(to, HEAT_NAMES, &plain);
	renumber_release(&nodes);
	renumber_release(&functions);
	renumber_release(&tags);
	renumber_release(&processes);
	renumber_release(&pools);
	array_release(&plain);
	array_release(&body);
	array_release(&bytes);
}
