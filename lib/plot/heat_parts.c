/* SPDX-License-Identifier: MIT
 * heat_parts: the recording is gone through once, range by range: each range becomes a fine block, and is added to the
 * level and to the totals. Whether cells must be longer is estimated from every eighth range. */
#include "plot/heat_parts.h"

#include "plot/heat_names.h"

#include "base/bytes.h"
#include "base/pair_sums.h"

#include <zlib.h>

#define MINUTE_NS INT64_C(60000000000)
#define ALIGN_NS (15 * MINUTE_NS) /* of cell 0 */
#define RUNS_AIMED_AT 100000 /* of a block: estimates of how many it will have are off by some */
#define BYTES_OF_RUN 1.05 /* about; to know whether estimating is worth the time */
#define TOTALS_MOST 90000
#define MINUTES_MOST 600000 /* of totals beside which fine blocks are not in the page: a year */
#define LEVEL_CELLS 10000 /* about, of the finest level */
#define LEVEL_SHARE 12 /* the level takes a twelfth of the page at most, */
#define LEVEL_BYTES 100000 /* or this where it is more; */
#define LEVEL_SHARE_BESIDE 3 /* a third where fine blocks are beside it */
#define NAMES_PERCENT 40
#define ESTIMATE_EVERY 8
#define FEW_ROWS 256
#define BYTES_OF_PART 16 /* beside the page: of what the page knows of it */
#define COUNTS_MOST (UINT64_C(1) << 53)

static const int64_t cell_lengths_ms[] = { 1,    2,    5,    10,    20,    40,    50,    100,    200,   500,
					   1000, 2000, 5000, 10000, 15000, 30000, 60000, 300000, 900000 };
#define CELL_LENGTHS (sizeof cell_lengths_ms / sizeof *cell_lengths_ms)

struct making {
	struct heat_parts *parts;
	struct heat_cells *cells;
	struct heat_rows *rows;
	const struct heat_facts *facts;
	uint32_t *row_numbers; /* by row: its number in blocks */
	uint32_t *by_weight; /* rows, the heaviest first */
	uint64_t limit;
	int64_t begin, end; /* cells of *cells, aligned */
	double runs_left; /* of the runs of *cells this part is left with longer cells */
	/* of a pass */
	uint32_t times; /* how many cells of *cells are one */
	struct heat_counts counts, joined;
	ARRAY(struct heat_row) level_rows; /* of all ranges, one after another, cells of a minute or longer */
	ARRAY(struct heat_run) level_runs;
	ARRAY(uint64_t) totals, row_sums;
};

/* --- bytes --- */

/* What the page writer does to some bytes makes them longer. */
static uint64_t
page_bytes(const struct text_buffer *of, size_t from)
{
	uint64_t bytes = of->count - from;

	for (size_t i = from; i < of->count; i++) {
		uint8_t byte = (uint8_t)(of->at[i] + 42);

		bytes += byte == 0 || byte == 13 || byte == 60 || byte == 61;
	}
	return bytes;
}

void
heat_parts_release(struct heat_parts *parts)
{
	array_release(&parts->names);
	array_release(&parts->total_block);
	array_release(&parts->level);
	array_release(&parts->bytes);
	array_release(&parts->fine);
	array_release(&parts->middle);
	free(parts->row_numbers);
}

/* --- fine blocks, and those of the middle --- */

static void
add_part(struct making *m, struct heat_part_list *to, const struct heat_counts *counts, uint32_t first, uint32_t cells)
{
	struct heat_part *part = array_push(to);

	*part = (struct heat_part){ .first = first,
				    .cells = cells,
				    .runs = (uint32_t)counts->runs.count,
				    .sum = heat_counts_sum(counts),
				    .begin = m->parts->bytes.count };
	heat_code_write(&m->parts->bytes, HEAT_FINE, cells, counts);
	part->end = m->parts->bytes.count;
}

