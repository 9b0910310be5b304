/* SPDX-License-Identifier: MIT
 * Expressions match what the C library's match: random ones over random texts, one by one and many at once; and a text
 * that was made to be slow is not. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "base/expression.h"

#include <regex.h>
#include <time.h>

#define PATTERN_MOST 200

static uint64_t chance = 88172645463325252u;

static unsigned
random_below(unsigned n)
{
	chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
	return (unsigned)(chance % n);
}

static const char *
pick(const char *const *from, unsigned count)
{
	return from[random_below(count)];
}

#define PICK(list) pick(list, sizeof(list) / sizeof *(list))

static void
append(char *to, const char *text)
{
	if (strlen(to) + strlen(text) < PATTERN_MOST)
		strcat(to, text);
}

static bool random_choice(char *to, unsigned depth);

/* Returns whether an anchor is in it. */
static bool
random_atom(char *to, unsigned depth)
{
	static const char *const atoms[] = { "a", "b", "c", ".", "_", " ", "\\.", "\\w", "\\W", "\\s", "\\S", "1", "a",
					     "b", "-", "]", "}", ",", "\xc3", "\xff", "\\{", "\\|", "\\a", ":" };
	static const char *const sets[] = { "[ab]", "[^a]", "[]a]", "[^]a]", "[a-c]", "[[:alpha:]_]", "[^[:space:]]",
					    "[[:punct:]]", "[-a]", "[a-]", "[.]", "[[.a.]b]", "[[=a=]]", "[\\w]",
					    "[[:upper:][:digit:]]", "[[a]", "[a^]", "[+--]", "[\x80-\xff]", "[^-a]",
					    "[[:graph:]]", "[^[:cntrl:]]", "[[:xdigit:]-]", "[[.-.]-a]" };
	static const char *const anchors[] = { "^", "$", "\\b", "\\B", "\\<", "\\>", "\\`", "\\'" };
	unsigned kind = random_below(20);
	bool anchored = false;

	if (kind < 12) {
		append(to, PICK(atoms));
	} else if (kind < 15) {
		append(to, PICK(sets));
	} else if (kind < 18 && depth < 4) {
		append(to, "(");
		anchored = random_choice(to, depth + 1);
		append(to, ")");
	} else if (kind < 19) {
		append(to, PICK(anchors));
		anchored = true;
	}
	return anchored;
}

/* What has an anchor is not repeated: the C library of GNU finds "ab" by a(b|^){2}, which has one b and no second
 * beginning. */
static bool
random_choice(char *to, unsigned depth)
{
	static const char *const repetitions[] = { "*",    "+",    "?",    "{2}",   "{0}",
						   "{1,3}", "{,2}", "{2,}", "{0,1}", "{,}" };
	unsigned ways = random_below(4) == 0 ? 2 + random_below(2) : 1;
	bool anchored = false;

	for (unsigned way = 0; way < ways; way++) {
		if (way > 0)
			append(to, "|");
		for (unsigned left = random_below(5); left > 0; left--) {
			bool here = random_atom(to, depth);

			if (random_below(3) == 0 && !here)
				append(to, PICK(repetitions));
			anchored |= here;
		}
	}
	return anchored;
}

/* Any run of the characters that mean something: mostly no expression at all. */
static void
random_junk(char *to)
{
	static const char letters[] = "ab(()[]{}{}|*+?^$\\.,-12:=[]()ab";
	unsigned size = random_below(9);

	for (unsigned i = 0; i < size; i++)
		to[i] = letters[random_below(sizeof letters - 1)];
	to[size] = '\0';
}

static void
random_text(char *to)
{
	static const char letters[] = "aaabbbccc_ .-1]}{,A|:\xc3\xff\t";
	unsigned size = random_below(4) == 0 ? random_below(3) : random_below(14);

	for (unsigned i = 0; i < size; i++)
		to[i] = letters[random_below(sizeof letters - 1)];
	to[size] = '\0';
}

