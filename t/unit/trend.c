/* SPDX-License-Identifier: MIT
 * The engine of trends: vectors to their digits, and what must hold whatever the series. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "base/probability.h"
#include "trend/change_watch.h"
#include "trend/explanation.h"
#include "trend/high_season.h"
#include "trend/robust_line.h"
#include "trend/sampling_plan.h"
#include "trend/season_test.h"
#include "trend/series_model.h"
#include "trend/smoothing_spline.h"

#include <math.h>

#define HOUR INT64_C(3600000000000)
#define DAY  (24 * HOUR)
#define MONDAY (INT64_C(1404691200) * 1000000000)	/* 2014-07-07 */

static bool
is_close(double a, double b, double by)
{
	return fabs(a - b) <= by;
}

static uint64_t chance = 88172645463325252u;

static double
random_part(void)
{
	chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
	return (double)(chance >> 11) / 9007199254740992.0;
}

static double
random_normal(void)
{
	return sqrt(-2 * log(1 - random_part())) * cos(2 * 3.14159265358979323846 * random_part());
}

static unsigned
random_poisson(double mean)
{
	double limit = exp(-mean), product = random_part();
	unsigned n = 0;

	while (product > limit)
		product *= random_part(), n++;
	return n;
}

static struct season_calendar *
calendar_of(const char *rules, int64_t slot_ns)
{
	struct season_calendar *calendar = NULL;
	struct stk_error err = { 0 };

	if (season_calendar_open(&calendar, rules, slot_ns, NULL, 0, &err) < 0)
		printf("# %s\n", err.text);
	return calendar;
}

/* --- five filters --- */

static void
test_vectors(void)
{
	static const double times[] = { 0, 1, 1.5, 4, 4.25, 9, 9.01, 10 },
			    values[] = { 100, 104, 103, 112, 110, 125, 131, 128 };
	static const double plain[][2] = { { 101.452751976, 0.280082424512 }, { 102.018747651, 0.362964547982 },
					   { 106.780188152, 1.07117899118 },  { 107.984082521, 1.24463911504 },
					   { 120.926359416, 2.30663790781 },  { 124.854347954, 2.89694535867 },
					   { 127.821207397, 2.91265643528 } };
	static const double weights[][2] = { { 0.363187994042, 0.192794385488 }, { 0.302694997878, 0.0972898874167 },
					     { 0.424740651702, 0.459398735175 }, { 0.317105080833, 0.0463252307593 },
					     { 0.633133646387, 0.717542143263 }, { 0.388527270126, 0.00151170094263 },
					     { 0.356111033759, 0.15729580709 } };
	static const double bent[][3] = {
		{ 101.452751976, 0.280082424512, 0.027456161938 }, { 102.021140816, 0.376490488709, 0.0355798897942 },
		{ 106.864978603, 1.16215044444, 0.103085325486 },  { 108.059716364, 1.35487396675, 0.1192903432 },
		{ 121.639912116, 2.79747857957, 0.198954222357 },  { 125.293673411, 3.34757710639, 0.248808083301 },
		{ 128.469847805, 3.55261008282, 0.245018653323 }
	};

	for (int with = 0; with < 2; with++) {
		struct trend_rules rules = {
			.constants = { .alpha = 0.3, .beta = 0.2, .kappa = with ? 0.1 : 0, .delta = 0.02 },
			.calendar = calendar_of("none", DAY),
			.usual_hours = 10.0 / 7
		};
		struct trend_filter f;
		struct trend_step step;
		bool right = true;

		trend_filter_open(&f, &rules, 0, values[0], false);
		trend_filter_weigh(&f, &rules);
		for (int n = 1; n < 8; n++) {
			trend_filter_update(&f, &rules, (int64_t)llrint(times[n] * 3.6e12), values[n], 1, &step);
			if (with)
				right &= is_close(f.level, bent[n - 1][0], 6e-10) &&
					 is_close(f.rate, bent[n - 1][1], 6e-12) &&
					 is_close(f.acceleration, bent[n - 1][2], 6e-13);
			else
				right &= is_close(f.level, plain[n - 1][0], 6e-10) &&
					 is_close(f.rate, plain[n - 1][1], 6e-12) &&
					 is_close(1 / f.level_weight, weights[n - 1][0], 6e-13) &&
					 is_close((times[n] - times[n - 1]) / f.rate_weight, weights[n - 1][1], 6e-13);
		}
		ok(right, "level, rate%s and their weights after each of eight irregular measures",
		   with ? ", acceleration" : "");
		season_calendar_close(rules.calendar);
	}
}

