/* SPDX-License-Identifier: MIT
 * source_name: which files are of one source. */
#include "ingest/source_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONG_RUN    6		/* digits that are a date, a time or an epoch and not part of a name */
#define COUNTER_RUN 4		/* digits at most of a counter at the end */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t
digits_at(const char *at)
{
	return strspn(at, "0123456789");
}

static bool
is_joint(char c)
{
	return c != '\0' && strchr("-_.:T", c) != NULL;
}

/* The bytes of a date or time at `at`, which is a digit: a long run, or groups of 2 or 4 digits with the same joint
 * between; 0 when it is neither. */
static size_t
stamp_size(const char *at)
{
	size_t run = digits_at(at), size = run, groups = 1;

	if (run >= LONG_RUN)
		return run;
	while ((run == 2 || run == 4) && is_joint(at[size]) &&
	       (digits_at(at + size + 1) == 2 || digits_at(at + size + 1) == 4)) {
		run = digits_at(at + size + 1);
		size += 1 + run;
		groups++;
	}
	return groups >= 3 ? size : 0;
}

/* Whether the name ends, before `at`, with a word that says what a file holds and names no process: `t` in vm0-t3.txt,
 * but not `app` in app1.txt. */
static bool
after_dump_word(const char *name, const char *at)
{
	static const char words[][12] = { "t", "td", "dump", "jstack", "threaddump", "threads" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t size = strlen(words[i]);

		if ((size_t)(at - name) > size && is_joint(*(at - size - 1)) && memcmp(at - size, words[i], size) == 0)
			return true;
	}
	return false;
}

/* The bytes of a counter at `at`: the last digits before the extension or the end, after a joint or such a word. */
static size_t
counter_size(const char *name, const char *at)
{
	size_t run = digits_at(at);

	if (run > COUNTER_RUN || at == name || !(is_joint(at[-1]) || after_dump_word(name, at)))
		return 0;
	return at[run] == '\0' || (at[run] == '.' && strpbrk(at + run, "0123456789/") == NULL) ? run : 0;
}

static void
drop_suffix(char *name, const char *suffix)
{
	size_t size = strlen(name), ending = strlen(suffix);

	if (size > ending && strcmp(name + size - ending, suffix) == 0)
		name[size - ending] = '\0';
}

char *
source_name(const char *path, char *to, size_t room)
{
	static const char packed[][5] = { ".gz", ".zst", ".xz", ".bz2", ".lz4" };
	char *in, *out;

	(void)snprintf(to, room, "%s", path);
	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
		drop_suffix(to, packed[i]);
	out = strrchr(to, '/');
	out = out == NULL ? to : out + 1;
	for (in = out; *in != '\0';) {
		size_t size = is_digit(*in) && (in == to || !is_digit(in[-1])) ? stamp_size(in) : 0;

		if (size == 0 && is_digit(*in))
			size = counter_size(to, in);
		if (size == 0) {
			*out++ = *in++;
			continue;
		}
		*out++ = '*';
		in += size;
	}
	*out = '\0';
	return to;
}
