/* SPDX-License-Identifier: MIT
 * walk_pool: what all walkers keep together is bounded, and one that keeps little is never in the way. */
#include "../lib/tap.h"

#include "walk/walk_pool.h"

#define MANY 1024
#define STEP ((size_t)256 << 10)

/* Keeps more from stack to stack, as long as it may; how much. */
static size_t
grow(struct walk_share *share)
{
	size_t bytes = 0;

	for (walk_share_set(share, STEP); !walk_share_is_large(share) && bytes < 2 * WALK_POOL_BYTES;) {
		bytes += STEP;
		walk_share_set(share, bytes);
	}
	bytes -= STEP;
	walk_share_set(share, bytes);
	return bytes;
}

int
main(void)
{
	static struct walk_share shares[MANY], one, small;
	struct walk_pool pool = { 0 };
	size_t all = 0, sizes[MANY];

	ok(grow(&one) > WALK_POOL_BYTES && !walk_share_is_out(&one), "without a pool there is no bound");
	for (size_t i = 0; i < MANY; i++) {
		shares[i].pool = &pool;
		all += sizes[i] = grow(&shares[i]);
	}
	ok(all <= WALK_POOL_BYTES + MANY * WALK_OWN_BYTES, "all that is kept: %zu", all);
	ok(sizes[0] > sizes[1] && sizes[1] > sizes[2] && sizes[0] >= WALK_POOL_BYTES / 2 - STEP,
	   "the first has half, each other less than the one before");
	ok(sizes[MANY - 1] >= WALK_OWN_BYTES - STEP, "the last has what is its own: %zu", sizes[MANY - 1]);
	walk_share_set(&shares[0], sizes[0] + WALK_POOL_BYTES);
	ok(walk_share_is_large(&shares[0]) && !walk_share_is_out(&shares[0]), "a stack may need more than is kept");
	walk_share_set(&shares[0], sizes[0] + 2 * WALK_POOL_BYTES);
	ok(walk_share_is_out(&shares[0]), "... but not without end");
	small.pool = &pool;
	walk_share_set(&small, WALK_OWN_BYTES);
	ok(!walk_share_is_out(&small) && !walk_share_is_large(&small), "and one that keeps little goes on meanwhile");
	for (size_t i = 0; i < MANY; i++)
		walk_share_set(&shares[i], 0);
	is_u64(atomic_load(&pool.drawn), 0, "all is given back");
	return tap_end();
}
