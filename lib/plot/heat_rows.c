/* SPDX-License-Identifier: MIT
 * heat_rows: a sample is looked up by its stack, whose last row is kept, then by (prefix and state, stack), and only a
 * new one by its names. */
#include "plot/heat_rows.h"

#include "base/pair_sums.h"
#include "choose/stack_prefix.h"
#include "model/state_name.h"

#define STATES_MOST 16u
#define DENSE_STACKS 4 /* kept by id while ids are at most this many times the number of stacks */
#define THREADS_KEPT (1u << 20)

struct last_row {
	uint32_t group, row;
}; /* group: prefix and state; 0: none */

struct heat_rows {
	const struct model *model;
	struct naming *naming;
	struct stack_prefixes *prefixes;
	struct call_tree tree;
	struct text_table processes, pools;
	ARRAY(struct heat_row_facts) rows;
	ARRAY(struct heat_tag) tags;
	struct pair_sums tag_numbers, pairs, row_numbers; /* by process and pool; pair and state; node and tag */
	/* of the present stream */
	ARRAY(uint32_t) prefix_of_thread; /* outside of dumps and in them */
	ARRAY(struct last_row) of_stack;
	struct pair_sums known; /* by group and stack: weight is the row */
	ARRAY(uint32_t) tag_of_group; /* + 1 */
	ARRAY(uint32_t) nodes[2]; /* by stack: node + 1, as native and as Java frames */
	ARRAY(uint32_t) way;
};

int
heat_rows_open(struct heat_rows **out, const struct model *model, struct stk_error *err)
{
	struct heat_rows *rows = mem_new(1, sizeof *rows);

	*out = rows;
	rows->model = model;
	naming_open(&rows->naming, model, &(struct naming_options){ 0 });
	call_tree_open(&rows->tree, 1);
	return stack_prefixes_open(&rows->prefixes, model, "process,pool", err);
}

void
heat_rows_close(struct heat_rows *rows)
{
	if (rows == NULL)
		return;
	naming_close(rows->naming);
	stack_prefixes_close(rows->prefixes);
	call_tree_release(&rows->tree);
	text_table_release(&rows->processes);
	text_table_release(&rows->pools);
	array_release(&rows->rows);
	array_release(&rows->tags);
	pair_sums_release(&rows->tag_numbers);
	pair_sums_release(&rows->pairs);
	pair_sums_release(&rows->row_numbers);
	array_release(&rows->prefix_of_thread);
	array_release(&rows->of_stack);
	pair_sums_release(&rows->known);
	array_release(&rows->tag_of_group);
	array_release(&rows->nodes[0]);
	array_release(&rows->nodes[1]);
	array_release(&rows->way);
	free(rows);
}

void
heat_rows_forget(struct heat_rows *rows)
{
	naming_forget(rows->naming);
	stack_prefixes_forget(rows->prefixes);
	rows->prefix_of_thread.count = rows->of_stack.count = rows->tag_of_group.count = 0;
	rows->nodes[0].count = rows->nodes[1].count = 0;
	pair_sums_clear(&rows->known);
}

/* --- a new row --- */

/* The number of a pair, from 0 on, in the order in which pairs were met. */
static uint32_t
tag_of(struct heat_rows *rows, uint32_t group)
{
	struct stk_text prefix = stack_prefix_text(rows->prefixes, group / STATES_MOST);
	const char *cut = prefix.size == 0 ? NULL : memchr(prefix.data, ';', prefix.size);
	size_t at = cut == NULL ? prefix.size : (size_t)(cut - prefix.data);
	struct heat_tag tag = { .state = group % STATES_MOST };
	uint32_t pair, number;

	tag.process = text_table_number(&rows->processes, text_of(prefix.data, at));
	tag.pool =
		text_table_number(&rows->pools, cut == NULL ? text_of("", 0) : text_of(cut + 1, prefix.size - at - 1));
	pair = pair_sums_index(&rows->pairs, tag.process, tag.pool);
	number = pair_sums_index(&rows->tag_numbers, pair, tag.state);
	if (number == rows->tags.count)
		*array_push(&rows->tags) = tag;
	return number;
}

