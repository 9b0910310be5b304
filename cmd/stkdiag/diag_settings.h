/* SPDX-License-Identifier: MIT
 * diag_settings: the options of stkdiag. */
#ifndef STKDIAG_DIAG_SETTINGS_H
#define STKDIAG_DIAG_SETTINGS_H

#include "diag/diag_rules.h"
#include "other_window.h"

enum diag_form { DIAG_TEXT, DIAG_TSV, DIAG_NDJSON, DIAG_RECORDS };

struct settings {
	struct sample_choice choice;
	struct diag_limits limits;
	const char *rules;		/* a file of thresholds; NULL */
	const char *explain;		/* a rule to explain; NULL */
	bool list_rules, merge;
	bool form_given;
	enum diag_form form;
	int alert;			/* enum stk_severity from which on the status is 4 */
	int64_t evidence;		/* threads that are shown of a finding */
	const char *file;		/* what people would call the input */
	const char *compare;		/* a window to compare with, as it was typed; NULL */
	struct other_window other;
	int64_t top;			/* findings that people see; 0: all */
};

/* Parses the command line: the index of the first operand. A mistake ends the program. */
int settings_read(struct settings *settings, int argc, char **argv);
void settings_release(struct settings *settings);

#endif
