/* SPDX-License-Identifier: MIT
 * frame_identity: what makes two frames the same code. */
#include "model/frame_identity.h"

#include "base/bytes.h"

#include <limits.h>
#include <stdio.h>

#define ADDRESS_DIGITS 5	/* hex digits after 0x that make it an address and not a small number in a name */
#define HASH_DIGITS    16	/* of a Rust symbol */
#define LONG_HEX       8	/* digits of a hex number in a thread's name */

/* --- characters --- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool
is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The end of the run of such characters that begins at `at`. */
static const char *
run_end(const char *at, const char *end, bool (*is)(char))
{
	while (at < end && is(*at))
		at++;
	return at;
}

static bool
begins(const char *at, const char *end, const char *word)
{
	size_t size = strlen(word);

	return (size_t)(end - at) >= size && memcmp(at, word, size) == 0;
}

/* The place after 0x and its digits; `at` itself when there is no address. */
static const char *
address_end(const char *at, const char *end)
{
	const char *digits;

	if (!begins(at, end, "0x"))
		return at;
	digits = run_end(at + 2, end, is_hex);
	return digits - at - 2 >= ADDRESS_DIGITS ? digits : at;
}

/* --- generated suffixes of words: each function returns the end of one, `at` when there is none --- */

static const char *
digits_tail(const char *at, const char *end)
{
	return run_end(at, end, is_digit);
}

/* /0x0000000800c03000, /1234567, and as other tools write it +0x..., .0x... */
static const char *
hidden_tail(const char *at, const char *end)
{
	const char *behind;

	if (at == end || (*at != '/' && *at != '+' && *at != '.'))
		return at;
	behind = address_end(at + 1, end);
	if (behind > at + 1)
		return behind;
	return *at == '/' && at + 1 < end && is_digit(at[1]) ? run_end(at + 1, end, is_digit) : at;
}

/* $14, and what belongs to a hidden class */
static const char *
lambda_tail(const char *at, const char *end)
{
	if (at + 1 < end && *at == '$' && is_digit(at[1]))
		at = run_end(at + 1, end, is_digit);
	return hidden_tail(at, end);
}

/* $$a1b2c3d4, $$0, $$1c2d_2 */
static const char *
dollars_tail(const char *at, const char *end)
{
	const char *behind;

	if (!begins(at, end, "$$"))
		return at;
	behind = run_end(at + 2, end, is_hex);
	if (behind == at + 2)
		return at;
	if (behind + 1 < end && *behind == '_' && is_digit(behind[1]))
		behind = run_end(behind + 1, end, is_digit);
	return behind;
}

/* $AbCdEf12 */
static const char *
word_tail(const char *at, const char *end)
{
	if (begins(at, end, "$auxiliary"))		/* a word of its own */
		return at;
	return at + 1 < end && *at == '$' && is_word(at[1]) ? run_end(at + 1, end, is_word) : at;
}

/* 1a2_0, _12 */
static const char *
javassist_tail(const char *at, const char *end)
{
	const char *behind = run_end(at, end, is_hex);

	while (behind + 1 < end && *behind == '_' && is_hex(behind[1]))
		behind = run_end(behind + 1, end, is_hex);
	return behind;
}

