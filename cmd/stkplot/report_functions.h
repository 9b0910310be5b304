/* SPDX-License-Identifier: MIT
 * report_functions: the functions with most of their own, with the share of each over time, as a table. */
#ifndef STKPLOT_REPORT_FUNCTIONS_H
#define STKPLOT_REPORT_FUNCTIONS_H

#include "plot/flame_counts.h"

void report_functions_add(struct text_buffer *to, struct flame_tree *tree);

#endif
