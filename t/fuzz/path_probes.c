/* SPDX-License-Identifier: MIT
 * fuzz/path_probes: any bytes as LLVM's assembly language, whose functions get probes: in each mode, for all paths and
 * for one of interest. */
#include "probe/probe_module.h"
#include "probe/spare_checks.h"
#include "probe/spare_visits.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Always the way that was added last: it ends, or is given up. */
static bool
find_path(const struct flow_graph *g, struct flow_path *path)
{
	uint32_t block = g->entry;

	*array_push(&path->blocks) = block;
	while (block != g->exit && path->blocks.count < 100) {
		const struct flow_block *at = &g->blocks.at[block];

		block = g->edges.at[at->out.at[at->out.count - 1]].to;
		*array_push(&path->blocks) = block;
	}
	return block == g->exit;
}

static void
probe(const struct ir_module *module, const struct ir_function *function, enum path_method method,
      const struct probe_options *options)
{
	struct ir_buffer text = { 0 };
	struct stk_error err = { 0 };
	struct flow_path path = { 0 };
	struct flow_graph *graph;
	struct path_plan *plan = NULL;
	struct word_plan *words = NULL;
	bool with_path = method != PATH_EPP && method != PATH_PAP;

	if (ir_function_graph(function, &graph, NULL, &err) < 0)
		return;
	if (with_path && !find_path(graph, &path)) {
		array_release(&path.blocks);
	} else if (path_plan_make(&plan, graph, method, &path, with_path, &err) == 0) {
		struct probed probed = { function, graph, NULL };

		if (method == PATH_PAP)
			plan->keeping = KEEP_SPILL;
		if (word_plan_make(&words, plan, plan->keeping, &err) == 0) {
			bool *leaves = mem_new(graph->blocks.count, sizeof *leaves);

			spare_checks(words);
			spare_visits(words, leaves);
			free(leaves);
			probed.words = words;
			(void)!probe_module_write(&text, module, &probed, 1, options, &err);
		}
	}
	array_release(&text);
	word_plan_free(words);
	path_plan_free(plan);
	flow_graph_free(graph);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const enum path_method methods[] = { PATH_EPP,  PATH_PAP, PATH_PSP0,   PATH_PSP2,
						    PATH_TRIE, PATH_AC,  PATH_PAP_EPP };
	struct stk_error err = { 0 };
	struct probe_options options;
	struct ir_module *module;

	if (size < 2 || size > 20000 || ir_module_read(&module, "module", (const char *)bytes + 1, size - 1, &err) < 0)
		return 0;
	options = (struct probe_options){ .mode = (enum end_mode)(bytes[0] % 3), .atomic = bytes[0] % 2 != 0 };
	for (size_t i = 0; i < module->functions.count; i++)
		if (module->functions.at[i].blocks.count < 60)
			probe(module, &module->functions.at[i], methods[bytes[0] / 4 % 7], &options);
	ir_module_free(module);
	return 0;
}
