/* SPDX-License-Identifier: MIT
 * expression_program: reads an expression as a tree, then writes the tree out as elements, the last one first, so that
 * each knows what follows it. Repetitions with numbers are written out; loops are not, so nested ones stay small. */
#include "base/expression_program.h"

#include "base/bytes.h"
#include "base/expression.h"

#include <string.h>

#define NO_MOST      UINT32_MAX		/* of a repetition: a loop */
#define REPEATS_MOST 32767u		/* the number in {m,n}, as POSIX has it */
#define TOO_MANY     "repetitions of too many elements when they are written out"

enum part_kind { PART_BYTE, PART_SET, PART_ANCHOR, PART_SEQUENCE, PART_CHOICE, PART_REPEAT };

/* Parts of a sequence are in a list, the last one first; so are the ways of a choice. */
struct part {
	unsigned char kind;
	unsigned char what;
	uint32_t first, next;		/* child, sibling; 0 none */
	uint32_t least, most;		/* of a repetition */
	uint32_t set;
	uint32_t place;			/* of a repetition, in the expression */
};

struct reader {
	const char *begin, *at, *end;
	ARRAY(struct part) parts;
	struct expression_program *to;
	unsigned depth;
	uint32_t number;
	uint64_t written;		/* elements, without those of repetitions */
	uint64_t copies;		/* of them, and repetitions */
	bool copying;
	const char *too_many;		/* the repetition at which there were too many; NULL none */
	size_t elements;		/* that were there before */
	struct stk_error *err;
};

static int
fail_at(const struct reader *r, const char *at, const char *what)
{
	return stk_fail(r->err, STK_EUSAGE, "at character %zu: %s", (size_t)(at - r->begin) + 1, what);
}

static int
fail_limit(const struct reader *r, const char *at, const char *what, unsigned limit)
{
	return stk_fail(r->err, STK_EUSAGE, "at character %zu: %s (expected at most %u)", (size_t)(at - r->begin) + 1,
			what, limit);
}

static uint32_t
add_part(struct reader *r, enum part_kind kind, unsigned what)
{
	*array_push(&r->parts) = (struct part){ .kind = (unsigned char)kind, .what = (unsigned char)what };
	return (uint32_t)r->parts.count - 1;
}

static void
adopt(struct reader *r, uint32_t parent, uint32_t child)
{
	r->parts.at[child].next = r->parts.at[parent].first;
	r->parts.at[parent].first = child;
}

/* --- sets of bytes --- */

static void
set_add(struct byte_set *set, unsigned char byte)
{
	set->bits[byte / 64] |= UINT64_C(1) << byte % 64;
}

static bool
in_range(unsigned char byte, char first, char last)
{
	return byte >= (unsigned char)first && byte <= (unsigned char)last;
}

static bool
is_letter(unsigned char b)
{
	return in_range(b, 'a', 'z') || in_range(b, 'A', 'Z');
}

static bool
is_space(unsigned char b)
{
	return b == ' ' || in_range(b, '\t', '\r');
}

static bool is_digit(unsigned char b) { return in_range(b, '0', '9'); }
static bool is_upper(unsigned char b) { return in_range(b, 'A', 'Z'); }
static bool is_lower(unsigned char b) { return in_range(b, 'a', 'z'); }
static bool is_alnum(unsigned char b) { return is_letter(b) || is_digit(b); }
static bool is_blank(unsigned char b) { return b == ' ' || b == '\t'; }
static bool is_cntrl(unsigned char b) { return b < ' ' || b == 127; }
static bool is_graph(unsigned char b) { return in_range(b, '!', '~'); }
static bool is_print(unsigned char b) { return in_range(b, ' ', '~'); }
static bool is_punct(unsigned char b) { return is_graph(b) && !is_alnum(b); }
static bool is_xdigit(unsigned char b) { return is_digit(b) || in_range(b, 'a', 'f') || in_range(b, 'A', 'F'); }

bool
is_word_byte(unsigned char byte)
{
	return is_alnum(byte) || byte == '_';
}

