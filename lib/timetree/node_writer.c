/* SPDX-License-Identifier: MIT
 * node_writer: blocks are kept small, since who asks reads single ones. */
#include "timetree/node_writer.h"

#include "stream/stream_file.h"

#define BLOCK_COUNTS 8192
#define BLOCK_NODES  1024

void
node_writer_release(struct node_writer *nodes)
{
	pair_sums_release(&nodes->types);
	array_release(&nodes->keys);
}

void
node_writer_go_back(struct node_writer *nodes, const struct node_numbers *then)
{
	for (size_t prefix = 0; prefix < nodes->keys.count; prefix++)
		if (nodes->keys.at[prefix] >= then->next_key)
			nodes->keys.at[prefix] = 0;
	*nodes->numbers = *then;
	nodes->numbers->block_counts = nodes->numbers->block_nodes = 0;
}

/* The stream has this key. */
static void
know_key(struct node_writer *nodes, uint64_t key, struct stk_text text, bool java)
{
	uint32_t prefix = stack_prefix_of_text(nodes->prefixes, text, java);

	array_lengthen(&nodes->keys, (size_t)prefix + 1);
	nodes->keys.at[prefix] = key;
	nodes->numbers->next_key = key + 1;
}

static uint64_t
rows_of(struct stream_file *file, unsigned kind)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, 0, kind, &count);

	return count == 0 ? 0 : blocks[count - 1].first_row + blocks[count - 1].rows;
}

void
node_writer_resume(struct node_writer *nodes, struct stream_file *file)
{
	nodes->numbers->next_count = rows_of(file, STK_TREE_COUNT);
	nodes->numbers->next_node = rows_of(file, STK_TREE_NODE);
	nodes->numbers->block_counts = nodes->numbers->block_nodes = 0;
}

int
node_writer_know_keys(struct node_writer *nodes, struct stream_file *file, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, 0, STK_TREE_KEY, &count);

	for (size_t b = 0; b < count; b++) {
		struct stk_block block;
		struct stk_tree_key row;
		int got = stream_file_go(file, 0, &blocks[b], &block, err);

		if (got <= 0 || stk_reader_rows(stream_file_reader(file), err) < 0)
			return got < 0 ? -1 : stk_fail(err, STK_EDATA, "its keys are damaged: build it anew");
		for (uint32_t i = 0; i < block.rows; i++) {
			stk_reader_row(stream_file_reader(file), i, &row);
			know_key(nodes, row.id, row.text, row.java != 0);
		}
	}
	return 0;
}

/* The key of a prefix, written when it is new; 0: it cannot be. */
static uint64_t
key_of(struct node_writer *nodes, uint32_t prefix, struct stk_error *err)
{
	struct stk_tree_key row = { .text = stack_prefix_text(nodes->prefixes, prefix),
		.java = stack_prefix_is_java(prefix) };

	if (prefix < nodes->keys.count && nodes->keys.at[prefix] != 0)
		return nodes->keys.at[prefix];
	row.id = nodes->numbers->next_key > 0 ? nodes->numbers->next_key : 1;
	if (stk_writer_add(nodes->writer, STK_TREE_KEY, &row, err) < 0)
		return 0;
	know_key(nodes, row.id, row.text, row.java != 0);
	return row.id;
}

static int
write_counts(
	void *context, struct stk_tree_node *node, const struct tree_count *counts, size_t count, struct stk_error *err)
{
	struct node_writer *nodes = context;

	if (nodes->numbers->block_counts > 0 && nodes->numbers->block_counts + count > BLOCK_COUNTS) {
		if (stk_writer_cut(nodes->writer, STK_TREE_COUNT, err) < 0)
			return -1;
		nodes->numbers->block_counts = 0;
	}
	node->first_count = nodes->numbers->next_count;
	for (size_t i = 0; i < count; i++) {
		const struct pair_sum *type = &nodes->types.sums.at[counts[i].type - 1];
		struct stk_tree_count row = { .time = node->time,
			.stack = type->b,
			.count = counts[i].count,
			.extra = (int64_t)(counts[i].weight - counts[i].count) };

		row.key = key_of(nodes, type->a, err);
		if (row.key == 0 || stk_writer_add(nodes->writer, STK_TREE_COUNT, &row, err) < 0)
			return -1;
	}
	nodes->numbers->next_count += count;
	nodes->numbers->block_counts += (uint32_t)count;
	return 0;
}

/* Children of one parent are in one block, where they are not too many. */
static int
write_nodes(void *context, struct stk_tree_node *rows, size_t count, struct stk_error *err)
{
	struct node_writer *nodes = context;

	if (nodes->numbers->block_nodes > 0 && nodes->numbers->block_nodes + count > BLOCK_NODES) {
		if (stk_writer_cut(nodes->writer, STK_TREE_NODE, err) < 0)
			return -1;
		nodes->numbers->block_nodes = 0;
	}
	for (size_t i = 0; i < count; i++) {
		rows[i].id = ++nodes->numbers->next_node;
		rows[i].set = nodes->set;
		if (stk_writer_add(nodes->writer, STK_TREE_NODE, &rows[i], err) < 0)
			return -1;
	}
	nodes->numbers->block_nodes += (uint32_t)count;
	return 0;
}

static uint32_t
number_alike(void *context, uint32_t type)
{
	struct node_writer *nodes = context;
	const struct pair_sum *of = &nodes->types.sums.at[type - 1];

	return alike_stacks_number(nodes->alike, of->b, stack_prefix_is_java(of->a));
}

struct tree_sink
node_writer_sink(struct node_writer *nodes)
{
	return (struct tree_sink){ nodes, write_counts, write_nodes, nodes->alike == NULL ? NULL : number_alike };
}
