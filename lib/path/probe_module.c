/* SPDX-License-Identifier: MIT
 * probe_module: the lines of a function are passed on, but for the edges: an edge that has operations gets a block of its own (%stk.eN), or, when it leads to a landing
 * pad, which only an unwinder may come to, a place behind the pad's head. Operations of a block that may end are done on the edges to it, others behind its phis. The
 * copy for mode clone (%stk.c.*) has no operations; values that its blocks need from others go through memory (%stk.s.*), because some come from the original. */
#include "path/probe_module.h"

#include "path/ir_text.h"
#include "path/ir_values.h"
#include "path/probe_writer.h"

#include "base/bytes.h"

#include <stdio.h>
#include <string.h>

struct body {
	struct probe_writer *w;
	const struct ir_module *m;
	const struct ir_function *f;
	const struct flow_graph *g;
	const struct word_plan *words;
	enum end_mode mode;
	uint32_t *number_of;		/* of each block: its number in the graph, or NO_BLOCK */
	bool *pad, *sorted;		/* it is a landing pad; one where it matters by which edge it was come to */
	bool *copied;
	struct word_ops *of_edge;	/* of each edge of the graph: what is done there; the block's operations too when they may end. The plan owns what they point to */
	struct ir_values values;
	struct ir_phi phi;
	ARRAY(uint32_t) loaded;		/* for the instruction at hand: which values */
};

/* --- what may be probed --- */

static bool
calls_twice(const struct ir_module *m, struct stk_text line)
{
	static const char *const names[] = { "@setjmp(", "@_setjmp(", "@sigsetjmp(", "@__sigsetjmp(", "@vfork(", "@getcontext(", NULL };
	struct stk_text behind;
	const char *at;

	if (ir_find_word(line, "call ") == NULL)
		return false;
	for (size_t i = 0; names[i] != NULL; i++)
		if (ir_find_word(line, names[i]) != NULL)
			return true;
	at = ir_find_word(line, ") #");
	if (at == NULL)
		return false;
	behind = ir_from(line, at + 3);
	behind.size = ir_take_name(behind, &line).size;
	for (size_t i = 0; i < m->twice.count; i++)
		if (text_equal(m->twice.at[i], behind))
			return true;
	return false;
}

const char *
probe_refusal(const struct ir_module *m, const struct ir_function *f)
{
	if (f->refused != NULL)
		return f->refused;
	if (ir_find_word(m->lines.at[f->first_line], "available_externally ") != NULL)
		return "it is another module's, and here only to be inlined";
	for (uint32_t line = f->first_line; line < f->end_line; line++) {
		struct stk_text text = m->lines.at[line];

		if (ir_find_word(text, "@stk.f") != NULL)
			return "it has probes already";
		if (ir_find_word(text, "blockaddress(") != NULL)
			return "it takes the address of a label";
		if (calls_twice(m, text))
			return "it calls what returns twice (setjmp): paths go on where no edge leads";
	}
	for (size_t b = 0; b < f->blocks.count; b++) {
		const char *word = ir_terminator(m->lines.at[f->blocks.at[b].terminator_line]);

		if (strcmp(word, "callbr") == 0)
			return "it jumps from inline assembly (asm goto)";
		if (strcmp(word, "catchswitch") == 0 || strcmp(word, "catchret") == 0 || strcmp(word, "cleanupret") == 0)
			return "its exceptions are those of Windows (catchswitch)";
	}
	return NULL;
}

/* --- what is where --- */

static uint32_t
edge_between(const struct body *y, uint32_t from, uint32_t to)
{
	return flow_graph_edge(y->g, y->number_of[from], y->number_of[to]);
}

static uint32_t
exit_edge(const struct body *y, uint32_t from)
{
	return flow_graph_edge(y->g, y->number_of[from], y->g->exit);
}

/* Operations of an edge, and of the block behind it when those may end. */
static void
gather_ops(struct body *y)
{
	if (y->words == NULL)
		return;
	for (uint32_t e = 0; e < y->g->edges.count; e++) {
		const struct word_ops *own = &y->words->of_edge[e], *next = &y->words->of_block[y->g->edges.at[e].to];

		for (size_t i = 0; i < own->list.count; i++)
			*array_push(&y->of_edge[e].list) = own->list.at[i];
		for (size_t i = 0; i < next->list.count && (probe_may_end(next) || y->g->edges.at[e].to == y->g->exit); i++)
			*array_push(&y->of_edge[e].list) = next->list.at[i];
	}
}

/* Whether the function's first block leads there. */
static bool
is_known(const struct body *y, uint32_t block)
{
	return y->number_of[block] != NO_BLOCK;
}

