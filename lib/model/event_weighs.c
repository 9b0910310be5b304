/* SPDX-License-Identifier: MIT
 * event_weighs: the events of perf, of Java's recorder and async-profiler, of pprof and other profilers, and of our own
 * ticks. */
#include "model/event_weighs.h"

#include "base/bytes.h"

bool
event_is_time(struct stk_text event)
{
	return text_starts(event, "cpu-clock") || text_starts(event, "task-clock") ||
	       text_is(event, "jdk.CPUTimeSample") || text_is(event, "cpu/nanoseconds");
}

static const char *const spans[] = { "jdk.JavaMonitorEnter", "jdk.JavaMonitorWait", "jdk.ThreadPark", "jdk.ThreadSleep",
				     "jdk.SocketRead", "jdk.SocketWrite", "jdk.FileRead", "jdk.FileWrite",
				     "jdk.FileForce", "jdk.VirtualThreadPinned", "jdk.MethodTrace",
				     "profiler.NativeLock", "profiler.Span", "slice", "off-cpu", NULL };
static const char *const sizes[] = { "jdk.ObjectAllocationSample", "jdk.ObjectAllocationInNewTLAB",
				     "jdk.ObjectAllocationOutsideTLAB", "profiler.LiveObject", "profiler.Malloc",
				     "bytes", NULL };

static bool
is_one_of(struct stk_text event, const char *const *names)
{
	while (*names != NULL && !text_is(event, *names))
		names++;
	return *names != NULL;
}

enum event_weighs
event_weighs(struct stk_text event)
{
	if (is_one_of(event, sizes) || text_ends(event, "/bytes"))
		return EVENT_BYTES;
	return event_is_time(event) || is_one_of(event, spans) || text_ends(event, "/nanoseconds") ? EVENT_NANOSECONDS
												     : EVENT_COUNTS;
}
