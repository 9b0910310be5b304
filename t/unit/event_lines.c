/* SPDX-License-Identifier: MIT
 * Lines of events: which are events, which are left out, which are wrong; and threads by number. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "group/event_lines.h"

static struct event_line got;

static int
read_line(const char *text)
{
	static char line[200];

	(void)snprintf(line, sizeof line, "%s", text);
	got = (struct event_line){ 0 };
	return event_line_read(text_from(line), NULL, &got);
}

static void
test_lines(void)
{
	static const char *const none[] = { "", "\n", "# a comment\n", "#1\tmain\tpoint\n",
		"time\tthread\thappening\tname\tvalue\n", "\t1\tmain\tpoint\n" };
	static const char *const wrong[] = {
		"1", "1\tmain", "1\tmain\n", "1\tmain\tstarted\n", "x\tmain\tpoint\n", "1\tmain\t\n",
			"1\tmain\tpoint\tname\t1x\n",
		"1\tmain\tpoint\tname\t1\tx\n", "1\tmain\tpoint\tname\t1\t18446744073709551616\n",
		"1\tmain\tpoint\tname\tnan\n", "1\tmain\tpoint\tname\t1e101\n", "99999999999\tmain\tpoint\n",
			"timed\tmain\tpoint\n",
		"@0000000000000000000000000000000000000000000000000000000000001\tmain\tpoint\n"
	};
	static const char *const happenings[] = { "point", "start", "stop", "switch-out", "switch-in" };

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		is_i64(read_line(none[i]), 0, "line %zu has no event", i);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		is_i64(read_line(wrong[i]), -1, "line %zu is wrong", i);
	for (unsigned h = 0; h < 5; h++) {
		char line[100];

		(void)snprintf(line, sizeof line, "1.5\tmain\t%s\n", happenings[h]);
		ok(read_line(line) == 1 && got.event.happening == h, "%s is an event", happenings[h]);
	}
}

static void
test_fields(void)
{
	ok(read_line("1.5\tmain\tstart\tquery\t12.5\t77\ta;b\t2\tshop\tbytes=1B\tmore\n") == 1,
	   "fields after the values are left out");
	ok(got.event.activity == 77 && text_is(got.stack, "a;b"), "the activity and the stack");
	is_i64(got.event.time, INT64_C(1500000000), "a number is seconds since 1970");
	ok(got.thread.size == 4 && memcmp(got.thread.data, "main", 4) == 0, "the thread");
	ok(got.event.name.size == 5 && memcmp(got.event.name.data, "query", 5) == 0, "the name");
	ok(got.event.value > 12.4 && got.event.value < 12.6, "the value");
	ok(read_line("@1.5\tmain\tstart\tquery") == 1 && got.event.time == INT64_C(1500000000),
	   "@ before it changes nothing; nor is a newline needed");
	ok(read_line("1970-01-01T00:00:02Z\tmain\tstop\tquery\t\n") == 1 && got.event.time == INT64_C(2000000000),
	   "a date; an empty value is 0");
	ok(read_line("1\t\tpoint\t\n") == 1 && got.thread.size == 0 && got.event.name.size == 0,
	   "thread and name may be empty");
	ok(read_line("-1\tmain\tpoint\n") == 1 && got.event.time == INT64_C(-1000000000), "before 1970");
}

/* --- a file --- */

static char heard[200];

static void
hear_event(void *context, const struct event_line *line)
{
	(void)context;
	(void)snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "%.*s:%lld ", (int)line->thread.size,
		       line->thread.data, (long long)(line->event.time / 1000000000));
}

static void
hear_bad(void *context, const char *path, unsigned line)
{
	(void)context;
	(void)path;
	(void)snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "line %u ", line);
}

static const char *
read_file(const char *text)
{
	const struct event_line_listener listener = { hear_event, hear_bad, NULL };
	struct stk_error err = { 0 };
	char path[400];
	FILE *file;

	(void)snprintf(path, sizeof path, "%s/events.tsv", tap_directory);
	file = fopen(path, "w");
	(void)fwrite(text, 1, strlen(text), file);
	fclose(file);
	*heard = '\0';
	return event_lines_read(path, NULL, &listener, &err) < 0 ? "(failed)" : heard;
}

int
main(void)
{
	const struct event_line_listener listener = { hear_event, hear_bad, NULL };
	struct stk_error err = { 0 };

	scratch();
	test_lines();
	test_fields();
	is_text(read_file(""), "", "an empty file has no events");
	is_text(read_file("1\ta\tpoint"), "a:1 ", "one event, without a newline at the end");
	is_text(read_file("time\tthread\n\n2\tb\tpoint\n1\ta\tpoint\n3\tb\tpoint\n"), "b:2 a:1 b:3 ",
		"events come in the order of the file");
	is_text(read_file("1\ta\tpoint\nbad\n\n2\ta\tpoint\n3\ta\n"), "a:1 line 2 a:2 line 5 ",
		"what is wrong is reported with its line, and the rest is read");
	ok(event_lines_read("/nonexistent/events", NULL, &listener, &err) < 0 && err.code == STK_ESYSTEM,
	   "a file that is not there is an error");
	stk_error_clear(&err);
	return tap_end();
}
