/* SPDX-License-Identifier: MIT
 * findings: the list of what a scanner found. */
#include "ingest/ingest.h"

struct finding *
found(struct findings *findings, enum finding_kind kind, uint32_t line)
{
	struct finding *finding = array_push(&findings->list);

	memset(finding, 0, sizeof *finding);
	finding->kind = kind;
	finding->line = line;
	return finding;
}

void
found_skipped(struct findings *findings, uint32_t line, struct stk_text text, uint32_t lines, enum skip_reason reason,
	      const char *why)
{
	struct finding *finding = found(findings, FOUND_SKIPPED, line);

	finding->is.skipped.text = text;
	finding->is.skipped.lines = lines;
	finding->is.skipped.reason = reason;
	finding->is.skipped.why = why;
}

void
findings_release(struct findings *findings)
{
	array_release(&findings->list);
	free(findings->memory);
	findings->memory = NULL;
}
