/* SPDX-License-Identifier: MIT
 * robust_line: a line through measures at irregular times, which counts time and not measures: a thousand collections
 * in one congested hour are an hour. */
#ifndef TREND_ROBUST_LINE_H
#define TREND_ROBUST_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum line_method { LINE_LEAST_SQUARES, LINE_HUBER, LINE_BISQUARE };

struct robust_line {
	double slope, slope_error;	/* by unit of x; its standard error, for measures that follow each other
					 * smoothly */
	double middle, at_middle;	/* the weighted mean of x, and the line there */
	double scale;			/* of what is left around it */
	double pairs;			/* how many independent measures it rests on */
};

/* Weights are the intervals before each measure, at most `longest` of x (0: a tenth of the whole, or three times the
 * median); weighted = false: all alike. x must not fall. */
struct robust_line robust_line(const double *x, const double *y, size_t n, enum line_method method, bool weighted,
			       double longest);

/* The same with weights of one's own, which become what each measure counts for in the end: its own weight times what
 * the method leaves of it. */
struct robust_line robust_line_with(const double *x, const double *y, size_t n, enum line_method method,
				    double *weights);
/* Those weights of intervals, of two measures or more. */
void robust_line_intervals(const double *x, size_t n, double longest, double *weights);

static inline double
line_at(const struct robust_line *line, double x)
{
	return line->at_middle + line->slope * (x - line->middle);
}

/* The standard error of the line itself at x. */
double line_error(const struct robust_line *line, double x);

#endif
