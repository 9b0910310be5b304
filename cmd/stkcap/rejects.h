/* SPDX-License-Identifier: MIT
 * rejects: reports skipped lines: all to a file if one was given, and broken ones to stderr, a few per input. */
#ifndef STKCAP_REJECTS_H
#define STKCAP_REJECTS_H

#include "ingest/ingest.h"
#include "stkpipe/error.h"

struct rejects;

int  rejects_open(struct rejects **out, const char *path, struct stk_error *err);	/* path may be NULL */
/* as collect calls it */
void rejects_take(void *rejects, const char *file, uint64_t line, const struct finding *finding);
/* frees; -1 when the file could not be written whole */
int  rejects_close(struct rejects *rejects, struct stk_error *err);

#endif
