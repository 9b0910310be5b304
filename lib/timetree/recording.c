/* SPDX-License-Identifier: MIT
 * recording: one part for each stream of the file, with ids of its own; what they count meets in a call tree, by name. */
#include "timetree/recording.h"

#include "base/id_table.h"
#include "base/memory.h"
#include "timetree/stack_labels.h"
#include "timetree/tree_reader.h"

#include <stdlib.h>

/* The stream of a recording. */
struct part {
	unsigned stream;
	struct model *model;
	struct naming *naming;
	struct stack_prefixes *prefixes;
	struct selection *selection;
	struct tree_reader *tree;		/* NULL: none, or not for this question */
	bool bare;				/* --by none of a tree that has prefixes */
	uint64_t covered;			/* sample rows that the tree answers for */
	struct pair_sums sums;			/* of the present window, by prefix and stack */
	ARRAY(struct id_table) nodes;		/* by prefix, of stacks: nodes of the call tree, from 1 */
	struct id_table names[2];		/* by frame, otherwise and of Java processes: its name in the call tree; 0: not yet known, or several */
	struct stack_labels *labels;		/* what stands for stacks instead of their frames */
};

struct recording {
	struct recording_options options;
	struct recording_listener listener;
	struct recording_facts facts;
	struct stream_file *file;
	ARRAY(struct part *) parts;
};

/* A part that is asked: the context of tree_access. */
struct question { struct recording *recording; struct part *part; struct answer *answer; };

/* --- opening --- */

static const unsigned definitions[] = { STK_STRING, STK_FRAME, STK_STACK, STK_SOURCE, STK_THREAD };

/* Dumps are many, and only what a sample without a thread belongs to is asked of them. */
static bool
needs_dumps(const char *by)
{
	return by != NULL && (strstr(by, "source") != NULL || strstr(by, "process") != NULL || strstr(by, "pid") != NULL);
}

/* Definitions of a kind into the model. */
static int
define(struct recording *r, struct part *part, unsigned kind, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(r->file, part->stream, kind, &count);

	for (size_t b = 0; b < count; b++) {
		struct stk_block block;
		int got = stream_file_go(r->file, part->stream, &blocks[b], &block, err);

		if (got > 0 && model_take(part->model, stream_file_reader(r->file), &block, err) < 0)
			got = err->code == STK_EDATA ? 0 : -1;
		if (got < 0)
			return -1;
		stk_error_clear(err);		/* what is damaged was told */
	}
	return 0;
}

static bool
is_usual(const char *by)
{
	return by == NULL || *by == '\0';
}

/* Whether the tree counted what is asked for. */
static bool
tree_serves(const struct recording *r, const struct tree_facts *facts)
{
	const char *by = r->options.by, *event = r->options.selection.event;

	if (r->options.filtered || (event != NULL && strcmp(event, *facts->event == '\0' ? "all" : facts->event) != 0))
		return false;
	return is_usual(by) || strcmp(by, "none") == 0 || strcmp(by, facts->by) == 0;
}

static int
open_tree(struct recording *r, struct part *part, struct stk_error *err)
{
	const struct tree_facts *facts;
	int got = tree_reader_open(&part->tree, r->file, part->stream, err);

	if (got <= 0)
		return got;
	facts = tree_reader_facts(part->tree);
	if (!tree_serves(r, facts)) {
		tree_reader_close(part->tree);
		part->tree = NULL;
		return 0;
	}
	part->covered = facts->row.rows;
	part->bare = r->options.by != NULL && strcmp(r->options.by, "none") == 0;
	r->facts.untimed += facts->row.untimed;
	return 0;
}

/* The prefixes and the event of samples must be those of the tree beside which they are counted. */
static int
open_selection(struct recording *r, struct part *part, struct stk_error *err)
{
	struct selection_options selection = r->options.selection;
	const char *by = r->options.by;

	selection.from_ns = INT64_MIN;
	selection.to_ns = INT64_MAX;
	selection.one_event = true;
	if (part->tree != NULL) {
		const struct tree_facts *facts = tree_reader_facts(part->tree);

		selection.event = *facts->event == '\0' ? "all" : facts->event;
		by = part->bare ? "none" : facts->by;
	}
	if (stack_prefixes_open(&part->prefixes, part->model, by, err) < 0 || selection_open(&part->selection, part->model, &selection, err) < 0)
		return -1;
	selection_head(part->selection, stream_file_reader(r->file), 0);
	naming_open(&part->naming, part->model, &r->options.naming);
	return 0;
}

