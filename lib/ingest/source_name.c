/* SPDX-License-Identifier: MIT
 * source_name: which files are of one source. */
#include "ingest/source_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The bytes of "02-Jan-2026" at `at`; 0: it is none. */
static size_t
named_month_size(const char *at)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char month[4] = "";

	if (digits_at(at) != 2 || !is_joint(at[2]))
		return 0;
	(void)memccpy(month, at + 3, '\0', 3);
	month[3] = '\0';
	if (strlen(month) != 3 || strstr(months, month) == NULL || !is_joint(at[6]) || digits_at(at + 7) != 4)
		return 0;
	return 11;
}

/* The bytes of a date or time at `at`, which is a digit: a long run, or groups of 2 or 4 digits with the same joint
 * between; 0 when it is neither. */
static size_t
stamp_size(const char *at)
{
	size_t run = digits_at(at), size = run, groups = 1;

	if (run >= LONG_RUN)
		return run;
	if (named_month_size(at) > 0)
		return named_month_size(at);
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

/* The bytes of a host's address at `at`, "10.0.0.1", and "10-0-0-1" after "ip-"; 0: it is none. */
static size_t
address_size(const char *name, const char *at)
{
	bool dashed = at - name >= 3 && memcmp(at - 3, "ip-", 3) == 0;
	size_t size = 0;

	for (unsigned group = 0; group < 4; group++) {
		size_t run = digits_at(at + size);

		if (group > 0 && at[size - 1] != (dashed ? '-' : '.'))
			return 0;
		if (run == 0 || run > 3 || strtoul(at + size, NULL, 10) > 255 || (run > 1 && at[size] == '0'))
			return 0;
		size += run + 1;
	}
	return size - 1;
}

/* "1.2.3": a dot, up to three digits, a dot and a digit are before the digits at `at`. */
static bool
is_last_of_version(const char *name, const char *at)
{
	const char *group = at - 1;

	while (group > name && is_digit(group[-1]))
		group--;
	return at[-1] == '.' && at - group > 1 && at - group < 5 && group - name > 1 && group[-1] == '.' &&
	       is_digit(group[-2]);
}

/* Whether digits at `at` are the last of a version, or follow a word for one of several hosts or processes. */
static bool
is_of_name(const char *name, const char *at)
{
	static const char words[][10] = { "node", "host", "server", "web",	"worker",  "vm",
					  "jvm",  "pod",  "broker", "instance", "replica", "shard" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t size = strlen(words[i]);

		if ((size_t)(at - name) <= size || memcmp(at - size - 1, words[i], size) != 0)
			continue;
		if ((size_t)(at - name) == size + 1 || is_joint(*(at - size - 2)))
			return true;
	}
	return is_last_of_version(name, at);
}

/* Whether a name ends at `at`: there is nothing, or an extension without digits. */
static bool
ends_at(const char *at)
{
	return *at == '\0' || (*at == '.' && strpbrk(at, "0123456789/") == NULL);
}

/* The bytes of "1of3" or "1_of_3" at `at`, the last before the extension or the end; 0: it is none. */
static size_t
part_size(const char *at)
{
	size_t size = digits_at(at), total;
	bool joined = at[size] == '-' || at[size] == '_';

	size += joined;
	if (strncmp(at + size, "of", 2) != 0)
		return 0;
	size += 2 + (at[size + 2] == '-' || at[size + 2] == '_');
	total = digits_at(at + size);
	return total > 0 && ends_at(at + size + total) ? size + total : 0;
}

/* The bytes of a counter at `at`: the last digits before the extension or the end, after a joint or such a word. */
static size_t
counter_size(const char *name, const char *at)
{
	size_t run = digits_at(at);

	if (run > COUNTER_RUN || at == name || is_of_name(name, at) || !(is_joint(at[-1]) || after_dump_word(name, at)))
		return 0;
	return ends_at(at + run) ? run : part_size(at);
}

/* " (1)", which browsers and desktops put into the name of a file when there is one of this name. */
static void
drop_copy(char *name)
{
	char *open = strstr(name, " (");
	size_t run = open != NULL ? digits_at(open + 2) : 0;

	if (run > 0 && run <= COUNTER_RUN && open > name && open[2 + run] == ')' && ends_at(open + 2 + run + 1))
		memmove(open, open + 2 + run + 1, strlen(open + 2 + run + 1) + 1);
}

static void
drop_suffix(char *name, const char *suffix)
{
	size_t size = strlen(name), ending = strlen(suffix);

	if (size > ending && strcmp(name + size - ending, suffix) == 0)
		name[size - ending] = '\0';
}

/* The number of `count` digits at *at, which moves past it, if it is within bounds; and a joint, if there is one. */
static bool
take_part(const char **at, size_t count, unsigned least, unsigned most)
{
	unsigned value = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_digit((*at)[i]))
			return false;
		value = value * 10 + (unsigned)((*at)[i] - '0');
	}
	if (value < least || value > most)
		return false;
	*at += count;
	*at += is_joint(**at);
	return true;
}

