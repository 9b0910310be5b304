/* SPDX-License-Identifier: MIT
 * diag_findings: a list. */
#include "diag/diag_findings.h"

#include "base/bytes.h"

static struct stk_text
kept(struct diag_findings *findings, struct stk_text text)
{
	return text_of(arena_copy(&findings->texts, text.data, text.size), text.size);
}

struct finding *
diag_findings_add(struct diag_findings *findings, enum diag_rule rule, enum stk_severity severity,
		  struct stk_text subject, struct stk_text summary)
{
	struct finding *finding = array_push(&findings->list);

	*finding = (struct finding){ .rule = rule, .severity = severity, .times = TIME_RANGE_NONE,
				       .past.times = TIME_RANGE_NONE };
	finding->subject = kept(findings, subject);
	finding->summary = kept(findings, summary);
	return finding;
}

void
diag_findings_say(struct diag_findings *findings, struct finding *finding, struct stk_text more)
{
	struct text_buffer *to = &findings->text;

	to->count = 0;
	add_text(to, finding->summary);
	add_text(to, more);
	finding->summary = kept(findings, text_in(to, 0));
}

static int
compare(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;

	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if ((a->rule == RULE_HEALTHY) != (b->rule == RULE_HEALTHY))
		return a->rule == RULE_HEALTHY ? -1 : 1;
	if (a->lost_ns != b->lost_ns)
		return a->lost_ns > b->lost_ns ? -1 : 1;
	if (a->times.from_ns != b->times.from_ns)
		return a->times.from_ns < b->times.from_ns ? -1 : 1;
	if (a->rule != b->rule)
		return a->rule < b->rule ? -1 : 1;
	return text_compare(a->subject, b->subject);
}

void
diag_findings_sort(struct diag_findings *findings)
{
	if (findings->list.count > 0)
		qsort(findings->list.at, findings->list.count, sizeof *findings->list.at, compare);
}

void
diag_findings_release(struct diag_findings *findings)
{
	for (size_t f = 0; f < findings->list.count; f++)
		array_release(&findings->list.at[f].evidence);
	array_release(&findings->list);
	arena_release(&findings->texts);
	array_release(&findings->text);
}

const char *
severity_name(enum stk_severity severity)
{
	static const char *const names[] = { "info", "warning", "critical" };

	return names[severity];
}

const char *
involvement_name(enum stk_involvement part)
{
	static const char *const names[] = { "waiter", "holder" };

	return names[part];
}