/* The cell before which about half of the runs begin; 0 when they all begin in one. */
static uint32_t
middle_of(const struct heat_counts *counts, uint32_t cells)
{
	uint32_t begins[1024] = { 0 }, width = cells / 1024 + 1, bin = 0;
	size_t before = 0;

	for (size_t i = 0; i < counts->runs.count; i++)
		begins[counts->runs.at[i].start / width]++;
	while (bin < 1023 && before + begins[bin] <= counts->runs.count / 2)
		before += begins[bin++];
	if (bin == 0)
		bin = 1;
	return bin * width < cells ? bin * width : 0;
}

/* One block, or several where it has too many runs. */
static void
add_split(struct making *m, struct heat_part_list *to, const struct heat_counts *counts, uint32_t first, uint32_t cells)
{
	uint32_t middle = counts->runs.count > HEAT_RUNS_MOST ? middle_of(counts, cells) : 0;
	struct heat_counts half = { 0 };

	if (counts->runs.count == 0)
		return;
	if (middle == 0) {
		add_part(m, to, counts, first, cells);
		return;
	}
	heat_counts_cut(counts, 0, middle, &half);
	add_split(m, to, &half, first, middle);
	heat_counts_cut(counts, middle, cells, &half);
	add_split(m, to, &half, first + middle, cells - middle);
	heat_counts_release(&half);
}

/* --- the level and the totals --- */

static const uint32_t level_lengths[] = { 1, 5, 15, 60, 240, 1440, 10080 }; /* minutes */
#define LEVEL_LENGTHS (sizeof level_lengths / sizeof *level_lengths)

/* Cells of the finest level: minutes, or more of them in a long recording. */
static uint32_t
level_unit(const struct making *m)
{
	int64_t cell = m->facts->cell_ns * m->times, span = (m->end - m->begin) * m->facts->cell_ns, length = MINUTE_NS;

	for (unsigned i = 0; i < LEVEL_LENGTHS && span / length > LEVEL_CELLS; i++)
		length = level_lengths[i] * MINUTE_NS;
	return cell >= length ? 1 : (uint32_t)(length / cell);
}

static void
add_to_level(struct making *m, uint32_t first)
{
	uint32_t unit = level_unit(m), run = 0;

	heat_counts_join(&m->counts, unit, &m->joined);
	for (size_t r = 0; r < m->joined.rows.count; r++) {
		const struct heat_row *row = &m->joined.rows.at[r];

		for (; run < row->end; run++) {
			*array_push(&m->level_runs) = m->joined.runs.at[run];
			m->level_runs.at[m->level_runs.count - 1].start += first / unit;
		}
		*array_push(&m->level_rows) = (struct heat_row){ row->row, (uint32_t)m->level_runs.count };
	}
}

static void
add_to_totals(struct making *m, uint32_t first)
{
	uint32_t times = m->parts->totals_times;

	for (size_t i = 0, row = 0; i < m->counts.runs.count; i++) {
		const struct heat_run *run = &m->counts.runs.at[i];
		uint32_t at = first + run->start, end = at + run->length;

		row += i == m->counts.rows.at[row].end;
		m->row_sums.at[m->counts.rows.at[row].row] += run->count * run->length;
		while (at < end) {
			uint32_t next = at / times * times + times;

			next = next < end ? next : end;
			m->totals.at[at / times] += run->count * (next - at);
			at = next;
		}
	}
}

/* Runs of a row that follow each other with the same count become one. */
static size_t
join_equal_runs(struct heat_run *runs, size_t count, struct heat_run *to)
{
	size_t made = 0;

	for (size_t i = 0; i < count; i++) {
		struct heat_run *last = made > 0 ? &to[made - 1] : NULL;

		if (last != NULL && last->count == runs[i].count && last->start + last->length == runs[i].start)
			last->length += runs[i].length;
		else
			to[made++] = runs[i];
	}
	return made;
}

