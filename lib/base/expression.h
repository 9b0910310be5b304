/* SPDX-License-Identifier: MIT
 * expression: POSIX extended regular expressions of users and of schemes, one or many at once. They are an automaton
 * whose states are computed as texts need them, and kept.
 *
 * The worst case: a byte of a text costs as many steps as the expressions have elements (characters, sets and
 * repetitions, those with numbers written out), no matter what the text is; usually it costs one. Memory: 16 bytes per
 * element, and EXPRESSION_STATES_MOST for states, which are forgotten when they need more. What is too large is
 * refused, and so are back references, which would make matching exponential. */
#ifndef BASE_EXPRESSION_H
#define BASE_EXPRESSION_H

#include "base/array.h"
#include "stkpipe/error.h"
#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stdint.h>

#define EXPRESSION_BYTES_MOST   65536u
#define EXPRESSION_DEPTH_MOST   100u	/* of parentheses */
#define EXPRESSION_COPIES_MOST  1000u	/* elements that repetitions add when they are written out, and repetitions */
#define EXPRESSION_STATES_MOST  (16u << 20)	/* bytes; and one state more */

struct expression_set;

/* Numbers of expressions, in the order of their matches, each once. */
struct expression_matches { ARRAY(uint32_t) list; };

void expression_set_open(struct expression_set **out);
void expression_set_close(struct expression_set *set);

/* Adds one under a number of the caller's, which no other has. *copies, if not NULL, gets what it has of
 * EXPRESSION_COPIES_MOST. -1 with *err (STK_EUSAGE, "at character N: ..."): the set is as before. */
int  expression_set_add(struct expression_set *set, struct stk_text pattern, uint32_t number, uint32_t *copies,
			struct stk_error *err) STK_MUST_CHECK;

/* Which expressions match anywhere in a text. */
void expression_set_match(struct expression_set *set, struct stk_text text, struct expression_matches *to);

/* A single one. -1 with *err as above: nothing to close then. */
struct expression { struct expression_set *set; };

int  expression_open(struct expression *to, const char *pattern, struct stk_error *err) STK_MUST_CHECK;
void expression_close(struct expression *expression);
bool expression_fits(const struct expression *expression, struct stk_text text);

#endif
