/* SPDX-License-Identifier: MIT
 * diag_views: findings for people, for programs and for filters; and what the rules are. */
#ifndef STKDIAG_DIAG_VIEWS_H
#define STKDIAG_DIAG_VIEWS_H

#include "diag_settings.h"

#include "diag/diagnosis.h"
#include "diag/finding_union.h"
#include "report/printer.h"

struct diag_view_of {
	const struct settings *settings;
	const struct diagnosis *diagnosis;
	const struct diag_findings *findings;
	struct printer *printer;
	const struct diag_view_of *other;	/* of --compare: what was found in the other window; NULL */
};

/* For people: sentences first, then the findings with their evidence. */
int show_findings(const struct diag_view_of *view, struct stk_error *err);
/* A row each. */
int list_findings(const struct diag_view_of *view, struct stk_error *err);
/* --merge: the same of findings of other runs; for people a table. */
int list_joined(const struct settings *settings, const struct finding_union *all, struct printer *printer,
		struct stk_error *err);
/* Records of findings and evidence, with what they refer to. */
int write_findings(const struct diag_view_of *view, struct stk_writer *writer, struct stk_error *err);

/* For people: what --compare found out of all findings; of one; and what is gone. The window is that of the view. */
void print_comparison(const struct diag_view_of *view);
void print_change(const struct diag_view_of *view, const struct finding *finding);
int print_gone(const struct diag_view_of *view, struct stk_error *err);
/* "2026-11-22T10:20:00Z to 10:40:00Z", or one time. */
void add_times(struct text_buffer *to, const struct diag_view_of *view, const struct finding *finding,
	       const struct time_range *times);

/* What a rule looks for. -1 with *err: there is no such rule. */
int explain_rule(const char *name, const struct diag_limits *limits, struct printer *to, struct stk_error *err);
/* All rules, as YAML. */
void list_rules(const struct diag_limits *limits, struct text_buffer *to);

/* A time in the zone of a finding's process. Returns `to`. */
char *time_of_process(const struct settings *settings, struct stk_text zone, char to[TIME_TEXT_MAX], int64_t ns);
char *finding_time(const struct diag_view_of *view, const struct finding *finding, char to[TIME_TEXT_MAX], int64_t ns);

#endif
