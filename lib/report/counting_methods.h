/* SPDX-License-Identifier: MIT
 * counting_methods: what the methods by which functions were counted mean for whoever shows the counts. Of prime paths
 * and other sub-paths (method ac) one visit of a block is on many, so that their counts do not add up to those of
 * blocks, edges, lines or calls. Inexact methods (spp, prepp) count other paths as those of interest. */
#ifndef REPORT_COUNTING_METHODS_H
#define REPORT_COUNTING_METHODS_H

#include "base/text_buffer.h"
#include "base/text_table.h"

/* Said wherever inexact counts are shown, and the mark of such a count. */
#define INEXACT_COUNTS "counted by an inexact method, spp or prepp: other paths may be counted as those of interest"
#define INEXACT_MARK   "~"

bool method_is_inexact(struct stk_text method);

struct counting_methods {
	struct text_table overlapping, inexact;		/* "function	file" */
	struct text_buffer scratch;
};

/* A zeroed struct is an empty one. In a stream the calls of a function come after its counts: ask at its end. */
void counting_methods_take(struct counting_methods *methods, const struct stk_path_call *row);
bool counting_methods_overlap(struct counting_methods *methods, struct stk_text function, struct stk_text file);
bool counting_methods_are_inexact(struct counting_methods *methods, struct stk_text function, struct stk_text file);
void counting_methods_release(struct counting_methods *methods);

#endif
