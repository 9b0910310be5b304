/* SPDX-License-Identifier: MIT
 * fuzz/path_files: any bytes as a graph and paths of it (parted by a zero byte), and plans by all methods that are made
 * of them, each walked. */
#include "path/path_files.h"
#include "path_walk.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void
try_method(const struct flow_graph *graph, enum path_method method, const char *text, size_t size)
{
	struct stk_error err = { 0 };
	struct flow_paths paths;
	struct path_plan *plan;

	if (flow_paths_read(&paths, "paths", text, size, graph, method == PATH_AC, &err) < 0)
		return;
	if (path_plan_make(&plan, graph, method, paths.list.at, paths.list.count, &err) == 0) {
		walk_plan(plan);
		path_plan_free(plan);
	}
	array_release(&paths.list);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint8_t *zero = memchr(bytes, 0, size);
	size_t graph_size = zero != NULL ? (size_t)(zero - bytes) : size;
	struct stk_error err = { 0 };
	struct flow_graph *graph;

	if (size > 4096 || flow_graph_read(&graph, "graph", (const char *)bytes, graph_size, &err) < 0)
		return 0;
	for (unsigned m = 0; m < PATH_METHODS && zero != NULL; m++)
		try_method(graph, (enum path_method)m, (const char *)zero + 1, size - graph_size - 1);
	flow_graph_free(graph);
	return 0;
}
