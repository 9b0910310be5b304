/* SPDX-License-Identifier: MIT
 * heat_cells: each row has a run that is open, and a cell: a sample of the next cell either makes the run longer or
 * ends it. After every two million samples all runs are sorted by row (counting, so those of a row stay in their
 * order) and kept as bytes: a piece. Where samples were late, the runs of a row in a piece are added up. Pieces may
 * overlap in time, too; a range adds up what they have in it. */
#include "plot/heat_cells.h"

#include "base/bytes.h"

#define PIECE_SAMPLES (UINT32_C(1) << 21)
#define PIECE_REACH (INT64_C(1) << 29) /* cells before and after the first sample of a piece */
#define AHEAD 16 /* samples whose runs are fetched */
#define MINUTE_NS INT64_C(60000000000)

/* Bytes of a piece, all varints: rows that ascend, each the number since the last, its runs, and 0; a run is
 * (gap + 1) << 1 | more, and with `more` length - 1, count - 1, otherwise both are 1. */
struct piece {
	int64_t base; /* the cell that runs are counted from */
	int64_t from, to; /* cells with samples */
	uint64_t runs;
	struct text_buffer bytes;
	/* while it is read: */
	bool open;
	struct heat_counts counts;
	ARRAY(uint32_t)
	next; /* by place in counts.rows: the first run that the ranges so far did
						 * not pass */
};

/* Of a row: a run, and a cell after it, or before it if a sample was late. */
struct open_run {
	uint64_t amount; /* in the cell */
	uint32_t cell, start, length;
	uint64_t count; /* in each cell of the run */
};

struct ended_run {
	uint32_t row, start, length;
	uint64_t count;
};

struct heat_cells {
	struct heat_facts facts;
	uint64_t memory, bytes;
	int64_t base; /* of the piece that is being made */
	int64_t first_ns, last_ns;
	int64_t cell; /* of the last sample: the next one is likely to be in the same, */
	uint64_t cell_from_ns; /* which begins there */
	uint64_t last_weight;
	uint32_t piece_samples;
	ARRAY(struct open_run) open; /* by row */
	ARRAY(struct ended_run) ended;
	ARRAY(uint64_t) row_weights;
	ARRAY(struct piece) pieces;
	int64_t asked_from; /* by the last range */
	/* scratch */
	ARRAY(uint32_t) begins;
	ARRAY(struct heat_run) sorted;
	struct heat_counts joined, spare;
	ARRAY(struct heat_run) gathered;
};

void
heat_cells_open(struct heat_cells **out, int64_t cell_ns, uint64_t memory)
{
	struct heat_cells *cells = mem_new(1, sizeof *cells);

	*out = cells;
	cells->facts = (struct heat_facts){
		.cell_ns = cell_ns, .first_cell = INT64_MAX, .last_cell = INT64_MIN, .times = TIME_RANGE_NONE
	};
	cells->memory = memory;
	cells->first_ns = INT64_MAX;
	cells->last_ns = INT64_MIN;
	cells->asked_from = INT64_MIN;
}

static void
release_piece(struct piece *piece)
{
	array_release(&piece->bytes);
	heat_counts_release(&piece->counts);
	array_release(&piece->next);
}

void
heat_cells_close(struct heat_cells *cells)
{
	if (cells == NULL)
		return;
	for (size_t p = 0; p < cells->pieces.count; p++)
		release_piece(&cells->pieces.at[p]);
	array_release(&cells->pieces);
	array_release(&cells->row_weights);
	array_release(&cells->begins);
	array_release(&cells->gathered);
	heat_counts_release(&cells->joined);
	heat_counts_release(&cells->spare);
	array_release(&cells->open);
	array_release(&cells->ended);
	array_release(&cells->sorted);
	free(cells);
}

const struct heat_facts *
heat_cells_facts(const struct heat_cells *cells)
{
	return &cells->facts;
}

