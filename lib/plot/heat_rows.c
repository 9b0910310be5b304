/* SPDX-License-Identifier: MIT
 * heat_rows: a sample is looked up by its stack, whose last row is kept, then by (prefix and state, stack), and only a
 * new one by its names. With a scheme, threads without a stack differ by their groups, so each has a look-up of its
 * own. */
#include "plot/heat_rows.h"

#include "base/pair_sums.h"
#include "choose/stack_prefix.h"
#include "model/state_name.h"

#define STATES_MOST 16u
#define DENSE_STACKS 4 /* kept by id while ids are at most this many times the number of stacks */
#define THREADS_KEPT (1u << 20)
#define AHEAD 16 /* samples whose stacks are fetched */

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
	struct pair_sums pairs, stated_pairs, tag_numbers, row_numbers; /* by process and pool; pair and state; that
									 * and set; node and tag */
	struct grouping *grouping;
	struct text_table lists, sets; /* bytes of arrays of groups: as attributed, and as sets */
	ARRAY(uint32_t) set_of_list; /* by number of the list - 1 */
	ARRAY(uint32_t) set;
	struct node_groups node_groups;
	/* of the present stream */
	ARRAY(uint32_t) prefix_of_thread; /* outside of dumps and in them */
	ARRAY(struct last_row) of_stack;
	struct pair_sums known; /* by group and stack: weight is the row */
	struct pair_sums tag_of_group; /* by group and set: weight is the tag + 1 */
	ARRAY(uint32_t) nodes[2]; /* by stack: node + 1, as native and as Java frames */
	ARRAY(uint32_t) way;
	ARRAY(uint32_t) found; /* by sample */
	const char *obstacle; /* to finding rows by ids */
};

int
heat_rows_open(struct heat_rows **out, const struct model *model, struct grouping *grouping, struct stk_error *err)
{
	struct heat_rows *rows = mem_new(1, sizeof *rows);

	*out = rows;
	rows->model = model;
	rows->grouping = grouping;
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
	pair_sums_release(&rows->pairs);
	pair_sums_release(&rows->stated_pairs);
	pair_sums_release(&rows->tag_numbers);
	pair_sums_release(&rows->row_numbers);
	array_release(&rows->prefix_of_thread);
	array_release(&rows->of_stack);
	pair_sums_release(&rows->known);
	pair_sums_release(&rows->tag_of_group);
	text_table_release(&rows->lists);
	text_table_release(&rows->sets);
	array_release(&rows->set_of_list);
	array_release(&rows->set);
	array_release(&rows->node_groups);
	array_release(&rows->nodes[0]);
	array_release(&rows->nodes[1]);
	array_release(&rows->way);
	array_release(&rows->found);
	free(rows);
}

void
heat_rows_forget(struct heat_rows *rows)
{
	naming_forget(rows->naming);
	stack_prefixes_forget(rows->prefixes);
	rows->prefix_of_thread.count = rows->of_stack.count = 0;
	rows->nodes[0].count = rows->nodes[1].count = 0;
	pair_sums_clear(&rows->known);
	pair_sums_clear(&rows->tag_of_group);
	if (rows->grouping != NULL)
		grouping_turn(rows->grouping);
}

/* --- a new row --- */

static void
add_to_set(struct heat_rows *rows, uint32_t group)
{
	size_t at = rows->set.count;

	while (at > 0 && rows->set.at[at - 1] >= group)
		if (rows->set.at[--at] == group)
			return;
	(void)array_push(&rows->set);
	memmove(rows->set.at + at + 1, rows->set.at + at, (rows->set.count - at - 1) * sizeof *rows->set.at);
	rows->set.at[at] = group;
}

/* A group with all that contain it, and the outermost ones that are called like one of these. */
static void
add_group_to_set(struct heat_rows *rows, uint32_t group)
{
	const struct scheme *scheme = grouping_scheme(rows->grouping);

	for (uint32_t at = group; at != 0; at = scheme->groups.at[at - 1].parent) {
		uint32_t called = scheme_group_of_path(scheme, scheme->groups.at[at - 1].name);

		add_to_set(rows, at);
		if (called != 0)
			add_to_set(rows, called);
	}
}

