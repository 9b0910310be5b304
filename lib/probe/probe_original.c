/* SPDX-License-Identifier: MIT
 * probe_original: lines are copied, except the edges: an edge that has operations gets a block of its own (%stk.eN),
 * or, when it leads to a landing pad, which only an unwinder may enter, a place after the pad's head. Operations of a
 * block that may end are done on the edges to it, others after its phis. */
#include "base/bytes.h"
#include "path/runtime/probed_function.h"
#include "probe/ir_text.h"
#include "probe/probe_body.h"
#include "probe/probe_leaving.h"
#include "probe/probe_ops.h"
#include "probe/probe_outside.h"

#include <stdio.h>
#include <string.h>

static uint32_t
exit_edge(const struct probe_body *y, uint32_t from)
{
	return flow_graph_edge(y->g, y->number_of[from], y->g->exit);
}

/* An edge that is never completed: the call stays in the copy, or ends the run. */
static bool
never_passed(const struct probe_body *y, uint32_t from, uint32_t to)
{
	return y->mode != END_STICKY && !y->pad[to] && probe_always_ends(body_ops(y, from, to));
}

static bool
has_own_block(const struct probe_body *y, uint32_t from, uint32_t to)
{
	return body_knows(y, from) && !y->pad[to] && (body_has_ops(y, from, to) || body_invoked(y, from) != NULL);
}

static void
put_block(struct probe_body *y, uint32_t block)
{
	ir_put_name(y->w->text, "", y->f->blocks.at[block].name);
}

/* The block from which an edge comes in the end: phis name it. */
static void
put_edge_end(struct probe_body *y, uint32_t from, uint32_t to, struct stk_text as_named)
{
	uint32_t e = body_edge(y, from, to);

	if (has_own_block(y, from, to))
		ir_put(y->w->text, "%%stk.e%u%s", e, probe_splits(body_ops(y, from, to)) ? ".to" : "");
	else if (y->sorted[from])
		ir_put(y->w->text, "%%stk.p%u", from);
	else {
		ir_put(y->w->text, "%%");
		ir_put_name(y->w->text, "", as_named);
	}
}

/* --- ends --- */

static void
write_others(struct probe_body *y)
{
	probe_write_increment(y->w, PROBED_OTHERS);
}

static void
write_stop(struct probe_body *y)
{
	write_others(y);
	ir_put(y->w->text, "  call void @stkpath_stop()\n  unreachable\n");
}

/* What follows the label at which operations of an edge end. */
static void
write_end(struct probe_body *y, const char *label, const char *behind, uint32_t to)
{
	ir_put(y->w->text, "%s:\n", label);
	switch (y->mode) {
	case END_STOP:
		write_stop(y);
		break;
	case END_STICKY:
		ir_put(y->w->text, "  store i1 true, %s %%stk.dead\n  br label %%%s\n", PROBE_POINTER(y->w, "i1"),
		       behind);
		break;
	case END_CLONE:
		write_others(y);
		ir_put(y->w->text, "  br label %%");
		body_put_way_into_copy(y, to);
		ir_put(y->w->text, "\n");
		break;
	}
}

/* --- edges --- */

/* Operations of an edge from the label %stk.eN on; then, unless they always end, on to where it leads. */
static void
write_edge(struct probe_body *y, uint32_t from, uint32_t to)
{
	uint32_t e = body_edge(y, from, to);
	bool passes = !never_passed(y, from, to), goes_on;
	char end[32], behind[32];

	snprintf(end, sizeof end, "stk.e%u.end", e);
	snprintf(behind, sizeof behind, "stk.e%u.to", e);
	ir_put(y->w->text, "stk.e%u:\n", e);
	if (!y->pad[to] && body_invoked(y, from) != NULL)
		body_write_store(y, "", body_invoked(y, from));
	goes_on = probe_write_ops(y->w, &y->of_edge[e], end);
	if (probe_splits(&y->of_edge[e])) {
		if (goes_on)
			ir_put(y->w->text, "  br label %%%s\n", behind);
		if (body_may_end(y, from, to))
			write_end(y, end, behind, to);
		if (!passes)
			return;
		ir_put(y->w->text, "%s:\n", behind);
	}
	ir_put(y->w->text, "  br label %%");
	if (y->pad[to])
		ir_put(y->w->text, "stk.p%u", to);
	else
		put_block(y, to);
	ir_put(y->w->text, "\n");
}

