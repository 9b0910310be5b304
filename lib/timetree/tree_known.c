/* SPDX-License-Identifier: MIT
 * tree_known: what was there is known by its content; where only counts are left, by what it refers to. */
#include "timetree/tree_known.h"

#include "base/memory.h"
#include "timetree/known_rows.h"
#include "timetree/tree_reader.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A thinned node of the tree. */
struct known_node {
	int64_t from, to;
	int64_t latest;			/* end of this one and of those before it */
	uint64_t hash;			/* of its counts */
	bool taken;			/* it came again */
};

/* Of one set of keys. */
struct known_set {
	struct tree_thin of_file;		/* empty but while nodes are read */
	bool read;
	ARRAY(struct known_node) nodes;		/* by when they begin */
};

struct tree_known {
	struct stream_file *file;
	struct known_rows *rows;
	struct content_hashes *hashes;
	struct merge_listener listener;
	uint32_t next[STK_KIND_COUNT];		/* ids of the tree were below */
	int64_t last_ns;			/* nothing that the tree counts is later */
	struct known_set set[KEY_SETS_MOST];
	unsigned sets;
	bool any_source, old_source;		/* the present stream has sources; has some that the tree had */
	struct known_totals totals;
};

/* --- opening --- */

static uint32_t
find_dump(void *context, const struct stk_dump *row)
{
	return known_rows_dump(((struct tree_known *)context)->rows, row);
}

static void
note_definition(void *context, unsigned kind, uint32_t id, const void *row)
{
	struct tree_known *k = context;

	content_hashes_define(k->hashes, kind, id, row);
	k->any_source |= kind == STK_SOURCE;
	k->old_source |= kind == STK_SOURCE && id < k->next[kind];
}

/* The end of what the tree counts; a tree that cannot be read may count anything. */
static int64_t
last_of(struct stream_file *file)
{
	struct tree_reader *tree = NULL;
	struct stk_error err = { 0 };
	int64_t last = INT64_MAX;

	if (tree_reader_open(&tree, file, 0, &err) > 0) {
		const struct stk_tree *row = &tree_reader_facts(tree)->row;

		last = row->to == STK_TIME_UNKNOWN ? INT64_MIN : row->to;
	}
	stk_error_clear(&err);
	tree_reader_close(tree);
	return last;
}

void
tree_known_open(struct tree_known **out, struct stream_file *file, const struct tree_ids *ids)
{
	struct tree_known *k = *out = mem_new(1, sizeof *k);

	k->file = file;
	k->listener = (struct merge_listener){ find_dump, note_definition, k };
	memcpy(k->next, ids->next, sizeof k->next);
	k->last_ns = last_of(file);
	content_hashes_open(&k->hashes, ids->model);
	known_rows_open(&k->rows, file, ids->model, k->hashes);
}

void
tree_known_add_set(struct tree_known *k, const struct tree_thin *thin)
{
	k->set[k->sets++].of_file =
		(struct tree_thin){ .prefixes = thin->prefixes, .nodes = thin->nodes, .by = thin->by };
}

void
tree_known_close(struct tree_known *k)
{
	if (k == NULL)
		return;
	known_rows_close(k->rows);
	content_hashes_close(k->hashes);
	for (unsigned i = 0; i < k->sets; i++) {
		tree_thin_release(&k->set[i].of_file);
		array_release(&k->set[i].nodes);
	}
	free(k);
}

void
tree_known_move(struct tree_known *k, struct stream_file *file)
{
	k->file = file;
	known_rows_move(k->rows, file);
}

const struct merge_listener *
tree_known_listener(const struct tree_known *k)
{
	return &k->listener;
}

void
tree_known_turn(struct tree_known *k)
{
	k->any_source = k->old_source = false;
}

const struct known_totals *
tree_known_totals(const struct tree_known *k)
{
	return &k->totals;
}

/* --- nodes of the tree of which only counts are left --- */

/* What a node counts; the order of its counts does not matter. */
static uint64_t
hash_of_node(struct tree_known *k, const struct known_set *set, const struct tree_made *made)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < made->counts.list.count; i++) {
		const struct tree_count *count = &made->counts.list.at[i];
		const struct pair_sum *type = &set->of_file.nodes->types.sums.at[count->type - 1];
		uint64_t words[] = { type->a, content_hash_of_id(k->hashes, STK_STACK, type->b), count->count,
				     count->weight };

		sum += XXH3_64bits(words, sizeof words);
	}
	return sum ^ made->node.samples;
}

