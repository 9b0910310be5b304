/* SPDX-License-Identifier: MIT
 * row_condition: comparisons in a list, each of which says how it is joined to the one before. */
#include "group/row_condition.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/quantities.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum comparison { ABOVE, AT_LEAST, BELOW, AT_MOST, EQUAL, NOT_EQUAL };

struct row_comparison {
	enum row_figure figure;
	enum comparison how;
	double value;
	bool begins;		/* is the first, or follows an or */
};

struct row_condition { ARRAY(struct row_comparison) list; };

struct row_parser {
	const char *text, *at;
	struct stk_error *err;
};

static const char *const figure_names[ROW_FIGURES] = {
	"count", "weight", "share", "time", "total", "total_share", "payload", "sampled", "paired"
};

static int
fail_here(const struct row_parser *p, const char *expected)
{
	return stk_fail(p->err, STK_EUSAGE, "having: at character %zu: expected %s", (size_t)(p->at - p->text) + 1,
			expected);
}

static void
skip_blanks(struct row_parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

/* A word that letters and '_' make up. */
static bool
next_is(struct row_parser *p, const char *word)
{
	size_t size = strlen(word);

	skip_blanks(p);
	if (strncmp(p->at, word, size) != 0 || isalnum((unsigned char)p->at[size]) || p->at[size] == '_')
		return false;
	p->at += size;
	return true;
}

static int
read_figure(struct row_parser *p, enum row_figure *figure)
{
	for (unsigned f = 0; f < ROW_FIGURES; f++)
		if (next_is(p, figure_names[f])) {
			*figure = (enum row_figure)f;
			return 0;
		}
	return fail_here(p, "count, weight, share, time, total, total_share, payload, sampled or paired");
}

static int
read_comparison(struct row_parser *p, enum comparison *how)
{
	static const struct { const char *sign; enum comparison how; } signs[] = {
		{ ">=", AT_LEAST }, { "<=", AT_MOST }, { "!=", NOT_EQUAL }, { ">", ABOVE }, { "<", BELOW }, { "=", EQUAL }
	};

	skip_blanks(p);
	for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
		if (strncmp(p->at, signs[s].sign, strlen(signs[s].sign)) == 0) {
			*how = signs[s].how;
			p->at += strlen(signs[s].sign);
			return 0;
		}
	return fail_here(p, ">, >=, <, <=, = or !=");
}

/* A share has a percent sign, so that 20 is not read as 20 times the whole; a time has a unit. */
static int
read_value(struct row_parser *p, enum row_figure figure, double *value)
{
	char word[40];
	size_t size = 0;
	struct stk_error unused = { 0 };
	int64_t ns;

	skip_blanks(p);
	while (size + 1 < sizeof word && p->at[size] != '\0' && !isspace((unsigned char)p->at[size])) {
		word[size] = p->at[size];
		size++;
	}
	word[size] = '\0';
	if (figure == ROW_SHARE || figure == ROW_TOTAL_SHARE) {
		if (size == 0 || word[size - 1] != '%' || !real_parse(word, true, value))
			return fail_here(p, "a percentage such as 20%");
		*value /= 100;
	} else if (figure == ROW_TIME || figure == ROW_SAMPLED || figure == ROW_PAIRED) {
		if (duration_parse(word, &ns, &unused) < 0) {
			stk_error_clear(&unused);
			return fail_here(p, "a time such as 500ms");
		}
		*value = (double)ns / 1e9;
	} else if (!real_parse(word, false, value))
		return fail_here(p, "a number");
	p->at += size;
	return 0;
}

static int
read_list(struct row_parser *p, struct row_condition *condition)
{
	bool begins = true;

	for (;;) {
		struct row_comparison one = { .begins = begins };

		if (read_figure(p, &one.figure) < 0 || read_comparison(p, &one.how) < 0 ||
		    read_value(p, one.figure, &one.value) < 0)
			return -1;
		*array_push(&condition->list) = one;
		begins = next_is(p, "or");
		if (!begins && !next_is(p, "and"))
			break;
	}
	skip_blanks(p);
	return *p->at == '\0' ? 0 : fail_here(p, "and, or, or the end");
}

int
row_condition_open(struct row_condition **out, const char *text, struct stk_error *err)
{
	struct row_parser p = { text, text, err };

	*out = mem_new(1, sizeof **out);
	if (read_list(&p, *out) == 0)
		return 0;
	row_condition_close(*out);
	*out = NULL;
	return -1;
}

void
row_condition_close(struct row_condition *condition)
{
	if (condition == NULL)
		return;
	array_release(&condition->list);
	free(condition);
}

static bool
comparison_holds(const struct row_comparison *one, double value)
{
	switch (one->how) {
	case ABOVE:    return value > one->value;
	case AT_LEAST: return value >= one->value;
	case BELOW:    return value < one->value;
	case AT_MOST:  return value <= one->value;
	case EQUAL:    return !(value < one->value) && !(value > one->value);
	default:       return value < one->value || value > one->value;
	}
}

bool
row_condition_holds(const struct row_condition *condition, const double *values)
{
	bool holds = false;

	for (size_t i = 0; i < condition->list.count; i++) {
		const struct row_comparison *one = &condition->list.at[i];
		double value = values[one->figure];
		bool this = !isnan(value) && comparison_holds(one, value);

		if (one->begins && holds)
			return true;
		holds = one->begins ? this : holds && this;
	}
	return holds;
}
