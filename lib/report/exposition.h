/* SPDX-License-Identifier: MIT
 * exposition: pieces of the text that Prometheus reads, of OpenMetrics and of the form before it. */
#ifndef REPORT_EXPOSITION_H
#define REPORT_EXPOSITION_H

#include "base/text_buffer.h"

#define EXPOSITION_LABEL_MAX 200	/* of the name of a label */

/* The labels of a metric's name, as in http_requests_total{code="200"}: what is between the braces, and *base. Empty,
 * and *base is all of the name, where it has none that Prometheus would read. */
struct stk_text exposition_labels(struct stk_text name, struct stk_text *base);
/* The next one of them, and whether there was any; *value has its escapes. */
bool exposition_next(struct stk_text *labels, struct stk_text *label, struct stk_text *value);
/* The value of one without its escapes. */
void exposition_add_value(struct text_buffer *to, struct stk_text value);

/* label="value", escaped; bytes that are not UTF-8 become U+FFFD. */
void exposition_label(struct text_buffer *to, const char *label, struct stk_text value);

#endif
