/* SPDX-License-Identifier: MIT
 * clock_event: the clocks of perf, of Java's recorder, and of our own ticks. */
#include "model/clock_event.h"

#include "base/bytes.h"

bool
event_is_time(struct stk_text event)
{
	return text_starts(event, "cpu-clock") || text_starts(event, "task-clock") ||
	       text_is(event, "jdk.CPUTimeSample");
}
