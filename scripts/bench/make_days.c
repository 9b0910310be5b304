/* SPDX-License-Identifier: MIT
 * make_days: a record stream of samples every 20 ms, to stdout, and on stderr what no code of counts alone can be
 * smaller than: `make_days MODEL HOURS STACKS`, where MODEL is
 *	wall        12 threads looked at each time: nine wait for long, one is in a loop, two serve requests
 *	bursty      five wait, two are in loops, five serve
 *	memoryless  11 samples each time by day, each of a stack drawn alone
 * It begins at 21:00 UTC, so days change in it. The same arguments give the same bytes. The order-0 entropy is, of each
 * stack and hour, that of its counts in the cells of 20 ms, empty ones too. */
#include "generate.h"

#include "base/array.h"
#include "model/recorder.h"
#include "stkpipe/stream.h"

#include <math.h>

#define THREADS 12
#define CELL_NS INT64_C(20000000)
#define HOUR_CELLS 180000u
#define BEGIN_NS INT64_C(1772398800000000000)
#define DEPTH 32
#define COUNTS 64
#define TRIES 40u /* of memoryless: how many samples a cell has at most */

struct drawn {
	uint32_t stack, thread;
};

static struct stk_writer *writer;
static struct recorder *recorder;
static struct stk_error err;
static uint32_t stacks_count, *stacks, threads[THREADS];
static double *sums; /* of 1 / k */
static struct {
	uint32_t stack, base;
} at[THREADS];
static ARRAY(struct drawn) now, late; /* in this cell; those that fall into the next */
static uint32_t (*histogram)[COUNTS], *in_cell;
static double entropy_bits;
static uint64_t samples;

static int
write_stdout(void *context, const void *from, size_t size, struct stk_error *error)
{
	(void)context;
	return fwrite(from, 1, size, stdout) == size ? 0 : stk_fail_errno(error, "cannot write");
}

static double
random_share(void)
{
	return (double)random_below(1u << 30) / (1u << 30);
}

