/* SPDX-License-Identifier: MIT
 * sample_sort: samples by time, equal times in the order of arrival, however many: runs in temporary files, merged. */
#ifndef TIMETREE_SAMPLE_SORT_H
#define TIMETREE_SAMPLE_SORT_H

#include "stkpipe/stream.h"

struct sample_sort;

void sample_sort_open(struct sample_sort **out);
void sample_sort_close(struct sample_sort *sort);
int  sample_sort_add(struct sample_sort *sort, const struct stk_sample *sample, struct stk_error *err) STK_MUST_CHECK;
/* Gives all of them to the writer. Once. */
int  sample_sort_write(struct sample_sort *sort, struct stk_writer *to, struct stk_error *err) STK_MUST_CHECK;

#endif
