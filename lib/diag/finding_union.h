/* SPDX-License-Identifier: MIT
 * finding_union: findings that several runs recorded, as one list: each once, the worst first, as a run over everything
 * has them. What is written does not depend on the order in which they come. Nothing is computed again: the same
 * finding in two windows of one process stays two.
 *
 *	finding_union_open(&all, model)
 *	finding_union_take(all, reader, &block, &err)		each block that the model took
 *	finding_union_end(all)
 *	finding_union_write(all, writer, &err), or its rows
 */
#ifndef DIAG_FINDING_UNION_H
#define DIAG_FINDING_UNION_H

#include "base/array.h"
#include "stkpipe/stream.h"

struct model;
struct finding_union;

/* Texts are valid until the union is closed. */
struct joined_finding {
	struct stk_finding row;			/* its source is of no stream */
	struct stk_text process, zone;		/* of its source; empty: of all, unknown */
};

void finding_union_open(struct finding_union **out, struct model *model);
void finding_union_close(struct finding_union *all);		/* NULL does nothing */

/* Ids start anew. */
void finding_union_turn(struct finding_union *all);
/* Blocks of other kinds are nothing to it. */
int finding_union_take(struct finding_union *all, struct stk_reader *reader, const struct stk_block *block,
		       struct stk_error *err) STK_MUST_CHECK;
/* All were taken: doubles are dropped, and "healthy" of some where others have a warning. */
void finding_union_end(struct finding_union *all);

size_t finding_union_count(const struct finding_union *all);
const struct joined_finding *finding_union_at(const struct finding_union *all, size_t place);
int finding_union_write(const struct finding_union *all, struct stk_writer *writer,
			struct stk_error *err) STK_MUST_CHECK;

#endif
