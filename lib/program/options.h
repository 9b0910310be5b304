/* SPDX-License-Identifier: MIT
 * options: one table a program drives parsing, checking, --help and shell completion. An option takes one value or
 * none (OPTION_MAYBE: either), and an option with a value is given once unless its type says otherwise. `--` ends the
 * options, `-` is a name, and so is a word that begins with a dash and a digit: a moment such as -2h. A letter means
 * the same in every filter of the suite. */
#ifndef PROGRAM_OPTIONS_H
#define PROGRAM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
	OPTION_FLAG,		/* bool: set true; may be repeated */
	OPTION_TEXT,		/* const char *: the value as it is, not empty; a file name too */
	OPTION_MAYBE,		/* const char *: the same, but only as --name=VALUE; "" for --name alone */
	OPTION_TEXTS,		/* struct option_texts: every use, in order */
	OPTION_LISTS,		/* struct option_lists: every use, each with the operands up to the next option */
	OPTION_WORD,		/* const char *: one of the row's words */
	OPTION_CHOICE,		/* unsigned, or an enumeration: the place of the value among the row's words, from 0 */
	OPTION_LIST,		/* uint64_t: bit n for word n; words of the value with commas between, none twice */
	OPTION_NUMBER,		/* int64_t: decimal, from least to most */
	OPTION_REAL,		/* double, from least to most */
	OPTION_PERCENT,		/* double, from least to most; a % may follow */
	OPTION_SIZE,		/* int64_t: bytes; k M G T for powers of 1024 */
	OPTION_DURATION,	/* int64_t: nanoseconds above 0; 20s 15m 7d 1.5h 200ms */
	OPTION_PATTERN,		/* const char *: a regular expression that compiles */
	OPTION_TIME,		/* const char *: a moment, see time_text.h; what it is depends on the recording */
	OPTION_WINDOWS,		/* struct option_texts: FROM..TO, every use */
	OPTION_TAKE,		/* int (*)(const char *value, struct stk_error *): called for each use, in order; -1 is
				 * a usage error */
	OPTION_TABLE,		/* the rows of another table; with a help, --help only names its options after it */
	OPTION_OLD,		/* a former name of another option, which is reported */
	OPTION_FOREIGN,		/* a name that other programs have for an option: never taken, but answered */
	OPTION_HEADING,		/* only in --help */
	/* rules, checked when all is parsed */
	OPTION_NEEDS,		/* an option has an effect only with one of others */
	OPTION_ONE_OF,		/* at most one of these options */
	OPTION_END
};

#define OPTION_TEXTS_MOST 64

struct option_texts { const char *at[OPTION_TEXTS_MOST]; unsigned count; };
struct option_lists { const char *at[OPTION_TEXTS_MOST]; unsigned use[OPTION_TEXTS_MOST], count, uses; };

struct stk_error;

struct option_row {
	enum option_type type;
	char letter;			/* 0 when it has only the long name */
	const char *name;		/* without the dashes */
	void *value;			/* where the value goes; of OPTION_TABLE the table */
	const char *argument;		/* what --help calls the value; NULL for flags, and to show the words */
	const char *
		words; /* "tree (calls), flat (functions)": the parts in parentheses are only for people. Of rules and old names: options, with blanks between */
	const char *help;		/* a few words; NULL: hidden */
	double least, most;		/* both 0: no bounds */
	int (*take)(const char *value, struct stk_error *err);
	bool written;			/* of OPTION_TEXT: the value names a file that will be made or changed */
};

#define OPT_FLAG(l, n, variable, text) \
	{ \
		.type = OPTION_FLAG, .letter = l, .name = n, .value = variable, .help = text \
	}
#define OPT_VALUE(t, l, n, variable, arg, text) \
	{ \
		.type = t, .letter = l, .name = n, .value = variable, .argument = arg, .help = text \
	}
#define OPT_TEXT(l, n, variable, arg, text)                OPT_VALUE(OPTION_TEXT, l, n, variable, arg, text)
#define OPT_MAYBE(l, n, variable, arg, text)               OPT_VALUE(OPTION_MAYBE, l, n, variable, arg, text)
#define OPT_WRITTEN(l, n, variable, arg, text) \
	{ \
		.type = OPTION_TEXT, .letter = l, .name = n, .value = variable, .argument = arg, .help = text, \
		.written = true \
	}
