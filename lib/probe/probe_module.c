/* SPDX-License-Identifier: MIT
 * probe_module: all lines of a module are copied, except those of probed functions, and what the module needs to know
 * of them is added. */
#include "probe/probe_module.h"

#include "base/bytes.h"
#include "probe/ir_text.h"
#include "probe/probe_body.h"
#include "probe/probe_facts.h"
#include "probe/probe_leaving.h"
#include "probe/probe_outside.h"

static void
put_line(struct ir_buffer *to, const struct ir_module *m, uint32_t line)
{
	ir_put_text(to, m->lines.at[line]);
	ir_put(to, "\n");
}

static void
write_body(struct probe_body *y)
{
	const struct ir_function *f = y->f;

	for (uint32_t line = f->first_line; line < f->blocks.at[0].first_line; line++)
		put_line(y->w->text, y->m, line);
	for (uint32_t b = 0; b < f->blocks.count; b++) {
		if (b > 0)
			ir_put(y->w->text, "\n");
		probe_write_original(y, b);
	}
	for (uint32_t b = 0; b < f->blocks.count; b++)
		if (y->copied[b]) {
			ir_put(y->w->text, "\n");
			probe_write_copy(y, b);
		}
	put_line(y->w->text, y->m, f->end_line);
}

static int
write_function(struct probe_writer *w, struct stk_error *err)
{
	struct probe_body *body;

	if (probe_body_open(&body, w, err) < 0)
		return -1;
	write_body(body);
	probe_body_free(body);
	return probe_write_globals(w, err);
}

/* The first number that no metadata of the module has. */
static uint32_t
free_number(const struct ir_module *m)
{
	uint32_t number = 0;

	for (size_t i = 0; i < m->lines.count; i++) {
		struct stk_text line = m->lines.at[i];
		uint32_t n = 0;

		for (size_t k = 1; k < line.size && *line.data == '!' && line.data[k] >= '0' && line.data[k] <= '9' &&
		     n < UINT32_MAX / 20; k++)
			n = n * 10 + (uint32_t)(line.data[k] - '0');
		number = n >= number ? n + 1 : number;
	}
	return number;
}

/* Lines at the beginning of a module. */
static bool
stands_first(struct stk_text line)
{
	return line.size == 0 || *line.data == ';' || ir_starts(line, "source_filename") || ir_starts(line, "target ");
}

int
probe_module_write(struct ir_buffer *to, const struct ir_module *m, const struct probed *functions, size_t count,
		   const struct probe_options *options, struct stk_error *err)
{
	struct ir_buffer globals = { 0 };
	bool has_ctors = false, has_dtors = false, begun = false;
	/* functions by their first lines, from 1 */
	uint32_t scope = free_number(m), *at_line = mem_new(m->lines.count + 1, sizeof *at_line);
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
			struct probe_writer w = { .module = m, .probed = &functions[i], .options = options, .number = i,
				.text = to, .globals = &globals, .scope = scope + 2 };

			result = write_function(&w, err);
			line = functions[i].function->end_line;
			continue;
		}
		has_ctors |= ir_starts(text, "@llvm.global_ctors");
		has_dtors |= ir_starts(text, "@llvm.global_dtors");
		if (count > 0 && probe_extend_list(to, m, text))
			continue;
		if (count > 0)
			probe_write_leaving(to, text);
		probe_write_outside(to, m, options, text);
		put_line(to, m, line);
	}
	if (result == 0 && count > 0) {
		ir_put(to, "\n");
		ir_put_text(to, text_of(globals.at, globals.count));
		probe_write_module(to, m, (unsigned)count, has_ctors, has_dtors);
		probe_write_scope(to, scope);
	}
	if (result == 0)
		probe_write_outside_globals(to, m, options);
	array_release(&globals);
	free(at_line);
	return result;
}
