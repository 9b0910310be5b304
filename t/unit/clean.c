/* SPDX-License-Identifier: MIT
 * Text made clean: carriage returns, byte order marks, UTF-16, and what logs put before their lines; the same however
 * it comes in. */
#include "../lib/tap.h"
#include "base/bytes.h"
#include "ingest/clean.h"

static void
append(char *to, size_t *size, struct stk_text text)
{
	if (text.size > 0)
		memcpy(to + *size, text.data, text.size);
	*size += text.size;
}

/* What comes out when `text` goes in `step` bytes at a time. */
static void
clean(char *to, size_t *size, const char *text, size_t text_size, size_t step, const char *prefix)
{
	struct cleaner *cleaner;

	*size = 0;
	cleaner_open(&cleaner);
	if (prefix != NULL)
		cleaner_set_prefix(cleaner, text_from(prefix));
	for (size_t at = 0; at < text_size; at += step) {
		cleaner_add(cleaner, text + at, text_size - at < step ? text_size - at : step);
		append(to, size, cleaner_take(cleaner));
	}
	cleaner_end(cleaner);
	append(to, size, cleaner_take(cleaner));
	cleaner_close(cleaner);
}

static void
cleans_bytes(const char *text, size_t text_size, const char *prefix, const char *wanted, const char *fact)
{
	char to[10000];
	size_t size, step;

	for (step = 1; step < text_size; step++) {
		clean(to, &size, text, text_size, step, prefix);
		if (size != strlen(wanted) || memcmp(to, wanted, size) != 0)
			break;
	}
	clean(to, &size, text, text_size, step < text_size ? step : text_size + 1, prefix);
	is_bytes(to, size, wanted, strlen(wanted), "%s", fact);
}

static void
cleans(const char *text, const char *prefix, const char *wanted, const char *fact)
{
	cleans_bytes(text, strlen(text), prefix, wanted, fact);
}

static void
test_carriage_returns(void)
{
	cleans("a\r\nb\nc\r\n", NULL, "a\nb\nc\n", "CR goes before LF");
	cleans("a\rb\r\r\n\r", NULL, "a\rb\r\n\r", "and stays elsewhere");
	cleans("", NULL, "", "nothing stays nothing");
	cleans("x: a\r\nx:\r\n", "x: ", "a\n\n", "CR goes before the prefix is looked for");
}