const uint64_t *
heat_cells_row_weights(const struct heat_cells *cells, size_t *count)
{
	*count = cells->row_weights.count;
	return cells->row_weights.at;
}

static int64_t
floor_division(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* --- runs as they are made --- */

/* Adds a run, in order, to the last row. */
static void
push_run(struct heat_counts *to, size_t row_begin, uint32_t start, uint32_t length, uint64_t count)
{
	struct heat_run *last = to->runs.count > row_begin ? &to->runs.at[to->runs.count - 1] : NULL;

	if (last != NULL && last->count == count && last->start + last->length == start)
		last->length += length;
	else
		*array_push(&to->runs) = (struct heat_run){ start, length, count };
}

static void
close_row(struct heat_counts *to, uint32_t row, size_t row_begin)
{
	if (to->runs.count > row_begin)
		*array_push(&to->rows) = (struct heat_row){ row, (uint32_t)to->runs.count };
}

/* --- runs of a row that overlap --- */

struct change {
	uint32_t cell;
	uint64_t by;
};

static int
compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return x->cell < y->cell ? -1 : x->cell > y->cell;
}

/* add_up where there are no more cells, from `first` on, than ends of runs: without sorting. */
static size_t
add_up_by_cell(const struct heat_run *runs, size_t count, uint32_t first, size_t cells, struct heat_run *to)
{
	struct { uint64_t by; bool ends; } *at = mem_new(cells + 1, sizeof *at);
	size_t made = 0;
	uint64_t level = 0;

	for (size_t i = 0; i < count; i++) {
		size_t from = runs[i].start - first, end = from + runs[i].length;

		at[from].by += runs[i].count;
		at[end].by -= runs[i].count;
		at[from].ends = at[end].ends = true;
	}
	for (size_t cell = 0, next; cell < cells; cell = next) {
		level += at[cell].by;
		for (next = cell + 1; next < cells && !at[next].ends; next++)
			continue;
		if (level > 0)
			to[made++] = (struct heat_run){ first + (uint32_t)cell, (uint32_t)(next - cell), level };
	}
	free(at);
	return made;
}

/* Runs of a row that may overlap are added up. Fewer or as many as 2 * count - 1 come out, in `to`. */
static size_t
add_up(const struct heat_run *runs, size_t count, struct heat_run *to)
{
	struct change *changes;
	size_t made = 0;
	uint64_t level = 0; /* what is taken away was added before */
	uint32_t first = runs[0].start, end = first;

	for (size_t i = 0; i < count; i++) {
		first = runs[i].start < first ? runs[i].start : first;
		end = runs[i].start + runs[i].length > end ? runs[i].start + runs[i].length : end;
	}
	if (end - first < 2 * count)
		return add_up_by_cell(runs, count, first, end - first, to);
	changes = mem_new(2 * count, sizeof *changes);
	for (size_t i = 0; i < count; i++) {
		changes[2 * i] = (struct change){ runs[i].start, runs[i].count };
		changes[2 * i + 1] = (struct change){ runs[i].start + runs[i].length, 0 - runs[i].count };
	}
	qsort(changes, 2 * count, sizeof *changes, compare_changes);
	for (size_t i = 0; i < 2 * count; i++) {
		level += changes[i].by;
		if (level > 0 && i + 1 < 2 * count && changes[i + 1].cell > changes[i].cell)
			to[made++] = (struct heat_run){ changes[i].cell, changes[i + 1].cell - changes[i].cell,
							level };
	}
	free(changes);
	return made;
}

static bool
overlap(const struct heat_run *runs, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (runs[i].start < runs[i - 1].start + runs[i - 1].length)
			return true;
	return false;
}

/* --- pieces --- */

/* Room was made. */
static inline void
add_word(struct text_buffer *to, uint64_t value)
{
	unsigned char *at = (unsigned char *)to->at + to->count;

	to->count += (size_t)(put_varint(at, value) - at);
}

