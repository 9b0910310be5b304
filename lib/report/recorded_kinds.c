/* SPDX-License-Identifier: MIT
 * recorded_kinds: which they are. */
#include "report/recorded_kinds.h"

bool
kind_is_recorded(unsigned kind)
{
	switch (kind) {
	case STK_SAMPLE: case STK_EVENT: case STK_METRIC: case STK_COUNTER: case STK_DEADLOCK: case STK_NOTE:
	case STK_CFG: case STK_PATH_CALL: case STK_PATH_COUNT: case STK_PATH_STEP:
		return true;
	default:
		return kind <= STK_DUMP && kind > STK_STRING;
	}
}

void
tell_left_out(const struct report *report, const bool *left_out)
{
	struct text_buffer text = { 0 };
	const char *before = "left out what was computed from names, which is to be computed again: ";

	for (unsigned k = 0; k < STK_KIND_COUNT; k++) {
		if (!left_out[k])
			continue;
		add_string(&text, before);
		add_string(&text, stk_schema()->kind[k].name);
		before = ", ";
	}
	if (text.count > 0) {
		add_char(&text, '\0');
		report->remark(text.at);
	}
	array_release(&text);
}
