/* SPDX-License-Identifier: MIT
 * count_state: one kind of row for all, of which each sort uses the columns that it needs. */
#include "trend/count_state.h"

#include <math.h>

enum sort {
	OF_SEASON,
	OF_LEVEL,
	OF_BURSTS,
	OF_BLOCKS,
	OF_EVIDENCE,
	OF_OPEN,
	OF_RECENT, /* of a series */
	OF_CLOCK,
	OF_LOAD,
	OF_SLOT, /* of a clock */
	OF_WHOLE = 16 /* and more: of a series that is all threads of a clock */
};

#define OPEN_BURST 256 /* added to the test of an open finding */
#define HITS_MOST 1e30

/* --- writing --- */

struct rows {
	struct stk_writer *writer;
	struct stk_error *err;
	uint64_t id;
	unsigned more;
	int result;
};

static void
add(struct rows *to, enum sort sort, struct stk_count_state row)
{
	row.id = to->id;
	row.sort = sort + to->more;
	if (to->result == 0)
		to->result = stk_writer_add(to->writer, STK_COUNT_STATE, &row, to->err);
}

static void
add_level(struct rows *to, const struct counted *c)
{
	add(to, OF_LEVEL,
	    (struct stk_count_state){ .time = c->settled_ns,
				      .number = (int64_t)c->block,
				      .hits = c->slot_hits,
				      .expected = c->rate,
				      .dumps = c->dumps,
				      .value = c->level,
				      .most = c->exposure,
				      .first = c->level_before,
				      .second = c->weight, .third = c->since_hit });
	add(to, OF_BURSTS,
	    (struct stk_count_state){ .time = c->silent_ns,
				      .hits = c->bursts,
				      .dumps = c->burst_hours,
				      .value = c->burst_excess,
				      .most = c->burst_most });
}

static void
add_evidence(struct rows *to, const struct counted *c)
{
	for (unsigned b = 0; b < COUNT_SCALES; b++)
		add(to, OF_BLOCKS,
		    (struct stk_count_state){ .place = b,
					      .time = STK_TIME_UNKNOWN,
					      .hits = c->blocks[b].hits,
					      .expected = c->blocks[b].expected,
					      .value = c->blocks[b].squares,
					      .first = c->blocks[b].total,
					      .second = c->blocks[b].varies });
	for (unsigned t = 0; t < COUNT_TESTS; t++) {
		const struct evidence_sum *e = &c->tests[t];

		add(to, OF_EVIDENCE,
		    (struct stk_count_state){ .place = t,
					      .time = e->began_ns,
					      .hits = e->hits,
					      .expected = e->expected,
					      .dumps = e->dumps,
					      .value = e->sum,
					      .most = e->most,
					      .first = e->highest[0],
					      .second = e->highest[1],
					      .third = e->highest[2] });
	}
}

static void
add_open(struct rows *to, const struct counted *c)
{
	for (unsigned r = 0; r < COUNT_HIGHEST; r++)
		if (c->recent[r].dump != UINT64_MAX)
			add(to, OF_RECENT,
			    (struct stk_count_state){ .place = r,
						      .time = STK_TIME_UNKNOWN,
						      .number = (int64_t)c->recent[r].dump,
						      .hits = c->recent[r].hits });
	if (c->open.until_ns != 0)
		add(to, OF_OPEN,
		    (struct stk_count_state){ .place = c->open.test + (c->open.burst ? OPEN_BURST : 0),
					      .time = c->open.until_ns,
					      .number = c->open.began_ns,
					      .hits = c->open.hits,
					      .expected = c->open.expected,
					      .dumps = c->open.dumps,
					      .value = c->open.ratio });
}

static void
add_counted(struct rows *to, const struct counted *c, unsigned slots)
{
	for (unsigned s = 0; s < slots; s++)
		if (c->season[s] > 0)
			add(to, OF_SEASON,
			    (struct stk_count_state){
				    .place = s, .time = STK_TIME_UNKNOWN, .hits = (double)c->season[s] });
	add_level(to, c);
	add_evidence(to, c);
	add_open(to, c);
}

