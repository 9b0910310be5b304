/* SPDX-License-Identifier: MIT
 * tree_reader: blocks of nodes are kept decoded; counts are read and forgotten. */
#include "timetree/tree_reader.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "timetree/tree_builder.h"	/* tree_node_end */

#include <stdio.h>
#include <stdlib.h>

struct key { struct stk_text text; bool java; };

struct tree_reader {
	struct stream_file *file;
	unsigned stream;
	struct tree_facts set[KEY_SETS_MOST];
	unsigned sets, chosen;
	const struct file_block *node_blocks, *count_blocks;
	size_t node_blocks_count, count_blocks_count;
	struct stk_tree_node **nodes;		/* by block; NULL: not yet read */
	struct arena key_texts;
	ARRAY(struct key) keys;			/* key n is at n - 1 */
	ARRAY(uint32_t) prefixes;		/* of keys, once known */
	ARRAY(bool) used;			/* by prefix: it is that of a key */
	bool shared;				/* some keys have one prefix: then a node may have a pair twice */
	struct pair_sums gathered;		/* of one node, not mapped */
};

/* --- opening --- */

static void
keep_text(char *to, size_t room, struct stk_text text)
{
	(void)snprintf(to, room, "%.*s", (int)text.size, text.data == NULL ? "" : text.data);
}

static void
keep_facts(struct tree_facts *facts, const struct stk_tree *row)
{
	const char *at = row->roots.data, *end = at + row->roots.size;

	facts->row = *row;
	keep_text(facts->rule, sizeof facts->rule, row->rule);
	keep_text(facts->zone, sizeof facts->zone, row->zone);
	keep_text(facts->by, sizeof facts->by, row->by);
	keep_text(facts->event, sizeof facts->event, row->event);
	while (at < end) {
		uint64_t id = 0;

		for (; at < end && *at >= '0' && *at <= '9'; at++)
			id = id * 10 + (uint64_t)(*at - '0');
		*array_push(&facts->roots) = id;
		at += at < end;
	}
}

/* The block's rows are decoded: 1; 0 damaged; -1. */
static int
decode_block(struct stream_file *file, unsigned stream, const struct file_block *at, struct stk_block *block,
	     struct stk_error *err)
{
	int got = stream_file_go(file, stream, at, block, err);

	if (got <= 0)
		return got;
	if (stk_reader_rows(stream_file_reader(file), err) == 0)
		return 1;
	if (err->code != STK_EDATA)
		return -1;
	stk_error_clear(err);
	return 0;
}

static int
read_block(struct tree_reader *r, const struct file_block *at, struct stk_block *block, struct stk_error *err)
{
	return decode_block(r->file, r->stream, at, block, err);
}

/* The last row of the reader's present block, and those of the further sets before it. */
static void
keep_sets(struct tree_reader *r, uint32_t rows)
{
	struct stk_tree row;

	while (rows-- > 0 && r->sets < KEY_SETS_MOST) {
		stk_reader_row(stream_file_reader(r->file), rows, &row);
		if (r->sets > 0 && row.set != r->sets)
			break;
		keep_facts(&r->set[r->sets++], &row);
	}
}

/* The last description that can be read. */
static int
read_facts(struct tree_reader *r, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(r->file, r->stream, STK_TREE, &count);

	while (count-- > 0) {
		struct stk_block block;
		int got = read_block(r, &blocks[count], &block, err);

		if (got < 0)
			return -1;
		if (got == 0 || block.rows == 0)
			continue;
		keep_sets(r, block.rows);
		return 1;
	}
	return 0;
}

static int
check_keys(struct tree_reader *r, struct stk_error *err)
{
	for (unsigned i = 0; i < r->sets; i++)
		if (!stack_prefixes_known(r->set[i].by))
			return stk_fail(err, STK_EDATA,
				"the tree begins stacks with '%s', which this version does not know", r->set[i].by);
	return 1;
}

static int
read_keys(struct tree_reader *r, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(r->file, r->stream, STK_TREE_KEY, &count);

	for (size_t b = 0; b < count; b++) {
		struct stk_block block;
		struct stk_tree_key row;
		int got = read_block(r, &blocks[b], &block, err);

		if (got <= 0)
			return got;
		for (uint32_t i = 0; i < block.rows; i++) {
			stk_reader_row(stream_file_reader(r->file), i, &row);
			if (row.id != r->keys.count + 1)
				return stk_fail(
					err, STK_EDATA,
					"the tree has key %llu where %zu is expected: its counts are ambiguous",
					(unsigned long long)row.id, r->keys.count + 1);
			*array_push(&r->keys) = (struct key){
				text_of(arena_copy(&r->key_texts, row.text.data, row.text.size), row.text.size),
				row.java != 0
			};
		}
	}
	return 1;
}