static void
write_piece(struct piece *piece, const struct heat_counts *from)
{
	uint32_t run = 0, next = 0;

	for (size_t r = 0; r < from->rows.count; r++) {
		uint32_t end = 0;

		array_reserve(&piece->bytes, (1 + 3 * (size_t)(from->rows.at[r].end - run) + 1) * VARINT_MAX);
		add_word(&piece->bytes, from->rows.at[r].row - next);
		next = from->rows.at[r].row + 1;
		for (; run < from->rows.at[r].end; run++) {
			const struct heat_run *at = &from->runs.at[run];
			bool more = at->length > 1 || at->count > 1;

			add_word(&piece->bytes, ((uint64_t)(at->start - end) + 1) << 1 | more);
			if (more) {
				add_word(&piece->bytes, at->length - 1);
				add_word(&piece->bytes, at->count - 1);
			}
			end = at->start + at->length;
		}
		add_word(&piece->bytes, 0);
	}
	piece->runs = from->runs.count;
	piece->bytes.at = mem_resize(piece->bytes.at, piece->bytes.count + 1, 1);
	piece->bytes.room = piece->bytes.count + 1;
}

static void
read_piece(const struct piece *piece, struct heat_counts *to)
{
	const unsigned char *from = (const unsigned char *)piece->bytes.at;
	struct cursor at = { from, from + piece->bytes.count, false };
	uint32_t next = 0;

	heat_counts_clear(to);
	array_reserve(&to->runs, piece->runs);
	while (at.at < at.end) {
		uint32_t row = next + (uint32_t)take_varint(&at), cell = 0;
		uint64_t word;

		next = row + 1;
		while ((word = take_varint(&at)) != 0) {
			struct heat_run *run = array_push(&to->runs);

			cell += (uint32_t)(word >> 1) - 1;
			*run = (struct heat_run){ cell, 1, 1 };
			if (word & 1) {
				run->length += (uint32_t)take_varint(&at);
				run->count += take_varint(&at);
			}
			cell += run->length;
		}
		*array_push(&to->rows) = (struct heat_row){ row, (uint32_t)to->runs.count };
	}
}

/* --- from samples to a piece --- */

static void
end_run(struct heat_cells *c, uint32_t row, const struct open_run *open)
{
	if (open->length > 0)
		*array_push(&c->ended) = (struct ended_run){ row, open->start, open->length, open->count };
}

/* The cell becomes part of the run, or begins another. */
static inline void
end_cell(struct heat_cells *c, uint32_t row, struct open_run *open)
{
	if (open->amount == 0)
		return;
	if (open->amount == open->count && open->cell == open->start + open->length) {
		open->length++;
		return;
	}
	end_run(c, row, open);
	open->start = open->cell;
	open->length = 1;
	open->count = open->amount;
}

static void
end_rows(struct heat_cells *c)
{
	for (uint32_t r = 0; r < c->open.count; r++) {
		end_cell(c, r, &c->open.at[r]);
		end_run(c, r, &c->open.at[r]);
	}
	c->piece_samples = 0;
	memset(c->open.at, 0, c->open.count * sizeof *c->open.at);
}

/* Sorted by row; those of a row stay in their order. */
static void
sort_runs(struct heat_cells *c, size_t rows)
{
	uint32_t *begins;

	array_lengthen(&c->begins, rows + 1);
	begins = c->begins.at;
	memset(begins, 0, (rows + 1) * sizeof *begins);
	for (size_t i = 0; i < c->ended.count; i++)
		begins[c->ended.at[i].row + 1]++;
	for (size_t r = 0; r < rows; r++)
		begins[r + 1] += begins[r];
	array_lengthen(&c->sorted, c->ended.count);
	for (size_t i = 0; i < c->ended.count; i++) {
		const struct ended_run *run = &c->ended.at[i];

		c->sorted.at[begins[run->row]++] = (struct heat_run){ run->start, run->length, run->count };
	}
	c->ended.count = 0;
}

static void coarsen(struct heat_cells *c);