static void
test_marks(void)
{
	static const char le[] = "\xff\xfe"
				 "a\0\r\0\n\0\xe9\0\xac\x20\x3d\xd8\x00\xde",
			  be[] = "\xfe\xff"
				 "\0a\0\r\0\n\0\xe9\x20\xac\xd8\x3d\xde\x00";
	static const char halves[] = "\xff\xfe"
				     "a\0\x3d\xd8"
				     "b\0\x00\xde"
				     "\x3d\xd8\x3d\xd8",
			  odd[] = "\xff\xfe"
				  "a\0b";

	cleans("\xef\xbb\xbf" "a\n", NULL, "a\n", "UTF-8's mark goes");
	cleans("a\xef\xbb\xbf" "\n", NULL, "a\xef\xbb\xbf\n", "but only at the start");
	cleans("\xef\xbb", NULL, "\xef\xbb", "half a mark is none");
	cleans_bytes(le, sizeof le - 1, NULL, "a\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "UTF-16, little-endian");
	cleans_bytes(be, sizeof be - 1, NULL, "a\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "UTF-16, big-endian");
	cleans_bytes(halves, sizeof halves - 1, NULL,
		     "a\xef\xbf\xbd"
		     "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
		     "half a pair becomes U+FFFD");
	cleans_bytes(odd, sizeof odd - 1, NULL, "a\xef\xbf\xbd", "so does half a unit");
	cleans_bytes("\xff\xfe", 2, NULL, "", "a mark alone");
}

static void
test_prefixes(void)
{
	cleans("2026-11-20T10:00:00.123456789Z stdout F \"a\"\n2026-11-21T10:00:01.5Z stderr F    b\n",
	       "2026-11-20T10:00:00.123456789Z stdout F ", "\"a\"\n   b\n", "a container's log");
	cleans("[pod/web-1/app] a\n[pod/web-12/app]  b\n[pod/db-1/app] c\n", "[pod/web-1/app] ",
	       "a\n b\n[pod/db-1/app] c\n", "a pod's, and a line of another");
	cleans("Nov  9 10:00:00 host java[1234]: a\nDec 10 09:00:00 host java[77]: \tb\n",
	       "Nov  9 10:00:00 host java[1234]: ", "a\n\tb\n", "syslog");
	cleans("2026-11-20 10:00:00,123 INFO  [stdout] (main) a\n2026-11-20 10:00:00,123 ERROR [stdout] (main) b\n",
	       "2026-11-20 10:00:00,123 INFO  [stdout] (main) ", "a\nb\n", "an application server's");
	cleans("INFO   | jvm 1    | 2026/11/20 10:00:00 | a\nSTATUS | jvm 2    | 2026/11/20 10:00:00 |\n",
	       "INFO   | jvm 1    | 2026/11/20 10:00:00 | ", "a\n\n",
	       "a service wrapper's, with an empty line that lost its blank");
	cleans("x:  a\nx: b\nx:   c\n", "x:  ", "a\nx: b\n c\n", "blanks at the end are as many");
	cleans("x: a\n\nb\nx: ", "x: ", "a\n\nb\n", "other lines pass, the last needs no newline");
	cleans("x: a\nx:", "x: ", "a\n", "nor its blank");
	cleans("a\n", "", "a\n", "an empty prefix is none");
	cleans("foo 1 a\nbar 1 b\n", "foo 1 ", "a\nbar 1 b\n", "words that do not vary match themselves");
}

static void
test_long_lines(void)
{
	size_t size = 3 * 8 * CLEAN_PREFIX_MAX;
	char *text = malloc(size), *to = malloc(size);
	size_t got;

	memset(text, '1', size);
	clean(to, &got, text, size, 100, "1: ");
	is_bytes(to, got, text, size, "a line that may be a prefix without end passes unchanged");
	free(to);
	free(text);
}

static void
test_needed(void)
{
	ok(clean_needed(text_from("a\r\n")) &&
		   clean_needed(text_from("\xef\xbb\xbf"
					  "a")) &&
		   clean_needed(text_of("\xff\xfe"
					"a\0",
					4)) &&
		   clean_needed(text_of("\xfe\xff\0a", 4)),
	   "CR and marks need cleaning");
	ok(!clean_needed(text_from("a\nb\n")) && !clean_needed(text_of(NULL, 0)), "other text does not");
}

static void
test_match(void)
{
	size_t size = 99;

	ok(clean_prefix_matches(text_from("[12] "), text_from("[345] x"), &size) && size == 6,
	   "a prefix of the same shape has a size of its own");
	ok(clean_prefix_matches(text_from("[12] "), text_from("[345]"), &size) && size == 5,
	   "an empty line may lack the blank");
	ok(!clean_prefix_matches(text_from("[12] "), text_from("[345"), &size) &&
		   !clean_prefix_matches(text_from("[12] "), text_from("[]"), &size) &&
		   !clean_prefix_matches(text_from("[12] "), text_from(""), &size) &&
		   !clean_prefix_matches(text_from(""), text_from("x"), &size),
	   "other lines do not match");
}

/* How much of the line the prefix takes, 0 when it does not match. */
static size_t
taken(const char *prefix, const char *line)
{
	size_t size = 0;

	return clean_prefix_matches(text_from(prefix), text_from(line), &size) ? size : 0;
}

static void
test_names(void)
{
	ok(taken("1:02 [main] INFO - ", "2:03 [http-nio-8080-exec-12] WARN - x") == 36 &&
		   taken("1:02 [main] INFO - ", "2:03 [] INFO - x") == 15 &&
		   taken("1:02 (main) ", "1:02 (pool (a) 1) x") == 18,
	   "in a prefix with a time, the name in brackets may differ");
	ok(taken("1000 [main] INFO a.B - ", "20017 [worker 7] INFO a.B - x") == 28 &&
		   taken("1000 [main] a.B - ", "20017 [worker 7] a.B - x") == 0,
	   "in a prefix with a level, too");
	ok(taken("1:02 [a]b] ", "1:02 [c]b] x") == 11 && taken("1:02 [a] ", "1:02 [a[b] x") == 11,
	   "also with brackets that do not pair");
	ok(taken("1:02 [   main] ", "1:02 [exec-1 ] ") == 15, "and is padded");
	ok(taken("[main] ", "[exec] x") == 0 && taken("a: [main] ", "a: [exec] x") == 0, "but not without a time");
	ok(taken("1:02 [7] ", "1:02 [x] ") == 0 && taken("1:02 [main] ", "1:02 main x") == 0 &&
		   taken("1:02 [main] ", "1:02 [exec x") == 0 && taken("1:02 [main", "1:02 [exec") == 0,
	   "nor instead of a number, nor without both brackets");
}

int
main(void)
{
	test_carriage_returns();
	test_marks();
	test_prefixes();
	test_long_lines();
	test_needed();
	test_match();
	test_names();
	cleaner_close(NULL);
	return tap_end();
}