/* All that was added to the level, by row. */
static void
settle_level(struct making *m, struct heat_counts *to)
{
	uint32_t rows = m->parts->rows, *places = mem_new((size_t)rows + 1, sizeof *places), run = 0;

	for (size_t r = 0; r < m->level_rows.count; run = m->level_rows.at[r++].end)
		places[m->level_rows.at[r].row + 1] += m->level_rows.at[r].end - run;
	for (uint32_t r = 0; r < rows; r++)
		places[r + 1] += places[r];
	heat_counts_clear(to);
	array_reserve(&to->runs, m->level_runs.count);
	run = 0;
	for (size_t r = 0; r < m->level_rows.count; r++)
		for (; run < m->level_rows.at[r].end; run++)
			to->runs.at[places[m->level_rows.at[r].row]++] = m->level_runs.at[run];
	run = 0;
	for (uint32_t r = 0; r < rows; run = places[r++]) {
		if (places[r] == run)
			continue;
		to->runs.count += join_equal_runs(to->runs.at + run, places[r] - run, to->runs.at + to->runs.count);
		*array_push(&to->rows) = (struct heat_row){ r, (uint32_t)to->runs.count };
	}
	free(places);
}

/* Rows, and runs; of each row: rows left out before it, its runs, and of each of these: cells left out before it,
 * length - 1, count. */
static void
write_level_block(struct heat_parts *parts, const struct heat_counts *level)
{
	struct text_buffer plain = { 0 };
	uint32_t run = 0, next = 0;

	if (parts->place != HEAT_RECORDING) {
		heat_code_write(&parts->level, HEAT_LEVEL, parts->level_cells, level);
		return;
	}
	heat_add_varint(&plain, level->rows.count);
	heat_add_varint(&plain, level->runs.count);
	for (size_t r = 0; r < level->rows.count; r++) {
		const struct heat_row *row = &level->rows.at[r];
		uint32_t cell = 0;

		heat_add_varint(&plain, row->row - next);
		heat_add_varint(&plain, row->end - run);
		for (; run < row->end; run++) {
			const struct heat_run *at = &level->runs.at[run];

			heat_add_varint(&plain, at->start - cell);
			heat_add_varint(&plain, at->length - 1);
			heat_add_varint(&plain, at->count);
			cell = at->start + at->length;
		}
		next = row->row + 1;
	}
	heat_add_deflated(&parts->level, HEAT_LEVEL, &plain);
	array_release(&plain);
}

static void
write_level(struct making *m)
{
	struct heat_parts *parts = m->parts;
	struct heat_counts level = { 0 };
	uint64_t most = parts->place != HEAT_INSIDE ? m->limit / LEVEL_SHARE_BESIDE
						    : page_bytes(&parts->bytes, 0) / LEVEL_SHARE;

	settle_level(m, &level);
	parts->middle.count = 0;
	parts->middle_times = level_unit(m);
	most = most > LEVEL_BYTES ? most : LEVEL_BYTES;
	for (unsigned i = 0; i < LEVEL_LENGTHS; i++) {
		parts->level_times = parts->middle_times * level_lengths[i];
		parts->level_cells = (parts->cells - 1) / parts->level_times + 1;
		parts->level.count = 0;
		if (level_lengths[i] > 1)
			heat_counts_join(&level, level_lengths[i], &m->joined);
		write_level_block(parts, level_lengths[i] > 1 ? &m->joined : &level);
		if (parts->level.count <= most || parts->level_cells == 1)
			break;
	}
	if (parts->place == HEAT_BESIDE && parts->level_times > parts->middle_times)
		add_split(m, &parts->middle, &level, 0, (parts->cells - 1) / parts->middle_times + 1);
	heat_counts_release(&level);
}

static void
write_totals(struct making *m)
{
	struct text_buffer plain = { 0 };

	for (uint32_t i = 0; i < m->parts->totals; i++)
		heat_add_varint(&plain, m->totals.at[i]);
	for (uint32_t r = 0; r < m->parts->rows; r++)
		heat_add_varint(&plain, m->row_sums.at[r]);
	m->parts->total_block.count = 0;
	heat_add_deflated(&m->parts->total_block, HEAT_TOTALS, &plain);
	array_release(&plain);
}

