/* SPDX-License-Identifier: MIT
 * series_set: all series that are followed: their names, the state of their filters, and the changes found in them.
 *
 * The set and its series are plain data: whoever has the set reads it. Only series_set_*, and the engines that fill it
 * (stream_series, trend_state, prediction), write it. Series are numbered from 1 on; 0 is none. */
#ifndef TREND_SERIES_SET_H
#define TREND_SERIES_SET_H

#include "base/array.h"
#include "base/text_buffer.h"
#include "base/text_table.h"
#include "trend/metric_hours.h"
#include "trend/season_check.h"
#include "trend/series_model.h"
#include "trend/trend_options.h"
#include "trend/watched_counts.h"
#include "trend/zone_fit.h"

#define NOT_FOLLOWED  UINT32_MAX
#define SERIES_STAGES 3

struct hour_counts;

struct kept_point { int64_t time_ns; double value; };
struct kept_points { struct kept_point *at; size_t count, room; };

/* spread: of one standard deviation, in units of the value; NAN: nothing was expected of the first step. */
struct kept_step { int64_t time_ns; double value; float expected, spread, level; };
struct kept_steps { struct kept_step *at; size_t count, room; };

extern const char *const series_kind_names[STK_SERIES_COUNTER + 1];

/* A lane of time: blocks of a stream are each of one kind of row, so that kinds do not keep step with each other. */
struct lane {
	int64_t step;			/* the present one; INT64_MIN: none yet */
	int64_t latest_ns, resume_ns;	/* moments up to which were taken; in an earlier run */
	uint64_t late, known;		/* rows of steps that were over, and of an earlier run */
};

enum set_lane { LANE_CLASSES, LANE_GROUPS, LANES };

#define SPLIT_ONCE 1			/* ns since 1970: before all that is found */

struct series {
	enum stk_series kind;
	struct stk_text name, part;	/* part: of which source, pool, state; empty: of all */
	struct stk_text label;		/* for people: what names that are hashes stand for */
	uint64_t key, parent;		/* of it, and of the series that holds it; 0 none. The same in every run */
	uint32_t clock;			/* that counts its dumps */
	uint32_t watched; /* its place in the watch of its clock, plus 1; 0: it has none */
	unsigned stage;			/* which of the set's rules its filter goes by; NOT_FOLLOWED */
	uint32_t state;			/* from which of the states that were read it came; 0: from none */
	bool hidden;			/* nobody asked for it: it is followed for the state, which is of all series */
	bool begun;
	bool split;			/* a segment that was split: its halves tell what it does from then on */
	int64_t split_ns;		/* when; SPLIT_ONCE: not known */
	int64_t came_ns; /* of a class or segment: the first dump that had it; STK_TIME_UNKNOWN: not known */
	struct { uint32_t *at; size_t count, room; } path; /* of a class: the numbers of its segments (class_paths.h) */
	struct trend_filter filter;
	struct trend_rules *rules;
	struct change_watch watch;
	struct season_check season;
	struct lane lane;		/* of metrics and counters: their own */
	double sum, weight;		/* of the present step */
	double last;			/* value */
	uint64_t counted;		/* of a counter: its latest value */
	int64_t counted_ns;		/* and when that was; STK_TIME_UNKNOWN: there was none */
	uint64_t changes, news;		/* as of series_news_judge */
	int64_t first_ns, last_ns;
	struct kept_points history;	/* steps, until the last stage; for good when it is kept */
	struct kept_points measures;	/* of metrics, as they came: the latest */
	struct metric_hours hours;	/* of metrics */
	struct kept_points errors;	/* of each step, in deviations; only when they are kept */
	struct kept_steps steps;	/* only when they are kept: the latest */
	bool steps_dropped;		/* earlier ones were, to save memory */
	struct kept_points counts;	/* by step, of those in which it was; only when they are kept */
	struct series_model *model;	/* of a plain series: owns the rules */
	struct zone_fit fit;		/* of a plain series whose zone was to be fitted */
};

