/* SPDX-License-Identifier: MIT
 * make_dumps: writes a stream as a live capture does, dump by dump and each at once: `make_dumps SEED DUMPS [START_S
 * [SOURCES [LOSE]]] >x.stk`. Dumps have one or two samples, are 10 ms apart, and bring new stacks and threads all the
 * way. The first sample of each LOSE-th dump is of a stack and a thread that are not defined. Used by tests; prints
 * nothing. */
#include "base/bytes.h"
#include "base/memory.h"
#include "model/recorder.h"
#include "stkpipe/stream.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t seed, lose;
static struct stk_error err;

static uint64_t
chance(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

static void
must(int result)
{
	if (result >= 0)
		return;
	fprintf(stderr, "make_dumps: %s\n", err.text);
	exit(3);
}

static int
write_stdout(void *context, const void *from, size_t size, struct stk_error *why)
{
	(void)context;
	return fwrite(from, 1, size, stdout) == size ? 0 : stk_fail_errno(why, "standard output");
}

static struct stk_text
name_of(char room[64], const char *what, uint64_t number)
{
	return text_of(room, (size_t)snprintf(room, 64, "%s%llu", what, (unsigned long long)number));
}

static uint32_t
some_thread(struct recorder *recorder, uint64_t source, uint64_t number)
{
	char room[64];
	struct stk_source row = { .pid = 100 + source, .clock = STK_CLOCK_WALL };
	struct stk_thread thread = { .tid = 1000 * source + number };

	row.name = recorder_string(recorder, name_of(room, "vm", source));
	thread.source = recorder_source(recorder, &row);
	thread.name = recorder_string(recorder, name_of(room, "worker-", number));
	return recorder_thread(recorder, &thread);
}

/* Most stacks were seen before; the later the dump, the more there are. */
static uint32_t
some_stack(struct recorder *recorder, uint64_t dump)
{
	uint64_t which = chance(4 + dump / 8);
	uint32_t stack = 0;
	char room[64];

	for (uint64_t depth = 0; depth < 3 + which % 4; depth++) {
		struct stk_frame frame = { .function = recorder_string(
						   recorder, name_of(room, "f", depth == 0 ? 0 : which * depth % 97)),
					   .line = (int64_t)depth };

		stack = recorder_stack(recorder, stack, recorder_frame(recorder, &frame));
	}
	return stack;
}

static void
add_dump(struct stk_writer *writer, struct recorder *recorder, uint64_t number, int64_t start, uint64_t sources)
{
	uint64_t samples = 1 + chance(8) / 6, source = 1 + chance(sources);
	int64_t time = start * 1000000000 + (int64_t)number * 10000000;
	uint32_t threads[3], dump;
	char room[64];
	struct stk_dump row = { .time = time, .threads = samples };

	for (uint64_t i = 0; i < samples; i++)
		threads[i] = some_thread(recorder, source, chance(3 + number / 50) * 3 + i);
	row.source = recorder_source(
		recorder, &(struct stk_source){ .name = recorder_string(recorder, name_of(room, "vm", source)),
						.pid = 100 + source,
						.clock = STK_CLOCK_WALL });
	must(recorder_error(recorder, &err));
	dump = stk_writer_next_id(writer, STK_DUMP);
	must(stk_writer_add(writer, STK_DUMP, &row, &err));
	for (uint64_t i = 0; i < samples; i++) {
		struct stk_sample sample = { .time = time,
					     .dump = dump,
					     .thread = threads[i],
					     .weight = 1,
					     .processor = -1,
					     .state = chance(8) };

		sample.stack = some_stack(recorder, number);
		if (chance(3) == 0)
			sample.condition = recorder_string(recorder, name_of(room, "on ", chance(3 + number / 100)));
		if (lose > 0 && i == 0 && number % lose == lose - 1)
			sample.stack = sample.thread = 3000000;
		must(recorder_error(recorder, &err));
		must(stk_writer_add(writer, STK_SAMPLE, &sample, &err));
	}
	if (chance(5) == 0)
		must(stk_writer_add(writer, STK_METRIC,
				    &(struct stk_metric){ .time = time,
							  .source = row.source,
							  .name = text_from("heap.used"),
							  .value = (double)chance(1000) },
				    &err));
	must(stk_writer_flush(writer, &err));
}

int
main(int argc, char **argv)
{
	struct stk_writer_options options = { .write = write_stdout, .level = STK_LEVEL_PIPE };
	struct stk_writer *writer;
	struct recorder *recorder;
	uint64_t dumps = argc > 2 ? strtoull(argv[2], NULL, 10) : 10,
		 sources = argc > 4 ? strtoull(argv[4], NULL, 10) : 3;

	seed = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	lose = argc > 5 ? strtoull(argv[5], NULL, 10) : 0;
	must(stk_writer_open(&writer, &options, &err));
	must(recorder_open(&recorder, writer));
	for (uint64_t number = 0; number < dumps; number++)
		add_dump(writer, recorder, number, argc > 3 ? strtoll(argv[3], NULL, 10) : 1700000000, sources);
	recorder_close(recorder);
	must(stk_writer_close(writer, true, &err));
	return fflush(stdout) == 0 ? 0 : 3;
}