/* A column of a block; one that is the same word in all rows is not decoded. */
struct sample_column { const uint64_t *values; uint64_t word; };

static int
decode(struct stk_reader *reader, unsigned number, struct sample_column *column, struct stk_error *err)
{
	column->values = NULL;
	return stk_reader_is_constant(reader, number, &column->word) ? 0 : stk_reader_column(reader, number, &column->values, err);
}

static inline uint64_t
value_of(const struct sample_column *column, uint32_t row)
{
	return column->values == NULL ? column->word : column->values[row];
}

static void
widen(struct recording_facts *facts, int64_t from_ns, int64_t to_ns)
{
	facts->from_ns = facts->from_ns == STK_TIME_UNKNOWN || from_ns < facts->from_ns ? from_ns : facts->from_ns;
	facts->to_ns = to_ns > facts->to_ns ? to_ns : facts->to_ns;
}

/* The times of a block whose header has no range: some of its samples have none. */
static int
note_rows(struct recording *r, const struct part *part, const struct file_block *at, struct stk_error *err)
{
	struct sample_column time;
	struct stk_block block;
	int got = stream_file_go(r->file, part->stream, at, &block, err);

	if (got > 0 && decode(stream_file_reader(r->file), STK_COLUMN(sample, time), &time, err) < 0)
		got = err->code == STK_EDATA ? 0 : -1;
	if (got <= 0) {
		if (got == 0)
			stk_error_clear(err);		/* told */
		return got;
	}
	for (uint32_t row = 0; row < block.rows; row++) {
		int64_t ns = (int64_t)value_of(&time, row);

		if (ns == STK_TIME_UNKNOWN)
			r->facts.untimed++;
		else
			widen(&r->facts, ns, ns);
	}
	return 0;
}

/* The times of samples, from headers where these tell them, and of the tree. */
static int
note_times(struct recording *r, const struct part *part, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(r->file, part->stream, STK_SAMPLE, &count);
	const struct tree_facts *tree = part->tree == NULL ? NULL : tree_reader_facts(part->tree);

	if (tree != NULL && tree->row.from != STK_TIME_UNKNOWN)
		widen(&r->facts, tree->row.from, tree->row.to);
	for (size_t b = 0; b < count; b++) {
		if (blocks[b].has_time)
			widen(&r->facts, blocks[b].from_ns, blocks[b].to_ns);
		else if (tree == NULL && note_rows(r, part, &blocks[b], err) < 0)
			return -1;
	}
	return 0;
}

static void
note_clocks(struct recording *r, const struct part *part)
{
	for (uint32_t id = model_next(part->model, STK_SOURCE, 0); id != 0; id = model_next(part->model, STK_SOURCE, id)) {
		uint64_t clock = model_source(part->model, id).clock;

		r->facts.monotonic |= clock == STK_CLOCK_MONOTONIC;
		r->facts.wall |= clock == STK_CLOCK_WALL;
	}
}

/* Bytes that no block takes were lost, and with them what was between the samples around them. */
static void
tell_holes(struct recording *r, const struct part *part)
{
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(r->file, part->stream, &count);
	int64_t before = STK_TIME_UNKNOWN, lost_from = 0;
	bool lost = false;

	for (size_t b = 0; b < count; b++) {
		if (b > 0 && blocks[b].offset != blocks[b - 1].offset + (int64_t)blocks[b - 1].bytes && !lost)
			lost = true, lost_from = before;
		if (blocks[b].kind != STK_SAMPLE || !blocks[b].has_time)
			continue;
		if (lost)
			r->listener.lost(r->listener.context, lost_from, blocks[b].from_ns, "damaged");
		lost = false;
		before = blocks[b].to_ns;
	}
	if (lost || !stream_file_is_whole(r->file, part->stream))
		r->listener.lost(r->listener.context, lost ? lost_from : before, INT64_MAX, lost ? "damaged" : "cut");
}