/* --- a pass over all ranges --- */

static int64_t
longest_range(const struct making *m)
{
	int64_t hour = 60 * MINUTE_NS / m->facts->cell_ns, span = m->end - m->begin;

	return span > 48 * hour ? (span / 48 + hour - 1) / hour * hour : hour;
}

/* Where the range that begins here ends. */
static int64_t
range_end(const struct making *m, int64_t from, int64_t longest)
{
	int64_t unit = (int64_t)level_unit(m) * m->times, length = longest;

	while (length > unit) {
		double runs = heat_cells_density(m->cells, from, from + length) * m->runs_left;

		if (runs <= RUNS_AIMED_AT)
			break;
		length = (int64_t)((double)length * (runs > 2 * RUNS_AIMED_AT ? 0.5 : 0.9)) / unit * unit;
	}
	length = length > unit ? length : unit;
	return from + length < m->end ? from + length : m->end;
}

static void
begin_pass(struct making *m, uint32_t times)
{
	struct heat_parts *parts = m->parts;
	int64_t first = m->facts->first_cell - m->begin, last = m->facts->last_cell - m->begin;

	m->times = times;
	parts->cell_ns = m->facts->cell_ns * times;
	parts->cells = (uint32_t)(last / times) + 1;
	parts->first_used = (uint32_t)(first / times);
	parts->fine.count = parts->bytes.count = 0;
	m->level_rows.count = m->level_runs.count = m->totals.count = m->row_sums.count = 0;
	parts->totals_times = 1;
	for (unsigned i = 0; i < CELL_LENGTHS; i++) {
		int64_t length = cell_lengths_ms[i] * 1000000;

		if (length % parts->cell_ns == 0) {
			bool minutes = parts->place != HEAT_INSIDE && length >= MINUTE_NS;

			parts->totals_times = (uint32_t)(length / parts->cell_ns);
			if ((parts->cells - parts->first_used) / parts->totals_times <
			    (minutes ? MINUTES_MOST : TOTALS_MOST))
				break;
		}
	}
	parts->totals = (parts->cells - 1) / parts->totals_times + 1;
}

/* Every so many ranges, 1 for all. Returns the bytes of the fine blocks of a page, estimated where not all were
 * made. */
static double
pass(struct making *m, uint32_t times, unsigned every)
{
	int64_t longest;
	uint64_t ranges = 0, made = 0;
	double seen = 0, runs = 0, all = heat_cells_density(m->cells, m->begin, m->end), bytes;

	begin_pass(m, times);
	longest = longest_range(m);
	if (every == 1) {
		array_lengthen(&m->totals, m->parts->totals);
		array_lengthen(&m->row_sums, m->parts->rows);
	}
	for (int64_t from = m->begin, to; from < m->end; from = to) {
		double density;

		to = range_end(m, from, longest);
		density = heat_cells_density(m->cells, from, to);
		if (density <= 0 || ranges++ % every != 0)
			continue;
		heat_cells_range(m->cells, (struct heat_range){ from, to, times }, m->row_numbers, m->parts->rows,
				 &m->counts);
		if (m->counts.runs.count == 0)
			continue;
		made++;
		seen += density;
		runs += (double)m->counts.runs.count;
		if (m->parts->place != HEAT_RECORDING)
			add_split(m, &m->parts->fine, &m->counts, (uint32_t)((from - m->begin) / times),
				  (uint32_t)((to - from) / times));
		if (every == 1) {
			add_to_level(m, (uint32_t)((from - m->begin) / times));
			add_to_totals(m, (uint32_t)((from - m->begin) / times));
		}
	}
	bytes = (double)page_bytes(&m->parts->bytes, 0);
	m->runs_left = seen > 0 && runs < seen ? runs / seen : 1;
	return seen > 0 && made < ranges ? bytes * all / seen : bytes;
}

/* --- rows --- */

static const uint64_t *weights; /* qsort has no context */

