/* SPDX-License-Identifier: MIT
 * heat_rows: what a heat map counts. A row is a stack, by the names of its functions, of one process, pool of
 * threads and state, and of one set of groups where there is a scheme. Rows have dense numbers in the order in which
 * they were met, over all streams. */
#ifndef PLOT_HEAT_ROWS_H
#define PLOT_HEAT_ROWS_H

#include "base/pair_sums.h"
#include "choose/call_tree.h"
#include "choose/naming.h"
#include "plot/heat_samples.h"
#include "plot/node_groups.h"

#define HEAT_OTHER "(other)" /* what rare rows become, and how their processes, pools and groups are called */

/* The columns that a row depends on. */
#define HEAT_ROW_COLUMNS (SAMPLE_THREAD | SAMPLE_DUMP | SAMPLE_STACK | SAMPLE_STATE)

struct heat_rows;

struct heat_tag {
	uint32_t process, pool, state, set;
}; /* numbers of texts, a state of the schema, and a set of groups; set 0: there is no scheme */
struct heat_row_facts {
	uint32_t node, tag;
};

/* The groups of a set. Beside those that samples are in there are all whose name or path `group under` of --where finds
 * them by; HEAT_GROUP_NONE alone: ungrouped. They ascend. */
#define HEAT_GROUP_NONE 0
struct heat_set {
	const uint32_t *groups;
	size_t count;
};

/* Model and grouping are borrowed; grouping may be NULL. -1 with *err, and *out as far as it was made. */
int heat_rows_open(struct heat_rows **out, const struct model *model, struct grouping *grouping,
		   struct stk_error *err) STK_MUST_CHECK;
void heat_rows_close(struct heat_rows *rows);
/* Ids of the model start anew; rows stay. */
void heat_rows_forget(struct heat_rows *rows);

/* The row of each sample, made when it is new; valid until the next call. */
const uint32_t *heat_rows_find(struct heat_rows *rows, const struct heat_samples *samples);

/* What is known of the present stream: rows, the weight, by prefix * 16 + state and by stack; and of its threads the
 * prefix outside of dumps and in them, 0: not met. */
const struct pair_sums *heat_rows_known(const struct heat_rows *rows);
uint64_t heat_rows_threads(const struct heat_rows *rows);
uint32_t heat_rows_prefix(const struct heat_rows *rows, uint64_t thread, bool in_dump);
/* NULL: each row so far is found by these; or why not. */
const char *heat_rows_obstacle(const struct heat_rows *rows);

uint32_t heat_rows_count(const struct heat_rows *rows);
struct heat_row_facts heat_rows_facts(const struct heat_rows *rows, uint32_t row);
struct call_tree *heat_rows_tree(struct heat_rows *rows);
uint32_t heat_rows_tags(const struct heat_rows *rows);
struct heat_tag heat_rows_tag(const struct heat_rows *rows, uint32_t tag);
/* Texts of processes and of pools, from 1 on. */
const struct text_table *heat_rows_processes(const struct heat_rows *rows);
const struct text_table *heat_rows_pools(const struct heat_rows *rows);
/* NULL without a scheme; sets from 1 on; and the group of each node. */
const struct scheme *heat_rows_scheme(const struct heat_rows *rows);
uint32_t heat_rows_sets(const struct heat_rows *rows);
struct heat_set heat_rows_set(const struct heat_rows *rows, uint32_t set);
uint32_t heat_rows_group_of_node(const struct heat_rows *rows, uint32_t node);

#endif