/* Where blocks are missing, rows have other numbers than the tree says. */
static bool
has_holes(const struct recording *r, unsigned stream)
{
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(r->file, stream, &count);

	for (size_t b = 1; b < count; b++)
		if (blocks[b].offset != blocks[b - 1].offset + (int64_t)blocks[b - 1].bytes)
			return true;
	return false;
}

static int
open_part(struct recording *r, unsigned stream, struct stk_error *err)
{
	struct part *part = mem_new(1, sizeof *part);
	struct stk_block head;
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(r->file, stream, &count);

	*array_push(&r->parts) = part;
	part->stream = stream;
	part->names[0].size = part->names[1].size = sizeof(uint32_t);
	if (model_open(&part->model) < 0)
		return stk_fail(err, STK_ESYSTEM, "cannot begin");
	if (count > 0 && blocks[0].kind == STK_HEAD && blocks[0].bytes > 0 && stream_file_go(r->file, stream, &blocks[0], &head, err) < 0)
		return -1;
	if (!has_holes(r, stream) && open_tree(r, part, err) < 0)
		return -1;
	for (size_t k = 0; k < sizeof definitions / sizeof *definitions; k++)
		if (define(r, part, definitions[k], err) < 0)
			return -1;
	if (needs_dumps(r->options.by) && define(r, part, STK_DUMP, err) < 0)
		return -1;
	if (open_selection(r, part, err) < 0)
		return -1;
	if (r->options.as != AS_FRAMES && stack_labels_open(&part->labels, r->file, stream, r->options.as == AS_GROUPS, err) < 0)
		return -1;
	if (note_times(r, part, err) < 0)
		return -1;
	note_clocks(r, part);
	tell_holes(r, part);
	r->facts.tree &= part->tree != NULL;
	return 0;
}

int
recording_open(struct recording **out, const char *path, const struct recording_options *options, const struct recording_listener *listener, struct stk_error *err)
{
	struct recording *r = *out = mem_new(1, sizeof *r);

	r->options = *options;
	r->listener = *listener;
	r->facts.from_ns = r->facts.to_ns = STK_TIME_UNKNOWN;
	r->facts.tree = true;
	if (stream_file_open(&r->file, path, listener->damage, listener->context, err) < 0)
		return -1;
	for (unsigned s = 0; s < stream_file_streams(r->file); s++)
		if (open_part(r, s, err) < 0)
			return -1;
	return 0;
}

static void
close_part(struct part *part)
{
	tree_reader_close(part->tree);
	stack_labels_close(part->labels);
	naming_close(part->naming);
	stack_prefixes_close(part->prefixes);
	selection_close(part->selection);
	model_close(part->model);
	pair_sums_release(&part->sums);
	for (size_t p = 0; p < part->nodes.count; p++)
		id_table_clear(&part->nodes.at[p]);
	array_release(&part->nodes);
	id_table_clear(&part->names[0]);
	id_table_clear(&part->names[1]);
	free(part);
}

void
recording_close(struct recording *r)
{
	if (r == NULL)
		return;
	for (size_t p = 0; p < r->parts.count; p++)
		close_part(r->parts.at[p]);
	array_release(&r->parts);
	stream_file_close(r->file);
	free(r);
}

const struct recording_facts *
recording_facts(const struct recording *r)
{
	return &r->facts;
}

size_t
recording_streams(const struct recording *r)
{
	return r->parts.count;
}

const struct model *
recording_model(const struct recording *r, size_t stream)
{
	return r->parts.at[stream]->model;
}

uint64_t
recording_bytes(const struct recording *r)
{
	return stream_file_size(r->file);
}

/* --- samples --- */

struct sample_columns { struct sample_column time, thread, dump, stack, weight, state; };

static int
decode_samples(struct stk_reader *reader, struct sample_columns *c, struct stk_error *err)
{
	return decode(reader, STK_COLUMN(sample, time), &c->time, err) < 0 || decode(reader, STK_COLUMN(sample, thread), &c->thread, err) < 0 ||
		decode(reader, STK_COLUMN(sample, dump), &c->dump, err) < 0 || decode(reader, STK_COLUMN(sample, stack), &c->stack, err) < 0 ||
		decode(reader, STK_COLUMN(sample, weight), &c->weight, err) < 0 || decode(reader, STK_COLUMN(sample, state), &c->state, err) < 0 ? -1 : 0;
}

