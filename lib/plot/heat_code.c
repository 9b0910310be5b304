/* SPDX-License-Identifier: MIT
 * heat_code: the writer and the reader make the same decisions with the same chances, one file for both, so that
 * neither is changed alone; the third is in page/heat_blocks.js. */
#include "plot/heat_code.h"

#include "plot/range_code.h"

#define LENGTHS 31 /* a number below 2^31 has at most so many bits, */
#define LONG_LENGTHS 63 /* and a count so many */
#define MEAN_CLASSES 64
#define MEAN_MOST (UINT32_C(1) << 30)
#define COUNT_PLAIN 3 /* counts - 1 below this are coded as they are */

/* What the coder expects. Numbers of the same sort share the bits below the highest. */
struct heat_model {
	range_chance rows[32][LENGTHS + 1], row_low[32][4];
	range_chance runs[32][LENGTHS + 1], run_low[32][4];
	range_chance gap[8][MEAN_CLASSES][LENGTHS + 1], gap_low[32][4];
	range_chance count[4][3][COUNT_PLAIN + 1], large[64][LONG_LENGTHS + 1], large_low[64][4];
	range_chance length[4][3][MEAN_CLASSES][LENGTHS + 1], length_low[32][4];
};

/* What is known of the row so far. Means are of 16ths. */
struct row_state {
	uint32_t gap_mean, length_mean;
	unsigned last_count, last_length, last_large;
	bool first;
};

void
heat_counts_clear(struct heat_counts *counts)
{
	counts->rows.count = counts->runs.count = 0;
}

void
heat_counts_release(struct heat_counts *counts)
{
	array_release(&counts->rows);
	array_release(&counts->runs);
}

static unsigned
bit_length(uint64_t value)
{
	return value == 0 ? 0 : 64 - (unsigned)__builtin_clzll(value);
}

/* Two classes an octave. */
static unsigned
mean_class(uint32_t mean)
{
	unsigned bits = bit_length(mean);

	return bits < 2 ? bits : 2 * bits - 2 + (mean >> (bits - 2) & 1);
}

static struct row_state
begin_row(uint32_t cells, uint32_t runs)
{
	uint64_t mean = (uint64_t)(cells / runs) << 4;

	return (struct row_state){ .gap_mean = mean < MEAN_MOST ? (uint32_t)mean : MEAN_MOST,
				   .length_mean = 32,
				   .last_count = 1,
				   .first = true };
}

static uint32_t
moved_mean(uint32_t mean, uint32_t value, unsigned shift)
{
	int64_t wide = value < UINT32_C(1) << 26 ? (int64_t)value << 4 : (int64_t)MEAN_MOST;

	return (uint32_t)((int64_t)mean + (wide - (int64_t)mean) / (INT64_C(1) << shift));
}

/* After a run: counts are classes, 3 is 3 or more. */
static void
note_run(struct row_state *state, uint32_t gap, unsigned count, uint32_t length)
{
	state->gap_mean = moved_mean(state->gap_mean, gap, 3);
	if (count == 1 || count == state->last_count)
		state->length_mean = moved_mean(state->length_mean, length, 2);
	state->last_count = count;
	state->last_length = length > 1 ? 2 : 1;
	state->first = false;
}

/* About how many bits the next gap and the next length - 1 have. */
static unsigned
gap_bits(const struct row_state *state)
{
	return bit_length(state->gap_mean >> 4);
}

static unsigned
length_bits(const struct row_state *state)
{
	return bit_length((state->length_mean >> 4) - (state->length_mean >= 16));
}

static range_chance *
gap_chances(struct heat_model *model, const struct row_state *state)
{
	unsigned kind =
		(state->last_count > 1 ? 2u : 0u) + (state->last_length > 1 ? 1u : 0u) + (state->first ? 4u : 0u);

	return model->gap[kind][mean_class(state->gap_mean)];
}

static unsigned
gap_class(uint32_t gap)
{
	return gap > 1 ? 2 : gap;
}

static unsigned
count_class(uint64_t count)
{
	return count > 3 ? 3 : (unsigned)count;
}

/* --- writing --- */

void
heat_code_head(struct text_buffer *to, enum heat_block_kind kind, enum heat_coding coding, uint32_t size)
{
	add_char(to, 'S');
	add_char(to, 1);
	add_char(to, (char)kind);
	add_char(to, (char)coding);
	for (unsigned i = 0; i < 4; i++)
		add_char(to, (char)(size >> 8 * i & 0xFF));
}

