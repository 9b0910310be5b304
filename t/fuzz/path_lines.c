/* SPDX-License-Identifier: MIT
 * fuzz/path_lines: any bytes as a plan, which is then made into a machine and walked. */
#include "path/path_machine.h"
#include "path/plan_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct stk_error err = { 0 };
	struct path_machine *machine;
	struct flow_graph *graph;
	struct path_plan *plan;

	if (size > 8192 || plan_lines_read(&plan, &graph, "plan", (const char *)bytes, size, &err) < 0)
		return 0;
	if (path_machine_open(&machine, plan, plan->keeping, true, &err) == 0) {
		struct path_activation *a = path_machine_begin(machine);

		for (uint32_t b = 0; b < 20; b++)
			(void)path_machine_step(machine, a, b % (uint32_t)graph->blocks.count);
		path_machine_finish(machine, a);
		path_machine_close(machine);
	}
	path_plan_free(plan);
	flow_graph_free(graph);
	return 0;
}
