/* SPDX-License-Identifier: MIT
 * attach_reply: room is doubled while the pool allows it, and then grows by no more than is needed. */
#include "capture/attach_reply.h"

#include "base/memory.h"

#include <stdlib.h>

void
reply_pool_init(struct reply_pool *pool)
{
	atomic_init(&pool->left, REPLY_POOL_BYTES);
}

static bool
draw(struct attach_reply *reply, size_t room)
{
	size_t drawn = room > REPLY_OWN_BYTES ? room - REPLY_OWN_BYTES : 0, left;

	if (reply->pool == NULL || drawn <= reply->drawn)
		return true;
	left = atomic_load(&reply->pool->left);
	do {
		size_t more = drawn - reply->drawn;

		if (more > left || drawn > left - more)
			return false;
	} while (!atomic_compare_exchange_weak(&reply->pool->left, &left, left - (drawn - reply->drawn)));
	reply->drawn = drawn;
	return true;
}

bool
attach_reply_make_room(struct attach_reply *reply, size_t bytes, struct stk_error *err)
{
	size_t least = reply->size + bytes + 1, room = reply->room * 2 > least ? reply->room * 2 : least;

	if (reply->size > ATTACH_REPLY_MAX) {
		(void)stk_fail(err, STK_EDATA, "its reply is longer than %zu MB; the rest is left out",
			       ATTACH_REPLY_MAX >> 20);
		return false;
	}
	if (reply->room >= least)
		return true;
	if (!draw(reply, room) && !draw(reply, room = least)) {
		(void)stk_fail(err, STK_EDATA,
			       "all replies together are longer than %zu MB; the rest of this one is left out",
			       REPLY_POOL_BYTES >> 20);
		return false;
	}
	reply->room = room;
	reply->text = mem_resize(reply->text, room, 1);
	return true;
}

void
attach_reply_release(struct attach_reply *reply)
{
	if (reply->pool != NULL)
		atomic_fetch_add(&reply->pool->left, reply->drawn);
	free(reply->text);
	*reply = (struct attach_reply){ .pool = reply->pool };
}