/* A quadratic times an exact season is what the filters converge to and stay on. */
static void
test_fixed_point(void)
{
	struct trend_rules rules = {
		.constants = { .alpha = 0.3, .beta = 0.1, .kappa = 0.05, .gamma = 0.2, .delta = 0.02 },
		.calendar = calendar_of("day", HOUR),
		.usual_hours = 1
	};
	struct trend_filter f;
	struct trend_step step;
	double worst = 0, t = 0;

	trend_filter_open(&f, &rules, MONDAY, 1000, true);
	trend_filter_weigh(&f, &rules);
	f.rate = 2, f.acceleration = 0.01;
	for (unsigned s = 0; s < 24; s++)
		f.factors[s] = 1 + 0.5 * sin(s * 0.2617993877991494), f.weights[s] = 5;
	trend_filter_renormalise(&f, &rules);
	for (int i = 0; i < 5000; i++) {
		double level, value;
		int64_t at;

		t += random_part() * 2;
		at = MONDAY + (int64_t)(t * 3.6e12);
		t = (double)(at - MONDAY) / 3.6e12;
		level = 1000 + 2 * t + 0.005 * t * t;
		value = level * (1 + 0.5 * sin((double)((at / HOUR) % 24) * 0.2617993877991494));
		trend_filter_update(&f, &rules, at, value, 1, &step);
		worst = fmax(worst, fabs(step.error) / value);
	}
	ok(worst < 1e-11, "a quadratic times a season is predicted: worst %.2g of it", worst);
	trend_filter_release(&f);
	season_calendar_close(rules.calendar);
}

static void
test_close_intervals(void)
{
	struct trend_rules rules = { .constants = trend_constants_usual,
				     .calendar = calendar_of("week", HOUR / 4),
				     .usual_hours = 0.25,
				     .clip = 6,
				     .clip_after = 50,
				     .floor = 1e-3 };
	struct trend_filter f;
	struct trend_step step;
	double worst = 0;
	int64_t at = MONDAY;
	bool finite = true;

	rules.constants.kappa = 0.01;
	trend_filter_open(&f, &rules, at, 100, true);
	for (int i = 0; i < 20000; i++) {
		at += i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : (int64_t)(random_part() * 1e12);
		trend_filter_update(&f, &rules, at, 100 + random_normal(), 1, &step);
		finite &= isfinite(f.level) && isfinite(f.rate) && isfinite(f.acceleration) &&
			  isfinite(step.predicted) && isfinite(f.deviation);
		worst = fmax(worst, fabs(f.rate));
	}
	ok(finite && worst < 10, "intervals of 0 and 1e-9 s: no NaN, no infinity, the rate stays below %.3g an hour",
	   worst);
	trend_filter_release(&f);
	season_calendar_close(rules.calendar);
}

static void
test_slope_of_noise(void)
{
	static const double alphas[2][2] = { { 0.3, 0.1 }, { 0.1, 0.05 } }, most[2] = { 0.05, 0.013 };

	for (int k = 0; k < 2; k++) {
		struct trend_rules rules = {
			.constants = { .alpha = alphas[k][0], .beta = alphas[k][1], .delta = 0.02 },
			.calendar = calendar_of("none", DAY),
			.usual_hours = 1
		};
		struct trend_filter f;
		struct trend_step step;
		double t = 0, sum = 0;
		int counted = 0;

		trend_filter_open(&f, &rules, 0, 0, false);
		trend_filter_weigh(&f, &rules);
		f.rate = 2;
		for (int i = 0; i < 20000; i++) {
			t += -log(1 - random_part());
			trend_filter_update(&f, &rules, (int64_t)(t * 3.6e12), 2 * t + random_normal(), 1, &step);
			if (i > 200)
				sum += (f.rate - 2) * (f.rate - 2), counted++;
		}
		ok(sqrt(sum / counted) < most[k],
		   "a line of slope 2 with noise 1 at random times: the rate errs by %.3f (where a division by the interval errs by 40 to 100)",
		   sqrt(sum / counted));
		season_calendar_close(rules.calendar);
	}
}

