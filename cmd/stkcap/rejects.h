/* SPDX-License-Identifier: MIT
 * rejects: tells what was skipped: to a file line by line when one was asked for, and what is broken to stderr, but not
 * more of a file than a person reads. */
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
