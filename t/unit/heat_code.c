/* SPDX-License-Identifier: MIT
 * The coding of counts of a heat map: what is read is what was written, for edges of counts, gaps and sizes; damage
 * is found or harmless; and with a folder, blocks for other readers beside the sums they must find. */
#include "../lib/tap.h"

#include "plot/heat_code.h"

#define CELLS 180000

static uint64_t seed = 88172645463325252u;

static uint64_t
random_bits(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static uint32_t
below(uint32_t limit)
{
	return (uint32_t)(random_bits() >> 32) % limit;
}

static void
add_run(struct heat_counts *to, uint32_t start, uint32_t length, uint64_t count)
{
	*array_push(&to->runs) = (struct heat_run){ start, length, count };
}

static void
end_row(struct heat_counts *to, uint32_t row)
{
	*array_push(&to->rows) = (struct heat_row){ row, (uint32_t)to->runs.count };
}

static bool
equal(const struct heat_counts *a, const struct heat_counts *b)
{
	if (a->rows.count != b->rows.count || a->runs.count != b->runs.count)
		return false;
	for (size_t i = 0; i < a->rows.count; i++)
		if (a->rows.at[i].row != b->rows.at[i].row || a->rows.at[i].end != b->rows.at[i].end)
			return false;
	for (size_t i = 0; i < a->runs.count; i++)
		if (a->runs.at[i].start != b->runs.at[i].start || a->runs.at[i].length != b->runs.at[i].length ||
		    a->runs.at[i].count != b->runs.at[i].count)
			return false;
	return true;
}

/* Three files: the block, its number of cells, and "row sum" lines. */
static void
keep(const char *folder, const char *name, uint32_t cells, const struct heat_counts *counts,
     const struct text_buffer *block)
{
	char path[400];
	uint32_t run = 0;
	FILE *file;

	snprintf(path, sizeof path, "%s/%s.block", folder, name);
	file = fopen(path, "wb");
	fwrite(block->at, 1, block->count, file);
	fclose(file);
	snprintf(path, sizeof path, "%s/%s.sums", folder, name);
	file = fopen(path, "w");
	fprintf(file, "%u\n", cells);
	for (size_t r = 0; r < counts->rows.count; r++) {
		uint64_t sum = 0, moments = 0;

		for (; run < counts->rows.at[r].end; run++) {
			sum += counts->runs.at[run].count * counts->runs.at[run].length;
			moments += counts->runs.at[run].start % 1009 * (counts->runs.at[run].length % 1013);
		}
		fprintf(file, "%u %" PRIu64 " %" PRIu64 "\n", counts->rows.at[r].row, sum, moments);
	}
	fclose(file);
}

static void
try(const char *folder, const char *name, uint32_t cells, struct heat_counts *counts)
{
	struct text_buffer block = { 0 };
	struct heat_counts back = { 0 };
	struct stk_error err = { 0 };
	uint32_t rows = counts->rows.count == 0 ? 0 : counts->rows.at[counts->rows.count - 1].row + 1;

	heat_code_write(&block, HEAT_FINE, cells, counts);
	is_i64(heat_code_read(text_in(&block, 0), cells, rows, &back, &err), 0, "%s is read", name);
	ok(equal(counts, &back), "%s comes back", name);
	if (folder != NULL)
		keep(folder, name, cells, counts, &block);
	array_release(&block);
	heat_counts_release(&back);
	heat_counts_clear(counts);
}

static void
try_edges(const char *folder, struct heat_counts *c)
{
	static const uint64_t amounts[] = {
		1, 2, 3, 15, 16, 17, 271, 272, 1000000, UINT64_C(1) << 32, HEAT_COUNT_MOST
	};
	uint32_t at = 0;

	try(folder, "nothing", CELLS, c);
	add_run(c, 0, 1, 1);
	end_row(c, 0);
	try(folder, "one sample", CELLS, c);
	add_run(c, 0, 1, 1);
	end_row(c, 7);
	try(folder, "one cell", 1, c);
	for (uint32_t i = 0; i < CELLS; i++)
		add_run(c, i, 1, 1 + i % 2);
	end_row(c, 0);
	try(folder, "every cell", CELLS, c);
	add_run(c, 0, CELLS, 3);
	end_row(c, 0);
	try(folder, "one run", CELLS, c);
	for (unsigned i = 0; i < sizeof amounts / sizeof *amounts; i++)
		add_run(c, 2 * i, 1, amounts[i]);
	end_row(c, 1000000);
	try(folder, "counts", CELLS, c);
	for (unsigned k = 0; at + (24u << k) < HEAT_CELLS_MOST - 100; k++) {
		add_run(c, at += (24u << k) + k % 3, 1 + k % 2, 1);
		at += 2;
	}
	end_row(c, 3);
	try(folder, "gaps", HEAT_CELLS_MOST, c);
	add_run(c, HEAT_CELLS_MOST - 1, 1, 5);
	end_row(c, 0);
	add_run(c, 0, HEAT_CELLS_MOST, 1);
	end_row(c, 1);
	try(folder, "the last cell", HEAT_CELLS_MOST, c);
}

static void
make_random(struct heat_counts *c)
{
	uint32_t row = below(3), rows = below(200);

	for (uint32_t r = 0; r < rows; r++, row += 1 + below(1u << below(10))) {
		uint32_t at = below(100), gaps = below(12), lengths = below(10);
		uint64_t before = 0;

		for (uint32_t n = 1 + below(300); n > 0 && at < CELLS; n--) {
			uint32_t length = 1 + below(1u << lengths), gap = below(1u << gaps);
			uint64_t count = 1 + below(4) * below(1u << below(16));

			if (length > CELLS - at)
				length = CELLS - at;
			count += count == before;
			add_run(c, at, length, count);
			before = gap == 0 ? count : 0;
			at += length + gap;
		}
		if (c->runs.count > (r == 0 || c->rows.count == 0 ? 0 : c->rows.at[c->rows.count - 1].end))
			end_row(c, row);
	}
}

/* Any byte may be another one: then there is an error, or runs that are in order. */
static void
try_damage(struct heat_counts *c)
{
	struct text_buffer block = { 0 };
	struct heat_counts back = { 0 };
	unsigned found = 0, wrong = 0;

	while (c->runs.count < 1000) {
		heat_counts_clear(c);
		make_random(c);
	}
	heat_code_write(&block, HEAT_FINE, CELLS, c);
	for (unsigned i = 0; i < 2000; i++) {
		struct stk_error err = { 0 };
		size_t at = below((uint32_t)block.count);
		char was = block.at[at];

		block.at[at] = (char)(was ^ (1 + below(255)));
		if (heat_code_read(text_in(&block, 0), CELLS, 1u << 20, &back, &err) < 0)
			found++;
		for (size_t r = 0, run = 0; r < back.rows.count; r++)
			for (uint32_t end = 0; run < back.rows.at[r].end; run++) {
				wrong += back.runs.at[run].start < end || back.runs.at[run].length == 0;
				end = back.runs.at[run].start + back.runs.at[run].length;
				wrong += end > CELLS;
			}
		block.at[at] = was;
	}
	ok(found > 0, "damage is found");
	is_u64(wrong, 0, "what is read of damaged blocks is in order and within the cells");
	for (size_t size = 0; size < block.count; size += 1 + size / 20) {
		struct stk_error err = { 0 };

		wrong += heat_code_read(text_of(block.at, size), CELLS, 1u << 20, &back, &err) == 0 &&
			 size + 8 < block.count;
	}
	is_u64(wrong, 0, "blocks that were cut are refused");
	array_release(&block);
	heat_counts_release(&back);
}

int
main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : NULL;
	struct heat_counts counts = { 0 };

	try_edges(folder, &counts);
	for (unsigned i = 0; i < 40; i++) {
		char name[30];

		snprintf(name, sizeof name, "random %u", i);
		make_random(&counts);
		try(folder, name, CELLS, &counts);
	}
	try_damage(&counts);
	heat_counts_release(&counts);
	return tap_end();
}