/* The node of a stack: that of its caller is known, or made first. */
static uint32_t
node_of(struct heat_rows *rows, uint64_t stack, bool java)
{
	uint32_t node = 0;

	if (stack == 0 || !model_knows(rows->model, STK_STACK, stack))
		return 0;
	rows->way.count = 0;
	for (uint64_t at = stack; at != 0 && model_knows(rows->model, STK_STACK, at);) {
		uint64_t parent = model_stack(rows->model, at).parent;

		if (at < rows->nodes[java].count && rows->nodes[java].at[at] != 0) {
			node = rows->nodes[java].at[at] - 1;
			break;
		}
		*array_push(&rows->way) = (uint32_t)at;
		at = parent < at ? parent : 0;
	}
	array_lengthen(&rows->nodes[java], stack + 1);
	while (rows->way.count > 0) {
		uint32_t at = rows->way.at[--rows->way.count];

		node = call_tree_path(&rows->tree, node,
				      naming_frame(rows->naming, model_stack(rows->model, at).frame, java));
		rows->nodes[java].at[at] = node + 1;
	}
	return node;
}

static uint32_t
make_row(struct heat_rows *rows, uint32_t group, uint64_t stack)
{
	uint32_t node = node_of(rows, stack, stack_prefix_is_java(group / STATES_MOST)), row;

	array_lengthen(&rows->tag_of_group, (size_t)group + 1);
	if (rows->tag_of_group.at[group] == 0)
		rows->tag_of_group.at[group] = tag_of(rows, group) + 1;
	row = pair_sums_index(&rows->row_numbers, node, rows->tag_of_group.at[group] - 1);
	if (row == rows->rows.count)
		*array_push(&rows->rows) = (struct heat_row_facts){ node, rows->tag_of_group.at[group] - 1 };
	return row;
}

/* --- finding it --- */

static uint32_t
prefix_of(struct heat_rows *rows, uint64_t thread, uint64_t dump)
{
	uint64_t at = 2 * thread + (dump != 0);
	uint32_t prefix;

	if (at < rows->prefix_of_thread.count && rows->prefix_of_thread.at[at] != 0)
		return rows->prefix_of_thread.at[at];
	prefix = stack_prefix(rows->prefixes, thread, dump, 0);
	if (thread != 0 && thread < THREADS_KEPT) {
		array_lengthen(&rows->prefix_of_thread, at + 1);
		rows->prefix_of_thread.at[at] = prefix;
	}
	return prefix;
}

static uint32_t
look_up(struct heat_rows *rows, uint32_t group, uint64_t stack)
{
	uint32_t known = (uint32_t)rows->known.sums.count;
	struct pair_sum *sum = pair_sums_at(&rows->known, group, stack < UINT32_MAX ? (uint32_t)stack : UINT32_MAX);

	if (rows->known.sums.count > known)
		sum->weight = make_row(rows, group, stack);
	if (model_knows(rows->model, STK_STACK, stack) && stack / DENSE_STACKS <= model_count(rows->model, STK_STACK)) {
		array_lengthen(&rows->of_stack, stack + 1);
		rows->of_stack.at[stack] = (struct last_row){ group, (uint32_t)sum->weight };
	}
	return (uint32_t)sum->weight;
}

uint32_t
heat_rows_find(struct heat_rows *rows, const struct sample_columns *c, uint32_t sample)
{
	uint64_t stack = sample_value(&c->stack, sample);
	uint32_t prefix = prefix_of(rows, sample_value(&c->thread, sample), sample_value(&c->dump, sample));
	uint32_t group = prefix * STATES_MOST + (uint32_t)state_of_number(sample_value(&c->state, sample));

	if (stack < rows->of_stack.count && rows->of_stack.at[stack].group == group)
		return rows->of_stack.at[stack].row;
	return look_up(rows, group, stack);
}

/* --- what there is --- */

uint32_t
heat_rows_count(const struct heat_rows *rows)
{
	return (uint32_t)rows->rows.count;
}

struct heat_row_facts
heat_rows_facts(const struct heat_rows *rows, uint32_t row)
{
	return rows->rows.at[row];
}

struct call_tree *
heat_rows_tree(struct heat_rows *rows)
{
	return &rows->tree;
}

uint32_t
heat_rows_tags(const struct heat_rows *rows)
{
	return (uint32_t)rows->tags.count;
}

struct heat_tag
heat_rows_tag(const struct heat_rows *rows, uint32_t tag)
{
	return rows->tags.at[tag];
}

const struct text_table *
heat_rows_processes(const struct heat_rows *rows)
{
	return &rows->processes;
}

const struct text_table *
heat_rows_pools(const struct heat_rows *rows)
{
	return &rows->pools;
}