static uint32_t
skewed(void)
{
	double wanted = random_share() * sums[stacks_count - 1];
	uint32_t low = 0, high = stacks_count - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (sums[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
make_stacks(void)
{
	double sum = 0;

	for (uint32_t i = 0; i < stacks_count; i++) {
		uint64_t way = mix64(i + 1);
		uint32_t stack = 0;

		for (uint32_t d = 0; d < DEPTH; d++) {
			char name[64];
			struct stk_frame frame = { .form = STK_FORM_JAVA };
			uint64_t number = d < 8 ? d : d < DEPTH - 12 ? d * 3 + way % 3 : d * 31 + way % 31;

			frame.function = recorder_string(
				recorder,
				(struct stk_text){
					name, (size_t)snprintf(name, sizeof name, "com.acme.part%u.Class%u.method%u",
							       (unsigned)(number % 17), (unsigned)(number / 17 % 101),
							       (unsigned)number) });
			stack = recorder_stack(recorder, stack, recorder_frame(recorder, &frame));
			way = mix64(way);
		}
		stacks[i] = stack;
		sums[i] = sum += 1.0 / (i + 1);
	}
}

static void
make_threads(void)
{
	struct stk_source source = { .name = recorder_string(recorder, (struct stk_text){ "shop", 4 }),
				     .process = recorder_string(recorder, (struct stk_text){ "java", 4 }),
				     .clock = STK_CLOCK_WALL };
	uint32_t id = recorder_source(recorder, &source);

	for (unsigned t = 0; t < THREADS; t++) {
		char name[32];
		struct stk_thread row = { .source = id, .tid = 1000 + t };

		row.name = recorder_string(recorder, (struct stk_text){ name, (size_t)snprintf(name, sizeof name,
											       t < 5   ? "idle-%u"
											       : t < 7 ? "hot-%u"
												       : "exec-%u",
											       t) });
		threads[t] = recorder_thread(recorder, &row);
	}
}

/* --- what is seen in a cell --- */

static void
see(uint32_t stack, uint32_t thread)
{
	struct drawn seen = { stack < stacks_count ? stack : stack % stacks_count, thread };

	*(random_below(50) == 0 ? array_push(&late) : array_push(&now)) = seen;
}

static double
load_at(unsigned hour)
{
	double from_noon = ((hour + 21) % 24 - 14.0) / 5.0;

	return 0.35 + 0.65 / (1 + from_noon * from_noon);
}

static void
see_memoryless(unsigned hour)
{
	double share = load_at(hour) * 20 / TRIES;

	for (unsigned i = 0; i < TRIES; i++) {
		uint32_t stack;

		if (random_share() >= share)
			continue;
		stack = skewed();
		see(stack, stack % THREADS);
	}
}

static void
see_threads(unsigned hour, unsigned idle, unsigned hot)
{
	for (unsigned t = 0; t < THREADS; t++) {
		double luck = random_share();

		if (t < idle) {
			if (at[t].stack == 0 || luck < 1 / 1500.0)
				at[t].stack = 1 + random_below(20);
		} else if (t < idle + hot) {
			if (at[t].base == 0 || luck < 0.01)
				at[t].base = 30 + 3 * random_below(40);
			luck = random_share();
			at[t].stack = at[t].base + (luck < 0.7 ? 0 : luck < 0.9 ? 1 : 2);
		} else if (at[t].stack == 0 || luck < (at[t].stack == 25 ? 0.05 * load_at(hour) : 0.33)) {
			at[t].stack = at[t].stack != 25 && random_share() < 0.15 ? 25 : 150 + skewed();
		}
		see(at[t].stack, t);
	}
}

/* --- writing and counting --- */

static int
write_cell(uint64_t cell)
{
	for (size_t i = 0; i < now.count; i++) {
		struct stk_sample row = { .time = BEGIN_NS + (int64_t)cell * CELL_NS + (int64_t)i * (CELL_NS / 200),
					  .thread = threads[now.at[i].thread],
					  .stack = stacks[now.at[i].stack],
					  .weight = 1,
					  .processor = -1,
					  .state = now.at[i].thread < 5 ? STK_STATE_WAITING : STK_STATE_RUNNABLE };

		in_cell[now.at[i].stack]++;
		if (stk_writer_add(writer, STK_SAMPLE, &row, &err) < 0)
			return -1;
	}
	samples += now.count;
	for (size_t i = 0; i < now.count; i++) {
		uint32_t stack = now.at[i].stack, count = in_cell[stack];

		if (count > 0)
			histogram[stack][count < COUNTS ? count : COUNTS - 1]++;
		in_cell[stack] = 0;
	}
	return 0;
}

static void
end_hour(void)
{
	for (uint32_t s = 0; s < stacks_count; s++) {
		uint32_t used = 0;

		for (unsigned c = 1; c < COUNTS; c++)
			used += histogram[s][c];
		histogram[s][0] = HOUR_CELLS - used;
		for (unsigned c = 0; c < COUNTS; c++)
			if (histogram[s][c] > 0)
				entropy_bits += histogram[s][c] * log2((double)HOUR_CELLS / histogram[s][c]);
		memset(histogram[s], 0, sizeof histogram[s]);
	}
}

static int
make_hours(const char *model, unsigned hours)
{
	bool wall = strcmp(model, "wall") == 0, memoryless = strcmp(model, "memoryless") == 0;

	for (uint64_t cell = 0; cell < (uint64_t)hours * HOUR_CELLS; cell++) {
		now.count = 0;
		for (size_t i = 0; i < late.count; i++)
			*array_push(&now) = late.at[i];
		late.count = 0;
		if (memoryless)
			see_memoryless((unsigned)(cell / HOUR_CELLS));
		else
			see_threads((unsigned)(cell / HOUR_CELLS), wall ? 9 : 5, wall ? 1 : 2);
		if (write_cell(cell) < 0)
			return -1;
		if (cell % HOUR_CELLS == HOUR_CELLS - 1)
			end_hour();
	}
	return 0;
}

int
main(int argc, char **argv)
{
	struct stk_writer_options options = { .write = write_stdout, .level = STK_LEVEL_PIPE };
	int result = -1;

	chance_state = 1;
	if (argc != 4) {
		fprintf(stderr, "usage: make_days wall|bursty|memoryless HOURS STACKS\n");
		return 2;
	}
	stacks_count = (uint32_t)strtoul(argv[3], NULL, 10);
	stacks = mem_new(stacks_count, sizeof *stacks);
	sums = mem_new(stacks_count, sizeof *sums);
	in_cell = mem_new(stacks_count, sizeof *in_cell);
	histogram = mem_new(stacks_count, sizeof *histogram);
	if (stk_writer_open(&writer, &options, &err) == 0 && recorder_open(&recorder, writer) == 0) {
		make_threads();
		make_stacks();
		result = make_hours(argv[1], (unsigned)strtoul(argv[2], NULL, 10));
	}
	if (result < 0 || recorder_error(recorder, &err) < 0 || stk_writer_close(writer, true, &err) < 0 ||
	    fflush(stdout) != 0) {
		fprintf(stderr, "make_days: %s\n", err.text);
		return 3;
	}
	recorder_close(recorder);
	fprintf(stderr, "samples %llu\nentropy %.0f\n", (unsigned long long)samples, entropy_bits / 8);
	free(stacks);
	free(sums);
	free(in_cell);
	free(histogram);
	array_release(&now);
	array_release(&late);
	return 0;
}