static void
test_rare_classes(void)
{
	static const double means[] = { 0.01, 0.05, 0.2, 1, 3 };
	bool right = true, biased = true;

	for (int m = 0; m < 5; m++) {
		double sums[2] = { 0 };

		for (int way = 0; way < 2; way++) {
			struct trend_rules rules = { .constants = { .alpha = 0.0005, .beta = 1e-9, .delta = 0.02 },
						     .calendar = calendar_of("none", DAY),
						     .usual_hours = 1 };
			struct trend_filter f;
			struct trend_step step;
			double since = 0;
			int n = 0;

			trend_filter_open(&f, &rules, 0, means[m], false);
			trend_filter_weigh(&f, &rules);
			for (int i = 1; i < 1500000; i++) {
				double count = random_poisson(means[m]);

				since++;
				/* as published: only when the class was there, what it had over the dumps since */
				if (count > 0) {
					trend_filter_update(&f, &rules, (int64_t)i * HOUR, count / since,
							    way == 0 ? since : 1, &step);
					since = 0;
				}
				f.rate = 0;
				if (i > 20000)
					sums[way] += f.level, n++;
			}
			sums[way] /= n;
			season_calendar_close(rules.calendar);
		}
		right &= is_close(sums[0] / means[m], 1, 0.03);
		biased &= is_close(sums[1] / (means[m] * -log(-expm1(-means[m])) / exp(-means[m])), 1, 0.03);
		printf("# mean %.2f: weighed by its gap %.4f, as published %.4f\n", means[m], sums[0], sums[1]);
	}
	ok(right, "counts that come rarely are weighed by the dumps that they are of: within 3 %%");
	ok(biased, "as published they are far too high: mean times -ln(p) / (1 - p), p the chance to be in a dump");
}

/* --- seasons --- */

static void
test_spline(void)
{
	double d[96], e[192], y[384], fit[384];
	uint64_t s = 1;
	struct smoothing_spline *spline;

	for (int i = 0; i < 96; i++)
		s = s * 16807 % 2147483647,
		d[i] = 1 + 0.3 * sin(2 * 3.14159265358979323846 * (i + 1) / 96) + 0.1 * ((double)s / 2147483647 - 0.5);
	s = 7;
	for (int i = 0; i < 192; i++)
		s = s * 16807 % 2147483647, e[i] = 0.6 + 0.1 * cos(2 * 3.14159265358979323846 * (i + 1) / 96) +
						   0.1 * ((double)s / 2147483647 - 0.5);
	ok(is_close(d[0], 0.96962172140596881, 1e-15) && is_close(e[0], 0.64979137078234195, 1e-15),
	   "the series to smooth are those of the vectors");
	for (int i = 0; i < 288; i++)
		y[i] = d[i % 96];
	smoothing_spline_open(&spline, 288, 0.3);
	ok(is_close(smoothing_spline_lambda(spline) / 2.4311393518611918e-07, 1, 1e-13), "lambda of 288 points");
	smoothing_spline_fit(spline, y, fit);
	ok(is_close(fit[96], 1.0110391643974763, 1e-12) && is_close(fit[97], 1.0301013901615623, 1e-12) &&
		   is_close(fit[98], 1.0496780563167978, 1e-12) && is_close(fit[99], 1.0687270138429574, 1e-12) &&
		   is_close(fit[100], 1.0867358075506801, 1e-12) && is_close(fit[101], 1.1053107575740511, 1e-12),
	   "three weekdays in a row, to 1e-12");
	smoothing_spline_close(spline);
	for (int i = 0; i < 96; i++)
		y[i] = y[288 + i] = d[i];
	for (int i = 0; i < 192; i++)
		y[96 + i] = e[i];
	smoothing_spline_open(&spline, 384, 0.3);
	ok(is_close(smoothing_spline_lambda(spline) / 2.7557886516674489e-07, 1, 1e-13), "lambda of 384 points");
	smoothing_spline_fit(spline, y, fit);
	ok(is_close(fit[96], 0.81757515306675199, 1e-12) && is_close(fit[97], 0.77251167024519318, 1e-12) &&
		   is_close(fit[98], 0.7346036605605375, 1e-12) && is_close(fit[99], 0.70970883458605893, 1e-12),
	   "a weekday, a weekend, a weekday, to 1e-12");
	smoothing_spline_close(spline);
}

