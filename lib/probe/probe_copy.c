/* SPDX-License-Identifier: MIT
 * probe_copy: blocks %stk.c.* without operations. Values that they need from other blocks are loaded from where the
 * original, or the copy, has kept them (%stk.s.*). */
#include "base/bytes.h"
#include "probe/ir_text.h"
#include "probe/probe_body.h"
#include "probe/probe_leaving.h"
#include "probe/probe_outside.h"

#include <string.h>

/* Whether a block of the copy, or its head, must take the value from memory. */
static bool
is_loaded(const struct probe_body *y, const struct ir_value *value, uint32_t b, bool in_head)
{
	return value->crosses && (value->block != b || (y->sorted[b] && value->head && !in_head));
}

static uint32_t
index_of(const struct probe_body *y, const struct ir_value *value)
{
	return (uint32_t)(value - y->values.list.at);
}

/* " = load TYPE, TYPE* %stk.s.NAME" */
static void
put_load(struct probe_body *y, const struct ir_value *value)
{
	ir_put(y->w->text, " = load ");
	ir_put_text(y->w->text, value->type);
	body_put_place(y, value);
}

/* Loads what a line takes from other blocks: as %stk.vN.VALUE, where N is the line's instruction. */
static void
load_values(struct probe_body *y, struct stk_text text, uint32_t b, bool in_head, const char *kind, uint32_t n)
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

/* The text with the names that its values have in the copy; names of the first block, of parameters and of types
 * stay. */
