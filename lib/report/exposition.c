/* SPDX-License-Identifier: MIT
 * exposition: pieces of the text that Prometheus reads. */
#include "report/exposition.h"

#include "report/viewer_samples.h"

void
exposition_label(struct text_buffer *to, const char *label, struct stk_text value)
{
	struct text_buffer valid = { 0 };

	add_valid_text(&valid, value);
	add_string(to, label);
	add_string(to, "=\"");
	for (size_t at = 0; at < valid.count; at++) {
		if (valid.at[at] == '"' || valid.at[at] == '\\' || valid.at[at] == '\n')
			add_char(to, '\\');
		add_char(to, valid.at[at] == '\n' ? 'n' : valid.at[at]);
	}
	add_char(to, '"');
	array_release(&valid);
}
