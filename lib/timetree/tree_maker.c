/* SPDX-License-Identifier: MIT
 * tree_maker: gathers into a stage what comes; several streams are merged; then the tree is made over it. */
#include "timetree/tree_maker.h"

#include "base/memory.h"
#include "model/records_merge.h"
#include "timetree/block_split.h"
#include "timetree/tree_make.h"

#include <stdlib.h>

#define LEVEL_STACKS  3
#define LEVEL_SAMPLES 4

struct tree_maker {
	struct maker_options options;
	struct tree_stage stage;
	struct tree_stage tree;		/* the nodes that the input's present stream came with; not open: none so far */
	struct merge *merge;		/* of more than one stream; NULL: blocks pass, and ids stay as they are */
	struct tree_known *known;	/* what the base had; NULL: all is added */
	uint64_t left_lost;		/* of the rows that the merge counts as lost: left out */
	enum maker_news news;		/* what was added */
	bool begun;			/* the head of the first stream passed */
	bool shuffled;			/* blocks are not in the order of time */
	int64_t last_ns;		/* of the blocks so far */
	uint64_t passed;		/* samples of the first stream */
	bool sampled;			/* a sample came, of any stream */
	uint64_t input_lost, lost_said;	/* incidents: of the inputs, and those that an end record counts */
	uint64_t lost_definitions;	/* damaged blocks of definitions */
	struct tree_ids ids;		/* of the output */
	struct tree_make make;
	struct maker_totals totals;
	uint64_t row[STK_COLUMN_MAX * 2];
};

/* --- opening --- */

/* What the base defines, and which ids it refers to. */
static int
learn_base(struct tree_maker *m, struct stream_file *base, struct stk_error *err)
{
	if (tree_ids_learn(&m->ids, base, 0, &m->lost_definitions, err) < 0)
		return -1;
	if (stream_file_lost(base, 0) == 0 && stream_file_is_whole(base, 0))
		return 0;
	return tree_ids_skip_lost(&m->ids, base, err);
}

static int
open_stage(struct tree_maker *m, struct stream_file *base, struct stk_error *err)
{
	struct tree_stage settings = {
		.level = m->options.level, .workers = m->options.workers, .base = base, .ids = &m->ids,
		.place = base == NULL ? m->options.output : NULL
	};

	return tree_stage_open(&m->stage, &settings, err);
}

/* After what the base holds: another stream than its own comes. */
static int
go_on(struct tree_maker *m, struct stk_error *err)
{
	for (unsigned i = 0; i < m->make.sets; i++)
		if (node_writer_know_keys(&m->make.set[i].nodes, m->stage.base, err) < 0)
			return -1;
	node_writer_resume(&m->make.set[0].nodes, m->stage.base);
	m->begun = true;
	merge_resume(&m->merge, m->stage.writer, m->ids.model);
	if (!m->options.again) {
		tree_known_open(&m->known, m->stage.base, &m->ids);
		for (unsigned i = 0; i < m->make.sets; i++)
			tree_known_add_set(m->known, &m->make.set[i].thin);
		merge_listen(m->merge, tree_known_listener(m->known));
	}
	return 0;
}

int
tree_maker_open(
	struct tree_maker **out, const struct maker_options *options, struct stream_file *base, struct stk_error *err)
{
	struct tree_maker *m = *out = mem_new(1, sizeof *m);

	m->options = *options;
	m->last_ns = INT64_MIN;
	if (tree_ids_open(&m->ids) < 0)
		return stk_fail(err, STK_ESYSTEM, "cannot begin");
	if (tree_make_open(&m->make, &m->options, &m->stage, m->ids.model, err) < 0)
		return -1;
	if ((base != NULL && learn_base(m, base, err) < 0) || open_stage(m, base, err) < 0)
		return -1;
	return base != NULL ? go_on(m, err) : 0;
}

void
tree_maker_close(struct tree_maker *m)
{
	if (m == NULL)
		return;
	merge_close(m->merge);
	tree_known_close(m->known);
	tree_stage_close(&m->stage);
	tree_stage_close(&m->tree);
	tree_make_close(&m->make);
	tree_ids_close(&m->ids);
	free(m);
}

void
tree_maker_lost(struct tree_maker *m, uint64_t incidents)
{
	m->input_lost += incidents;
}

/* --- taking --- */

/* What is thinned in the tree of a stream is known when all of it came, and the input need not be one that can be read
 * twice. */
