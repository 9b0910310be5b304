/* SPDX-License-Identifier: MIT
 * native_lock: the functions of the C and C++ libraries from the system call up to the one that has the lock. */
#include "ingest/native_lock.h"

#include "ingest/text_lines.h"

#include <string.h>

#define FRAMES_MOST 12		/* of the libraries, above the program's own */

/* What follows "#3  0x00007fc6b6caa482 in ". */
static struct stk_text
call_of_line(struct stk_text line)
{
	const char *end = line.data + line.size, *at = line.data + 1, *in;

	while (at < end && (unsigned char)(*at - '0') < 10)
		at++;
	while (at < end && *at == ' ')
		at++;
	in = text_starts(between(at, end), "0x") ? text_find(between(at, end), " in ") : NULL;
	return between(in != NULL ? in + 4 : at, end);
}

static struct stk_text
function_of_call(struct stk_text call)
{
	const char *open = text_find(call, " (");

	return between(call.data, open != NULL ? open : call.data + call.size);
}

static bool
is_any(struct stk_text function, const char *const *words, size_t count)
{
	for (size_t w = 0; w < count; w++)
		if (text_find(function, words[w]) != NULL)
			return true;
	return false;
}

static bool
waits(struct stk_text function)
{
	static const char *const words[] = { "futex", "lll_lock_wait", "__lll_" };

	return is_any(function, words, sizeof words / sizeof *words);
}

static bool
takes_lock(struct stk_text function)
{
	static const char *const words[] = {
		"mutex_lock", "mutex_timedlock", "mutex_cond_lock", "rwlock_rdlock", "rwlock_wrlock", "rwlock_timed"
	};

	return is_any(function, words, sizeof words / sizeof *words) ||
	       (text_starts(function, "std::") && text_ends(function, "::lock"));
}

/* The argument's value in "mutex=0x556b47e620e0 <accounts>". */
static const char *
lock_argument(struct stk_text call)
{
	static const char *const names[] = { "mutex=0x", "rwlock=0x", "(this=0x" };

	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		const char *at = text_find(call, names[n]);

		if (at != NULL)
			return at + strlen(names[n]) - 2;
	}
	return NULL;
}

static bool
read_lock(struct stk_text call, struct native_lock *out)
{
	const char *end = call.data + call.size, *from = lock_argument(call), *at = from, *close;

	if (from == NULL || !scan_hex(&at, end, &out->address) || out->address == 0)
		return false;
	out->gap = between(from, at);
	out->name = text_from(text_find(function_of_call(call), "rwlock") != NULL ? "rwlock" : "mutex");
	close = end - at > 2 && at[0] == ' ' && at[1] == '<' ? memchr(at, '>', (size_t)(end - at)) : NULL;
	if (close != NULL)
		out->name = between(at + 2, close);
	return true;
}

bool
native_lock_find(struct stk_text stack, struct native_lock *out)
{
	const char *end = stack.data + stack.size;
	struct stk_text line = line_at(stack.data, end);

	if (line.size == 0 || *line.data != '#' || !waits(function_of_call(call_of_line(line))))
		return false;
	for (unsigned n = 0; n < FRAMES_MOST && line.data < end; n++, line = line_after(line, end)) {
		struct stk_text call, function;

		if (line.size == 0 || *line.data != '#')
			continue;
		call = call_of_line(line);
		function = function_of_call(call);
		if (takes_lock(function) && read_lock(call, out))
			return true;
		if (!waits(function) && !takes_lock(function))
			return false;
	}
	return false;
}

size_t
native_lock_mask(struct stk_text stack, char *to, uint64_t *addresses, size_t room, size_t *count)
{
	struct native_lock lock;
	size_t before, after;

	*count = 0;
	if (!native_lock_find(stack, &lock)) {
		memcpy(to, stack.data, stack.size);
		return stack.size;
	}
	if (room > 0)
		addresses[0] = lock.address;
	*count = 1;
	before = (size_t)(lock.gap.data - stack.data);
	after = stack.size - before - lock.gap.size;
	memcpy(to, stack.data, before);
	memcpy(to + before, lock.gap.data + lock.gap.size, after);
	return before + after;
}
