/* SPDX-License-Identifier: MIT
 * look_back: how much is kept, for how long, and in which order it comes. */
#include "../lib/tap.h"

#include "capture/look_back.h"
#include "stkpipe/rows.h"

#include <string.h>

#define SECOND INT64_C(1000000000)

static struct stk_error err;

/* One sample at each second from first to last. */
static bool
add_seconds(struct look_back *back, int64_t first, int64_t last)
{
	struct stk_writer *writer;
	bool fresh;

	for (int64_t s = first; s <= last; s++) {
		struct stk_sample row = { .time = s * SECOND, .weight = 1 };

		if (look_back_writer(back, s * SECOND, &writer, &fresh, &err) < 0 ||
		    stk_writer_add(writer, STK_SAMPLE, &row, &err) < 0 || look_back_commit(back, s * SECOND, &err) < 0)
			return false;
	}
	return true;
}

static void
test_span(void)
{
	struct look_back_state state;
	struct look_back_part part;
	struct look_back *back;
	int64_t last_ns = 0;
	uint64_t rows = 0;
	bool in_order = true;

	look_back_open(&back, 80 * SECOND, LOOK_BACK_BYTES, 3);
	look_back_state(back, &state);
	ok(state.bytes == 0 && state.from_ns == 0 && !state.early, "empty");
	ok(look_back_end(back, 0, &err) == 0 && !look_back_first(back, &part), "nothing has no part");
	ok(add_seconds(back, 1, 1000), "1000 seconds");
	look_back_state(back, &state);
	ok(state.from_ns <= 920 * SECOND && state.from_ns >= 905 * SECOND, "80 s are kept, and at most an eighth more");
	ok(!state.early, "nothing younger was dropped");
	ok(look_back_end(back, 920 * SECOND, &err) == 0, "the last part ends");
	while (look_back_first(back, &part)) {
		in_order &= part.from_ns > last_ns && part.to_ns >= part.from_ns && part.size > 0;
		last_ns = part.to_ns;
		rows += part.samples;
		look_back_drop_first(back);
	}
	ok(in_order, "parts are in order and do not overlap");
	ok(rows >= 80 && rows <= 91, "%llu samples", (unsigned long long)rows);
	look_back_state(back, &state);
	ok(state.bytes == 0 && state.samples == 0, "nothing is left");
	look_back_close(back);
}

static void
test_bytes(void)
{
	struct look_back_state state;
	struct look_back *back;
	uint64_t most = 0;
	bool good = true;

	look_back_open(&back, 100000 * SECOND, 100000, 3);
	for (int64_t s = 1; s < 3000 && good; s++) {
		good = add_seconds(back, s, s);
		look_back_state(back, &state);
		most = state.bytes > most ? state.bytes : most;
	}
	ok(good && most <= 100000 + 100000 / 8, "%llu bytes at most of 100000", (unsigned long long)most);
	ok(state.early, "it is known that something was dropped early");
	ok(state.from_ns > SECOND && state.from_ns < 2999 * SECOND, "the oldest is dropped");
	look_back_close(back);
	look_back_close(NULL);
}

int
main(void)
{
	test_span();
	test_bytes();
	return tap_end();
}
