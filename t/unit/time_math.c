/* SPDX-License-Identifier: MIT
 * time_math: sums and differences at the ends of what there is. */
#include "../lib/tap.h"

#include "base/time_math.h"

#include <math.h>

static void
test_belief(void)
{
	ok(stk_time_is_believed(STK_TIME_LEAST) && stk_time_is_believed(STK_TIME_MOST) && stk_time_is_believed(0),
	   "the first and the last time are believed");
	ok(!stk_time_is_believed(STK_TIME_LEAST - 1) && !stk_time_is_believed(STK_TIME_MOST + 1),
	   "those beside them are not");
	ok(!stk_time_is_believed(STK_TIME_UNKNOWN) && !stk_time_is_believed(INT64_MAX),
	   "nor is the unknown time, nor the last of all");
	is_i64(STK_TIME_MOST - STK_TIME_LEAST, INT64_MAX, "the difference of two times fits");
	is_i64(STK_TIME_MOST + DURATION_MOST, INT64_MAX, "a time with a duration added fits");
	ok(stk_measure_is_believed(1e100) && stk_measure_is_believed(-1e100) && stk_measure_is_believed(0),
	   "measures up to 1e100 are believed");
	ok(!stk_measure_is_believed(1.0001e100) && !stk_measure_is_believed(NAN) &&
		   !stk_measure_is_believed(INFINITY) && !stk_measure_is_believed(-INFINITY),
	   "and others are not");
}

static void
test_floor(void)
{
	static const struct { int64_t time, step, floor;
	} rows[] = { { 0, 10, 0 },
		     { 9, 10, 0 },
		     { 10, 10, 10 },
		     { -1, 10, -10 },
		     { -10, 10, -10 },
		     { -11, 10, -20 },
		     { 5, 1, 5 },
		     { -5, 1, -5 },
		     { STK_TIME_MOST, DURATION_MOST, 0 },
		     { -1, DURATION_MOST, STK_TIME_LEAST },
		     { STK_TIME_LEAST, DURATION_MOST, STK_TIME_LEAST },
		     { STK_TIME_LEAST + 1, DURATION_MOST - 1, STK_TIME_LEAST + 1 },
		     { STK_TIME_LEAST, DURATION_MOST - 1, STK_TIME_LEAST } };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		is_i64(time_floor(rows[i].time, rows[i].step), rows[i].floor, "the step of %lld that holds %lld",
		       (long long)rows[i].step, (long long)rows[i].time);
	is_i64(time_clamp(INT64_MIN), STK_TIME_LEAST, "the nearest time to the least number");
	is_i64(time_clamp(INT64_MAX), STK_TIME_MOST, "the nearest time to the largest number");
	is_i64(time_clamp(7), 7, "a time that is believed stays");
}

static void
test_saturation(void)
{
	is_i64(time_sum(1, 2), 3, "a sum");
	is_i64(time_sum(INT64_MAX, 1), INT64_MAX, "a sum beyond the largest number is that");
	is_i64(time_sum(INT64_MIN, -1), INT64_MIN, "a sum beyond the least number is that");
	is_i64(time_difference(5, 3), -2, "a difference");
	is_i64(time_difference(INT64_MIN, INT64_MAX), INT64_MAX, "a difference beyond the largest number is that");
	is_i64(time_difference(INT64_MAX, INT64_MIN), INT64_MIN, "a difference beyond the least number is that");
	is_i64(int64_of(1e308), INT64_MAX, "1e308 as a number");
	is_i64(int64_of(-INFINITY), INT64_MIN, "minus infinity as a number");
	is_i64(int64_of(0x1p63), INT64_MAX, "2^63 as a number");
	is_i64(int64_of(-0x1p63), INT64_MIN, "-2^63 as a number");
	is_i64(int64_of(NAN), 0, "no number as a number");
	is_i64(int64_of(-2.9), -2, "parts are cut off");
}

int
main(void)
{
	test_belief();
	test_floor();
	test_saturation();
	return tap_end();
}