static void
test_renormalisation(void)
{
	struct trend_rules rules = { .constants = trend_constants_usual,
				     .calendar = calendar_of("week", HOUR / 4),
				     .usual_hours = 0.25 };
	struct trend_filter f;
	double before[10], worst = 0;

	trend_filter_open(&f, &rules, MONDAY, 100, true);
	f.rate = 0.5, f.acceleration = 0.01;
	for (unsigned s = 0; s < 288; s++)
		f.factors[s] = 1.3 + random_part();
	for (int i = 0; i < 10; i++)
		before[i] = trend_filter_expect(&f, &rules, MONDAY + i * 7 * HOUR);
	trend_filter_renormalise(&f, &rules);
	for (int i = 0; i < 10; i++)
		worst = fmax(worst, fabs(trend_filter_expect(&f, &rules, MONDAY + i * 7 * HOUR) / before[i] - 1));
	ok(worst < 1e-14 && is_close(season_mean(f.factors, rules.calendar), 1, 1e-14),
	   "making 1 the common level leaves forecasts as they were: %.2g", worst);
	for (unsigned s = 0; s < 288; s++)
		f.factors[s] = 7;
	trend_filter_renormalise(&f, &rules);
	ok(is_close(f.factors[5], 1, 1e-15), "equal factors become 1");
	trend_filter_release(&f);
	season_calendar_close(rules.calendar);
}

static void
test_calendar(void)
{
	struct season_calendar *c = calendar_of("week", HOUR / 4);
	struct stk_error err = { 0 };
	struct time_zone *berlin = NULL;
	struct season_calendar *none = NULL;

	ok(season_slots(c) == 288 && season_place(c, MONDAY).slot == 0 && season_place(c, MONDAY + 9 * HOUR).slot == 36,
	   "Monday 9:00 is slot 36 of 96");
	ok(season_place(c, MONDAY + 5 * DAY).slot == 96 && season_place(c, MONDAY + 6 * DAY).slot == 192 &&
		   season_place(c, MONDAY + 6 * DAY + 23 * HOUR).slot == 284,
	   "a weekend has 192, Sunday the second half");
	ok(is_close(season_period(c, 0)->cycles / season_period(c, 1)->cycles, 5, 0.02), "five weekdays a weekend");
	ok(season_calendar_holiday(c, MONDAY / DAY + 1, text_from("fete"), &err) == 0, "a holiday");
	season_calendar_settle(c);
	ok(season_slots(c) == 384 && season_place(c, MONDAY + DAY + HOUR).slot == 292 &&
		   season_place(c, MONDAY + 2 * DAY).slot == 0,
	   "... has slots of its own");
	season_calendar_close(c);
	if (time_zone_open(&berlin, "Europe/Berlin", &err) == 0 &&
	    season_calendar_open(&c, "day", HOUR, berlin, 0, &err) == 0) {
		/* 2026-03-29 01:00 UTC clocks go from 2 to 3; 2026-10-25 they show 2 o'clock twice */
		int64_t march = INT64_C(1774742400) * 1000000000, october = INT64_C(1792886400) * 1000000000;

		ok(season_place(c, march).slot == 1 && season_place(c, march + HOUR).slot == 3 &&
			   season_place(c, october).slot == 2 && season_place(c, october + HOUR).slot == 2,
		   "9 o'clock is 9 o'clock in summer and in winter");
		season_calendar_close(c);
	} else {
		skip("no zone database", "times of day in summer and winter");
	}
	time_zone_close(berlin);
	c = calendar_of("quarter=quarter-end:3,month=month-end:1,other=all", HOUR);
	ok(season_place(c, time_days(2026, 3, 31) * DAY + HOUR).slot == 49 &&
		   season_place(c, time_days(2026, 2, 28) * DAY).slot == 72 &&
		   season_place(c, time_days(2026, 3, 28) * DAY).slot == 96,
	   "ends of quarters, of months, and the rest");
	season_calendar_close(c);
	c = calendar_of("months", DAY);
	ok(season_slots(c) == 12 && season_place(c, time_days(2026, 12, 31) * DAY).slot == 11, "a year of months");
	season_calendar_close(c);
	ok(season_calendar_open(&none, "day", 7 * HOUR / 60, NULL, 0, &err) < 0 &&
		   strstr(err.text, "does not divide a day") != NULL,
	   "7 minutes divide no day: %s", err.text);
	season_calendar_close(none);
	stk_error_clear(&err);
	ok(season_calendar_open(&none, "x=mon-frog", HOUR, NULL, 0, &err) < 0 && strstr(err.text, "mon-frog") != NULL,
	   "a bad rule is named");
	season_calendar_close(none);
}

