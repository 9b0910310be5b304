/* SPDX-License-Identifier: MIT
 * time_math: arithmetic on times and durations that cannot overflow. Times are valid ones (rows.h), durations at most
 * DURATION_MOST, as options take them: the difference of two times, and a time with a duration added, fit. What a
 * stream claims beyond that goes through the functions that saturate. */
#ifndef BASE_TIME_MATH_H
#define BASE_TIME_MATH_H

#include "stkpipe/rows.h"

#define DURATION_MOST (INT64_C(1) << 62)	/* 146 years */

/* The nearest valid time; for bounds of windows, which lose nothing by it. */
static inline int64_t
time_clamp(int64_t ns)
{
	return ns < STK_TIME_LEAST ? STK_TIME_LEAST : ns > STK_TIME_MOST ? STK_TIME_MOST : ns;
}

/* Where the step begins that holds a time: steps are counted from 1970, 0 < step_ns <= DURATION_MOST. The first of all
 * is shorter. */
static inline int64_t
time_floor(int64_t ns, int64_t step_ns)
{
	int64_t within = ns % step_ns;

	return time_clamp(ns - (within < 0 ? within + step_ns : within));
}

/* Whole units since 1970, those before it below 0. */
static inline int64_t
time_units(int64_t ns, int64_t unit_ns)
{
	return ns / unit_ns - (ns % unit_ns < 0);
}

static inline int64_t
time_sum(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static inline int64_t
time_difference(int64_t from, int64_t to)
{
	int64_t difference;

	return __builtin_sub_overflow(to, from, &difference) ? (to < from ? INT64_MIN : INT64_MAX) : difference;
}

/* Of a duration, 0 or more. */
static inline int64_t
time_product(int64_t ns, uint64_t times)
{
	int64_t product;

	return __builtin_mul_overflow(ns, times, &product) ? INT64_MAX : product;
}

/* The nearest int64_t; 0 for NaN. */
static inline int64_t
int64_of(double value)
{
	return value >= 0x1p63 ? INT64_MAX : value <= -0x1p63 ? INT64_MIN : value == value ? (int64_t)value : 0;
}

#endif