static bool
in_window(int64_t time, struct tree_interval window)
{
	if (time == STK_TIME_UNKNOWN)
		return window.from == INT64_MIN && window.to == INT64_MAX;
	return time >= window.from && (time < window.to || window.to == INT64_MAX);
}

/* Counts the rows from..to of a sample block that are in the window. */
static enum tree_access_result
count_rows(struct question *q, const struct file_block *at, uint32_t from, uint32_t to, struct tree_interval window, struct stk_error *err)
{
	struct part *part = q->part;
	struct stk_reader *reader = stream_file_reader(q->recording->file);
	struct sample_columns c;
	struct stk_block block;
	const uint32_t *rows;
	uint32_t count;
	int got = stream_file_go(q->recording->file, part->stream, at, &block, err);

	if (got > 0 && (decode_samples(reader, &c, err) < 0 || selection_rows(part->selection, reader, &block, &rows, &count, err) < 0))
		got = err->code == STK_EDATA ? 0 : -1;
	if (got < 0)
		return TREE_FAILED;
	if (got == 0) {
		stk_error_clear(err);
		return TREE_DAMAGED;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = selected_row(rows, i);
		struct pair_sum *sum;
		uint64_t stack;

		if (row < from || row >= to || !in_window((int64_t)value_of(&c.time, row), window))
			continue;
		(void)model_id(part->model, STK_THREAD, value_of(&c.thread, row));	/* counts it when it is lost */
		stack = value_of(&c.stack, row);
		sum = pair_sums_at(&part->sums, stack_prefix(part->prefixes, value_of(&c.thread, row), value_of(&c.dump, row), value_of(&c.state, row)),
				   stack < UINT32_MAX ? (uint32_t)stack : UINT32_MAX);
		sum->count++;
		sum->weight += value_of(&c.weight, row);
	}
	return TREE_TAKEN;
}

static void
tell_lost(struct question *q, int64_t from, int64_t to)
{
	q->recording->listener.lost(q->recording->listener.context, from, to, "damaged");
}

/* Sample rows first..end of the stream, block by block. */
static enum tree_access_result
count_range(struct question *q, uint64_t first, uint64_t end, struct tree_interval window, uint64_t *looked_at, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(q->recording->file, q->part->stream, STK_SAMPLE, &count);
	enum tree_access_result result = TREE_TAKEN;
	size_t low = 0, high = count;

	while (low < high) {		/* the first block that ends behind `first` */
		size_t middle = low + (high - low) / 2;

		if (blocks[middle].first_row + blocks[middle].rows <= first)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < count && blocks[low].first_row < end; low++) {
		const struct file_block *at = &blocks[low];
		uint64_t from = first > at->first_row ? first - at->first_row : 0, to = end - at->first_row < at->rows ? end - at->first_row : at->rows;
		enum tree_access_result got;

		if (at->has_time && (at->to_ns < window.from || (at->from_ns >= window.to && window.to != INT64_MAX)))
			continue;
		got = count_rows(q, at, (uint32_t)from, (uint32_t)to, window, err);
		if (got == TREE_FAILED)
			return TREE_FAILED;
		if (got == TREE_DAMAGED) {
			result = TREE_DAMAGED;
			tell_lost(q, at->has_time ? at->from_ns : STK_TIME_UNKNOWN, at->has_time ? at->to_ns : STK_TIME_UNKNOWN);
		}
		*looked_at += to - from;
	}
	return result;
}

/* --- asking a tree --- */

static enum tree_access_result
give_node(void *context, uint64_t id, struct stk_tree_node *node, struct stk_error *err)
{
	return tree_reader_node(((struct question *)context)->part->tree, id, node, err);
}

static enum tree_access_result
give_counts(void *context, const struct stk_tree_node *node, struct stk_error *err)
{
	struct question *q = context;
	enum tree_access_result got = tree_reader_counts(q->part->tree, node, q->part->prefixes, q->part->bare, &q->part->sums, err);

	if (got == TREE_DAMAGED && node->form == STK_NODE_THINNED)
		tell_lost(q, node->time, (int64_t)((uint64_t)node->time + (uint64_t)node->length));
	return got;
}