static int
compare_weights(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (weights[x] != weights[y])
		return weights[x] < weights[y] ? 1 : -1;
	return x < y ? -1 : 1;
}

/* The node of what a rare stack becomes part of. */
static uint32_t
other_node(struct call_tree *tree, uint32_t node, bool one)
{
	if (one)
		return call_tree_child(tree, 0, text_from(HEAT_OTHER));
	if (tree->nodes.at[node].depth < 2)
		return node;
	while (tree->nodes.at[node].depth > 1)
		node = tree->nodes.at[node].parent;
	return call_tree_child(tree, node, text_from(HEAT_OTHER));
}

/* The `kept` heaviest rows are numbered, the others become few. */
static void
number_rows(struct making *m, uint32_t kept, uint32_t all, const uint64_t *row_weights, struct heat_named_rows *named)
{
	struct pair_sums others = { 0 };
	struct call_tree *tree = heat_rows_tree(m->rows);

	named->count = 0;
	m->parts->other_rows = m->parts->other_sum = 0;
	for (uint32_t i = 0; i < all; i++) {
		uint32_t row = m->by_weight[i], at, tag;
		struct heat_row_facts facts = heat_rows_facts(m->rows, row);

		if (i < kept) {
			m->row_numbers[row] = i;
			*array_push(named) = facts;
			continue;
		}
		m->parts->other_rows++;
		m->parts->other_sum += m->facts->unit == 0 ? 0 : row_weights[row] / m->facts->unit;
		tag = kept < FEW_ROWS ? HEAT_TAG_OTHER : facts.tag;
		facts.node = other_node(tree, facts.node, kept < FEW_ROWS);
		at = pair_sums_index(&others, facts.node, tag);
		if (kept + at == named->count)
			*array_push(named) = (struct heat_row_facts){ facts.node, tag };
		m->row_numbers[row] = kept + at;
	}
	m->parts->rows = (uint32_t)named->count;
	pair_sums_release(&others);
}

/* As many rows as there is room for their names. */
static uint32_t
choose_rows(struct making *m, uint32_t kept, uint32_t all, const uint64_t *row_weights, uint64_t most)
{
	struct heat_named_rows named = { 0 };

	for (;;) {
		uint64_t bytes;

		number_rows(m, kept, all, row_weights, &named);
		m->parts->names.count = 0;
		heat_names_add(&m->parts->names, m->rows, &named);
		bytes = page_bytes(&m->parts->names, 0);
		if (bytes <= most || kept == 0)
			break;
		kept = bytes > 2 * most ? (uint32_t)((double)kept * (double)most / (double)bytes) : kept / 4 * 3;
	}
	array_release(&named);
	return kept;
}

/* --- all --- */

static uint64_t
whole_size(const struct heat_parts *parts)
{
	return page_bytes(&parts->names, 0) + page_bytes(&parts->total_block, 0) + page_bytes(&parts->level, 0) +
	       (parts->place != HEAT_INSIDE ? BYTES_OF_PART * (parts->fine.count + parts->middle.count)
			      : page_bytes(&parts->bytes, 0));
}

static uint64_t
make_all(struct making *m, uint32_t times)
{
	(void)pass(m, times, 1);
	write_level(m);
	write_totals(m);
	return whole_size(m->parts);
}

/* The lengths that cells can have: how many there are. */
static unsigned
list_lengths(const struct making *m, uint32_t times[CELL_LENGTHS])
{
	unsigned count = 0;

	times[count++] = 1;
	for (unsigned i = 0; i < CELL_LENGTHS; i++) {
		int64_t length = cell_lengths_ms[i] * 1000000;

		if (length > m->facts->cell_ns && length % m->facts->cell_ns == 0)
			times[count++] = (uint32_t)(length / m->facts->cell_ns);
	}
	return count;
}

