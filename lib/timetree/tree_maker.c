/* SPDX-License-Identifier: MIT
 * tree_maker: gathers into a stage, a temporary file with a writer; sorts that into another where it must; then reads it once and writes nodes behind it. */
#include "timetree/tree_maker.h"

#include "base/memory.h"
#include "base/text_buffer.h"
#include "base/time_math.h"
#include "choose/selection.h"
#include "model/records_merge.h"
#include "stream/stream_file.h"
#include "timetree/node_writer.h"
#include "timetree/sample_sort.h"
#include "timetree/tree_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_SKIP_MOST (1u << 31)		/* an id from here on is none that a writer comes to */

/* A temporary file and what writes into it. */
struct stage { struct scratch *file; struct stk_writer *writer; };

struct tree_maker {
	struct maker_options options;
	struct stage stage;
	struct stage tree;			/* the nodes that the present stream of the input came with; no file: it has none so far */
	struct stream_file *base;		/* NULL: a new stream */
	struct stream_file *staged;		/* the stage, read back */
	struct merge *merge;			/* once there is more than one stream; NULL: blocks pass, and ids stay as they are, from commit to commit */
	bool begun;				/* the head of the first stream passed */
	bool shuffled;				/* blocks are not in the order of time */
	int64_t last_ns;			/* of the blocks so far */
	uint64_t input_lost, lost, lost_said;	/* incidents: of the inputs, of all, and those that an end record counts */

	/* of the output: its definitions, prefixes, types */
	struct model *model;
	uint32_t next_id[STK_KIND_COUNT];	/* of the base: no id of a definition is given twice, even where the first one was lost */
	size_t defined;				/* blocks of the stage that the model knows */
	struct stack_prefixes *prefixes;
	struct selection *selection;
	struct node_writer nodes;
	struct tree_grouping thinned;		/* nodes of which counts alone are left */
	ARRAY(struct tree_made) thin;		/* those of inputs, not yet in order */
	struct tree_roots roots;
	struct maker_totals totals;
	char event[TREE_TEXT_MAX];
	bool event_known;
	uint64_t row[STK_COLUMN_MAX * 2];
};

/* --- stages --- */

static int
write_stage(void *context, const void *from, size_t size, struct stk_error *err)
{
	return scratch_write(context, from, size, err);
}

/* A writer in the middle of the base's stream. */
static void
resume(struct tree_maker *m, struct stk_writer *writer)
{
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(m->base, 0, &count);
	int64_t start = stream_file_start(m->base, 0);
	struct stk_index *index = mem_new(count + 1, sizeof *index);

	for (size_t b = 0; b < count; b++)
		index[b] = (struct stk_index){ .kind = blocks[b].kind, .rows = blocks[b].rows, .offset = (uint64_t)(blocks[b].offset - start),
			.time = blocks[b].has_time ? blocks[b].from_ns : STK_TIME_UNKNOWN, .length = blocks[b].has_time ? tree_span(blocks[b].from_ns, blocks[b].to_ns) : 0 };
	stk_writer_resume(writer, index, count, (uint64_t)(stream_file_blocks_end(m->base, 0) - start), m->next_id);
	stk_writer_lost(writer, stream_file_lost(m->base, 0));
	free(index);
}

static int
stage_open(struct tree_maker *m, struct stage *stage, struct stk_error *err)
{
	struct stk_writer_options options = { .write = write_stage, .level = m->options.level, .workers = m->options.workers };

	if (scratch_open(&stage->file, err) < 0)
		return -1;
	options.context = stage->file;
	if (stk_writer_open(&stage->writer, &options, err) < 0)
		return -1;
	if (m->base != NULL)
		resume(m, stage->writer);
	return 0;
}

static void
stage_close(struct stage *stage)
{
	struct stk_error unheard = { 0 };

	if (stk_writer_close(stage->writer, false, &unheard) < 0)
		stk_error_clear(&unheard);
	scratch_close(stage->file);
	*stage = (struct stage){ 0 };
}

/* --- opening --- */

/* The ids of a block of definitions are taken, whether or not it can be read. */
static void
note_ids(struct tree_maker *m, const struct file_block *at, const struct stk_block *block)
{
	uint32_t *next = &m->next_id[at->kind];
	uint64_t end = (block != NULL ? block->first_id : *next) + (uint64_t)at->rows;

	if (end > *next)
		*next = end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
}

/* What the blocks of a file from a number on define. */
static int
define(struct tree_maker *m, struct stream_file *file, size_t from, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(file, 0, &count);

	for (size_t b = from; b < count; b++) {
		struct stk_block block;
		int got;

		if (blocks[b].kind == STK_HEAD || blocks[b].kind >= STK_KIND_COUNT || !stk_schema()->kind[blocks[b].kind].definition)
			continue;
		got = stream_file_go(file, 0, &blocks[b], &block, err);
		note_ids(m, &blocks[b], got > 0 ? &block : NULL);
		if (got > 0 && model_take(m->model, stream_file_reader(file), &block, err) < 0)
			got = err->code == STK_EDATA ? 0 : -1;
		if (got < 0)
			return -1;
		m->totals.lost_blocks += got == 0;
		stk_error_clear(err);
	}
	return 0;
}

/* Ids in a column that nothing defines. */
static void
skip_ids(struct tree_maker *m, enum stk_kind kind, const uint64_t *ids, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++)
		if (ids[i] >= m->next_id[kind] && ids[i] < ID_SKIP_MOST)
			m->next_id[kind] = (uint32_t)ids[i] + 1;
}

/* Rows that passed may refer to definitions that were lost. Definitions of another stream must not get their ids: these rows would become that stream's. */
static int
skip_lost_ids(struct tree_maker *m, struct stream_file *file, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(file, 0, &count);

	for (size_t b = 0; b < count; b++) {
		const struct stk_kind_schema *kind = blocks[b].kind < STK_KIND_COUNT ? &stk_schema()->kind[blocks[b].kind] : NULL;
		struct stk_block block;

		if (kind == NULL || kind->name == NULL || blocks[b].bytes == 0)
			continue;
		for (unsigned c = 0; c < kind->columns; c++) {
			const uint64_t *ids;
			int got = kind->column[c].type != STK_TYPE_ID ? 0 : stream_file_go(file, 0, &blocks[b], &block, err);

			if (got > 0 && stk_reader_column(stream_file_reader(file), c, &ids, err) == 0)
				skip_ids(m, (enum stk_kind)kind->column[c].refers, ids, block.rows);
			if (got < 0 || (err->code != STK_EOK && err->code != STK_EDATA))
				return -1;
			stk_error_clear(err);		/* damage is counted where the block is used */
		}
	}
	return 0;
}

