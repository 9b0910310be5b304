/* SPDX-License-Identifier: MIT
 * tracepoint: where fields are, by the kernel's description of them. */
#include "../lib/tap.h"

#include "capture/tracepoint.h"

static const char format[] = "name: sched_waking\nID: 375\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			     "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			     "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
			     "\tfield:int far;\toffset:99999;\tsize:4;\tsigned:1;\n"
			     "\tfield:int bare;\n";

int
main(void)
{
	struct tracepoint point;
	struct stk_error err = { 0 };

	ok(tracepoint_field(format, "pid", &point) && point.offset == 24 && point.size == 4, "pid, not common_pid");
	ok(tracepoint_field(format, "common_type", &point) && point.offset == 0 && point.size == 2, "common_type");
	ok(!tracepoint_field(format, "prio", &point) && !tracepoint_field(format, "id", &point), "no such field");
	ok(!tracepoint_field(format, "far", &point) && !tracepoint_field(format, "bare", &point),
	   "what cannot be is refused");
	ok(!tracepoint_field("", "pid", &point), "an empty description");
	ok(tracepoint_read(&point, "sched/no_such_point", "pid", &err) < 0 && err.code == STK_ESYSTEM,
	   "no such tracepoint");
	return tap_end();
}
