/* SPDX-License-Identifier: MIT
 * make_shifts: a recording in which threads come and go: `make_shifts SEED SAMPLES THREADS BLOCK_ROWS >x.stk`. Each
 * thread belongs to a process and works in one shift of the recording; thread "rare" has a sample in about one of 40
 * blocks. With metrics of the processes and events of the threads. Used by tests; prints nothing. */
#include "base/bytes.h"
#include "stkpipe/stream.h"

#include <stdio.h>
#include <stdlib.h>

#define BEGIN_NS  INT64_C(1772355600000000000)
#define SHIFTS    12
#define PROCESSES 9
#define STATES    9

static uint64_t seed;
static struct stk_writer *writer;
static struct stk_error err;

static uint64_t
chance(uint64_t of)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % of;
}

static int
write_stdout(void *context, const void *from, size_t size, struct stk_error *to)
{
	(void)context;
	return fwrite(from, 1, size, stdout) == size ? 0 : stk_fail_errno(to, "standard output");
}

/* The id of the new row, where it is a definition. */
static uint32_t
add(enum stk_kind kind, const void *row)
{
	uint32_t id = stk_writer_next_id(writer, kind);

	if (stk_writer_add(writer, kind, row, &err) < 0) {
		fprintf(stderr, "make_shifts: %s\n", err.text);
		exit(3);
	}
	return id;
}

static uint32_t
add_string(const char *form, unsigned number)
{
	char text[40];
	int size = snprintf(text, sizeof text, form, number);

	return add(STK_STRING, &(struct stk_string){ text_of(text, (size_t)size) });
}

static uint32_t
add_thread(uint64_t source, uint32_t name, unsigned tid)
{
	return add(STK_THREAD, &(struct stk_thread){ .source = source, .name = name, .tid = tid });
}

/* The threads of a shift are defined when it begins: the first of them. */
static uint32_t
begin_shift(unsigned shift, unsigned threads)
{
	uint32_t first = stk_writer_next_id(writer, STK_THREAD);

	for (unsigned t = 0; t < threads; t++)
		(void)add_thread(1 + (shift + t) % PROCESSES, add_string("worker-%u", shift * threads + t), 100 + t);
	return first;
}

int
main(int argc, char **argv)
{
	uint64_t samples = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
	unsigned threads = argc > 3 ? (unsigned)atoi(argv[3]) : 10, rows = argc > 4 ? (unsigned)atoi(argv[4]) : 100;
	struct stk_writer_options options = { .write = write_stdout, .level = STK_LEVEL_FILE, .block_rows = rows };
	uint32_t stacks[50], events[2], first = 0, rare;

	seed = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	if (stk_writer_open(&writer, &options, &err) < 0)
		return 3;
	events[0] = add_string("cycles", 0);
	events[1] = add_string("cache-misses", 0);
	for (unsigned p = 0; p < PROCESSES; p++)
		(void)add(STK_SOURCE, &(struct stk_source){ .name = add_string("host-%u", p),
							    .process = add_string("service-%u", p),
							    .pid = 1000 + p,
							    .clock = STK_CLOCK_WALL });
	rare = add_thread(PROCESSES, add_string("rare", 0), 99);
	for (unsigned s = 0; s < 50; s++)
		stacks[s] = add(STK_STACK, &(struct stk_stack){ .frame = add(STK_FRAME, &(struct stk_frame){
									.function = add_string("work%u", s) }) });
	for (uint64_t i = 0; i < samples; i++) {
		unsigned shift = (unsigned)(i * SHIFTS / samples);
		int64_t time = BEGIN_NS + (int64_t)i * 1000000;
		uint64_t thread;

		if (first == 0 || i * SHIFTS / samples != (i - 1) * SHIFTS / samples)
			first = begin_shift(shift, threads);
		thread = chance((uint64_t)rows * 40) == 0 ? rare : first + chance(threads);
		(void)add(STK_SAMPLE, &(struct stk_sample){ .time = time,
							    .thread = thread,
							    .stack = stacks[chance(50)],
							    .weight = 1,
							    .event = events[shift % 4 == 3],
							    .processor = -1,
							    .state = (shift + chance(3)) % STATES });
		if (chance(20) == 0)
			(void)add(STK_EVENT, &(struct stk_event){ .time = time, .thread = thread, .name = text_from("tick") });
		if (chance(20) == 0)
			(void)add(STK_METRIC, &(struct stk_metric){ .time = time,
								    .source = 1 + (shift + chance(3)) % PROCESSES,
								    .name = text_from("heap.used"),
								    .value = (double)chance(1000) });
	}
	return stk_writer_close(writer, true, &err) < 0 || fflush(stdout) != 0 ? 3 : 0;
}
