/* SPDX-License-Identifier: MIT
 * exposition: pieces of the text that Prometheus reads, of OpenMetrics and of the form before it. */
#ifndef REPORT_EXPOSITION_H
#define REPORT_EXPOSITION_H

#include "base/text_buffer.h"

/* label="value", escaped; bytes that are not UTF-8 become U+FFFD. */
void exposition_label(struct text_buffer *to, const char *label, struct stk_text value);

#endif