static void
test_season_tests(void)
{
	static const double freedoms[] = { 10, 22, 94, 190 }, critical[] = { 0.398062, 0.271137, 0.131954, 0.092894 };
	double a[96], b[96], u = 0, v = 0;
	unsigned by_t = 0, by_shift = 0;
	bool right = true;

	for (int i = 0; i < 4; i++) {
		double t = student_quantile(0.9, freedoms[i]);

		right &= is_close(t / sqrt(freedoms[i] + t * t), critical[i], 1e-6) &&
			 is_close(correlation_p(critical[i], freedoms[i] + 2), 0.1, 1e-5);
	}
	ok(right, "critical correlations of 12, 24, 96 and 192 slots");
	for (int run = 0; run < 600; run++) {
		u = random_normal(), v = random_normal();
		for (int i = 0; i < 96; i++) {
			u = 0.9 * u + sqrt(1 - 0.81) * random_normal(), v = 0.9 * v + sqrt(1 - 0.81) * random_normal();
			a[i] = u, b[i] = v;
		}
		by_t += season_test(a, b, 96, SEASON_T, 0.1).exists;
		by_shift += season_test(a, b, 96, SEASON_SHIFT, 0.1).exists;
	}
	ok(by_t > 160 && by_t < 250,
	   "of profiles that are smooth and have nothing in common the t test accepts %.2f at a level of 0.1, as it should not",
	   by_t / 600.0);
	ok(by_shift > 30 && by_shift < 95, "the test by shifts %.2f", by_shift / 600.0);
	for (int i = 0; i < 96; i++)
		a[i] = sin(i * 0.0654), b[i] = a[i] + 0.1 * random_normal();
	ok(season_test(a, b, 96, SEASON_SHIFT, 0.1).exists && season_test(a, b, 96, SEASON_FISHER, 0.1).exists &&
		   season_test(a, b, 96, SEASON_PERMUTATION, 0.1).exists &&
		   season_test(a, b, 96, SEASON_EFFECTIVE, 0.1).exists,
	   "one that is there is seen by all");
	for (int i = 0; i < 96; i++)
		b[i] = 3;
	ok(season_test(a, b, 96, SEASON_T, 0.1).p >= 1 && !season_test(a, b, 96, SEASON_SHIFT, 0.1).exists,
	   "a constant has none");
	ok(season_test(a, a, 3, SEASON_T, 0.1).p >= 1, "three slots are none");
}