/* What the stage defines, as far as it is not known yet. */
static int
define_staged(struct tree_maker *m, struct stream_file *staged, struct stk_error *err)
{
	size_t count;

	(void)stream_file_all_blocks(staged, 0, &count);
	if (define(m, staged, m->defined, err) < 0)
		return -1;
	m->defined = count;
	return 0;
}

static void
know_rows(struct tree_maker *m)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(m->base, 0, STK_TREE_COUNT, &count);

	m->nodes.next_count = count == 0 ? 0 : blocks[count - 1].first_row + blocks[count - 1].rows;
	blocks = stream_file_blocks(m->base, 0, STK_TREE_NODE, &count);
	m->nodes.next_node = count == 0 ? 0 : blocks[count - 1].first_row + blocks[count - 1].rows;
}

/* The keys that the base has, all of them; -1. */
static int
know_keys(struct tree_maker *m, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(m->base, 0, STK_TREE_KEY, &count);

	for (size_t b = 0; b < count; b++) {
		struct stk_block block;
		struct stk_tree_key row;
		int got = stream_file_go(m->base, 0, &blocks[b], &block, err);

		if (got <= 0 || stk_reader_rows(stream_file_reader(m->base), err) < 0)
			return got < 0 ? -1 : stk_fail(err, STK_EDATA, "its keys are damaged: build it anew");
		for (uint32_t i = 0; i < block.rows; i++) {
			stk_reader_row(stream_file_reader(m->base), i, &row);
			node_writer_know_key(&m->nodes, row.id, row.text, row.java != 0);
		}
	}
	return 0;
}

static int
begin_output(struct tree_maker *m, struct stk_error *err)
{
	if (model_open(&m->model) < 0 || stack_prefixes_open(&m->prefixes, m->model, m->options.by, err) < 0)
		return -1;
	m->nodes.prefixes = m->prefixes;
	return 0;
}

/* After what the base holds: another stream than its own comes. */
static int
go_on(struct tree_maker *m, struct stk_error *err)
{
	if (know_keys(m, err) < 0)
		return -1;
	know_rows(m);
	m->begun = true;
	merge_resume(&m->merge, m->stage.writer, m->model);
	return 0;
}

int
tree_maker_open(struct tree_maker **out, const struct maker_options *options, struct stream_file *base, struct stk_error *err)
{
	struct tree_maker *m = *out = mem_new(1, sizeof *m);

	m->options = *options;
	m->base = base;
	m->last_ns = INT64_MIN;
	m->totals.from_ns = m->totals.to_ns = STK_TIME_UNKNOWN;
	for (unsigned k = 0; k < STK_KIND_COUNT; k++)
		m->next_id[k] = 1;
	if (begin_output(m, err) < 0 || (base != NULL && define(m, base, 0, err) < 0))
		return -1;
	if (base != NULL && (stream_file_lost(base, 0) > 0 || !stream_file_is_whole(base, 0)) && skip_lost_ids(m, base, err) < 0)
		return -1;
	if (stage_open(m, &m->stage, err) < 0)
		return -1;
	return base != NULL ? go_on(m, err) : 0;
}

static void
forget_made(struct tree_maker *m)
{
	for (size_t i = 0; i < m->thin.count; i++)
		array_release(&m->thin.at[i].counts.list);
	m->thin.count = 0;
	for (unsigned l = 0; l < TREE_LEVELS_MOST; l++)
		tree_roots_release(&m->thinned.level[l]);
	tree_roots_release(&m->roots);
}

void
tree_maker_close(struct tree_maker *m)
{
	if (m == NULL)
		return;
	stream_file_close(m->staged);
	merge_close(m->merge);
	stage_close(&m->stage);
	stage_close(&m->tree);
	forget_made(m);
	array_release(&m->thin);
	node_writer_release(&m->nodes);
	selection_close(m->selection);
	stack_prefixes_close(m->prefixes);
	model_close(m->model);
	free(m);
}

void
tree_maker_lost(struct tree_maker *m, uint64_t incidents)
{
	m->input_lost += incidents;
}

/* --- taking --- */

/* What is thinned in the tree of a stream is known when all of it came, and the input need not be one that can be read twice. */
static int
keep_tree_block(struct tree_maker *m, struct stk_reader *reader, struct stk_error *err)
{
	struct stk_writer_options options = { .write = write_stage, .level = STK_LEVEL_PIPE };

	if (m->tree.file == NULL) {
		if (scratch_open(&m->tree.file, err) < 0)
			return -1;
		options.context = m->tree.file;
		if (stk_writer_open(&m->tree.writer, &options, err) < 0)
			return -1;
	}
	return stk_writer_pass(m->tree.writer, reader, err);
}

static bool
is_tree_kind(unsigned kind)
{
	return kind == STK_TREE || kind == STK_TREE_NODE || kind == STK_TREE_KEY || kind == STK_TREE_COUNT;
}

/* A second stream: from now on everything is renumbered, and what passed so far keeps its ids. */
static int
begin_merge(struct tree_maker *m, struct stk_error *err)
{
	struct stream_file *so_far = NULL;
	int result = stk_writer_flush(m->stage.writer, err);

	if (result == 0)
		result = stream_file_open_scratch(&so_far, m->stage.file, NULL, NULL, err);
	if (result == 0 && stream_file_streams(so_far) > 0 && (define_staged(m, so_far, err) < 0 || skip_lost_ids(m, so_far, err) < 0))
		result = -1;
	stream_file_close(so_far);
	for (unsigned k = STK_STRING; k <= STK_DUMP && result == 0; k++)
		stk_writer_skip_ids(m->stage.writer, (enum stk_kind)k, m->next_id[k]);
	if (result == 0)
		merge_resume(&m->merge, m->stage.writer, m->model);
	return result;
}

