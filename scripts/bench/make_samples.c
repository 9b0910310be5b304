/* SPDX-License-Identifier: MIT
 * make_samples: a record stream of many samples, by shape, to stdout:
 *	make_samples dumps SAMPLES STACKS DEPTH     dumps of 200 threads, most of which stay where they are; stacks are
 * random ways down a tree
 *	make_samples flat SAMPLES STACKS DEPTH      the same as a profile: one sample a millisecond, part of no dump
 *	make_samples week SAMPLES STACKS DEPTH      a profile of a week: eight commands, a few stacks are most of it,
 * more by day than by night
 *	make_samples splinter FRAMES                one stack of so many frames, then a stack of each single one of them
 * in random order: a split each The same arguments give the same bytes. */
#include "generate.h"

#include "base/array.h"
#include "model/recorder.h"
#include "stkpipe/stream.h"

#define THREADS  200
#define STEP_NS  INT64_C(20000000000)
#define BEGIN_NS INT64_C(1772355600000000000)
#define BRANCHES 3		/* below each node of the tree */

static struct stk_writer *writer;
static struct recorder *recorder;
static struct stk_error err;

static int
write_stdout(void *context, const void *from, size_t size, struct stk_error *error)
{
	(void)context;
	return fwrite(from, 1, size, stdout) == size ? 0 : stk_fail_errno(error, "cannot write");
}

static uint32_t
frame_number(uint64_t number)
{
	char name[64];
	int size = snprintf(name, sizeof name, "com.acme.part%u.Class%u.method%u", (unsigned)(number % 97),
			    (unsigned)(number / 97 % 1009), (unsigned)(number / 97 / 1009));
	struct stk_frame frame = { .function = recorder_string(recorder, (struct stk_text){ name, (size_t)size }),
				   .form = STK_FORM_JAVA };

	return recorder_frame(recorder, &frame);
}

static int
add_sample(int64_t time, uint64_t dump, uint64_t thread, uint32_t stack)
{
	struct stk_sample row = { .time = time,
				  .dump = dump,
				  .thread = thread,
				  .stack = stack,
				  .weight = 1,
				  .processor = -1,
				  .state = STK_STATE_RUNNABLE };

	return stk_writer_add(writer, STK_SAMPLE, &row, &err);
}

/* A stack that leaves the others somewhere: the deeper the rarer, so that stacks share their beginnings. */
static uint32_t
random_stack(uint32_t number, uint32_t depth)
{
	uint64_t way = mix64(number + 1), at = 0;
	uint32_t stack = 0;

	for (uint32_t d = 0; d < depth; d++) {
		uint64_t branch = d < 24 && way % 100 < 40 ? way / 100 % BRANCHES
				  : d >= depth - 2         ? way / 100 % 1000
							   : 0;

		way = mix64(way);
		at = mix64(at * 1009 + branch + 1);
		stack = recorder_stack(
			recorder, stack,
			frame_number(d < depth - 2 ? d * BRANCHES + branch : d * BRANCHES + 10 + at % 5000));
	}
	return stack;
}

static int
make_dumps(uint64_t samples, uint32_t distinct, uint32_t depth, bool flat)
{
	struct stk_source source_row = { .name = recorder_string(recorder, (struct stk_text){ "shop", 4 }),
					 .clock = STK_CLOCK_WALL };
	uint32_t source = recorder_source(recorder, &source_row), threads[THREADS], stacks[THREADS] = { 0 }, used = 0;
	ARRAY(uint32_t) made = { 0 };

	for (unsigned t = 0; t < THREADS; t++) {
		char name[32];
		struct stk_thread row = { .source = source, .number = t + 1, .tid = 1000 + t };

		row.name = recorder_string(
			recorder, (struct stk_text){ name, (size_t)snprintf(name, sizeof name, "exec-%u", t) });
		threads[t] = recorder_thread(recorder, &row);
		stacks[t] = 0;
	}
	for (uint64_t done = 0, dump = 1; done < samples; dump++) {
		struct stk_dump row = { .time = BEGIN_NS + (int64_t)dump * STEP_NS,
					.source = source,
					.threads = THREADS };
		/* new stacks come evenly over the recording */
		uint64_t due = 1 + (uint64_t)((double)distinct * (double)(done + THREADS) / (double)samples);

		if (!flat && stk_writer_add(writer, STK_DUMP, &row, &err) < 0)
			return -1;
		for (unsigned t = 0; t < THREADS && done < samples; t++, done++) {
			if (used < due && used < distinct) {
				stacks[t] = random_stack(used++, depth);
				*array_push(&made) = stacks[t];
			} else if (stacks[t] == 0 || random_below(100) < 20) {
				stacks[t] = made.at[random_below((uint32_t)made.count)];
			}
			if (add_sample(flat ? BEGIN_NS + (int64_t)done * 1000000 : row.time, flat ? 0 : dump,
				       threads[t], stacks[t]) < 0)
				return -1;
		}
	}
	array_release(&made);
	return 0;
}

