/* SPDX-License-Identifier: MIT
 * Differences of samples that come in bursts: limits of 95 % miss in about 5 % of the comparisons of a distribution
 * with itself, those of independent samples in many more, and a tripling is found. BURST_SEED=7 makes other
 * samples, BURST_PAIRS=9000 more comparisons. */
#include "../lib/tap.h"

#include "timetree/block_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOMENTS_MOST 8000

static uint64_t chance;
static unsigned pairs = 1000;

/* The same numbers in each setting. */
static void
begin_chance(void)
{
	const char *seed = getenv("BURST_SEED");

	chance = 88172645463325252u ^ (seed == NULL ? 0 : strtoull(seed, NULL, 10) * 0x9e3779b97f4a7c15u);
	chance += chance == 0;		/* from which nothing would follow */
}

static double
random_part(void)
{
	chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
	return (double)(chance >> 11) / 9007199254740992.0;
}

static unsigned
random_poisson(double mean)
{
	double p = exp(-mean), sum = p, u = random_part();
	unsigned k = 0;

	while (u > sum && k < 10000)
		sum += p *= mean / (double)++k;
	return k;
}

/* How a function occurs: now and then in any moment, and in bursts of many threads over several moments. */
struct burst {
	const char *about;
	unsigned moments_a, moments_b;	/* dumps, or ticks */
	unsigned threads;		/* in each; in ticks on the mean, and at random */
	bool ticks;
	double alone;			/* of a moment's samples */
	double bursts, moments, size;	/* how many in moments_a; the mean length of one, and of threads in it */
};

struct half { struct block_exposure of; struct block_counts row; uint64_t count, whole; };

/* The moments of one side, `more` times as often as usual. */
static void
make_moments(const struct burst *b, unsigned moments, double more, unsigned *of_row, unsigned *of_all)
{
	unsigned bursts = random_poisson(b->bursts * moments / b->moments_a * more);

	memset(of_row, 0, moments * sizeof *of_row);
	for (unsigned n = 0; n < bursts; n++) {
		double size = b->size * (0.5 + random_part());

		for (unsigned at = (unsigned)(random_part() * moments), first = at;
			at < moments && (at == first || random_part() > 1 / b->moments); at++)
			of_row[at] += (unsigned)size;
	}
	for (unsigned at = 0; at < moments; at++) {
		of_all[at] = b->ticks ? random_poisson(b->threads) : b->threads;
		of_row[at] += random_poisson(b->alone * b->threads * more);
		of_all[at] = of_all[at] < of_row[at] ? of_row[at] : of_all[at];
	}
}

/* share: the exposure of a block is its samples, else its moments. */
static struct half
make_side(const struct burst *b, unsigned moments, double more, bool share)
{
	static unsigned of_row[MOMENTS_MOST], of_all[MOMENTS_MOST];
	struct half half = { 0 };
	unsigned at = 0;

	make_moments(b, moments, more, of_row, of_all);
	for (unsigned n = 0; n < BLOCKS_OF_SIDE; n++) {
		unsigned end = moments * (n + 1) / BLOCKS_OF_SIDE, first = at;
		uint64_t count = 0, whole = 0;

		for (; at < end; at++) {
			count += of_row[at];
			whole += of_all[at];
		}
		half.count += count;
		half.whole += share ? whole : end - first;
		if (whole == 0 && share)
			continue;
		block_begin(&half.of, share ? (double)whole : end - first);
		block_add(&half.of, &half.row, count);
		block_end(&half.of);
	}
	return half;
}

static struct rate_difference
compare(const struct half *a, const struct half *b, bool share, bool spread)
{
	struct dispersion s = { .factor = 1, .freedom = INFINITY };

	if (spread)
		s = block_spread(&a->row, &a->of, &b->row, &b->of, share);
	return share ? share_difference_dispersed(a->count, a->whole, b->count, b->whole, s, 0.95)
		     : rate_difference_dispersed(a->count, (double)a->whole, b->count, (double)b->whole, s, 0.95);
}

