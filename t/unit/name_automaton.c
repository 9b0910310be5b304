/* SPDX-License-Identifier: MIT
 * Many patterns at once give what each gives alone; and cost what few do. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "group/name_automaton.h"

#include <time.h>

static bool
matches(const char *pattern, const char *name)
{
	struct name_automaton *a;
	struct pattern_set set = { 0 };
	struct stk_error err = { 0 };
	bool found;

	name_automaton_open(&a);
	found = name_automaton_add(a, text_from(pattern), &err) == 0;
	name_automaton_match(a, text_from(name), &set);
	found &= set.list.count == 1;
	array_release(&set.list);
	name_automaton_close(a);
	return found;
}

static void
test_language(void)
{
	ok(matches("malloc", "malloc") && !matches("malloc", "mallocs") && !matches("malloc", "amalloc"),
	   "a name is itself");
	ok(matches("ClassOne::*", "ClassOne::run") && matches("java.util.*", "java.util.HashMap.put") &&
		   !matches("java.util.*", "java.utility"),
	   "* at the end is any run");
	ok(matches("*Exception", "java.io.IOException") && matches("*", "") && matches("*", "a.b/c:d"),
	   "at the beginning too");
	ok(matches("a.*.run", "a.b.run") && !matches("a.*.run", "a.b.c.run") && matches("a.**.run", "a.b.c.run"),
	   "within, * stops at . / and :, ** does not");
	ok(matches("x{a,b,}y", "xay") && matches("x{a,b,}y", "xby") && matches("x{a,b,}y", "xy") &&
		   !matches("x{a,b,}y", "xcy"),
	   "alternatives");
	ok(matches("{a,b}.{c,d}", "b.c") && matches("f<lambda{#1}>", "f<lambda{#1}>"),
	   "twice; and braces without a comma are themselves");
	ok(matches("a\\*b", "a*b") && !matches("a\\*b", "axb"), "a backslash takes the next as it is");
	ok(matches("/^get[A-Z]/", "getName") && !matches("/^get[A-Z]/", "forget") && matches("/Name$/", "getName"),
	   "regular expressions");
}

static void
test_errors(void)
{
	struct name_automaton *a;
	struct stk_error err = { 0 };

	name_automaton_open(&a);
	ok(name_automaton_add(a, text_from("/a(/"), &err) < 0 && strstr(err.text, "bad regular expression") != NULL,
	   "a bad expression: %s", err.text);
	stk_error_clear(&err);
	ok(name_automaton_add(a, text_from("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"), &err) < 0,
	   "too many alternatives: %s", err.text);
	stk_error_clear(&err);
	ok(name_automaton_add(a, text_from(""), &err) < 0, "nothing: %s", err.text);
	stk_error_clear(&err);
	name_automaton_close(a);
}

static uint64_t chance = 4711;

static unsigned
random_below(unsigned n)
{
	chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
	return (unsigned)(chance % n);
}

/* The language again, as simply as can be said. */
static bool
slow_match(const char *p, const char *begin, const char *n)
{
	if (*p == '\0')
		return *n == '\0';
	if (*p == '*') {
		bool twice = p[1] == '*', any = twice || p == begin || p[1] == '\0';

		for (const char *rest = n;; rest++) {
			if (slow_match(p + 1 + twice, begin, rest))
				return true;
			if (*rest == '\0' || (!any && strchr("./:", *rest) != NULL))
				return false;
		}
	}
	return *p == *n && slow_match(p + 1, begin, n + 1);
}

static void
random_text(char *to, unsigned most, const char *letters)
{
	unsigned size = 1 + random_below(most), count = (unsigned)strlen(letters);

	for (unsigned i = 0; i < size; i++)
		to[i] = letters[random_below(count)];
	to[size] = '\0';
}

static void
test_many(void)
{
	struct name_automaton *a;
	struct pattern_set set = { 0 };
	struct stk_error err = { 0 };
	static char patterns[2000][16];
	unsigned wrong = 0, found = 0;

	name_automaton_open(&a);
	for (unsigned i = 0; i < 2000; i++) {
		random_text(patterns[i], 8, "ab.*");
		if (strstr(patterns[i], "***") != NULL)
			strcpy(patterns[i], "a");
		(void)name_automaton_add(a, text_from(patterns[i]), &err);
	}
	for (unsigned round = 0; round < 300; round++) {
		char name[16];
		uint32_t expected = 0;

		random_text(name, 9, "ab.");
		name_automaton_match(a, text_from(name), &set);
		for (uint32_t p = 0; p < name_automaton_patterns(a); p++) {
			struct stk_text pattern = name_automaton_pattern(a, p);

			expected += slow_match(pattern.data, pattern.data, name);
		}
		wrong += expected != set.list.count;
		found += expected;
	}
	ok(wrong == 0 && found > 1000, "300 names against %u patterns: as each alone (%u matches, %u wrong)",
	   name_automaton_patterns(a), found, wrong);
	array_release(&set.list);
	name_automaton_close(a);
}

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Told, not judged: timings never decide a test. */
static void
tell_speed(unsigned count)
{
	struct name_automaton *a;
	struct pattern_set set = { 0 };
	struct stk_error err = { 0 };
	double begin = seconds(), compiled;
	uint64_t found = 0;

	name_automaton_open(&a);
	for (unsigned i = 0; i < count; i++) {
		char pattern[64];

		(void)snprintf(pattern, sizeof pattern, i % 7 == 0 ? "*Handler%u.*" : "com.acme.part%u.Class%u.*",
			       i % 97, i);
		(void)name_automaton_add(a, text_from(pattern), &err);
	}
	name_automaton_match(a, text_from("x"), &set);
	compiled = seconds();
	for (unsigned i = 0; i < 100000; i++) {
		char name[64];

		(void)snprintf(name, sizeof name, "com.acme.part%u.Class%u.method", i % 97, i % 5000);
		name_automaton_match(a, text_from(name), &set);
		found += set.list.count;
	}
	printf("# %u patterns: %.1f ms to compile, %.0f ns a name (%llu found)\n", count, 1000 * (compiled - begin),
	       (seconds() - compiled) * 1e4, (unsigned long long)found);
	array_release(&set.list);
	name_automaton_close(a);
}

int
main(void)
{
	test_language();
	test_errors();
	test_many();
	tell_speed(50);
	tell_speed(5000);
	tell_speed(10000);
	return tap_end();
}
