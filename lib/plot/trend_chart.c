/* SPDX-License-Identifier: MIT
 * trend_chart: rows are kept by series, and become columns at the end, when it is known how long it all is. */
#include "plot/trend_chart.h"

#include "plot/holder_panels.h"

#include "base/hash_map.h"
#include "base/id_table.h"
#include "base/text_table.h"
#include "base/time_math.h"
#include "report/leaf_labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_FRAMES 2
#define FALSE_MOST   0.05		/* of the series that are said to explain another: as stktrend --fdr */
#define SLOT_NS INT64_C(900000000000)	/* of a series with a single measure */

struct measured { int64_t time_ns; double value, expected, low, high, level; };
struct coming { int64_t time_ns; double value, low, high; };
struct finding {
	int64_t time_ns, until_ns;
	struct stk_text what;
	double value, expected, score, before, after;
	bool news;
};

struct trend_series {
	enum stk_series kind;
	struct stk_text name, part, label;
	double level, rate;
	ARRAY(struct measured) measures;
	ARRAY(struct coming) forecasts;
	ARRAY(struct finding) findings;
	struct stk_capacity capacity;
	bool has_capacity;
	struct stk_rank rank;		/* place 0: none */
	double mean, change;		/* of the measures; the largest of the findings */
};

struct trend_chart {
	ARRAY(struct trend_series) series;
	struct text_table keys, texts;
	struct id_table of_id;		/* uint32_t: 1 + place */
	struct holder_panels holders;
};

void
trend_chart_open(struct trend_chart **out)
{
	*out = mem_new(1, sizeof **out);
	(*out)->of_id.size = sizeof(uint32_t);
}

void
trend_chart_close(struct trend_chart *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->series.count; i++) {
		array_release(&t->series.at[i].measures);
		array_release(&t->series.at[i].forecasts);
		array_release(&t->series.at[i].findings);
	}
	array_release(&t->series);
	text_table_release(&t->keys);
	text_table_release(&t->texts);
	id_table_clear(&t->of_id);
	holder_panels_release(&t->holders);
	free(t);
}

void
trend_chart_turn(struct trend_chart *t)
{
	id_table_clear(&t->of_id);
	holder_panels_turn(&t->holders);
}

/* --- rows --- */

static struct stk_text
kept_text(struct trend_chart *t, struct stk_text text)
{
	return text_table_text(&t->texts, text_table_number(&t->texts, text));
}

static struct trend_series *
series_of(struct trend_chart *t, enum stk_series kind, struct stk_text name, struct stk_text part)
{
	struct text_buffer key = { 0 };
	uint32_t number;

	add_format(&key, "%u\t", (unsigned)kind);
	add_text(&key, name);
	add_char(&key, '\t');
	add_text(&key, part);
	number = text_table_number(&t->keys, text_in(&key, 0));
	array_release(&key);
	if (number > t->series.count)
		*array_push(&t->series) = (struct trend_series){ .kind = kind, .name = kept_text(t, name),
			.part = kept_text(t, part), .label = text_of("", 0) };
	return &t->series.at[number - 1];
}

static struct trend_series *
series_by_id(struct trend_chart *t, uint64_t id)
{
	const uint32_t *place = id_table_find(&t->of_id, id);

	return place == NULL || *place == 0 ? NULL : &t->series.at[*place - 1];
}

static void
take_series(struct trend_chart *t, const struct stk_filter_state *row)
{
	struct trend_series *s = series_of(t, row->series, row->name, row->part);

	s->label = kept_text(t, row->label);
	s->level = row->level;
	s->rate = row->rate;
	*(uint32_t *)id_table_at(&t->of_id, row->id) = (uint32_t)(s - t->series.at) + 1;
}

/* A later run knows what comes better, and says a finding anew only when it changed. */
static void
take_forecast(struct trend_chart *t, const struct stk_forecast *row)
{
	struct trend_series *s = series_of(t, row->series, row->name, row->part);

	if (s->forecasts.count > 0 && row->time <= s->forecasts.at[s->forecasts.count - 1].time_ns)
		s->forecasts.count = 0;
	*array_push(&s->forecasts) = (struct coming){ row->time, row->value, row->low, row->high };
}

static void
take_finding(struct trend_chart *t, const struct stk_anomaly *row)
{
	struct trend_series *s = series_of(t, row->series, row->name, row->part);

	*array_push(&s->findings) = (struct finding){ row->time,
		row->until == STK_TIME_UNKNOWN ? row->time : row->until,
		kept_text(t, row->what), row->value, row->expected, row->score, row->before, row->after,
		row->news != 0 };
}