static const struct { const char *word; const char *(*tail)(const char *at, const char *end); } generated[] = {
	{ "$$Lambda", lambda_tail },			/* HotSpot's lambdas */
	{ "LambdaForm$MH", hidden_tail },		/* and method handles */
	{ "LambdaForm$DMH", hidden_tail },
	{ "LambdaForm$BMH", hidden_tail },
	{ "LambdaForm$VH", hidden_tail },
	{ "LambdaForm$reinvoke", hidden_tail },
	{ "GeneratedMethodAccessor", digits_tail },	/* reflection */
	{ "GeneratedConstructorAccessor", digits_tail },
	{ "GeneratedSerializationConstructorAccessor", digits_tail },
	{ "$Proxy", digits_tail },			/* java.lang.reflect.Proxy; its package is next */
	{ "jdk.proxy", digits_tail },
	{ "EnhancerBySpringCGLIB", dollars_tail },	/* CGLIB, in Spring's and Guice's copies too */
	{ "EnhancerByCGLIB", dollars_tail },
	{ "EnhancerByGuice", dollars_tail },
	{ "FastClassBySpringCGLIB", dollars_tail },
	{ "FastClassByCGLIB", dollars_tail },
	{ "FastClassByGuice", dollars_tail },
	{ "KeyFactoryByCGLIB", dollars_tail },
	{ "$$SpringCGLIB", dollars_tail },
	{ "$ByteBuddy", word_tail },
	{ "$auxiliary", word_tail },
	{ "$HibernateProxy", word_tail },
	{ "$MockitoMock", word_tail },
	{ "_$$_jvst", javassist_tail },
	{ "_$$_javassist", javassist_tail },
	{ "GeneratedIteratorForCodegenStage", digits_tail },	/* Spark */
};

/* Script1 and script1234567890 of Groovy: a class of that name and nothing else. */
static const char *
script_tail(const char *from, const char *at, const char *end)
{
	const char *behind;

	if ((at > from && at[-1] != '.') || (!begins(at, end, "Script") && !begins(at, end, "script")))
		return NULL;
	behind = run_end(at + 6, end, is_digit);
	return behind > at + 6 && (behind == end || *behind == '.' || *behind == '$') ? behind : NULL;
}

/* --- a name --- */

struct writing { char *to; size_t room, size; };

static void
write_bytes(struct writing *w, const char *from, size_t size)
{
	if (w->size < w->room)
		memcpy(w->to + w->size, from, size < w->room - w->size ? size : w->room - w->size);
	w->size += size;
}

/* What compilers append to symbols in each build: hashes, and the numbers of clones. */
static const char *
without_suffixes(const char *from, const char *end)
{
	static const char *const clones[] = { ".isra", ".constprop", ".part", ".cold", ".llvm", ".lto_priv" };
	const char *before;

	if (end - from > HASH_DIGITS + 3 && memcmp(end - HASH_DIGITS - 3, "::h", 3) == 0 &&
	    run_end(end - HASH_DIGITS, end, is_hex) == end)
		return end - HASH_DIGITS - 3;
	do {
		const char *at = end;

		before = end;
		while (at > from && is_digit(at[-1]))
			at--;
		if (at > from && at < end && at[-1] == '.')
			at--;
		else
			at = end;
		for (size_t i = 0; i < sizeof clones / sizeof *clones; i++) {
			size_t size = strlen(clones[i]);

			if ((size_t)(at - from) > size && memcmp(at - size, clones[i], size) == 0)
				end = at - size;
		}
	} while (end != before);
	return end;
}

struct stk_text
clone_origin(struct stk_text name)
{
	const char *end = without_suffixes(name.data, name.data + name.size);
	struct stk_text origin = text_of(name.data, (size_t)(end - name.data));

	for (const char *at = end; at < name.data + name.size; at++)
		if (is_digit(*at))
			return origin;
	/* "com.acme.Fridge.cold" is a method */
	return origin.size == 0 || memchr(origin.data, '.', origin.size) != NULL ? name : origin;
}

/* Copies one character, or a word without its generated suffix; returns what follows. */
static const char *
fold_step(const char *from, const char *at, const char *end, struct writing *w)
{
	const char *behind;

	for (size_t i = 0; i < sizeof generated / sizeof *generated; i++)
		if (*at == *generated[i].word && begins(at, end, generated[i].word)) {
			size_t size = strlen(generated[i].word);

			write_bytes(w, at, size);
			return generated[i].tail(at + size, end);
		}
	if ((behind = script_tail(from, at, end)) != NULL) {
		write_bytes(w, at, 6);
		return behind;
	}
	if (*at == '/' && (behind = address_end(at + 1, end)) > at + 1 && (behind == end || *behind == '.'))
		return behind;		/* a hidden class */
	if ((behind = address_end(at, end)) > at) {
		write_bytes(w, "0x", 2);
		return behind;
	}
	write_bytes(w, at, 1);
	return at + 1;
}