struct found_change {
	uint32_t series;		/* 0: it is of no series, but of `subject` */
	struct stk_text subject;
	struct change change;
	const char *kind;
	bool dropped;			/* no news: it went away, or it only moved. As of series_news_judge */
	bool old;			/* an earlier run reported it */
	bool told;			/* this run reports it: later ones do not */
	bool settled; /* nothing that follows takes it back */
	int64_t finding_ns; /* when the finding began that it belongs to; STK_TIME_UNKNOWN: it stands alone */
	double low, high; /* limits of the level after it; NAN: not known */
};

/* A thread in one busy place. Threads and places are hashes of their texts: the same in every run. */
#define STANDING_FORGOTTEN_NS INT64_C(259200000000000)	/* three days without a sample: nobody knows where it was */

struct standing {
	uint64_t thread, place;
	int64_t since_ns, latest_ns;
	uint32_t dumps;			/* 0: it was not busy when it was last seen */
	bool told;
};

struct series_set {
	const struct trend_options *options;
	ARRAY(struct series) series;
	struct trend_rules rules[SERIES_STAGES];	/* of the stages that a series goes through as its past grows */
	unsigned stages;
	int64_t step_ns;
	struct lane lanes[LANES];
	ARRAY(uint64_t) ticks;			/* dumps in the present step, by clock: 0 is that of all */
	uint32_t group_clock;			/* which is that of groups; the others are of classes */
	ARRAY(struct kept_points) dumps;	/* by clock and step; only when counts are kept */
	struct hour_counts *hours;		/* NULL unless they are kept */
	ARRAY(struct found_change) changes;
	ARRAY(struct standing) standings;
	struct watched_counts counts;
	struct hash_map by_key;
	ARRAY(uint32_t) passing;		/* classes by the segments that they go through: class_paths.h's own */
	ARRAY(size_t) passing_from;
	bool keep_errors;			/* of each step: for a view, or because the state has them */
	size_t steps_kept;			/* of all series */
	uint32_t states, dumps_state;		/* how many states were read; from which the dumps came, 0: from none */
	/* what follows is series_set's own */
	struct text_table keys, sources, subjects;
	struct hash_map standing_map;
	size_t judged;				/* series_news: how many changes there were when it was asked last */
	ARRAY(struct trend_point) room;
};

/* The options are borrowed. -1 with *err and *out NULL: periods or holidays cannot be understood. */
int series_set_open(struct series_set **out, const struct trend_options *options, struct stk_error *err) STK_MUST_CHECK;
void series_set_close(struct series_set *set);		/* NULL does nothing */

static inline uint32_t
series_set_count(const struct series_set *set)
{
	return (uint32_t)set->series.count;
}

static inline const struct series *
series_set_at(const struct series_set *set, uint32_t number)
{
	return &set->series.at[number - 1];
}

/* The same for the engines that fill the set. Valid until a series is made. */
static inline struct series *
series_set_edit(struct series_set *set, uint32_t number)
{
	return &set->series.at[number - 1];
}

/* Its level, without the season. Counts are not below 0: a filter may be, when they fell. */
static inline double
series_level(const struct series *s)
{
	return s->kind <= STK_SERIES_GROUP && s->filter.level < 0 ? 0 : s->filter.level;
}

/* The zone in which its days are days, and seconds to add to what its clocks show. */
static inline const struct time_zone *
series_zone(const struct series_set *set, const struct series *s)
{
	return set->options->fit_zone ? s->fit.zone : set->options->zone;
}

static inline int
series_shift(const struct series *s)
{
	return s->fit.zone == NULL ? s->fit.shift_s : 0;
}

