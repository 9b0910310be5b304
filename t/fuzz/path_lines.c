/* SPDX-License-Identifier: MIT
 * fuzz/path_lines: any bytes as a plan, which is then made into a machine and walked. */
#include "path/plan_lines.h"
#include "path_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct stk_error err = { 0 };
	struct flow_graph *graph;
	struct path_plan *plan;

	if (size > 8192 || plan_lines_read(&plan, &graph, "plan", (const char *)bytes, size, &err) < 0)
		return 0;
	walk_plan(plan);
	path_plan_free(plan);
	flow_graph_free(graph);
	return 0;
}
