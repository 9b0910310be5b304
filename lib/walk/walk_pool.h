/* SPDX-License-Identifier: MIT
 * walk_pool: a bound for what all walkers of a capture keep of the programs that they walk. A program decides how much
 * code, how many methods and how long tables it has, or says that it has, and many may be walked at once.
 *
 * Every walker may keep WALK_OWN_BYTES. What is more draws on the pool, and at the beginning of a stack may be as much
 * as is left for the others: else all that was kept is read again. Within a stack nothing is forgotten; when all
 * together have drawn twice the pool, it ends. */
#ifndef WALK_WALK_POOL_H
#define WALK_WALK_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define WALK_OWN_BYTES  ((size_t)1 << 20)
#define WALK_POOL_BYTES ((size_t)1 << 30)

struct walk_pool { atomic_size_t drawn; };	/* used by several threads; zeroed: nothing is */

struct walk_share {
	struct walk_pool *pool;		/* borrowed; NULL: no bound */
	size_t drawn;
};

/* The walker keeps so many bytes now. */
void walk_share_set(struct walk_share *share, size_t bytes);
/* More than is left for the others. */
bool walk_share_is_large(const struct walk_share *share);
/* There is no room even for the stack that is being walked. */
bool walk_share_is_out(const struct walk_share *share);

#endif
