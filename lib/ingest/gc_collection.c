/* SPDX-License-Identifier: MIT
 * gc_collection: a collection as metrics, in one order. */
#include "ingest/gc_collection.h"

static void
say_heap(struct findings *findings, uint32_t line, const struct collection *c)
{
	struct stk_text none = text_of("", 0);

	if (c->has_before)
		metric_say(findings, line, c->time, "heap.before", none, c->before);
	metric_say(findings, line, c->time, "heap.used", none, c->used);
	metric_say(findings, line, c->time, c->full ? "heap.used.full" : "heap.used.young", none, c->used);
	if (c->total > 0)
		metric_say(findings, line, c->time, "heap.total", none, c->total);
}

void
collection_say(struct findings *findings, uint32_t line, const struct collection *c)
{
	const char *cause = c->cause_begins != NULL ? c->cause_begins : "gc.cause.";

	if (c->has_heap)
		say_heap(findings, line, c);
	if (!c->has_pause)
		return;
	if (c->concurrent.size > 0) {
		metric_say(findings, line, c->time, "gc.concurrent.", c->concurrent, c->pause);
		if (c->cause.size > 0)
			metric_say(findings, line, c->time, "gc.concurrent.cause.", c->cause, c->pause);
		return;
	}
	metric_say(findings, line, c->time, c->full ? "gc.pause.full" : "gc.pause", text_of("", 0), c->pause);
	if (c->cause.size > 0)
		metric_say(findings, line, c->time, cause, c->cause, c->pause);
}
