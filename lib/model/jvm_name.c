/* SPDX-License-Identifier: MIT
 * jvm_name: from left to right, each function tries one form at one place. It adds what the source has and returns what
 * follows; where it does not apply it adds nothing and returns the place itself. */
#include "model/jvm_name.h"

#define CODE_DIGITS 4		/* of $u00E9 */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
begins(const char *at, const char *end, const char *word)
{
	size_t size = strlen(word);

	return (size_t)(end - at) >= size && memcmp(at, word, size) == 0;
}

/* Whether a part of a name is over there. */
static bool
is_edge(const char *at, const char *end)
{
	return at == end || (!is_letter(*at) && !is_digit(*at) && *at != '_');
}

/* Whether a method's or a class's name begins there. */
static bool
is_start(const char *from, const char *at)
{
	return at == from || at[-1] == '.' || at[-1] == '/' || at[-1] == '>';
}

/* The end of digits at `at` that are a number of the compiler's; NULL. */
static const char *
number_end(const char *at, const char *end)
{
	const char *digits = at;

	while (at < end && is_digit(*at))
		at++;
	return at > digits && is_edge(at, end) ? at : NULL;
}

/* "total$1": what is numbered, which may be nothing, and the number. False: there is none within this name. */
struct numbered { struct stk_text name, number; };

static bool
read_numbered(struct numbered *out, const char *at, const char *end)
{
	for (const char *name = at; at < end && *at != '.' && *at != '(' && *at != '/'; at++) {
		const char *digits = at == name ? at : *at == '$' ? at + 1 : NULL;
		const char *behind = digits == NULL ? NULL : number_end(digits, end);

		if (behind == NULL)
			continue;
		out->name = text_of(name, (size_t)(at - name));
		out->number = text_of(digits, (size_t)(behind - digits));
		return true;
	}
	return false;
}

static const char *
end_of(struct stk_text text)
{
	return text.data + text.size;
}

static void
add_numbered(struct text_buffer *to, const char *what, struct stk_text number, const char *more)
{
	add_char(to, '{');
	add_string(to, what);
	add_char(to, '#');
	add_text(to, number);
	add_string(to, more);
	add_char(to, '}');
}

/* --- Scala --- */

static const struct { const char *word; char sign; } operators[] = {
	{ "tilde", '~' }, { "eq", '=' },    { "less", '<' },  { "greater", '>' }, { "bang", '!' },  { "hash", '#' },
	{ "percent", '%' }, { "up", '^' },  { "amp", '&' },   { "bar", '|' },     { "times", '*' }, { "div", '/' },
	{ "plus", '+' },  { "minus", '-' }, { "colon", ':' }, { "qmark", '?' },   { "at", '@' },    { "bslash", '\\' },
};

/* "$plus". Another word begins like one: "$update". */
static const char *
operator_sign(const char *at, const char *end, char *sign)
{
	for (unsigned i = 0; at < end && *at == '$' && i < sizeof operators / sizeof *operators; i++) {
		const char *behind = at + 1 + strlen(operators[i].word);

		if (begins(at + 1, end, operators[i].word) && is_edge(behind, end)) {
			*sign = operators[i].sign;
			return behind;
		}
	}
	return at;
}

/* An arrow stays: it would look like a chain of inlined functions. */
static const char *
add_operator(struct text_buffer *to, const char *at, const char *end)
{
	static const char arrow[] = "$minus$greater", constructor[] = "$lessinit$greater";
	char sign = 0;
	const char *behind;

	if (begins(at, end, arrow)) {
		add_string(to, arrow);
		return at + sizeof arrow - 1;
	}
	if (begins(at, end, constructor)) {
		add_string(to, "<init>");
		return at + sizeof constructor - 1;
	}
	behind = operator_sign(at, end, &sign);
	if (behind > at)
		add_char(to, sign);
	return behind;
}

/* "$u00E9" */
static const char *
add_code(struct text_buffer *to, const char *at, const char *end)
{
	uint32_t code = 0;

	if (!begins(at, end, "$u") || end - at < CODE_DIGITS + 2)
		return at;
	for (const char *p = at + 2; p < at + 2 + CODE_DIGITS; p++) {
		if (!is_digit(*p) && (*p < 'A' || *p > 'F'))
			return at;
		code = code * 16 + (uint32_t)(is_digit(*p) ? *p - '0' : *p - 'A' + 10);
	}
	if (code < 0xa0 || (code >= 0xd800 && code < 0xe000))	/* no letter */
		return at;
	add_character(to, code);
	return at + 2 + CODE_DIGITS;
}

static void
add_decoded(struct text_buffer *to, struct stk_text name)
{
	const char *end = end_of(name), *next;

	for (const char *at = name.data; at < end; at = next) {
		next = add_operator(to, at, end);
		next = next > at ? next : add_code(to, at, end);
		if (next == at)
			add_char(to, *next++);
	}
}

/* A method "$anonfun$total$1" or "total$$anonfun$1", and a class "Cart$$anonfun$total$1", of 2.11; "adapted" are those
 * that box what another one takes. */