/* What tells a series from others in every run; never 0. */
uint64_t series_key(enum stk_series kind, struct stk_text name, struct stk_text part);
/* The number of a series, made when it is new; 0 when it is not to be followed. */
uint32_t series_set_find(struct series_set *set, enum stk_series kind, struct stk_text name, struct stk_text part);
/* The same with what it is called for people, by which it may have been asked for. */
uint32_t series_set_find_labelled(struct series_set *set, enum stk_series kind, struct stk_text name,
				  struct stk_text part, struct stk_text label);
/* The same, but 0 when it is new. */
uint32_t series_set_seek(const struct series_set *set, enum stk_series kind, struct stk_text name,
			 struct stk_text part);
/* The series of a key; NULL: there is none. */
const struct series *series_set_of_key(const struct series_set *set, uint64_t key);
/* The clock of a source, made when it is new; that of the empty name is 0, the clock of all. */
uint32_t series_set_clock(struct series_set *set, struct stk_text source);
struct stk_text series_set_clock_source(const struct series_set *set, uint32_t clock);
/* A series that has not begun goes on as a copy of another one: a segment that was split off. */
void series_set_clone(struct series_set *set, uint32_t from, uint32_t to);
void series_set_label(struct series_set *set, uint32_t series, struct stk_text label);
/* How a series is called: name, or name@part. */
void series_add_name(const struct series *series, struct text_buffer *to);
/* By this name, by name@part, or by its label. */
bool series_matches(const struct series *series, const char *pattern);
/* It has measures, and the options ask for it: views are of these. */
bool series_is_shown(const struct series *series);
/* The first that is shown and matches; 0: none. */
uint32_t series_set_first(const struct series_set *set, const char *pattern);
/* Those that are shown, metrics first, then the hottest; without segments that were split. Free it. */
uint32_t *series_set_by_level(const struct series_set *set, size_t *count);
/* All, by kind and name: an order that does not depend on that in which they came. Free it. */
uint32_t *series_set_by_name(const struct series_set *set);
/* All clocks, of which there are as many as ticks: that of all, that of groups, then by source. Free it. */
uint32_t *series_set_clocks_by_source(const struct series_set *set);

/* A moment comes in a lane: steps before it are over. False: it was taken in an earlier run. */
bool series_set_come_to(struct series_set *set, enum set_lane lane, int64_t time_ns);
void series_set_tick(struct series_set *set, uint32_t clock);			/* a dump at that moment */
void series_set_add(struct series_set *set, uint32_t series, double amount);	/* what the dump had */
void series_set_measure(struct series_set *set, uint32_t series, int64_t time_ns, double value);
/* The days that a season of a stage takes to learn, and those of the longest series that is shown. */
unsigned series_set_days_needed(const struct series_set *set, unsigned stage);
double series_set_days_seen(const struct series_set *set);
/* The moment at hand is over: nothing more comes in this run. */
void series_set_end_moment(struct series_set *set);
/* The last steps are over, too: when nothing more comes, and a state was written. */
void series_set_finish(struct series_set *set);

/* A change that another engine saw. kind: of static life. */
void series_set_changed(struct series_set *set, uint32_t series, struct stk_text subject, const char *kind,
			const struct change *change);

/* The number of a thread among the standings, from 1; made when it is new. */
uint32_t series_set_standing(struct series_set *set, uint64_t thread);

/* --- for states --- */

/* Found of a segment after it was split: its halves tell it. A step in which it was split is of the halves. */
bool series_set_is_of_halves(const struct series_set *set, const struct found_change *found);
void series_set_restore_change(struct series_set *set, const struct found_change *change);
/* The step that begins at a moment is the present one, and what is not after `latest` was taken. */
void series_set_restore_lane(const struct series_set *set, struct lane *lane, int64_t step_ns, int64_t latest_ns);
/* Where the step at hand begins; STK_TIME_UNKNOWN: there is none. */
int64_t series_set_step_time(const struct series_set *set, const struct lane *lane);

/* Rows that came after their step was over, and those of an earlier run, in all lanes. */
void series_set_oddities(const struct series_set *set, uint64_t *late, uint64_t *known);

#endif