static void
add_clock(struct rows *to, const struct count_watch *w, unsigned slots)
{
	add(to, OF_CLOCK,
	    (struct stk_count_state){ .place = w->slot,
				      .number = w->day,
				      .time = w->latest_ns,
				      .hits = w->slot_dumps,
				      .dumps = w->dumps,
				      .expected = w->exposure,
				      .value = w->day_dumps,
				      .most = w->a_day,
				      .first = w->all_dumps,
				      .second = (double)w->days,
				      .third = w->day_noise });
	add(to, OF_LOAD,
	    (struct stk_count_state){ .place = w->period,
				      .number = (int64_t)w->dump,
				      .time = w->slot_ns,
				      .hits = w->load_hits,
				      .expected = w->load_expected,
				      .value = w->load,
				      .most = (double)w->load_weight,
				      .first = w->recent[0],
				      .second = w->recent[1],
				      .third = w->recent[2] });
	for (unsigned s = 0; s < slots; s++)
		if (w->slots[s].visits > 0)
			add(to, OF_SLOT,
			    (struct stk_count_state){ .place = s,
						      .number = w->slots[s].day,
						      .time = STK_TIME_UNKNOWN,
						      .hits = w->slots[s].visits,
						      .dumps = w->slots[s].dumps,
						      .value = w->slots[s].shape });
}

int
count_state_add_clocks(const struct series_set *set, const uint32_t *clocks, struct stk_writer *writer,
		       struct stk_error *err)
{
	unsigned slots = season_slots(set->rules[set->stages - 1].calendar);

	for (uint32_t id = 0; id < set->ticks.count; id++) {
		const struct clock_watch *clock = clocks[id] < set->counts.clocks.count ?
							  &set->counts.clocks.at[clocks[id]] : NULL;
		struct rows to = { writer, err, id, 0, 0 };

		if (clock == NULL || clock->watch.slots == NULL || !clock->watch.begun)
			continue;
		add_clock(&to, &clock->watch, slots);
		to.more = OF_WHOLE;
		if (clock->whole > 0)
			add_counted(&to, &clock->watch.series.at[clock->whole - 1], slots);
		if (to.result < 0)
			return -1;
	}
	return 0;
}

int
count_state_add(const struct series_set *set, uint32_t id, const struct series *series, struct stk_writer *writer,
		struct stk_error *err)
{
	struct rows to = { writer, err, id, 0, 0 };

	if (series->watched > 0)
		add_counted(&to, &set->counts.clocks.at[series->clock].watch.series.at[series->watched - 1],
			    season_slots(set->rules[set->stages - 1].calendar));
	return to.result;
}

/* --- reading --- */

bool
count_state_is_of_clock(const struct stk_count_state *row)
{
	return row->sort >= OF_CLOCK;
}

static double
believed(double value)
{
	return value >= -HITS_MOST && value <= HITS_MOST ? value : 0;
}

static double
above_zero(double value)
{
	return fmax(0, believed(value));
}

static int
cannot_be(struct stk_error *err)
{
	return stk_fail(err, STK_EDATA, "damaged: a state of counts that cannot be");
}

static void
take_level(struct counted *c, const struct stk_count_state *row)
{
	c->settled_ns = row->time;
	c->block = (uint64_t)row->number;
	c->slot_hits = above_zero(row->hits);
	c->rate = above_zero(row->expected);
	c->dumps = above_zero(row->dumps);
	c->level = above_zero(row->value);
	c->exposure = above_zero(row->most);
	c->level_before = above_zero(row->first);
	c->weight = above_zero(row->second);
	c->since_hit = above_zero(row->third);
}

static void
take_bursts(struct counted *c, const struct stk_count_state *row)
{
	c->silent_ns = row->time;
	c->bursts = above_zero(row->hits);
	c->burst_hours = above_zero(row->dumps);
	c->burst_excess = above_zero(row->value);
	c->burst_most = above_zero(row->most);
}

static void
take_evidence(struct evidence_sum *e, const struct stk_count_state *row)
{
	*e = (struct evidence_sum){ .began_ns = row->time,
				    .hits = above_zero(row->hits),
				    .expected = above_zero(row->expected),
				    .dumps = above_zero(row->dumps),
				    .sum = above_zero(row->value),
				    .most = above_zero(row->most),
				    .highest = { above_zero(row->first), above_zero(row->second),
						 above_zero(row->third) } };
}

static void
take_open(struct counted *c, const struct stk_count_state *row)
{
	c->open = (struct open_count){ .until_ns = row->time,
				       .began_ns = row->number,
				       .hits = above_zero(row->hits),
				       .expected = above_zero(row->expected),
				       .dumps = above_zero(row->dumps),
				       .ratio = above_zero(row->value),
				       .test = (unsigned)(row->place % OPEN_BURST),
				       .burst = row->place >= OPEN_BURST };
}

