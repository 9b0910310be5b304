/* SPDX-License-Identifier: MIT
 * quantities: numbers, sizes and durations as people write them. Each parser takes the whole text: 0, or -1 with *err
 * (STK_EUSAGE), which says what was expected, and *out unchanged. */
#ifndef BASE_QUANTITIES_H
#define BASE_QUANTITIES_H

#include "stkpipe/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Decimal digits: 0 to 2^63 - 1. */
int number_parse(const char *text, int64_t *number, struct stk_error *err) STK_MUST_CHECK;

/* Bytes: 4096, 64k, 1.5G; k M G T are powers of 1024. */
int size_parse(const char *text, int64_t *bytes, struct stk_error *err) STK_MUST_CHECK;

/* 20s, 15m, 1h30m, 1.5d, 200ms; units ns us ms s m min h d w. At most DURATION_MOST. */
int duration_parse(const char *text, int64_t *ns, struct stk_error *err) STK_MUST_CHECK;

/* A finite decimal number; with `percent` a % may follow. False, and *value unchanged, for anything else: nan, inf,
 * 0x1p3, blanks. */
bool real_parse(const char *text, bool percent, double *value);

/* A finite decimal number, 4e9 or -0.5, that may be followed by k, M, G or T: powers of 1024. */
bool amount_parse(const char *text, double *amount);

/* "row" or "rows": what so many are called. */
static inline const char *
plural(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

#endif
