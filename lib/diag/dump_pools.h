/* SPDX-License-Identifier: MIT
 * dump_pools: the threads of a dump by pool. */
#ifndef DIAG_DUMP_POOLS_H
#define DIAG_DUMP_POOLS_H

#include "diag/diag_dump.h"

struct dump_pool {
	uint32_t pool;
	uint32_t threads, idle;
	uint32_t carriers;		/* of its threads: they run virtual threads */
	uint32_t first;			/* its members in dump_pools.members */
	bool chosen;			/* any of its threads is */
	bool exhausted;			/* none of its threads is free, which is told of all of them at once */
};

struct dump_pools {
	ARRAY(struct dump_pool) pools;	/* in the order of their first threads */
	ARRAY(uint32_t) members;	/* threads of the dump, by pool */
	ARRAY(uint32_t) of_text;	/* by text number: a place in pools + 1 */
};

/* A zeroed struct is empty. What it held before is replaced. Threads of the VM itself, and those without a name, are in
 * no pool. */
void dump_pools_build(struct dump_pools *pools, const struct diag_dump *dump);
void dump_pools_release(struct dump_pools *pools);

/* The pool of a text; NULL when the dump has none of that name. */
static inline const struct dump_pool *
dump_pools_find(const struct dump_pools *pools, uint32_t pool)
{
	uint32_t place = pool < pools->of_text.count ? pools->of_text.at[pool] : 0;

	return place == 0 ? NULL : &pools->pools.at[place - 1];
}

#endif
