/* SPDX-License-Identifier: MIT
 * options: one table a program drives parsing, --help and shell completion. An option takes one value or none; `--` ends them, `-` is a name.
 * A letter means the same in every filter of the suite. */
#ifndef PROGRAM_OPTIONS_H
#define PROGRAM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

enum option_type {
	OPTION_FLAG,		/* bool: set true */
	OPTION_TEXT,		/* const char *: the value as it is; a file name too */
	OPTION_NUMBER,		/* int64_t: decimal, not negative */
	OPTION_SIZE,		/* int64_t: bytes; k M G T for powers of 1024 */
	OPTION_DURATION,	/* int64_t: nanoseconds; 20s 15m 7d 1.5h 200ms */
	OPTION_TIME,		/* int64_t: a moment, see time_text.h */
	OPTION_TAKE,		/* int (*)(const char *value, struct stk_error *): called for each use, in order; -1 is a usage error */
	OPTION_HEADING,		/* only in --help */
	OPTION_END
};

struct stk_error;

struct option_row {
	enum option_type type;
	char letter;			/* 0 when it has only the long name */
	const char *name;		/* without the dashes */
	void *value;			/* where the value goes */
	int (*take)(const char *value, struct stk_error *err);
	const char *argument;		/* what --help calls the value; NULL for flags */
	const char *help;		/* a few words */
};

#define OPT_FLAG(letter, name, variable, help)               { OPTION_FLAG, letter, name, variable, NULL, NULL, help }
#define OPT_TEXT(letter, name, variable, argument, help)     { OPTION_TEXT, letter, name, variable, NULL, argument, help }
#define OPT_NUMBER(letter, name, variable, argument, help)   { OPTION_NUMBER, letter, name, variable, NULL, argument, help }
#define OPT_SIZE(letter, name, variable, argument, help)     { OPTION_SIZE, letter, name, variable, NULL, argument, help }
#define OPT_DURATION(letter, name, variable, argument, help) { OPTION_DURATION, letter, name, variable, NULL, argument, help }
#define OPT_TIME(letter, name, variable, argument, help)     { OPTION_TIME, letter, name, variable, NULL, argument, help }
#define OPT_TAKE(letter, name, function, argument, help)     { OPTION_TAKE, letter, name, NULL, function, argument, help }
#define OPT_HEADING(text)                                    { OPTION_HEADING, 0, NULL, NULL, NULL, NULL, text }
#define OPT_END                                              { OPTION_END, 0, NULL, NULL, NULL, NULL, NULL }

/* Parses argv with the rows of both tables (either may be NULL). On success the operands are argv[return value .. argc-1] (argv is permuted
 * as getopt_long does it). -1: *err says what is wrong ("unknown option --sorce", "--level: expected a number, not 'x'"). */
int options_parse(const struct option_row *own, const struct option_row *common, int argc, char **argv, struct stk_error *err);

/* Prints the rows for --help: two columns, at most 100 wide. */
void options_help(const struct option_row *own, const struct option_row *common);

/* Prints one line an option for shell completion: "-x", "--name" or "--name=" when it takes a value. */
void options_list(const struct option_row *own, const struct option_row *common);

#endif
