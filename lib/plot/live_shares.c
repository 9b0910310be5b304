/* SPDX-License-Identifier: MIT
 * live_shares: cells are rings. A ring knows its latest cell; what lies between that and a later one is emptied when
 * that comes. */
#include "plot/live_shares.h"

#include "base/array.h"
#include "base/hash_map.h"
#include "base/text_table.h"

#include <stdlib.h>
#include <string.h>

#define RING (LIVE_CELLS + 60)		/* some more, for what arrives late */

struct ring { int64_t latest; float running[RING], all[RING]; };	/* latest: number of a cell */

struct key_ring { uint32_t key, source; struct ring *ring; };

struct source_ring { uint32_t source; int64_t first; struct ring *dumps; };	/* NULL: it has none; first: its cell */

struct live_shares {
	int64_t cell_ns;
	struct hash_map map;		/* by key and source: the place in keys and 1 more */
	ARRAY(struct key_ring) keys;
	ARRAY(struct source_ring) sources;
	ARRAY(struct live_row) rows;
	ARRAY(uint32_t) row_of;		/* by key, in one call of live_shares_rows: the row and 1 more */
	uint64_t left_out;
	int64_t dropped_cell;		/* when there was no room last */
};

void
live_shares_open(struct live_shares **out, int64_t cell_ns)
{
	struct live_shares *s = *out = mem_new(1, sizeof *s);

	s->cell_ns = cell_ns;
}

void
live_shares_clear_keys(struct live_shares *s)
{
	for (size_t i = 0; i < s->keys.count; i++)
		free(s->keys.at[i].ring);
	s->keys.count = 0;
	s->left_out = 0;
	hash_map_clear(&s->map);
}

void
live_shares_close(struct live_shares *s)
{
	if (s == NULL)
		return;
	live_shares_clear_keys(s);
	for (size_t i = 0; i < s->sources.count; i++)
		free(s->sources.at[i].dumps);
	array_release(&s->keys);
	array_release(&s->sources);
	array_release(&s->rows);
	array_release(&s->row_of);
	hash_map_release(&s->map);
	free(s);
}

/* --- rings --- */

static int64_t
cell_of(const struct live_shares *s, int64_t time_ns)
{
	return time_ns / s->cell_ns - (time_ns % s->cell_ns < 0);
}

static size_t
place_of(int64_t cell)
{
	return (size_t)((cell % RING + RING) % RING);
}

static struct ring *
new_ring(int64_t cell)
{
	struct ring *ring = mem_new(1, sizeof *ring);

	ring->latest = cell;
	return ring;
}

static void
add_to_ring(struct ring *ring, int64_t cell, double running, double all)
{
	if (cell <= ring->latest - RING)
		return;
	if (cell - ring->latest >= RING) {
		memset(ring->running, 0, sizeof ring->running);
		memset(ring->all, 0, sizeof ring->all);
		ring->latest = cell;
	}
	while (ring->latest < cell) {
		size_t at = place_of(++ring->latest);

		ring->running[at] = ring->all[at] = 0;
	}
	ring->running[place_of(cell)] += (float)running;
	ring->all[place_of(cell)] += (float)all;
}

/* The place of a cell; -1: it has none. */
static long
find_cell(const struct ring *ring, int64_t cell)
{
	return cell > ring->latest || cell <= ring->latest - RING ? -1 : (long)place_of(cell);
}

/* --- adding --- */

static struct source_ring *
source_ring_of(struct live_shares *s, uint32_t source, int64_t cell)
{
	for (size_t i = 0; i < s->sources.count; i++)
		if (s->sources.at[i].source == source) {
			struct source_ring *at = &s->sources.at[i];

			at->first = cell < at->first ? cell : at->first;
			return at;
		}
	*array_push(&s->sources) = (struct source_ring){ .source = source, .first = cell };
	return &s->sources.at[s->sources.count - 1];
}

void
live_shares_dump(struct live_shares *s, uint32_t source, int64_t time_ns)
{
	int64_t cell = cell_of(s, time_ns);
	struct source_ring *of = source_ring_of(s, source, cell);

	if (of->dumps == NULL)
		of->dumps = new_ring(cell);
	add_to_ring(of->dumps, cell, 1, 1);
}

static struct ring *
find_key(const struct live_shares *s, uint32_t key, uint32_t source)
{
	uint64_t hash = hash_pair(key, source);
	uint32_t at = hash_map_start(&s->map, hash), number;

	while ((number = hash_map_next(&s->map, hash, &at)) != 0)
		if (s->keys.at[number - 1].key == key && s->keys.at[number - 1].source == source)
			return s->keys.at[number - 1].ring;
	return NULL;
}

/* Keys that are not shown any more give their place to others. */
static void
drop_old_keys(struct live_shares *s, int64_t cell)
{
	size_t left = 0;

	hash_map_clear(&s->map);
	for (size_t i = 0; i < s->keys.count; i++) {
		struct key_ring *of = &s->keys.at[i];

		if (of->ring->latest <= cell - LIVE_CELLS) {
			free(of->ring);
			continue;
		}
		s->keys.at[left++] = *of;
		hash_map_put(&s->map, hash_pair(of->key, of->source), (uint32_t)left);
	}
	s->keys.count = left;
}

