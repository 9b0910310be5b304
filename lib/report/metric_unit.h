/* SPDX-License-Identifier: MIT
 * metric_unit: values of metrics for people, in the units that the names of our own metrics imply. */
#ifndef REPORT_METRIC_UNIT_H
#define REPORT_METRIC_UNIT_H

#include "base/text_buffer.h"

/* heap.used is 360 MB, gc.pause 12.3ms, capture.share 0.4%; a number where the name says nothing. */
void add_metric(struct text_buffer *to, struct stk_text name, double value);

#endif
