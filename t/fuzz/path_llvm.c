/* SPDX-License-Identifier: MIT
 * fuzz/path_llvm: any bytes as LLVM's assembly language: its functions, and the graph of each. */
#include "probe/llvm_ir.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct stk_error err = { 0 };
	struct ir_module *module;

	if (ir_module_read(&module, "module", (const char *)bytes, size, &err) < 0)
		return 0;
	for (size_t i = 0; i < module->functions.count; i++) {
		struct stk_error why = { 0 };
		struct flow_graph *graph;

		if (ir_function_graph(&module->functions.at[i], &graph, NULL, &why) == 0)
			flow_graph_free(graph);
	}
	ir_module_free(module);
	return 0;
}