static int
take_head(struct tree_maker *m, struct stk_reader *reader, struct stk_error *err)
{
	if (tree_maker_end_stream(m, err) < 0)
		return -1;
	if (!m->begun) {
		m->begun = true;
		return stk_writer_pass(m->stage.writer, reader, err);
	}
	if (m->merge == NULL && begin_merge(m, err) < 0)
		return -1;
	merge_turn(m->merge);
	return 0;
}

/* Whether blocks come in the order of time; that rows do is seen when they are counted. */
static void
note_order(struct tree_maker *m, const struct stk_block *block)
{
	int64_t from = block->has_time ? block->from_ns : STK_TIME_UNKNOWN;

	if (from < m->last_ns || !block->has_time)
		m->shuffled |= m->last_ns != INT64_MIN;
	m->last_ns = block->has_time && block->to_ns > m->last_ns ? block->to_ns : m->last_ns;
}

/* Whether rows of a kind are about definitions, or may be. */
static bool
has_ids(const struct stk_kind_schema *kind)
{
	if (kind == NULL || kind->definition)
		return true;
	for (unsigned c = 0; c < kind->columns; c++)
		if (kind->column[c].type == STK_TYPE_ID)
			return true;
	return false;
}

/* Of a kind from the future: without its struct no row of it can be written again, so that its ids would be those of other things. */
static int
take_unknown(struct tree_maker *m, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	if (!has_ids(block->schema))
		return stk_writer_pass(m->stage.writer, reader, err);
	m->totals.unknown_rows += block->rows;
	return 0;
}

static int
take_rows(struct tree_maker *m, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	if (block->kind >= STK_KIND_COUNT || stk_schema()->kind[block->kind].name == NULL)
		return take_unknown(m, reader, block, err);
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		stk_reader_row(reader, i, m->row);
		merge_map_row(m->merge, block->kind, m->row);
		if (stk_writer_add(m->stage.writer, (enum stk_kind)block->kind, m->row, err) < 0)
			return -1;
	}
	return 0;
}

/* Times that are not believed are reported now: nobody hears of them when the stage is read back. They are in blocks without a range. */
static int
hear_times(struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	const uint64_t *unused;

	return block->has_time ? 0 : stk_reader_column(reader, STK_COLUMN(sample, time), &unused, err);
}

int
tree_maker_take(struct tree_maker *m, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	if (block->kind == STK_HEAD)
		return take_head(m, reader, err);
	if (is_tree_kind(block->kind))
		return keep_tree_block(m, reader, err);
	if (block->kind == STK_SAMPLE && hear_times(reader, block, err) < 0)
		return -1;
	if (block->kind == STK_SAMPLE)
		note_order(m, block);
	if (m->merge == NULL)
		return stk_writer_pass(m->stage.writer, reader, err);
	return block->kind <= STK_DUMP ? merge_take(m->merge, reader, block, err) : take_rows(m, reader, block, err);
}

/* --- what is thinned already --- */

static int
take_thin_node(struct tree_maker *m, struct tree_reader *tree, const struct stk_tree_node *node, struct stk_error *err)
{
	struct pair_sums sums = { 0 };
	struct tree_made made = { .node = { .time = node->time, .length = node->length, .form = STK_NODE_THINNED, .samples = node->samples, .bound = node->bound } };
	enum tree_access_result got = tree_reader_counts(tree, node, m->prefixes, false, &sums, err);

	m->totals.lost_nodes += got == TREE_DAMAGED;
	for (size_t i = 0; i < sums.sums.count && got == TREE_TAKEN; i++) {
		struct stk_tree_count row = { .stack = sums.sums.at[i].b };

		if (m->merge != NULL)
			merge_map_row(m->merge, STK_TREE_COUNT, &row);
		*array_push(&made.counts.list) = (struct tree_count){ node_writer_type(&m->nodes, sums.sums.at[i].a, (uint32_t)row.stack), sums.sums.at[i].count, sums.sums.at[i].weight };
	}
	tree_counts_settle(&made.counts);
	pair_sums_release(&sums);
	if (got == TREE_TAKEN)
		*array_push(&m->thin) = made;
	return got == TREE_FAILED ? -1 : 0;
}

static int
take_thin_below(struct tree_maker *m, struct tree_reader *tree, uint64_t id, struct stk_error *err)
{
	struct stk_tree_node node;
	enum tree_access_result got = tree_reader_node(tree, id, &node, err);

	m->totals.lost_nodes += got == TREE_DAMAGED;
	if (got != TREE_TAKEN)
		return got == TREE_FAILED ? -1 : 0;
	if (node.form == STK_NODE_THINNED)
		return take_thin_node(m, tree, &node, err);
	if (node.last >= id || node.children > node.last)
		return 0;
	for (uint64_t child = node.last - node.children + 1; child <= node.last && node.children > 0; child++)
		if (take_thin_below(m, tree, child, err) < 0)
			return -1;
	return 0;
}

/* Whether a tree has thinned nodes, or nodes that cannot be read: 1, 0, -1. */
static int
has_thinned(struct stream_file *file, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, 0, STK_TREE_NODE, &count);

	for (size_t b = 0; b < count; b++) {
		struct stk_block block;
		const uint64_t *forms;
		int got = stream_file_go(file, 0, &blocks[b], &block, err);

		if (got <= 0 || stk_reader_column(stream_file_reader(file), STK_COLUMN(tree_node, form), &forms, err) < 0) {
			if (got < 0 || (err->code != STK_EOK && err->code != STK_EDATA))
				return -1;
			stk_error_clear(err);
			return 1;
		}
		for (uint32_t i = 0; i < block.rows; i++)
			if (forms[i] == STK_NODE_THINNED)
				return 1;
	}
	return 0;
}

static int
take_thinned(struct tree_maker *m, struct stream_file *file, struct stk_error *err)
{
	struct tree_reader *tree;
	int got = stream_file_streams(file) == 0 ? 0 : has_thinned(file, err);

	if (got <= 0)
		return got;
	got = tree_reader_open(&tree, file, 0, err);
	if (got <= 0) {
		m->totals.lost_nodes += got == 0;		/* they are there, and no description that can be read */
		return got;
	}
	for (size_t i = 0; i < tree_reader_facts(tree)->roots.count && got > 0; i++)
		got = take_thin_below(m, tree, tree_reader_facts(tree)->roots.at[i], err) < 0 ? -1 : 1;
	tree_reader_close(tree);
	return got < 0 ? -1 : 0;
}

