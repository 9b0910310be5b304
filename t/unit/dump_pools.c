/* SPDX-License-Identifier: MIT
 * dump_pools: which threads a pool has, how many of them are free; none, one, two and three threads. */
#include "../lib/tap.h"

#include "diag/dump_pools.h"

static struct diag_dump dump;
static struct dump_pools pools;

static void
add(uint32_t pool, bool idle, enum stk_role role)
{
	*array_push(&dump.threads) = (struct dump_thread){ .pool = pool, .idle = idle, .role = role,
							 .chosen = pool == 5 };
}

static const struct dump_pool *
built(uint32_t pool)
{
	dump_pools_build(&pools, &dump);
	return dump_pools_find(&pools, pool);
}

int
main(void)
{
	const struct dump_pool *pool;

	ok(built(5) == NULL, "a dump without threads has no pools");
	add(5, true, STK_ROLE_JAVA);
	pool = built(5);
	is_u64(pool->threads, 1, "one thread is a pool of one");
	is_u64(pool->idle, 1, "... that is free");
	ok(pool->chosen, "... and chosen as its thread is");
	add(5, false, STK_ROLE_DAEMON);
	pool = built(5);
	is_u64(pool->threads, 2, "two threads of a name are one pool");
	is_u64(pool->idle, 1, "... of which one is free");
	add(6, false, STK_ROLE_JAVA);
	pool = built(6);
	is_u64(pool->threads, 1, "a third one of another name is another pool");
	is_u64(pools.members.at[pool->first], 2, "... with its own member");
	ok(!pool->chosen, "... that nobody chose");
	is_u64(built(5)->threads, 2, "... and the first is as it was");
	add(0, false, STK_ROLE_JAVA);
	add(7, false, STK_ROLE_VM);
	ok(built(7) == NULL, "threads of the VM are in no pool");
	is_u64(pools.pools.count, 2, "... nor are those without a name");
	dump.threads.count = 1;
	is_u64(built(5)->threads, 1, "the next dump counts anew");
	ok(built(6) == NULL, "... and knows nothing of the one before");
	dump_pools_release(&pools);
	array_release(&dump.threads);
	return tap_end();
}