static const char *
add_anonymous(struct text_buffer *to, const char *from, const char *at, const char *end)
{
	static const char method[] = "$anonfun$", class[] = "$$anonfun$", adapted[] = "$adapted";
	bool is_method = is_start(from, at) && begins(at, end, method);
	struct numbered lambda;
	bool boxes;

	if (!is_method && !begins(at, end, class))
		return at;
	if (!read_numbered(&lambda, at + (is_method ? sizeof method : sizeof class) - 1, end))
		return at;
	boxes = text_is(lambda.name, adapted + 1);
	if (!boxes && lambda.name.size > 0 && !is_method)
		add_char(to, '.');
	if (!boxes)
		add_decoded(to, lambda.name);
	at = end_of(lambda.number);
	if (begins(at, end, adapted) && is_edge(at + sizeof adapted - 1, end)) {
		at += sizeof adapted - 1;
		boxes = true;
	}
	add_numbered(to, "lambda", lambda.number, boxes ? " adapted" : "");
	return at;
}

/* "total$default$2": what computes the second argument where none is given. */
static const char *
add_default_argument(struct text_buffer *to, const char *at, const char *end)
{
	static const char word[] = "$default$";
	const char *digits = at + sizeof word - 1, *behind;

	if (!begins(at, end, word) || (behind = number_end(digits, end)) == NULL)
		return at;
	add_numbered(to, "default", text_of(digits, (size_t)(behind - digits)), "");
	return behind;
}

static const char *
add_scala(struct text_buffer *to, const char *from, const char *at, const char *end)
{
	const char *next = add_anonymous(to, from, at, end);

	next = next > at ? next : add_default_argument(to, at, end);
	next = next > at ? next : add_operator(to, at, end);
	return next > at ? next : add_code(to, at, end);
}

/* --- Kotlin --- */

/* "total$lambda$0", and "total$lambda-0" of older compilers. */
static const char *
add_kotlin_lambda(struct text_buffer *to, const char *at, const char *end)
{
	static const char word[] = "$lambda$";
	const char *digits = at + sizeof word - 1, *behind;

	if ((!begins(at, end, word) && !begins(at, end, "$lambda-")) || (behind = number_end(digits, end)) == NULL)
		return at;
	add_numbered(to, "lambda", text_of(digits, (size_t)(behind - digits)), "");
	return behind;
}

/* "total$default" fills in what was not given. */
static const char *
add_kotlin_default(struct text_buffer *to, const char *at, const char *end)
{
	static const char word[] = "$default";
	const char *behind = at + sizeof word - 1;

	if (!begins(at, end, word) || !is_edge(behind, end) || (behind < end && *behind == '$'))
		return at;
	add_string(to, "{default}");
	return behind;
}

/* "CartKt." holds the functions of the file Cart.kt that are in no class; it is left out. */
static const char *
without_file_class(const char *at, const char *end)
{
	const char *dot = at, *method;

	while (dot < end && (is_letter(*dot) || is_digit(*dot) || *dot == '_'))
		dot++;
	if (dot - at < 3 || dot == end || *dot != '.' || dot[-1] != 't' || dot[-2] != 'K' || *at < 'A' || *at > 'Z')
		return at;
	for (method = dot + 1; method < end && *method != '(' && !begins(method, end, "->"); method++)
		if (*method == '.' || *method == '/')
			return at;
	return method > dot + 1 ? dot + 1 : at;
}

static const char *
add_kotlin(struct text_buffer *to, const char *from, const char *at, const char *end)
{
	const char *next;

	if (is_start(from, at) && (next = without_file_class(at, end)) > at)
		return next;
	next = add_kotlin_lambda(to, at, end);
	return next > at ? next : add_kotlin_default(to, at, end);
}

/* --- Java --- */

/* "lambda$total$0" */
static const char *
add_java(struct text_buffer *to, const char *from, const char *at, const char *end)
{
	static const char word[] = "lambda$";
	struct numbered lambda;

	if (!is_start(from, at) || !begins(at, end, word) || !read_numbered(&lambda, at + sizeof word - 1, end) ||
	    lambda.name.size == 0)
		return at;
	add_text(to, lambda.name);
	add_numbered(to, "lambda", lambda.number, "");
	return end_of(lambda.number);
}

void
jvm_name_add(struct text_buffer *to, uint64_t which, struct stk_text name)
{
	const char *end = end_of(name), *next;

	for (const char *at = name.data; at < end; at = next) {
		next = at;
		if ((which & PLAIN_SCALA) != 0 && *at == '$')
			next = add_scala(to, name.data, at, end);
		if ((which & PLAIN_KOTLIN) != 0 && next == at)
			next = add_kotlin(to, name.data, at, end);
		if ((which & PLAIN_JAVA) != 0 && next == at && *at == 'l')
			next = add_java(to, name.data, at, end);
		if (next == at)
			add_char(to, *next++);
	}
}