static void
set_add_kind(struct byte_set *set, bool (*has)(unsigned char), bool wanted)
{
	for (unsigned byte = 0; byte < 256; byte++)
		if (has((unsigned char)byte) == wanted)
			set_add(set, (unsigned char)byte);
}

static uint32_t
add_set(struct reader *r, const struct byte_set *set)
{
	uint32_t part = add_part(r, PART_SET, 0);

	r->parts.at[part].set = (uint32_t)r->to->sets.count;
	*array_push(&r->to->sets) = *set;
	return part;
}

static int
add_class(struct reader *r, struct byte_set *set, struct stk_text name, const char *at)
{
	static const struct { const char *name; bool (*has)(unsigned char); } classes[] = {
		{ "alnum", is_alnum }, { "alpha", is_letter }, { "blank", is_blank }, { "cntrl", is_cntrl },
		{ "digit", is_digit }, { "graph", is_graph },  { "lower", is_lower }, { "print", is_print },
		{ "punct", is_punct }, { "space", is_space },  { "upper", is_upper }, { "xdigit", is_xdigit },
	};

	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (text_is(name, classes[i].name)) {
			set_add_kind(set, classes[i].has, true);
			return 0;
		}
	return fail_at(r, at, "Invalid class of characters (expected alpha, digit, alnum, upper, lower, space, blank, "
			      "punct, print, graph, cntrl or xdigit)");
}

/* "[:alpha:]", "[.x.]" or "[=x=]" within brackets; *byte is -1 after a class. */
static int
read_named(struct reader *r, struct byte_set *set, int *byte)
{
	const char *begin = r->at + 2, *at = begin;
	char kind = r->at[1];

	while (at + 1 < r->end && (at[0] != kind || at[1] != ']'))
		at++;
	if (at + 1 >= r->end)
		return fail_at(r, r->at, "a name without its end in brackets (expected :], .] or =] as it began)");
	if (kind == ':') {
		if (add_class(r, set, text_of(begin, (size_t)(at - begin)), r->at) < 0)
			return -1;
		*byte = -1;
	} else if (at - begin != 1) {
		return fail_at(r, r->at, "a name of a character (expected the character itself)");
	} else {
		*byte = (unsigned char)*begin;
		if (kind == '=') {			/* equal to it is only itself, and it cannot begin a range */
			set_add(set, (unsigned char)*begin);
			*byte = -1;
		}
	}
	r->at = at + 2;
	return 0;
}

/* One byte, or a named thing; a hyphen only where it can be no range. */
static int
read_bracket_item(struct reader *r, struct byte_set *set, int *byte, bool hyphen)
{
	char next = r->at + 1 < r->end ? r->at[1] : '\0';

	if (*r->at == '[' && (next == ':' || next == '.' || next == '='))
		return read_named(r, set, byte);
	if (*r->at == '-' && !hyphen && r->at + 1 < r->end && next != ']')
		return fail_at(r, r->at, "a hyphen that follows a range (expected it first or last in the brackets)");
	*byte = (unsigned char)*r->at++;
	return 0;
}

static int
read_range(struct reader *r, struct byte_set *set, int first)
{
	const char *at = r->at++;
	int last;

	if (read_bracket_item(r, set, &last, true) < 0)
		return -1;
	if (last < first)				/* which it is too, when a class ends it */
		return fail_at(r, at, "Invalid range (expected its end not below its begin)");
	for (int byte = first; byte <= last; byte++)
		set_add(set, (unsigned char)byte);
	return 0;
}

/* "[]a-z]", "[^]a]", "[[:alpha:]_]" */
static int
read_brackets(struct reader *r, uint32_t *part)
{
	const char *open = r->at++;
	struct byte_set set = { 0 };
	bool inverted = r->at < r->end && *r->at == '^', first = true;

	r->at += inverted;
	for (; r->at < r->end && (*r->at != ']' || first); first = false) {
		int byte;

		if (read_bracket_item(r, &set, &byte, first) < 0)
			return -1;
		if (byte < 0)
			continue;
		if (r->at + 1 < r->end && r->at[0] == '-' && r->at[1] != ']') {
			if (read_range(r, &set, byte) < 0)
				return -1;
		} else {
			set_add(&set, (unsigned char)byte);
		}
	}
	if (r->at >= r->end)
		return fail_at(r, open, "Unmatched [ (expected a ] later)");
	r->at++;
	for (unsigned i = 0; i < 4 && inverted; i++)
		set.bits[i] = ~set.bits[i];
	*part = add_set(r, &set);
	return 0;
}

