/* SPDX-License-Identifier: MIT
 * word_plan: a plan as a machine executes it: operations on a word, which is an id so far or a state of an automaton,
 * on edges and blocks.
 *
 * Of the ways to keep an id: u64 and spill are the plan's own arithmetic; shift64 and shift128 put digits in from below
 * and let what no longer fits go; table needs no arithmetic: r says how much of which interesting paths was walked, as
 * a number among those that are possible at the block, and an edge leads from numbers to numbers, 0 when it is no
 * longer an interesting path. Of sub-paths (PATH_AC) r is a number likewise, of the longest that ends here, and each
 * block counts it. */
#ifndef PATH_WORD_PLAN_H
#define PATH_WORD_PLAN_H

#include "path/path_plan.h"
#include "path/sub_paths.h"
#include "path/word_set.h"

enum word_kind {
	WORD_SET,	/* r = a */
	WORD_ADD,	/* r += a */
	WORD_MUL,	/* r = r * a + b */
	WORD_SHIFT,	/* r = r << shift | digits */
	WORD_SPILL,	/* r = r * a + b, after storing r when it is large */
	WORD_LSET,	/* l = a */
	WORD_LADD,	/* l += a */
	WORD_LJOIN,	/* r = r * a + l */
	WORD_LSHIFT,	/* r = r << shift | l */
	WORD_CHK,	/* unless r is in the set: end */
	WORD_REFUSE,	/* if r is in the set: end */
	WORD_LCHK,	/* unless l is in the set: end */
	WORD_TABLE,	/* r = table[r], and end when that is an end: 0, but not of sub-paths */
	WORD_END,
	WORD_COUNT,	/* count r */
	WORD_VISIT	/* count visit a + r */
};

struct word_op {
	enum word_kind kind;
	uint64_t a, b;
	unsigned shift;
	path_word digits, mask;		/* of shifts */
	struct word_set set;
	uint32_t *table;
	size_t table_count;
	bool ends;			/* of a table: some of its numbers are 0 and end */
};

struct word_ops { ARRAY(struct word_op) list; };

struct word_plan {
	const struct path_plan *plan;	/* borrowed */
	enum path_keeping keeping;
	struct word_ops entry, *of_edge, *of_block;
	path_word *ids;			/* r at the end of each of the plan's paths; of sub-paths NULL */
	struct sub_paths *sub_paths;	/* of PATH_AC; else NULL */
	uint32_t *state_of_visit;	/* which of its states a visit is */
	uint32_t *first_visit;		/* of each block; they are contiguous, and one more follows the last block's */
	uint32_t *next_visit;		/* of each visit another one that is not counted because it follows; or
					 * NO_VISIT. NULL: all are counted */
	size_t visits;
};

/* -1 (STK_EUSAGE): it cannot be kept in this way, or would not be exact. */
int word_plan_make(struct word_plan **out, const struct path_plan *plan, enum path_keeping keeping,
		   struct stk_error *err) STK_MUST_CHECK;
void word_plan_free(struct word_plan *plan);

#define NO_VISIT UINT32_MAX

struct word_walk { path_word r; uint64_t l; bool ended; };

void word_ops_release(struct word_ops *ops);
/* Simplifies one table: when it is constant it becomes a plain operation, or none. Numbers from `first` on occur. */
void word_ops_settle(struct word_ops *ops, uint32_t first);

/* Does what an operation does to r and l; a count, a visit or a spill is the caller's. */
void word_op_do(const struct word_op *op, struct word_walk *walk);
void word_ops_do(const struct word_ops *ops, struct word_walk *walk);	/* up to an end */

#endif