int
tree_reader_open(struct tree_reader **out, struct stream_file *file, unsigned stream, struct stk_error *err)
{
	struct tree_reader *r = mem_new(1, sizeof *r);
	int got;

	*out = r;
	r->file = file;
	r->stream = stream;
	r->node_blocks = stream_file_blocks(file, stream, STK_TREE_NODE, &r->node_blocks_count);
	r->count_blocks = stream_file_blocks(file, stream, STK_TREE_COUNT, &r->count_blocks_count);
	r->nodes = mem_new(r->node_blocks_count + 1, sizeof *r->nodes);
	got = read_facts(r, err);
	if (got > 0)
		got = check_keys(r, err);
	if (got > 0)
		got = read_keys(r, err);
	if (got > 0)
		return 1;
	tree_reader_close(r);
	*out = NULL;
	return got;
}

void
tree_reader_close(struct tree_reader *r)
{
	if (r == NULL)
		return;
	for (size_t b = 0; b < r->node_blocks_count; b++)
		free(r->nodes[b]);
	free(r->nodes);
	for (unsigned i = 0; i < r->sets; i++)
		array_release(&r->set[i].roots);
	arena_release(&r->key_texts);
	array_release(&r->keys);
	array_release(&r->prefixes);
	array_release(&r->used);
	pair_sums_release(&r->gathered);
	free(r);
}

/* Most trees have no thinned nodes: then only one column is read. 1 the block is good, 0 damaged, -1. */
static int
note_thinned(struct stream_file *file, uint32_t rows, struct tree_interval *lost, struct stk_error *err)
{
	struct stk_reader *reader = stream_file_reader(file);
	const uint64_t *forms;
	int got = stk_reader_column(reader, STK_COLUMN(tree_node, form), &forms, err);

	for (uint32_t i = 0; i < rows && got == 0; i++) {
		struct stk_tree_node node;

		if (forms[i] != STK_NODE_THINNED)
			continue;
		if ((got = stk_reader_rows(reader, err)) < 0)
			break;
		stk_reader_row(reader, i, &node);
		lost->from = node.time < lost->from ? node.time : lost->from;
		lost->to = tree_node_end(&node) > lost->to ? tree_node_end(&node) : lost->to;
	}
	if (got == 0)
		return 1;
	if (err->code != STK_EDATA)
		return -1;
	stk_error_clear(err);
	return 0;
}

int
tree_reader_thinned(struct stream_file *file, unsigned stream, struct tree_interval *lost, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, stream, STK_TREE_NODE, &count);

	*lost = (struct tree_interval){ INT64_MAX, INT64_MIN };
	for (size_t b = 0; b < count; b++) {
		struct stk_block block;
		int got = stream_file_go(file, stream, &blocks[b], &block, err);

		if (got > 0)
			got = note_thinned(file, block.rows, lost, err);
		if (got < 0)
			return -1;
		if (got == 0)
			*lost = (struct tree_interval){ INT64_MIN, INT64_MAX };
	}
	return lost->from < lost->to;
}

size_t
tree_reader_keys(const struct tree_reader *r)
{
	return r->keys.count;
}

struct stk_text
tree_reader_key(const struct tree_reader *r, size_t at)
{
	return r->keys.at[at].text;
}

const struct tree_facts *
tree_reader_facts(const struct tree_reader *r)
{
	return &r->set[r->chosen];
}

void
tree_reader_sets(const struct tree_reader *r, struct key_sets *sets)
{
	sets->count = r->sets;
	for (unsigned i = 0; i < r->sets; i++)
		sets->by[i] = r->set[i].by;
}

void
tree_reader_choose(struct tree_reader *r, unsigned set)
{
	r->chosen = set;
}

bool
tree_reader_choose_keys(struct tree_reader *r, const char *by)
{
	for (unsigned i = 0; i < r->sets; i++)
		if (strcmp(r->set[i].by, by) == 0) {
			r->chosen = i;
			return true;
		}
	return false;
}

/* --- nodes and counts --- */

/* The block that holds a row of a kind; NULL when there is none. */
static const struct file_block *
block_of_row(const struct file_block *blocks, size_t count, uint64_t row)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (blocks[middle].first_row + blocks[middle].rows <= row)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && blocks[low].first_row <= row ? &blocks[low] : NULL;
}

uint64_t
tree_reader_nodes(const struct tree_reader *r)
{
	const struct file_block *last = r->node_blocks_count == 0 ? NULL : &r->node_blocks[r->node_blocks_count - 1];

	return last == NULL ? 0 : last->first_row + last->rows;
}