static void
test_high_season(void)
{
	static const double summer[12] = { 0.76, 0.8, 0.9, 1.1, 1.27, 1.34, 1.30, 1.1, 0.9, 0.85, 0.8, 0.88 },
			    winter[12] = { 1.34, 1.1, 0.9, 0.8, 0.76, 0.8, 0.9, 0.9, 1.0, 1.1, 1.26, 1.3 };
	bool high[12];

	ok(is_close(high_season(summer, 12, 1, high), 1.253, 1e-12) && !high[3] && high[4] && high[5] && high[6] &&
		   !high[7],
	   "May to July");
	high_season(winter, 12, 1, high);
	ok(high[10] && high[11] && high[0] && !high[1] && !high[9], "November to January, around the year");
}

/* --- lines --- */

static void
test_lines(void)
{
	double slopes[3][60], x[20000], y[20000];
	struct {
		enum line_method method;
		bool weighted;
	} ways[3] = { { LINE_BISQUARE, false }, { LINE_LEAST_SQUARES, true }, { LINE_BISQUARE, true } };
	double mean[3] = { 0 }, sd[3] = { 0 };

	for (int run = 0; run < 60; run++) {
		size_t n = 0;
		double storms[3] = { 3 + 20 * random_part(), 25 * random_part(), 28 * random_part() };

		for (int i = 0; i < 30 * 96; i++) {
			double day = i / 96.0;

			x[n] = day, y[n++] = 100 + 2 * day + 5 * random_normal();
			for (int s = 0; s < 3; s++)
				if (day <= storms[s] && day + 1 / 96.0 > storms[s])
					for (int k = 0; k < 450 && n < 20000; k++)
						x[n] = day + k / 43200.0 / 1.0,
						y[n++] = 250 + 2 * day + 5 * random_normal();
		}
		for (int w = 0; w < 3; w++)
			slopes[w][run] = robust_line(x, y, n, ways[w].method, ways[w].weighted, 1e9).slope / 2;
	}
	for (int w = 0; w < 3; w++) {
		for (int run = 0; run < 60; run++)
			mean[w] += slopes[w][run] / 60;
		for (int run = 0; run < 60; run++)
			sd[w] += (slopes[w][run] - mean[w]) * (slopes[w][run] - mean[w]) / 59;
	}
	ok(is_close(mean[2], 1, 0.02) && sqrt(sd[2]) < 0.05,
	   "slope by robust line that counts time: %.3f of the true one (sd %.3f)", mean[2], sqrt(sd[2]));
	ok(sqrt(sd[2]) <= sqrt(sd[0]), "that counts measures: %.3f (sd %.3f)", mean[0], sqrt(sd[0]));
}

static void
test_plan(void)
{
	struct sampling_goal goal = { .relative_error = 0.1,
				      .confidence = 0.9,
				      .gamma = 1,
				      .slot_hours = 0.25,
				      .least_hours = 1e-6,
				      .most_hours = 0.25 };

	ok(is_close(sampling_dumps(&goal, 4, 1), 67.6, 0.1),
	   "an intensity of 4, within 10 %% at 90 %%: 68 dumps a slot of one cycle");
	goal.gamma = 0.1;
	ok(is_close(sampling_dumps(&goal, 4, 1), 3.56, 0.01), "3.6 when cycles are counted together by gamma 0.1");
	ok(sampling_interval(&goal, 8) > 1.9 * sampling_interval(&goal, 4), "twice as busy, half as often");
}

/* --- changes --- */