/* The characters that begin what fold_step looks for: all others are copied as they are. */
static void
mark_beginnings(bool marks[UCHAR_MAX + 1])
{
	memset(marks, 0, UCHAR_MAX + 1);
	for (size_t i = 0; i < sizeof generated / sizeof *generated; i++)
		marks[(unsigned char)*generated[i].word] = true;
	marks['S'] = marks['s'] = marks['/'] = marks['0'] = true;
}

size_t
generated_name_fold(struct stk_text name, enum stk_form form, char *to, size_t room)
{
	const char *at = name.data, *end = name.data + name.size;
	struct writing w = { to, room, 0 };
	bool marks[UCHAR_MAX + 1];

	mark_beginnings(marks);
	if (form != STK_FORM_JAVA)
		end = without_suffixes(at, end);
	while (at < end) {
		const char *plain = at;

		while (at < end && !marks[(unsigned char)*at])
			at++;
		write_bytes(&w, plain, (size_t)(at - plain));
		if (at < end)
			at = fold_step(name.data, at, end, &w);
	}
	if (w.size == 0)		/* nothing else is left: then that is its name */
		write_bytes(&w, name.data, name.size);
	return w.size;
}

/* --- a frame --- */

static struct stk_text
base_of(struct stk_text path)
{
	const char *slash = path.size > 0 ? memrchr(path.data, '/', path.size) : NULL;

	return slash == NULL ? path : text_of(slash + 1, path.size - (size_t)(slash + 1 - path.data));
}

size_t
frame_identity(const struct frame_names *frame, const struct identity_options *options, char *to, size_t room)
{
	struct writing w = { to, room, 0 };
	char line[24];

	if (frame->function.size == 0 || text_is(frame->function, "[unknown]")) {
		struct stk_text module = base_of(frame->module);

		if (module.size == 0)
			module = text_from("unknown");
		if (*module.data == '[') {
			write_bytes(&w, module.data, module.size);
		} else {
			write_bytes(&w, "[", 1);
			write_bytes(&w, module.data, module.size);
			write_bytes(&w, "]", 1);
		}
	} else if (options->exact) {
		write_bytes(&w, frame->function.data, frame->function.size);
	} else {
		w.size = generated_name_fold(frame->function, (enum stk_form)frame->form, to, room);
	}
	if (options->lines && frame->line > 0)
		write_bytes(&w, line, (size_t)snprintf(line, sizeof line, ":%lld", (long long)frame->line));
	return w.size;
}

/* --- a pool --- */

/* 8-4-4-4-12 hex digits. */
static const char *
uuid_end(const char *at, const char *end)
{
	static const int groups[] = { 8, 4, 4, 4, 12 };

	for (unsigned i = 0; i < 5; i++) {
		const char *behind = run_end(at, end, is_hex);

		if (behind - at != groups[i] || (i < 4 && (behind == end || *behind != '-')))
			return NULL;
		at = i < 4 ? behind + 1 : behind;
	}
	return at;
}

/* A separate hex number of at least eight digits, one of them decimal. */
static const char *
long_hex_end(const char *at, const char *end)
{
	const char *behind = run_end(at, end, is_hex);
	bool decimal = false;

	for (const char *c = at; c < behind; c++)
		decimal |= is_digit(*c);
	return behind - at >= LONG_HEX && decimal && (behind == end || !is_word(*behind)) ? behind : NULL;
}

size_t
thread_pool(struct stk_text name, char *to, size_t room)
{
	const char *at = name.data, *end = name.data + name.size, *behind;
	struct writing w = { to, room, 0 };

	while (at < end) {
		bool alone = at == name.data || !is_word(at[-1]);

		if ((alone && ((behind = uuid_end(at, end)) != NULL || (behind = long_hex_end(at, end)) != NULL)) ||
		    (behind = address_end(at, end)) > at || (behind = run_end(at, end, is_digit)) > at) {
			write_bytes(&w, "*", 1);
			at = behind;
		} else {
			write_bytes(&w, at++, 1);
		}
	}
	return w.size;
}