int
tree_maker_end_stream(struct tree_maker *m, struct stk_error *err)
{
	struct stk_writer *writer = m->tree.writer;
	struct stream_file *file = NULL;
	int result = 0;

	if (m->tree.file == NULL)
		return 0;
	m->tree.writer = NULL;
	if (stk_writer_close(writer, true, err) < 0 || stream_file_open_scratch(&file, m->tree.file, NULL, NULL, err) < 0 || take_thinned(m, file, err) < 0)
		result = -1;
	stream_file_close(file);
	stage_close(&m->tree);
	return result;
}

/* --- reading the stage back --- */

static int
read_back(struct tree_maker *m, struct stk_error *err)
{
	stream_file_close(m->staged);
	m->staged = NULL;
	if (stk_writer_flush(m->stage.writer, err) < 0)
		return -1;
	return stream_file_open_scratch(&m->staged, m->stage.file, NULL, NULL, err);
}

static bool
is_empty(const struct tree_maker *m)
{
	return stream_file_streams(m->staged) == 0;
}

/* The blocks with samples of the stage, which may be without any block. */
static const struct file_block *
staged_samples(const struct tree_maker *m, size_t *count)
{
	*count = 0;
	return is_empty(m) ? NULL : stream_file_blocks(m->staged, 0, STK_SAMPLE, count);
}

#define THREADS_KEPT (1u << 20)
#define SPARSE_TIMES 4		/* types of stacks are kept by id while ids are at most this many times as high as there are stacks */
#define FETCH_AHEAD  16		/* rows */

struct columns { const uint64_t *time, *thread, *dump, *stack, *weight, *state; };

/* The type that a stack had the last time, and with which prefix. */
struct typed { uint32_t prefix, type; };

/* The feed of a builder: the samples of the stage. */
struct feed {
	struct tree_maker *maker;
	const struct file_block *blocks;
	size_t count, next;
	int64_t last;			/* time of the last row */
	bool disorder;			/* rows are not in order, or a block is damaged: it must be written anew */
	ARRAY(struct typed) types;	/* by stack */
	ARRAY(uint32_t) prefixes;	/* by thread, of samples outside of dumps and in them */
};

static int
decode(struct stk_reader *reader, struct columns *c, struct stk_error *err)
{
	return stk_reader_column(reader, STK_COLUMN(sample, time), &c->time, err) < 0 || stk_reader_column(reader, STK_COLUMN(sample, thread), &c->thread, err) < 0 ||
		stk_reader_column(reader, STK_COLUMN(sample, dump), &c->dump, err) < 0 || stk_reader_column(reader, STK_COLUMN(sample, stack), &c->stack, err) < 0 ||
		stk_reader_column(reader, STK_COLUMN(sample, weight), &c->weight, err) < 0 || stk_reader_column(reader, STK_COLUMN(sample, state), &c->state, err) < 0 ? -1 : 0;
}

static void
feed_release(struct feed *f)
{
	array_release(&f->types);
	array_release(&f->prefixes);
}

/* The prefix of a thread is kept here: asking for it takes longer than the rest. Thread 0 stands for several. */
static uint32_t
find_prefix(struct feed *f, const struct columns *c, uint32_t row)
{
	struct stack_prefixes *prefixes = f->maker->prefixes;
	uint64_t at = 2 * c->thread[row] + (c->dump[row] != 0);
	uint32_t prefix = stack_prefix(prefixes, c->thread[row], c->dump[row], c->state[row]);

	if (c->thread[row] == 0 || c->thread[row] >= THREADS_KEPT || !stack_prefix_is_of_thread(prefixes))
		return prefix;
	array_lengthen(&f->prefixes, at + 1);
	return f->prefixes.at[at] = prefix;
}

static inline uint32_t
prefix_of(struct feed *f, const struct columns *c, uint32_t row)
{
	uint64_t at = 2 * c->thread[row] + (c->dump[row] != 0);

	return at < f->prefixes.count && f->prefixes.at[at] != 0 ? f->prefixes.at[at] : find_prefix(f, c, row);
}

/* The type of a stack that was not seen with this prefix just before. */
static uint32_t
find_type(struct feed *f, uint32_t prefix, uint64_t stack)
{
	struct tree_maker *m = f->maker;
	uint32_t type = node_writer_type(&m->nodes, prefix, stack < UINT32_MAX ? (uint32_t)stack : UINT32_MAX);

	if (!model_knows(m->model, STK_STACK, stack)) {
		m->totals.lost_stacks++;
		return type;
	}
	if (stack / SPARSE_TIMES > model_count(m->model, STK_STACK))
		return type;
	if (stack >= f->types.count)
		array_lengthen(&f->types, (size_t)stack + 1);
	f->types.at[stack] = (struct typed){ prefix, type };
	return type;
}

static inline uint32_t
type_of(struct feed *f, const struct columns *c, uint32_t row)
{
	uint32_t prefix = prefix_of(f, c, row);
	uint64_t stack = c->stack[row];

	return stack < f->types.count && f->types.at[stack].prefix == prefix ? f->types.at[stack].type : find_type(f, prefix, stack);
}

/* False when times go back. */
static bool
feed_times(struct feed *f, const uint64_t *times, uint32_t rows, struct tree_samples *to)
{
	int64_t last = f->last, *at = to->times.at + to->times.count;
	bool ordered = true;

	for (uint32_t row = 0; row < rows; row++) {
		int64_t time = (int64_t)times[row];

		ordered &= time >= last;
		at[row] = last = time;
	}
	to->times.count += rows;
	f->last = last;
	return ordered;
}

/* The tables by stack are large: what is needed soon is fetched ahead. */
static void
feed_types(struct feed *f, const struct columns *c, uint32_t rows, uint32_t *to)
{
	for (uint32_t row = 0; row < rows; row++) {
		uint64_t ahead = row + FETCH_AHEAD < rows ? c->stack[row + FETCH_AHEAD] : 0;

		if (ahead < f->types.count)
			__builtin_prefetch(&f->types.at[ahead]);
		to[row] = type_of(f, c, row);
	}
}

