/* SPDX-License-Identifier: MIT
 * walk_pool: what is drawn may be more than the pool has: stacks that are being walked are counted too. */
#include "walk/walk_pool.h"

void
walk_share_set(struct walk_share *share, size_t bytes)
{
	size_t drawn = bytes > WALK_OWN_BYTES ? bytes - WALK_OWN_BYTES : 0;

	if (share->pool == NULL || drawn == share->drawn)
		return;
	atomic_fetch_add(&share->pool->drawn, drawn - share->drawn);	/* less, too: it wraps */
	share->drawn = drawn;
}

bool
walk_share_is_large(const struct walk_share *share)
{
	size_t all = share->pool != NULL ? atomic_load(&share->pool->drawn) : 0;

	return share->drawn > (all < WALK_POOL_BYTES ? WALK_POOL_BYTES - all : 0);
}

bool
walk_share_is_out(const struct walk_share *share)
{
	return share->pool != NULL && share->drawn > 0 && atomic_load(&share->pool->drawn) > 2 * WALK_POOL_BYTES;
}