/* A small number, from what is expected of it upwards or downwards: is it that, is it the next one... */
static inline void
write_near(struct range_writer *w, range_chance *chances, unsigned value, unsigned expected, unsigned most)
{
	unsigned at = expected;

	if (expected > 0) {
		range_write_bit(w, &chances[0], value >= expected);
		if (value < expected) {
			for (at--; at > 0; at--) {
				range_write_bit(w, &chances[at + 1], at == value);
				if (at == value)
					break;
			}
			return;
		}
	}
	for (; at < most; at++) {
		range_write_bit(w, &chances[at + 1], at == value);
		if (at == value)
			break;
	}
}

static inline void
write_number(struct range_writer *w, range_chance *chances, range_chance low[][4], uint64_t value, unsigned expected,
	     unsigned most)
{
	unsigned bits = bit_length(value), below;

	write_near(w, chances, bits, expected, most);
	if (bits < 2)
		return;
	below = bits - 1;
	if (below == 1) {
		range_write_bit(w, &low[bits][1], value & 1);
		return;
	}
	range_write_bit(w, &low[bits][1], value >> (below - 1) & 1);
	range_write_bit(w, &low[bits][2 | (value >> (below - 1) & 1)], value >> (below - 2) & 1);
	if (below > 2)
		range_write_plain(w, value & ((UINT64_C(1) << (below - 2)) - 1), below - 2);
}

static inline void
write_run(struct range_writer *w, struct heat_model *model, struct row_state *state, uint32_t gap,
	  const struct heat_run *run)
{
	range_chance *count = model->count[state->last_count][gap_class(gap)];
	unsigned class = count_class(run->count);

	write_number(w, gap_chances(model, state), model->gap_low, gap, gap_bits(state), LENGTHS);
	write_near(w, count, run->count - 1 < COUNT_PLAIN ? (unsigned)run->count - 1 : COUNT_PLAIN, 0, COUNT_PLAIN);
	if (run->count - 1 >= COUNT_PLAIN) {
		uint64_t large = run->count - 1 - COUNT_PLAIN;

		write_number(w, model->large[state->last_large], model->large_low, large, state->last_large,
			     LONG_LENGTHS);
		state->last_large = bit_length(large);
	}
	write_number(w, model->length[class][gap_class(gap)][mean_class(state->length_mean)], model->length_low,
		     run->length - 1, length_bits(state), LENGTHS);
	note_run(state, gap, class, run->length);
}

void
heat_code_write(struct text_buffer *to, enum heat_block_kind kind, uint32_t cells, const struct heat_counts *counts)
{
	struct heat_model *model = mem_new(1, sizeof *model);
	struct range_writer w;
	uint32_t run = 0, next = 0;
	unsigned last_gap = 0, last_runs = 0;

	heat_code_head(to, kind, HEAT_RANGE_CODED, (uint32_t)counts->runs.count);
	range_chances_reset((range_chance *)model, sizeof *model / sizeof(range_chance));
	range_write_begin(&w, to);
	range_write_plain(&w, counts->rows.count, 32);
	for (size_t r = 0; r < counts->rows.count; r++) {
		const struct heat_row *row = &counts->rows.at[r];
		struct row_state state = begin_row(cells, row->end - run);
		uint32_t end = 0;

		write_number(&w, model->rows[last_gap], model->row_low, row->row - next, last_gap, LENGTHS);
		last_gap = bit_length(row->row - next);
		write_number(&w, model->runs[last_runs], model->run_low, row->end - run - 1, last_runs, LENGTHS);
		last_runs = bit_length(row->end - run - 1);
		next = row->row + 1;
		for (; run < row->end; run++) {
			write_run(&w, model, &state, counts->runs.at[run].start - end, &counts->runs.at[run]);
			end = counts->runs.at[run].start + counts->runs.at[run].length;
		}
	}
	range_write_end(&w);
	free(model);
}

/* --- reading --- */

static unsigned
read_near(struct range_reader *r, range_chance *chances, unsigned expected, unsigned most)
{
	unsigned at = expected;

	if (expected > 0 && !range_read_bit(r, &chances[0])) {
		for (at--; at > 0 && !range_read_bit(r, &chances[at + 1]); at--)
			continue;
		return at;
	}
	while (at < most && !range_read_bit(r, &chances[at + 1]))
		at++;
	return at;
}