/* NULL: there is no room. */
static struct ring *
make_key(struct live_shares *s, uint32_t key, uint32_t source, int64_t cell)
{
	struct ring *ring;

	if (s->keys.count == LIVE_KEYS_MOST && s->dropped_cell != cell) {
		drop_old_keys(s, cell);
		s->dropped_cell = cell;
	}
	if (s->keys.count == LIVE_KEYS_MOST)
		return NULL;
	ring = new_ring(cell);
	*array_push(&s->keys) = (struct key_ring){ .key = key, .source = source, .ring = ring };
	hash_map_put(&s->map, hash_pair(key, source), (uint32_t)s->keys.count);
	return ring;
}

void
live_shares_add(struct live_shares *s, uint32_t key, uint32_t source, int64_t time_ns, double running, double all)
{
	int64_t cell = cell_of(s, time_ns);
	struct ring *ring = find_key(s, key, source);

	if (ring == NULL && (ring = make_key(s, key, source, cell)) == NULL) {
		s->left_out++;
		return;
	}
	(void)source_ring_of(s, source, cell);
	add_to_ring(ring, cell, running, all);
}

/* --- rows --- */

/* What to divide by in the cells from..to: dumps, or seconds since the source was first met. */
static double
divisor(const struct live_shares *s, const struct source_ring *of, int64_t from, int64_t to)
{
	double dumps = 0;

	if (of->dumps == NULL) {
		if (from < of->first)
			from = of->first;
		return to < from ? 0 : (double)(to - from + 1) * (double)s->cell_ns / 1e9;
	}
	for (int64_t cell = from; cell <= to; cell++) {
		long at = find_cell(of->dumps, cell);

		dumps += at < 0 ? 0 : of->dumps->running[at];
	}
	return dumps;
}

static double
sum_of(const struct ring *ring, const float *values, int64_t from, int64_t to)
{
	double sum = 0;

	for (int64_t cell = from; cell <= to; cell++) {
		long at = find_cell(ring, cell);

		sum += at < 0 ? 0 : values[at];
	}
	return sum;
}

static double
quotient(double sum, double by)
{
	return by > 0 ? sum / by : 0;
}

struct divisors { double now, recent, whole, cells[LIVE_CELLS]; };

static void
find_divisors(const struct live_shares *s, const struct source_ring *of, int64_t now, struct divisors *by)
{
	by->now = divisor(s, of, now - LIVE_NOW + 1, now);
	by->recent = divisor(s, of, now - LIVE_RECENT + 1, now);
	by->whole = divisor(s, of, now - LIVE_CELLS + 1, now);
	for (int i = 0; i < LIVE_CELLS; i++)
		by->cells[i] = divisor(s, of, now - LIVE_CELLS + 1 + i, now - LIVE_CELLS + 1 + i);
}

static void
add_to_row(struct live_row *row, const struct ring *ring, const struct divisors *by, int64_t now)
{
	row->now += quotient(sum_of(ring, ring->running, now - LIVE_NOW + 1, now), by->now);
	row->recent += quotient(sum_of(ring, ring->running, now - LIVE_RECENT + 1, now), by->recent);
	row->whole += quotient(sum_of(ring, ring->running, now - LIVE_CELLS + 1, now), by->whole);
	row->all_now += quotient(sum_of(ring, ring->all, now - LIVE_NOW + 1, now), by->now);
	for (int i = 0; i < LIVE_CELLS; i++) {
		long at = find_cell(ring, now - LIVE_CELLS + 1 + i);

		if (by->cells[i] <= 0)
			continue;
		if (row->cells[i] < 0)
			row->cells[i] = 0;
		row->cells[i] += (float)(at < 0 ? 0 : ring->running[at] / by->cells[i]);
	}
}

static void
empty_row(struct live_row *row, uint32_t key)
{
	*row = (struct live_row){ .key = key };
	for (int i = 0; i < LIVE_CELLS; i++)
		row->cells[i] = -1;
}

static struct live_row *
row_for(struct live_shares *s, uint32_t key)
{
	array_lengthen(&s->row_of, (size_t)key + 1);
	if (s->row_of.at[key] == 0) {
		empty_row(array_push(&s->rows), key);
		s->row_of.at[key] = (uint32_t)s->rows.count;
	}
	return &s->rows.at[s->row_of.at[key] - 1];
}

const struct live_row *
live_shares_rows(struct live_shares *s, int64_t now_ns, size_t *count, struct live_row *total)
{
	int64_t now = cell_of(s, now_ns);

	empty_row(total, 0);
	for (size_t i = 0; i < s->rows.count; i++)
		s->row_of.at[s->rows.at[i].key] = 0;
	s->rows.count = 0;
	for (size_t i = 0; i < s->sources.count; i++) {
		struct divisors by;

		find_divisors(s, &s->sources.at[i], now, &by);
		for (size_t k = 0; k < s->keys.count; k++) {
			const struct key_ring *of = &s->keys.at[k];

			if (of->source != s->sources.at[i].source || of->ring->latest <= now - LIVE_CELLS)
				continue;
			add_to_row(row_for(s, of->key), of->ring, &by, now);
			add_to_row(total, of->ring, &by, now);
		}
	}
	*count = s->rows.count;
	return s->rows.at;
}

uint64_t
live_shares_left_out(const struct live_shares *s)
{
	return s->left_out;
}