static void
note_cells(struct piece *piece, const struct heat_counts *from)
{
	piece->from = INT64_MAX;
	piece->to = INT64_MIN;
	for (size_t r = 0, run = 0; r < from->rows.count; run = from->rows.at[r++].end) {
		const struct heat_run *last = &from->runs.at[from->rows.at[r].end - 1];
		int64_t begin = piece->base + from->runs.at[run].start, end = piece->base + last->start + last->length;

		piece->from = begin < piece->from ? begin : piece->from;
		piece->to = end > piece->to ? end : piece->to;
	}
}

static void
keep_piece(struct heat_cells *c, struct piece *piece, const struct heat_counts *from)
{
	note_cells(piece, from);
	write_piece(piece, from);
	c->bytes += piece->bytes.count;
	c->facts.runs += piece->runs;
	if (piece->from < c->facts.first_cell)
		c->facts.first_cell = piece->from;
	if (piece->to - 1 > c->facts.last_cell)
		c->facts.last_cell = piece->to - 1;
}

static bool
is_too_much(const struct heat_cells *c)
{
	return c->facts.cell_ns < MINUTE_NS &&
	       (c->bytes > c->memory ||
		(c->pieces.count > 0 && c->facts.last_cell - c->facts.first_cell > HEAT_CELLS_MOST / 2));
}

/* The runs of a row, some of which may have come late. */
static void
settle_row(struct heat_cells *c, uint32_t row, const struct heat_run *runs, size_t count)
{
	struct heat_counts *to = &c->joined;
	size_t row_begin = to->runs.count;
	struct heat_run *sums = NULL;

	if (overlap(runs, count)) {
		sums = mem_new(2 * count, sizeof *sums);
		count = add_up(runs, count, sums);
		runs = sums;
	}
	for (size_t i = 0; i < count; i++) {
		push_run(to, row_begin, runs[i].start, runs[i].length, runs[i].count);
		c->row_weights.at[row] += runs[i].length * runs[i].count;
	}
	close_row(to, row, row_begin);
	free(sums);
}

static void
settle_piece(struct heat_cells *c)
{
	struct piece piece = { .base = c->base };
	uint32_t rows = (uint32_t)c->open.count, from = 0;

	end_rows(c);
	array_lengthen(&c->row_weights, rows);
	sort_runs(c, rows);
	heat_counts_clear(&c->joined);
	for (uint32_t r = 0; r < rows; r++) {
		if (c->begins.at[r] > from)
			settle_row(c, r, c->sorted.at + from, c->begins.at[r] - from);
		from = c->begins.at[r];
	}
	if (c->joined.runs.count > 0) {
		keep_piece(c, &piece, &c->joined);
		*array_push(&c->pieces) = piece;
	}
	while (is_too_much(c))
		coarsen(c);
}

static uint64_t
common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void
note_weight(struct heat_cells *c, uint64_t weight)
{
	if (c->facts.unit != 1)
		c->facts.unit = common_divisor(c->facts.unit, weight);
	c->last_weight = weight;
}

static void
find_cell(struct heat_cells *c, int64_t time_ns)
{
	c->cell = floor_division(time_ns, c->facts.cell_ns);
	c->cell_from_ns = (uint64_t)c->cell * (uint64_t)c->facts.cell_ns;
}

/* The piece is full, or cannot have this sample's cell, which may be another one afterwards, since cells become
 * longer. */
static void
begin_piece(struct heat_cells *c, int64_t time_ns)
{
	if (c->piece_samples > 0) {
		settle_piece(c);
		find_cell(c, time_ns);
	}
	c->base = c->cell - PIECE_REACH;
}

static inline void
begin_cell(struct heat_cells *c, int64_t time_ns)
{
	uint64_t length = (uint64_t)c->facts.cell_ns, next_ns = c->cell_from_ns + length;

	if ((uint64_t)time_ns - next_ns < length) { /* mostly: no division */
		c->cell++;
		c->cell_from_ns = next_ns;
	} else {
		find_cell(c, time_ns);
	}
	if (c->cell < c->base || c->cell - c->base >= 2 * PIECE_REACH)
		begin_piece(c, time_ns);
}