static void
compare_texts(const char *pattern, const regex_t *regex, struct expression *expression, unsigned *found,
	      unsigned *different)
{
	for (unsigned i = 0; i < 30; i++) {
		char text[32];
		bool expected, fits;

		random_text(text);
		expected = regexec(regex, text, 0, NULL, 0) == 0;
		fits = expression_fits(expression, text_from(text));
		*found += expected;
		if (fits == expected)
			continue;
		if (++*different <= 5)
			printf("# '%s' on '%s': %d, expected %d\n", pattern, text, fits, expected);
	}
}

/* What is left out: "---" within brackets, which the library reads as old programs do, a comma with a backslash, which
 * it takes within {}, and back references. */
static bool
is_special(const char *pattern)
{
	return strstr(pattern, "---") != NULL || strstr(pattern, "\\,") != NULL || strstr(pattern, "\\1") != NULL ||
	       strstr(pattern, "\\2") != NULL;
}

static void
test_as_the_library(const char *what, unsigned rounds, bool junk)
{
	unsigned good = 0, bad = 0, found = 0, different = 0, disputed = 0;

	for (unsigned round = 0; round < rounds; round++) {
		char pattern[PATTERN_MOST + 1] = "";
		struct expression expression;
		struct stk_error err = { 0 };
		regex_t regex;
		bool ours, theirs;

		if (junk)
			random_junk(pattern);
		else
			random_choice(pattern, 0);
		if (is_special(pattern))
			continue;
		theirs = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) == 0;
		ours = expression_open(&expression, pattern, &err) == 0;
		if (theirs != ours && ++disputed <= 5)
			printf("# '%s': %s, expected %s\n", pattern, ours ? "good" : err.text, theirs ? "good" : "bad");
		if (theirs && ours)
			compare_texts(pattern, &regex, &expression, &found, &different);
		if (theirs)
			regfree(&regex);
		if (ours)
			expression_close(&expression);
		good += theirs && ours;
		bad += !theirs && !ours;
		stk_error_clear(&err);
	}
	ok(disputed == 0 && good > rounds / 10, "%s: %u good and %u bad as for the C library (%u disputed)", what, good,
	   bad, disputed);
	ok(different == 0 && found > rounds, "their 30 texts each: %u matches (%u different)", found, different);
}

/* --- many at once --- */

static unsigned
count_matches_alone(struct expression *expressions, unsigned count, const char *text, bool *fit)
{
	unsigned found = 0;

	for (unsigned i = 0; i < count; i++)
		found += fit[i] = expression_fits(&expressions[i], text_from(text));
	return found;
}

static void
test_many(void)
{
	enum { COUNT = 400 };
	static struct expression alone[COUNT];
	struct expression_set *set;
	struct expression_matches matches = { 0 };
	unsigned count = 0, found = 0, wrong = 0;

	expression_set_open(&set);
	for (unsigned tries = 0; count < COUNT && tries < 10 * COUNT; tries++) {
		char pattern[PATTERN_MOST + 1] = "";
		struct stk_error err = { 0 };

		random_choice(pattern, 0);
		if (expression_open(&alone[count], pattern, &err) == 0 &&
		    expression_set_add(set, text_from(pattern), 1000 + count, NULL, &err) == 0)
			count++;
		stk_error_clear(&err);
	}
	for (unsigned round = 0; round < 500; round++) {
		char text[32];
		bool fit[COUNT];
		unsigned expected;

		random_text(text);
		expected = count_matches_alone(alone, count, text, fit);
		expression_set_match(set, text_from(text), &matches);
		wrong += matches.list.count != expected;
		for (size_t i = 0; i < matches.list.count; i++)
			wrong += !fit[matches.list.at[i] - 1000];
		found += expected;
	}
	ok(count == COUNT && wrong == 0 && found > 10000, "%u at once are as each alone: %u matches, %u wrong", count,
	   found, wrong);
	array_release(&matches.list);
	expression_set_close(set);
	for (unsigned i = 0; i < count; i++)
		expression_close(&alone[i]);
}

