/* SPDX-License-Identifier: MIT
 * expression: measures an expression before the C library compiles it. Only what determines its size is examined; the C
 * library finds what is wrong. */
#include "base/expression.h"

#include <string.h>

/* The size of what is between two parentheses, as far as it was read. */
struct level {
	uint64_t elements;		/* before the last one */
	uint64_t last;			/* of the last one, to which a repetition belongs; 0 none */
};

struct measure {
	const char *pattern, *at;
	struct level levels[EXPRESSION_DEPTH_MOST + 1];
	unsigned depth;
	uint64_t copies;
	struct stk_error *err;
};

/* What {m,n} asks for; most is 0 when there is no upper bound. */
struct interval { uint64_t least, most; };

static int
fail_here(const struct measure *m, const char *what, unsigned limit)
{
	return stk_fail(m->err, STK_EUSAGE, "at character %zu: %s (expected at most %u)",
			(size_t)(m->at - m->pattern) + 1, what, limit);
}

/* An element that a repetition may follow. */
static void
add_element(struct measure *m, uint64_t size)
{
	struct level *level = &m->levels[m->depth];

	level->elements += level->last;
	level->last = size;
}

/* "[]a]", "[^]a]", "[[:alpha:]]": returns the place after the closing bracket, or the end. */
static const char *
bracket_end(const char *at)
{
	at += at[1] == '^' ? 2 : 1;
	if (*at == ']')
		at++;
	while (*at != '\0' && *at != ']') {
		char kind = at[0] == '[' && (at[1] == ':' || at[1] == '.' || at[1] == '=') ? at[1] : '\0';

		at += kind == '\0' ? 1 : 2;
		if (kind == '\0')
			continue;
		while (*at != '\0' && (at[0] != kind || at[1] != ']'))
			at++;
		at += *at == '\0' ? 0 : 2;
	}
	return *at == ']' ? at + 1 : at;
}

/* Digits, up to a number that is refused in any case. */
static const char *
read_count(const char *at, uint64_t *count)
{
	for (*count = 0; *at >= '0' && *at <= '9'; at++)
		*count = *count > EXPRESSION_COPIES_MOST ? *count : *count * 10 + (uint64_t)(*at - '0');
	return at;
}

/* The place after "{m}", "{m,}", "{,n}" or "{m,n}"; NULL when the braces are none of these. */
static const char *
read_interval(const char *at, struct interval *to)
{
	const char *begin = at + 1, *end = read_count(begin, &to->least);

	to->most = to->least;
	if (*end == ',')
		end = read_count(begin = end + 1, &to->most);
	return *end == '}' && end > at + 1 ? end + 1 : NULL;
}

/* Repeats the last element this often. An unbounded repetition is the least number and one that loops, as + is one and
 * a loop. */
static int
repeat_last(struct measure *m, const struct interval *times)
{
	struct level *level = &m->levels[m->depth];
	uint64_t count = times->most > times->least ? times->most : times->least + (times->most == 0);
	uint64_t added = count <= 1 ? 0 : level->last * (count - 1);

	m->copies += added + (times->least != times->most);
	level->last += added;
	return m->copies > EXPRESSION_COPIES_MOST
		       ? fail_here(m, "repetitions of too many elements when they are written out",
				   EXPRESSION_COPIES_MOST)
		       : 0;
}

static int
open_level(struct measure *m)
{
	if (m->depth == EXPRESSION_DEPTH_MOST)
		return fail_here(m, "parentheses one inside another", EXPRESSION_DEPTH_MOST);
	m->levels[++m->depth] = (struct level){ 0 };
	m->at++;
	return 0;
}

static void
close_level(struct measure *m)
{
	uint64_t size = 0;

	if (m->depth > 0) {
		size = m->levels[m->depth].elements + m->levels[m->depth].last;
		m->depth--;
	}
	add_element(m, size > 0 ? size : 1);
	m->at++;
}

static int
measure_escape(struct measure *m)
{
	if (m->at[1] >= '1' && m->at[1] <= '9')
		return stk_fail(
			m->err, STK_EUSAGE,
			"at character %zu: a back reference, which would make matching exponential (expected none)",
			(size_t)(m->at - m->pattern) + 1);
	add_element(m, 1);
	m->at += m->at[1] == '\0' ? 1 : 2;
	return 0;
}

static int
measure_brace(struct measure *m)
{
	struct interval times;
	const char *end = read_interval(m->at, &times);

	if (end == NULL) {
		add_element(m, 1);
		m->at++;
		return 0;
	}
	if (repeat_last(m, &times) < 0)
		return -1;
	m->at = end;
	return 0;
}

static int
measure_next(struct measure *m)
{
	static const struct interval any = { 0, 0 }, some = { 1, 0 }, maybe = { 0, 1 };

	switch (*m->at) {
	case '\\': return measure_escape(m);
	case '{':  return measure_brace(m);
	case '(':  return open_level(m);
	case ')':  close_level(m); return 0;
	case '[':  add_element(m, 1); m->at = bracket_end(m->at); return 0;
	case '*':  m->at++; return repeat_last(m, &any);
	case '+':  m->at++; return repeat_last(m, &some);
	case '?':  m->at++; return repeat_last(m, &maybe);
	default:   add_element(m, 1); m->at++; return 0;
	}
}

int
expression_open(struct expression *to, const char *pattern, struct stk_error *err)
{
	struct measure m = { .pattern = pattern, .at = pattern, .err = err };
	char why[200];
	int failed;

	if (strlen(pattern) > EXPRESSION_BYTES_MOST)
		return stk_fail(err, STK_EUSAGE, "a regular expression of %zu bytes (expected at most %u)",
				strlen(pattern), EXPRESSION_BYTES_MOST);
	while (*m.at != '\0')
		if (measure_next(&m) < 0)
			return -1;
	failed = regcomp(&to->regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (failed != 0) {
		regerror(failed, &to->regex, why, sizeof why);
		return stk_fail(err, STK_EUSAGE, "%s", why);
	}
	to->copies = (uint32_t)m.copies;
	return 0;
}

void
expression_close(struct expression *expression)
{
	regfree(&expression->regex);
}

bool
expression_fits(const struct expression *expression, const char *line)
{
	return regexec(&expression->regex, line, 0, NULL, 0) == 0;
}
