/* SPDX-License-Identifier: MIT
 * dump_search: whether a text is a thread dump, and where one begins in it. */
#ifndef INGEST_DUMP_SEARCH_H
#define INGEST_DUMP_SEARCH_H

#include "stkpipe/rows.h"

/* How sure it is that the text is thread dumps, 0 to 100. */
int dump_search_recognise(struct stk_text text);

/* The start of the first dump, its lines above the head included; NULL when there is none. */
const char *dump_search_find(struct stk_text text);

#endif