static enum tree_access_result
give_samples(void *context, const struct stk_tree_node *leaf, struct tree_interval window, uint64_t *taken, struct stk_error *err)
{
	return count_range(context, leaf->first_row, leaf->first_row + leaf->rows, window, taken, err);
}

/* --- answers --- */

static struct id_table *
nodes_of_prefix(struct part *part, uint32_t prefix)
{
	size_t known = part->nodes.count;

	if (prefix >= known) {
		array_lengthen(&part->nodes, (size_t)prefix + 1);
		for (size_t p = known; p < part->nodes.count; p++)
			part->nodes.at[p].size = sizeof(uint32_t);
	}
	return &part->nodes.at[prefix];
}

/* Inlined frames are several names in one frame. */
static uint32_t
node_of_frame(struct part *part, uint32_t parent, uint64_t frame, bool java, struct call_tree *tree)
{
	uint32_t *known = model_knows(part->model, STK_FRAME, frame) ? id_table_at(&part->names[java], frame) : NULL, node;
	struct stk_text name;

	if (known != NULL && *known != 0)
		return call_tree_child_of(tree, parent, *known);
	name = naming_frame(part->naming, frame, java);
	node = call_tree_path(tree, parent, name);
	if (known != NULL && memchr(name.data, ';', name.size) == NULL)
		*known = tree->nodes.at[node].name;
	return node;
}

/* The node of a stack: from the nearest caller that is known, up. */
static uint32_t
node_of(struct part *part, uint32_t prefix, uint32_t stack, struct call_tree *tree)
{
	struct id_table *known;
	ARRAY(uint32_t) way = { 0 };
	uint32_t node = 0, at = stack;
	bool java = stack_prefix_is_java(prefix);

	if (part->labels != NULL)
		return call_tree_path(tree, 0, stack_label(part->labels, stack));
	known = nodes_of_prefix(part, prefix);
	while (at != 0 && model_knows(part->model, STK_STACK, at)) {
		const uint32_t *found = id_table_find(known, at);
		uint32_t parent = (uint32_t)model_stack(part->model, at).parent;

		if (found != NULL && *found != 0) {
			node = *found - 1;
			break;
		}
		*array_push(&way) = at;
		at = parent < at ? parent : 0;
	}
	if (node == 0)
		node = call_tree_path(tree, 0, stack_prefix_text(part->prefixes, prefix));
	if (way.count == 0 && stack != 0 && !model_knows(part->model, STK_STACK, stack))
		node = call_tree_child(tree, node, text_of("?", 1));
	while (way.count > 0) {
		uint32_t id = way.at[--way.count];

		node = node_of_frame(part, node, model_stack(part->model, id).frame, java, tree);
		*(uint32_t *)id_table_at(known, id) = node + 1;
	}
	array_release(&way);
	return node;
}

/* What a part counted goes into the call tree; the sums are empty after it. */
static void
settle(struct recording *r, struct part *part, struct call_tree *to, unsigned column, struct answer *answer)
{
	for (size_t i = 0; i < part->sums.sums.count; i++) {
		const struct pair_sum *sum = &part->sums.sums.at[i];
		uint32_t node = node_of(part, sum->a, sum->b, to);

		(void)model_id_of_rows(part->model, STK_STACK, sum->b, sum->count);

		call_tree_self(to, node)[column] += r->options.samples ? sum->count : sum->weight;
		answer->samples += sum->count;
		answer->weight += sum->weight;
	}
	pair_sums_clear(&part->sums);
}

static int
ask(struct recording *r, struct part *part, struct tree_interval window, struct answer *answer, struct stk_error *err)
{
	struct question q = { r, part, answer };
	struct tree_access access = { .context = &q, .node = give_node, .counts = give_counts, .samples = give_samples };

	if (part->tree != NULL) {
		const struct tree_facts *facts = tree_reader_facts(part->tree);

		access.nodes = tree_reader_nodes(part->tree);
		if (tree_query(&access, facts->roots.at, facts->roots.count, window, &answer->tree, err) < 0)
			return -1;
	}
	return count_range(&q, part->covered, UINT64_MAX, window, &answer->scanned, err) == TREE_FAILED ? -1 : 0;
}

