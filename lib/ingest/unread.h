/* SPDX-License-Identifier: MIT
 * unread: files that are known, cannot be read, and must not be taken for anything else. */
#ifndef INGEST_UNREAD_H
#define INGEST_UNREAD_H

#include "stkpipe/rows.h"

/* What a file that begins so is, and how to convert it, for a message; NULL when it is none of these. */
const char *unread_kind(struct stk_text beginning);

#endif
