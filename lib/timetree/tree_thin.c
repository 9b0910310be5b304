/* SPDX-License-Identifier: MIT
 * tree_thin: nodes come from trees of inputs, in any order, and from samples, bucket by bucket; they are united before
 * they are written. */
#include "timetree/tree_thin.h"

#include "timetree/left_out.h"
#include "timetree/sample_types.h"
#include "timetree/tree_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
tree_thin_clear(struct tree_thin *thin)
{
	for (size_t i = 0; i < thin->made.count; i++)
		array_release(&thin->made.at[i].counts.list);
	thin->made.count = 0;
	for (unsigned l = 0; l < TREE_LEVELS_MOST; l++)
		tree_roots_release(&thin->grouping.level[l]);
}

void
tree_thin_release(struct tree_thin *thin)
{
	tree_thin_clear(thin);
	array_release(&thin->made);
}

/* --- nodes of inputs --- */

static int
take_node(struct tree_thin *thin, struct tree_reader *tree, const struct stk_tree_node *node, struct merge *merge,
	struct stk_error *err)
{
	struct pair_sums sums = { 0 };
	struct tree_made made = { .node.form = STK_NODE_THINNED, .node.samples = node->samples };
	struct left_out left = left_out_of(node);
	enum tree_access_result got = tree_reader_counts(tree, node, thin->prefixes, false, &sums, err);

	left_out_store(&left, &made.node);
	made.node.kept = node->kept;
	made.node.time = node->time;
	made.node.length = node->length;
	thin->lost_nodes += got == TREE_DAMAGED;
	for (size_t i = 0; i < sums.sums.count && got == TREE_TAKEN; i++) {
		const struct pair_sum *sum = &sums.sums.at[i];
		struct stk_tree_count row = { .stack = sum->b };

		if (merge != NULL)
			merge_map_row(merge, STK_TREE_COUNT, &row);
		*array_push(&made.counts.list) =
			(struct tree_count){ node_writer_type(thin->nodes, sum->a, (uint32_t)row.stack), sum->count,
				sum->weight };
	}
	tree_counts_settle(&made.counts);
	pair_sums_release(&sums);
	if (got == TREE_TAKEN)
		*array_push(&thin->made) = made;
	return got == TREE_FAILED ? -1 : 0;
}

/* Children that are still to be visited. */
struct children { uint64_t next, last; };

/* The way from a root to the present node: what is left of each level. */
struct thin_walk {
	struct tree_thin *thin;
	struct tree_reader *tree;
	struct merge *merge;
	ARRAY(struct children) levels;
	uint64_t visits;
};

/* Ids of children are below their parent's: so the way has an end. */
static int
visit(struct thin_walk *w, uint64_t id, struct stk_error *err)
{
	struct stk_tree_node node;
	enum tree_access_result got = tree_reader_node(w->tree, id, &node, err);

	w->thin->lost_nodes += got == TREE_DAMAGED;
	if (got != TREE_TAKEN)
		return got == TREE_FAILED ? -1 : 0;
	if (node.form == STK_NODE_THINNED)
		return take_node(w->thin, w->tree, &node, w->merge, err);
	if (node.children > 0 && node.last < id && node.children <= node.last)
		*array_push(&w->levels) = (struct children){ node.last - node.children + 1, node.last };
	return 0;
}

/* All thinned nodes of a tree, those of an earlier child first. More visits than nodes: they refer to one another in a
 * knot. */
