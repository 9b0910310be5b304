/* SPDX-License-Identifier: MIT
 * live_shares: what rows say, of dumps and of time, as counted by hand. */
#include "../lib/tap.h"

#include "plot/live_shares.h"

#define SECOND INT64_C(1000000000)

static struct live_row total;

static const struct live_row *
row_of_key(struct live_shares *s, uint32_t key, int64_t now_ns)
{
	size_t count;
	const struct live_row *rows = live_shares_rows(s, now_ns, &count, &total);

	for (size_t i = 0; i < count; i++)
		if (rows[i].key == key)
			return &rows[i];
	return NULL;
}

static bool
near(double got, double wanted)
{
	return got > wanted - 1e-5 && got < wanted + 1e-5;
}

static void
test_dumps(void)
{
	const struct live_row *row;
	struct live_shares *s;

	live_shares_open(&s, SECOND);
	ok(row_of_key(s, 1, 100 * SECOND) == NULL && total.now == 0, "empty");
	for (int64_t t = 0; t < 100; t += 2) {		/* two threads, of which the second runs from 90 on */
		live_shares_dump(s, 1, t * SECOND);
		live_shares_add(s, 1, 1, t * SECOND, 1, 1);
		live_shares_add(s, 1, 1, t * SECOND, t >= 90, 1);
	}
	row = row_of_key(s, 1, 99 * SECOND);
	ok(row != NULL && near(row->now, 2) && near(row->all_now, 2), "five dumps of the last 10 s");
	ok(near(row->recent, 35.0 / 30) && near(row->whole, 55.0 / 50), "of the last 60 s, and of all");
	ok(row->cells[LIVE_CELLS - 1] < 0 && near(row->cells[LIVE_CELLS - 2], 2), "a second without a dump is not 0");
	live_shares_dump(s, 2, 99 * SECOND);
	live_shares_add(s, 1, 2, 99 * SECOND, 3, 3);
	row = row_of_key(s, 1, 99 * SECOND);
	ok(near(row->now, 5) && near(total.now, 5), "another source, with one dump, is added");
	row = row_of_key(s, 1, 130 * SECOND);
	ok(near(row->now, 0) && row->recent > 0, "later there is nothing now");
	ok(row_of_key(s, 1, 1000 * SECOND) == NULL, "and then no row");
	live_shares_clear_keys(s);
	ok(row_of_key(s, 1, 99 * SECOND) == NULL, "forgotten");
	live_shares_close(s);
	live_shares_close(NULL);
}

static void
test_time(void)
{
	const struct live_row *row;
	struct live_shares *s;

	live_shares_open(&s, SECOND);
	for (int64_t t = 0; t < 20; t++)
		live_shares_add(s, 7, 1, t * SECOND, 0.5, 0.5);
	row = row_of_key(s, 7, 19 * SECOND + SECOND / 2);
	ok(row != NULL && near(row->now, 0.5) && near(row->recent, 0.5), "half a processor since it was first met");
	live_shares_add(s, 7, 1, 18 * SECOND, 1, 1);
	ok(near(row_of_key(s, 7, 19 * SECOND)->now, 0.6), "what comes late is added where it belongs");
	live_shares_add(s, 7, 1, -2000 * SECOND, 1000, 1000);
	ok(near(row_of_key(s, 7, 19 * SECOND)->now, 0.6), "what is too late is not");
	live_shares_add(s, 7, 1, 100000 * SECOND, 10, 10);
	ok(near(row_of_key(s, 7, 100000 * SECOND)->whole, 10.0 / LIVE_CELLS), "a leap of time empties the cells");
	live_shares_close(s);
}

static void
test_room(void)
{
	struct live_shares *s;
	size_t count;

	live_shares_open(&s, SECOND);
	for (uint32_t key = 1; key <= LIVE_KEYS_MOST + 5; key++)
		live_shares_add(s, key, 1, SECOND, 1, 1);
	is_u64(live_shares_left_out(s), 5, "five keys have no room");
	(void)live_shares_rows(s, SECOND, &count, &total);
	is_u64(count, LIVE_KEYS_MOST, "the others do");
	live_shares_add(s, 99999, 1, 1000 * SECOND, 1, 1);
	is_u64(live_shares_left_out(s), 5, "old keys give room");
	ok(row_of_key(s, 99999, 1000 * SECOND) != NULL, "which a new one has");
	live_shares_close(s);
}

int
main(void)
{
	test_dumps();
	test_time();
	test_room();
	return tap_end();
}
