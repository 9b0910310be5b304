/* SPDX-License-Identifier: MIT
 * probe_outside: @stk.oN is struct outside_function of runtime/probed_function.h. */
#include "probe/probe_outside.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "probe/ir_text.h"

#include <stdlib.h>

#define OUTSIDE_TYPE(m) ((m)->opaque ? "{ ptr, i64, i64 }" : "{ i8*, i64, i64 }")

void
probe_write_outside(struct ir_buffer *to, const struct ir_module *m, const struct probe_options *options,
		    struct stk_text line)
{
	struct stk_text name;
	uint32_t number;

	if (options->outside == NULL || !ir_called_name(line, &name))
		return;
	number = text_table_find(options->outside, name);
	if (number == 0)
		return;
	if (m->opaque)
		ir_put(to, "  call void @stkpath_outside(ptr @stk.o%u)\n", number);
	else
		ir_put(to, "  call void @stkpath_outside(i8* bitcast (%s* @stk.o%u to i8*))\n", OUTSIDE_TYPE(m),
		       number);
}

void
probe_write_outside_globals(struct ir_buffer *to, const struct ir_module *m, const struct probe_options *options)
{
	const struct text_table *outside = options->outside;
	bool *called;

	if (outside == NULL)
		return;
	called = mem_new(outside->texts.count + 1, sizeof *called);
	for (size_t line = 0; line < m->lines.count; line++) {
		struct stk_text name;

		if (ir_called_name(m->lines.at[line], &name))
			called[text_table_find(outside, name)] = true;
	}
	ir_put(to, "declare void @stkpath_outside(%s)\n", m->opaque ? "ptr" : "i8*");
	for (uint32_t i = 1; i <= outside->texts.count; i++) {
		struct stk_text name = text_table_text(outside, i);

		if (!called[i])
			continue;
		/* in the section of names with probes, as those of probed functions are */
		ir_put(to, "@stk.o%u.name = private unnamed_addr constant [%zu x i8] ", i, name.size + 1);
		ir_put_string(to, name.data, name.size);
		ir_put(to, ", section \"stkpath_names\"\n@stk.o%u = internal global %s { ", i, OUTSIDE_TYPE(m));
		if (m->opaque)
			ir_put(to, "ptr @stk.o%u.name", i);
		else
			ir_put(to, "i8* bitcast ([%zu x i8]* @stk.o%u.name to i8*)", name.size + 1, i);
		ir_put(to, ", i64 0, i64 0 }\n");
	}
	free(called);
}