static int
keep_tree_block(struct tree_maker *m, struct stk_reader *reader, struct stk_error *err)
{
	if (m->tree.file == NULL && tree_stage_open(&m->tree, &(struct tree_stage){ .level = STK_LEVEL_PIPE }, err) < 0)
		return -1;
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
	if (tree_stage_read_back(&m->stage, err) < 0)
		return -1;
	if (!tree_stage_is_empty(&m->stage) &&
		(tree_ids_learn_more(&m->ids, m->stage.staged, &m->lost_definitions, err) < 0 ||
			tree_ids_skip_lost(&m->ids, m->stage.staged, err) < 0))
		return -1;
	tree_stage_forget(&m->stage);
	for (unsigned k = STK_STRING; k <= STK_DUMP; k++)
		stk_writer_skip_ids(m->stage.writer, (enum stk_kind)k, m->ids.next[k]);
	merge_resume(&m->merge, m->stage.writer, m->ids.model);
	return 0;
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
	if (m->known != NULL)
		tree_known_turn(m->known);
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

/* A kind of a newer version: without its struct its rows cannot be rewritten, and their ids would refer to other
 * things. */
static int
take_unknown(struct tree_maker *m, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	if (!has_ids(block->schema)) {
		m->totals.unproven_rows += m->known == NULL ? 0 : block->rows;
		return stk_writer_pass(m->stage.writer, reader, err);
	}
	m->totals.unknown_rows += block->rows;
	return 0;
}

static int
take_rows(struct tree_maker *m, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	int known;

	if (block->kind >= STK_KIND_COUNT || stk_schema()->kind[block->kind].name == NULL)
		return take_unknown(m, reader, block, err);
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	known = m->known == NULL ? 0 : tree_known_load(m->known, reader, block, err);
	if (known < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		uint64_t lost = merge_lost(m->merge);

		stk_reader_row(reader, i, m->row);
		merge_map_row(m->merge, block->kind, m->row);
		if (known > 0 && tree_known_row(m->known, block->kind, m->row)) {
			m->left_lost += merge_lost(m->merge) - lost;
			continue;
		}
		if (stk_writer_add(m->stage.writer, (enum stk_kind)block->kind, m->row, err) < 0)
			return -1;
	}
	return 0;
}

/* Times that are not valid are reported now, because reading the stage back does not report them. They are in blocks
 * without a range. */
static int
hear_times(struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	const uint64_t *unused;

	return block->has_time ? 0 : stk_reader_column(reader, STK_COLUMN(sample, time), &unused, err);
}

/* Small blocks take a good compression twice as long, and it saves two percent of stacks, one of samples. */
static int
level_of_split(const struct tree_maker *m, unsigned kind)
{
	if (kind == STK_STACK && m->options.level > LEVEL_STACKS)
		return LEVEL_STACKS;
	if (kind == STK_SAMPLE && m->options.level > LEVEL_SAMPLES && m->options.level <= STK_LEVEL_FILE)
		return LEVEL_SAMPLES;
	return m->options.level;
}

static int
pass_block(struct tree_maker *m, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	int result;

	stk_writer_set_level(m->stage.writer, level_of_split(m, block->kind));
	/* the offsets of a stage that continues a tree are not those of its writer */
	result = block_split(m->stage.writer, reader, block, m->passed, m->stage.base == NULL, err);
	stk_writer_set_level(m->stage.writer, m->options.level);
	m->passed += result == 0 && block->kind == STK_SAMPLE ? block->rows : 0;
	return result;
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
	if (block->kind == STK_SAMPLE) {
		note_order(m, block);
		m->sampled = true;
	}
	if (m->merge == NULL)
		return pass_block(m, reader, block, err);
	return block->kind <= STK_DUMP ? merge_take(m->merge, reader, block, err) : take_rows(m, reader, block, err);
}

bool
tree_maker_nodes_wait(const struct tree_maker *m)
{
	return m->tree.file != NULL;
}

/* The thinned nodes of the tree of a stream, by one set of keys. */
static int
take_nodes(struct tree_maker *m, unsigned set, struct stk_error *err)
{
	struct tree_thin *thin = &m->make.set[set].thin;
	size_t before = thin->made.count;

	if (tree_thin_take(thin, m->tree.staged, m->merge, err) < 0)
		return -1;
	return m->known == NULL ? 0 : tree_known_nodes(m->known, set, thin, before, err);
}

int
tree_maker_end_stream(struct tree_maker *m, struct stk_error *err)
{
	int result;

	if (m->tree.file == NULL)
		return 0;
	result = tree_stage_end(&m->tree, err) < 0 || tree_stage_read_back(&m->tree, err) < 0 ? -1 : 0;
	for (unsigned i = 0; i < m->make.sets && result == 0; i++)
		result = take_nodes(m, i, err);
	if (!m->sampled)
		tree_make_note_thinned(&m->make);
	tree_stage_close(&m->tree);
	return result;
}

/* --- the result --- */

static void
note_clocks(struct tree_maker *m)
{
	struct model *model = m->ids.model;

	for (uint32_t id = model_next(model, STK_SOURCE, 0); id != 0; id = model_next(model, STK_SOURCE, id)) {
		uint64_t clock = model_source(model, id).clock;

		m->totals.wall |= clock == STK_CLOCK_WALL;
		m->totals.monotonic |= clock == STK_CLOCK_MONOTONIC;
	}
}

static void
note_totals(struct tree_maker *m)
{
	const struct tree_make *make = &m->make;
	struct maker_totals *t = &m->totals;

	t->samples = make->samples;
	t->untimed = make->untimed;
	t->times = make->times;
	t->nodes = make->numbers.next_node;
	t->counts = make->numbers.next_count;
	t->other_events = make->other_events;
	t->thinned = make->set[0].thin.thinned;
	t->dropped = make->set[0].thin.dropped;
	t->lost_nodes = 0;
	for (unsigned i = 0; i < make->sets; i++)
		t->lost_nodes += make->set[i].thin.lost_nodes;
	t->lost_stacks = make->lost_stacks + make->set[0].thin.lost_stacks;
	t->lost_blocks = m->lost_definitions + make->lost_blocks;
	t->lost_rows = m->merge == NULL ? 0 : merge_lost(m->merge) - m->left_lost;
	if (m->known != NULL)
		t->known = *tree_known_totals(m->known);
	note_clocks(m);
}

/* What is missing from the output is counted by its end record, once. */
static void
write_lost(struct tree_maker *m)
{
	const struct maker_totals *t = &m->totals;
	uint64_t lost =
		m->input_lost + t->lost_stacks + t->lost_blocks + t->lost_nodes + t->lost_rows + t->unknown_rows;

	stk_writer_lost(m->stage.writer, lost - m->lost_said);
	m->lost_said = lost;
}

/* Dumps are definitions, and as much news as their samples. */
static enum maker_news
news_of(const struct tree_maker *m)
{
	size_t count = 0;
	const struct file_block *blocks =
		tree_stage_is_empty(&m->stage) ? NULL : stream_file_all_blocks(m->stage.staged, 0, &count);
	const struct stk_schema *schema = stk_schema();

	for (unsigned i = 0; i < m->make.sets; i++)
		if (m->make.set[i].thin.made.count > 0)
			return MAKER_ROWS;
	for (size_t b = 0; b < count; b++)
		if (blocks[b].kind == STK_DUMP || blocks[b].kind >= STK_KIND_COUNT ||
			!schema->kind[blocks[b].kind].definition)
			return MAKER_ROWS;
	return count > 0 ? MAKER_DEFINITIONS : MAKER_NOTHING;
}

int
tree_maker_finish(struct tree_maker *m, struct stk_error *err)
{
	uint64_t nodes;

	if (!m->begun && stk_writer_head(m->stage.writer, NULL, err) < 0)
		return -1;
	m->begun = true;
	if (tree_stage_read_back(&m->stage, err) < 0)
		return -1;
	if (!tree_stage_is_empty(&m->stage) &&
		tree_ids_learn_more(&m->ids, m->stage.staged, &m->lost_definitions, err) < 0)
		return -1;
	m->news = news_of(m);
	nodes = m->make.numbers.next_node;
	if (tree_make_nodes(&m->make, m->shuffled, err) < 0)
		return -1;
	if (m->merge != NULL)
		merge_redirect(m->merge, m->stage.writer);
	if (tree_make_write(&m->make, err) < 0)
		return -1;
	note_totals(m);
	if (m->news != MAKER_ROWS)
		m->totals.nodes = nodes;	/* its roots were written again in vain */
	write_lost(m);
	return tree_stage_end(&m->stage, err);
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

enum maker_news
tree_maker_news(const struct tree_maker *m)
{
	return m->news;
}

int
tree_maker_again(struct tree_maker *m, struct stream_file *file, struct stk_error *err)
{
	if (m->merge == NULL && !tree_stage_is_empty(&m->stage) &&
		tree_ids_skip_lost(&m->ids, m->stage.staged, err) < 0)
		return -1;
	tree_stage_close(&m->stage);
	tree_make_forget(&m->make);
	m->ids.known = 0;
	m->last_ns = INT64_MIN;
	m->shuffled = false;
	if (open_stage(m, file, err) < 0)
		return -1;
	node_writer_resume(&m->make.set[0].nodes, file);
	if (m->known != NULL)
		tree_known_move(m->known, file);
	if (m->merge != NULL)
		merge_redirect(m->merge, m->stage.writer);
	return 0;
}