enum tree_access_result
tree_reader_node(struct tree_reader *r, uint64_t id, struct stk_tree_node *node, struct stk_error *err)
{
	const struct file_block *at = block_of_row(r->node_blocks, r->node_blocks_count, id - 1);
	struct stk_tree_node **rows;

	if (id == 0 || at == NULL)
		return TREE_DAMAGED;
	rows = &r->nodes[at - r->node_blocks];
	if (*rows == NULL) {
		struct stk_block block;
		int got = read_block(r, at, &block, err);

		if (got <= 0)
			return got < 0 ? TREE_FAILED : TREE_DAMAGED;
		*rows = mem_new(block.rows, sizeof **rows);
		for (uint32_t i = 0; i < block.rows; i++)
			stk_reader_row(stream_file_reader(r->file), i, &(*rows)[i]);
	}
	*node = (*rows)[id - 1 - at->first_row];
	return node->id == id ? TREE_TAKEN : TREE_DAMAGED;
}

/* Keys may have one prefix: they may be folded, or the prefix is bare. */
static void
note_prefix(struct tree_reader *r, uint32_t prefix)
{
	array_lengthen(&r->used, (size_t)prefix + 1);
	r->shared |= r->used.at[prefix];
	r->used.at[prefix] = true;
}

/* The prefix of a stored key; 0 when there is no such. */
static uint32_t
prefix_of_key(struct tree_reader *r, uint64_t key, struct stack_prefixes *prefixes, bool bare)
{
	if (key == 0 || key > r->keys.count)
		return 0;
	array_lengthen(&r->prefixes, r->keys.count);
	if (r->prefixes.at[key - 1] == 0) {
		r->prefixes.at[key - 1] = stack_prefix_of_text(
			prefixes, bare ? text_of("", 0) : r->keys.at[key - 1].text, r->keys.at[key - 1].java);
		note_prefix(r, r->prefixes.at[key - 1]);
	}
	return r->prefixes.at[key - 1];
}

/* Rows from..to of the present block, which must be this node's. */
static enum tree_access_result
gather_counts(struct tree_reader *r, const struct stk_tree_node *node, uint32_t from, uint32_t to,
	struct stack_prefixes *prefixes, bool bare, struct stk_error *err)
{
	static const unsigned wanted[5] = { STK_COLUMN(tree_count, time), STK_COLUMN(tree_count, key),
		STK_COLUMN(tree_count, stack), STK_COLUMN(tree_count, count), STK_COLUMN(tree_count, extra) };
	const uint64_t *columns[5];

	for (unsigned c = 0; c < 5; c++)
		if (stk_reader_column(stream_file_reader(r->file), wanted[c], &columns[c], err) < 0)
			return err->code == STK_EDATA ? TREE_DAMAGED : TREE_FAILED;
	for (uint32_t i = from; i < to; i++) {
		uint32_t prefix = prefix_of_key(r, columns[1][i], prefixes, bare);
		int64_t time = (int64_t)columns[0][i];

		/* at first the counts of a node that begins with a gap had the time of its first child */
		if (time < node->time || time >= tree_node_end(node))
			return TREE_DAMAGED;
		if (prefix == 0 || columns[2][i] > UINT32_MAX)
			return TREE_DAMAGED;
		*array_push(&r->gathered.sums) = (struct pair_sum){ prefix, (uint32_t)columns[2][i], columns[3][i],
			columns[3][i] + columns[4][i] };
	}
	return TREE_TAKEN;
}

/* The first node's counts, which may be all, need not be looked for among others. */
static void
add_gathered(struct tree_reader *r, struct pair_sums *sums)
{
	if (sums->sums.count == 0 && !r->shared) {
		struct pair_sums swap = *sums;

		*sums = r->gathered;
		r->gathered = swap;
		return;
	}
	for (size_t i = 0; i < r->gathered.sums.count; i++)
		pair_sums_add(sums, &r->gathered.sums.at[i]);
}

enum tree_access_result
tree_reader_counts(struct tree_reader *r, const struct stk_tree_node *node, struct stack_prefixes *prefixes, bool bare,
	struct pair_sums *sums, struct stk_error *err)
{
	uint64_t row = node->first_count, end = row + node->counts, kept = 0;

	pair_sums_clear(&r->gathered);
	while (row < end) {
		const struct file_block *at = block_of_row(r->count_blocks, r->count_blocks_count, row);
		struct stk_block block;
		uint64_t stop;
		enum tree_access_result result;
		int got = at == NULL ? 0 : stream_file_go(r->file, r->stream, at, &block, err);

		if (got <= 0)
			return got < 0 ? TREE_FAILED : TREE_DAMAGED;
		stop = at->first_row + at->rows < end ? at->first_row + at->rows : end;
		result = gather_counts(r, node, (uint32_t)(row - at->first_row), (uint32_t)(stop - at->first_row),
			prefixes, bare, err);
		if (result == TREE_DAMAGED)
			stk_error_clear(err);
		if (result != TREE_TAKEN)
			return result;
		row = stop;
	}
	for (size_t i = 0; i < r->gathered.sums.count; i++)
		kept += r->gathered.sums.at[i].count;
	if (kept != node->kept)
		return TREE_DAMAGED;
	add_gathered(r, sums);
	return TREE_TAKEN;
}