/* Whether the folder at `at` is named by a date, which a time may follow: 2026-01-02, 20260102T0304,
 * 2026-01-02_03-04-05. */
static bool
is_date_folder(const char *at)
{
	if (!take_part(&at, 4, 1970, 2199) || !take_part(&at, 2, 1, 12) || !take_part(&at, 2, 1, 31))
		return false;
	if (take_part(&at, 2, 0, 23) && take_part(&at, 2, 0, 59))
		(void)take_part(&at, 2, 0, 60);
	return *at == '/' || (*at == 'Z' && at[1] == '/');
}

/* The bytes of "2026/01/02/" or "2026/01/02/03/" at `at`; 0: it is none. */
static size_t
nested_date_size(const char *at)
{
	const char *from = at;

	if (!take_part(&at, 4, 1970, 2199) || *at++ != '/' || !take_part(&at, 2, 1, 12) || *at++ != '/' ||
	    !take_part(&at, 2, 1, 31) || *at++ != '/')
		return 0;
	if (take_part(&at, 2, 0, 23) && *at == '/')
		at++;
	return at[-1] == '/' ? (size_t)(at - from) : 0;
}

/* Writes `*` for each folder of [path, name) that is a date. Returns the end of what was written; the rest is to be
 * moved. */
static char *
fold_folders(char *path, const char *name)
{
	char *out = path;

	for (const char *in = path; in < name;) {
		size_t size = strcspn(in, "/") + 1, nested = nested_date_size(in);

		if (nested > 0 || is_date_folder(in)) {
			*out++ = '*';
			*out++ = '/';
		} else {
			memmove(out, in, size);
			out += size;
		}
		in += nested > 0 ? nested : size;
	}
	return out;
}

/* "jstack.log.*" and "catalina.out-*" are older files of the same log. */
static void
drop_rotation(char *name)
{
	static const char logs[][5] = { ".log", ".out", ".err", ".txt" };
	size_t size = strlen(name);

	if (size < 3 || name[size - 1] != '*' || !is_joint(name[size - 2]))
		return;
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
		if (size > 6 && memcmp(name + size - 6, logs[i], 4) == 0)
			name[size - 2] = '\0';
}

char *
source_name(const char *path, char *to, size_t room)
{
	static const char packed[][5] = { ".gz", ".zst", ".xz", ".bz2", ".lz4" };
	char *in, *out, *name;

	(void)snprintf(to, room, "%s", path);
	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
		drop_suffix(to, packed[i]);
	in = strrchr(to, '/');
	in = in == NULL ? to : in + 1;
	name = in;
	drop_copy(name);
	out = fold_folders(to, name);
	while (*in != '\0') {
		bool begins = is_digit(*in) && (in == name || !is_digit(in[-1]));
		size_t kept = begins ? address_size(name, in) : 0, size = begins && kept == 0 ? stamp_size(in) : 0;

		if (size == 0 && kept == 0 && begins)
			size = counter_size(name, in);
		if (size > 0)
			*out++ = '*';
		else
			kept += kept == 0;
		memmove(out, in, kept);
		out += kept;
		in += kept + size;
	}
	*out = '\0';
	drop_rotation(to);
	return to;
}
