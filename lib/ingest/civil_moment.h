/* SPDX-License-Identifier: MIT
 * civil_moment: a date and time as dumps and logs write them: "2026-11-20 22:14:44", optionally with T, a fraction and
 * a zone. */
#ifndef INGEST_CIVIL_MOMENT_H
#define INGEST_CIVIL_MOMENT_H

#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stdint.h>

#define CIVIL_MOMENT_SIZE 19	/* of the plain form */

/* Reads a text that is a moment and nothing else. *civil_ns is what the clock showed, as if it were UTC; a zone is
 * skipped, because --tz gives it. */
bool civil_moment_read(struct stk_text text, int64_t *civil_ns);
/* The same for the form of ctime, "Thu Feb 21 09:01:53 2013", and of date, "Thu Feb 21 09:01:53 UTC 2013". */
bool civil_ctime_read(struct stk_text text, int64_t *civil_ns);
/* "22:14:44" at *at, with a fraction or without: nanoseconds since midnight. *at moves past it, unless it is none. */
bool civil_time_of_day(const char **at, const char *end, int64_t *ns);

#endif