static int
take_tree(struct thin_walk *w, struct stk_error *err)
{
	const struct tree_facts *facts = tree_reader_facts(w->tree);
	uint64_t most = tree_reader_nodes(w->tree);

	for (size_t i = 0; i < facts->roots.count; i++) {
		*array_push(&w->levels) = (struct children){ facts->roots.at[i], facts->roots.at[i] };
		while (w->levels.count > 0) {
			struct children *level = &w->levels.at[w->levels.count - 1];

			if (level->next > level->last) {
				w->levels.count--;
				continue;
			}
			if (w->visits++ == most) {
				w->thin->lost_nodes++;
				return 0;
			}
			if (visit(w, level->next++, err) < 0)
				return -1;
		}
	}
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

		if (got <= 0 ||
			stk_reader_column(stream_file_reader(file), STK_COLUMN(tree_node, form), &forms, err) < 0) {
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

int
thin_check_event(const char *counted, const char *event, struct stk_error *err)
{
	const char *name = *counted == '\0' ? "all" : counted;

	if (strcmp(counted, event) == 0)
		return 0;
	return stk_fail(err, STK_EUSAGE,
			"--event: the tree has samples that are thinned to counts of event '%s', and these cannot be counted as '%s' (expected --event %s)",
			name, *event == '\0' ? "all" : event, name);
}

/* Counts of other keys, or of another event, cannot be counted anew. */
static int
check_counts(struct tree_thin *thin, struct tree_reader *tree, struct stk_error *err)
{
	const char *event = thin->event;
	struct key_sets have;
	char text[KEY_SETS_MOST * (KEYS_TEXT_MAX + 8)];

	tree_reader_sets(tree, &have);
	if (!tree_reader_choose_keys(tree, thin->by))
		return stk_fail(err, STK_EUSAGE,
				"--by: the tree has samples that are thinned to counts by '%.300s', and these cannot be counted by '%s'",
				key_sets_print(text, sizeof text, &have), *thin->by == '\0' ? "pool or command" : thin->by);
	if (event != NULL && strcmp(event, "all") == 0)
		event = "";
	if (event == NULL && thin->taken)
		event = thin->event_taken;
	if (event != NULL && thin_check_event(tree_reader_facts(tree)->event, event, err) < 0)
		return -1;
	thin->taken = true;
	(void)snprintf(thin->event_taken, sizeof thin->event_taken, "%s", tree_reader_facts(tree)->event);
	return 0;
}

int
tree_thin_take(struct tree_thin *thin, struct stream_file *file, struct merge *merge, struct stk_error *err)
{
	struct thin_walk w = { .thin = thin, .merge = merge };
	int got = stream_file_streams(file) == 0 ? 0 : has_thinned(file, err);

	if (got <= 0)
		return got;
	got = tree_reader_open(&w.tree, file, 0, err);
	thin->lost_nodes += got == 0;		/* they are there, and no description that can be read */
	if (got > 0 && (check_counts(thin, w.tree, err) < 0 || take_tree(&w, err) < 0))
		got = -1;
	tree_reader_close(w.tree);
	array_release(&w.levels);
	return got < 0 ? -1 : 0;
}

int64_t
tree_thin_latest(const struct tree_thin *thin)
{
	int64_t latest = STK_TIME_UNKNOWN;

	for (size_t i = 0; i < thin->made.count; i++)
		if (thin->made.at[i].node.time > latest)
			latest = thin->made.at[i].node.time;
	return latest;
}

/* --- samples --- */

/* The bucket that a thinned moment belongs to: the last one, or a new one. */
static struct tree_made *
bucket_at(struct tree_thin *thin, struct tree_interval bucket)
{
	struct tree_made *last = thin->made.count == 0 ? NULL : &thin->made.at[thin->made.count - 1];

	if (last == NULL || last->node.time != bucket.from || last->node.length != tree_span(bucket.from, bucket.to)) {
		if (last != NULL)
			tree_counts_settle(&last->counts);
		last = array_push(&thin->made);
		*last = (struct tree_made){ .node.time = bucket.from, .node.form = STK_NODE_THINNED };
		last->node.length = tree_span(bucket.from, bucket.to);
	}
	return last;
}

/* What tree_thin_stage works with. */
struct thinning {
	struct tree_thin *const *sets;
	unsigned count;
	const struct retention *retention;
	struct tree_stage *from, *to;
	struct selection *selection;
	struct sample_types types[KEY_SETS_MOST];
	int64_t last;
};

/* A sample goes into the counts of its bucket, if it is counted at all; or it is gone. */
static void
thin_sample(struct thinning *t, unsigned set, const struct sample_columns *c, uint32_t row, int64_t resolution,
	bool counted)
{
	struct tree_thin *thin = t->sets[set];
	struct tree_made *bucket;

	thin->dropped += resolution == RETENTION_NONE;
	if (resolution == RETENTION_NONE || !counted)
		return;
	bucket = bucket_at(thin, retention_bucket_of_old(t->retention, sample_time(c, row), resolution, t->last));
	bucket->node.samples++;
	bucket->node.kept++;
	*array_push(&bucket->counts.list) =
		(struct tree_count){ sample_type(&t->types[set], c, row), 1, sample_value(&c->weight, row) };
	thin->thinned++;
}

/* The samples of a block: some are thinned, the others are written. */
static int
thin_rows(struct thinning *t, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct sample_columns c;
	struct stk_sample sample;
	const uint32_t *selected;
	uint32_t count, next = 0;

	if (sample_columns_load(&c, SAMPLE_TIME | SAMPLE_WEIGHT | SAMPLE_TYPE_COLUMNS, NULL, reader, block, err) < 0 ||
	    selection_rows(t->selection, reader, block, &selected, &count, err) < 0 || stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t row = 0; row < block->rows; row++) {
		int64_t resolution = retention_at(t->retention, sample_time(&c, row), t->last);
		bool counted = next < count && selected_row(selected, next) == row;

		next += counted;
		if (resolution != RETENTION_RAW) {
			for (unsigned i = 0; i < t->count; i++)
				thin_sample(t, i, &c, row, resolution, counted);
			continue;
		}
		stk_reader_row(reader, row, &sample);
		if (stk_writer_add(t->to->writer, STK_SAMPLE, &sample, err) < 0)
			return -1;
	}
	return 0;
}

/* A block with samples that are all young enough passes as it is, as does one of another kind. */
static int
thin_block(struct thinning *t, const struct file_block *at, struct stk_error *err)
{
	struct stk_reader *reader = stream_file_reader(t->from->staged);
	struct stk_block block;
	int got = stream_file_go(t->from->staged, 0, at, &block, err);

	if (got <= 0)
		return got < 0 ? -1 : stk_fail(err, STK_EDATA, "a block that was written is damaged");
	if (block.kind != STK_SAMPLE ||
		(block.has_time && retention_at(t->retention, block.from_ns, t->last) == RETENTION_RAW))
		return stk_writer_pass(t->to->writer, reader, err);
	return thin_rows(t, reader, &block, err);
}

int
tree_thin_stage(struct tree_thin *const *sets, unsigned sets_count, struct tree_stage *stage, const struct model *model,
	struct selection *selection, int64_t last, struct stk_error *err)
{
	struct tree_stage raw;
	struct thinning t = { .sets = sets,
		.count = sets_count,
		.retention = sets[0]->retention,
		.from = stage,
		.to = &raw,
		.selection = selection,
		.last = last };
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(stage->staged, 0, &count);
	int result = tree_stage_open(&raw, stage, err);

	for (unsigned i = 0; i < sets_count; i++)
		t.types[i] = (struct sample_types){ .model = model,
			.prefixes = sets[i]->prefixes,
			.pairs = &sets[i]->nodes->types,
			.lost = &sets[i]->lost_stacks };
	for (size_t b = 0; b < count && result == 0; b++)
		result = thin_block(&t, &blocks[b], err);
	for (unsigned i = 0; i < sets_count; i++)
		sample_types_release(&t.types[i]);
	if (result < 0) {
		tree_stage_close(&raw);
		return -1;
	}
	return tree_stage_replace(stage, &raw, err);
}

/* --- uniting --- */

static int
compare_times(const void *a, const void *b)
{
	const struct stk_tree_node *x = &((const struct tree_made *)a)->node, *y = &((const struct tree_made *)b)->node;

	if (x->time != y->time)
		return (x->time > y->time) - (x->time < y->time);
	return (x->length > y->length) - (x->length < y->length);
}

/* What is older than its resolution becomes coarser, or goes: false. */
static bool
keep_node(struct tree_thin *thin, struct tree_made *made, int64_t last)
{
	struct stk_tree_node *node = &made->node;
	int64_t resolution = retention_at(thin->retention, node->time, last);

	if (resolution == RETENTION_NONE) {
		thin->dropped += node->samples;
		array_release(&made->counts.list);
		return false;
	}
	if (resolution > node->length) {		/* it ends where it did: what follows is not there */
		int64_t end = tree_node_end(node);

		node->time = retention_bucket(node->time, resolution).from;
		node->length = tree_span(node->time, end);
	}
	tree_counts_settle(&made->counts);
	return true;
}

/* Whether two nodes are of the same interval, or of that of their resolution, as far as it was thinned. */
static bool
is_one_interval(const struct tree_thin *thin, const struct stk_tree_node *a, const struct stk_tree_node *b,
		int64_t last)
{
	int64_t resolution = retention_at(thin->retention, a->time, last);

	if (a->time != b->time)
		return false;
	return a->length == b->length || (a->length / 2 < resolution && b->length / 2 < resolution);
}

/* Two nodes become one. */
static void
join_nodes(struct tree_made *to, struct tree_made *from)
{
	struct left_out left = left_out_of(&to->node), more = left_out_of(&from->node);

	left_out_add(&left, &more);
	left_out_store(&left, &to->node);
	to->node.samples += from->node.samples;
	to->node.kept += from->node.kept;
	to->node.length = from->node.length > to->node.length ? from->node.length : to->node.length;
	tree_counts_add(&to->counts, &from->counts);
	array_release(&from->counts.list);
}

void
tree_thin_unite(struct tree_thin *thin, int64_t last)
{
	struct tree_made *at = thin->made.at;
	size_t kept = 0, count;

	for (size_t i = 0; i < thin->made.count; i++)
		if (keep_node(thin, &at[i], last))
			at[kept++] = at[i];
	count = kept;
	if (count > 0)
		qsort(at, count, sizeof *at, compare_times);
	kept = 0;
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && is_one_interval(thin, &at[kept - 1].node, &at[i].node, last))
			join_nodes(&at[kept - 1], &at[i]);
		else
			at[kept++] = at[i];
	}
	thin->made.count = kept;
}

