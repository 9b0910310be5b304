/* SPDX-License-Identifier: MIT
 * sample_time: distances of dumps by source, and of samples by event and processor. */
#include "group/sample_time.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/pair_sums.h"
#include "base/text_buffer.h"
#include "base/text_table.h"
#include "base/usual_distance.h"
#include "model/event_weighs.h"

#include <stdlib.h>

#define PAUSE 3			/* a distance over so many usual ones is a pause of the recording */

/* A source's dumps: the last one, and the distance to the one before it (-1: there is none). */
struct source_dumps {
	bool met;
	uint32_t moment;
	int64_t last, before;
	struct usual_distance usual;
};

/* The dumps of a source at one time: they share what that time stands for. Times in whole seconds make several. */
struct moment { int64_t ns, before, most; uint32_t dumps; bool settled; };

/* The samples of an event on a processor, or of a thread where the processor is not known. */
struct event_series { uint32_t rate; int64_t last; };

/* A span lasted as long as it weighs, whether its thread ran or not. */
enum event_kind { EVENT_NEW, EVENT_CLOCK, EVENT_SPAN, EVENT_OTHER };

struct sample_time {
	struct model *model;
	struct text_table names;		/* of sources */
	ARRAY(struct source_dumps) sources;	/* by the number of the name */
	ARRAY(struct moment) moments;		/* from 1 */
	struct id_table dumps;			/* uint32_t moment, by dump */
	uint32_t seen;				/* dumps of this stream up to this id */
	uint32_t rates_before;			/* of the streams before */
	struct id_table events;			/* enum event_kind as uint32_t, by event */
	uint64_t last_event;			/* and what it is: rows are often of one event */
	enum event_kind last_kind;
	uint32_t last_number, last_series;	/* the same of its series; 0: none, else from 1 */
	struct pair_sums series_of;		/* of an event and a processor */
	ARRAY(struct event_series) series;
	struct pair_sums rate_of;
	ARRAY(struct usual_distance) rates;	/* from 1 */
	struct text_buffer scratch;
};

void
sample_time_open(struct sample_time **out, struct model *model)
{
	struct sample_time *t = *out = mem_new(1, sizeof *t);

	t->model = model;
	t->last_event = MODEL_LOST;
	t->dumps.size = t->events.size = sizeof(uint32_t);
	array_lengthen(&t->moments, 1);
	array_lengthen(&t->rates, 1);
}

void
sample_time_close(struct sample_time *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->sources.count; i++)
		usual_distance_release(&t->sources.at[i].usual);
	for (size_t i = 0; i < t->rates.count; i++)
		usual_distance_release(&t->rates.at[i]);
	text_table_release(&t->names);
	array_release(&t->sources);
	array_release(&t->moments);
	id_table_clear(&t->dumps);
	id_table_clear(&t->events);
	pair_sums_release(&t->series_of);
	array_release(&t->series);
	pair_sums_release(&t->rate_of);
	array_release(&t->rates);
	array_release(&t->scratch);
	free(t);
}

void
sample_time_turn(struct sample_time *t)
{
	id_table_clear(&t->dumps);
	id_table_clear(&t->events);
	t->last_event = MODEL_LOST;
	t->last_series = 0;
	pair_sums_clear(&t->series_of);
	pair_sums_clear(&t->rate_of);
	t->series.count = 0;
	t->rates_before = (uint32_t)t->rates.count - 1;
	t->seen = 0;
}

/* --- dumps --- */

static struct source_dumps *
dumps_of(struct sample_time *t, uint64_t id)
{
	struct stk_source source = model_source(t->model, id);
	struct text_buffer *name = &t->scratch;

	name->count = 0;
	add_text(name, model_string(t->model, source.name));
	add_char(name, '\0');
	add_text(name, model_string(t->model, source.host));
	add_char(name, '\0');
	add_unsigned(name, source.pid);
	array_lengthen(&t->sources, text_table_number(&t->names, text_in(name, 0)));
	return &t->sources.at[text_table_number(&t->names, text_in(name, 0)) - 1];
}

/* Half of the distances to the dumps before and after (-1: there is none), without pauses. */
static int64_t
time_between(int64_t before, int64_t after, int64_t most)
{
	if (before < 0 && after < 0)
		return 0;
	before = before < 0 ? after : before;
	after = after < 0 ? before : after;
	return (before < most ? before : most) / 2 + (after < most ? after : most) / 2;
}

static int64_t
most_of(const struct source_dumps *dumps)
{
	int64_t usual = usual_distance_of(&dumps->usual);

	return usual > INT64_MAX / PAUSE ? INT64_MAX : usual * PAUSE;
}

/* The source has another dump, so the time of the one before it is known. */
static void
settle_last(struct sample_time *t, struct source_dumps *dumps, int64_t after)
{
	struct moment *moment = &t->moments.at[dumps->moment];

	if (after > 0)
		usual_distance_add(&dumps->usual, after);
	moment->ns = time_between(moment->before, after, most_of(dumps));
	moment->settled = true;
}

static uint32_t
moment_of_dump(struct sample_time *t, const struct stk_dump *dump, bool *settled)
{
	struct source_dumps *dumps = dumps_of(t, dump->source);
	int64_t distance = dumps->met && dump->time > dumps->last ? dump->time - dumps->last : -1;

	if (dumps->met && dump->time == dumps->last) {
		t->moments.at[dumps->moment].dumps++;
		return dumps->moment;
	}
	*settled |= dumps->met;
	if (dumps->met)
		settle_last(t, dumps, distance);
	dumps->met = true;
	dumps->moment = (uint32_t)t->moments.count;
	dumps->last = dump->time;
	*array_push(&t->moments) = (struct moment){ .before = distance, .dumps = 1 };
	t->moments.at[dumps->moment].most = most_of(dumps);
	return dumps->moment;
}

