/* SPDX-License-Identifier: MIT
 * unread: recognised by their first bytes, or by words near the beginning that no text format of ours has there. */
#include "ingest/unread.h"

#include "ingest/text_lines.h"

#define WORDS_WITHIN 4096	/* bytes of a beginning that are searched for words */

struct kind { const char *bytes; unsigned size; const char *what; };
#define KIND(bytes, what) { bytes, sizeof bytes - 1, what }

/* The first bytes. */
static const struct kind magics[] = {
	KIND("PERFILE2", "a recording of perf: perf script -i FILE prints what stkcap reads"),
	KIND("JAVA PROFILE 1.0", "a heap dump (hprof), which has no samples"),
	KIND("\xca\xfe\xc0\xc0", "performance memory of a VM (hsperfdata): stkcap --jvm reads it live"),
	KIND("\x14\0\0\0!FastSerialization.1", "a .netperf trace of .NET, which nothing here reads"),
	KIND("MOJ", "austin's binary form: mojo2austin FILE OUT writes text that stkcap reads"),
	KIND("% self  % total  name", "a summary of rbspy, which has no stacks: stkcap reads its raw file, and rbspy report -f collapsed"),
	KIND("SQLite format 3\0", "an SQLite database"),
	KIND("\x7f" "ELF", "a program or core file: eu-stack --core FILE prints the stacks of a core"),
	KIND("bplist00", "a binary property list"),
	KIND("v8-version,", "a log of V8 (node --prof): node --cpu-prof writes a .cpuprofile, which stkcap reads"),
};

#define PRINTED_JFR "events that jfr print wrote: stkcap reads the recording itself"

/* Words near the beginning; all of a kind's words, separated by newlines, must be there; the first one at its very
 * beginning after '^'. */
static const struct kind words[] = {
	KIND("^go 1.\n trace\0", "a trace of Go (runtime/trace): go tool trace -pprof=sync FILE writes a profile that stkcap reads"),
	KIND("^jdk.\n {\n  startTime = ", PRINTED_JFR),
	KIND("{\n\"recording\"\n\"events\"\n\"type\": \"jdk.", PRINTED_JFR),
	KIND("^<?xml \n<recording \n<event type=\"jdk.", PRINTED_JFR),
	KIND("{\n\"meta\"\n\"stackwalk\"\n\"interval\"",
	     "a profile as Firefox itself saves it: open it in profiler.firefox.com and save it there, which stkcap reads"),
};

/* Whether all words are in the text, a '{' as its first character that is not blank, and what is after '^' first. */
static bool
has_words(struct stk_text text, const struct kind *kind)
{
	const char *at = kind->bytes, *end = kind->bytes + kind->size;

	if (*at == '^') {
		size_t first = strcspn(++at, "\n");

		if (text.size < first || memcmp(text.data, at, first) != 0)
			return false;
	}
	if (*at == '{') {
		while (text.size > 0 && ((unsigned char)*text.data <= ' ' || *text.data == '['))
			text = text_of(text.data + 1, text.size - 1);
		if (text.size == 0 || *text.data != '{')
			return false;
		at += 2;
	}
	while (at < end) {
		const char *newline = memchr(at + 1, '\n', (size_t)(end - at - 1));
		const char *stop = newline != NULL ? newline : end;

		if (text.size == 0 || memmem(text.data, text.size, at, (size_t)(stop - at)) == NULL)
			return false;
		at = stop + (newline != NULL);
	}
	return true;
}

const char *
unread_kind(struct stk_text beginning)
{
	for (size_t k = 0; k < sizeof magics / sizeof *magics; k++)
		if (beginning.size >= magics[k].size && memcmp(beginning.data, magics[k].bytes, magics[k].size) == 0)
			return magics[k].what;
	if (beginning.size > WORDS_WITHIN)
		beginning.size = WORDS_WITHIN;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (has_words(beginning, &words[k]))
			return words[k].what;
	return NULL;
}