static int
feed_block(struct feed *f, const struct columns *c, const struct stk_block *block, const uint32_t *rows, uint32_t count, struct tree_samples *to, struct stk_error *err)
{
	uint32_t *types;

	array_reserve(&to->times, block->rows);
	array_reserve(&to->types, block->rows);
	array_reserve(&to->weights, block->rows);
	if (!feed_times(f, c->time, block->rows, to)) {
		f->disorder = true;
		return stk_fail(err, STK_EDATA, "out of order");
	}
	types = to->types.at + to->types.count;
	if (rows == NULL)
		feed_types(f, c, block->rows, types);
	else
		memset(types, 0, block->rows * sizeof *types);
	for (uint32_t i = 0; rows != NULL && i < count; i++)
		types[rows[i]] = type_of(f, c, rows[i]);
	to->types.count += block->rows;
	memcpy(to->weights.at + to->weights.count, c->weight, block->rows * sizeof *c->weight);
	to->weights.count += block->rows;
	f->maker->totals.samples += count;
	f->maker->totals.other_events += block->rows - count;
	return 1;
}

static int
feed_more(void *context, struct tree_samples *to, struct stk_error *err)
{
	struct feed *f = context;
	struct tree_maker *m = f->maker;
	struct columns c;
	struct stk_block block;
	const uint32_t *rows;
	uint32_t count;
	int got;

	if (f->next == f->count)
		return 0;
	got = stream_file_go(m->staged, 0, &f->blocks[f->next++], &block, err);
	if (got < 0)
		return -1;
	if (got == 0 || decode(stream_file_reader(m->staged), &c, err) < 0 || selection_rows(m->selection, stream_file_reader(m->staged), &block, &rows, &count, err) < 0) {
		f->disorder = true;
		return stk_fail(err, STK_EDATA, "damaged");
	}
	return feed_block(f, &c, &block, rows, count, to, err);
}

/* The latest time, from the headers; a block with samples without a time says nothing, and is decoded. */
static int
find_last(struct feed *f, int64_t *last, struct stk_error *err)
{
	*last = INT64_MIN;
	for (size_t b = 0; b < f->count; b++) {
		struct stk_block block;
		const uint64_t *times;
		int got;

		if (f->blocks[b].has_time) {
			*last = f->blocks[b].to_ns > *last ? f->blocks[b].to_ns : *last;
			continue;
		}
		got = stream_file_go(f->maker->staged, 0, &f->blocks[b], &block, err);
		if (got < 0)
			return -1;
		if (got == 0 || stk_reader_column(stream_file_reader(f->maker->staged), STK_COLUMN(sample, time), &times, err) < 0) {
			stk_error_clear(err);
			continue;
		}
		for (uint32_t i = 0; i < block.rows; i++)
			*last = (int64_t)times[i] > *last ? (int64_t)times[i] : *last;
	}
	return 0;
}

/* --- sorting --- */

/* The stage anew, its samples in order. Damaged blocks are left out, and told. */
static int
sort_stage(struct tree_maker *m, struct stk_error *err)
{
	struct stage sorted = { 0 };
	struct sample_sort *sort;
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(m->staged, 0, &count);
	int result = stage_open(m, &sorted, err);

	sample_sort_open(&sort);
	for (size_t b = 0; b < count && result == 0; b++) {
		struct stk_reader *reader = stream_file_reader(m->staged);
		struct stk_block block;
		int got = blocks[b].bytes == 0 ? 0 : stream_file_go(m->staged, 0, &blocks[b], &block, err);

		if (got > 0 && block.kind != STK_SAMPLE)
			got = stk_writer_pass(sorted.writer, reader, err) < 0 ? -1 : 1;
		else if (got > 0 && stk_reader_rows(reader, err) < 0)
			got = err->code == STK_EDATA ? 0 : -1, m->totals.lost_blocks++;
		for (uint32_t i = 0; got > 0 && block.kind == STK_SAMPLE && i < block.rows && result == 0; i++) {
			stk_reader_row(reader, i, m->row);
			result = sample_sort_add(sort, (const struct stk_sample *)(const void *)m->row, err);
		}
		if (got < 0)
			result = -1;
		else if (result == 0)
			stk_error_clear(err);
	}
	if (result == 0)
		result = sample_sort_write(sort, sorted.writer, err);
	sample_sort_close(sort);
	if (result < 0) {
		stage_close(&sorted);
		return -1;
	}
	stream_file_close(m->staged);
	m->staged = NULL;
	stage_close(&m->stage);
	m->stage = sorted;
	m->shuffled = false;
	if (m->merge != NULL)
		merge_redirect(m->merge, m->stage.writer);
	return read_back(m, err);
}

/* --- thinning --- */

/* How long the counts of a moment are each: 0 raw, -1 nothing is kept of it. */
static int64_t
resolution_at(const struct tree_maker *m, int64_t time, int64_t last)
{
	uint64_t age = (uint64_t)last - (uint64_t)time;

	for (unsigned s = 0; s < m->options.retention_steps; s++)
		if (age < (uint64_t)m->options.retention[s].age_ns)
			return m->options.retention[s].resolution_ns;
	return -1;
}

static struct tree_interval
bucket_of(int64_t time, int64_t resolution)
{
	int64_t from = time_floor(time, resolution);

	return (struct tree_interval){ from, from + resolution };
}

/* The bucket that a thinned moment belongs to: the last of m->thin, or a new one. */
static struct tree_made *
bucket_at(struct tree_maker *m, struct tree_interval bucket)
{
	struct tree_made *last = m->thin.count == 0 ? NULL : &m->thin.at[m->thin.count - 1];

	if (last == NULL || last->node.time != bucket.from || last->node.length != tree_span(bucket.from, bucket.to)) {
		if (last != NULL)
			tree_counts_settle(&last->counts);
		*array_push(&m->thin) = (struct tree_made){ .node = { .time = bucket.from, .length = tree_span(bucket.from, bucket.to), .form = STK_NODE_THINNED } };
		last = &m->thin.at[m->thin.count - 1];
	}
	return last;
}

static void
add_thin_samples(struct tree_maker *m, struct feed *f, const struct columns *c, const struct stk_block *block, const uint32_t *rows, uint32_t count, int64_t last)
{
	uint32_t next = 0;

	for (uint32_t row = 0; row < block->rows; row++) {
		int64_t time = (int64_t)c->time[row], resolution = time == STK_TIME_UNKNOWN ? 0 : resolution_at(m, time, last);
		bool counted = next < count && selected_row(rows, next) == row;
		struct tree_made *bucket;

		next += counted;
		if (resolution == 0)
			continue;
		m->totals.dropped += resolution < 0;
		if (resolution < 0 || !counted)
			continue;
		bucket = bucket_at(m, bucket_of(time, resolution));
		bucket->node.samples++;
		*array_push(&bucket->counts.list) = (struct tree_count){ type_of(f, c, row), 1, c->weight[row] };
		m->totals.thinned++;
	}
}

