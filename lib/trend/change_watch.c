/* SPDX-License-Identifier: MIT
 * change_watch: an outlier opens a case; the case is closed as a spike or burst when measures are back where they were,
 * or as a shift when they stay away. */
#include "trend/change_watch.h"

#include "base/time_math.h"

#include <math.h>

#define MEAN_TO_SD 1.2533	/* of a normal error */
#define SLOW       0.01		/* of the level, at each measure: what rest follows by */
#define NOTHING    1e-4		/* of the highest measure: no change is as small */

const char *const change_kind_names[CHANGE_KINDS] = { "none",     "spike",      "burst", "shift", "drift",
						      "variance", "saturation", "new",   "gone" };

const struct watch_rules watch_rules_usual = { .spike = 6,
					       .sum = 12,
					       .drift = 3.5,
					       .least = 0.1,
					       .settle = 6,
					       .settle_ns = INT64_C(14400000000000),
					       .variance = 1.6,
					       .learn = 100,
					       .stuck = 24 };

/* What the season makes of an error of 1 in the level. */
static double
scale_of(const struct trend_filter *f, const struct trend_rules *trend, const struct trend_step *step)
{
	return !trend->additive && step->deviation > 0 && f->deviation > 0 ? step->deviation / f->deviation : 1;
}

/* What the measure would be if the level still were what it was before. */
static double
expected_before(const struct change_watch *w, const struct trend_filter *f, const struct trend_rules *trend,
		double scale, const struct trend_step *step)
{
	return trend->additive ? step->predicted - f->level + w->level : w->level * scale;
}

static bool
decide(struct change_watch *w, enum change_kind kind, int64_t time_ns, double after, struct change *change)
{
	*change = (struct change){ .kind = kind,
				   .time_ns = w->began_ns,
				   .end_ns = time_ns,
				   .value = w->value,
				   .expected = w->expected,
				   .score = w->score,
				   .before = w->level,
				   .after = after };
	w->lasted = 0;
	return true;
}

static void
open_case(struct change_watch *w, const struct trend_filter *f, const struct trend_rules *trend, int64_t time_ns,
	  double value, const struct trend_step *step, double score)
{
	w->began_ns = time_ns;
	w->lasted = 1;
	w->quiet = 0;
	w->value = value;
	w->expected = step->predicted;
	w->score = score;
	w->level = w->rest_slow;
	w->noise = fmax(f->deviation, 1e-12) * MEAN_TO_SD;
	w->away = step->error;
	w->scale = scale_of(f, trend, step);
}

static bool
go_on(struct change_watch *w, const struct watch_rules *rules, const struct trend_filter *f,
      const struct trend_rules *trend, int64_t time_ns, double value, const struct trend_step *step, double score,
      struct change *change)
{
	double scale = scale_of(f, trend, step), away = value - expected_before(w, f, trend, scale, step), after;

	double usual = fabs(w->away / w->scale);

	w->lasted++;
	w->away += away;
	w->scale += scale;
	if (score > w->score) {
		w->value = value;
		w->expected = step->predicted;
		w->score = score;
	}
	w->quiet = fabs(away) <= fmin(rules->spike / 2 * w->noise, usual / 2) * scale ? w->quiet + 1 : 0;
	if (w->quiet >= 2 || (w->quiet == 1 && w->lasted == 2))
		return decide(w, w->lasted - w->quiet <= 1 ? CHANGE_SPIKE : CHANGE_BURST, time_ns, w->level, change);
	if (w->quiet > 0 || w->lasted <= rules->settle || time_difference(w->began_ns, time_ns) < rules->settle_ns)
		return false;
	after = w->level + w->away / w->scale;		/* seasons weigh: a night says less than a day */
	w->rest = w->rest_slow = after;
	decide(w, CHANGE_SHIFT, time_ns, after, change);
	return fabs(after - w->level) >= fmax(rules->least * fabs(w->level), 2 * w->noise);
}

#define ALLOWANCE 1.0	/* standard deviations of an error that chance may have, each time */

/* Errors that lean to one side for long, each too small to stand out. True: they add up to a change, which began at
 * *from_ns. */
static bool
add_up(struct change_watch *w, const struct watch_rules *rules, double lean, int64_t time_ns, int64_t *from_ns)
{
	lean = fmax(-rules->spike, fmin(rules->spike, lean));
	w->above = fmax(0, w->above + lean - ALLOWANCE);
	w->below = fmax(0, w->below - lean - ALLOWANCE);
	if (w->above <= 0)
		w->above_ns = time_ns;
	if (w->below <= 0)
		w->below_ns = time_ns;
	if (w->above < rules->sum && w->below < rules->sum)
		return false;
	*from_ns = w->above >= rules->sum ? w->above_ns : w->below_ns;
	w->above = w->below = 0;
	return true;
}