static struct stk_text
bytes_of(const uint32_t *groups, size_t count)
{
	return text_of((const char *)groups, count * sizeof *groups);
}

static uint32_t
set_of_groups(struct heat_rows *rows, const uint32_t *groups, uint32_t count)
{
	uint32_t list = text_table_number(&rows->lists, bytes_of(groups, count));

	array_lengthen(&rows->set_of_list, list);
	if (rows->set_of_list.at[list - 1] == 0) {
		rows->set.count = 0;
		if (count == 0)
			add_to_set(rows, HEAT_GROUP_NONE);
		for (uint32_t i = 0; i < count; i++)
			add_group_to_set(rows, groups[i]);
		rows->set_of_list.at[list - 1] =
			text_table_number(&rows->sets, bytes_of(rows->set.at, rows->set.count));
	}
	return rows->set_of_list.at[list - 1];
}

/* 0: there is no scheme. */
static uint32_t
set_of(struct heat_rows *rows, uint64_t stack, uint64_t state, uint64_t thread)
{
	const uint32_t *groups;
	uint32_t count;

	if (rows->grouping == NULL)
		return 0;
	count = stack == 0 ? grouping_of_thread(rows->grouping, rows->model, thread, &groups)
			   : grouping_of_sample(rows->grouping, rows->model, stack, state, &groups);
	return set_of_groups(rows, groups, count);
}

