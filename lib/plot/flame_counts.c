/* SPDX-License-Identifier: MIT
 * flame_counts: a sample is looked up by prefix, state and stack, and only a new one by its names. */
#include "plot/flame_counts.h"

#include "base/time_math.h"
#include "choose/naming.h"
#include "choose/stack_prefix.h"
#include "model/state_name.h"

#define STATES_MOST   16u
#define SHORTEST_CELL 1000000		/* ns */
#define CELL_OF_FIRST (1u << 31)	/* that of the first sample while counting, so that earlier ones have one */
#define CELL_UNTIMED  UINT32_MAX

struct flame_counts {
	struct flame_counts_options options;
	struct naming *naming;
	struct stack_prefixes *prefixes;
	struct flame_tree tree;
	bool fixed;			/* cells are those of the window */
	bool timed;			/* a sample had a time */
	int64_t origin_ns;
	uint32_t first, last;		/* cells with samples */
	/* of the present stream */
	struct pair_sums known;		/* by prefix and state, and stack: weight is the row */
	ARRAY(uint32_t) nodes[2];	/* by stack: node + 1, as native and as Java frames, without a prefix */
	struct text_buffer text;
};

int
flame_counts_open(struct flame_counts **out, const struct flame_counts_options *options, struct stk_error *err)
{
	struct flame_counts *c = *out = mem_new(1, sizeof *c);

	c->options = *options;
	if (c->options.cells == 0)
		c->options.cells = FLAME_CELLS;
	c->fixed = options->from_ns != INT64_MIN && options->to_ns != INT64_MAX;
	c->tree.cell_ns = SHORTEST_CELL;
	if (c->fixed) {
		uint64_t length = (uint64_t)options->to_ns - (uint64_t)options->from_ns;

		c->tree.cell_ns = (int64_t)((length + c->options.cells - 1) / c->options.cells);
		c->origin_ns = options->from_ns;
		if (c->tree.cell_ns <= 0)
			c->tree.cell_ns = 1;
	}
	naming_open(&c->naming, options->model, &(struct naming_options){ 0 });
	call_tree_open(&c->tree.calls, 1);
	return stack_prefixes_open(&c->prefixes, options->model, options->by != NULL ? options->by : "pool", err);
}

void
flame_tree_release(struct flame_tree *tree)
{
	call_tree_release(&tree->calls);
	array_release(&tree->modules);
	text_table_release(&tree->module_texts);
	array_release(&tree->groups);
	pair_sums_release(&tree->rows);
	pair_sums_release(&tree->counts);
	array_release(&tree->marks);
	array_release(&tree->name_marks);
}

void
flame_counts_close(struct flame_counts *c)
{
	if (c == NULL)
		return;
	naming_close(c->naming);
	stack_prefixes_close(c->prefixes);
	flame_tree_release(&c->tree);
	pair_sums_release(&c->known);
	array_release(&c->nodes[0]);
	array_release(&c->nodes[1]);
	array_release(&c->text);
	free(c);
}

void
flame_counts_turn(struct flame_counts *c)
{
	naming_forget(c->naming);
	stack_prefixes_forget(c->prefixes);
	pair_sums_clear(&c->known);
	c->nodes[0].count = c->nodes[1].count = 0;
	if (c->options.grouping != NULL)
		grouping_turn(c->options.grouping);
}

/* --- a new row --- */

static void
note_module(struct flame_counts *c, uint32_t node, uint64_t frame)
{
	uint32_t name = c->tree.calls.nodes.at[node].name;
	struct stk_text module = model_string(c->options.model, model_frame(c->options.model, frame).module);

	array_lengthen(&c->tree.modules, (size_t)name + 1);
	if (name != 0 && c->tree.modules.at[name] == 0 && module.size > 0)
		c->tree.modules.at[name] = text_table_number(&c->tree.module_texts, module);
}

