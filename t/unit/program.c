/* SPDX-License-Identifier: MIT
 * program: what a filter says and how it ends. Each case runs in a child, whose outputs and status are looked at. */
#include "../lib/tap.h"

#include "program/program.h"
#include "base/input.h"
#include "program/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static int64_t number;

static const struct option_row options[] = {
	OPT_NUMBER('n', "number", &number, "N", "a number"),
	OPT_END
};

static char out[4000], err[4000];

static void
slurp(const char *path, char *to, size_t size)
{
	FILE *file = fopen(path, "r");

	to[file != NULL ? fread(to, 1, size - 1, file) : 0] = '\0';
	if (file != NULL)
		fclose(file);
}

static void
redirect(int fd, const char *path)
{
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);

	if (file < 0 || dup2(file, fd) < 0)
		_exit(99);
	close(file);
}

/* What our parent ignores, as nohup does, a child would go on ignoring. */
static void
hear_signals(void)
{
	static const int asked[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM };
	sigset_t none;

	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
		(void)signal(asked[i], SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Runs body as a program with one argument (or none); the status, or minus the signal that ended it. */
static int
run(void (*body)(void), const char *argument, const char *stdout_path)
{
	char *argv[] = { (char *)(uintptr_t)"stktry", (char *)(uintptr_t)argument, NULL };
	int status;

	fflush(stdout);
	if (fork() == 0) {
		redirect(1, stdout_path);
		redirect(2, "err");
		program_begin("stktry", "tries things", "[FILE]...", "text, tsv", options, argument != NULL ? 2 : 1,
			      argv);
		body();
		_exit(program_end());
	}
	wait(&status);
	slurp("out", out, sizeof out);
	slurp("err", err, sizeof err);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* --- the programs --- */

static void
do_nothing(void)
{
}

static void
print_something(void)
{
	printf("something\n");
}

static void
warn_and_say(void)
{
	program_say("a %s", "fact");
	program_warn("bad\ninput \033[31m \xc3\xa4 \xff \xc2\x9b");
}

static void
fail_then_warn(void)
{
	program_fail("cannot");
	program_warn("bad");
}

static void
report(void)
{
	struct stk_error damage = { 0 }, trouble = { 0 };

	(void)stk_fail(&damage, STK_EDATA, "checksum differs");
	(void)stk_fail(&damage, STK_EDATA, "a later one");
	program_report("a.stk:8192", &damage);
	errno = ENOENT;
	(void)stk_fail_errno(&trouble, "cannot open");
	program_report(NULL, &trouble);
}

static void
be_interrupted(void)
{
	raise(SIGTERM);
	printf("%s\n", program_stopping() ? "stopping" : "going on");
}

static volatile unsigned rounds;

/* Loops that ask nobody, or did before; the alarm is for whoever is never ended. */
static void
compute_deaf(void)
{
	alarm(300);
	raise(SIGTERM);
	for (;;)
		rounds++;
}

static void
compute_what_is_left(void)
{
	alarm(300);
	raise(SIGTERM);
	if (program_stopping())
		program_finish_soon();
	for (;;)
		rounds++;
}

/* Computes longer than a deaf loop may, and ends by itself. */
static void
compute_patiently(void)
{
	struct timespec used = { 0 };

	program_stop_patiently();
	raise(SIGTERM);
	while (used.tv_sec < 4 && clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0)
		rounds++;
	printf("%s\n", program_stopping() ? "done" : "not asked");
}

/* A read that waits on an empty pipe must notice the signal. */
static void
wait_for_input(void)
{
	struct stk_error why = { 0 };
	struct input *in;
	int ends[2];
	char byte;

	if (pipe(ends) < 0 || dup2(ends[0], 0) < 0 || input_open(&in, "-", NULL, &why) < 0)
		_exit(99);
	alarm(10);	/* should it not */
	if (fork() == 0) {
		usleep(50000);
		kill(getppid(), SIGINT);
		_exit(0);
	}
	printf("%ld %s\n", input_read(in, &byte, 1, &why), why.text);
	input_close(in);
}

static void
show_progress(void)
{
	progress_begin(2000);
	progress_add(1000, 10);
	progress_add(1000, 10);
	progress_end();
}

static void
read_closed_stdin(void)
{
	char byte;

	printf("%d\n", (int)read(0, &byte, 1));
}

/* --- */

static void
test_options(void)
{
	is_i64(run(do_nothing, "--help", "out"), 0, "--help is well");
	is_text(out,
		"usage: stktry [OPTION]... [FILE]...\n"
		"stktry: tries things\n"
		"\n"
		"  -n, --number N       a number\n"
		"  -f, --format FORMAT  output: text, tsv\n"
		"  -o, --output FILE    write to FILE, which appears whole or not at all\n"
		"  -q, --quiet          print only warnings and errors\n"
		"common options, see stkpipe(7): --level --threads --progress --width --color\n"
		"  -h, --help           show this help\n"
		"  -V, --version        show the version\n"
		"\n"
		"Exit status: 0 success, 1 bad input, 2 wrong usage, 3 failure, 4 rule matched. See man stktry\n",
		"--help says everything");
	is_i64(run(do_nothing, "-h", "out"), 0, "-h is --help");
	ok(strncmp(out, "usage: stktry", 13) == 0, "and prints the same");
	is_i64(run(do_nothing, "-V", "out"), 0, "-V is --version");
	ok(strncmp(out, "stktry (stkpipe) ", 17) == 0, "and prints it");
	is_i64(run(do_nothing, "--version", "out"), 0, "--version is well");
	ok(strncmp(out, "stktry (stkpipe) ", 17) == 0, "--version names program and suite");
	is_i64(run(do_nothing, "--list-options", "out"), 0, "--list-options is well");
	ok(strstr(out, "--number=\n") != NULL && strstr(out, "--progress\n") != NULL &&
		   strstr(out, "list-options") == NULL,
	   "--list-options lists all but itself");
	is_i64(run(do_nothing, "--sorce", "out"), 2, "a mistake is 2");
	is_text(err, "stktry: unknown option --sorce (try stktry --help)\n", "a mistake is one line");
	is_text(out, "", "and nothing on stdout");
	is_i64(run(do_nothing, "--level=23", "out"), 2, "a level beyond zstd's is a mistake");
	is_i64(run(do_nothing, "-fxml", "out"), 2, "a format that is not offered is a mistake");
	is_text(err, "stktry: --format: expected text or tsv, not 'xml' (try stktry --help)\n",
		"and those that are offered are named");
	is_i64(run(do_nothing, "--help", "/dev/full"), 3, "help that cannot be written is 3");
}

static void
test_messages(void)
{
	is_i64(run(do_nothing, NULL, "out"), 0, "all well is 0");
	is_i64(run(warn_and_say, NULL, "out"), 1, "bad input is 1");
	is_text(err, "stktry: a fact\nstktry: bad input ?[31m \xc3\xa4 ? ?\n",
		"a message is one line that no terminal obeys");
	is_i64(run(warn_and_say, "-q", "out"), 1, "-q does not change the status");
	ok(strstr(err, "fact") == NULL && strstr(err, "bad input") != NULL, "-q keeps warnings");
	is_i64(run(fail_then_warn, NULL, "out"), 3, "the status never falls");
	is_i64(run(report, NULL, "out"), 3, "what the system refuses is 3");
	is_text(err, "stktry: a.stk:8192: checksum differs\nstktry: cannot open: No such file or directory\n",
		"errors are reported, the first one of a call");
	is_i64(run(print_something, NULL, "/dev/full"), 3, "a full disk behind stdout is 3");
	ok(strstr(err, "cannot write to stdout") != NULL, "and is said");
}

static void
test_signals(void)
{
	is_i64(run(be_interrupted, NULL, "out"), -SIGTERM, "the signal that stopped it ends it");
	is_text(out, "stopping\n", "after it has finished what it does");
	is_i64(run(compute_deaf, NULL, "out"), -SIGTERM, "a loop that never asks is ended by the first signal");
	is_i64(run(compute_what_is_left, NULL, "out"), -SIGTERM, "and one that was told");
	is_i64(run(compute_patiently, NULL, "out"), -SIGTERM, "who holds what exists nowhere else is not cut short");
	is_text(out, "done\n", "and comes to its end");
	is_i64(run(wait_for_input, NULL, "out"), -SIGINT, "a signal ends waiting for input");
	is_text(out, "-1 interrupted\n", "and the read says so");
}

static void
test_progress(void)
{
	is_i64(run(show_progress, NULL, "out"), 0, "progress is well");
	is_text(err, "", "no progress without a terminal");
	is_i64(run(show_progress, "--progress", "out"), 0, "forced progress is well");
	ok(strncmp(err, "stktry: 2.00 kB of 2.00 kB, 20 rows", 35) == 0, "forced progress ends with the totals");
}

/* The shell closes what the names say: the program must not take a file of its own for stdin or stdout. */
static void
test_closed(void)
{
	int old = dup(0);

	close(0);
	is_i64(run(read_closed_stdin, NULL, "out"), 0, "stdin may be closed");
	is_text(out, "-1\n", "then reading fails, instead of giving nothing");
	dup2(old, 0);
	close(old);
}

int
main(void)
{
	hear_signals();
	scratch();
	test_options();
	test_messages();
	test_signals();
	test_progress();
	test_closed();
	return tap_end();
}
