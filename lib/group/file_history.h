/* SPDX-License-Identifier: MIT
 * file_history: which team changed which file how often, read from the log of a repository. */
#ifndef GROUP_FILE_HISTORY_H
#define GROUP_FILE_HISTORY_H

#include "stkpipe/rows.h"

struct file_history;

void file_history_open(struct file_history **out);
/* NULL does nothing. */
void file_history_close(struct file_history *history);

/* The next line of a log, the latest commit first: '\1' and the e-mail address of its author, then a line for each file
 * that it changed; empty lines are left out. The team of an author is the domain of the address. */
void file_history_line(struct file_history *history, struct stk_text line);

/* The team that most often changed the file whose path is this one or ends with it; at equal counts the one that
 * changed it last; empty when nobody did. Valid until file_history_close. Goes through all changes. */
struct stk_text file_history_team(const struct file_history *history, struct stk_text path);

#endif