/* After a landing pad's head: which edge was it? */
static void
write_pad_edges(struct probe_body *y, uint32_t pad)
{
	ir_put(y->w->text, "  %%stk.%u = load i32, %s %%stk.way\n  switch i32 %%stk.%u, label %%stk.p%u [", y->w->names,
	       PROBE_POINTER(y->w, "i32"), y->w->names, pad);
	y->w->names++;
	for (int round = 0; round < 2; round++) {
		for (uint32_t b = 0; b < y->f->blocks.count; b++)
			for (size_t k = 0; k < y->f->blocks.at[b].successors.count; k++)
				if (y->f->blocks.at[b].successors.at[k] == pad && body_has_ops(y, b, pad)) {
					uint32_t e = body_edge(y, b, pad);

					if (round == 0)
						ir_put(y->w->text, " i32 %u, label %%stk.e%u", e, e);
					else
						write_edge(y, b, pad);
				}
		if (round == 0)
			ir_put(y->w->text, " ]\n");
	}
	ir_put(y->w->text, "stk.p%u:\n", pad);
}

/* Before an invoke whose landing pad must know: the edge by which it would be reached. */
static void
write_way(struct probe_body *y, uint32_t from)
{
	for (size_t k = 0; k < y->f->blocks.at[from].successors.count; k++) {
		uint32_t to = y->f->blocks.at[from].successors.at[k];

		if (y->sorted[to] && body_knows(y, from))
			ir_put(y->w->text, "  store i32 %u, %s %%stk.way\n", body_edge(y, from, to),
			       PROBE_POINTER(y->w, "i32"));
	}
}

/* --- blocks --- */

static void
write_line(struct probe_body *y, uint32_t line)
{
	ir_put_text(y->w->text, y->m->lines.at[line]);
	body_end_line(y, y->m->lines.at[line]);
}

/* "%x = phi TYPE" without any way left: it is never reached, but the uses of %x remain. */
static void
write_empty_phi(struct probe_body *y)
{
	const char *word = ir_find_word(y->phi.before, "phi ");

	ir_put_text(y->w->text, text_of(y->phi.before.data, (size_t)(word - y->phi.before.data)));
	ir_put(y->w->text, "freeze ");
	ir_put_text(y->w->text, y->phi.type);
	ir_put(y->w->text, " undef\n");
}

/* A phi's ways by the names that its blocks have now; those that are gone, or are there twice, are left out. */
static void
write_phi(struct probe_body *y, uint32_t block)
{
	struct ir_phi *phi = &y->phi;
	const char *comma = "";
	bool some = false;

	for (size_t i = 0; i < phi->ways.count; i++)
		some |= !never_passed(y, body_block(y, phi->ways.at[i].block), block);
	if (!some) {
		write_empty_phi(y);
		return;
	}
	ir_put_text(y->w->text, phi->before);
	for (size_t i = 0; i < phi->ways.count; i++) {
		uint32_t from = body_block(y, phi->ways.at[i].block);
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again |= text_equal(phi->ways.at[k].block, phi->ways.at[i].block);
		if (never_passed(y, from, block) || (again && has_own_block(y, from, block)))
			continue;
		ir_put(y->w->text, "%s [ ", comma);
		ir_put_text(y->w->text, phi->ways.at[i].value);
		ir_put(y->w->text, ", ");
		put_edge_end(y, from, block, phi->ways.at[i].block);
		ir_put(y->w->text, " ]");
		comma = ",";
	}
	ir_put_text(y->w->text, phi->behind);
	ir_put(y->w->text, "\n");
}

/* The terminator, with edges by their own blocks. */
static void
write_terminator_line(struct probe_body *y, uint32_t block, struct stk_text line)
{
	size_t at = 0, from, done = 0;
	struct stk_text name;

	while (ir_next_name(line, &at, &from, &name)) {
		uint32_t to;

		if (from < 6 || memcmp(line.data + from - 6, "label ", 6) != 0)
			continue;
		to = body_block(y, name);
		if (!has_own_block(y, block, to))
			continue;
		ir_put_text(y->w->text, text_of(line.data + done, from - done));
		ir_put(y->w->text, "%%stk.e%u", body_edge(y, block, to));
		done = at;
	}
	ir_put_text(y->w->text, text_of(line.data + done, line.size - done));
	ir_put(y->w->text, "\n");
}

