/* SPDX-License-Identifier: MIT
 * delimited: lines of fields with tabs, commas or semicolons between, fields in double quotes where they hold one (RFC
 * 4180). */
#ifndef BASE_DELIMITED_H
#define BASE_DELIMITED_H

#include "stkpipe/rows.h"	/* struct stk_text */

#include <stdbool.h>

/* What separates the fields of a line: the first of tab, semicolon and comma that it has outside of quotes; 0: none. */
char delimiter_of(struct stk_text line);

/* The fields of a line, at most `most`; how many there are in all. Quotes are taken off, two in a row inside of them
 * are one; `room` takes what that changes and is as large as the line. */
size_t delimited_split(struct stk_text line, char delimiter, struct stk_text *fields, size_t most, char *room);

/* A whole field as a number of the C locale, finite or not. False when it is not a number. */
bool delimited_number(struct stk_text field, double *value);

#endif
