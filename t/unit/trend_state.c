/* SPDX-License-Identifier: MIT
 * trend_state: a state of no, one, two and three series is the same bytes after it was read and written; one that
 * cannot be is refused. */
#include "../lib/damage.h"
#include "../lib/tap.h"

#include "trend/trend_state.h"

#define HOUR INT64_C(3600000000000)

static struct trend_options options = { .kinds = { true, true, true, true, true },
					.periods = "none",
					.step_ns = HOUR,
					.smooth = SPAR_NONE,
					.clip = 6,
					.follow_all = true };

static struct series_set *
open_set(void)
{
	struct series_set *set;
	struct stk_error err = { 0 };

	options.constants = trend_constants_usual;
	options.watch = watch_rules_usual;
	if (series_set_open(&set, &options, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(99);
	}
	return set;
}

/* The state of a set, with its rows so many times. */
static struct some_bytes
write_state(struct series_set *set, unsigned times)
{
	struct some_bytes bytes = { 0 };
	struct stk_writer_options to = { .write = bytes_write, .context = &bytes, .level = 1 };
	struct stk_writer *writer;
	struct stk_error err = { 0 };
	bool well = stk_writer_open(&writer, &to, &err) == 0;

	for (unsigned i = 0; i < times && well; i++)
		well = trend_state_write(set, writer, &err) == 0;
	if (stk_writer_close(writer, well, &err) < 0 || !well) {
		printf("Bail out! %s\n", err.text);
		exit(99);
	}
	return bytes;
}

static int
read_state(struct series_set *set, struct some_bytes *bytes, struct stk_error *err)
{
	struct stk_reader_options from = { .read = bytes_read, .context = bytes };
	struct stk_reader *reader;
	struct trend_state *state;
	struct stk_block block;
	int got = stk_reader_open(&reader, &from, err);

	bytes->read = 0;
	bytes->step = bytes->size;
	trend_state_open(&state, set);
	while (got >= 0 && (got = stk_reader_next(reader, &block, err)) > 0)
		got = trend_state_take(state, reader, &block, err);
	trend_state_close(state);
	stk_reader_close(reader);
	return got;
}

static struct series_set *
make_set(unsigned series)
{
	static const char *const names[] = { "a", "b", "c" };
	struct series_set *set = open_set();

	for (unsigned step = 0; step < 5; step++)
		for (unsigned s = 0; s < series; s++) {
			uint32_t number = series_set_find(set, STK_SERIES_METRIC, text_from(names[s]), text_of("", 0));

			series_set_measure(set, number, INT64_C(1772323200) * 1000000000 + step * HOUR,
					   1 + s + step % 2);
		}
	return set;
}

static void
test_same(void)
{
	for (unsigned series = 0; series <= 3; series++) {
		struct series_set *set = make_set(series), *again = open_set();
		struct some_bytes first = write_state(set, 1), second;
		struct stk_error err = { 0 };

		ok(read_state(again, &first, &err) == 0 && series_set_count(again) == series,
		   "a state of %u series is read", series);
		second = write_state(again, 1);
		is_bytes(second.at, second.size, first.at, first.size, "%u series: written again it is the same",
			 series);
		free(first.at);
		free(second.at);
		series_set_close(set);
		series_set_close(again);
	}
}

static void
test_twice(void)
{
	struct series_set *set = make_set(1), *again = open_set();
	struct some_bytes bytes = write_state(set, 2);
	struct stk_error err = { 0 };

	ok(read_state(again, &bytes, &err) < 0 && err.code == STK_EDATA,
	   "a state in which a series is twice is refused");
	is_text(err.text, "damaged: a series is in it twice", "... and says so");
	stk_error_clear(&err);
	free(bytes.at);
	series_set_close(set);
	series_set_close(again);
}

int
main(void)
{
	test_same();
	test_twice();
	return tap_end();
}
