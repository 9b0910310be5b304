/* SPDX-License-Identifier: MIT
 * fuzz/sections: any bytes as a file of several formats: a place to scan again from lies within the piece and after
 * where it began, findings are in order, and a format finds its sections within the text. */
#include "format_fuzz.h"

#include "ingest/sections.h"

/* What is held is the end of the text, in whole lines, and no longer among what was found. */
static void
check_hold(struct findings *findings, struct stk_text text)
{
	uint32_t lines = findings->lines;
	const char *why, *end = text.data + text.size, *across;
	struct stk_text held = sections_hold(findings, text, &why);

	must(held.data + held.size == end && findings->lines + scan_count_lines(held.data, end) == lines);
	if (held.size == 0)
		return;
	must(why != NULL && held.data > text.data && held.data[-1] == '\n');
	for (size_t i = 0; i < findings->list.count; i++)
		must(findings->list.at[i].line <= findings->lines);
	across = sections_find_across(held, text);
	must(across == NULL || (across >= held.data && across < end));
}

static void
scan_as(const struct text_format *format, struct stk_text text, bool begins)
{
	struct findings findings = { 0 };
	const struct text_format *found_by = format;
	uint32_t lines = scan_count_lines(text.data, text.data + text.size);

	sections_scan(format, &findings, text, begins);
	must(findings.lines <= lines);
	for (size_t i = 0; i < findings.list.count; i++) {
		const struct finding *finding = &findings.list.at[i];

		if (finding->kind == FOUND_SECTION && finding->is.section.format != NULL)
			found_by = finding->is.section.format;
		check_finding(found_by, finding, text);
		must(finding->line <= lines);
		if (finding->kind != FOUND_FORMAT)
			continue;
		must(i + 1 == findings.list.count && finding->line == findings.lines);
		must(finding->is.section.from >= text.data && finding->is.section.from < text.data + text.size);
		must(!begins || finding->is.section.from > text.data);
	}
	check_hold(&findings, text);
	findings_release(&findings);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *copy = malloc(size > 0 ? size : 1);
	struct stk_text text = text_of(copy, size);

	if (size > 0)
		memcpy(copy, bytes, size);
	scan_as(&plain_text_format, text, false);
	scan_as(&thread_dump_format, text, true);
	scan_as(&gc_log_format, text, size % 2 != 0);
	free(copy);
	return 0;
}
