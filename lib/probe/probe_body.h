/* SPDX-License-Identifier: MIT
 * probe_body: a function that is being rewritten with its probes: an original, whose edges have operations
 * (probe_original.c), and for mode clone a copy of what can be reached after an end, which has none (probe_copy.c).
 * Values that blocks of the copy need from others go through memory, because some come from the original. */
#ifndef PROBE_PROBE_BODY_H
#define PROBE_PROBE_BODY_H

#include "probe/ir_values.h"
#include "probe/probe_writer.h"

struct probe_body {
	struct probe_writer *w;
	const struct ir_module *m;
	const struct ir_function *f;
	const struct flow_graph *g;
	const struct word_plan *words;
	enum end_mode mode;
	uint32_t *number_of;		/* of each block: its number in the graph, or NO_BLOCK */
	bool *pad, *sorted;		/* it is a landing pad; one where it matters by which edge it was reached */
	bool *copied;
	/* of each edge of the graph: what is done there; the block's operations too when they may end. The plan owns
	 * what they point to */
	struct word_ops *of_edge;
	struct ir_values values;
	struct ir_phi phi;
	ARRAY(uint32_t) loaded;		/* for the instruction at hand: which values */
};

/* -1 (STK_EUSAGE): the function cannot have these probes, and why. */
int  probe_body_open(struct probe_body **out, struct probe_writer *writer, struct stk_error *err) STK_MUST_CHECK;
void probe_body_free(struct probe_body *body);

/* A block of the function, with its edges; a block of the copy. */
void probe_write_original(struct probe_body *body, uint32_t block);
void probe_write_copy(struct probe_body *body, uint32_t block);

/* --- used by both --- */

/* The block of that name; the first one, whose name may be a number that is not written anywhere, when there is
 * none. */
uint32_t body_block(const struct probe_body *body, struct stk_text name);
/* Whether the function's first block leads there. */
bool body_knows(const struct probe_body *body, uint32_t block);
/* The graph's edge between two blocks. */
uint32_t body_edge(const struct probe_body *body, uint32_t from, uint32_t to);
/* What is done on the way from a block to another; nothing, where there is none. */
const struct word_ops *body_ops(const struct probe_body *body, uint32_t from, uint32_t to);
bool body_has_ops(const struct probe_body *body, uint32_t from, uint32_t to);
bool body_may_end(const struct probe_body *body, uint32_t from, uint32_t to);
/* The result of the invoke at the block's end, when the copy may need it; or NULL. It is known only on the way that is
 * taken when nothing is thrown. */
const struct ir_value *body_invoked(const struct probe_body *body, uint32_t from);

/* The name of a block's copy; of where an edge from elsewhere comes into it: after a landing pad's head, which has been
 * entered already. */
void body_put_copy(struct probe_body *body, uint32_t block);
void body_put_way_into_copy(struct probe_body *body, uint32_t block);
/* The end of an instruction's line. */
void body_end_line(struct probe_body *body, struct stk_text line);
/* ", TYPE* %stk.s.NAME": where a value is kept that the copy may need. */
void body_put_place(struct probe_body *body, const struct ir_value *value);
void body_write_store(struct probe_body *body, const char *prefix, const struct ir_value *value);
/* Stores the result of the instruction that begins at the line, of all in a head, if the copy may need it. */
void body_keep_result(struct probe_body *body, const char *prefix, uint32_t line);
void body_keep_head(struct probe_body *body, const char *prefix, uint32_t block, uint32_t from, uint32_t end);

#endif