/* A call is over: its id is counted, unless it was found to be of no interest. */
static void
write_exit(struct probe_body *y, uint32_t block)
{
	uint32_t e = exit_edge(y, block);
	char end[32];
	bool goes_on;

	if (y->words == NULL) {
		unsigned call = y->w->names++;

		ir_put(y->w->text, "  %%stk.%u = load i64, %s %%stk.call\n", call, PROBE_POINTER(y->w, "i64"));
		if (!y->w->probed->without_blocks)
			ir_put(y->w->text, "  call void @stkpath_step(%s @stk.f%u, i64 %%stk.%u, i64 %u)\n",
			       PROBE_POINTER(y->w, "%stk.function"), y->w->number, call, y->g->exit);
		ir_put(y->w->text, "  call void @stkpath_end(%s @stk.f%u, i64 %%stk.%u)\n",
		       PROBE_POINTER(y->w, "%stk.function"), y->w->number, call);
		return;
	}
	snprintf(end, sizeof end, "stk.x%u.end", block);
	if (y->mode == END_STICKY) {
		ir_put(y->w->text, "  %%stk.%u = load i1, %s %%stk.dead\n", y->w->names, PROBE_POINTER(y->w, "i1"));
		ir_put(y->w->text, "  br i1 %%stk.%u, label %%%s, label %%stk.x%u\nstk.x%u:\n", y->w->names, end, block,
		       block);
		y->w->names++;
	}
	goes_on = probe_write_ops(y->w, &y->of_edge[e], end);
	if (goes_on)
		probe_write_count(y->w);
	if (y->mode != END_STICKY && !probe_may_end(&y->of_edge[e]))
		return;
	if (goes_on)
		ir_put(y->w->text, "  br label %%stk.x%u.out\n", block);
	ir_put(y->w->text, "%s:\n", end);
	if (y->mode == END_STOP) {
		write_stop(y);
	} else {
		write_others(y);
		ir_put(y->w->text, "  br label %%stk.x%u.out\n", block);
	}
	ir_put(y->w->text, "stk.x%u.out:\n", block);
}

/* Where a call is over: at a ret or resume, or before the call that a ret must follow at once. NO_EDGE: it never comes
 * so far. */
static uint32_t
exit_line(const struct probe_body *y, uint32_t b)
{
	const struct ir_block *block = &y->f->blocks.at[b];
	const char *word = ir_terminator(y->m->lines.at[block->terminator_line]);
	uint32_t must = NO_EDGE;

	if (!body_knows(y, b) || block->successors.count > 0 ||
	    (strcmp(word, "ret") != 0 && strcmp(word, "resume") != 0))
		return NO_EDGE;
	for (uint32_t line = block->first_line; line < block->terminator_line; line++)
		if (ir_find_word(y->m->lines.at[line], "musttail ") != NULL)
			must = line;
	return must != NO_EDGE ? must : block->terminator_line;
}

static void
write_step(struct probe_body *y, uint32_t b)
{
	ir_put(y->w->text, "  %%stk.%u = load i64, %s %%stk.call\n", y->w->names, PROBE_POINTER(y->w, "i64"));
	ir_put(y->w->text, "  call void @stkpath_step(%s @stk.f%u, i64 %%stk.%u, i64 %u)\n",
	       PROBE_POINTER(y->w, "%stk.function"), y->w->number, y->w->names, y->number_of[b]);
	y->w->names++;
}

/* What is done when a block is entered. */
static void
write_block_ops(struct probe_body *y, uint32_t b)
{
	const struct word_ops *ops;

	if (!body_knows(y, b))
		return;
	if (y->words == NULL) {
		if (!y->w->probed->without_blocks)
			write_step(y, b);
		return;
	}
	ops = &y->words->of_block[y->number_of[b]];
	if (!probe_may_end(ops))
		(void)probe_write_ops(y->w, ops, "");
}

