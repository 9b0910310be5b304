/* SPDX-License-Identifier: MIT
 * event_values: what an event measured, as text: NAME=NUMBER with a unit right after the number, and blanks between:
 * "bytes=4096B rows=3 wait=1.5ms". Words that are not of this form, such as flags=NONE or ptr=0x1f, are no measures. */
#ifndef BASE_EVENT_VALUES_H
#define BASE_EVENT_VALUES_H

#include "stkpipe/rows.h"

#include <stdbool.h>

struct event_value { struct stk_text name, unit; double value; };

/* The next measure of a text, which then begins after it. False: there is no other. */
bool event_value_next(struct stk_text *text, struct event_value *out);

/* How many are numbers too large to be summed, such as 1e400, which event_value_next passes over. */
unsigned event_values_too_large(struct stk_text text);

#endif
