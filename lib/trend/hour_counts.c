/* SPDX-License-Identifier: MIT
 * hour_counts: lists by hour, most of which only grow at their end. */
#include "trend/hour_counts.h"

#include "base/hash_map.h"

#include <math.h>
#include <xxhash.h>

#define HOUR_NS INT64_C(3600000000000)

struct counted {
	uint32_t source, series;
	struct hour_cells cells;
};

struct hour_counts {
	ARRAY(struct hour_cells) dumps; /* by source */
	ARRAY(struct counted) counted;
	ARRAY(struct hours_of_metric) metrics; /* by series */
	struct hash_map map; /* of counted: numbers from 1 */
	/* the present dump */
	uint32_t source;
	int64_t hour;
	bool odd;
};

struct hour_counts *
hour_counts_open(void)
{
	return mem_new(1, sizeof(struct hour_counts));
}

void
hour_counts_close(struct hour_counts *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->dumps.count; i++)
		array_release(&c->dumps.at[i]);
	for (size_t i = 0; i < c->counted.count; i++)
		array_release(&c->counted.at[i].cells);
	for (size_t i = 0; i < c->metrics.count; i++)
		array_release(&c->metrics.at[i]);
	array_release(&c->dumps);
	array_release(&c->counted);
	array_release(&c->metrics);
	hash_map_release(&c->map);
	free(c);
}

static int64_t
hour_of(int64_t time_ns)
{
	return time_ns / HOUR_NS - (time_ns % HOUR_NS < 0);
}

