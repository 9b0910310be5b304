/* SPDX-License-Identifier: MIT
 * report_verdict: what is wrong, as lists of a page. */
#ifndef STKPLOT_REPORT_VERDICT_H
#define STKPLOT_REPORT_VERDICT_H

#include "plot/thread_lines.h"

void report_add_verdict(struct text_buffer *to, const struct thread_picture *picture);

#endif