static void
take_rank(struct trend_chart *t, const struct stk_rank *row)
{
	struct trend_series *s = series_of(t, row->series, row->name, row->part);

	s->rank = *row;
	s->rank.against = kept_text(t, row->against);
}

static bool
explains(const struct trend_series *s)
{
	return s->rank.place > 0 && s->rank.q <= FALSE_MOST;
}

static void
take_row(struct trend_chart *t, struct stk_reader *reader, unsigned kind, uint32_t i)
{
	union {
		struct stk_filter_state series;
		struct stk_measure measure;
		struct stk_forecast forecast;
		struct stk_anomaly finding;
		struct stk_capacity capacity;
		struct stk_rank rank;
		struct stk_holder holder;
		struct stk_held held;
	} row;
	struct trend_series *s;

	stk_reader_row(reader, i, &row);
	if (kind == STK_FILTER_STATE) {
		take_series(t, &row.series);
	} else if (kind == STK_FORECAST) {
		take_forecast(t, &row.forecast);
	} else if (kind == STK_ANOMALY) {
		take_finding(t, &row.finding);
	} else if (kind == STK_RANK) {
		take_rank(t, &row.rank);
	} else if (kind == STK_HOLDER) {
		holder_panels_take(&t->holders, &row.holder);
	} else if (kind == STK_HELD) {
		holder_panels_take_held(&t->holders, &row.held);
	} else if (kind == STK_MEASURE && row.measure.time != STK_TIME_UNKNOWN) {
		if ((s = series_by_id(t, row.measure.id)) != NULL)
			*array_push(&s->measures) = (struct measured){ row.measure.time, row.measure.value,
				row.measure.expected, row.measure.low, row.measure.high, row.measure.level };
	} else if (kind == STK_CAPACITY) {
		if ((s = series_by_id(t, row.capacity.id)) != NULL) {
			s->capacity = row.capacity;
			s->has_capacity = true;
		}
	}
}

int
trend_chart_take(struct trend_chart *t, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	unsigned kind = (unsigned)block->kind;

	if (kind != STK_FILTER_STATE && kind != STK_MEASURE && kind != STK_FORECAST && kind != STK_ANOMALY &&
	    kind != STK_CAPACITY && kind != STK_RANK && kind != STK_HOLDER && kind != STK_HELD)
		return 0;
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++)
		take_row(t, reader, kind, i);
	return 0;
}

/* --- which come first --- */

static bool
is_new_level_kind(struct stk_text what)
{
	return text_is(what, "shift") || text_is(what, "drift") || text_is(what, "cost-shift") ||
	       text_is(what, "level-shift");
}

static void
weigh(struct trend_series *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->measures.count; i++)
		sum += s->measures.at[i].value;
	s->mean = s->measures.count > 0 ? sum / (double)s->measures.count : 0;
	s->change = 0;
	for (size_t i = 0; i < s->findings.count; i++)
		if (s->findings.at[i].news && is_new_level_kind(s->findings.at[i].what))
			s->change = fmax(s->change, fabs(s->findings.at[i].after - s->findings.at[i].before));
}

static int
compare_series(const void *a, const void *b, void *context)
{
	const struct trend_chart *t = context;
	const struct trend_series *x = &t->series.at[*(const uint32_t *)a], *y = &t->series.at[*(const uint32_t *)b];
	bool p = x->kind >= STK_SERIES_METRIC, q = y->kind >= STK_SERIES_METRIC;
	int order;

	if (x->has_capacity != y->has_capacity)
		return y->has_capacity ? 1 : -1;
	if (p != q)
		return q ? 1 : -1;
	if (explains(x) != explains(y))
		return explains(y) ? 1 : -1;
	if (explains(x) && x->rank.place != y->rank.place)
		return x->rank.place > y->rank.place ? 1 : -1;
	if (x->mean != y->mean && !p)
		return x->mean < y->mean ? 1 : -1;
	order = text_compare(x->name, y->name);
	return order != 0 ? order : text_compare(x->part, y->part);
}