static inline void
add_sample(struct heat_cells *c, int64_t time_ns, uint32_t row, uint64_t weight)
{
	struct open_run *open;
	uint32_t cell;

	if ((uint64_t)time_ns - c->cell_from_ns >= (uint64_t)c->facts.cell_ns)
		begin_cell(c, time_ns);
	if (c->piece_samples == 0 || c->piece_samples == PIECE_SAMPLES)
		begin_piece(c, time_ns);
	if (row >= c->open.count)
		array_lengthen(&c->open, (size_t)row + 1);
	open = &c->open.at[row];
	cell = (uint32_t)(c->cell - c->base);
	if (open->cell != cell) {
		end_cell(c, row, open);
		open->cell = cell;
		open->amount = 0;
	}
	open->amount += weight;
	c->piece_samples++;
	if (weight != c->last_weight)
		note_weight(c, weight);
	c->last_ns = time_ns > c->last_ns ? time_ns : c->last_ns;
	c->first_ns = time_ns < c->first_ns ? time_ns : c->first_ns;
	c->facts.samples++;
	c->facts.weight += weight;
}

void
heat_cells_add(struct heat_cells *c, const struct heat_samples *samples, const uint32_t *rows)
{
	const struct sample_columns *columns = samples->columns;

	for (uint32_t i = 0; i < samples->count; i++) {
		uint32_t at = selected_row(samples->chosen, i);
		int64_t time = sample_time(columns, at);

		if (i + AHEAD < samples->count && rows[i + AHEAD] < c->open.count)
			__builtin_prefetch(&c->open.at[rows[i + AHEAD]]);
		if (time == STK_TIME_UNKNOWN)
			c->facts.untimed++;
		else
			add_sample(c, time, rows[i], samples->alike ? 1 : sample_value(&columns->weight, at));
	}
}

/* --- longer cells --- */

static void
add_amount(struct heat_counts *to, size_t row_begin, struct heat_run *open, uint32_t cell, uint64_t amount)
{
	if (open->length > 0 && open->start == cell) {
		open->count += amount;
		return;
	}
	if (open->length > 0)
		push_run(to, row_begin, open->start, 1, open->count);
	*open = (struct heat_run){ cell, 1, amount };
}

/* Runs of a row, in order, with `shift` added to their cells, in cells `times` as long. */
static void
join_row(const struct heat_run *runs, size_t count, uint32_t shift, uint32_t times, uint32_t row,
	 struct heat_counts *to)
{
	size_t row_begin = to->runs.count;
	struct heat_run open = { 0 };
	uint32_t near = 0, begins = 0, ends = 0;	/* the last cell, in which most runs are: spares divisions */

	for (size_t i = 0; i < count; i++) {
		uint32_t start = runs[i].start + shift, end = start + runs[i].length, first, last;

		if (start >= begins && end <= ends) {
			add_amount(to, row_begin, &open, near, runs[i].count * runs[i].length);
			continue;
		}
		first = start / times;
		last = near = (end - 1) / times;
		begins = near * times;
		ends = begins + times;
		if (first == last) {
			add_amount(to, row_begin, &open, first, runs[i].count * runs[i].length);
			continue;
		}
		add_amount(to, row_begin, &open, first, runs[i].count * ((first + 1) * times - start));
		if (last > first + 1) {
			push_run(to, row_begin, open.start, 1, open.count);
			open.length = 0;
			push_run(to, row_begin, first + 1, last - first - 1, runs[i].count * times);
		}
		add_amount(to, row_begin, &open, last, runs[i].count * (end - last * times));
	}
	if (open.length > 0)
		push_run(to, row_begin, open.start, 1, open.count);
	close_row(to, row, row_begin);
}

