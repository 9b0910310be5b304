/* SPDX-License-Identifier: MIT
 * recording_rules: --rules without --diff: which rules a window of one recording, or of several as one, breaks. */
#ifndef STKTREE_RECORDING_RULES_H
#define STKTREE_RECORDING_RULES_H

#include "tree_settings.h"

#include "base/output.h"

/* Prints a line for each finding; each raises the exit status to 4. The rules are read before anything else. -1 with
 * *err. */
int report_rules(
	const struct settings *settings, struct output *output, char **operands, int count, struct stk_error *err);

#endif