#define OPT_TEXTS(l, n, variable, arg, text)               OPT_VALUE(OPTION_TEXTS, l, n, variable, arg, text)
#define OPT_LISTS(l, n, variable, arg, text)               OPT_VALUE(OPTION_LISTS, l, n, variable, arg, text)
#define OPT_SIZE(l, n, variable, arg, text)                OPT_VALUE(OPTION_SIZE, l, n, variable, arg, text)
#define OPT_DURATION(l, n, variable, arg, text)            OPT_VALUE(OPTION_DURATION, l, n, variable, arg, text)
#define OPT_PATTERN(l, n, variable, arg, text)             OPT_VALUE(OPTION_PATTERN, l, n, variable, arg, text)
#define OPT_TIME(l, n, variable, arg, text)                OPT_VALUE(OPTION_TIME, l, n, variable, arg, text)
#define OPT_WINDOWS(l, n, variable, arg, text)             OPT_VALUE(OPTION_WINDOWS, l, n, variable, arg, text)
#define OPT_NUMBER(l, n, variable, arg, text)              OPT_VALUE(OPTION_NUMBER, l, n, variable, arg, text)
#define OPT_RANGED(t, l, n, variable, low, high, arg, text) \
	{ \
		.type = t, .letter = l, .name = n, .value = variable, .argument = arg, .help = text, .least = low, \
		.most = high \
	}
#define OPT_NUMBER_IN(l, n, variable, low, high, arg, text) \
	OPT_RANGED(OPTION_NUMBER, l, n, variable, low, high, arg, text)
#define OPT_REAL(l, n, variable, low, high, arg, text)     OPT_RANGED(OPTION_REAL, l, n, variable, low, high, arg, text)
#define OPT_PERCENT(l, n, variable, low, high, arg, text) \
	OPT_RANGED(OPTION_PERCENT, l, n, variable, low, high, arg, text)
#define OPT_WORDS(t, l, n, variable, arg, list, text) \
	{ .type = t, .letter = l, .name = n, .value = variable, .argument = arg, .words = list, .help = text }
#define OPT_WORD(l, n, variable, arg, list, text)          OPT_WORDS(OPTION_WORD, l, n, variable, arg, list, text)
#define OPT_CHOICE(l, n, variable, arg, list, text)        OPT_WORDS(OPTION_CHOICE, l, n, variable, arg, list, text)
#define OPT_LIST(l, n, variable, arg, list, text)          OPT_WORDS(OPTION_LIST, l, n, variable, arg, list, text)
#define OPT_TAKE(l, n, function, arg, text) \
	{ \
		.type = OPTION_TAKE, .letter = l, .name = n, .argument = arg, .help = text, .take = function \
	}
#define OPT_TABLE(rows)                                    { .type = OPTION_TABLE, .value = (void *)(uintptr_t)(rows) }
#define OPT_TABLE_NAMED(rows, text) \
	{ \
		.type = OPTION_TABLE, .value = (void *)(uintptr_t)(rows), .help = text \
	}
#define OPT_OLD(old, new)                                  { .type = OPTION_OLD, .name = old, .words = new }
#define OPT_FOREIGN(foreign, own)                          { .type = OPTION_FOREIGN, .name = foreign, .words = own }
#define OPT_HEADING(text)                                  { .type = OPTION_HEADING, .help = text }
#define OPT_NEEDS(n, others)                               { .type = OPTION_NEEDS, .name = n, .words = others }
#define OPT_ONE_OF(names)                                  { .type = OPTION_ONE_OF, .words = names }
#define OPT_END                                            { .type = OPTION_END }

/* The options that a command line used; a zeroed struct is empty. */
#define OPTION_USES_MOST 256
struct option_uses {
	const char *names[OPTION_USES_MOST];	/* long names, each once */
	unsigned count;
	/* called for a former name; may be NULL */
	void (*renamed)(const char *old, const char *new);
};

/* Parses argv with the rows of both tables (either may be NULL), and checks their rules. On success the operands are
 * argv[return value .. argc-1]: argv is permuted.
 * -1: *err (STK_EUSAGE) is one line about what is wrong ("unknown option --sorce: did you mean --source?"). */
int options_parse(const struct option_row *own, const struct option_row *common, int argc, char **argv,
		  struct option_uses *uses, struct stk_error *err);

/* Whether an option was used, by its long name. */
bool options_given(const struct option_uses *uses, const char *name);

/* Calls a function with each file that the options of a table name for writing. */
void options_each_written(const struct option_row *table, void (*take)(void *context, const char *path), void *context);

/* The number of words in a row's list, and whether one is `text`: its place, or -1. */
int options_word(const char *words, const char *text, size_t size);

/* Prints the rows for --help: two columns, at most 80 wide. */
void options_help(const struct option_row *own, const struct option_row *common);

/* Prints one line per option for shell completion: "-x", "--name", "--name=" when it takes a value, "--name=short,full"
 * when it takes one of these. */
void options_list(const struct option_row *own, const struct option_row *common);

#endif