static void
test_outliers(void)
{
	static const double jumps[] = { 10, 50, 100, 1000 };
	static const unsigned allowed[] = { 2, 4, 6, 9 };
	bool right = true;

	for (int j = 0; j < 4; j++) {
		struct trend_rules rules = { .constants = { .alpha = 0.5, .beta = 1e-6, .delta = 0.02 },
					     .calendar = calendar_of("none", DAY),
					     .usual_hours = 1,
					     .clip = 6,
					     .clip_after = 50 };
		struct trend_filter f;
		struct trend_step step;
		unsigned clipped = 0;

		trend_filter_open(&f, &rules, 0, 0, false);
		for (int i = 1; i < 400; i++)
			trend_filter_update(&f, &rules, i * HOUR, i % 2 ? 1 : -1, 1, &step);
		for (int i = 400; i < 430; i++) {
			trend_filter_update(&f, &rules, i * HOUR, jumps[j] * f.deviation / 1 + (i % 2 ? 1 : -1), 1,
					    &step);
			clipped += step.clipped;
			if (!step.clipped)
				break;
		}
		right &= clipped <= allowed[j];
		season_calendar_close(rules.calendar);
	}
	ok(right, "a true shift of 10, 50, 100 and 1000 deviations is believed within 2, 4, 6 and 9 measures");
}

static void
test_clones(void)
{
	struct trend_rules rules = { .constants = trend_constants_usual,
				     .calendar = calendar_of("day", HOUR),
				     .usual_hours = 1,
				     .clip = 6,
				     .clip_after = 50,
				     .floor = 1e-3 };
	struct trend_filter parent, same, children[2];
	struct trend_step step;
	double worst = 0;

	rules.clip = 0;
	trend_filter_open(&parent, &rules, MONDAY, 10, false);
	for (int i = 1; i < 500; i++)
		trend_filter_update(&parent, &rules, MONDAY + i * HOUR, 10 + random_normal(), 1, &step);
	trend_filter_clone(&same, &parent, &rules, 1);
	ok(memcmp(&same, &parent, sizeof same) == 0, "a clone is a copy");
	trend_filter_clone(&children[0], &parent, &rules, 0.3);
	trend_filter_clone(&children[1], &parent, &rules, 0.7);
	for (int i = 500; i < 1500; i++) {
		double a = 3 + random_normal(), b = 7 + random_normal();

		trend_filter_update(&children[0], &rules, MONDAY + i * HOUR, a, 1, &step);
		trend_filter_update(&children[1], &rules, MONDAY + i * HOUR, b, 1, &step);
		trend_filter_update(&parent, &rules, MONDAY + i * HOUR, a + b, 1, &step);
		worst = fmax(worst, fabs(children[0].level + children[1].level - parent.level));
	}
	ok(worst < 1e-9, "children go on as the parent does: their levels are its level to %.2g", worst);
	season_calendar_close(rules.calendar);
}

static void
test_gaps_and_signs(void)
{
	struct trend_rules rules = { .constants = trend_constants_usual,
				     .calendar = calendar_of("week", HOUR),
				     .usual_hours = 1,
				     .clip = 6,
				     .clip_after = 50,
				     .floor = 1e-3,
				     .additive = true };
	struct trend_filter f;
	struct trend_step step;
	double last = 0, worst = 0;

	spline_shelf_open(&rules.splines, 0.3);
	trend_filter_open(&f, &rules, MONDAY, 0, true);
	for (int i = 1; i < 24 * 70; i++) {
		/* seven weeks are missing in the middle */
		int64_t at = MONDAY + i * HOUR + (i > 24 * 35 ? 49 * DAY : 0);

		trend_filter_update(&f, &rules, at, 10 * sin(i * 0.261799) - 5 + 0.3 * random_normal(), 1, &step);
		if (i > 24 * 60)
			worst = fmax(worst, fabs(step.error));
		last = step.predicted;
	}
	ok(isfinite(last) && worst < 6,
	   "seasons that add, values below 0, weeks without a measure: errors of at most %.2f of a swing of 20", worst);
	ok(is_close(season_mean(f.factors, rules.calendar), 0, 0.3), "their mean is 0: %.3g",
	   season_mean(f.factors, rules.calendar));
	trend_filter_release(&f);
	spline_shelf_close(rules.splines);
	season_calendar_close(rules.calendar);
}

/* --- what explains what --- */

