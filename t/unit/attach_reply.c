/* SPDX-License-Identifier: MIT
 * attach_reply: what all replies hold together is bounded, and a small one has room whatever the others take. */
#include "../lib/tap.h"

#include "capture/attach_reply.h"

#define MANY 300

/* Takes all it can get; how much. */
static size_t
fill(struct attach_reply *reply)
{
	struct stk_error err = { 0 };

	while (attach_reply_make_room(reply, 32768, &err))
		reply->size += 32768;
	return reply->size;
}

int
main(void)
{
	static struct attach_reply replies[MANY], alone;
	struct stk_error err = { 0 };
	struct reply_pool pool;
	size_t all = 0, sizes[MANY];

	reply_pool_init(&pool);
	alone.pool = &pool;
	ok(fill(&alone) >= ATTACH_REPLY_MAX, "one alone has all that a reply may have");
	attach_reply_release(&alone);
	is_u64(atomic_load(&pool.left), REPLY_POOL_BYTES, "what it drew is given back");
	for (size_t i = 0; i < MANY; i++) {
		replies[i].pool = &pool;
		sizes[i] = fill(&replies[i]);
		all += replies[i].room;
	}
	ok(all <= REPLY_POOL_BYTES + MANY * REPLY_OWN_BYTES,
	   "many that want all have no more together than is said: %zu", all);
	ok(sizes[0] > sizes[1] && sizes[1] > sizes[2], "each takes less than the one before");
	ok(sizes[MANY - 1] >= REPLY_OWN_BYTES - 2 * 32768, "the last still has its own room: %zu", sizes[MANY - 1]);
	(void)attach_reply_make_room(&replies[MANY - 1], REPLY_OWN_BYTES, &err);
	ok(strstr(err.text, "all replies together") != NULL, "... and is told why it has no more: %s", err.text);
	for (size_t i = 0; i < MANY; i++)
		attach_reply_release(&replies[i]);
	is_u64(atomic_load(&pool.left), REPLY_POOL_BYTES, "all is given back");
	return tap_end();
}
