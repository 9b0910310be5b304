/* SPDX-License-Identifier: MIT
 * reading_pass: reads time and stack of every sample of a stream, as an analysis does, and says how many a second:
 * `reading_pass FILE`. */
#include "base/input.h"
#include "stkpipe/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static long
read_input(void *context, void *to, size_t size, struct stk_error *err)
{
	return input_read(context, to, size, err);
}

static double
cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int
main(int argc, char **argv)
{
	static const struct input_limits limits = { .keep_zstd = true };
	bool wanted[STK_KIND_COUNT] = { [STK_HEAD] = true, [STK_SAMPLE] = true };
	struct stk_reader_options options = { .read = read_input };
	struct stk_reader *reader;
	struct stk_block block;
	struct stk_error err = { 0 };
	struct input *input;
	uint64_t samples = 0, sum = 0;
	double begin = cpu_seconds(), seconds;

	if (argc != 2 || input_open(&input, argv[1], &limits, &err) < 0)
		return 2;
	options.context = input;
	if (stk_reader_open(&reader, &options, &err) < 0)
		return 3;
	stk_reader_want(reader, wanted, STK_KIND_COUNT);
	while (stk_reader_next(reader, &block, &err) > 0) {
		const uint64_t *times, *stacks;

		if (block.kind != STK_SAMPLE)
			continue;
		if (stk_reader_column(reader, STK_COLUMN(sample, time), &times, &err) < 0 ||
		    stk_reader_column(reader, STK_COLUMN(sample, stack), &stacks, &err) < 0)
			return 1;
		for (uint32_t row = 0; row < block.rows; row++)
			sum += times[row] ^ stacks[row];
		samples += block.rows;
	}
	if (err.code != STK_EOK) {
		fprintf(stderr, "reading_pass: %s\n", err.text);
		return 1;
	}
	seconds = cpu_seconds() - begin;
	printf("%" PRIu64 " samples in %.3f CPU seconds: %.1f million a second (sum %016" PRIx64 ")\n", samples,
	       seconds, (double)samples / seconds / 1e6, sum);
	stk_reader_close(reader);
	input_close(input);
	return 0;
}
