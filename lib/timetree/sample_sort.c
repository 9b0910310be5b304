/* SPDX-License-Identifier: MIT
 * sample_sort: a chunk is sorted in memory and appended to the run that it continues, or written as a new run; too many
 * runs become one. */
#include "timetree/sample_sort.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/scratch.h"

#include <stdlib.h>

#define CHUNK_ROWS 131072	/* of 128 bytes: 16 MB */
#define RUNS_MOST  256
#define RUN_BLOCK  1024		/* rows: small, since a block of each run is in memory while they are merged */

struct run {
	struct scratch *file;
	struct stk_writer *writer;
	int64_t last;
	/* reading back */
	struct stk_reader *reader;
	int64_t at;
	struct stk_block block;
	uint32_t row;
	struct stk_sample sample;
	bool ended;
};

struct order { int64_t time; uint32_t row; };

struct sample_sort {
	struct stk_sample *chunk;
	struct order *order;
	uint32_t count;
	struct run *runs[RUNS_MOST];
	unsigned runs_count;
};

void
sample_sort_open(struct sample_sort **out)
{
	struct sample_sort *sort = *out = mem_new(1, sizeof *sort);

	sort->chunk = mem_new(CHUNK_ROWS, sizeof *sort->chunk);
	sort->order = mem_new(CHUNK_ROWS, sizeof *sort->order);
}

/* --- runs --- */

static int
write_run(void *context, const void *from, size_t size, struct stk_error *err)
{
	return scratch_write(((struct run *)context)->file, from, size, err);
}

static long
read_run(void *context, void *to, size_t size, struct stk_error *err)
{
	struct run *run = context;
	long got = scratch_read_at(run->file, to, size, run->at, err);

	run->at += got > 0 ? got : 0;
	return got;
}

static void
run_close(struct run *run)
{
	struct stk_error unheard = { 0 };

	if (run == NULL)
		return;
	if (stk_writer_close(run->writer, false, &unheard) < 0)
		stk_error_clear(&unheard);
	stk_reader_close(run->reader);
	scratch_close(run->file);
	free(run);
}

static int
run_open(struct run **out, struct stk_error *err)
{
	struct run *run = *out = mem_new(1, sizeof *run);
	struct stk_writer_options options = {
		.write = write_run, .context = run, .level = STK_LEVEL_PIPE, .block_rows = RUN_BLOCK
	};

	run->last = INT64_MIN;
	return scratch_open(&run->file, err) < 0 ? -1 : stk_writer_open(&run->writer, &options, err);
}

/* The end of the samples. */
static int
run_end(struct run *run, struct stk_error *err)
{
	struct stk_writer *writer = run->writer;

	run->writer = NULL;
	return stk_writer_close(writer, true, err);
}

/* To the next sample of a run that is read back. */
static int
run_step(struct run *run, struct stk_error *err)
{
	while (run->row == run->block.rows) {
		int got = stk_reader_next(run->reader, &run->block, err);

		run->row = 0;
		if (got <= 0) {
			run->ended = true;
			run->block.rows = 0;
			return got;
		}
		if (run->block.kind != STK_SAMPLE)
			run->block.rows = 0;
		else if (stk_reader_rows(run->reader, err) < 0)
			return -1;
	}
	stk_reader_row(run->reader, run->row++, &run->sample);
	return 0;
}

static int
run_rewind(struct run *run, struct stk_error *err)
{
	struct stk_reader_options options = { .read = read_run, .context = run };

	if (run_end(run, err) < 0 || stk_reader_open(&run->reader, &options, err) < 0)
		return -1;
	return run_step(run, err);
}

/* --- merging: a heap of runs, the earliest sample on top; where times are equal the earlier run --- */

static bool
is_before(const struct run *const *runs, unsigned a, unsigned b)
{
	return runs[a]->sample.time < runs[b]->sample.time || (runs[a]->sample.time == runs[b]->sample.time && a < b);
}

static void
sink(const struct run *const *runs, unsigned *heap, unsigned count, unsigned at)
{
	for (;;) {
		unsigned least = at, left = 2 * at + 1, right = left + 1, other;

		if (left < count && is_before(runs, heap[left], heap[least]))
			least = left;
		if (right < count && is_before(runs, heap[right], heap[least]))
			least = right;
		if (least == at)
			return;
		other = heap[at];
		heap[at] = heap[least];
		heap[least] = other;
		at = least;
	}
}