/* What is done on the way from a block to another; nothing, where there is none. */
static const struct word_ops *
ops_between(const struct body *y, uint32_t from, uint32_t to)
{
	static const struct word_ops none;
	uint32_t e = is_known(y, from) && is_known(y, to) ? edge_between(y, from, to) : NO_EDGE;

	return e == NO_EDGE ? &none : &y->of_edge[e];
}

static bool
has_ops(const struct body *y, uint32_t from, uint32_t to)
{
	return ops_between(y, from, to)->list.count > 0;
}

/* An edge that is never passed: whoever takes it stays in the copy, or ends the run. */
static bool
never_passed(const struct body *y, uint32_t from, uint32_t to)
{
	return y->mode != END_STICKY && !y->pad[to] && probe_always_ends(ops_between(y, from, to));
}

/* The result of an invoke is known only on the way that it goes when nothing is thrown. */
static const struct ir_value *
invoked(const struct body *y, uint32_t from)
{
	struct stk_text name;
	const struct ir_value *value;

	if (y->mode != END_CLONE || !ir_result(y->m->lines.at[y->f->blocks.at[from].terminator_line], &name))
		return NULL;
	value = ir_values_get(&y->values, name);
	return value != NULL && value->crosses ? value : NULL;
}

static bool
has_own_block(const struct body *y, uint32_t from, uint32_t to)
{
	return is_known(y, from) && !y->pad[to] && (has_ops(y, from, to) || invoked(y, from) != NULL);
}

static bool
may_end_at(const struct body *y, uint32_t from, uint32_t to)
{
	return probe_may_end(ops_between(y, from, to));
}

/* A block and all that it leads to are copied. */
static void
copy_from(struct body *y, uint32_t block)
{
	uint32_t *todo = mem_new(y->f->blocks.count + 1, sizeof *todo);
	size_t count = 0;

	if (!y->copied[block])
		todo[count++] = block;
	y->copied[block] = true;
	while (count > 0) {
		const struct ir_block *at = &y->f->blocks.at[todo[--count]];

		for (size_t k = 0; k < at->successors.count; k++)
			if (!y->copied[at->successors.at[k]]) {
				y->copied[at->successors.at[k]] = true;
				todo[count++] = at->successors.at[k];
			}
	}
	free(todo);
}

/* Landing pads that must know by which edge they were come to, and what is copied. */
static bool
look_at_edges(struct body *y)
{
	bool copies = false;

	for (uint32_t b = 0; b < y->f->blocks.count; b++)
		for (size_t k = 0; k < y->f->blocks.at[b].successors.count; k++) {
			uint32_t to = y->f->blocks.at[b].successors.at[k];

			y->sorted[to] |= y->pad[to] && has_ops(y, b, to);
			if (y->mode != END_CLONE || !may_end_at(y, b, to))
				continue;
			copy_from(y, to);
			copies = true;
		}
	return copies;
}

/* --- names --- */

static void
put_block(struct body *y, uint32_t block)
{
	ir_put_name(y->w->text, "", y->f->blocks.at[block].name);
}

static void
put_copy(struct body *y, uint32_t block)
{
	ir_put_name(y->w->text, "stk.c.", y->f->blocks.at[block].name);
}

/* A copy is come to behind its head when that is a landing pad's, which has been entered already. */
static void
put_way_into_copy(struct body *y, uint32_t block)
{
	ir_put_name(y->w->text, y->sorted[block] ? "stk.o." : "stk.c.", y->f->blocks.at[block].name);
}

/* The block from which an edge comes in the end: phis name it. */
static void
put_edge_end(struct body *y, uint32_t from, uint32_t to, struct stk_text as_named)
{
	uint32_t e = edge_between(y, from, to);

	if (has_own_block(y, from, to))
		ir_put(y->w->text, "%%stk.e%u%s", e, probe_splits(ops_between(y, from, to)) ? ".to" : "");
	else if (y->sorted[from])
		ir_put(y->w->text, "%%stk.p%u", from);
	else {
		ir_put(y->w->text, "%%");
		ir_put_name(y->w->text, "", as_named);
	}
}

static uint32_t
block_named(const struct body *y, struct stk_text name)
{
	for (uint32_t b = 1; b < y->f->blocks.count; b++)
		if (text_equal(y->f->blocks.at[b].name, name))
			return b;
	return 0;	/* the first one's name may be a number that is not written anywhere */
}

/* --- ends --- */

static void
write_others(struct body *y)
{
	probe_write_increment(y->w, PROBED_OTHERS);
}

static void
write_stop(struct body *y)
{
	write_others(y);
	ir_put(y->w->text, "  call void @stkpath_stop()\n  unreachable\n");
}

