/* SPDX-License-Identifier: MIT
 * tree_join: roots are read with their counts; a leaf that keeps none is counted again from its samples. */
#include "timetree/tree_join.h"

#include "timetree/sample_types.h"
#include "timetree/tree_reader.h"

/* A root of the base with its counts. */
static int
load_root(const struct tree_base *base, struct tree_reader *tree, uint64_t id, struct tree_made *made,
	struct stk_error *err)
{
	struct pair_sums sums = { 0 };
	enum tree_access_result got;

	*made = (struct tree_made){ 0 };
	got = tree_reader_node(tree, id, &made->node, err);
	if (got == TREE_TAKEN && made->node.counts > 0)
		got = tree_reader_counts(tree, &made->node, base->prefixes, false, &sums, err);
	for (size_t i = 0; i < sums.sums.count; i++) {
		const struct pair_sum *sum = &sums.sums.at[i];

		*array_push(&made->counts.list) =
			(struct tree_count){ node_writer_type(base->nodes, sum->a, sum->b), sum->count, sum->weight };
	}
	tree_counts_settle(&made->counts);
	pair_sums_release(&sums);
	if (got == TREE_DAMAGED)
		return stk_fail(err, STK_EDATA, "a root of the tree is damaged: build it anew");
	return got == TREE_FAILED ? -1 : 0;
}

/* All roots of the base, and its description; nothing where it has no tree. */
static int
load_roots(const struct tree_base *base, struct tree_roots *roots, struct stk_tree *row, struct stk_error *err)
{
	struct tree_reader *tree;
	const struct tree_facts *facts;
	int got = tree_reader_open(&tree, base->file, 0, err), result = 0;

	*row = (struct stk_tree){ .from = STK_TIME_UNKNOWN, .to = STK_TIME_UNKNOWN };
	if (got <= 0)
		return got;
	if (!tree_reader_choose_keys(tree, base->by))
		result = stk_fail(err, STK_EDATA, "the tree has no counts by '%s': build it anew", base->by);
	facts = tree_reader_facts(tree);
	*row = facts->row;
	for (size_t i = 0; i < facts->roots.count && result == 0; i++)
		result = load_root(base, tree, facts->roots.at[i], array_push(&roots->made), err);
	tree_reader_close(tree);
	return result;
}

/* --- leaves --- */

/* Those samples of a block that are rows of a leaf. */
static int
count_block(const struct tree_base *base, struct sample_types *types, const struct file_block *at,
	const struct stk_tree_node *leaf, struct tree_counts *sum, struct stk_error *err)
{
	struct stk_reader *reader = stream_file_reader(base->file);
	uint64_t from = leaf->first_row, to = from + leaf->rows;
	struct sample_columns c;
	struct stk_block block;
	const uint32_t *rows;
	uint32_t count;

	if (stream_file_go(base->file, 0, at, &block, err) <= 0 ||
		sample_columns_load(&c, SAMPLE_WEIGHT | SAMPLE_TYPE_COLUMNS, NULL, reader, &block, err) < 0 ||
		selection_rows(base->selection, reader, &block, &rows, &count, err) < 0)
		return err->code == STK_EOK ? stk_fail(err, STK_EDATA, "samples of the tree are damaged: build it anew")
					    : -1;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = selected_row(rows, i);

		if (at->first_row + row >= from && at->first_row + row < to)
			*array_push(&sum->list) =
				(struct tree_count){ sample_type(types, &c, row), 1, sample_value(&c.weight, row) };
	}
	return 0;
}

/* The samples of a leaf that keeps no counts. */
static int
count_leaf(const struct tree_base *base, struct tree_made *leaf, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(base->file, 0, STK_SAMPLE, &count);
	uint64_t lost_before = 0;	/* reported when they were added */
	struct sample_types types = {
		.model = base->model, .prefixes = base->prefixes, .pairs = &base->nodes->types, .lost = &lost_before
	};
	struct tree_counts sum = { 0 };
	uint64_t from = leaf->node.first_row, to = from + leaf->node.rows;
	int result = 0;

	for (size_t b = 0; b < count && result == 0; b++)
		if (blocks[b].first_row + blocks[b].rows > from && blocks[b].first_row < to)
			result = count_block(base, &types, &blocks[b], &leaf->node, &sum, err);
	tree_counts_settle(&sum);
	sample_types_release(&types);
	array_release(&leaf->counts.list);
	leaf->counts = sum;
	return result;
}

/* Two leaves that follow one another, and together are still one. */
static bool
is_one_leaf(const struct tree_shape *shape, const struct stk_tree_node *a, const struct stk_tree_node *b)
{
	return a->form == STK_NODE_LEAF && b->form == STK_NODE_LEAF && a->time != STK_TIME_UNKNOWN &&
	       a->first_row + a->rows == b->first_row && tree_node_end(a) <= b->time && a->rows + b->rows < shape->leaf;
}

static void
extend_leaf(struct tree_made *a, struct tree_made *b)
{
	a->node.length = tree_span(a->node.time, tree_node_end(&b->node));
	a->node.rows += b->node.rows;
	a->node.samples += b->node.samples;
	a->node.kept = a->node.samples;
	a->node.counts = a->node.first_count = 0;
	tree_counts_add(&a->counts, &b->counts);
	array_release(&b->counts.list);
}

/* --- joining --- */

/* Whether the last two roots are to become one: samples without a time are apart, and the earlier root is not much
 * larger. */
static bool
carries(const struct tree_roots *roots)
{
	const struct stk_tree_node *a, *b;

	if (roots->made.count < 2)
		return false;
	a = &roots->made.at[roots->made.count - 2].node;
	b = &roots->made.at[roots->made.count - 1].node;
	return a->time != STK_TIME_UNKNOWN && b->time != STK_TIME_UNKNOWN && a->samples <= 2 * b->samples;
}

/* The last two roots become one. */
static int
carry(const struct tree_base *base, struct tree_roots *roots, struct stk_error *err)
{
	struct tree_sink sink = node_writer_sink(base->nodes);
	struct tree_made *a = &roots->made.at[roots->made.count - 2], *b = a + 1, parent;
	int result;

	if (a->node.form == STK_NODE_LEAF && a->counts.list.count == 0 && a->node.samples > 0 &&
		count_leaf(base, a, err) < 0)
		return -1;
	if (is_one_leaf(base->shape, &a->node, &b->node)) {
		extend_leaf(a, b);
		roots->made.count--;
		return 0;
	}
	result = tree_join(base->shape, &sink, a, 2, NULL, &parent, err);
	*a = parent;
	roots->made.count--;
	return result;
}

int
tree_join_roots(const struct tree_base *base, struct tree_roots *roots, struct stk_tree *row, struct stk_error *err)
{
	struct tree_roots all = { 0 };
	int result = load_roots(base, &all, row, err);

	for (size_t i = 0; i < roots->made.count && result == 0; i++) {
		*array_push(&all.made) = roots->made.at[i];
		roots->made.at[i].counts = (struct tree_counts){ 0 };
		while (carries(&all) && result == 0)
			result = carry(base, &all, err);
	}
	tree_roots_release(roots);
	*roots = all;
	return result;
}
