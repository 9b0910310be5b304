/* SPDX-License-Identifier: MIT
 * program: what every filter does alike at its beginning and end, and its messages. There is one program per process,
 * so this is the one module with state of its own.
 *
 * program_begin opens fds 0-2 when they are closed, restores SIGPIPE, parses the options (the program's own and the
 * common ones: -o -f -q --level --threads --progress --width --color -h -V), prints help or version and exits 0, or
 * reports wrong usage and exits 2. */
#ifndef PROGRAM_PROGRAM_H
#define PROGRAM_PROGRAM_H

#include "program/options.h"
#include "stkpipe/error.h"

enum program_status {		/* the exit status; it only gets worse, in the order 0, 1, 4, 2, 3 */
	PROGRAM_WELL = 0,
	PROGRAM_BAD_INPUT = 1,	/* finished, but some input was bad, which was reported */
	PROGRAM_BAD_USAGE = 2,
	PROGRAM_FAILED = 3,	/* could not finish */
	PROGRAM_FOUND = 4	/* finished, and found what an alert, a rule or a threshold asked for */
};

enum program_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct program_common {		/* the values of the common options */
	const char *output;	/* -o FILE, or NULL for stdout */
	const char *format;	/* -f FORMAT, or NULL */
	int64_t level;		/* --level N; -1 when not given */
	int64_t threads;	/* --threads N; 0 when not given: as many as there are processors */
	bool quiet;		/* -q */
	bool progress;		/* --progress */
	int64_t width;		/* --width N; 0 when not given */
	int color;		/* --color WHEN: enum program_color */
};

extern struct program_common program_common;

/* Before program_begin, by a filter that only reads and writes files: program_begin then gives up everything else (see
 * docs/threats.md), unless --no-sandbox is given, or this function, which knows the options, says that it may not. */
void program_confine(bool (*unless)(void));
/* Before it too: a file that may be written beside those that options name, with its folder. Borrowed. */
void program_will_write(const char *path);

/* purpose: one line for --help, which begins with a verb ("turn dumps into a record stream"); operands: for the usage
 * line ("[FILE | DIR | -]..."); formats: the values of -f, separated by commas, or NULL when the program has no -f.
 * Returns the index of the first operand. */
int program_begin(const char *name, const char *purpose, const char *operands, const char *formats,
		  const struct option_row *options, int argc, char **argv);

/* Whether an option was used, by its long name. */
bool program_given(const char *option);

/* --threads, or as many as there are processors (at most 8: more do not pay). */
int program_threads(void);

/* "NAME: " and the message to stderr, each as one line, unprintable bytes masked. */
void program_say(const char *format, ...) STK_PRINTF(1, 2);		/* a fact; nothing when -q */
/* some input is bad: status 1; printed even with -q */
void program_warn(const char *format, ...) STK_PRINTF(1, 2);
void program_fail(const char *format, ...) STK_PRINTF(1, 2);		/* cannot finish: status 3 */
void program_usage(const char *format, ...) STK_PRINTF(1, 2)
	__attribute__((noreturn)); /* a mistake in the usage: one line and "try --help", exits 2 */
/* What the next messages are about, before each: "query 'x': "; "": nothing. Borrowed. */
void program_about(const char *subject);
void program_report(const char *where,
		    const struct stk_error *err); /* "NAME: where: text"; EDATA is a warning, the rest failures */
void program_status_raise(enum program_status status);

/* Ends with a mistake in the usage when no operand was given and stdin is a terminal: nobody types a dump. For
 * filters that read stdin. */
void program_need_input(int operands);
const char *program_name(void);

/* True once SIGINT, SIGTERM or SIGHUP asked to stop: finish the block, close, return. A read that waits is interrupted
 * and fails; a second signal of the kind ends the program at once. So does the first, when the program computes for 3
 * seconds more without calling this: a loop need not call it, but one that does can end well. Each of these, and
 * SIGPIPE, SIGQUIT, SIGALRM and the like, still removes the temporary files beside outputs; files that a crash or
 * SIGKILL leaves are removed by the next run. */
bool program_stopping(void);
/* After program_stopping, for programs that still print what was read so far: the signal ends the program after 10 more
 * seconds of computing. */
void program_finish_soon(void);
/* The data of this program exist nowhere else, such as a capture: however long it computes, the first signal never ends
 * it before they are written. */
void program_stop_patiently(void);
/* While true, such a signal ends the program at once: for long computing without program_stopping, before an output is
 * open. */
void program_stop_at_once(bool at_once);

/* Flushes and closes stdout: a late write error is a failure. program_end does it too; a state that is
 * replaced only after all was delivered is closed between. */
void program_close_stdout(void);

/* The end of a main, when all is closed: reports what ended the run, if anything did, and is main's return value, that
 * of program_end. Wrong usage exits with 2; anything else is a failure, because the program could not finish.
 * where: what the failure is about, when its text does not name it; or NULL. */
int program_finish(const struct stk_error *err, const char *where);

/* What ended the run, if anything did, and its status, while there still is something to say and to close. */
void program_say_error(const struct stk_error *err);

/* Closes stdout, ends the progress line, raises a caught signal again, and is main's return value. */
int program_end(void);

#endif
