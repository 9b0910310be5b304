/* SPDX-License-Identifier: MIT
 * row_times: windows without an end are as long as the recordings. */
#include "row_times.h"

#include "window_report.h"

#include "base/quantities.h"
#include "program/program.h"
#include "report/when_text.h"


int
row_times_make(struct when_counts *when, const struct settings *settings, struct recording *const *recordings,
	       int count, struct call_tree *tree, struct stk_error *err)
{
	struct tree_interval windows[OPTION_TEXTS_MOST + 1];
	struct time_range range = range_of_recordings(recordings, count);
	unsigned chosen = chosen_windows(settings, windows), left = 0;

	for (unsigned w = 0; w < chosen && time_range_is_known(&range); w++) {
		struct tree_interval window = windows[w];

		if (window.from == INT64_MIN)
			window.from = range.from_ns;
		if (window.to == INT64_MAX)
			window.to = range.to_ns < INT64_MAX ? range.to_ns + 1 : INT64_MAX;
		if (window.from < window.to)
			windows[left++] = window;
	}
	if (left == 0)
		program_say("--when: no sample has a time");
	return when_counts_make(when, recordings, (size_t)count, windows, left, tree,
				(struct when_options){ ROW_TIMES_COLUMN, settings->view == VIEW_FLAT }, err);
}

void
row_times_cell(struct sheet *sheet, const struct window_report *r, uint32_t row)
{
	const float *counts = r->when == NULL || row == UINT32_MAX ? NULL : when_counts_of(r->when, row);
	struct text_buffer text = { 0 };

	if (r->when == NULL)
		return;
	if (counts != NULL)
		when_text_add(&text, counts, WHEN_PARTS, r->printer->screen.blocks);
	row_text(&sheet->rows, text_in(&text, 0));
	array_release(&text);
}

void
row_times_remark(const struct window_report *r)
{
	char length[TIME_TEXT_MAX];

	if (r->when == NULL || r->when->length_ns == 0)
		return;
	(void)duration_print(length, (int64_t)r->when->length_ns);
	printer_remark(r->printer, "when: 32 parts of the time, %s each, as shares of the row's largest", length);
}