/* A whole segment is a class of the same threads: where there are classes, segments are left out. */
static uint32_t *
choose_series(struct trend_chart *t, size_t *count, size_t *segments)
{
	uint32_t *order = mem_new(t->series.count + 1, sizeof *order);
	bool classes = false;
	size_t most = 0;

	*count = *segments = 0;
	for (size_t i = 0; i < t->series.count; i++)
		classes |= t->series.at[i].kind == STK_SERIES_CLASS && t->series.at[i].measures.count > 0;
	for (uint32_t i = 0; i < t->series.count; i++) {
		struct trend_series *s = &t->series.at[i];

		weigh(s);
		if (s->measures.count == 0)
			continue;
		if (classes && s->kind == STK_SERIES_SEGMENT)
			(*segments)++;
		else
			order[(*count)++] = i;
	}
	qsort_r(order, *count, sizeof *order, compare_series, t);
	for (size_t i = 1; i < *count && !t->series.at[order[0]].has_capacity; i++)
		if (t->series.at[order[i]].change > t->series.at[order[most]].change)
			most = i;
	if (most > 0) {
		uint32_t hero = order[most];

		memmove(order + 1, order, most * sizeof *order);
		order[0] = hero;
	}
	return order;
}

/* --- words --- */

static const char *
unit_of(const struct trend_series *s)
{
	static const char *const bytes[] = { "heap.", "metaspace.", "nonheap.", "memory.", "bytes", "rss" };
	static const char *const seconds[] = { "gc.pause", "gc.cause.", "gc.time", "seconds" };

	if (s->kind <= STK_SERIES_GROUP)
		return "threads";
	if (s->kind == STK_SERIES_COUNTER)
		return "per second";
	for (unsigned i = 0; i < sizeof bytes / sizeof *bytes; i++)
		if (memmem(s->name.data, s->name.size, bytes[i], strlen(bytes[i])) != NULL)
			return "bytes";
	for (unsigned i = 0; i < sizeof seconds / sizeof *seconds; i++)
		if (memmem(s->name.data, s->name.size, seconds[i], strlen(seconds[i])) != NULL)
			return "seconds";
	return "";
}

static void
add_change(struct text_buffer *to, double value, const char *unit)
{
	if (value > 0)
		add_char(to, '+');
	chart_add_number(to, value, unit);
}

static void
add_finding_words(struct text_buffer *to, const struct finding *f, const char *unit)
{
	add_text(to, f->what);
	if (is_new_level_kind(f->what)) {
		add_string(to, " from ");
		chart_add_number(to, f->before, unit);
		add_string(to, " to ");
		chart_add_number(to, f->after, unit);
	} else {
		add_char(to, ' ');
		chart_add_number(to, f->value, unit);
		add_string(to, ", expected ");
		chart_add_number(to, f->expected, unit);
	}
	if (!f->news)
		add_string(to, " (ended or moved)");
}

static void
add_reached(struct text_buffer *to, const struct chart *chart, const struct stk_capacity *c, const char *unit)
{
	chart_add_number(to, c->value, unit);
	if (c->reached == STK_TIME_UNKNOWN) {
		add_string(to, " is not reached in twenty years");
		return;
	}
	add_string(to, " is reached on ");
	chart_add_moment(to, chart, c->reached);
	add_string(to, " (");
	chart_add_moment(to, chart, c->earliest == STK_TIME_UNKNOWN ? c->reached : c->earliest);
	add_string(to, " to ");
	if (c->latest == STK_TIME_UNKNOWN)
		add_string(to, "never");
	else
		chart_add_moment(to, chart, c->latest);
	add_char(to, ')');
}

static void
add_explanation(struct text_buffer *to, const struct stk_rank *rank)
{
	char lag[TIME_TEXT_MAX];

	add_format(to, "correlation %.2f", rank->correlation);
	if (rank->lag != 0)
		add_format(to, ", lag %s", duration_print(lag, rank->lag));
	if (rank->q < 0.0001)
		add_string(to, ", q below 0.0001");
	else
		add_format(to, ", q %.4f", rank->q);
}

static void
add_saying(struct text_buffer *to, const struct trend_series *s, const char *unit)
{
	size_t news = 0;

	add_string(to, "level ");
	chart_add_number(to, s->kind <= STK_SERIES_GROUP && s->level < 0 ? 0 : s->level, unit);
	add_string(to, ", ");
	add_change(to, s->rate * 24, unit);
	add_string(to, " a day");
	if (s->forecasts.count > 0) {
		const struct coming *last = &s->forecasts.at[s->forecasts.count - 1];

		add_string(to, "; forecast ");
		chart_add_number(to, last->value, unit);
		add_string(to, " (");
		chart_add_number(to, last->low, unit);
		add_string(to, " to ");
		chart_add_number(to, last->high, unit);
		add_char(to, ')');
	}
	for (size_t i = 0; i < s->findings.count; i++)
		news += s->findings.at[i].news;
	if (news > 0)
		add_format(to, "; %zu finding%s", news, news == 1 ? "" : "s");
	if (explains(s)) {
		add_string(to, "; explains ");
		add_text(to, s->rank.against);
		add_string(to, ": ");
		add_explanation(to, &s->rank);
	}
}