static void
test_bursts(const struct burst *b, bool share)
{
	const char *what = share ? "shares" : "rates";
	unsigned missed = 0, doubted = 0, naive = 0, found = 0;

	begin_chance();
	for (unsigned n = 0; n < pairs; n++) {
		struct half first = make_side(b, b->moments_a, 1, share), second = make_side(b, b->moments_b, 1, share),
			    tripled = make_side(b, b->moments_b, 3, share);
		struct rate_difference d = compare(&first, &second, share, true);

		missed += d.low > 0 || d.high < 0;
		doubted += d.p < 0.05;
		d = compare(&first, &second, share, false);
		naive += d.low > 0 || d.high < 0;
		d = compare(&first, &tripled, share, true);
		found += d.low > 0 && d.p < 0.01;
	}
	printf("# %s, %s: limits miss in %.1f %%, p below 0.05 in %.1f %%, as independent samples %.1f %%; a tripling is found in %.1f %%\n",
	     b->about, what, 100.0 * missed / pairs, 100.0 * doubted / pairs, 100.0 * naive / pairs,
	     100.0 * found / pairs);
	ok(missed >= pairs * 3 / 100 && missed <= pairs * 7 / 100, "%s, %s: limits of 95 %% miss in 3 to 7 %%", b->about,
	   what);
	ok(doubted >= pairs * 3 / 100 && doubted <= pairs * 7 / 100, "%s, %s: and so does p", b->about, what);
	if (b->bursts > 0)
		ok(naive > pairs / 4, "%s, %s: limits of independent samples would miss more", b->about, what);
	ok(found >= pairs * 95 / 100, "%s, %s: a tripling is found", b->about, what);
}

static void
test_blocks(void)
{
	struct block_exposure a = { 0 }, b = { 0 };
	struct block_counts row = { 0 }, none = { 0 };
	struct dispersion s = block_spread(&row, &a, &none, &b, true);

	ok(s.factor <= 1 && isinf(s.freedom), "without blocks samples are independent");
	for (unsigned n = 0; n < 4; n++) {
		block_begin(&a, 100);
		block_add(&a, &row, n == 0 ? 40 : 0);
		block_end(&a);
	}
	/* R: x <- c(40, 0, 0, 0); var(x) / mean(x) is 40; of shares / (1 - 0.1) */
	s = block_spread(&row, &a, &none, &b, false);
	ok(fabs(s.factor - 40) < 1e-9 && fabs(s.freedom - 3) < 1e-9, "one burst of 40 is one event: %g of %g",
	   s.factor, s.freedom);
	s = block_spread(&row, &a, &none, &b, true);
	ok(fabs(s.factor - 40 / 0.9) < 1e-9, "the same of shares: %g", s.factor);
	s = block_spread(&none, &b, &row, &a, false);
	ok(fabs(s.factor - 40) < 1e-9, "whichever side it is on");
}

static void
test_pairs(void)
{
	struct block_exposure a = { 0 };
	struct block_counts row = { 0 };
	struct dispersion s;

	for (unsigned n = 0; n < BLOCKS_OF_SIDE; n++) {		/* bursts of two blocks: pairs are the better blocks */
		block_begin(&a, 100);
		block_add(&a, &row, n / 2 % 2 == 0 ? 20 : 0);
		block_end(&a);
	}
	s = block_spread(&row, &a, &row, &a, false);
	/* R: x <- rep(c(40, 0), 8); var(x) / mean(x) is 21.33; mean(x) = 20 */
	ok(fabs(s.factor - 64.0 / 3) < 1e-9 && fabs(s.freedom - 30) < 1e-9, "blocks in pairs: %g of %g",
	   s.factor, s.freedom);
}

int
main(void)
{
	static const struct burst bursts[] = {
		{ "dumps of 30 threads with 20 convoys of 12", 1000, 1000, 30, false, 0.02, 20, 4, 12 },
		{ "the same against six times as long", 1000, 6000, 30, false, 0.02, 20, 4, 12 },
		{ "ticks of one processor, bursts of 5", 4000, 4000, 1, false, 0.02, 100, 5, 1 },
		{ "ticks of 20 processors, bursts of 8", 2000, 2000, 20, true, 0.02, 50, 3, 8 },
	};
	static const struct burst independent = { "independent samples", 1000, 1000, 30, false, 0.02, 0, 1, 0 };

	if (getenv("BURST_PAIRS") != NULL)
		pairs = (unsigned)strtoul(getenv("BURST_PAIRS"), NULL, 10);
	test_blocks();
	test_pairs();
	for (size_t i = 0; i < sizeof bursts / sizeof *bursts; i++) {
		test_bursts(&bursts[i], true);
		test_bursts(&bursts[i], false);
	}
	test_bursts(&independent, true);
	return tap_end();
}
