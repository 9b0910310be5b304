/* SPDX-License-Identifier: MIT
 * binary_in_text: where a text ends that something binary was appended to, or begins that follows it: a profile below a
 * log, two files in one. */
#ifndef INGEST_BINARY_IN_TEXT_H
#define INGEST_BINARY_IN_TEXT_H

#include "stkpipe/rows.h"

/* The start of the first line with bytes that no text has, when there are too many and too different ones for a text
 * with a few odd characters; NULL. */
const char *binary_in_text(struct stk_text text);

#endif