/* The node of a stack below `root`. */
static uint32_t
node_of(struct flame_counts *c, uint32_t root, uint64_t stack, bool java)
{
	const struct model *model = c->options.model;
	ARRAY(uint32_t) way = { 0 };
	uint32_t node = root;

	for (uint64_t at = stack; at != 0 && model_knows(model, STK_STACK, at); ) {
		uint64_t parent = model_stack(model, at).parent;

		if (root == 0 && at < c->nodes[java].count && c->nodes[java].at[at] != 0) {
			node = c->nodes[java].at[at] - 1;
			break;
		}
		*array_push(&way) = (uint32_t)at;
		at = parent < at ? parent : 0;
	}
	while (way.count > 0) {
		uint32_t at = way.at[--way.count];
		uint64_t frame = model_stack(model, at).frame;

		node = call_tree_path(&c->tree.calls, node, naming_frame(c->naming, frame, java));
		note_module(c, node, frame);
		if (root == 0) {
			array_lengthen(&c->nodes[java], (size_t)at + 1);
			c->nodes[java].at[at] = node + 1;
		}
	}
	array_release(&way);
	return node;
}

static uint32_t
make_row(struct flame_counts *c, uint32_t prefix, uint32_t state, uint64_t stack, uint64_t thread)
{
	bool java = stack_prefix_is_java(prefix);
	uint32_t root = 0, node;

	if (c->options.by != NULL)
		root = call_tree_path(&c->tree.calls, 0, stack_prefix_text(c->prefixes, prefix));
	if (c->options.first != NULL)
		root = call_tree_child(&c->tree.calls, root,
				       c->options.first(c->options.first_context, stack, state, thread));
	node = node_of(c, root, stack, java);
	node_groups_note(&c->tree.groups, c->options.grouping, c->options.model, stack, &c->tree.calls, node);
	return pair_sums_index(&c->tree.rows, node, state);
}

static uint32_t
find_row(struct flame_counts *c, const struct sample_columns *columns, uint32_t sample)
{
	uint64_t stack = sample_value(&columns->stack, sample);
	uint32_t state = (uint32_t)state_of_number(sample_value(&columns->state, sample));
	uint64_t thread = sample_value(&columns->thread, sample);
	uint32_t prefix = stack_prefix(c->prefixes, thread, sample_value(&columns->dump, sample), state);
	uint32_t known = (uint32_t)c->known.sums.count;
	struct pair_sum *sum;

	if (stack == 0 && c->options.first != NULL)
		return make_row(c, prefix, state, stack, thread);
	sum = pair_sums_at(&c->known, prefix * STATES_MOST + state, stack < UINT32_MAX ? (uint32_t)stack : UINT32_MAX);
	if (c->known.sums.count > known)
		sum->weight = make_row(c, prefix, state, stack, thread);
	return (uint32_t)sum->weight;
}

/* --- cells --- */

/* Two cells become one. */
static void
double_cells(struct flame_counts *c)
{
	struct pair_sums longer = { 0 };

	for (size_t i = 0; i < c->tree.counts.sums.count; i++) {
		struct pair_sum sum = c->tree.counts.sums.at[i];

		if (sum.b != CELL_UNTIMED)
			sum.b = CELL_OF_FIRST / 2 + sum.b / 2;
		pair_sums_add(&longer, &sum);
	}
	pair_sums_release(&c->tree.counts);
	c->tree.counts = longer;
	c->first = CELL_OF_FIRST / 2 + c->first / 2;
	c->last = CELL_OF_FIRST / 2 + c->last / 2;
	c->tree.cell_ns *= 2;
}

static uint32_t
cell_number(const struct flame_counts *c, int64_t time)
{
	uint64_t apart = time >= c->origin_ns ? (uint64_t)time - (uint64_t)c->origin_ns
					      : (uint64_t)c->origin_ns - (uint64_t)time - 1;
	uint64_t cells = apart / (uint64_t)c->tree.cell_ns;

	if (cells >= CELL_OF_FIRST - 2)
		cells = CELL_OF_FIRST - 2;
	return time >= c->origin_ns ? CELL_OF_FIRST + (uint32_t)cells : CELL_OF_FIRST - 1 - (uint32_t)cells;
}

