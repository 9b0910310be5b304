/* SPDX-License-Identifier: MIT
 * attach_reply: what a process answered, and a bound for all answers that are held at once. The process decides how
 * long its answer is, and many may be asked at once.
 *
 * Every reply may have REPLY_OWN_BYTES, whatever the others take. What is longer draws on a pool, and may hold as much
 * of it as is left for the others: so one may take half, the next a quarter, and something is left for those who need
 * little. What does not fit is left out and reported. */
#ifndef CAPTURE_ATTACH_REPLY_H
#define CAPTURE_ATTACH_REPLY_H

#include "stkpipe/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATTACH_REPLY_MAX ((size_t)64 << 20)	/* bytes of one reply */
#define REPLY_OWN_BYTES  ((size_t)256 << 10)
#define REPLY_POOL_BYTES ((size_t)128 << 20)

struct reply_pool { atomic_size_t left; };	/* bytes; used by several threads */

struct attach_reply {
	char *text;		/* without the protocol's own; reused from request to request, see
				 * attach_reply_release */
	size_t size, room;
	struct reply_pool *pool;	/* borrowed; NULL: bounded by ATTACH_REPLY_MAX alone */
	size_t drawn;		/* bytes of the pool */
	int64_t asked_ns;	/* CLOCK_MONOTONIC: when the request was sent, */
	int64_t first_ns;	/* when the first byte of the reply came (0: none), */
	int64_t end_ns;		/* and the last */
	int64_t stopped_ns;	/* how long threads were stopped for it, of sources that say so (dump_source_kind) */
};

void reply_pool_init(struct reply_pool *pool);

/* Makes room for this many more bytes and a NUL. False: *err says which bound is reached. */
bool attach_reply_make_room(struct attach_reply *reply, size_t bytes, struct stk_error *err);
/* Frees the text and returns its share to the pool; the reply can be used again. */
void attach_reply_release(struct attach_reply *reply);

#endif