static int
take_counted(struct counted *c, unsigned slots, const struct stk_count_state *row, unsigned sort, struct stk_error *err)
{
	static const unsigned places[OF_CLOCK] = { 0, 1, 1, COUNT_SCALES, COUNT_TESTS, 2 * OPEN_BURST, COUNT_HIGHEST };

	if (sort >= OF_CLOCK || row->place >= (sort == OF_SEASON ? slots : places[sort]) ||
	    (sort == OF_OPEN && row->place % OPEN_BURST >= COUNT_TESTS))
		return cannot_be(err);
	switch ((enum sort)sort) {
	case OF_SEASON: c->season[row->place] = (float)above_zero(row->hits); break;
	case OF_LEVEL: take_level(c, row); break;
	case OF_BURSTS: take_bursts(c, row); break;
	case OF_EVIDENCE: take_evidence(&c->tests[row->place], row); break;
	case OF_OPEN: take_open(c, row); break;
	case OF_BLOCKS:
		c->blocks[row->place] =
			(struct count_blocks){ above_zero(row->hits), above_zero(row->expected), above_zero(row->value),
					       above_zero(row->first), fmax(1, believed(row->second)) };
		break;
	case OF_RECENT:
		c->recent[row->place] = (struct recent_hits){ (uint64_t)row->number, above_zero(row->hits) };
		break;
	default: break;
	}
	return 0;
}

static uint64_t
whole_number(double value)
{
	return (uint64_t)fmin(1e9, above_zero(value));
}

static void
take_clock(struct count_watch *w, const struct stk_count_state *row)
{
	w->begun = row->time != STK_TIME_UNKNOWN;
	w->slot = (unsigned)row->place;
	w->day = row->number;
	w->latest_ns = row->time;
	w->hour = count_watch_hour(row->time);
	w->slot_dumps = above_zero(row->hits);
	w->dumps = above_zero(row->dumps);
	w->exposure = above_zero(row->expected);
	w->day_dumps = above_zero(row->value);
	w->a_day = above_zero(row->most);
	w->all_dumps = above_zero(row->first);
	w->days = whole_number(row->second);
	w->day_noise = above_zero(row->third);
}

static void
take_load(struct count_watch *w, const struct stk_count_state *row)
{
	w->period = (unsigned)row->place;
	w->dump = (uint64_t)row->number;
	w->slot_ns = row->time;
	w->load_hits = above_zero(row->hits);
	w->load_expected = above_zero(row->expected);
	w->load = above_zero(row->value);
	w->load_weight = (int64_t)fmin(9e18, above_zero(row->most));
	w->recent[0] = above_zero(row->first);
	w->recent[1] = above_zero(row->second);
	w->recent[2] = above_zero(row->third);
}

static int
take_of_clock(struct series_set *set, uint32_t clock, const struct stk_count_state *row, struct stk_error *err)
{
	const struct season_calendar *calendar = set->rules[set->stages - 1].calendar;
	struct count_watch *w = &watched_counts_clock(set, clock)->watch;
	unsigned slots = season_slots(calendar);

	if (row->sort >= OF_WHOLE) {
		uint32_t whole = watched_counts_whole(set, clock);

		return take_counted(&w->series.at[whole], slots, row, (unsigned)(row->sort - OF_WHOLE), err);
	}
	if (row->sort > OF_SLOT || row->place >= (row->sort == OF_LOAD ? season_periods(calendar) : slots))
		return cannot_be(err);
	if (row->sort == OF_CLOCK)
		take_clock(w, row);
	else if (row->sort == OF_LOAD)
		take_load(w, row);
	else
		w->slots[row->place] = (struct watched_slot){ above_zero(row->dumps), above_zero(row->value),
							      (unsigned)whole_number(row->hits), row->number };
	return 0;
}

int
count_state_take(struct series_set *set, uint32_t series, uint32_t clock, const struct stk_count_state *row,
		 struct stk_error *err)
{
	uint32_t place;

	if (row->sort >= 2 * OF_WHOLE)
		return cannot_be(err);
	if (count_state_is_of_clock(row))
		return take_of_clock(set, clock, row, err);
	if (series == 0)
		return 0;
	place = watched_counts_place(set, series);
	return take_counted(&set->counts.clocks.at[series_set_at(set, series)->clock].watch.series.at[place],
			    season_slots(set->rules[set->stages - 1].calendar), row, (unsigned)row->sort, err);
}

void
count_state_settle(struct series_set *set)
{
	for (size_t c = 0; c < set->counts.clocks.count; c++)
		if (set->counts.clocks.at[c].watch.slots != NULL)
			count_watch_resume(&set->counts.clocks.at[c].watch);
}
