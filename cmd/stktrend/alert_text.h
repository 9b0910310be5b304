/* SPDX-License-Identifier: MIT
 * alert_text: changes in words, for lines of alerts. */
#ifndef STKTREND_ALERT_TEXT_H
#define STKTREND_ALERT_TEXT_H

#include "trend_views.h"

/* A change, or several that began together: how many of each kind, and the greatest by name. Sorts the list, which is
 * not empty. */
void add_changes(const struct trends *t, const struct found_change **list, size_t count, struct text_buffer *to);

#endif