static int
compare_times(const void *a, const void *b)
{
	const struct stk_tree_node *x = &((const struct tree_made *)a)->node, *y = &((const struct tree_made *)b)->node;

	return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : (x->length > y->length) - (x->length < y->length);
}

/* Thinned nodes of inputs: those of the same interval become one; by retention coarser, or none. */
static void
unite_thin(struct tree_maker *m, int64_t last)
{
	size_t kept = 0;

	if (m->thin.count == 0)
		return;
	for (size_t i = 0; i < m->thin.count; i++) {
		struct stk_tree_node *node = &m->thin.at[i].node;
		int64_t resolution = m->options.retention_steps == 0 ? 0 : resolution_at(m, node->time, last);

		if (resolution > node->length) {
			struct tree_interval bucket = bucket_of(node->time, resolution);

			node->time = bucket.from;
			node->length = resolution;
		}
		if (resolution < 0) {
			m->totals.dropped += node->samples;
			array_release(&m->thin.at[i].counts.list);
			continue;
		}
		tree_counts_settle(&m->thin.at[i].counts);
		m->thin.at[kept++] = m->thin.at[i];
	}
	m->thin.count = kept;
	qsort(m->thin.at, m->thin.count, sizeof *m->thin.at, compare_times);
	kept = 0;
	for (size_t i = 0; i < m->thin.count; i++) {
		struct tree_made *one = &m->thin.at[i], *before = kept == 0 ? NULL : &m->thin.at[kept - 1];

		if (before != NULL && before->node.time == one->node.time && before->node.length == one->node.length) {
			before->node.samples += one->node.samples;
			before->node.bound += one->node.bound;
			tree_counts_add(&before->counts, &one->counts);
			array_release(&one->counts.list);
		} else {
			m->thin.at[kept++] = *one;
		}
	}
	m->thin.count = kept;
}

/* The stage anew without the samples that are thinned, which are counted. */
static int
thin_stage(struct tree_maker *m, int64_t last, struct stk_error *err)
{
	struct stage raw = { 0 };
	struct feed f = { .maker = m };
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(m->staged, 0, &count);
	int result = stage_open(m, &raw, err);

	for (size_t b = 0; b < count && result == 0; b++) {
		struct stk_reader *reader = stream_file_reader(m->staged);
		struct columns c;
		struct stk_block block;
		const uint32_t *rows;
		uint32_t selected;
		int got = stream_file_go(m->staged, 0, &blocks[b], &block, err);
		bool old = got > 0 && block.kind == STK_SAMPLE && (!block.has_time || resolution_at(m, block.from_ns, last) != 0);

		if (got > 0 && !old) {
			result = stk_writer_pass(raw.writer, reader, err);
			continue;
		}
		if (got <= 0 || decode(reader, &c, err) < 0 || selection_rows(m->selection, reader, &block, &rows, &selected, err) < 0 || stk_reader_rows(reader, err) < 0) {
			result = -1;
			break;
		}
		add_thin_samples(m, &f, &c, &block, rows, selected, last);
		for (uint32_t i = 0; i < block.rows && result == 0; i++) {
			if ((int64_t)c.time[i] != STK_TIME_UNKNOWN && resolution_at(m, (int64_t)c.time[i], last) != 0)
				continue;
			stk_reader_row(reader, i, m->row);
			result = stk_writer_add(raw.writer, STK_SAMPLE, m->row, err);
		}
	}
	feed_release(&f);
	if (result < 0) {
		stage_close(&raw);
		return -1;
	}
	stream_file_close(m->staged);
	m->staged = NULL;
	stage_close(&m->stage);
	m->stage = raw;
	return read_back(m, err);
}

/* A tree over the thinned nodes. */
static int
group_thin(struct tree_maker *m, struct stk_error *err)
{
	struct tree_sink sink = node_writer_sink(&m->nodes);
	int result = 0;

	for (size_t i = 0; i < m->thin.count && result == 0; i++) {
		struct tree_made *one = &m->thin.at[i];

		one->node.counts = one->counts.list.count;
		one->node.kept = 0;
		for (size_t c = 0; c < one->counts.list.count; c++)
			one->node.kept += one->counts.list.at[c].count;
		result = one->node.counts == 0 ? 0 : sink.counts(sink.context, &one->node, one->counts.list.at, one->counts.list.count, err);
		if (result == 0)
			result = tree_grouping_add(&m->thinned, &m->options.shape, &sink, one, err);
		one->counts = (struct tree_counts){ 0 };
	}
	m->thin.count = 0;
	return tree_grouping_end(&m->thinned, &m->options.shape, &sink, result == 0 ? &m->roots : NULL, err) < 0 ? -1 : result;
}

/* --- the tree --- */

/* The counted event: as asked for, or as the base counts, or the first that samples have. */
static int
choose_event(struct tree_maker *m, struct feed *f, struct stk_error *err)
{
	struct selection_options options = { .from_ns = INT64_MIN, .to_ns = INT64_MAX, .event = m->options.event };

	if (m->options.event == NULL && !m->event_known && f->count > 0) {
		struct stk_block block;
		const uint64_t *events;
		int got = stream_file_go(m->staged, 0, &f->blocks[0], &block, err);

		if (got > 0 && block.rows > 0 && stk_reader_column(stream_file_reader(m->staged), STK_COLUMN(sample, event), &events, err) == 0) {
			struct stk_text name = model_string(m->model, events[0]);

			(void)snprintf(m->event, sizeof m->event, "%.*s", (int)name.size, name.data);
			m->event_known = true;
		}
		stk_error_clear(err);
	}
	if (m->options.event == NULL)
		options.event = *m->event == '\0' ? "all" : m->event;
	else
		(void)snprintf(m->event, sizeof m->event, "%s", strcmp(m->options.event, "all") == 0 ? "" : m->options.event);
	selection_close(m->selection);
	m->selection = NULL;
	if (selection_open(&m->selection, m->model, &options, err) < 0)
		return -1;
	selection_head(m->selection, stream_file_reader(m->staged), 0);
	return 0;
}