int
recording_answer(struct recording *r, struct tree_interval window, struct call_tree *to, unsigned column, struct answer *answer, struct stk_error *err)
{
	for (size_t p = 0; p < r->parts.count; p++) {
		if (ask(r, r->parts.at[p], window, answer, err) < 0)
			return -1;
		settle(r, r->parts.at[p], to, column, answer);
	}
	answer->bytes = stream_file_bytes_read(r->file);
	return 0;
}

/* --- sketches: from the root down, as far as is wanted --- */

#define CLIMBS_MOST 1000		/* stacks that are followed one by one: of more, all ids are gone over */

#define LOST_STACK UINT32_MAX		/* in place of all stacks that are not defined: no stack has this id */

/* What a stack has, by itself and with its callees; the first of these, and the next that its caller has. */
struct growth { uint64_t self, total; uint32_t first, next; };

/* Stacks by id with what they have, and those above them: of one part and one way of naming. */
struct grove { struct part *part; bool java, climbs; struct id_table stacks; };

/* A stack that is part of a node of the call tree. */
struct sprout { uint32_t grove, stack; uint32_t node; };

struct sketch {
	struct recording *recording;
	struct call_tree *to;
	ARRAY(struct grove) groves;
	ARRAY(struct sprout) sprouts, grown;
	double least;
	uint64_t depth;
};

static struct grove *
grove_of(struct sketch *s, struct part *part, bool java)
{
	struct grove *grove;

	for (size_t g = 0; g < s->groves.count; g++)
		if (s->groves.at[g].part == part && s->groves.at[g].java == java)
			return &s->groves.at[g];
	grove = array_push(&s->groves);
	*grove = (struct grove){ .part = part, .java = java, .stacks = { .size = sizeof(struct growth) } };
	return grove;
}

static struct growth *
growth_of(struct grove *g, uint32_t stack)
{
	return id_table_at(&g->stacks, stack);
}

/* Its caller knows a stack as a child once it has something. */
static void
join_caller(struct grove *g, uint32_t stack, uint32_t caller)
{
	struct growth *above = growth_of(g, caller);

	growth_of(g, stack)->next = above->first;
	above->first = stack;
}

/* A parent's id is below its child's; where it is not, or not known, the stack stands alone. */
static uint32_t
parent_of(const struct grove *g, uint32_t id)
{
	uint32_t parent = (uint32_t)model_stack(g->part->model, id).parent;

	return parent < id && (parent == 0 || model_knows(g->part->model, STK_STACK, parent)) ? parent : 0;
}

/* What a stack has goes to all those above it, which know it as a child. */
static void
climb(struct grove *g, uint32_t id, uint64_t count)
{
	for (uint32_t parent;; id = parent) {
		struct growth *growth = growth_of(g, id);
		bool is_new = growth->total == 0;

		growth->total += count;
		if (id == 0)
			return;
		parent = parent_of(g, id);
		if (is_new)
			join_caller(g, id, parent);
	}
}

/* What the sums have goes to the stacks. */
static void
plant(struct sketch *s, struct part *part, struct answer *answer)
{
	for (size_t i = 0; i < part->sums.sums.count; i++) {
		const struct pair_sum *sum = &part->sums.sums.at[i];
		struct grove *grove = grove_of(s, part, stack_prefix_is_java(sum->a));
		uint32_t id = model_id_of_rows(part->model, STK_STACK, sum->b, sum->count) == sum->b ? sum->b : LOST_STACK;
		uint64_t count = s->recording->options.samples ? sum->count : sum->weight;

		growth_of(grove, id)->self += count;
		grove->climbs = part->sums.sums.count < CLIMBS_MOST;		/* all of one part, or none */
		if (grove->climbs && count > 0)
			climb(grove, id, count);
		answer->samples += sum->count;
		answer->weight += sum->weight;
	}
	pair_sums_clear(&part->sums);
}

/* Totals, and the lists of children that have any. */
static void
grow_grove(struct grove *g)
{
	if (g->climbs)
		return;
	for (uint32_t id = LOST_STACK; id != 0; id = model_before(g->part->model, STK_STACK, id)) {
		struct growth *growth = id_table_find(&g->stacks, id);
		uint32_t parent = parent_of(g, id);

		if (growth == NULL || growth->self + growth->total == 0)
			continue;
		growth->total += growth->self;
		growth_of(g, parent)->total += growth->total;
		join_caller(g, id, parent);
	}
	growth_of(g, 0)->total += growth_of(g, 0)->self;
}