static void
join_counts(const struct heat_counts *from, uint32_t shift, uint32_t times, struct heat_counts *to)
{
	uint32_t run = 0;

	heat_counts_clear(to);
	for (size_t r = 0; r < from->rows.count; r++) {
		join_row(from->runs.at + run, from->rows.at[r].end - run, shift, times, from->rows.at[r].row, to);
		run = from->rows.at[r].end;
	}
}

void
heat_counts_join(const struct heat_counts *from, uint32_t times, struct heat_counts *to)
{
	join_counts(from, 0, times, to);
}

/* All cells become longer: the next length that these divide and that divides a minute. */
static void
coarsen(struct heat_cells *c)
{
	static const uint32_t steps[] = { 2, 3, 4, 5, 6, 10, 60 };
	struct heat_counts whole = { 0 };
	uint32_t times = 0;

	for (unsigned i = 0; times == 0 && i < sizeof steps / sizeof *steps; i++)
		if (MINUTE_NS % (c->facts.cell_ns * steps[i]) == 0)
			times = steps[i];
	if (times == 0)
		times = (uint32_t)(MINUTE_NS / c->facts.cell_ns);
	c->facts.cell_ns *= times;
	c->bytes = c->facts.runs = 0;
	c->facts.first_cell = INT64_MAX;
	c->facts.last_cell = INT64_MIN;
	for (size_t p = 0; p < c->pieces.count; p++) {
		struct piece *piece = &c->pieces.at[p];
		int64_t base = floor_division(piece->base, times);

		read_piece(piece, &whole);
		join_counts(&whole, (uint32_t)(piece->base - base * times), times, &c->joined);
		piece->base = base;
		piece->bytes.count = 0;
		keep_piece(c, piece, &c->joined);
	}
	heat_counts_release(&whole);
}

static int
compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

void
heat_cells_settle(struct heat_cells *c)
{
	if (c->piece_samples > 0)
		settle_piece(c);
	if (c->facts.samples > 0)
		c->facts.times = (struct time_range){ c->first_ns, c->last_ns };
	array_release(&c->open);
	array_release(&c->ended);
	array_release(&c->sorted);
	if (c->pieces.count > 0)
		qsort(c->pieces.at, c->pieces.count, sizeof *c->pieces.at, compare_pieces);
}

/* --- ranges --- */

double
heat_cells_density(const struct heat_cells *c, int64_t from, int64_t to)
{
	double runs = 0;

	for (size_t p = 0; p < c->pieces.count && c->pieces.at[p].from < to; p++) {
		const struct piece *piece = &c->pieces.at[p];
		int64_t begin = piece->from > from ? piece->from : from, end = piece->to < to ? piece->to : to;

		if (begin < end)
			runs += (double)piece->runs * (double)(end - begin) / (double)(piece->to - piece->from);
	}
	return runs;
}

/* Reads the pieces that the range touches, and forgets those that it has passed. */
static void
open_pieces(struct heat_cells *c, struct heat_range range)
{
	bool back = range.from < c->asked_from;

	c->asked_from = range.from;
	for (size_t p = 0; p < c->pieces.count; p++) {
		struct piece *piece = &c->pieces.at[p];
		bool touches = piece->from < range.to && piece->to > range.from;

		if (piece->open && (!touches || back)) {
			heat_counts_release(&c->spare);
			c->spare = piece->counts;
			piece->counts = (struct heat_counts){ 0 };
			array_release(&piece->next);
			piece->open = false;
		}
		if (!touches || piece->open)
			continue;
		piece->counts = c->spare;
		c->spare = (struct heat_counts){ 0 };
		read_piece(piece, &piece->counts);
		array_lengthen(&piece->next, piece->counts.rows.count);
		for (size_t r = 1; r < piece->counts.rows.count; r++)
			piece->next.at[r] = piece->counts.rows.at[r - 1].end;
		piece->open = true;
	}
}