static void
add_title(struct text_buffer *to, const struct trend_series *s, struct stk_text label)
{
	add_text(to, label.size > 0 ? label : s->name);
	if (s->part.size > 0) {
		add_string(to, " @ ");
		add_text(to, s->part);
	}
}

/* --- columns --- */

static void
put(double *at, unsigned *counts, unsigned column, double value)
{
	if (isnan(value))
		return;
	at[column] = counts[column]++ == 0 ? value : at[column] + value;
}

static void
divide(double *at, unsigned *counts, unsigned columns)
{
	for (unsigned c = 0; c < columns; c++) {
		if (counts[c] > 1)
			at[c] /= counts[c];
		counts[c] = 0;
	}
}

#define SUM_UP(field, line) \
	do { \
		for (size_t i_ = 0; i_ < s->measures.count; i_++) { \
			unsigned c_ = chart_column(chart, s->measures.at[i_].time_ns); \
			if (c_ < chart->columns) \
				put(line, counts, c_, s->measures.at[i_].field); \
		} \
	} while (0)
#define SUM_UP_COMING(field, line) \
	do { \
		for (size_t i_ = 0; i_ < s->forecasts.count; i_++) { \
			unsigned c_ = chart_column(chart, s->forecasts.at[i_].time_ns); \
			if (c_ >= chart->seen && c_ < chart->columns) \
				put(line, counts, c_, s->forecasts.at[i_].field); \
		} \
	} while (0)

static void
fill_lines(struct chart *chart, struct chart_panel *panel, const struct trend_series *s, unsigned *counts)
{
	double *expected = chart_line(chart, panel, CHART_EXPECTED, text_from("expected"))->at;
	double *level = chart_line(chart, panel, CHART_LEVEL, text_from("level"))->at;
	double *value = chart_line(chart, panel, CHART_MEASURED, text_from("measured"))->at;

	panel->low = chart_values(chart, NAN);
	panel->high = chart_values(chart, NAN);
	SUM_UP(value, value);
	divide(value, counts, chart->columns);
	SUM_UP(level, level);
	divide(level, counts, chart->columns);
	SUM_UP(expected, expected);
	SUM_UP_COMING(value, expected);
	divide(expected, counts, chart->columns);
	SUM_UP(low, panel->low);
	SUM_UP_COMING(low, panel->low);
	divide(panel->low, counts, chart->columns);
	SUM_UP(high, panel->high);
	SUM_UP_COMING(high, panel->high);
	divide(panel->high, counts, chart->columns);
}

static void
fill_marks(struct chart *chart, struct chart_panel *panel, const struct trend_series *s)
{
	struct text_buffer text = { 0 };

	for (size_t i = 0; i < s->findings.count; i++) {
		const struct finding *f = &s->findings.at[i];
		struct chart_mark *mark;

		if (!f->news)
			continue;
		mark = array_push(&panel->marks);
		add_finding_words(&text, f, panel->unit);
		*mark = (struct chart_mark){ f->time_ns, f->until_ns, chart_text(chart, f->what),
					     chart_take(chart, &text) };
	}
	array_release(&text);
}

static void
fill_panel(struct chart *chart, const struct trend_series *s, struct stk_text label, unsigned *counts)
{
	struct text_buffer text = { 0 };
	struct chart_panel *panel;

	add_title(&text, s, label);
	panel = chart_panel(chart, text_in(&text, 0), unit_of(s));
	text.count = 0;
	fill_lines(chart, panel, s, counts);
	fill_marks(chart, panel, s);
	add_saying(&text, s, panel->unit);
	panel->say = chart_take(chart, &text);
	if (s->has_capacity) {
		panel->limit = s->capacity.value;
		panel->now = s->capacity.now;
		panel->reached_ns = s->capacity.reached;
		panel->earliest_ns = s->capacity.earliest;
		panel->latest_ns = s->capacity.latest;
		add_reached(&text, chart, &s->capacity, panel->unit);
		panel->limit_say = chart_take(chart, &text);
	}
	array_release(&text);
}