/* --- the tree --- */

static int read_choice(struct reader *r, uint32_t *part);

/* Digits; false when there are none. A number that is refused in any case does not grow further. */
static bool
read_count(struct reader *r, uint32_t *count)
{
	const char *begin = r->at;

	for (*count = 0; r->at < r->end && is_digit((unsigned char)*r->at); r->at++)
		*count = *count > REPEATS_MOST ? *count : *count * 10 + (uint32_t)(*r->at - '0');
	return r->at > begin;
}

/* "{m}", "{m,}", "{,n}" or "{m,n}" */
static int
read_interval(struct reader *r, uint32_t *least, uint32_t *most)
{
	const char *open = r->at++;
	bool counted = read_count(r, least), comma = r->at < r->end && *r->at == ',';

	*most = *least;
	r->at += comma;
	if (comma && !read_count(r, most))
		*most = NO_MOST;
	if (r->at >= r->end)
		return fail_at(r, open, "Unmatched { (expected a } after one or two numbers)");
	if (*r->at != '}' || (!counted && !comma))
		return fail_at(r, open, "Invalid content of {} (expected one or two numbers)");
	r->at++;
	if (*least > *most)
		return fail_at(r, open, "Invalid content of {} (expected the smaller number first)");
	if (*least > REPEATS_MOST || (*most != NO_MOST && *most > REPEATS_MOST))
		return fail_limit(r, open, "a number of repetitions", REPEATS_MOST);
	return 0;
}

/* Whether a repetition is here, and its numbers. -1 when it is a bad one. */
static int
read_repetition(struct reader *r, uint32_t *least, uint32_t *most)
{
	char byte = r->at < r->end ? *r->at : '\0';

	if (byte == '{')
		return read_interval(r, least, most) < 0 ? -1 : 1;
	if (byte != '*' && byte != '+' && byte != '?')
		return 0;
	r->at++;
	*least = byte == '+';
	*most = byte == '?' ? 1 : NO_MOST;
	return 1;
}

static int
read_repetitions(struct reader *r, uint32_t *part)
{
	const char *at = r->at;
	uint32_t least, most;
	int got;

	while ((got = read_repetition(r, &least, &most)) > 0) {
		uint32_t repeat = add_part(r, PART_REPEAT, 0);

		r->parts.at[repeat].least = least;
		r->parts.at[repeat].most = most;
		r->parts.at[repeat].place = (uint32_t)(at - r->begin);
		adopt(r, repeat, *part);
		*part = repeat;
		r->copies++;
		if (r->copies > EXPRESSION_COPIES_MOST)
			return fail_limit(r, at, TOO_MANY, EXPRESSION_COPIES_MOST);
		at = r->at;
	}
	return got;
}

static int
read_parentheses(struct reader *r, uint32_t *part)
{
	const char *open = r->at++;

	if (r->depth == EXPRESSION_DEPTH_MOST)
		return fail_limit(r, open, "parentheses one inside another", EXPRESSION_DEPTH_MOST);
	r->depth++;
	if (read_choice(r, part) < 0)
		return -1;
	r->depth--;
	if (r->at >= r->end)
		return fail_at(r, open, "Unmatched ( (expected a ) later)");
	r->at++;
	return 0;
}

static uint32_t
add_anchor(struct reader *r, enum anchor anchor)
{
	r->to->asks_words |= anchor != ANCHOR_BEGIN && anchor != ANCHOR_END;
	return add_part(r, PART_ANCHOR, anchor);
}

