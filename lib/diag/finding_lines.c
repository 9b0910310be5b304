/* SPDX-License-Identifier: MIT
 * finding_lines: a key says which findings are the same; a subject may have any bytes, so it is last. */
#include "diag/finding_lines.h"

#include "base/memory.h"
#include "base/text_table.h"

#include <stdlib.h>

static bool
is_drawn(const struct finding *finding)
{
	return finding->severity != STK_SEVERITY_INFO && time_range_is_known(&finding->times);
}

static uint32_t
line_number(struct text_table *keys, struct text_buffer *key, const struct finding *finding)
{
	key->count = 0;
	add_format(key, "%u %u %u %d ", (unsigned)finding->rule, (unsigned)finding->severity, finding->process,
		   is_drawn(finding));
	add_text(key, finding->subject);
	return text_table_number(keys, text_in(key, 0)) - 1;
}

void
finding_lines_make(struct finding_lines *out, const struct diag_findings *findings)
{
	struct text_table keys = { 0 };
	struct text_buffer key = { 0 };
	ARRAY(uint32_t) last = { 0 };

	*out = (struct finding_lines){ 0 };
	for (uint32_t f = 0; f < findings->list.count; f++) {
		const struct finding *finding = &findings->list.at[f];
		uint32_t line = line_number(&keys, &key, finding);

		*array_push(&out->next) = 0;
		if (line == out->list.count) {
			*array_push(&out->list) =
				(struct finding_line){ f, 0, is_drawn(finding) ? ++out->drawn : 0, TIME_RANGE_NONE };
			*array_push(&last) = f;
		} else {
			out->next.at[last.at[line]] = f;
			last.at[line] = f;
		}
		out->list.at[line].count++;
		time_range_join(&out->list.at[line].times, &finding->times);
	}
	array_release(&last);
	array_release(&key);
	text_table_release(&keys);
}

void
finding_lines_release(struct finding_lines *lines)
{
	array_release(&lines->list);
	array_release(&lines->next);
}
