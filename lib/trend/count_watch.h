/* SPDX-License-Identifier: MIT
 * count_watch: tells, dump by dump, when a count of threads becomes another one.
 *
 * Counts are counts. What is expected of a dump is the level of a series, its season (by slot, leaning towards the
 * season that all have in common while there is little of its own) and the load that all share at present. How much
 * more a series varies than a Poisson count is followed over three dumps, over hours and over days; likelihood
 * ratios of negative binomials that vary so add up to evidence of a level eight times, twice, half, 1.25 or 0.8
 * times as high, and their tail tells of a burst within three dumps. Limits are of the wanted rate of false
 * findings over all series and time; a series that comes near them by itself has higher ones.
 *
 * One watch is of the series whose dumps one clock counts. Nothing depends on the order of series: sums over them are
 * exact. All is plain data: trend_state writes and reads it. */
#ifndef TREND_COUNT_WATCH_H
#define TREND_COUNT_WATCH_H

#include "base/array.h"
#include "trend/season_calendar.h"

enum count_test { RISES_EIGHTFOLD, RISES_TWOFOLD, FALLS_BY_HALF, RISES_SLOWLY, FALLS_SLOWLY, COUNT_TESTS };
enum count_scale { OF_DUMPS, OF_HOURS, OF_DAYS, COUNT_SCALES };

#define COUNT_HIGHEST 3

/* A sum of evidence, which begins anew whenever it is used up. */
struct evidence_sum {
	double sum; /* natural units of information */
	double hits, expected, dumps; /* since it began */
	int64_t began_ns;
	double most; /* since it began */
	double highest[COUNT_HIGHEST]; /* of those that were used up without a finding; they fade */
};

/* Blocks of dumps, of an hour, of a day: the squares of what was not expected, and what was. */
struct count_blocks {
	double hits, expected, squares, total, varies;
};

struct recent_hits {
	uint64_t dump;
	double hits;
};

/* A finding that is not known to last yet. */
struct open_count {
	int64_t until_ns, began_ns;
	double hits, expected, dumps, ratio;
	unsigned test;
	bool burst;
};

struct counted {
	bool loads; /* it has a say in the load that all share */
	bool whole; /* it is all threads: the load is no excuse for it */
	float *season; /* hits by slot, fading */
	double level, level_before; /* a dump; and as it was about a week ago */
	double rate; /* expected of a dump in this slot, without the load */
	double weight; /* of its say */
	struct {
		double hit, expected;
	} gains[COUNT_TESTS]; /* evidence of each; by how much it varies */
	double slot_hits;
	double since_hit;		/* expected since the latest one */
	double exposure, dumps; /* of the slot, up to which it is settled */
	int64_t settled_ns;
	uint64_t block;
	struct recent_hits recent[COUNT_HIGHEST];
	struct count_blocks blocks[COUNT_SCALES];
	struct evidence_sum tests[COUNT_TESTS];
	double burst_most; /* of this hour */
	double burst_hours, bursts, burst_excess; /* hours, those with more than BURST_LEAST, and by how much; fading */
	int64_t silent_ns; /* nothing is told up to then */
	struct open_count open; /* until_ns 0: none is */
	double now; /* hits of the dump at hand */
};

struct watched_slot {
	double dumps, shape;
	unsigned visits;
	int64_t day;
};

enum count_kind { COUNT_NEW, COUNT_GONE, COUNT_BURST, COUNT_SHIFT, COUNT_DRIFT, COUNT_WENT_AWAY };

struct count_finding {
	uint32_t series; /* place in the watch */
	enum count_kind kind;
	int64_t began_ns, told_ns;
	double before, after; /* a dump: expected, and seen */
	double low, high; /* 95 % limits of after */
	double score; /* in standard deviations */
};

struct count_listener {
	void (*tell)(void *context, const struct count_finding *finding);
	void *context;
};

struct count_watch {
	struct season_calendar *calendar;
	ARRAY(struct counted) series;
	struct watched_slot *slots; /* of the calendar */
	/* the present slot */
	bool begun;
	int64_t day, hour, slot_ns, latest_ns; /* slot_ns: its first dump */
	unsigned slot, period;
	double slot_dumps; /* that are learned from */
	double exposure, dumps; /* dumps of the slot, each times its load; and as they are */
	int64_t load_weight; /* of those that have a say, times what is expected of them: fixed point */
	double load, load_hits, load_expected;
	uint64_t dump; /* how many there were */
	double recent[COUNT_HIGHEST]; /* exposures of the latest dumps */
	double day_dumps, a_day; /* dumps of this day, and of the last one */
	uint64_t days; /* complete ones */
	double all_dumps; /* of all slots, fading */
	double day_noise; /* squared, as a share of the mean */
	double limits[COUNT_TESTS]; /* by the dumps of a day */
	/* room, for what a dump has */
	ARRAY(uint32_t) hit, eager;
};

/* The calendar is borrowed. */
void count_watch_open(struct count_watch *watch, struct season_calendar *calendar);
void count_watch_release(struct count_watch *watch);
/* Days that it learns before it tells anything. */
#define COUNT_WATCH_DAYS 14
bool count_watch_is_ready(const struct count_watch *watch);
int64_t count_watch_hour(int64_t time_ns);
/* What follows from the rest is found anew: after a state was read. */
void count_watch_resume(struct count_watch *watch);
/* How far apart dumps are, by the latest day. */
int64_t count_watch_dump_ns(const struct count_watch *watch);
/* A place for a series; whole: it is all threads. */
uint32_t count_watch_add(struct count_watch *watch, bool loads, bool whole);
/* The second begins as a copy of the first: a segment that was split. */
void count_watch_copy(struct count_watch *watch, uint32_t from, uint32_t to);
/* Hits of a series in the dump at hand. */
void count_watch_hit(struct count_watch *watch, uint32_t series, double hits);
/* The dump at hand is over: `dumps` of them, all at one moment. */
void count_watch_dump(struct count_watch *watch, int64_t time_ns, double dumps, const struct count_listener *listener);
/* The limit of a test in natural units, with that many dumps a day. */
double count_watch_limit(enum count_test test, double dumps_a_day);
/* That of bursts, by those that went before. */
double count_burst_limit(const struct counted *series);
/* How unlikely at least `hits` are by chance, in natural units: the exponent of Chernoff for a negative binomial. */
double count_burst(double hits, double expected, double varies);

#endif
