/* SPDX-License-Identifier: MIT
 * sparkline: values as bars of eight heights, a character each. */
#ifndef STKTREND_SPARKLINE_H
#define STKTREND_SPARKLINE_H

#include "base/text_buffer.h"
#include "report/printer.h"
#include "trend/outlook.h"

/* The heights are between least and most; a value that is NAN is a blank. */
void add_bars(const double *values, size_t count, double least, double most, struct text_buffer *to);

/* A series at a glance: what was measured for as long as the forecast is, and then the forecast between its limits, all
 * on one scale. points: of the past, in the order of time. Nothing where the line has no room. */
void print_outlook(const struct series *series, struct stk_text name, const struct kept_point *points, size_t count,
		   const struct forecast_value *values, size_t steps, struct printer *to);

#endif