/* --- the whole --- */

/* Up to when a limit is reached, if that is not so far that the past would be too small to see. */
static int64_t
end_of_limits(const struct trend_chart *t, const uint32_t *order, size_t count, int64_t begin, int64_t last)
{
	int64_t most = time_sum(last, time_difference(begin, last) / 4 * 3), end = last;

	for (size_t i = 0; i < count; i++) {
		const struct stk_capacity *c = &t->series.at[order[i]].capacity;
		int64_t until = c->latest == STK_TIME_UNKNOWN || c->latest > most ? c->reached : c->latest;

		if (t->series.at[order[i]].has_capacity && until != STK_TIME_UNKNOWN && until <= most && until > end)
			end = until;
	}
	return end;
}

static void
find_axis(const struct trend_chart *t, const uint32_t *order, size_t count, struct chart *chart)
{
	int64_t begin = INT64_MAX, last = INT64_MIN, end = INT64_MIN, step = INT64_MAX, limits;

	for (size_t i = 0; i < count; i++) {
		const struct trend_series *s = &t->series.at[order[i]];

		for (size_t k = 0; k < s->measures.count; k++) {
			int64_t at = s->measures.at[k].time_ns,
				apart = k == 0 ? 0 : time_difference(s->measures.at[k - 1].time_ns, at);

			begin = at < begin ? at : begin;
			last = at > last ? at : last;
			step = apart > 0 && apart < step ? apart : step;
		}
		for (size_t k = 0; k < s->forecasts.count; k++)
			end = s->forecasts.at[k].time_ns > end ? s->forecasts.at[k].time_ns : end;
	}
	if (begin > last)
		begin = last = 0;
	if (step == INT64_MAX)
		step = SLOT_NS;
	end = end > last ? end : last;
	limits = end_of_limits(t, order, count, begin, last);
	chart_set_axis(chart, begin, time_sum(end > limits ? end : limits, step), step);
	chart->foreseen = (unsigned)(time_difference(begin, end) / chart->column_ns) + 1;
	chart->seen = (unsigned)(time_difference(begin, last) / chart->column_ns) + 1;
}

static struct stk_text
label_of_class(void *context, struct stk_text name)
{
	const struct trend_chart *t = context;

	for (size_t i = 0; i < t->series.count; i++)
		if (t->series.at[i].kind == STK_SERIES_CLASS && text_equal(t->series.at[i].name, name) &&
		    t->series.at[i].label.size > 0)
			return t->series.at[i].label;
	return name;
}

/* Short labels of classes, each different from the others. */
static struct stk_text *
make_labels(const struct trend_chart *t, const uint32_t *order, size_t count, struct text_buffer *room)
{
	struct stk_text *labels = mem_new(count + 1, sizeof *labels);

	for (size_t i = 0; i < count; i++)
		labels[i] = t->series.at[order[i]].label.data == NULL ? text_of("", 0) : t->series.at[order[i]].label;
	leaf_labels(labels, count, LABEL_FRAMES, room);
	return labels;
}

#define ANSWERS 3

static void
add_answer(struct text_buffer *to, struct stk_text name)
{
	if (to->count > 0)
		add_string(to, "; ");
	add_text(to, name);
	add_string(to, ": ");
}

/* Limits first, then the largest changes; when there is neither, that. */
static void
make_answer(const struct trend_chart *t, const uint32_t *order, size_t count, const struct stk_text *labels,
	    struct chart *chart)
{
	struct text_buffer text = { 0 }, name = { 0 };
	unsigned told = 0;
	bool *used = mem_new(count + 1, sizeof *used);