/* Which of n is met, where number k comes up in proportion to 1 / k: by bisection of the running sums. */
static uint32_t
skewed_below(const double *sums, uint32_t n)
{
	double wanted = (double)random_below(1u << 30) / (1u << 30) * sums[n - 1];
	uint32_t low = 0, high = n - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (sums[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int
make_week(uint64_t samples, uint32_t distinct, uint32_t depth)
{
	static const char *const commands[] = { "web", "db", "cache", "batch", "proxy", "queue", "search", "mail" };
	struct stk_source source_row = { .name = recorder_string(recorder, (struct stk_text){ "host", 4 }),
					 .clock = STK_CLOCK_WALL };
	uint32_t source = recorder_source(recorder, &source_row), threads[8],
		 *stacks = mem_new(distinct, sizeof *stacks);
	double *sums = mem_new(distinct, sizeof *sums), sum = 0;
	int64_t week = INT64_C(7) * 86400 * 1000000000, step = week / (int64_t)samples, time = BEGIN_NS;

	for (unsigned t = 0; t < 8; t++) {
		struct stk_thread row = { .source = source, .tid = 100 + t };

		row.name = recorder_string(recorder, (struct stk_text){ commands[t], strlen(commands[t]) });
		threads[t] = recorder_thread(recorder, &row);
	}
	for (uint32_t i = 0; i < distinct; i++) {
		stacks[i] = random_stack(i, depth);
		sums[i] = sum += 1.0 / (i + 1);
	}
	for (uint64_t i = 0; i < samples; i++) {
		uint32_t which = skewed_below(sums, distinct);
		bool night = (time - BEGIN_NS) / (INT64_C(3600) * 1000000000) % 24 < 8;

		/* three times as far apart by night: 8 hours of a third and 16 of 1 make 18 and 2/3 of 24 */
		time += (night ? 3 : 1) * step * 7 / 9 * (int64_t)(1 + random_below(199)) / 100;
		if (add_sample(time, 0, threads[which % 8], stacks[which]) < 0)
			return -1;
	}
	free(stacks);
	free(sums);
	return 0;
}

static int
make_splinter(uint32_t frames)
{
	uint32_t *order = mem_new(frames, sizeof *order), stack = 0;

	for (uint32_t i = 0; i < frames; i++) {
		order[i] = i;
		stack = recorder_stack(recorder, stack, frame_number(i));
	}
	if (add_sample(STK_TIME_UNKNOWN, 0, 0, stack) < 0)
		return -1;
	for (uint32_t i = frames; i > 0; i--) {
		uint32_t pick = random_below(i), frame = order[pick];

		order[pick] = order[i - 1];
		if (add_sample(STK_TIME_UNKNOWN, 0, 0, recorder_stack(recorder, 0, frame_number(frame))) < 0)
			return -1;
	}
	free(order);
	return 0;
}

int
main(int argc, char **argv)
{
	struct stk_writer_options options = { .write = write_stdout, .level = STK_LEVEL_PIPE };
	int result = -1;

	chance_state = 1;
	if (argc < 3 || stk_writer_open(&writer, &options, &err) < 0 || recorder_open(&recorder, writer) < 0)
		return 2;
	if ((strcmp(argv[1], "dumps") == 0 || strcmp(argv[1], "flat") == 0) && argc == 5)
		result = make_dumps(strtoull(argv[2], NULL, 10), (uint32_t)strtoul(argv[3], NULL, 10),
				    (uint32_t)strtoul(argv[4], NULL, 10), *argv[1] == 'f');
	else if (strcmp(argv[1], "week") == 0 && argc == 5)
		result = make_week(strtoull(argv[2], NULL, 10), (uint32_t)strtoul(argv[3], NULL, 10),
				   (uint32_t)strtoul(argv[4], NULL, 10));
	else if (strcmp(argv[1], "splinter") == 0)
		result = make_splinter((uint32_t)strtoul(argv[2], NULL, 10));
	if (result < 0 || recorder_error(recorder, &err) < 0 || stk_writer_close(writer, true, &err) < 0 ||
	    fflush(stdout) != 0) {
		fprintf(stderr, "make_samples: %s\n", err.text);
		return 3;
	}
	recorder_close(recorder);
	return 0;
}
