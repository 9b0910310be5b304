/* SPDX-License-Identifier: MIT
 * make_intensities: a stream as stkclass leaves it, for trends: `make_intensities DUMPS CLASSES SEGMENTS`, 30 seconds
 * apart, of which each dump has a fifth. */
#include "stkpipe/stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int
write_stdout(void *context, const void *from, size_t size, struct stk_error *err)
{
	(void)context;
	return fwrite(from, 1, size, stdout) == size ? 0 : stk_fail_errno(err, "cannot write");
}

static uint64_t chance = 88172645463325252u;

static uint64_t
random_word(void)
{
	chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
	return chance >> 16;
}

static struct stk_text
name_of(char *to, char kind, uint64_t id)
{
	return (struct stk_text){ to, (size_t)snprintf(to, 32, "%c%015llx", kind, (unsigned long long)id) };
}

static int
write_names(struct stk_writer *writer, uint64_t classes, uint64_t segments, struct stk_error *err)
{
	char name[32], signature[32];

	for (uint64_t id = 1; id <= segments; id++) {
		struct stk_segment row = { .id = id, .name = name_of(name, 's', id) };

		if (stk_writer_add(writer, STK_SEGMENT, &row, err) < 0)
			return -1;
	}
	for (uint64_t id = 1; id <= classes; id++) {
		struct stk_class row = { .id = id, .name = name_of(name, 'c', id), .since = STK_TIME_UNKNOWN };

		row.signature =
			(struct stk_text){ signature, (size_t)snprintf(signature, sizeof signature, "%llu %llu",
								       (unsigned long long)(id % 7 + 1),
								       (unsigned long long)(id % segments + 1)) };
		if (stk_writer_add(writer, STK_CLASS, &row, err) < 0)
			return -1;
	}
	return 0;
}

/* Each fifth series, beginning somewhere, with a count that follows the time of day. */
static int
write_dump(struct stk_writer *writer, uint64_t dump, uint64_t series, uint64_t count, struct stk_error *err)
{
	double day = 1 + 0.5 * sin((double)dump * 0.00218166);

	for (uint64_t id = 1 + random_word() % 5; id <= count; id += 5) {
		struct stk_intensity row = { .time = (int64_t)(1772323200 + 30 * dump) * 1000000000,
					     .series = series,
					     .id = id,
					     .count = 1 + (uint64_t)((double)(random_word() % 8) * day),
					     .dumps = 1 };

		if (stk_writer_add(writer, STK_INTENSITY, &row, err) < 0)
			return -1;
	}
	return 0;
}

int
main(int argc, char **argv)
{
	struct stk_writer_options options = { .write = write_stdout, .level = STK_LEVEL_PIPE };
	struct stk_writer *writer;
	struct stk_error err = { 0 };
	uint64_t dumps = argc > 3 ? strtoull(argv[1], NULL, 10) : 0,
		 classes = argc > 3 ? strtoull(argv[2], NULL, 10) : 0,
		 segments = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;

	if (stk_writer_open(&writer, &options, &err) < 0 || write_names(writer, classes, segments, &err) < 0)
		return 1;
	for (uint64_t d = 0; d < dumps; d++)
		if (write_dump(writer, d, STK_SERIES_CLASS, classes, &err) < 0 ||
		    write_dump(writer, d, STK_SERIES_SEGMENT, segments, &err) < 0)
			return 1;
	return stk_writer_close(writer, true, &err) < 0;
}
