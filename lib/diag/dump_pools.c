/* SPDX-License-Identifier: MIT
 * dump_pools: counted first, then each thread goes to the place of its pool. */
#include "diag/dump_pools.h"

static void
forget(struct dump_pools *pools)
{
	for (size_t p = 0; p < pools->pools.count; p++)
		pools->of_text.at[pools->pools.at[p].pool] = 0;
	pools->pools.count = pools->members.count = 0;
}

static struct dump_pool *
pool_at(struct dump_pools *pools, uint32_t pool)
{
	array_lengthen(&pools->of_text, pool + 1);
	if (pools->of_text.at[pool] == 0) {
		*array_push(&pools->pools) = (struct dump_pool){ .pool = pool };
		pools->of_text.at[pool] = (uint32_t)pools->pools.count;
	}
	return &pools->pools.at[pools->of_text.at[pool] - 1];
}

void
dump_pools_build(struct dump_pools *pools, const struct diag_dump *dump)
{
	uint32_t first = 0;

	forget(pools);
	for (size_t t = 0; t < dump->threads.count; t++)
		if (is_of_program(&dump->threads.at[t]))
			pool_at(pools, dump->threads.at[t].pool)->threads++;
	for (size_t p = 0; p < pools->pools.count; p++) {
		pools->pools.at[p].first = first;
		first += pools->pools.at[p].threads;
		pools->pools.at[p].threads = 0;
	}
	array_lengthen(&pools->members, first);
	for (size_t t = 0; t < dump->threads.count; t++) {
		struct dump_pool *pool;

		if (!is_of_program(&dump->threads.at[t]))
			continue;
		pool = pool_at(pools, dump->threads.at[t].pool);
		pools->members.at[pool->first + pool->threads++] = (uint32_t)t;
		pool->idle += dump->threads.at[t].idle;
		pool->carriers += dump->threads.at[t].role == STK_ROLE_CARRIER;
		pool->chosen |= dump->threads.at[t].chosen;
	}
}

void
dump_pools_release(struct dump_pools *pools)
{
	array_release(&pools->pools);
	array_release(&pools->members);
	array_release(&pools->of_text);
}
