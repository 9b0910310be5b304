/* SPDX-License-Identifier: MIT
 * trend_pass: what trends cost inside: an update of all filters, the bytes of a series, a spline, and a fit of 10,000
 * points of period 96. As TSV: what, value, unit. With -s: prints those 10,000 points, for other programs. */
#include "trend/series_model.h"
#include "trend/smoothing_spline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUARTER INT64_C(900000000000)
#define POINTS  10000
#define RUNS    5

static struct trend_point points[POINTS];
static uint64_t chance = 88172645463325252u;

static double
random_part(void)
{
	chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
	return (double)(chance >> 11) / 9007199254740992.0;
}

static double
cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void
make_points(void)
{
	for (int i = 0; i < POINTS; i++)
		points[i] = (struct trend_point){ .time_ns = i * QUARTER,
						  .weight = 1,
						  .value = (100 + 0.005 * i) * (1 + 0.3 * sin(i * 0.0654498)) *
							   (0.95 + 0.1 * random_part()) };
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *of)
{
	qsort(of, RUNS, sizeof *of, compare);
	return of[RUNS / 2];
}

static void
measure_updates(struct trend_rules *rules)
{
	double ns[RUNS];

	for (int r = 0; r < RUNS; r++) {
		struct trend_filter f;
		struct trend_step step;
		double from;

		trend_start(&f, rules, points, 192);
		from = cpu_seconds();
		for (int round = 0; round < 100; round++)
			for (int i = 0; i < POINTS; i++)
				trend_filter_update(&f, rules, (round * INT64_C(105) * 96 + i) * QUARTER,
						    points[i].value, 1, &step);
		ns[r] = (cpu_seconds() - from) / 100 / POINTS * 1e9;
		trend_filter_release(&f);
	}
	printf("update of five filters\t%.0f\tns\n", median(ns));
}

static void
measure_fit(struct trend_rules *rules)
{
	double ms[RUNS];
	struct trend_loss loss = { 0 };

	for (int r = 0; r < RUNS; r++) {
		double from = cpu_seconds();

		rules->constants = trend_constants_usual;
		loss = trend_fit(rules, points, POINTS, 0, 60);
		ms[r] = (cpu_seconds() - from) * 1e3;
	}
	printf("fit of 10,000 points, period 96\t%.0f\tms (mean error %.3f)\n", median(ms), loss.mean_error);
	for (int r = 0; r < RUNS; r++) {
		double from = cpu_seconds();

		loss = trend_loss(rules, points, POINTS, 192, 192, false);
		ms[r] = (cpu_seconds() - from) * 1e3;
	}
	printf("the same with constants given\t%.2f\tms\n", median(ms));
}

static void
measure_spline(void)
{
	double y[288], fit[288], us[RUNS];
	struct smoothing_spline *spline;

	for (int i = 0; i < 288; i++)
		y[i] = random_part();
	smoothing_spline_open(&spline, 288, 0.3);
	for (int r = 0; r < RUNS; r++) {
		double from = cpu_seconds();

		for (int i = 0; i < 10000; i++)
			smoothing_spline_fit(spline, y, fit);
		us[r] = (cpu_seconds() - from) / 10000 * 1e6;
	}
	smoothing_spline_close(spline);
	printf("spline through 288 points\t%.1f\tus\n", median(us));
}

int
main(int argc, char **argv)
{
	struct trend_rules rules = {
		.constants = trend_constants_usual, .usual_hours = 0.25, .clip = 6, .clip_after = 50, .floor = 1e-3
	};
	struct season_calendar *week;
	struct stk_error err = { 0 };

	make_points();
	if (argc > 1 && strcmp(argv[1], "-s") == 0) {
		for (int i = 0; i < POINTS; i++)
			printf("%.17g\n", points[i].value);
		return 0;
	}
	if (season_calendar_open(&rules.calendar, "day", QUARTER, NULL, 0, &err) < 0 ||
	    season_calendar_open(&week, "week", QUARTER, NULL, 0, &err) < 0)
		return 2;
	trend_points_place(&rules, points, POINTS);
	measure_updates(&rules);
	printf("a series with a day of 96 slots\t%zu\tbytes\n", trend_filter_bytes(&rules));
	measure_fit(&rules);
	season_calendar_close(rules.calendar);
	rules.calendar = week;
	printf("a series with a week of 288 slots\t%zu\tbytes\n", trend_filter_bytes(&rules));
	season_calendar_close(week);
	measure_spline();
	return 0;
}