static int
read_escape(struct reader *r, uint32_t *part)
{
	static const char anchors[] = "`'<>bB";		/* in the order of enum anchor */
	char byte = r->at + 1 < r->end ? r->at[1] : '\0';
	struct byte_set set = { 0 };

	if (r->at + 1 >= r->end)
		return fail_at(r, r->at, "Trailing backslash (expected a character after it)");
	if (byte >= '1' && byte <= '9')
		return fail_at(r, r->at,
			       "a back reference, which would make matching exponential (expected none)");
	if (byte != '\0' && strchr(anchors, byte) != NULL) {
		*part = add_anchor(r, (enum anchor)(strchr(anchors, byte) - anchors));
	} else if (byte == 'w' || byte == 'W') {
		set_add_kind(&set, is_word_byte, byte == 'w');
		*part = add_set(r, &set);
	} else if (byte == 's' || byte == 'S') {
		set_add_kind(&set, is_space, byte == 's');
		*part = add_set(r, &set);
	} else {
		*part = add_part(r, PART_BYTE, (unsigned char)byte);
	}
	r->at += 2;
	return 0;
}

static int
read_plain(struct reader *r, uint32_t *part)
{
	const struct byte_set every = { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };

	if (*r->at == '.') {
		*part = add_set(r, &every);
	} else if (*r->at == '^' || *r->at == '$') {
		*part = add_anchor(r, *r->at == '^' ? ANCHOR_BEGIN : ANCHOR_END);
	} else {
		*part = add_part(r, PART_BYTE, (unsigned char)*r->at);
	}
	r->at++;
	return 0;
}

/* What a repetition may follow, with its repetitions. An anchor is not repeated. */
static int
read_part(struct reader *r, uint32_t *part)
{
	int failed;

	switch (*r->at) {
	case '*': case '+': case '?': case '{':
		return fail_at(r, r->at, "Invalid repetition (expected something before it that can be repeated)");
	case '(':  failed = read_parentheses(r, part); break;
	case '[':  failed = read_brackets(r, part); break;
	case '\\': failed = read_escape(r, part); break;
	default:   failed = read_plain(r, part); break;
	}
	if (failed < 0 || r->parts.at[*part].kind == PART_ANCHOR)
		return failed;
	return read_repetitions(r, part);
}

static int
read_sequence(struct reader *r, uint32_t *sequence)
{
	*sequence = add_part(r, PART_SEQUENCE, 0);
	while (r->at < r->end && *r->at != '|' && (*r->at != ')' || r->depth == 0)) {
		uint32_t part;

		if (read_part(r, &part) < 0)
			return -1;
		adopt(r, *sequence, part);
	}
	return 0;
}

static int
read_choice(struct reader *r, uint32_t *choice)
{
	uint32_t way;

	*choice = add_part(r, PART_CHOICE, 0);
	for (;;) {
		if (read_sequence(r, &way) < 0)
			return -1;
		adopt(r, *choice, way);
		if (r->at >= r->end || *r->at != '|')
			return 0;
		r->at++;
	}
}

/* --- writing it out --- */

static uint32_t
add_element(struct reader *r, enum element_kind kind, unsigned what, uint32_t next, uint32_t other)
{
	*array_push(&r->to->elements) = (struct element){ .kind = (unsigned char)kind, .what = (unsigned char)what,
							  .next = next, .other = other };
	return (uint32_t)r->to->elements.count - 1;
}

static uint32_t write_part(struct reader *r, uint32_t part, uint32_t next);

/* Another copy of a part; only the outermost counts. Copies of nothing count too, since they take time. */
static uint32_t
write_copy(struct reader *r, uint32_t part, uint32_t next)
{
	uint64_t before = r->written;
	uint32_t first;

	if (r->copying)
		return write_part(r, part, next);
	r->copying = true;
	first = write_part(r, part, next);
	r->copying = false;
	r->copies += r->written > before ? r->written - before : 1;
	return first;
}

/* Whether what is written is refused in any case, so that no more needs to be. */
static bool
has_too_many(struct reader *r, const struct part *repeat)
{
	if (r->too_many == NULL &&
	    (r->copies > EXPRESSION_COPIES_MOST || r->written > EXPRESSION_BYTES_MOST + EXPRESSION_COPIES_MOST))
		r->too_many = r->begin + repeat->place;
	return r->too_many != NULL;
}