/* The first that is not before an hour, of things that begin with theirs. */
static size_t
place_of(const void *at, size_t count, size_t size, int64_t hour)
{
	size_t low = 0, high = count;

	if (count > 0 && *(const int64_t *)((const char *)at + (count - 1) * size) < hour)
		return count;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (*(const int64_t *)((const char *)at + middle * size) < hour)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct hour_cell *
cell_of(struct hour_cells *cells, int64_t hour)
{
	size_t at = place_of(cells->at, cells->count, sizeof *cells->at, hour);

	if (at == cells->count || cells->at[at].hour != hour) {
		(void)array_push(cells);
		memmove(cells->at + at + 1, cells->at + at, (cells->count - 1 - at) * sizeof *cells->at);
		cells->at[at] = (struct hour_cell){ .hour = hour };
	}
	return &cells->at[at];
}

void
hour_counts_dump(struct hour_counts *c, uint32_t source, int64_t time_ns)
{
	struct hour_cell *cell;

	array_lengthen(&c->dumps, (size_t)source + 1);
	c->source = source;
	c->hour = hour_of(time_ns);
	cell = cell_of(&c->dumps.at[source], c->hour);
	c->odd = cell->odd <= cell->even;
	cell->odd += c->odd ? 1 : 0;
	cell->even += c->odd ? 0 : 1;
}

static uint64_t
hash_of(uint32_t source, uint32_t series)
{
	uint64_t key = (uint64_t)source << 32 | series;

	return XXH3_64bits(&key, sizeof key);
}

static struct counted *
find(const struct hour_counts *c, uint32_t source, uint32_t series)
{
	uint64_t hash = hash_of(source, series);
	uint32_t at = hash_map_start(&c->map, hash), number;

	while ((number = hash_map_next(&c->map, hash, &at)) != 0)
		if (c->counted.at[number - 1].source == source && c->counted.at[number - 1].series == series)
			return &c->counted.at[number - 1];
	return NULL;
}

static struct hour_cells *
cells_of(struct hour_counts *c, uint32_t source, uint32_t series)
{
	struct counted *counted = find(c, source, series);

	if (counted == NULL) {
		counted = array_push(&c->counted);
		*counted = (struct counted){ .source = source, .series = series };
		hash_map_put(&c->map, hash_of(source, series), (uint32_t)c->counted.count);
	}
	return &counted->cells;
}

void
hour_counts_add(struct hour_counts *c, uint32_t series, double amount)
{
	struct hour_cell *cell;

	if (series == 0)
		return;
	cell = cell_of(cells_of(c, c->source, series), c->hour);
	cell->odd += c->odd ? (float)amount : 0;
	cell->even += c->odd ? 0 : (float)amount;
}

static struct hour_measures *
measures_of(struct hour_counts *c, uint32_t series, int64_t hour)
{
	struct hours_of_metric *metric;
	size_t at;

	array_lengthen(&c->metrics, (size_t)series + 1);
	metric = &c->metrics.at[series];
	at = place_of(metric->at, metric->count, sizeof *metric->at, hour);
	if (at == metric->count || metric->at[at].hour != hour) {
		(void)array_push(metric);
		memmove(metric->at + at + 1, metric->at + at, (metric->count - 1 - at) * sizeof *metric->at);
		metric->at[at] = (struct hour_measures){ .hour = hour, .least = INFINITY };
	}
	return &metric->at[at];
}

void
hour_counts_measure(struct hour_counts *c, uint32_t series, int64_t time_ns, double value)
{
	struct hour_measures *measures = measures_of(c, series, hour_of(time_ns));

	measures->least = fmin(measures->least, value);
	measures->sum += value;
	measures->count++;
}

void
hour_counts_restore_measures(struct hour_counts *c, uint32_t series, const struct hour_measures *kept)
{
	struct hour_measures *measures = measures_of(c, series, kept->hour);

	measures->least = fmin(measures->least, kept->least);
	measures->sum += kept->sum;
	measures->count += kept->count;
}

void
hour_counts_restore(struct hour_counts *c, uint32_t source, uint32_t series, const struct hour_cell *kept)
{
	struct hour_cell *cell;

	array_lengthen(&c->dumps, (size_t)source + 1);
	cell = cell_of(series == 0 ? &c->dumps.at[source] : cells_of(c, source, series), kept->hour);
	cell->odd += kept->odd;
	cell->even += kept->even;
}

/* Cells or measures of before this hour. */
static void
forget_before(void *at, size_t *count, size_t size, int64_t from)
{
	size_t old = place_of(at, *count, size, from);

	if (old > 0)
		memmove(at, (char *)at + old * size, (*count - old) * size);
	*count -= old;
}

#define FORGET_BEFORE(array, from) forget_before((array)->at, &(array)->count, sizeof *(array)->at, from)

void
hour_counts_forget(struct hour_counts *c)
{
	int64_t from = INT64_MIN;

	for (size_t i = 0; i < c->dumps.count; i++) {
		const struct hour_cells *d = &c->dumps.at[i];

		if (d->count > 0 && d->at[d->count - 1].hour - HOUR_COUNTS_DAYS * 24 > from)
			from = d->at[d->count - 1].hour - HOUR_COUNTS_DAYS * 24;
	}
	for (size_t i = 0; i < c->dumps.count; i++)
		FORGET_BEFORE(&c->dumps.at[i], from);
	for (size_t i = 0; i < c->counted.count; i++)
		FORGET_BEFORE(&c->counted.at[i].cells, from);
	for (size_t i = 0; i < c->metrics.count; i++)
		FORGET_BEFORE(&c->metrics.at[i], from);
}

uint32_t
hour_counts_sources(const struct hour_counts *c)
{
	return (uint32_t)c->dumps.count;
}

const struct hour_cells *
hour_counts_dumps(const struct hour_counts *c, uint32_t source)
{
	return source < c->dumps.count && c->dumps.at[source].count > 0 ? &c->dumps.at[source] : NULL;
}

const struct hour_cells *
hour_counts_of(const struct hour_counts *c, uint32_t source, uint32_t series)
{
	const struct counted *counted = find(c, source, series);

	return counted == NULL ? NULL : &counted->cells;
}

const struct hours_of_metric *
hour_counts_measures(const struct hour_counts *c, uint32_t series)
{
	return series < c->metrics.count && c->metrics.at[series].count > 0 ? &c->metrics.at[series] : NULL;
}