/* The number of a pair, from 0 on, in the order in which pairs were met. */
static uint32_t
tag_of(struct heat_rows *rows, uint32_t group, uint32_t set)
{
	struct stk_text prefix = stack_prefix_text(rows->prefixes, group / STATES_MOST);
	const char *cut = prefix.size == 0 ? NULL : memchr(prefix.data, ';', prefix.size);
	size_t at = cut == NULL ? prefix.size : (size_t)(cut - prefix.data);
	struct heat_tag tag = { .state = group % STATES_MOST, .set = set };
	uint32_t pair, number;

	tag.process = text_table_number(&rows->processes, text_of(prefix.data, at));
	tag.pool =
		text_table_number(&rows->pools, cut == NULL ? text_of("", 0) : text_of(cut + 1, prefix.size - at - 1));
	pair = pair_sums_index(&rows->pairs, tag.process, tag.pool);
	number = pair_sums_index(&rows->tag_numbers, pair_sums_index(&rows->stated_pairs, pair, tag.state), set);
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
make_row(struct heat_rows *rows, uint32_t group, uint64_t stack, uint32_t set)
{
	uint32_t node = node_of(rows, stack, stack_prefix_is_java(group / STATES_MOST)), row, tag;
	struct pair_sum *known = pair_sums_at(&rows->tag_of_group, group, set);

	if (known->weight == 0)
		known->weight = tag_of(rows, group, set) + 1;
	tag = (uint32_t)known->weight - 1;
	node_groups_note(&rows->node_groups, rows->grouping, rows->model, stack, &rows->tree, node);
	row = pair_sums_index(&rows->row_numbers, node, tag);
	if (row == rows->rows.count)
		*array_push(&rows->rows) = (struct heat_row_facts){ node, tag };
	return row;
}

/* --- finding it --- */

static uint32_t
make_prefix(struct heat_rows *rows, uint64_t thread, uint64_t dump)
{
	uint64_t at = 2 * thread + (dump != 0);
	uint32_t prefix = stack_prefix(rows->prefixes, thread, dump, 0);

	if (thread != 0 && thread < THREADS_KEPT) {
		array_lengthen(&rows->prefix_of_thread, at + 1);
		rows->prefix_of_thread.at[at] = prefix;
	} else {
		rows->obstacle = thread == 0 ? "some samples have no thread" : "it has more than a million threads";
	}
	return prefix;
}

static inline uint32_t
prefix_of(struct heat_rows *rows, uint64_t thread, uint64_t dump)
{
	uint64_t at = 2 * thread + (dump != 0);

	if (at < rows->prefix_of_thread.count && rows->prefix_of_thread.at[at] != 0)
		return rows->prefix_of_thread.at[at];
	return make_prefix(rows, thread, dump);
}

static uint32_t
look_up(struct heat_rows *rows, uint32_t group, uint64_t stack, uint64_t state)
{
	uint32_t known = (uint32_t)rows->known.sums.count;
	struct pair_sum *sum = pair_sums_at(&rows->known, group, stack < UINT32_MAX ? (uint32_t)stack : UINT32_MAX);

	if (rows->known.sums.count > known)
		sum->weight = make_row(rows, group, stack, set_of(rows, stack, state, 0));
	if (model_knows(rows->model, STK_STACK, stack) && stack / DENSE_STACKS <= model_count(rows->model, STK_STACK)) {
		array_lengthen(&rows->of_stack, stack + 1);
		rows->of_stack.at[stack] = (struct last_row){ group, (uint32_t)sum->weight };
	}
	return (uint32_t)sum->weight;
}

static inline uint32_t
find_row(struct heat_rows *rows, const struct sample_columns *c, uint32_t sample)
{
	uint64_t stack = sample_value(&c->stack, sample), thread = sample_value(&c->thread, sample);
	uint64_t state = sample_value(&c->state, sample);
	uint32_t prefix = prefix_of(rows, thread, sample_value(&c->dump, sample));
	uint32_t group = prefix * STATES_MOST + (uint32_t)state_of_number(state);

	if (stack < rows->of_stack.count && rows->of_stack.at[stack].group == group)
		return rows->of_stack.at[stack].row;
	if (stack == 0 && rows->grouping != NULL) {
		rows->obstacle = "threads without a stack are grouped by their names";
		return make_row(rows, group, 0, set_of(rows, 0, state, thread));
	}
	return look_up(rows, group, stack, state);
}

const uint32_t *
heat_rows_find(struct heat_rows *rows, const struct heat_samples *samples)
{
	const struct sample_columns *columns = samples->columns;

	array_lengthen(&rows->found, samples->count);
	for (uint32_t i = 0; i < samples->count; i++) {
		uint32_t ahead = i + AHEAD < samples->count ? i + AHEAD : i;
		uint64_t stack = sample_value(&columns->stack, selected_row(samples->chosen, ahead));

		if (stack < rows->of_stack.count)
			__builtin_prefetch(&rows->of_stack.at[stack]);
		rows->found.at[i] = find_row(rows, columns, selected_row(samples->chosen, i));
	}
	return rows->found.at;
}

/* --- what there is --- */

const struct pair_sums *
heat_rows_known(const struct heat_rows *rows)
{
	return &rows->known;
}

uint64_t
heat_rows_threads(const struct heat_rows *rows)
{
	return (rows->prefix_of_thread.count + 1) / 2;
}

uint32_t
heat_rows_prefix(const struct heat_rows *rows, uint64_t thread, bool in_dump)
{
	uint64_t at = 2 * thread + in_dump;

	return at < rows->prefix_of_thread.count ? rows->prefix_of_thread.at[at] : 0;
}

const char *
heat_rows_obstacle(const struct heat_rows *rows)
{
	return rows->obstacle;
}

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

const struct scheme *
heat_rows_scheme(const struct heat_rows *rows)
{
	return rows->grouping == NULL ? NULL : grouping_scheme(rows->grouping);
}

uint32_t
heat_rows_sets(const struct heat_rows *rows)
{
	return (uint32_t)rows->sets.texts.count;
}

struct heat_set
heat_rows_set(const struct heat_rows *rows, uint32_t set)
{
	struct stk_text bytes = text_table_text(&rows->sets, set);

	return (struct heat_set){ (const uint32_t *)(const void *)bytes.data, bytes.size / sizeof(uint32_t) };
}

uint32_t
heat_rows_group_of_node(const struct heat_rows *rows, uint32_t node)
{
	return node < rows->node_groups.count ? rows->node_groups.at[node] : 0;
}
