/* SPDX-License-Identifier: MIT
 * answer_words: what is said about an answer: what it was made of, and what is not known. */
#ifndef STKTREE_ANSWER_WORDS_H
#define STKTREE_ANSWER_WORDS_H

#include "tree_settings.h"

#include "report/printer.h"

/* Messages: how much counts cover, what is estimated, what could not be seen or read; with --stats what was read. */
void say_answer(
	const struct answer *answer, struct recording *const *recordings, int count, const struct settings *settings);

/* Remarks for people below a report, where counts are less than all or estimates. whole: what the report adds up to. */
void remark_bounds(struct printer *printer, const struct answer_bounds *known, uint64_t whole);

/* How much counts cover, in one line: for messages and notes. False: all. */
bool describe_coverage(char *to, size_t room, const struct answer *answer);
bool describe_estimate(char *to, size_t room, const struct answer *answer);

#endif