static uint32_t
find_cell(struct flame_counts *c, int64_t time)
{
	uint32_t cell;

	if (time == STK_TIME_UNKNOWN)
		return CELL_UNTIMED;
	if (!c->timed && !c->fixed)
		c->origin_ns = time - (time % SHORTEST_CELL + SHORTEST_CELL) % SHORTEST_CELL;
	cell = cell_number(c, time);
	if (!c->timed)
		c->first = c->last = cell;
	c->timed = true;
	for (;;) {
		uint32_t first = cell < c->first ? cell : c->first, last = cell > c->last ? cell : c->last;

		if (c->fixed || last - first < c->options.cells || c->tree.cell_ns > INT64_MAX / 2) {
			c->first = first;
			c->last = last;
			return cell;
		}
		double_cells(c);
		cell = cell_number(c, time);
	}
}

void
flame_counts_add(struct flame_counts *c, const struct sample_columns *columns, uint32_t sample, uint64_t weight)
{
	uint32_t row = find_row(c, columns, sample);
	uint32_t cell = find_cell(c, sample_time(columns, sample));
	struct pair_sum *sum = pair_sums_at(&c->tree.counts, row, cell);

	sum->count++;
	sum->weight += weight;
}

/* --- ends --- */

static void
number_cells(struct flame_counts *c)
{
	struct flame_tree *tree = &c->tree;
	uint32_t first = c->fixed ? CELL_OF_FIRST : c->first;

	tree->cells = c->fixed ? c->options.cells : c->timed ? c->last - c->first + 1 : 0;
	tree->begin_ns = c->fixed || first == CELL_OF_FIRST
			       ? c->origin_ns
			       : c->origin_ns - (int64_t)(CELL_OF_FIRST - first) * tree->cell_ns;
	if (!c->timed)
		tree->cells = 0;
	if (tree->cells == 0)
		tree->cell_ns = 0;
	for (size_t i = 0; i < tree->counts.sums.count; i++) {
		uint32_t *cell = &tree->counts.sums.at[i].b;

		*cell = *cell == CELL_UNTIMED ? tree->cells : *cell < first ? 0 : *cell - first;
		if (*cell > tree->cells)
			*cell = tree->cells - 1;
	}
}

static void
sum_totals(struct call_tree *calls)
{
	calls->total.count = 0;
	array_lengthen(&calls->total, calls->nodes.count);
	memcpy(calls->total.at, calls->self.at, calls->nodes.count * sizeof *calls->total.at);
	for (size_t n = calls->nodes.count; n-- > 1; )
		calls->total.at[calls->nodes.at[n].parent] += calls->total.at[n];
}

void
flame_tree_sum_cells(struct flame_tree *tree, uint32_t from, uint32_t to)
{
	struct call_tree *calls = &tree->calls;

	call_tree_clear(calls);
	for (size_t i = 0; i < tree->counts.sums.count; i++) {
		const struct pair_sum *sum = &tree->counts.sums.at[i];

		if (sum->b >= from && sum->b < to && sum->b < tree->cells)
			*call_tree_self(calls, tree->rows.sums.at[sum->a].a) += sum->weight;
	}
	sum_totals(calls);
}

void
flame_tree_sum(struct flame_tree *tree)
{
	struct call_tree *calls = &tree->calls;

	call_tree_clear(calls);
	for (size_t i = 0; i < tree->rows.sums.count; i++)
		tree->rows.sums.at[i].weight = 0;
	for (size_t i = 0; i < tree->counts.sums.count; i++)
		tree->rows.sums.at[tree->counts.sums.at[i].a].weight += tree->counts.sums.at[i].weight;
	for (size_t i = 0; i < tree->rows.sums.count; i++)
		*call_tree_self(calls, tree->rows.sums.at[i].a) += tree->rows.sums.at[i].weight;
	sum_totals(calls);
	array_lengthen(&tree->modules, calls->names.texts.count + 1);
	if (tree->groups.count > 0)
		array_lengthen(&tree->groups, calls->nodes.count);
}