/* What follows the label at which operations of an edge end. */
static void
write_end(struct body *y, const char *label, const char *behind, uint32_t to)
{
	ir_put(y->w->text, "%s:\n", label);
	switch (y->mode) {
	case END_STOP:
		write_stop(y);
		break;
	case END_STICKY:
		ir_put(y->w->text, "  store i1 true, %s %%stk.dead\n  br label %%%s\n", PROBE_POINTER(y->w, "i1"), behind);
		break;
	case END_CLONE:
		write_others(y);
		ir_put(y->w->text, "  br label %%");
		put_way_into_copy(y, to);
		ir_put(y->w->text, "\n");
		break;
	}
}

/* --- edges --- */

/* ", TYPE* %stk.s.NAME": where a value is kept that the copy may need. */
static void
put_place(struct body *y, const struct ir_value *value)
{
	ir_put(y->w->text, ", ");
	if (y->m->opaque) {
		ir_put(y->w->text, "ptr");
	} else {
		ir_put_text(y->w->text, value->type);
		ir_put(y->w->text, "*");
	}
	ir_put(y->w->text, " %%");
	ir_put_name(y->w->text, "stk.s.", value->name);
	ir_put(y->w->text, "\n");
}

static void
write_store(struct body *y, const char *prefix, const struct ir_value *value)
{
	ir_put(y->w->text, "  store ");
	ir_put_text(y->w->text, value->type);
	ir_put(y->w->text, " %%");
	ir_put_name(y->w->text, prefix, value->name);
	put_place(y, value);
}

