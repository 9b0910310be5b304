/* SPDX-License-Identifier: MIT
 * path_files: graphs and interesting paths as people write them, in YAML. Errors are reported with their line.
 *
 *	function: getmid					paths:
 *	entry: A						  - [A, D, H]
 *	exit: J							  - [A, "(B C)*3", D]	# repeated
 *	blocks:
 *	  - {id: A, succ: [B, F], calls: [read]}		  - [A, ..., H]		# each way between that comes to
 *   no block twice
 *								a path leads from the entry to the exit */
#ifndef PATH_PATH_FILES_H
#define PATH_PATH_FILES_H

#include "graph/flow_graph.h"

#define PATHS_MOST       1000000u
#define PATH_BLOCKS_MOST 10000000u	/* of all paths together */

struct flow_paths { ARRAY(struct flow_path) list; };

/* -1 (STK_EUSAGE, or STK_ESYSTEM when the file cannot be read). parts: paths may begin and end anywhere. */
int  flow_graph_read_file(struct flow_graph **out, const char *path, struct stk_error *err) STK_MUST_CHECK;
int flow_paths_read_file(struct flow_paths *out, const char *path, const struct flow_graph *graph, bool parts,
			 struct stk_error *err) STK_MUST_CHECK;
/* The same from a text; name is used in messages. */
int flow_graph_read(struct flow_graph **out, const char *name, const char *text, size_t size,
		    struct stk_error *err) STK_MUST_CHECK;
int flow_paths_read(struct flow_paths *out, const char *name, const char *text, size_t size,
		    const struct flow_graph *graph, bool parts, struct stk_error *err) STK_MUST_CHECK;
void flow_paths_release(struct flow_paths *paths);

#endif