static uint64_t
rows_of_base(const struct tree_maker *m)
{
	size_t count;
	const struct file_block *blocks;

	if (m->base == NULL)
		return 0;
	blocks = stream_file_blocks(m->base, 0, STK_SAMPLE, &count);
	return count == 0 ? 0 : blocks[count - 1].first_row + blocks[count - 1].rows;
}

/* 1: done; 0: the stage must be sorted first; -1. */
static int
build(struct tree_maker *m, struct stk_error *err)
{
	struct tree_sink sink = node_writer_sink(&m->nodes);
	struct feed f = { .maker = m, .last = INT64_MIN };
	struct tree_feed feed = { .context = &f, .more = feed_more, .first_row = rows_of_base(m) };
	struct maker_totals before = m->totals;
	struct node_mark mark = node_writer_mark(&m->nodes);
	int result;

	f.blocks = staged_samples(m, &f.count);
	if (choose_event(m, &f, err) < 0)
		return -1;
	if (find_last(&f, &feed.last_ns, err) < 0)
		return -1;
	if (m->options.retention_steps > 0 && f.count > 0) {
		if (thin_stage(m, feed.last_ns, err) < 0) {
			forget_made(m);
			return err->code == STK_EDATA ? 0 : -1;
		}
		f.blocks = staged_samples(m, &f.count);
	}
	m->nodes.writer = m->stage.writer;
	stk_writer_set_level(m->stage.writer, STK_LEVEL_PIPE);		/* a good compression takes ten times as long over nodes, and gives nothing */
	unite_thin(m, feed.last_ns);
	if (group_thin(m, err) < 0)
		return -1;
	result = tree_build(&m->options.shape, &feed, &sink, &m->roots, err);
	feed_release(&f);
	if (result < 0 && f.disorder) {
		stk_error_clear(err);
		node_writer_go_back(&m->nodes, &mark);
		m->totals = before;
		return 0;
	}
	return result < 0 ? -1 : 1;
}

/* A root of the base with its counts. */
static int
load_root(struct tree_maker *m, struct tree_reader *tree, uint64_t id, struct tree_made *made, struct stk_error *err)
{
	struct pair_sums sums = { 0 };
	enum tree_access_result got;

	*made = (struct tree_made){ 0 };
	got = tree_reader_node(tree, id, &made->node, err);
	if (got == TREE_TAKEN && made->node.counts > 0)
		got = tree_reader_counts(tree, &made->node, m->prefixes, false, &sums, err);
	for (size_t i = 0; i < sums.sums.count; i++)
		*array_push(&made->counts.list) = (struct tree_count){ node_writer_type(&m->nodes, sums.sums.at[i].a, sums.sums.at[i].b), sums.sums.at[i].count, sums.sums.at[i].weight };
	tree_counts_settle(&made->counts);
	pair_sums_release(&sums);
	return got == TREE_FAILED ? -1 : got == TREE_DAMAGED ? stk_fail(err, STK_EDATA, "a root of the tree is damaged: build it anew") : 0;
}

/* The samples of a leaf that keeps no counts. */
static int
count_leaf(struct tree_maker *m, struct tree_made *leaf, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(m->base, 0, STK_SAMPLE, &count);
	struct feed f = { .maker = m };
	struct tree_counts sum = { 0 };
	uint64_t from = leaf->node.first_row, to = from + leaf->node.rows;
	int result = 0;

	for (size_t b = 0; b < count && result == 0; b++) {
		struct columns c;
		struct stk_block block;
		const uint32_t *rows;
		uint32_t selected;

		if (blocks[b].first_row + blocks[b].rows <= from || blocks[b].first_row >= to)
			continue;
		if (stream_file_go(m->base, 0, &blocks[b], &block, err) <= 0 || decode(stream_file_reader(m->base), &c, err) < 0 ||
		    selection_rows(m->selection, stream_file_reader(m->base), &block, &rows, &selected, err) < 0) {
			result = err->code == STK_EOK ? stk_fail(err, STK_EDATA, "samples of the tree are damaged: build it anew") : -1;
			break;
		}
		for (uint32_t i = 0; i < selected; i++) {
			uint32_t row = selected_row(rows, i);

			if (blocks[b].first_row + row >= from && blocks[b].first_row + row < to)
				*array_push(&sum.list) = (struct tree_count){ type_of(&f, &c, row), 1, c.weight[row] };
		}
	}
	tree_counts_settle(&sum);
	feed_release(&f);
	array_release(&leaf->counts.list);
	leaf->counts = sum;
	return result;
}