static bool
see_dumps(struct sample_time *t)
{
	bool settled = false;

	for (uint32_t id; (id = model_next(t->model, STK_DUMP, t->seen)) != 0; t->seen = id) {
		struct stk_dump dump = model_dump(t->model, id);

		if (dump.time != STK_TIME_UNKNOWN)
			*(uint32_t *)id_table_at(&t->dumps, id) = moment_of_dump(t, &dump, &settled);
	}
	return settled;
}

/* --- events --- */

static enum event_kind
kind_of_name(struct stk_text event)
{
	return event_is_time(event) ? EVENT_CLOCK : event_weighs(event) == EVENT_NANOSECONDS ? EVENT_SPAN : EVENT_OTHER;
}

static enum event_kind
kind_of(struct sample_time *t, uint64_t event)
{
	uint32_t *kind;

	if (event == t->last_event)
		return t->last_kind;
	kind = id_table_at(&t->events, event);
	if (*kind == EVENT_NEW)
		*kind = kind_of_name(model_string(t->model, event));
	t->last_event = event;
	t->last_series = 0;
	return t->last_kind = *kind;
}

bool
sample_time_needs_all(const struct model *model, uint64_t event)
{
	return kind_of_name(model_string(model, event)) == EVENT_OTHER;
}

/* Where processors are known, each has its own period; else the samples of a thread are one series, and the event has
 * one period. */
static struct event_series *
series_of(struct sample_time *t, const struct sample_columns *columns, uint32_t row)
{
	uint32_t event = (uint32_t)sample_value(&columns->event, row);
	int64_t processor = (int64_t)sample_value(&columns->processor, row);
	bool known = processor >= 0 && processor < INT32_MAX;
	uint32_t number = known ? (uint32_t)processor : UINT32_MAX - (uint32_t)sample_value(&columns->thread, row);
	uint32_t index;

	if (t->last_series != 0 && t->last_event == event && t->last_number == number)
		return &t->series.at[t->last_series - 1];
	index = pair_sums_index(&t->series_of, event, number);
	t->last_number = number;
	t->last_series = t->last_event == event ? index + 1 : 0;
	if (index == t->series.count) {
		uint32_t rate = t->rates_before + 1 +
				pair_sums_index(&t->rate_of, event, known ? number : UINT32_MAX);

		array_lengthen(&t->rates, rate + 1u);
		*array_push(&t->series) = (struct event_series){ rate, STK_TIME_UNKNOWN };
	}
	return &t->series.at[index];
}

static void
see_event(struct sample_time *t, const struct sample_columns *columns, uint32_t row)
{
	int64_t time = sample_time(columns, row);
	struct event_series *series = series_of(t, columns, row);

	if (time == STK_TIME_UNKNOWN)
		return;
	if (series->last != STK_TIME_UNKNOWN && time > series->last)
		usual_distance_add(&t->rates.at[series->rate], time - series->last);
	series->last = time;
}

/* --- samples --- */

bool
sample_time_see(struct sample_time *t, const struct sample_columns *columns, uint32_t rows)
{
	bool settled = see_dumps(t);
	bool all_of_dumps = columns->dump.mask == 0 && columns->dump.values[0] != 0;
	bool all_weigh_time = columns->event.mask == 0 && kind_of(t, columns->event.values[0]) != EVENT_OTHER;

	for (uint32_t row = 0; row < rows && !all_of_dumps && !all_weigh_time; row++)
		if (sample_value(&columns->dump, row) == 0 &&
		    kind_of(t, sample_value(&columns->event, row)) == EVENT_OTHER)
			see_event(t, columns, row);
	return settled;
}

/* Rates of dumps are even, of events odd. */
static uint32_t
rate_of_moment(uint32_t moment)
{
	return 2 * moment;
}

static uint32_t
rate_of_event(uint32_t rate)
{
	return 2 * rate + 1;
}

bool
sample_time_of_rate(const struct sample_time *t, uint32_t rate, int64_t *ns)
{
	const struct moment *moment = &t->moments.at[rate / 2];

	if (rate % 2 == 1) {
		*ns = usual_distance_of(&t->rates.at[rate / 2]);
		return false;
	}
	*ns = moment->settled ? moment->ns : time_between(moment->before, -1, moment->most);
	*ns /= moment->dumps;
	return moment->settled;
}

struct sample_worth
sample_time_of(struct sample_time *t, const struct sample_columns *columns, uint32_t row, uint64_t weight)
{
	uint64_t dump = sample_value(&columns->dump, row), event = sample_value(&columns->event, row);
	const uint32_t *moment = dump == 0 ? NULL : id_table_find(&t->dumps, dump);

	if (moment != NULL)
		return (struct sample_worth){ .rate = rate_of_moment(*moment) };
	if (dump != 0)
		return (struct sample_worth){ .ns = WORTH_UNKNOWN };
	if (kind_of(t, event) != EVENT_OTHER)
		return (struct sample_worth){ .ns = weight < INT64_MAX ? (int64_t)weight : INT64_MAX,
					      .clock = t->last_kind == EVENT_CLOCK };
	if (sample_time(columns, row) == STK_TIME_UNKNOWN)
		return (struct sample_worth){ .ns = WORTH_UNKNOWN };
	return (struct sample_worth){ .rate = rate_of_event(series_of(t, columns, row)->rate) };
}