/* All runs to a writer; they are empty after it. */
static int
merge_runs(struct sample_sort *sort, struct stk_writer *to, int64_t *last, struct stk_error *err)
{
	const struct run *const *runs = (const struct run *const *)sort->runs;
	unsigned heap[RUNS_MOST], count = 0;

	for (unsigned r = 0; r < sort->runs_count; r++) {
		if (run_rewind(sort->runs[r], err) < 0)
			return -1;
		if (!sort->runs[r]->ended)
			heap[count++] = r;
	}
	for (unsigned at = count; at-- > 0; )
		sink(runs, heap, count, at);
	while (count > 0) {
		struct run *run = sort->runs[heap[0]];

		*last = run->sample.time;
		if (stk_writer_add(to, STK_SAMPLE, &run->sample, err) < 0 || run_step(run, err) < 0)
			return -1;
		if (run->ended)
			heap[0] = heap[--count];
		sink(runs, heap, count, 0);
	}
	for (unsigned r = 0; r < sort->runs_count; r++)
		run_close(sort->runs[r]);
	sort->runs_count = 0;
	return 0;
}

static int
compact(struct sample_sort *sort, struct stk_error *err)
{
	struct run *one;

	if (run_open(&one, err) < 0 || merge_runs(sort, one->writer, &one->last, err) < 0) {
		run_close(one);
		return -1;
	}
	sort->runs[sort->runs_count++] = one;
	return 0;
}

/* --- chunks --- */

static int
compare_order(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : (x->row > y->row) - (x->row < y->row);
}

static void
sort_chunk(struct sample_sort *sort)
{
	bool sorted = true;

	for (uint32_t i = 0; i < sort->count; i++) {
		sort->order[i] = (struct order){ sort->chunk[i].time, i };
		sorted = sorted && (i == 0 || sort->order[i - 1].time <= sort->order[i].time);
	}
	if (!sorted)
		qsort(sort->order, sort->count, sizeof *sort->order, compare_order);
}

static int
write_chunk(struct sample_sort *sort, struct stk_writer *to, struct stk_error *err)
{
	sort_chunk(sort);
	for (uint32_t i = 0; i < sort->count; i++)
		if (stk_writer_add(to, STK_SAMPLE, &sort->chunk[sort->order[i].row], err) < 0)
			return -1;
	return 0;
}

/* Appends to the last run when it continues that: input that is sorted file by file makes one run per file. */
static int
spill(struct sample_sort *sort, struct stk_error *err)
{
	struct run *run = sort->runs_count == 0 ? NULL : sort->runs[sort->runs_count - 1];

	if (sort->count == 0)
		return 0;
	sort_chunk(sort);
	if (run == NULL || sort->order[0].time < run->last) {
		if (run != NULL && run_end(run, err) < 0)
			return -1;
		if (sort->runs_count == RUNS_MOST && compact(sort, err) < 0)
			return -1;
		if (run_open(&sort->runs[sort->runs_count++], err) < 0)
			return -1;
		run = sort->runs[sort->runs_count - 1];
	}
	run->last = sort->order[sort->count - 1].time;
	if (write_chunk(sort, run->writer, err) < 0)
		return -1;
	sort->count = 0;
	return 0;
}

int
sample_sort_add(struct sample_sort *sort, const struct stk_sample *sample, struct stk_error *err)
{
	if (sort->count == CHUNK_ROWS && spill(sort, err) < 0)
		return -1;
	sort->chunk[sort->count++] = *sample;
	return 0;
}

int
sample_sort_write(struct sample_sort *sort, struct stk_writer *to, struct stk_error *err)
{
	int64_t last;

	if (sort->runs_count == 0) {
		int result = write_chunk(sort, to, err);

		sort->count = 0;
		return result;
	}
	return spill(sort, err) < 0 ? -1 : merge_runs(sort, to, &last, err);
}

void
sample_sort_close(struct sample_sort *sort)
{
	if (sort == NULL)
		return;
	for (unsigned r = 0; r < sort->runs_count; r++)
		run_close(sort->runs[r]);
	free(sort->chunk);
	free(sort->order);
	free(sort);
}
