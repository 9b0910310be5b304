/* SPDX-License-Identifier: MIT
 * report_verdict: many findings are folded away, so that the first are seen with what follows them. */
#include "report_verdict.h"

#include "diag/finding_lines.h"
#include "plot/page_text.h"

#define FINDINGS_MOST  8	/* that are not folded away */

static void
add_finding(struct text_buffer *to, const struct thread_picture *picture, const struct finding_line *found)
{
	const struct finding *finding = &picture->findings->list.at[found->first];
	struct text_buffer line = { 0 };

	add_finding_words(&line, picture, found);
	add_format(to, "<li class=%s>", severity_name(finding->severity));
	page_add_text(to, text_in(&line, 0));
	add_string(to, ".</li>\n");
	array_release(&line);
}

void
report_add_verdict(struct text_buffer *to, const struct thread_picture *picture)
{
	const struct finding_lines *found = picture->found;
	size_t shown = found->list.count > FINDINGS_MOST + 1 ? FINDINGS_MOST : found->list.count;

	if (found->list.count == 0) {
		add_string(to, "<p>No thread dumps: nothing was looked at.</p>\n");
		return;
	}
	add_format(to, "<ol class=%s>\n", palette_name(picture->palette));
	for (size_t l = 0; l < shown; l++)
		add_finding(to, picture, &found->list.at[l]);
	add_string(to, "</ol>\n");
	if (shown == found->list.count)
		return;
	add_format(to, "<details><summary>%zu more findings</summary>\n<ol class=%s start=%zu>\n",
		   found->list.count - shown, palette_name(picture->palette), shown + 1);
	for (size_t l = shown; l < found->list.count; l++)
		add_finding(to, picture, &found->list.at[l]);
	add_string(to, "</ol></details>\n");
}