/* --- texts made to be slow --- */

/* An a, then `apart` bytes, then a c, with no other c between. */
static bool
has_distance(const char *text, size_t size, size_t apart)
{
	for (size_t c = apart; c < size; c++)
		if (text[c] == 'c' && text[c - apart] == 'a' && memchr(text + c - apart, 'c', apart) == NULL)
			return true;
	return false;
}

/* Each byte of these leads to a state that none led to before, since 2 to the 200 are possible: so memory for states
 * ends many times. */
static void
test_endless_states(void)
{
	enum { SIZE = 60000, APART = 200 };
	static char text[SIZE];
	struct expression expression;
	struct stk_error err = { 0 };
	unsigned wrong = 0, found = 0;

	ok(expression_open(&expression, "(a|b)*a(a|b){199}c", &err) == 0, "an expression with 2 to the 200 states");
	for (unsigned round = 0; round < 4; round++) {
		bool expected;

		for (size_t i = 0; i < SIZE; i++)
			text[i] = random_below(2) != 0 ? 'a' : 'b';
		text[SIZE - 2] = 'c';
		text[SIZE - 2 - APART] = round % 2 != 0 ? 'a' : 'b';
		expected = has_distance(text, SIZE, APART);
		wrong += expression_fits(&expression, text_of(text, SIZE)) != expected;
		found += expected;
	}
	ok(wrong == 0 && found == 2, "texts of %d bytes with a new state by each: %u found, %u wrong", SIZE, found, wrong);
	expression_close(&expression);
}

/* --- what is refused, and where --- */

static void
test_refused(void)
{
	static const struct { const char *pattern, *message; } bad[] = {
		{ "ab(c", "at character 3: Unmatched ( (expected a ) later)" },
		{ "a[b-", "at character 2: Unmatched [ (expected a ] later)" },
		{ "ab{2,3", "at character 3: Unmatched { (expected a } after one or two numbers)" },
		{ "a{x}", "at character 2: Invalid content of {} (expected one or two numbers)" },
		{ "a{3,2}", "at character 2: Invalid content of {} (expected the smaller number first)" },
		{ "a{32768}", "at character 2: a number of repetitions (expected at most 32767)" },
		{ "a|*b",
		  "at character 3: Invalid repetition (expected something before it that can be repeated)" },
		{ "^*",
		  "at character 2: Invalid repetition (expected something before it that can be repeated)" },
		{ "[z-a]", "at character 3: Invalid range (expected its end not below its begin)" },
		{ "[a-b-c]",
		  "at character 5: a hyphen that follows a range (expected it first or last in the brackets)" },
		{ "[[.space.]]", "at character 2: a name of a character (expected the character itself)" },
		{ "[[:alpha",
		  "at character 2: a name without its end in brackets (expected :], .] or =] as it began)" },
		{ "ab\\", "at character 3: Trailing backslash (expected a character after it)" },
		{ "(a)\\1",
		  "at character 4: a back reference, which would make matching exponential (expected none)" },
		{ "(b(a{40}){40}){2}",
		  "at character 10: repetitions of too many elements when they are written out "
		  "(expected at most 1000)" },
		{ "((){30000}){30000}",
		  "at character 4: repetitions of too many elements when they are written out "
		  "(expected at most 1000)" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct expression expression;
		struct stk_error err = { 0 };

		if (expression_open(&expression, bad[i].pattern, &err) == 0)
			expression_close(&expression);
		is_text(err.text, bad[i].message, "'%s'", bad[i].pattern);
		stk_error_clear(&err);
	}
}

int
main(void)
{
	test_as_the_library("expressions", 20000, false);
	test_as_the_library("junk", 60000, true);
	test_many();
	test_endless_states();
	test_refused();
	return tap_end();
}
