/* SPDX-License-Identifier: MIT
 * chart_total: time first, if there is any. */
#include "plot/chart_total.h"

#include "base/quantities.h"

void
chart_say_total(struct chart *chart, struct chart_line *line, struct chart_total total, double percent, bool of_events)
{
	struct text_buffer text = { 0 };

	if (total.ns > 0) {
		add_real(&text, total.ns / 1e9);
		add_string(&text, " s, ");
	}
	add_format(&text, "%llu %s, %.1f %%", (unsigned long long)total.count,
		   of_events ? plural(total.count, "event", "events") : plural(total.count, "sample", "samples"), percent);
	line->say = chart_take(chart, &text);
	array_release(&text);
}
