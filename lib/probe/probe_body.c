/* SPDX-License-Identifier: MIT
 * probe_body: what its probes do on each edge, which blocks are copied, and where values are kept for the copy. */
#include "probe/probe_body.h"

#include "base/bytes.h"
#include "base/text_buffer.h"
#include "graph/graph_difference.h"
#include "probe/ir_text.h"
#include "probe/probe_ops.h"
#include "probe/probe_refusal.h"

#include <string.h>

/* --- lookups --- */

uint32_t
body_block(const struct probe_body *y, struct stk_text name)
{
	uint32_t found = ir_block_named(y->f, name);

	return found == NO_BLOCK ? 0 : found;
}

uint32_t
body_edge(const struct probe_body *y, uint32_t from, uint32_t to)
{
	return flow_graph_edge(y->g, y->number_of[from], y->number_of[to]);
}

bool
body_knows(const struct probe_body *y, uint32_t block)
{
	return y->number_of[block] != NO_BLOCK;
}

const struct word_ops *
body_ops(const struct probe_body *y, uint32_t from, uint32_t to)
{
	static const struct word_ops none;
	uint32_t e = body_knows(y, from) && body_knows(y, to) ? body_edge(y, from, to) : NO_EDGE;

	return e == NO_EDGE ? &none : &y->of_edge[e];
}

const struct ir_value *
body_invoked(const struct probe_body *y, uint32_t from)
{
	struct stk_text name;
	const struct ir_value *value;

	if (y->mode != END_CLONE || !ir_result(y->m->lines.at[y->f->blocks.at[from].terminator_line], &name))
		return NULL;
	value = ir_values_get(&y->values, name);
	return value != NULL && value->crosses ? value : NULL;
}

bool
body_has_ops(const struct probe_body *y, uint32_t from, uint32_t to)
{
	return body_ops(y, from, to)->list.count > 0;
}

bool
body_may_end(const struct probe_body *y, uint32_t from, uint32_t to)
{
	return probe_may_end(body_ops(y, from, to));
}

/* --- preparing --- */

static int
refuse_graph(const struct probe_body *y, const struct flow_graph *own, struct stk_error *err)
{
	struct text_buffer where = { 0 };

	graph_add_difference(&where, own, y->g, "the plan");
	add_char(&where, '\0');
	(void)stk_fail(err, STK_EUSAGE,
		       "%.*s: the plan is for another graph: the function, or how it was compiled, has changed since: %s",
		       (int)y->f->name.size, y->f->name.data, where.at);
	array_release(&where);
	return -1;
}

static int
number_blocks(struct probe_body *y, struct stk_error *err)
{
	struct flow_graph *own;
	int result = ir_function_graph(y->f, &own, y->number_of, err);

	if (result < 0)
		return -1;
	if (flow_graph_checksum(own) != flow_graph_checksum(y->g))
		result = refuse_graph(y, own, err);
	flow_graph_free(own);
	return result;
}

static bool
has_numbered_types(const struct ir_module *m)
{
	for (size_t i = 0; i < m->lines.count; i++)
		if (m->lines.at[i].size > 1 && *m->lines.at[i].data == '%' && m->lines.at[i].data[1] >= '0' &&
		    m->lines.at[i].data[1] <= '9')
			return true;
	return false;
}

/* Operations of an edge, and of the block after it when those may end. */
static void
gather_ops(struct probe_body *y)
{
	if (y->words == NULL)
		return;
	for (uint32_t e = 0; e < y->g->edges.count; e++) {
		const struct word_ops *own = &y->words->of_edge[e], *next = &y->words->of_block[y->g->edges.at[e].to];

		for (size_t i = 0; i < own->list.count; i++)
			*array_push(&y->of_edge[e].list) = own->list.at[i];
		for (size_t i = 0; i < next->list.count &&
		     (probe_may_end(next) || y->g->edges.at[e].to == y->g->exit); i++)
			*array_push(&y->of_edge[e].list) = next->list.at[i];
	}
}

/* A block and all that it leads to are copied. */
static void
copy_from(struct probe_body *y, uint32_t block)
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