struct flame_tree *
flame_counts_settle(struct flame_counts *c)
{
	number_cells(c);
	flame_tree_sum(&c->tree);
	return &c->tree;
}

/* What is known of a node and its name goes with it; several that became one were not compared as one. */
static void
keep_facts(struct flame_tree *out, uint32_t to, const struct flame_tree *from, uint32_t node)
{
	uint32_t name = from->calls.nodes.at[node].name, new_name = out->calls.nodes.at[to].name;

	array_lengthen(&out->modules, (size_t)new_name + 1);
	if (from->modules.at[name] != 0)
		out->modules.at[new_name] = text_table_number(
			&out->module_texts, text_table_text(&from->module_texts, from->modules.at[name]));
	if (from->groups.count > 0) {
		array_lengthen(&out->groups, out->calls.nodes.count);
		out->groups.at[to] = from->groups.at[node];
	}
	if (from->marks.count > 0) {
		array_lengthen(&out->marks, out->calls.nodes.count);
		array_lengthen(&out->name_marks, (size_t)new_name + 1);
		out->marks.at[to] = from->marks.at[node];
		out->name_marks.at[new_name] = from->name_marks.at[name];
	}
}

static void
mark_rest(struct flame_tree *out)
{
	array_lengthen(&out->marks, out->calls.nodes.count);
	array_lengthen(&out->name_marks, out->calls.names.texts.count + 1);
	for (uint32_t n = 1; n < out->calls.nodes.count; n++)
		if (text_is(call_tree_name(&out->calls, n), FLAME_REST))
			out->marks.at[n] = FLAME_MERGED;
}

void
flame_tree_thin(struct flame_tree *out, const struct flame_tree *from, uint64_t least)
{
	const struct call_tree *calls = &from->calls;
	uint32_t *node = mem_new(calls->nodes.count, sizeof *node);
	uint32_t *row = mem_new(from->rows.sums.count + 1, sizeof *row);

	*out = (struct flame_tree){ .cells = from->cells, .begin_ns = from->begin_ns, .cell_ns = from->cell_ns };
	call_tree_open(&out->calls, 1);
	for (uint32_t n = 1; n < calls->nodes.count; n++) {
		uint32_t parent = calls->nodes.at[n].parent, above = node[parent];
		bool kept = calls->total.at[n] >= least && calls->total.at[n] > 0;

		if (!kept && calls->total.at[n] > 0)
			out->rest_nodes++;
		if (kept) {
			node[n] = call_tree_child(&out->calls, above, call_tree_name(calls, n));
		} else if (parent != 0 && calls->total.at[parent] < least) {
			node[n] = above;
		} else if (calls->total.at[n] > 0) {
			node[n] = call_tree_child(&out->calls, above, text_from(FLAME_REST));
			out->rest_sum += calls->total.at[n];
		}
		if (kept)
			keep_facts(out, node[n], from, n);
	}
	if (from->marks.count > 0) {
		keep_facts(out, 0, from, 0);
		mark_rest(out);
	}
	for (size_t i = 0; i < from->rows.sums.count; i++)
		row[i] = pair_sums_index(&out->rows, node[from->rows.sums.at[i].a], from->rows.sums.at[i].b);
	for (size_t i = 0; i < from->counts.sums.count; i++) {
		struct pair_sum sum = from->counts.sums.at[i];

		sum.a = row[sum.a];
		pair_sums_add(&out->counts, &sum);
	}
	flame_tree_sum(out);
	free(node);
	free(row);
}
