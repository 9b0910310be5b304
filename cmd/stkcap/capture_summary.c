/* SPDX-License-Identifier: MIT
 * capture_summary: scripts read this line, so that only the number of events, where there are any beside samples, comes
 * and goes. */
#include "capture_summary.h"

#include "program/program.h"

#include <stdio.h>

void
summary_say_lines(const struct collect_counts *counts)
{
	program_say("%llu lines: %llu taken, %llu blank, %llu rejected", (unsigned long long)counts->lines,
		    (unsigned long long)(counts->lines - counts->blank - counts->rejected),
		    (unsigned long long)counts->blank, (unsigned long long)counts->rejected);
}

void
summary_say(const struct collect_counts *counts, bool appears_whole, bool well)
{
	char events[40] = "";

	if (counts->events > 0)
		(void)snprintf(events, sizeof events, "%llu events, ", (unsigned long long)counts->events);
	if (appears_whole && (!well || program_stopping()))
		program_say("%s: not written; %llu dumps, %llu samples were read", program_common.output,
			    (unsigned long long)counts->dumps, (unsigned long long)counts->samples);
	else if (counts->events + counts->metrics > 0 && counts->samples == 0)
		program_say("%llu %s, %llu lines skipped",
			    (unsigned long long)(counts->events > 0 ? counts->events : counts->metrics),
			    counts->events > 0 ? "events" : "metrics", (unsigned long long)counts->skipped);
	else
		program_say("%llu dumps, %llu samples, %llu distinct stacks, %s%llu lines skipped",
			    (unsigned long long)counts->dumps, (unsigned long long)counts->samples,
			    (unsigned long long)counts->stacks, events, (unsigned long long)counts->skipped);
	if (counts->late_events > 0 && well)
		program_say("%llu events came after later ones: they stay in the order of the file, and stkgroup sorts them",
			    (unsigned long long)counts->late_events);
	if (counts->unreturned > 0)
		program_warn("%llu times a thread left a processor and the text does not say when it came back: these times away are missing (perf record -a has both, where it loses none)",
			     (unsigned long long)counts->unreturned);
}
