/* SPDX-License-Identifier: MIT
 * sections: scans a piece with its format, and what that one skips as noise with the others, wherever a section of
 * theirs begins: standard output of a VM has log lines, collections and dumps by turns. */
#ifndef INGEST_SECTIONS_H
#define INGEST_SECTIONS_H

#include "ingest/ingest.h"

/* Adds to findings what is in the piece, in the order of the text. The findings end early, with FOUND_PREFIX,
 * FOUND_FORMAT or FOUND_WRAPPED, where the caller is to scan again from. begins: the piece begins where the caller was
 * told so; it is not told again. */
void sections_scan(const struct text_format *format, struct findings *findings, struct stk_text piece, bool begins);

/* Takes the last lines of the piece out of its findings, if they are noise: as many as a section may begin with before
 * it is recognised. Returns them, with what is blank below; empty without any. why: of the noise. */
struct stk_text sections_hold(struct findings *findings, struct stk_text piece, const char **why);

/* Where in these held lines a section begins that the next piece goes on with; NULL. */
const char *sections_find_across(struct stk_text held, struct stk_text next);

#endif