/* What is left of a past that a series forgets: it is a matter of rounding, not of the series. */
static bool
is_nothing(const struct change_watch *w, double change)
{
	return fabs(change) <= NOTHING * fabs(w->ceiling);
}

static bool
watch_noise(struct change_watch *w, const struct watch_rules *rules, const struct trend_filter *f, int64_t time_ns,
	    double value, const struct trend_step *step, struct change *change)
{
	double times = f->slow_deviation > 0 ? f->deviation / f->slow_deviation : 1;

	if (w->noisy || times < rules->variance || f->deviation < rules->least * fabs(f->level) / 4 ||
	    is_nothing(w, f->deviation)) {
		w->noisy = w->noisy && times > 1 + (rules->variance - 1) / 3;
		return false;
	}
	w->noisy = true;
	*change = (struct change){ .kind = CHANGE_VARIANCE,
				   .time_ns = time_ns,
				   .end_ns = time_ns,
				   .value = value,
				   .expected = step->predicted,
				   .score = times,
				   .before = f->slow_deviation,
				   .after = f->deviation };
	return true;
}

/* A level that has gone further than noise can carry it, too slowly for an outlier. */
static bool
watch_drift(struct change_watch *w, const struct watch_rules *rules, const struct trend_filter *f, int64_t time_ns,
	    double value, struct change *change)
{
	double away, noise = f->slow_deviation * MEAN_TO_SD;

	w->rest_slow += SLOW * (f->level - w->rest_slow);
	w->rest += SLOW / 20 * (f->level - w->rest);
	away = w->rest_slow - w->rest;
	if (noise <= 0 || fabs(away) < rules->drift * noise || fabs(away) < 2 * rules->least * fabs(w->rest) ||
	    is_nothing(w, away))
		return false;
	*change = (struct change){ .kind = CHANGE_DRIFT,
				   .time_ns = time_ns,
				   .end_ns = time_ns,
				   .value = value,
				   .expected = w->rest,
				   .score = fabs(away) / noise,
				   .before = w->rest,
				   .after = f->level };
	w->rest = w->rest_slow = f->level;
	return true;
}

/* Values that used to move and now stay at their highest. */
static bool
watch_ceiling(struct change_watch *w, const struct watch_rules *rules, const struct trend_filter *f, int64_t time_ns,
	      double value, struct change *change)
{
	double near = fmax(1e-9, 0.002 * fabs(w->ceiling));

	if (value > w->ceiling + near || w->count == 1) {
		w->ceiling = value;
		w->at_ceiling = 0;
		w->pinned = false;
	}
	w->at_ceiling = fabs(value - w->ceiling) <= near ? w->at_ceiling + 1 : 0;
	if (w->at_ceiling == 1)
		w->began_ns = w->lasted == 0 ? time_ns : w->began_ns;
	if (w->at_ceiling == 0)
		w->pinned = false;
	if (w->pinned || w->at_ceiling < rules->stuck || f->slow_deviation < 0.01 * fabs(w->ceiling))
		return false;
	w->pinned = true;
	*change = (struct change){ .kind = CHANGE_SATURATION,
				   .time_ns = w->began_ns,
				   .end_ns = time_ns,
				   .value = value,
				   .expected = value,
				   .score = w->at_ceiling,
				   .before = f->level,
				   .after = f->level };
	return true;
}

bool
change_watch_take(struct change_watch *w, const struct watch_rules *rules, const struct trend_filter *f,
		  const struct trend_rules *trend, int64_t time_ns, double value, double chance,
		  const struct trend_step *step, struct change *change)
{
	double sd = fmax(step->deviation * MEAN_TO_SD, chance), score = sd > 0 ? fabs(step->error) / sd : 0;
	int64_t from_ns = time_ns;
	bool leans;

	if (w->count++ == 0)
		w->rest = w->rest_slow = f->level;
	if (w->count <= rules->learn) {
		w->rest += 0.05 * (f->level - w->rest);
		w->rest_slow = w->rest;
		w->above_ns = w->below_ns = time_ns;
		(void)watch_ceiling(w, rules, f, time_ns, value, change);
		return false;
	}
	/* the noise of counts follows their level */
	if (chance <= 0 && watch_noise(w, rules, f, time_ns, value, step, change))
		return true;
	if (w->lasted > 0)
		return go_on(w, rules, f, trend, time_ns, value, step, score, change);
	leans = add_up(w, rules, step->error > 0 ? score : -score, time_ns, &from_ns);
	if ((score > rules->spike && fabs(step->error) >= rules->least * fabs(step->predicted)) || leans) {
		open_case(w, f, trend, time_ns, value, step, score);
		w->began_ns = leans ? from_ns : time_ns;
		w->above = w->below = 0;
		return false;
	}
	return watch_drift(w, rules, f, time_ns, value, change) || watch_ceiling(w, rules, f, time_ns, value, change);
}