/* Two leaves that follow one another, and together are still one. */
static bool
is_one_leaf(const struct tree_maker *m, const struct stk_tree_node *a, const struct stk_tree_node *b)
{
	return a->form == STK_NODE_LEAF && b->form == STK_NODE_LEAF && a->time != STK_TIME_UNKNOWN && a->first_row + a->rows == b->first_row && tree_node_end(a) <= b->time &&
		a->rows + b->rows < m->options.shape.leaf;
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

/* As a binary counter carries: roots of like size become one, so that there are as many as the logarithm of what was appended. */
static int
join_roots(struct tree_maker *m, struct stk_error *err)
{
	struct tree_sink sink = node_writer_sink(&m->nodes);
	struct tree_reader *tree;
	struct tree_roots all = { 0 };
	int got = tree_reader_open(&tree, m->base, 0, err), result = got < 0 ? -1 : 0;

	for (size_t i = 0; got > 0 && i < tree_reader_facts(tree)->roots.count && result == 0; i++)
		result = load_root(m, tree, tree_reader_facts(tree)->roots.at[i], array_push(&all.made), err);
	if (got > 0) {
		const struct stk_tree *row = &tree_reader_facts(tree)->row;

		m->totals.samples += row->samples;
		m->totals.untimed += row->untimed;
		if (row->from != STK_TIME_UNKNOWN) {
			m->totals.from_ns = m->totals.from_ns == STK_TIME_UNKNOWN || row->from < m->totals.from_ns ? row->from : m->totals.from_ns;
			m->totals.to_ns = row->to > m->totals.to_ns ? row->to : m->totals.to_ns;
		}
	}
	tree_reader_close(tree);
	for (size_t i = 0; i < m->roots.made.count && result == 0; i++) {
		*array_push(&all.made) = m->roots.made.at[i];
		m->roots.made.at[i].counts = (struct tree_counts){ 0 };
		while (all.made.count > 1 && result == 0) {
			struct tree_made *a = &all.made.at[all.made.count - 2], *b = a + 1, parent;

			if (a->node.time == STK_TIME_UNKNOWN || b->node.time == STK_TIME_UNKNOWN || a->node.samples > 2 * b->node.samples)
				break;
			if (a->node.form == STK_NODE_LEAF && a->counts.list.count == 0 && a->node.samples > 0)
				result = count_leaf(m, a, err);
			if (result == 0 && is_one_leaf(m, &a->node, &b->node)) {
				extend_leaf(a, b);
				all.made.count--;
			} else if (result == 0) {
				result = tree_join(&m->options.shape, &sink, a, 2, &parent, err);
				*a = parent;
				all.made.count--;
			}
		}
	}
	tree_roots_release(&m->roots);
	m->roots = all;
	return result;
}

static void
note_roots(struct tree_maker *m)
{
	struct maker_totals *t = &m->totals;

	for (size_t i = 0; i < m->roots.made.count; i++) {
		const struct stk_tree_node *node = &m->roots.made.at[i].node;

		if (node->time == STK_TIME_UNKNOWN) {
			t->untimed += node->samples;
			continue;
		}
		t->from_ns = t->from_ns == STK_TIME_UNKNOWN || node->time < t->from_ns ? node->time : t->from_ns;
		t->to_ns = tree_node_end(node) - 1 > t->to_ns ? tree_node_end(node) - 1 : t->to_ns;
	}
}

/* The roots, and the description that names them. */
static int
write_tree(struct tree_maker *m, struct stk_error *err)
{
	struct text_buffer roots = { 0 };
	const struct tree_shape *shape = &m->options.shape;
	struct tree_sink sink = node_writer_sink(&m->nodes);
	struct stk_tree row = { .leaf = shape->leaf, .keep = shape->keep, .split = shape->split, .rule = text_from(m->options.rule), .zone = text_from(m->options.zone),
		.by = text_from(m->options.by == NULL ? "" : m->options.by), .event = text_from(m->event) };
	size_t count;
	const struct file_block *blocks = staged_samples(m, &count);
	int result = 0;

	row.rows = rows_of_base(m);
	row.rows += count == 0 ? 0 : blocks[count - 1].first_row + blocks[count - 1].rows;
	m->nodes.writer = m->stage.writer;
	for (size_t i = 0; i < m->roots.made.count && result == 0; i++) {
		result = sink.nodes(sink.context, &m->roots.made.at[i].node, 1, err);
		row.samples += m->roots.made.at[i].node.samples;
		if (i > 0)
			add_char(&roots, ' ');
		add_unsigned(&roots, m->roots.made.at[i].node.id);
	}
	m->totals.samples = row.samples;
	m->totals.nodes = m->nodes.next_node;
	m->totals.counts = m->nodes.next_count;
	row.untimed = m->totals.untimed;
	row.from = m->totals.from_ns;
	row.to = m->totals.to_ns;
	row.roots = text_in(&roots, 0);
	if (result == 0)
		result = stk_writer_flush(m->stage.writer, err);		/* the last block: a file that was cut before it has the tree before this one */
	if (result == 0)
		result = stk_writer_add(m->stage.writer, STK_TREE, &row, err);
	array_release(&roots);
	return result;
}

/* What is missing from the output is said in its end record. */
static void
note_lost(struct tree_maker *m)
{
	m->totals.lost_rows = m->merge == NULL ? 0 : merge_lost(m->merge);
	m->lost = m->input_lost + m->totals.lost_stacks + m->totals.lost_blocks + m->totals.lost_nodes + m->totals.lost_rows + m->totals.unknown_rows;
}

int
tree_maker_finish(struct tree_maker *m, struct stk_error *err)
{
	struct stk_writer *writer;
	int got = 1;

	if (!m->begun && stk_writer_head(m->stage.writer, NULL, err) < 0)
		return -1;
	m->begun = true;
	if (read_back(m, err) < 0)
		return -1;
	if (!is_empty(m) && define_staged(m, m->staged, err) < 0)
		return -1;
	if (!is_empty(m) || m->thin.count > 0) {
		if (!is_empty(m) && (m->shuffled || m->options.retention_steps > 0 || m->thin.count > 0) && sort_stage(m, err) < 0)	/* only what is in order can be thinned */
			return -1;
		got = build(m, err);
		if (got == 0) {
			forget_made(m);
			if (sort_stage(m, err) < 0)
				return -1;
			got = build(m, err);
		}
		if (got <= 0)
			return got < 0 ? -1 : stk_fail(err, STK_EDATA, "samples cannot be put in order");
	}
	note_roots(m);
	if ((m->base != NULL && join_roots(m, err) < 0) || write_tree(m, err) < 0)
		return -1;
	note_lost(m);
	stk_writer_lost(m->stage.writer, m->lost - m->lost_said);
	m->lost_said = m->lost;
	writer = m->stage.writer;
	m->stage.writer = NULL;
	return stk_writer_close(writer, true, err);
}

const struct scratch *
tree_maker_result(const struct tree_maker *m)
{
	return m->stage.file;
}

const struct maker_totals *
tree_maker_totals(const struct tree_maker *m)
{
	return &m->totals;
}

int
tree_maker_again(struct tree_maker *m, struct stream_file *file, struct stk_error *err)
{
	struct maker_totals *t = &m->totals;

	if (m->merge == NULL && !is_empty(m) && skip_lost_ids(m, m->staged, err) < 0)
		return -1;
	stream_file_close(m->staged);
	m->staged = NULL;
	stage_close(&m->stage);
	forget_made(m);
	m->base = file;
	m->defined = 0;
	m->last_ns = INT64_MIN;
	m->shuffled = false;
	t->samples = t->untimed = t->nodes = t->counts = 0;		/* of the tree; the others are of all that was taken */
	t->from_ns = t->to_ns = STK_TIME_UNKNOWN;
	m->nodes.block_counts = m->nodes.block_nodes = 0;
	if (stage_open(m, &m->stage, err) < 0)
		return -1;
	know_rows(m);
	if (m->merge != NULL)
		merge_redirect(m->merge, m->stage.writer);
	return 0;
}