/* Memory for r and the rest, and for values that go to copies. */
static void
write_memory(struct probe_body *y)
{
	struct probe_writer *w = y->w;

	if (y->words == NULL) {
		ir_put(w->text, "  %%stk.call = alloca i64\n");
		return;
	}
	ir_put(w->text,
	       "  %%stk.r = alloca %s\n  %%stk.l = alloca i64\n  %%stk.piece = alloca i64\n  %%stk.way = alloca i32\n"
	       "  %%stk.dead = alloca i1\n", probe_word(w));
	for (size_t i = 0; i < y->values.list.count; i++)
		if (y->values.list.at[i].crosses) {
			ir_put(w->text, "  %%");
			ir_put_name(w->text, "stk.s.", y->values.list.at[i].name);
			ir_put(w->text, " = alloca ");
			ir_put_text(w->text, y->values.list.at[i].type);
			ir_put(w->text, "\n");
		}
}

/* What is done before all else. */
static void
write_beginning(struct probe_body *y)
{
	struct probe_writer *w = y->w;

	if (y->words == NULL) {
		ir_put(w->text, "  %%stk.%u = call i64 @stkpath_begin(%s @stk.f%u)\n", w->names,
		       PROBE_POINTER(w, "%stk.function"), w->number);
		ir_put(w->text, "  store i64 %%stk.%u, %s %%stk.call\n", w->names++, PROBE_POINTER(w, "i64"));
		return;
	}
	ir_put(w->text, "  %%stk.counts = call %s @stk.f%u.mine()\n", PROBE_POINTER(w, "i64"), w->number);
	ir_put(w->text, "  store i64 0, %s %%stk.l\n  store i64 0, %s %%stk.piece\n  store i1 false, %s %%stk.dead\n",
	       PROBE_POINTER(w, "i64"), PROBE_POINTER(w, "i64"), PROBE_POINTER(w, "i1"));
	(void)probe_write_ops(w, &y->words->entry, "");
	if (y->words->sub_paths == NULL)
		probe_write_increment(w, PROBED_CALLS);
}

/* The line after the memory that a first block reserves: the compiler keeps it apart from what is reserved later, when
 * a call that is inlined has cut the block in two. */
static uint32_t
memory_end(const struct probe_body *y, const struct ir_block *block, uint32_t line)
{
	while (line < block->terminator_line && ir_starts(ir_right_side(y->m->lines.at[line]), "alloca "))
		line = ir_instruction_end(y->m, block, line);
	return line;
}

/* Instructions from a line on. */
static void
write_instructions(struct probe_body *y, uint32_t b, uint32_t line, uint32_t last, uint32_t exit)
{
	const struct ir_block *block = &y->f->blocks.at[b];

	for (uint32_t end; line < last; line = end) {
		end = ir_instruction_end(y->m, block, line);
		if (line == exit)
			write_exit(y, b);
		probe_write_leaving(y->w->text, y->m->lines.at[line]);
		probe_write_outside(y->w->text, y->m, y->w->options, y->m->lines.at[line]);
		for (uint32_t l = line; l < end; l++)
			write_line(y, l);
		body_keep_result(y, "", line);
	}
}

void
probe_write_original(struct probe_body *y, uint32_t b)
{
	const struct ir_block *block = &y->f->blocks.at[b];
	uint32_t first = ir_first_instruction(y->m, block), head = ir_head_end(y->m, block), exit = exit_line(y, b),
		begin = b == 0 ? memory_end(y, block, head) : head;

	for (uint32_t line = block->first_line; line < first; line++)
		write_line(y, line);
	if (b == 0)
		write_memory(y);
	for (uint32_t line = first; line < head; line++)
		if (ir_phi(y->m->lines.at[line], &y->phi))
			write_phi(y, b);
		else
			write_line(y, line);
	body_keep_head(y, "", b, first, head);
	if (y->sorted[b])
		write_pad_edges(y, b);
	write_instructions(y, b, head, begin, exit);
	if (b == 0)
		write_beginning(y);
	write_block_ops(y, b);
	write_instructions(y, b, begin, block->terminator_line, exit);
	if (exit == block->terminator_line)
		write_exit(y, b);
	write_way(y, b);
	probe_write_leaving(y->w->text, y->m->lines.at[block->terminator_line]);
	probe_write_outside(y->w->text, y->m, y->w->options, y->m->lines.at[block->terminator_line]);
	for (uint32_t line = block->terminator_line; line < block->end_line; line++)
		write_terminator_line(y, b, y->m->lines.at[line]);
	for (size_t k = 0; k < block->successors.count; k++)
		if (has_own_block(y, b, block->successors.at[k]))
			write_edge(y, b, block->successors.at[k]);
}