/* Landing pads that must know by which edge they were reached, and what is copied. */
static bool
look_at_edges(struct probe_body *y)
{
	bool copies = false;

	for (uint32_t b = 0; b < y->f->blocks.count; b++)
		for (size_t k = 0; k < y->f->blocks.at[b].successors.count; k++) {
			uint32_t to = y->f->blocks.at[b].successors.at[k];

			y->sorted[to] |= y->pad[to] && body_has_ops(y, b, to);
			if (y->mode != END_CLONE || !body_may_end(y, b, to))
				continue;
			copy_from(y, to);
			copies = true;
		}
	return copies;
}

static int
prepare(struct probe_body *y, struct stk_error *err)
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
		return stk_fail(err, STK_EUSAGE,
				"%.*s: its module has types without names, which cannot be distinguished from values in a copy: "
				"use --mode sticky", (int)y->f->name.size, y->f->name.data);
	return ir_values_find(&y->values, y->m, y->f, y->sorted, err);
}

int
probe_body_open(struct probe_body **out, struct probe_writer *w, struct stk_error *err)
{
	size_t blocks = w->probed->function->blocks.count;
	struct probe_body *y = *out = mem_new(1, sizeof *y);

	*y = (struct probe_body){
		.w = w, .m = w->module, .f = w->probed->function, .g = w->probed->graph, .words = w->probed->words,
		.mode = w->options->mode
	};
	y->number_of = mem_new(blocks, sizeof *y->number_of);
	y->pad = mem_new(blocks, sizeof *y->pad);
	y->sorted = mem_new(blocks, sizeof *y->sorted);
	y->copied = mem_new(blocks, sizeof *y->copied);
	y->of_edge = mem_new(y->g->edges.count + 1, sizeof *y->of_edge);
	if (prepare(y, err) == 0)
		return 0;
	probe_body_free(y);
	*out = NULL;
	return -1;
}

void
probe_body_free(struct probe_body *y)
{
	for (size_t e = 0; e < y->g->edges.count; e++)
		array_release(&y->of_edge[e].list);
	ir_values_release(&y->values);
	array_release(&y->phi.ways);
	array_release(&y->loaded);
	free(y->number_of);
	free(y->pad);
	free(y->sorted);
	free(y->copied);
	free(y->of_edge);
	free(y);
}

/* --- writing --- */

void
body_put_copy(struct probe_body *y, uint32_t block)
{
	ir_put_name(y->w->text, "stk.c.", y->f->blocks.at[block].name);
}

void
body_put_way_into_copy(struct probe_body *y, uint32_t block)
{
	ir_put_name(y->w->text, y->sorted[block] ? "stk.o." : "stk.c.", y->f->blocks.at[block].name);
}

/* What the program loads and stores is never a count, so that the compiler may keep counts of a loop in registers. */
void
body_end_line(struct probe_body *y, struct stk_text line)
{
	struct stk_text rest = ir_right_side(line);

	if ((ir_starts(rest, "load ") || ir_starts(rest, "store ")) && ir_find_word(line, "!noalias ") == NULL &&
	    !ir_has_char(line, ';'))
		ir_put(y->w->text, ", !noalias !%u", y->w->scope);
	ir_put(y->w->text, "\n");
}

void
body_put_place(struct probe_body *y, const struct ir_value *value)
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

void
body_write_store(struct probe_body *y, const char *prefix, const struct ir_value *value)
{
	ir_put(y->w->text, "  store ");
	ir_put_text(y->w->text, value->type);
	ir_put(y->w->text, " %%");
	ir_put_name(y->w->text, prefix, value->name);
	body_put_place(y, value);
}

void
body_keep_result(struct probe_body *y, const char *prefix, uint32_t line)
{
	const struct ir_value *value;
	struct stk_text name;

	if (y->mode != END_CLONE || !ir_result(y->m->lines.at[line], &name))
		return;
	value = ir_values_get(&y->values, name);
	if (value != NULL && value->crosses && value->line == line)
		body_write_store(y, prefix, value);
}

void
body_keep_head(struct probe_body *y, const char *prefix, uint32_t b, uint32_t from, uint32_t end)
{
	for (uint32_t line = from; line < end; line = ir_instruction_end(y->m, &y->f->blocks.at[b], line))
		body_keep_result(y, prefix, line);
}