/* Operations of an edge from the label %stk.eN on; then, unless they always end, on to where it leads. */
static void
write_edge(struct body *y, uint32_t from, uint32_t to)
{
	uint32_t e = edge_between(y, from, to);
	bool passes = !never_passed(y, from, to);
	char end[32], behind[32];

	snprintf(end, sizeof end, "stk.e%u.end", e);
	snprintf(behind, sizeof behind, "stk.e%u.to", e);
	ir_put(y->w->text, "stk.e%u:\n", e);
	if (!y->pad[to] && invoked(y, from) != NULL)
		write_store(y, "", invoked(y, from));
	y->w->dead = false;
	probe_write_ops(y->w, &y->of_edge[e], end);
	if (probe_splits(&y->of_edge[e])) {
		if (!y->w->dead)
			ir_put(y->w->text, "  br label %%%s\n", behind);
		if (may_end_at(y, from, to))
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

/* Behind a landing pad's head: which edge was it? */
static void
write_pad_edges(struct body *y, uint32_t pad)
{
	ir_put(y->w->text, "  %%stk.%u = load i32, %s %%stk.way\n  switch i32 %%stk.%u, label %%stk.p%u [", y->w->names, PROBE_POINTER(y->w, "i32"), y->w->names, pad);
	y->w->names++;
	for (int round = 0; round < 2; round++) {
		for (uint32_t b = 0; b < y->f->blocks.count; b++)
			for (size_t k = 0; k < y->f->blocks.at[b].successors.count; k++)
				if (y->f->blocks.at[b].successors.at[k] == pad && has_ops(y, b, pad)) {
					uint32_t e = edge_between(y, b, pad);

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

/* Before an invoke whose landing pad must know: by which edge it would be come to. */
static void
write_way(struct body *y, uint32_t from)
{
	for (size_t k = 0; k < y->f->blocks.at[from].successors.count; k++) {
		uint32_t to = y->f->blocks.at[from].successors.at[k];

		if (y->sorted[to] && is_known(y, from))
			ir_put(y->w->text, "  store i32 %u, %s %%stk.way\n", edge_between(y, from, to), PROBE_POINTER(y->w, "i32"));
	}
}

/* --- the original --- */

/* The end of an instruction's line. What the program loads and stores is never a count, so that the compiler may keep counts of a loop in registers. */
static void
end_line(struct body *y, struct stk_text line)
{
	struct stk_text rest = ir_right_side(line);

	if ((ir_starts(rest, "load ") || ir_starts(rest, "store ")) && ir_find_word(line, "!noalias ") == NULL && !ir_has_char(line, ';'))
		ir_put(y->w->text, ", !noalias !%u", y->w->scope);
	ir_put(y->w->text, "\n");
}

static void
write_line(struct body *y, uint32_t line)
{
	ir_put_text(y->w->text, y->m->lines.at[line]);
	end_line(y, y->m->lines.at[line]);
}

/* "%x = phi TYPE" without any way left: nobody comes here, but what uses %x stays. */
static void
write_empty_phi(struct body *y)
{
	const char *word = ir_find_word(y->phi.before, "phi ");

	ir_put_text(y->w->text, text_of(y->phi.before.data, (size_t)(word - y->phi.before.data)));
	ir_put(y->w->text, "freeze ");
	ir_put_text(y->w->text, y->phi.type);
	ir_put(y->w->text, " undef\n");
}

/* A phi's ways by the names that its blocks have now; those that are gone, or stand there twice, are left out. */
static void
write_phi(struct body *y, uint32_t block)
{
	struct ir_phi *phi = &y->phi;
	const char *comma = "";
	bool some = false;

	for (size_t i = 0; i < phi->ways.count; i++)
		some |= !never_passed(y, block_named(y, phi->ways.at[i].block), block);
	if (!some) {
		write_empty_phi(y);
		return;
	}
	ir_put_text(y->w->text, phi->before);
	for (size_t i = 0; i < phi->ways.count; i++) {
		uint32_t from = block_named(y, phi->ways.at[i].block);
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
write_terminator_line(struct body *y, uint32_t block, struct stk_text line)
{
	size_t at = 0, from, done = 0;
	struct stk_text name;

	while (ir_next_name(line, &at, &from, &name)) {
		uint32_t to;

		if (from < 6 || memcmp(line.data + from - 6, "label ", 6) != 0)
			continue;
		to = block_named(y, name);
		if (!has_own_block(y, block, to))
			continue;
		ir_put_text(y->w->text, text_of(line.data + done, from - done));
		ir_put(y->w->text, "%%stk.e%u", edge_between(y, block, to));
		done = at;
	}
	ir_put_text(y->w->text, text_of(line.data + done, line.size - done));
	ir_put(y->w->text, "\n");
}

/* A call is over: its id is counted, unless it was found to be of no interest. */
static void
write_exit(struct body *y, uint32_t block)
{
	uint32_t e = exit_edge(y, block);
	char end[32];

	if (y->words == NULL) {
		unsigned call = y->w->names++;

		ir_put(y->w->text, "  %%stk.%u = load i64, %s %%stk.call\n", call, PROBE_POINTER(y->w, "i64"));
		ir_put(y->w->text, "  call void @stkpath_step(%s @stk.f%u, i64 %%stk.%u, i64 %u)\n", PROBE_POINTER(y->w, "%stk.function"), y->w->number, call, y->g->exit);
		ir_put(y->w->text, "  call void @stkpath_end(%s @stk.f%u, i64 %%stk.%u)\n", PROBE_POINTER(y->w, "%stk.function"), y->w->number, call);
		return;
	}
	snprintf(end, sizeof end, "stk.x%u.end", block);
	if (y->mode == END_STICKY) {
		ir_put(y->w->text, "  %%stk.%u = load i1, %s %%stk.dead\n", y->w->names, PROBE_POINTER(y->w, "i1"));
		ir_put(y->w->text, "  br i1 %%stk.%u, label %%%s, label %%stk.x%u\nstk.x%u:\n", y->w->names, end, block, block);
		y->w->names++;
	}
	y->w->dead = false;
	probe_write_ops(y->w, &y->of_edge[e], end);
	if (!y->w->dead)
		probe_write_count(y->w);
	if (y->mode != END_STICKY && !probe_may_end(&y->of_edge[e]))
		return;
	if (!y->w->dead)
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

/* Where a call is over: at a ret or resume, or before the call that a ret must follow at once. NO_EDGE: it never comes so far. */
static uint32_t
exit_line(const struct body *y, uint32_t b)
{
	const struct ir_block *block = &y->f->blocks.at[b];
	const char *word = ir_terminator(y->m->lines.at[block->terminator_line]);
	uint32_t must = NO_EDGE;

	if (!is_known(y, b) || block->successors.count > 0 || (strcmp(word, "ret") != 0 && strcmp(word, "resume") != 0))
		return NO_EDGE;
	for (uint32_t line = block->first_line; line < block->terminator_line; line++)
		if (ir_find_word(y->m->lines.at[line], "musttail ") != NULL)
			must = line;
	return must != NO_EDGE ? must : block->terminator_line;
}

static void
write_step(struct body *y, uint32_t b)
{
	ir_put(y->w->text, "  %%stk.%u = load i64, %s %%stk.call\n", y->w->names, PROBE_POINTER(y->w, "i64"));
	ir_put(y->w->text, "  call void @stkpath_step(%s @stk.f%u, i64 %%stk.%u, i64 %u)\n", PROBE_POINTER(y->w, "%stk.function"), y->w->number, y->w->names, y->number_of[b]);
	y->w->names++;
}

/* What is done when a block is entered. */
static void
write_block_ops(struct body *y, uint32_t b)
{
	const struct word_ops *ops;

	if (!is_known(y, b))
		return;
	if (y->words == NULL) {
		write_step(y, b);
		return;
	}
	ops = &y->words->of_block[y->number_of[b]];
	y->w->dead = false;
	if (!probe_may_end(ops))
		probe_write_ops(y->w, ops, "");
}

/* Memory for r and the rest, and for values that go to copies; then what is done before all. */
static void
write_entry(struct body *y)
{
	struct probe_writer *w = y->w;

	if (y->words == NULL) {
		ir_put(w->text, "  %%stk.call = alloca i64\n  %%stk.%u = call i64 @stkpath_begin(%s @stk.f%u)\n", w->names, PROBE_POINTER(w, "%stk.function"), w->number);
		ir_put(w->text, "  store i64 %%stk.%u, %s %%stk.call\n", w->names++, PROBE_POINTER(w, "i64"));
		return;
	}
	ir_put(w->text, "  %%stk.r = alloca %s\n  %%stk.l = alloca i64\n  %%stk.piece = alloca i64\n  %%stk.way = alloca i32\n  %%stk.dead = alloca i1\n", probe_word(w));
	for (size_t i = 0; i < y->values.list.count; i++)
		if (y->values.list.at[i].crosses) {
			ir_put(w->text, "  %%");
			ir_put_name(w->text, "stk.s.", y->values.list.at[i].name);
			ir_put(w->text, " = alloca ");
			ir_put_text(w->text, y->values.list.at[i].type);
			ir_put(w->text, "\n");
		}
	ir_put(w->text, "  store i64 0, %s %%stk.l\n  store i64 0, %s %%stk.piece\n  store i1 false, %s %%stk.dead\n", PROBE_POINTER(w, "i64"), PROBE_POINTER(w, "i64"), PROBE_POINTER(w, "i1"));
	w->dead = false;
	probe_write_ops(w, &y->words->entry, "");
	if (y->words->sub_paths == NULL)
		probe_write_increment(w, PROBED_CALLS);
}

/* A value that a copy may need is stored as soon as it is there. */
static void
store_result(struct body *y, const char *prefix, uint32_t line)
{
	const struct ir_value *value;
	struct stk_text name;

	if (y->mode != END_CLONE || !ir_result(y->m->lines.at[line], &name))
		return;
	value = ir_values_get(&y->values, name);
	if (value != NULL && value->crosses && value->line == line)
		write_store(y, prefix, value);
}

static void
store_head(struct body *y, const char *prefix, uint32_t b, uint32_t from, uint32_t end)
{
	for (uint32_t line = from; line < end; line = ir_instruction_end(y->m, &y->f->blocks.at[b], line))
		store_result(y, prefix, line);
}

static void
write_block(struct body *y, uint32_t b)
{
	const struct ir_block *block = &y->f->blocks.at[b];
	uint32_t first = ir_first_instruction(y->m, block), head = ir_head_end(y->m, block), exit = exit_line(y, b), end;

	for (uint32_t line = block->first_line; line < first; line++)
		write_line(y, line);
	if (b == 0)
		write_entry(y);
	for (uint32_t line = first; line < head; line++)
		if (ir_phi(y->m->lines.at[line], &y->phi))
			write_phi(y, b);
		else
			write_line(y, line);
	store_head(y, "", b, first, head);
	if (y->sorted[b])
		write_pad_edges(y, b);
	write_block_ops(y, b);
	for (uint32_t line = head; line < block->terminator_line; line = end) {
		end = ir_instruction_end(y->m, block, line);
		if (line == exit)
			write_exit(y, b);
		for (uint32_t l = line; l < end; l++)
			write_line(y, l);
		store_result(y, "", line);
	}
	if (exit == block->terminator_line)
		write_exit(y, b);
	write_way(y, b);
	for (uint32_t line = block->terminator_line; line < block->end_line; line++)
		write_terminator_line(y, b, y->m->lines.at[line]);
	for (size_t k = 0; k < block->successors.count; k++)
		if (has_own_block(y, b, block->successors.at[k]))
			write_edge(y, b, block->successors.at[k]);
}

/* --- the copy --- */

/* Whether a block of the copy, or its head, must take the value from memory. */
static bool
is_loaded(const struct body *y, const struct ir_value *value, uint32_t b, bool in_head)
{
	return value->crosses && (value->block != b || (y->sorted[b] && value->head && !in_head));
}

static uint32_t
index_of(const struct body *y, const struct ir_value *value)
{
	return (uint32_t)(value - y->values.list.at);
}

/* " = load TYPE, TYPE* %stk.s.NAME" */
static void
put_load(struct body *y, const struct ir_value *value)
{
	ir_put(y->w->text, " = load ");
	ir_put_text(y->w->text, value->type);
	put_place(y, value);
}

/* Loads what a line takes from other blocks: as %stk.vN.VALUE, where N is the line's instruction. */
static void
load_values(struct body *y, struct stk_text text, uint32_t b, bool in_head, const char *kind, uint32_t n)
{
	size_t at = 0, from;
	struct stk_text name;

	while (ir_next_name(text, &at, &from, &name)) {
		const struct ir_value *value = ir_values_get(&y->values, name);
		bool known = false;

		if (value == NULL || !is_loaded(y, value, b, in_head))
			continue;
		for (size_t i = 0; i < y->loaded.count; i++)
			known |= y->loaded.at[i] == index_of(y, value);
		if (known)
			continue;
		*array_push(&y->loaded) = index_of(y, value);
		ir_put(y->w->text, "  %%stk.%s%u.%u", kind, n, index_of(y, value));
		put_load(y, value);
	}
}

/* The text with the names that its values have in the copy; names of the first block, of parameters and of types stay. */
static void
write_renamed(struct body *y, struct stk_text text, uint32_t b, bool in_head, const char *kind, uint32_t n)
{
	size_t at = 0, from, done = 0;
	struct stk_text name;

	while (ir_next_name(text, &at, &from, &name)) {
		const struct ir_value *value = ir_values_get(&y->values, name);

		ir_put_text(y->w->text, text_of(text.data + done, from - done));
		done = at;
		ir_put(y->w->text, "%%");
		if (from >= 6 && memcmp(text.data + from - 6, "label ", 6) == 0) {
			uint32_t to = block_named(y, name);

			if (!y->pad[to] && invoked(y, b) != NULL)
				ir_put(y->w->text, "stk.d%u", edge_between(y, b, to));
			else
				put_copy(y, to);
		} else if (value == NULL) {
			ir_put_name(y->w->text, "", name);
		} else if (is_loaded(y, value, b, in_head)) {
			ir_put(y->w->text, "stk.%s%u.%u", kind, n, index_of(y, value));
		} else {
			ir_put_name(y->w->text, "stk.c.", name);
		}
	}
	ir_put_text(y->w->text, text_of(text.data + done, text.size - done));
}

/* Ways from copies, and from the ends of the original's edges. What a way takes from elsewhere was loaded at the end of the block that it comes from. */
static void
write_copied_phi(struct body *y, uint32_t block)
{
	struct ir_phi *phi = &y->phi;
	const char *comma = "";

	write_renamed(y, phi->before, block, true, "v", 0);
	for (size_t i = 0; i < phi->ways.count; i++) {
		uint32_t from = block_named(y, phi->ways.at[i].block);
		bool again = false, by_own;

		for (size_t k = 0; k < i; k++)
			again |= text_equal(phi->ways.at[k].block, phi->ways.at[i].block);
		by_own = !y->pad[block] && invoked(y, from) != NULL;
		if (y->copied[from] && !(again && by_own)) {
			ir_put(y->w->text, "%s [ ", comma);
			write_renamed(y, phi->ways.at[i].value, from, false, "w", from);
			ir_put(y->w->text, ", %%");
			if (by_own)
				ir_put(y->w->text, "stk.d%u", edge_between(y, from, block));
			else
				ir_put_name(y->w->text, y->sorted[from] ? "stk.o." : "stk.c.", phi->ways.at[i].block);
			ir_put(y->w->text, " ]");
			comma = ",";
		}
		if (!again && !y->pad[block] && may_end_at(y, from, block)) {
			ir_put(y->w->text, "%s [ ", comma);
			ir_put_text(y->w->text, phi->ways.at[i].value);
			ir_put(y->w->text, ", %%stk.e%u.end ]", edge_between(y, from, block));
			comma = ",";
		}
	}
	ir_put_text(y->w->text, phi->behind);
	ir_put(y->w->text, "\n");
}

/* At the end of a block: what phis of the blocks behind take along from others. */
static void
load_for_phis(struct body *y, uint32_t b)
{
	const struct ir_block *block = &y->f->blocks.at[b];

	for (size_t k = 0; k < block->successors.count; k++) {
		const struct ir_block *next = &y->f->blocks.at[block->successors.at[k]];
		uint32_t end = ir_head_end(y->m, next);

		for (uint32_t line = ir_first_instruction(y->m, next); line < end; line++)
			if (ir_phi(y->m->lines.at[line], &y->phi))
				for (size_t i = 0; i < y->phi.ways.count; i++)
					if (block_named(y, y->phi.ways.at[i].block) == b)
						load_values(y, y->phi.ways.at[i].value, b, false, "w", b);
	}
	y->loaded.count = 0;
}

static void
write_copied_instruction(struct body *y, uint32_t b, uint32_t line, uint32_t end, bool in_head)
{
	y->loaded.count = 0;
	for (uint32_t l = line; l < end; l++)
		load_values(y, y->m->lines.at[l], b, in_head, "v", line);
	for (uint32_t l = line; l < end; l++) {
		write_renamed(y, y->m->lines.at[l], b, in_head, "v", line);
		end_line(y, y->m->lines.at[l]);
	}
	y->loaded.count = 0;
}

static bool
is_copied_to(const struct body *y, uint32_t block)
{
	for (uint32_t b = 0; b < y->f->blocks.count; b++)
		for (size_t k = 0; k < y->f->blocks.at[b].successors.count && y->copied[b]; k++)
			if (y->f->blocks.at[b].successors.at[k] == block)
				return true;
	return false;
}

/* A landing pad's head may be there for the original only: then the copy begins behind it. */
static void
write_copied_head(struct body *y, uint32_t b, uint32_t first, uint32_t head)
{
	if (!y->sorted[b] || is_copied_to(y, b)) {
		put_copy(y, b);
		ir_put(y->w->text, ":\n");
		for (uint32_t line = first; line < head; line = ir_instruction_end(y->m, &y->f->blocks.at[b], line))
			if (ir_phi(y->m->lines.at[line], &y->phi))
				write_copied_phi(y, b);
			else
				write_copied_instruction(y, b, line, ir_instruction_end(y->m, &y->f->blocks.at[b], line), true);
		store_head(y, "stk.c.", b, first, head);
		if (!y->sorted[b])
			return;
		ir_put(y->w->text, "  br label %%");
		put_way_into_copy(y, b);
		ir_put(y->w->text, "\n");
	}
	put_way_into_copy(y, b);
	ir_put(y->w->text, ":\n");
}

static void
write_copy(struct body *y, uint32_t b)
{
	const struct ir_block *block = &y->f->blocks.at[b];
	uint32_t first = ir_first_instruction(y->m, block), head = ir_head_end(y->m, block), end;

	write_copied_head(y, b, first, head);
	for (uint32_t line = head; line < block->terminator_line; line = end) {
		end = ir_instruction_end(y->m, block, line);
		if (ir_is_debug(y->m->lines.at[line]))
			continue;
		write_copied_instruction(y, b, line, end, false);
		store_result(y, "stk.c.", line);
	}
	load_for_phis(y, b);
	write_copied_instruction(y, b, block->terminator_line, block->end_line, false);
	for (size_t k = 0; k < block->successors.count && invoked(y, b) != NULL; k++) {
		uint32_t to = block->successors.at[k];

		if (y->pad[to])
			continue;
		ir_put(y->w->text, "stk.d%u:\n", edge_between(y, b, to));
		write_store(y, "stk.c.", invoked(y, b));
		ir_put(y->w->text, "  br label %%");
		put_copy(y, to);
		ir_put(y->w->text, "\n");
	}
}

/* --- functions --- */

static int
number_blocks(struct body *y, struct stk_error *err)
{
	struct flow_graph *own;
	int result = ir_function_graph(y->f, &own, y->number_of, err);

	if (result < 0)
		return -1;
	if (flow_graph_checksum(own) != flow_graph_checksum(y->g))
		result = stk_fail(err, STK_EUSAGE, "%.*s: the plan is for another graph: the function, or how it was compiled, has changed since", (int)y->f->name.size, y->f->name.data);
	flow_graph_free(own);
	return result;
}

static bool
has_numbered_types(const struct ir_module *m)
{
	for (size_t i = 0; i < m->lines.count; i++)
		if (m->lines.at[i].size > 1 && *m->lines.at[i].data == '%' && m->lines.at[i].data[1] >= '0' && m->lines.at[i].data[1] <= '9')
			return true;
	return false;
}

static int
prepare(struct body *y, struct stk_error *err)
{
	const char *refused = probe_refusal(y->m, y->f);

	if (refused != NULL)
		return stk_fail(err, STK_EUSAGE, "%.*s: %s", (int)y->f->name.size, y->f->name.data, refused);
	if (number_blocks(y, err) < 0)
		return -1;
	for (uint32_t b = 0; b < y->f->blocks.count; b++)
		y->pad[b] = ir_is_landing_pad(y->m, &y->f->blocks.at[b]);
	gather_ops(y);
	if (!look_at_edges(y))
		return 0;
	if (has_numbered_types(y->m))
		return stk_fail(err, STK_EUSAGE, "%.*s: its module has types without names, which are not told from values in a copy: use --mode sticky", (int)y->f->name.size, y->f->name.data);
	return ir_values_find(&y->values, y->m, y->f, y->sorted, err);
}

static void
write_body(struct body *y)
{
	const struct ir_function *f = y->f;

	for (uint32_t line = f->first_line; line < f->blocks.at[0].first_line; line++)
		write_line(y, line);
	for (uint32_t b = 0; b < f->blocks.count; b++) {
		if (b > 0)
			ir_put(y->w->text, "\n");
		write_block(y, b);
	}
	for (uint32_t b = 0; b < f->blocks.count; b++)
		if (y->copied[b]) {
			ir_put(y->w->text, "\n");
			write_copy(y, b);
		}
	write_line(y, f->end_line);
}

static int
write_function(struct probe_writer *w, struct stk_error *err)
{
	size_t blocks = w->probed->function->blocks.count, edges = w->probed->graph->edges.count;
	struct body y = { .w = w, .m = w->module, .f = w->probed->function, .g = w->probed->graph, .words = w->probed->words, .mode = w->options->mode };
	int result;

	y.number_of = mem_new(blocks, sizeof *y.number_of);
	y.pad = mem_new(blocks, sizeof *y.pad);
	y.sorted = mem_new(blocks, sizeof *y.sorted);
	y.copied = mem_new(blocks, sizeof *y.copied);
	y.of_edge = mem_new(edges + 1, sizeof *y.of_edge);
	result = prepare(&y, err);
	if (result == 0)
		write_body(&y);
	for (size_t e = 0; e < edges; e++)
		array_release(&y.of_edge[e].list);
	ir_values_release(&y.values);
	array_release(&y.phi.ways);
	array_release(&y.loaded);
	free(y.number_of);
	free(y.pad);
	free(y.sorted);
	free(y.copied);
	free(y.of_edge);
	return result;
}

/* The first number that no metadata of the module has. */
static uint32_t
free_number(const struct ir_module *m)
{
	uint32_t number = 0;

	for (size_t i = 0; i < m->lines.count; i++) {
		struct stk_text line = m->lines.at[i];
		uint32_t n = 0;

		for (size_t k = 1; k < line.size && *line.data == '!' && line.data[k] >= '0' && line.data[k] <= '9' && n < UINT32_MAX / 20; k++)
			n = n * 10 + (uint32_t)(line.data[k] - '0');
		number = n >= number ? n + 1 : number;
	}
	return number;
}

/* Lines that stand before all else of a module. */
static bool
stands_first(struct stk_text line)
{
	return line.size == 0 || *line.data == ';' || ir_starts(line, "source_filename") || ir_starts(line, "target ");
}

int
probe_module_write(struct ir_buffer *to, const struct ir_module *m, const struct probed *functions, size_t count, const struct probe_options *options, struct stk_error *err)
{
	struct ir_buffer globals = { 0 };
	bool has_ctors = false, has_dtors = false, begun = false;
	uint32_t scope = free_number(m), *at_line = mem_new(m->lines.count + 1, sizeof *at_line);	/* functions by their first lines, from 1 */
	int result = 0;

	for (size_t i = 0; i < count; i++)
		at_line[functions[i].function->first_line] = (uint32_t)i + 1;
	for (uint32_t line = 0; line < m->lines.count && result == 0; line++) {
		struct stk_text text = m->lines.at[line];

		if (!begun && count > 0 && !stands_first(text)) {
			probe_write_type(to, m);
			begun = true;
		}
		if (at_line[line] > 0) {
			uint32_t i = at_line[line] - 1;
			struct probe_writer w = { .module = m, .probed = &functions[i], .options = options, .number = i, .text = to, .globals = &globals, .scope = scope + 2 };

			result = write_function(&w, err);
			if (result == 0)
				result = probe_write_globals(&w, err);
			line = functions[i].function->end_line;
			continue;
		}
		has_ctors |= ir_starts(text, "@llvm.global_ctors");
		has_dtors |= ir_starts(text, "@llvm.global_dtors");
		if (count > 0 && probe_extend_list(to, m, text))
			continue;
		ir_put_text(to, text);
		ir_put(to, "\n");
	}
	if (result == 0 && count > 0) {
		ir_put(to, "\n");
		ir_put_text(to, text_of(globals.at, globals.count));
		probe_write_module(to, m, (unsigned)count, has_ctors, has_dtors);
		probe_write_scope(to, scope);
	}
	array_release(&globals);
	free(at_line);
	return result;
}