static uint64_t
read_number(struct range_reader *r, range_chance *chances, range_chance low[][4], unsigned expected, unsigned most)
{
	unsigned bits = read_near(r, chances, expected, most), below;
	uint64_t value;

	if (bits < 2)
		return bits;
	below = bits - 1;
	value = 2 | range_read_bit(r, &low[bits][1]);
	if (below == 1)
		return value;
	value = value << 1 | range_read_bit(r, &low[bits][value]);
	return below > 2 ? value << (below - 2) | range_read_plain(r, below - 2) : value;
}

static int
read_run(struct range_reader *r, struct heat_model *model, struct row_state *state, uint32_t end, uint32_t cells,
	 struct heat_run *run)
{
	uint32_t gap = (uint32_t)read_number(r, gap_chances(model, state), model->gap_low, gap_bits(state), LENGTHS);
	uint32_t length;
	unsigned gaps = gap_class(gap);

	run->count = read_near(r, model->count[state->last_count][gaps], 0, COUNT_PLAIN);
	if (run->count == COUNT_PLAIN) {
		uint64_t large = read_number(r, model->large[state->last_large], model->large_low, state->last_large,
					     LONG_LENGTHS);

		state->last_large = bit_length(large);
		run->count = large < HEAT_COUNT_MOST ? large + COUNT_PLAIN : HEAT_COUNT_MOST;
	}
	run->count++;
	length = (uint32_t)read_number(r, model->length[count_class(run->count)][gaps][mean_class(state->length_mean)],
				       model->length_low, length_bits(state), LENGTHS);
	if (gap >= cells - end || length >= cells - end - gap || run->count > HEAT_COUNT_MOST || r->over)
		return -1;
	run->start = end + gap;
	run->length = length + 1;
	note_run(state, gap, count_class(run->count), run->length);
	return 0;
}

static int
read_rows(struct range_reader *r, struct heat_model *model, uint32_t cells, uint32_t rows, uint32_t runs,
	  struct heat_counts *to)
{
	uint64_t present = range_read_plain(r, 32), next = 0;
	unsigned last_gap = 0, last_runs = 0;

	for (uint64_t i = 0; i < present && !r->over; i++) {
		uint32_t gap = (uint32_t)read_number(r, model->rows[last_gap], model->row_low, last_gap, LENGTHS), more,
			 end = 0;
		struct row_state state;

		last_gap = bit_length(gap);
		more = (uint32_t)read_number(r, model->runs[last_runs], model->run_low, last_runs, LENGTHS);
		last_runs = bit_length(more);
		if (next + gap >= rows || more >= runs - to->runs.count)
			return -1;
		state = begin_row(cells, more + 1);
		for (uint32_t n = 0; n <= more; n++) {
			struct heat_run run;

			if (read_run(r, model, &state, end, cells, &run) < 0)
				return -1;
			end = run.start + run.length;
			*array_push(&to->runs) = run;
		}
		*array_push(&to->rows) = (struct heat_row){ (uint32_t)(next + gap), (uint32_t)to->runs.count };
		next += gap + 1;
	}
	return r->over || to->runs.count != runs ? -1 : 0;
}

int
heat_code_read(struct stk_text from, uint32_t cells, uint32_t rows, struct heat_counts *to, struct stk_error *err)
{
	const uint8_t *head = (const uint8_t *)from.data;
	struct heat_model *model;
	struct range_reader r;
	uint32_t runs = 0;
	int result;

	heat_counts_clear(to);
	if (from.size < HEAT_HEAD_BYTES || head[0] != 'S' || head[1] != 1 || head[3] != HEAT_RANGE_CODED)
		return stk_fail(err, STK_EDATA, "not a block of counts");
	for (unsigned i = 0; i < 4; i++)
		runs |= (uint32_t)head[4 + i] << 8 * i;
	model = mem_new(1, sizeof *model);
	range_chances_reset((range_chance *)model, sizeof *model / sizeof(range_chance));
	range_read_begin(&r, text_of(from.data + HEAT_HEAD_BYTES, from.size - HEAT_HEAD_BYTES));
	result = read_rows(&r, model, cells, rows, runs, to);
	free(model);
	return result < 0 ? stk_fail(err, STK_EDATA, "a block of counts is damaged") : 0;
}