static int
compare_nodes(const void *a, const void *b)
{
	const struct known_node *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static int
read_nodes(struct tree_known *k, struct known_set *set, struct stk_error *err)
{
	int64_t latest = INT64_MIN;

	if (set->read)
		return 0;
	set->read = true;
	if (tree_thin_take(&set->of_file, k->file, NULL, err) < 0)
		return -1;
	for (size_t i = 0; i < set->of_file.made.count; i++) {
		const struct tree_made *made = &set->of_file.made.at[i];

		*array_push(&set->nodes) = (struct known_node){ .from = made->node.time,
			.to = tree_node_end(&made->node),
			.hash = hash_of_node(k, set, made) };
	}
	tree_thin_clear(&set->of_file);
	if (set->nodes.count > 1)
		qsort(set->nodes.at, set->nodes.count, sizeof *set->nodes.at, compare_nodes);
	for (size_t i = 0; i < set->nodes.count; i++)
		set->nodes.at[i].latest = latest = set->nodes.at[i].to > latest ? set->nodes.at[i].to : latest;
	return 0;
}

/* How many of the nodes begin before a moment. */
static size_t
nodes_before(const struct known_set *set, int64_t to)
{
	size_t low = 0, high = set->nodes.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->nodes.at[middle].from < to)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether the tree has nothing but counts somewhere in [from, to). */
static bool
is_thinned(const struct known_set *set, int64_t from, int64_t to)
{
	size_t before = nodes_before(set, to);

	return before > 0 && set->nodes.at[before - 1].latest > from;
}

/* --- rows --- */

/* The times of a block's rows: of a kind that has none, all; where no row has one, none. */
static int
times_of(struct stk_reader *reader, const struct stk_block *block, int64_t *from, int64_t *to, struct stk_error *err)
{
	int column = stk_schema()->kind[block->kind].time;
	const uint64_t *times;

	*from = block->has_time ? block->from_ns : INT64_MIN;
	*to = block->has_time ? block->to_ns : INT64_MAX;
	if (block->has_time || column < 0)
		return 0;
	if (stk_reader_column(reader, (unsigned)column, &times, err) < 0)
		return -1;
	*from = INT64_MAX;
	*to = INT64_MIN;
	for (uint32_t i = 0; i < block->rows; i++) {
		int64_t time = (int64_t)times[i];

		if (time == STK_TIME_UNKNOWN)
			continue;
		*from = time < *from ? time : *from;
		*to = time > *to ? time : *to;
	}
	return 0;
}

int
tree_known_load(struct tree_known *k, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	int64_t from, to;
	int got = times_of(reader, block, &from, &to, err);

	if (got == 0)
		got = known_rows_load(k->rows, block->kind, from, to, err);
	if (got < 0 || block->kind != STK_SAMPLE || from > k->last_ns)
		return got;
	return read_nodes(k, k->set, err) < 0 ? -1 : 1;
}

/* Whether a sample refers to something that the tree did not know: then it was not there. */
static bool
refers_to_new(const struct tree_known *k, const struct stk_sample *sample)
{
	return sample->thread >= k->next[STK_THREAD] || sample->stack >= k->next[STK_STACK] ||
	       sample->dump >= k->next[STK_DUMP] || sample->event >= k->next[STK_STRING];
}

static bool
leave_out_sample(struct tree_known *k, const struct stk_sample *sample)
{
	bool there = known_rows_take(k->rows, STK_SAMPLE, sample);

	if (sample->time == STK_TIME_UNKNOWN) {
		k->totals.untimed += there;
		return false;
	}
	if (!there && (k->set[0].nodes.count == 0 || !is_thinned(k->set, sample->time, sample->time + 1) ||
			      refers_to_new(k, sample)))
		return false;
	/* a dump is kept when its samples are thinned */
	if (there || sample->dump != 0)
		k->totals.samples++;
	else
		k->totals.doubtful++;
	return true;
}

bool
tree_known_row(struct tree_known *k, unsigned kind, const void *row)
{
	if (kind == STK_SAMPLE)
		return leave_out_sample(k, row);
	if (!known_rows_take(k->rows, kind, row))
		return false;
	k->totals.rows++;
	return true;
}

/* --- nodes of the input --- */

/* A node of the tree with the same interval and counts, one that did not come yet if there is such. */
static struct known_node *
find_node(struct tree_known *k, struct known_set *set, const struct tree_made *made)
{
	struct known_node *found = NULL;
	int64_t from = made->node.time, to = tree_node_end(&made->node);
	uint64_t hash = hash_of_node(k, set, made);

	for (size_t i = nodes_before(set, from); i < set->nodes.count && set->nodes.at[i].from == from; i++)
		if (set->nodes.at[i].to == to && set->nodes.at[i].hash == hash && (found == NULL || found->taken))
			found = &set->nodes.at[i];
	return found;
}

/* 1: it is left out; 0; -1. The samples are those of every set: the first counts them. */
static int
leave_out_node(struct tree_known *k, struct known_set *set, const struct tree_made *made, struct stk_error *err)
{
	int64_t from = made->node.time, to = tree_node_end(&made->node);
	uint64_t samples = set == k->set ? made->node.samples : 0;
	struct known_node *found;
	int got;

	if (from > k->last_ns)
		return 0;
	if (read_nodes(k, set, err) < 0)
		return -1;
	found = find_node(k, set, made);
	if (found != NULL && found->taken)
		return 0;		/* once more than it is there */
	if (found != NULL) {
		found->taken = true;
		k->totals.samples += samples;
		return 1;
	}
	if (k->any_source && !k->old_source)
		return 0;
	got = is_thinned(set, from, to) ? 1 : known_rows_any_sample(k->rows, from, to, err);
	if (got > 0)
		k->totals.doubtful += samples;
	return got;
}

int
tree_known_nodes(struct tree_known *k, unsigned set, struct tree_thin *thin, size_t from, struct stk_error *err)
{
	size_t kept = from;
	int got = 0;

	for (size_t i = from; i < thin->made.count; i++) {
		struct tree_made *made = &thin->made.at[i];

		got = got < 0 ? -1 : leave_out_node(k, &k->set[set], made, err);
		if (got > 0)
			array_release(&made->counts.list);
		else
			thin->made.at[kept++] = *made;
	}
	thin->made.count = kept;
	return got < 0 ? -1 : 0;
}