/* Calls for each run of the open pieces that touches the range: counted by row the first time, then put in place. */
static void
gather(struct heat_cells *c, struct heat_range range, const uint32_t *row_numbers, bool place)
{
	uint32_t *begins = c->begins.at;

	for (size_t p = 0; p < c->pieces.count; p++) {
		struct piece *piece = &c->pieces.at[p];
		int64_t shift = piece->base - range.from, length = range.to - range.from;

		for (size_t r = 0; piece->open && r < piece->counts.rows.count; r++) {
			const struct heat_row *row = &piece->counts.rows.at[r];
			uint32_t number = row_numbers[row->row], run = piece->next.at[r];
			const struct heat_run *at = &piece->counts.runs.at[run];

			for (; run < row->end && shift + at->start + at->length <= 0; run++, at++)
				continue;
			piece->next.at[r] = run;
			for (; run < row->end && shift + at->start < length; run++, at++) {
				int64_t start = shift + at->start, end = start + at->length;

				if (!place) {
					begins[number + 1]++;
					continue;
				}
				start = start < 0 ? 0 : start;
				end = end > length ? length : end;
				c->gathered.at[begins[number]++] =
					(struct heat_run){ (uint32_t)start, (uint32_t)(end - start), at->count };
			}
		}
	}
}

static void
finish_row(struct heat_cells *c, struct heat_run *runs, size_t count, uint32_t times, uint32_t row,
	   struct heat_counts *to)
{
	struct heat_run *sums = NULL;
	size_t row_begin = to->runs.count;

	if (overlap(runs, count)) {
		sums = mem_new(2 * count, sizeof *sums);
		count = add_up(runs, count, sums);
		runs = sums;
	}
	for (size_t i = 0; c->facts.unit > 1 && i < count; i++)
		runs[i].count /= c->facts.unit;
	if (times > 1) {
		join_row(runs, count, 0, times, row, to);
	} else {
		for (size_t i = 0; i < count; i++)
			push_run(to, row_begin, runs[i].start, runs[i].length, runs[i].count);
		close_row(to, row, row_begin);
	}
	free(sums);
}

void
heat_cells_range(struct heat_cells *c, struct heat_range range, const uint32_t *row_numbers, uint32_t numbers,
		 struct heat_counts *to)
{
	uint32_t from = 0;

	open_pieces(c, range);
	array_lengthen(&c->begins, (size_t)numbers + 1);
	memset(c->begins.at, 0, ((size_t)numbers + 1) * sizeof *c->begins.at);
	gather(c, range, row_numbers, false);
	for (uint32_t r = 0; r < numbers; r++)
		c->begins.at[r + 1] += c->begins.at[r];
	array_lengthen(&c->gathered, c->begins.at[numbers]);
	gather(c, range, row_numbers, true);
	heat_counts_clear(to);
	for (uint32_t r = 0; r < numbers; r++) {
		if (c->begins.at[r] > from)
			finish_row(c, c->gathered.at + from, c->begins.at[r] - from, range.times, r, to);
		from = c->begins.at[r];
	}
}

/* --- counts --- */

void
heat_counts_cut(const struct heat_counts *from, uint32_t from_cell, uint32_t to_cell, struct heat_counts *to)
{
	heat_counts_clear(to);
	for (size_t r = 0, run = 0; r < from->rows.count; run = from->rows.at[r++].end) {
		size_t row_begin = to->runs.count;

		for (size_t i = run; i < from->rows.at[r].end; i++) {
			uint32_t start = from->runs.at[i].start, end = start + from->runs.at[i].length;

			start = start > from_cell ? start : from_cell;
			end = end < to_cell ? end : to_cell;
			if (start < end)
				push_run(to, row_begin, start - from_cell, end - start, from->runs.at[i].count);
		}
		close_row(to, from->rows.at[r].row, row_begin);
	}
}

uint64_t
heat_counts_sum(const struct heat_counts *counts)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < counts->runs.count; i++)
		sum += counts->runs.at[i].count * counts->runs.at[i].length;
	return sum;
}
