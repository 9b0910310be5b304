/* SPDX-License-Identifier: MIT
 * dump_scan: foreign lines are kept as one run until something else comes, and are reported then. */
#include "ingest/dump_scan.h"

#include "ingest/text_lines.h"

#define OVER_LINES 8	/* foreign lines after a dump's last thread after which its deadlocks and heap are no longer
			 * looked for */

void
dump_scan_pass(struct dump_scan *s, const char *stop)
{
	s->line += scan_count_lines(s->at, stop) + (stop < s->end);
	s->at = stop < s->end ? stop + 1 : s->end;
}

void
dump_scan_pass_line(struct dump_scan *s, struct stk_text line)
{
	const char *stop = line.data + line.size;

	s->line += stop < s->end;
	s->at = stop < s->end ? stop + 1 : s->end;
}

void
dump_scan_flush_noise(struct dump_scan *s)
{
	if (s->noise.from != NULL)
		found_skipped(s->findings, s->noise.first, between(s->noise.from, s->noise.to),
			      s->noise.last - s->noise.first + 1, SKIP_NOISE, "not a thread dump");
	s->noise.from = NULL;
}

void
dump_scan_say_over(struct dump_scan *s)
{
	if (s->over)
		found(s->findings, FOUND_DUMP_END, s->line);
	s->over = false;
}

void
dump_scan_add_noise(struct dump_scan *s, struct stk_text line)
{
	if (s->over && ++s->since_over > OVER_LINES)
		dump_scan_say_over(s);	/* before the run, which stays one: a section of another format may be in it */
	if (s->noise.from == NULL) {
		s->noise.from = line.data;
		s->noise.first = s->line;
	}
	s->noise.to = line.data + line.size;
	s->noise.last = s->line;
}

void
dump_scan_leave_place(struct dump_scan *s)
{
	if (s->place == IN_HEAP)
		dump_heap_report(&s->heap, s->findings);
	s->place = AMONG_THREADS;
}

void
dump_scan_settle(struct dump_scan *s)
{
	dump_scan_flush_noise(s);
	dump_scan_leave_place(s);
	dump_scan_say_over(s);
}
