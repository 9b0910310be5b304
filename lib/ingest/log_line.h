/* SPDX-License-Identifier: MIT
 * log_line: lines that another part of the program, or another program, wrote to the same file while a dump was being
 * printed. */
#ifndef INGEST_LOG_LINE_H
#define INGEST_LOG_LINE_H

#include "stkpipe/rows.h"

#include <stdbool.h>

#define LOG_LINES_BETWEEN 64	/* such lines may separate a thread's header from its stack, for what is searched */

/* Whether the line begins as lines of logs do, whatever follows: with a date or a time of day, alone or in brackets,
 * with a level ("WARN", "[info]", "INFO:root:"), with the letter and date of glog ("I0102 03:04:05"), with the month of
 * syslog ("Jan  2 03:04:05"), with a key ("time=", "level="), or as an object of JSON. A date with nothing after it is
 * no such line: it may be the head of a dump. */
bool log_line_is(struct stk_text line);
/* The first line from this one on that is none; after LOG_LINES_BETWEEN of them, the next. */
struct stk_text first_unlogged(struct stk_text line, const char *end);

#endif