/* --- the tree over thinned nodes --- */

/* A node with its counts: all of them, since nothing else is left of it. */
static int
write_node(struct tree_thin *thin, struct tree_made *one, const struct tree_shape *shape, const struct tree_sink *sink,
	struct stk_error *err)
{
	struct stk_tree_node *node = &one->node;
	size_t count = one->counts.list.count;
	int result;

	node->counts = count;
	node->kept = 0;
	for (size_t c = 0; c < count; c++)
		node->kept += one->counts.list.at[c].count;
	if (count > 0 && sink->counts(sink->context, node, one->counts.list.at, count, err) < 0)
		return -1;
	result = tree_grouping_add(&thin->grouping, shape, sink, one, err);
	one->counts = (struct tree_counts){ 0 };
	return result;
}

int
tree_thin_write(struct tree_thin *thin, const struct tree_shape *shape, struct tree_roots *roots, struct stk_error *err)
{
	struct tree_sink sink = node_writer_sink(thin->nodes);
	int result = 0;

	for (size_t i = 0; i < thin->made.count && result == 0; i++)
		result = write_node(thin, &thin->made.at[i], shape, &sink, err);
	if (tree_grouping_end(&thin->grouping, shape, &sink, result == 0 ? roots : NULL, err) < 0)
		result = -1;
	for (size_t i = 0; i < thin->made.count; i++)		/* what a failure left; what was handed over has none */
		array_release(&thin->made.at[i].counts.list);
	thin->made.count = 0;
	return result;
}