	for (size_t i = 0; i < count && told < ANSWERS; i++) {
		const struct trend_series *s = &t->series.at[order[i]];

		if (!s->has_capacity)
			continue;
		name.count = 0;
		add_title(&name, s, labels[i]);
		add_answer(&text, text_in(&name, 0));
		add_reached(&text, chart, &s->capacity, unit_of(s));
		told++;
	}
	for (size_t i = 0; i < count && told < ANSWERS; i++) {
		const struct trend_series *s = &t->series.at[order[i]];

		if (!explains(s) || s->rank.place != 1)
			continue;
		name.count = 0;
		add_title(&name, s, labels[i]);
		add_answer(&text, text_in(&name, 0));
		add_string(&text, "explains ");
		add_text(&text, s->rank.against);
		told++;
	}
	while (told < ANSWERS) {
		size_t best = count;
		const struct finding *largest = NULL;

		for (size_t i = 0; i < count; i++)
			if (!used[i] && t->series.at[order[i]].change > 0 &&
			    (best == count || t->series.at[order[i]].change > t->series.at[order[best]].change))
				best = i;
		if (best == count)
			break;
		used[best] = true;
		told++;
		for (size_t k = 0; k < t->series.at[order[best]].findings.count; k++) {
			const struct finding *f = &t->series.at[order[best]].findings.at[k];

			if (f->news && is_new_level_kind(f->what) &&
			    (largest == NULL || fabs(f->after - f->before) > fabs(largest->after - largest->before)))
				largest = f;
		}
		name.count = 0;
		add_title(&name, &t->series.at[order[best]], labels[best]);
		add_answer(&text, text_in(&name, 0));
		add_finding_words(&text, largest, unit_of(&t->series.at[order[best]]));
		add_string(&text, " at ");
		chart_add_moment(&text, chart, largest->time_ns);
	}
	if (told == 0)
		add_format(&text, "%zu series were followed; no level changed for good", count);
	chart->answer = chart_take(chart, &text);
	array_release(&text);
	array_release(&name);
	free(used);
}

#define OTHERS 5

/* Findings of threads, and of series whose measures are not there. */
static void
note_others(const struct trend_chart *t, struct chart *chart)
{
	struct text_buffer text = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < t->series.count; i++)
		for (size_t k = 0; k < t->series.at[i].findings.count; k++) {
			const struct trend_series *s = &t->series.at[i];
			const struct finding *f = &s->findings.at[k];
			char lasted[TIME_TEXT_MAX];

			if (s->measures.count > 0 || !f->news || count++ >= OTHERS)
				continue;
			add_text(&text, f->what);
			add_string(&text, ": ");
			add_text(&text, s->name);
			add_string(&text, ", from ");
			chart_add_moment(&text, chart, f->time_ns);
			add_format(&text, " for %s", duration_print(lasted, time_difference(f->time_ns, f->until_ns)));
			*array_push(&chart->notes) = chart_take(chart, &text);
		}
	if (count > OTHERS)
		chart_note(chart, "%zu more findings (see stktrend --anomalies)", count - OTHERS);
	array_release(&text);
}

/* What stktrend --against found nothing for. */
static void
note_unexplained(const struct trend_chart *t, struct chart *chart)
{
	struct text_buffer text = { 0 };
	struct stk_text against = { 0 };
	size_t compared = 0;

	for (size_t i = 0; i < t->series.count; i++) {
		const struct trend_series *s = &t->series.at[i];

		if (explains(s))
			return;
		compared += s->rank.place > 0;
		against = s->rank.place > 0 ? s->rank.against : against;
	}
	if (compared == 0)
		return;
	add_format(&text, "None of %zu series explains ", compared);
	add_text(&text, against);
	*array_push(&chart->notes) = chart_take(chart, &text);
	array_release(&text);
}

size_t
trend_chart_count(const struct trend_chart *t)
{
	size_t count = 0;

	for (size_t i = 0; i < t->series.count; i++)
		count += t->series.at[i].measures.count > 0;
	return count;
}

void
trend_chart_make(struct trend_chart *t, unsigned most, struct chart *chart)
{
	size_t count, segments, shown;
	uint32_t *order = choose_series(t, &count, &segments);
	struct text_buffer room = { 0 };
	struct stk_text *labels = make_labels(t, order, count, &room);
	unsigned *counts;

	chart->kind = "trend";
	find_axis(t, order, count, chart);
	counts = mem_new(chart->columns, sizeof *counts);
	shown = count < most ? count : most;
	for (size_t i = 0; i < shown; i++) {
		const struct trend_series *s = &t->series.at[order[i]];

		fill_panel(chart, s, labels[i], counts);
		if (s->kind == STK_SERIES_METRIC)
			holder_panels_add(&t->holders, chart, s->name, s->part, label_of_class, t);
	}
	make_answer(t, order, count, labels, chart);
	note_unexplained(t, chart);
	note_others(t, chart);
	if (count > shown)
		chart_note(chart, "%zu lighter series of %zu are not drawn (see stktrend --series)", count - shown, count);
	if (segments > 0)
		chart_note(chart, "%zu segments are not drawn beside the classes (see stktrend --kind)", segments);
	free(counts);
	free(labels);
	free(order);
	array_release(&room);
}