static void
test_explanations(void)
{
	struct season_calendar *c = calendar_of("day", HOUR / 4);
	double a[96], b[96], q[3], r[2] = { 0.9, 0.5 };
	const double p[3] = { 0.01, 0.02, 0.9 };
	size_t n[2] = { 96, 192 };
	struct explanation e;

	for (int i = 0; i < 96; i++)
		a[i] = sin(i * 0.0654498) + 0.3 * sin(i * 0.1308997 + 1) + 0.2 * random_normal(),
		b[(i + 2) % 96] = a[i] + 0.05 * random_normal();
	e = explain_by_factors(a, b, c, 4);
	ok(e.correlation > 0.9 && e.lag_ns == HOUR / 2 && e.p < 0.05,
	   "a follower half an hour behind is found, r %.3f, p %.2g", e.correlation, e.p);
	ok(is_close(pooled_correlation(r, n, 2), tanh((93 * atanh(0.9) + 189 * atanh(0.5)) / 282), 1e-12),
	   "weekdays and weekends make one correlation");
	false_discovery_rates(p, 3, q);
	ok(is_close(q[0], 0.03, 1e-12) && is_close(q[1], 0.03, 1e-12) && is_close(q[2], 0.9, 1e-12),
	   "rates of false discovery are those of p.adjust");
	ok(is_close(combined_p(0.05, 0.05), 0.0025 * (1 - log(0.0025)), 1e-12),
	   "two findings of 0.05 are one of 0.0175");
	season_calendar_close(c);
}

/* --- models --- */

static void
test_models(void)
{
	struct trend_point *points = calloc(96 * 35, sizeof *points);
	struct series_options options = { .clip = 6 };
	struct series_model *model;
	struct stk_error err = { 0 };
	struct forecast_value values[96];
	double error = 0, naive = 0;
	size_t count = 0, inside = 0;

	for (int i = 0; i < 96 * 35; i++) {
		int64_t at = MONDAY + i * (HOUR / 4);
		double busy = (at / DAY + 3) % 7 < 5 ? 1 : 0.4;

		points[count++] = (struct trend_point){
			.time_ns = at,
			.weight = 1,
			.value = 100 * (1 + 0.5 * busy * sin(i * 0.0654498)) * (1 + 0.05 * random_normal()) + 0.01 * i
		};
	}
	series_model_open(&model, &options);
	ok(series_model_choose(model, points, count - 96, &err) == 0, "a model is chosen");
	ok((strcmp(series_model_periods(model), "week") == 0 || strcmp(series_model_periods(model), "weekdays") == 0),
	   "a week is seen: %s", series_model_periods(model));
	for (int i = 0; i < 96; i++)
		values[i].time_ns = points[count - 96 + (size_t)i].time_ns;
	ok(series_model_forecast(model, points, count - 96, 0.95, values, 96, &err) == 0, "a day ahead");
	for (int i = 0; i < 96; i++) {
		double value = points[count - 96 + (size_t)i].value;

		error += fabs(values[i].value - value);
		naive += fabs(points[count - 192 + (size_t)i].value - value);
		inside += value >= values[i].low && value <= values[i].high;
	}
	ok(error < naive && inside > 80,
	   "forecasts are better than the day before (%.2f, %.2f), and %zu of 96 in their intervals", error / 96,
	   naive / 96, inside);
	series_model_close(model);
	options.periods = "week";
	series_model_open(&model, &options);
	ok(series_model_choose(model, points, 96 * 15, &err) == 0 &&
		   series_model_forecast(model, points, 96 * 15, 0.95, values, 96, &err) < 0 &&
		   strstr(err.text, "2 cycles seen, 3 needed") != NULL,
	   "refused with what is missing: %s", err.text);
	series_model_close(model);
	free(points);
}

int
main(void)
{
	test_vectors();
	test_fixed_point();
	test_close_intervals();
	test_slope_of_noise();
	test_rare_classes();
	test_spline();
	test_renormalisation();
	test_calendar();
	test_season_tests();
	test_high_season();
	test_lines();
	test_plan();
	test_outliers();
	test_clones();
	test_gaps_and_signs();
	test_explanations();
	test_models();
	return tap_end();
}