static uint64_t *
room_for(struct call_tree *tree, uint32_t node)
{
	array_lengthen(&tree->total, (size_t)node + 1);
	return &tree->total.at[node];
}

/* The children of a stack join the nodes of their names below the stack's own. */
static void
grow_sprout(struct sketch *s, struct sprout sprout)
{
	struct grove *g = &s->groves.at[sprout.grove];

	for (uint32_t id = growth_of(g, sprout.stack)->first; id != 0; id = growth_of(g, id)->next) {
		const struct growth *growth = growth_of(g, id);
		bool known = model_knows(g->part->model, STK_STACK, id);
		uint32_t node = known ? node_of_frame(g->part, sprout.node, model_stack(g->part->model, id).frame, g->java, s->to) : call_tree_child(s->to, sprout.node, text_of("?", 1));

		for (uint32_t at = node; at != sprout.node; at = s->to->nodes.at[at].parent)		/* inlined frames are several nodes */
			*room_for(s->to, at) += growth->total;
		*call_tree_self(s->to, node) += growth->self;
		*array_push(&s->grown) = (struct sprout){ sprout.grove, id, node };
	}
}

static bool
is_worth(const struct sketch *s, uint32_t node)
{
	return (double)s->to->total.at[node] * 100 >= s->least * (double)s->to->total.at[0] && (s->depth == 0 || s->to->nodes.at[node].depth < s->depth);
}

/* Level by level, so that a node has all its stacks before it is judged. */
static void
grow(struct sketch *s)
{
	for (size_t g = 0; g < s->groves.count; g++) {
		grow_grove(&s->groves.at[g]);
		*room_for(s->to, 0) += growth_of(&s->groves.at[g], 0)->total;
		*call_tree_self(s->to, 0) += growth_of(&s->groves.at[g], 0)->self;
		*array_push(&s->sprouts) = (struct sprout){ (uint32_t)g, 0, 0 };
	}
	while (s->sprouts.count > 0) {
		s->grown.count = 0;
		for (size_t i = 0; i < s->sprouts.count; i++)
			if (is_worth(s, s->sprouts.at[i].node))
				grow_sprout(s, s->sprouts.at[i]);
		s->sprouts.count = 0;
		for (size_t i = 0; i < s->grown.count; i++)
			*array_push(&s->sprouts) = s->grown.at[i];
	}
}

int
recording_sketch(struct recording *r, struct tree_interval window, double least, uint64_t depth, struct call_tree *to, struct answer *answer, struct stk_error *err)
{
	struct sketch s = { .recording = r, .to = to, .least = least, .depth = depth };
	int result = 0;

	for (size_t p = 0; p < r->parts.count && result == 0; p++) {
		result = ask(r, r->parts.at[p], window, answer, err);
		plant(&s, r->parts.at[p], answer);
	}
	if (result == 0)
		grow(&s);
	for (size_t g = 0; g < s.groves.count; g++)
		id_table_clear(&s.groves.at[g].stacks);
	array_release(&s.groves);
	array_release(&s.sprouts);
	array_release(&s.grown);
	array_lengthen(&to->total, to->nodes.count);
	answer->bytes = stream_file_bytes_read(r->file);
	return result;
}

int
recording_stacks(struct recording *r, struct tree_interval window, recording_stack_function *take, void *context, struct answer *answer, struct stk_error *err)
{
	for (size_t p = 0; p < r->parts.count; p++) {
		struct part *part = r->parts.at[p];
		int result = ask(r, part, window, answer, err);

		for (size_t i = 0; i < part->sums.sums.count && result == 0; i++) {
			const struct pair_sum *sum = &part->sums.sums.at[i];

			(void)model_id_of_rows(part->model, STK_STACK, sum->b, sum->count);
			result = take(context, part->model, stack_prefix_text(part->prefixes, sum->a), sum->b, sum->count, sum->weight, err);
			answer->samples += sum->count;
			answer->weight += sum->weight;
		}
		pair_sums_clear(&part->sums);
		if (result < 0)
			return -1;
	}
	answer->bytes = stream_file_bytes_read(r->file);
	return 0;
}
