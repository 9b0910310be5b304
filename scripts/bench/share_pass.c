/* SPDX-License-Identifier: MIT
 * share_pass: how often the shares of split segments are said to change where nothing does, and how soon a change of
 * them is found: a table in Markdown, a row a case.
 *
 *	share_pass [SHARES [SEED]]		(100 from 4001)
 *
 * Each share is that of threads in a dump every five minutes, for four weeks from a Monday on, with a day and weekends
 * of its own, hours that vary by themselves, and threads that may stay as they were from one dump to the next. In half
 * of them the odds double at a random hour of the fourth week; the others are as quiet as those before. No limit was
 * chosen with these seeds. */
#include "generate.h"

#include "base/array.h"
#include "classify/seasonal_share.h"

#include <math.h>

#define STEP_S	    300
#define DAY_S	    86400
#define BEGIN_S	    INT64_C(1772409600)
#define DAYS	    28
#define KNOWN_DAYS  14
#define THREADS_MOST 400

struct share_case { const char *name; double threads, season, hours_vary, stays; };

static const struct share_case cases[] = {
	{ "10 threads a dump, no season", 10, 0, 0, 0 },
	{ "30 threads, a season, hours vary by .2 of the logit", 30, 1, 0.2, 0 },
	{ "100 threads, a season, hours vary by .3", 100, 1, 0.3, 0 },
	{ "30 threads, a season, hours vary by .2, threads stay with .8", 30, 1, 0.2, 0.8 }
};

struct score {
	uint64_t false_all, false_known;	/* changes of shares that do not change */
	double days_all, days_known;		/* in which these could have been */
	int planted, found;
	ARRAY(double) hours;			/* until a doubling was found */
};

/* One share, and its threads. */
struct mix {
	const struct share_case *of;
	double logit, peak, weekend, own;	/* own: of the hour at hand */
	bool hit[THREADS_MOST];
	unsigned threads;
};

static unsigned
poisson(double mean)
{
	double about = mean > 30 ? round(mean + sqrt(mean) * random_normal()) : 0, least = exp(-mean), left;
	unsigned count = 0;

	if (mean > 30)
		return about < 0 ? 0 : about >= THREADS_MOST ? THREADS_MOST - 1 : (unsigned)about;
	for (left = random_unit(); left > least && count + 1 < THREADS_MOST; left *= random_unit())
		count++;
	return count;
}

static double
chance_at(const struct mix *m, int64_t second, bool doubled)
{
	double hour = (double)(second % DAY_S) / 3600, logit = m->logit + m->own;

	logit += m->of->season * cos((hour - m->peak) * 2 * 3.14159265358979 / 24);
	logit += second / DAY_S % 7 > 4 ? m->weekend : 0;
	return 1 / (1 + exp(-logit - (doubled ? log(2) : 0)));
}

/* The threads of the next dump; how many of them hit. */
static unsigned
next_dump(struct mix *m, double chance)
{
	unsigned hits = 0, before = m->threads;

	m->threads = poisson(m->of->threads);
	for (unsigned i = 0; i < m->threads; i++) {
		bool stays = random_unit() < m->of->stays && i < before;

		if (!stays)
			m->hit[i] = random_unit() < chance;
		hits += m->hit[i];
	}
	return hits;
}

static void
take_change(struct score *score, int64_t second, int64_t doubles, bool *found)
{
	if (second < doubles) {
		score->false_all++;
		score->false_known += second >= KNOWN_DAYS * DAY_S;
	} else if (!*found) {
		double hours = (double)(second - doubles) / 3600;

		*found = true;
		score->found++;
		*array_push(&score->hours) = hours;
	}
}

static void
run_share(const struct share_case *of, bool changes, struct score *score)
{
	struct mix m = { .of = of };
	struct seasonal_share *share = seasonal_share_open();
	int64_t end = DAYS * DAY_S, doubles = end;
	bool found = false;

	m.logit = 2 * random_unit() - 1;
	m.peak = 24 * random_unit();
	m.weekend = of->season * (random_unit() - 0.5);
	if (changes)
		doubles = 21 * DAY_S + (int64_t)random_below(DAY_S);
	for (int64_t second = 0; second < end; second += STEP_S) {
		struct share_change change;
		unsigned hits;

		if (second % 3600 == 0)
			m.own = of->hours_vary * random_normal();
		hits = next_dump(&m, chance_at(&m, second, second >= doubles));
		if (m.threads > 0 &&
		    seasonal_share_take(share, hits, m.threads, (BEGIN_S + second) * 1000000000, &change))
			take_change(score, second, doubles, &found);
	}
	score->planted += changes;
	score->days_all += (double)doubles / DAY_S;
	score->days_known += (double)doubles / DAY_S - KNOWN_DAYS;
	seasonal_share_close(share);
}

static int
compare_hours(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Those not found took longer than any other. */
static void
print_delay(struct score *score)
{
	size_t middle = (size_t)score->planted / 2;

	if (score->hours.count <= middle) {
		printf(" |\n");
		return;
	}
	qsort(score->hours.at, score->hours.count, sizeof *score->hours.at, compare_hours);
	printf(" %.1f |\n", score->hours.at[middle]);
}

static void
run_case(const struct share_case *of, int shares)
{
	struct score score = { 0 };

	for (int i = 0; i < shares; i++)
		run_share(of, i % 2 == 1, &score);
	printf("| %s | %llu, %.1f | %llu, %.1f | %d of %d |", of->name, (unsigned long long)score.false_all,
	       (double)score.false_all / score.days_all * 3000, (unsigned long long)score.false_known,
	       (double)score.false_known / score.days_known * 3000, score.found, score.planted);
	print_delay(&score);
	array_release(&score.hours);
}

int
main(int argc, char **argv)
{
	int shares = argc > 1 ? atoi(argv[1]) : 100, seed = argc > 2 ? atoi(argv[2]) : 4001;

	if (argc > 3 || shares < 2 || seed < 1) {
		fprintf(stderr, "usage: share_pass [SHARES [SEED]]\n");
		return 2;
	}
	printf("| shares of %d generated segments each, from seed %d | false changes, a month per 100 | once two weeks "
	       "are known | doubled odds found | median hours until then |\n|---|---|---|---|---|\n", shares, seed);
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		chance_state = (uint64_t)seed + c * 1000;
		run_case(&cases[c], shares);
	}
	return 0;
}