static void
write_renamed(struct probe_body *y, struct stk_text text, uint32_t b, bool in_head, const char *kind, uint32_t n)
{
	size_t at = 0, from, done = 0;
	struct stk_text name;

	while (ir_next_name(text, &at, &from, &name)) {
		const struct ir_value *value = ir_values_get(&y->values, name);

		ir_put_text(y->w->text, text_of(text.data + done, from - done));
		done = at;
		ir_put(y->w->text, "%%");
		if (from >= 6 && memcmp(text.data + from - 6, "label ", 6) == 0) {
			uint32_t to = body_block(y, name);

			if (!y->pad[to] && body_invoked(y, b) != NULL)
				ir_put(y->w->text, "stk.d%u", body_edge(y, b, to));
			else
				body_put_copy(y, to);
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

/* Ways from copies, and from the ends of the original's edges. What a way takes from elsewhere was loaded at the end of
 * the block that it comes from. */
static void
write_copied_phi(struct probe_body *y, uint32_t block)
{
	struct ir_phi *phi = &y->phi;
	const char *comma = "";

	write_renamed(y, phi->before, block, true, "v", 0);
	for (size_t i = 0; i < phi->ways.count; i++) {
		uint32_t from = body_block(y, phi->ways.at[i].block);
		bool again = false, by_own;

		for (size_t k = 0; k < i; k++)
			again |= text_equal(phi->ways.at[k].block, phi->ways.at[i].block);
		by_own = !y->pad[block] && body_invoked(y, from) != NULL;
		if (y->copied[from] && !(again && by_own)) {
			ir_put(y->w->text, "%s [ ", comma);
			write_renamed(y, phi->ways.at[i].value, from, false, "w", from);
			ir_put(y->w->text, ", %%");
			if (by_own)
				ir_put(y->w->text, "stk.d%u", body_edge(y, from, block));
			else
				ir_put_name(y->w->text, y->sorted[from] ? "stk.o." : "stk.c.", phi->ways.at[i].block);
			ir_put(y->w->text, " ]");
			comma = ",";
		}
		if (!again && !y->pad[block] && body_may_end(y, from, block)) {
			ir_put(y->w->text, "%s [ ", comma);
			ir_put_text(y->w->text, phi->ways.at[i].value);
			ir_put(y->w->text, ", %%stk.e%u.end ]", body_edge(y, from, block));
			comma = ",";
		}
	}
	ir_put_text(y->w->text, phi->behind);
	ir_put(y->w->text, "\n");
}

/* At the end of a block: the values that phis of its successors take from other blocks. */
static void
load_for_phis(struct probe_body *y, uint32_t b)
{
	const struct ir_block *block = &y->f->blocks.at[b];

	for (size_t k = 0; k < block->successors.count; k++) {
		const struct ir_block *next = &y->f->blocks.at[block->successors.at[k]];
		uint32_t end = ir_head_end(y->m, next);

		for (uint32_t line = ir_first_instruction(y->m, next); line < end; line++)
			if (ir_phi(y->m->lines.at[line], &y->phi))
				for (size_t i = 0; i < y->phi.ways.count; i++)
					if (body_block(y, y->phi.ways.at[i].block) == b)
						load_values(y, y->phi.ways.at[i].value, b, false, "w", b);
	}
	y->loaded.count = 0;
}

static void
write_copied_instruction(struct probe_body *y, uint32_t b, uint32_t line, uint32_t end, bool in_head)
{
	y->loaded.count = 0;
	for (uint32_t l = line; l < end; l++)
		load_values(y, y->m->lines.at[l], b, in_head, "v", line);
	probe_write_leaving(y->w->text, y->m->lines.at[line]);
	probe_write_outside(y->w->text, y->m, y->w->options, y->m->lines.at[line]);
	for (uint32_t l = line; l < end; l++) {
		write_renamed(y, y->m->lines.at[l], b, in_head, "v", line);
		body_end_line(y, y->m->lines.at[l]);
	}
	y->loaded.count = 0;
}

static bool
is_copied_to(const struct probe_body *y, uint32_t block)
{
	for (uint32_t b = 0; b < y->f->blocks.count; b++)
		for (size_t k = 0; k < y->f->blocks.at[b].successors.count && y->copied[b]; k++)
			if (y->f->blocks.at[b].successors.at[k] == block)
				return true;
	return false;
}

/* A landing pad's head may exist only in the original: then the copy begins after it. */
static void
write_copied_head(struct probe_body *y, uint32_t b, uint32_t first, uint32_t head)
{
	if (!y->sorted[b] || is_copied_to(y, b)) {
		body_put_copy(y, b);
		ir_put(y->w->text, ":\n");
		for (uint32_t line = first; line < head; line = ir_instruction_end(y->m, &y->f->blocks.at[b], line))
			if (ir_phi(y->m->lines.at[line], &y->phi))
				write_copied_phi(y, b);
			else
				write_copied_instruction(y, b, line, ir_instruction_end(y->m, &y->f->blocks.at[b],
											line), true);
		body_keep_head(y, "stk.c.", b, first, head);
		if (!y->sorted[b])
			return;
		ir_put(y->w->text, "  br label %%");
		body_put_way_into_copy(y, b);
		ir_put(y->w->text, "\n");
	}
	body_put_way_into_copy(y, b);
	ir_put(y->w->text, ":\n");
}

void
probe_write_copy(struct probe_body *y, uint32_t b)
{
	const struct ir_block *block = &y->f->blocks.at[b];
	uint32_t first = ir_first_instruction(y->m, block), head = ir_head_end(y->m, block), end;

	write_copied_head(y, b, first, head);
	for (uint32_t line = head; line < block->terminator_line; line = end) {
		end = ir_instruction_end(y->m, block, line);
		if (ir_is_debug(y->m->lines.at[line]))
			continue;
		write_copied_instruction(y, b, line, end, false);
		body_keep_result(y, "stk.c.", line);
	}
	load_for_phis(y, b);
	write_copied_instruction(y, b, block->terminator_line, block->end_line, false);
	for (size_t k = 0; k < block->successors.count && body_invoked(y, b) != NULL; k++) {
		uint32_t to = block->successors.at[k];

		if (y->pad[to])
			continue;
		ir_put(y->w->text, "stk.d%u:\n", body_edge(y, b, to));
		body_write_store(y, "stk.c.", body_invoked(y, b));
		ir_put(y->w->text, "  br label %%");
		body_put_copy(y, to);
		ir_put(y->w->text, "\n");
	}
}