/* The way back is written before what it leads to is known. */
static uint32_t
write_loop(struct reader *r, const struct part *repeat, uint32_t next)
{
	uint32_t loop = add_element(r, ELEMENT_EITHER, 0, 0, next), first = write_part(r, repeat->first, loop);

	r->to->elements.at[loop].next = first;
	if (repeat->least == 0)
		return loop;
	for (uint32_t i = 1; i < repeat->least && !has_too_many(r, repeat); i++)
		first = write_copy(r, repeat->first, first);
	(void)has_too_many(r, repeat);
	return first;
}

/* The optional ones one inside another: a{1,3} is a(a(a)?)?. */
static uint32_t
write_repeat(struct reader *r, uint32_t part, uint32_t next)
{
	struct part repeat = r->parts.at[part];
	uint32_t first = next;

	if (repeat.most == NO_MOST)
		return write_loop(r, &repeat, next);
	for (uint32_t i = 0; i < repeat.most && !has_too_many(r, &repeat); i++) {
		first = i == 0 ? write_part(r, repeat.first, first) : write_copy(r, repeat.first, first);
		if (i < repeat.most - repeat.least)
			first = add_element(r, ELEMENT_EITHER, 0, first, next);
	}
	(void)has_too_many(r, &repeat);
	return first;
}

static uint32_t
write_choice(struct reader *r, uint32_t part, uint32_t next)
{
	uint32_t way = r->parts.at[part].first, first = write_part(r, way, next);

	while ((way = r->parts.at[way].next) != 0) {
		first = add_element(r, ELEMENT_EITHER, 0, write_part(r, way, next), first);
		r->written++;
	}
	return first;
}

/* Returns the first element of a part that leads to `next`. */
static uint32_t
write_part(struct reader *r, uint32_t part, uint32_t next)
{
	struct part this = r->parts.at[part];

	switch ((enum part_kind)this.kind) {
	case PART_CHOICE: return write_choice(r, part, next);
	case PART_REPEAT: return write_repeat(r, part, next);
	case PART_SEQUENCE:
		for (uint32_t child = this.first; child != 0; child = r->parts.at[child].next)
			next = write_part(r, child, next);
		return next;
	case PART_BYTE:   r->written++; return add_element(r, ELEMENT_BYTE, this.what, next, 0);
	case PART_SET:    r->written++; return add_element(r, ELEMENT_SET, 0, next, this.set);
	case PART_ANCHOR: r->written++; return add_element(r, ELEMENT_ANCHOR, this.what, next, 0);
	}
	return next;
}

static uint32_t
read_and_write(struct reader *r)
{
	uint32_t choice, first;

	*array_push(&r->parts) = (struct part){ 0 };
	if (read_choice(r, &choice) < 0)
		return 0;
	first = write_part(r, choice, add_element(r, ELEMENT_MATCH, 0, 0, r->number));
	if (r->too_many == NULL)
		return first;
	(void)fail_limit(r, r->too_many, TOO_MANY, EXPRESSION_COPIES_MOST);
	return 0;
}

uint32_t
program_add(struct expression_program *to, struct stk_text pattern, uint32_t number, uint32_t *copies,
	    struct stk_error *err)
{
	struct reader r = { .begin = pattern.data, .at = pattern.data, .end = pattern.data + pattern.size, .to = to,
			    .number = number, .err = err };
	size_t sets = to->sets.count;
	uint32_t first;

	if (pattern.size > EXPRESSION_BYTES_MOST) {
		(void)stk_fail(err, STK_EUSAGE, "a regular expression of %zu bytes (expected at most %u)", pattern.size,
			       EXPRESSION_BYTES_MOST);
		return 0;
	}
	if (to->elements.count == 0)
		*array_push(&to->elements) = (struct element){ .kind = ELEMENT_EITHER };
	r.elements = to->elements.count;
	first = read_and_write(&r);
	array_release(&r.parts);
	if (first == 0) {
		to->elements.count = r.elements;
		to->sets.count = sets;
		return 0;
	}
	*copies += (uint32_t)r.copies;
	return first;
}

void
program_release(struct expression_program *program)
{
	array_release(&program->elements);
	array_release(&program->sets);
}
