/* SPDX-License-Identifier: MIT
 * expression: POSIX extended regular expressions of users and of schemes. The C library writes repetitions out, so that
 * a{1,30000} takes gigabytes and minutes; what is too large is refused before that. */
#ifndef BASE_EXPRESSION_H
#define BASE_EXPRESSION_H

#include "stkpipe/error.h"

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#define EXPRESSION_BYTES_MOST   65536u
#define EXPRESSION_DEPTH_MOST   100u	/* of parentheses */
#define EXPRESSION_COPIES_MOST  1000u	/* elements that repetitions add when they are written out, and repetitions;
					 * compiling: 0.03 s and 9 MB at most */

struct expression {
	regex_t regex;
	uint32_t copies;		/* of EXPRESSION_COPIES_MOST */
};

/* -1 with *err (STK_EUSAGE, "at character N: ..." or what the C library says): nothing to close then. Back references
 * are refused: they make matching exponential. */
int  expression_open(struct expression *to, const char *pattern, struct stk_error *err) STK_MUST_CHECK;
void expression_close(struct expression *expression);

/* Whether it matches anywhere in a NUL-terminated line. */
bool expression_fits(const struct expression *expression, const char *line);

#endif