/* The shortest cells with which the page is small enough, by estimates. */
static unsigned
guess_length(struct making *m, const uint32_t *times, unsigned count, uint64_t fixed)
{
	double room = m->limit > fixed ? (double)(m->limit - fixed) * 0.97 / (1 + 1.0 / LEVEL_SHARE) : 0;
	unsigned low = 0, high = count - 1;

	m->parts->whole_bytes = pass(m, times[0], ESTIMATE_EVERY);
	if (m->parts->whole_bytes <= room)
		return 0;
	m->parts->whole_bytes += (double)fixed;
	for (low = 1; low < high;) {
		unsigned middle = low + (high - low) / 2;

		if (pass(m, times[middle], ESTIMATE_EVERY) <= room)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void
fit(struct making *m, uint32_t all, const uint64_t *row_weights)
{
	uint32_t times[CELL_LENGTHS + 1], kept = choose_rows(m, all, all, row_weights, m->limit * NAMES_PERCENT / 100);
	unsigned count = list_lengths(m, times), at = 0;
	uint64_t fixed = page_bytes(&m->parts->names, 0), size;

	if (m->parts->place == HEAT_INSIDE && (double)m->facts->runs * BYTES_OF_RUN + (double)fixed > (double)m->limit)
		at = guess_length(m, times, count, fixed);
	for (size = make_all(m, times[at]); m->parts->place == HEAT_INSIDE && size > m->limit && at + 1 < count;
	     size = make_all(m, times[++at]))
		if (at == 0)
			m->parts->whole_bytes = (double)size;
	while (size > m->limit && kept > 0) { /* not even that is enough */
		kept = choose_rows(m, kept / 2, all, row_weights, m->limit * NAMES_PERCENT / 100);
		size = make_all(m, times[at]);
	}
	if (at == 0)
		m->parts->whole_bytes = 0;
}

int
heat_parts_make(struct heat_parts *to, struct heat_cells *cells, struct heat_rows *rows, uint64_t limit,
		enum heat_place place, struct stk_error *err)
{
	struct making m = { .parts = to,
			    .cells = cells,
			    .rows = rows,
			    .facts = heat_cells_facts(cells),
			    .limit = limit,
			    .runs_left = 1 };
	uint32_t all = heat_rows_count(rows);
	uint64_t *padded = mem_new((size_t)all + 1, sizeof *padded);
	const uint64_t *known;
	size_t count;
	int64_t align;

	*to = (struct heat_parts){ .unit = m.facts->unit, .wanted_cell_ns = m.facts->cell_ns, .place = place };
	if (m.facts->unit > 0 && m.facts->weight / m.facts->unit > COUNTS_MOST) {
		free(padded);
		return stk_fail(err, STK_EDATA,
				"weights add up to more than 2^53, which no page can count: use --samples");
	}
	align = ALIGN_NS / m.facts->cell_ns;
	known = heat_cells_row_weights(cells, &count);
	if (count > 0)
		memcpy(padded, known, (count < all ? count : all) * sizeof *padded);
	m.begin = m.facts->first_cell / align * align - (m.facts->first_cell % align < 0 ? align : 0);
	m.end = m.begin + ((m.facts->last_cell - m.begin) / align + 1) * align;
	to->begin_ns = m.begin * m.facts->cell_ns;
	to->sum = m.facts->unit == 0 ? 0 : m.facts->weight / m.facts->unit;
	m.row_numbers = mem_new((size_t)all + 1, sizeof *m.row_numbers);
	m.by_weight = mem_new((size_t)all + 1, sizeof *m.by_weight);
	for (uint32_t r = 0; r < all; r++)
		m.by_weight[r] = r;
	weights = padded;
	qsort(m.by_weight, all, sizeof *m.by_weight, compare_weights);
	fit(&m, all, padded);
	to->row_numbers = m.row_numbers;
	free(m.by_weight);
	free(padded);
	heat_counts_release(&m.counts);
	heat_counts_release(&m.joined);
	array_release(&m.level_rows);
	array_release(&m.level_runs);
	array_release(&m.totals);
	array_release(&m.row_sums);
	return 0;
}
