/* SPDX-License-Identifier: MIT
 * program: what every filter does alike: standard files, signals, the common options, messages, the exit status. */
#include "program/program.h"
#include "base/host.h"
#include "base/screen.h"
#include "base/temp_file.h"
#include "base/terminal_text.h"
#include "program/confine.h"
#include "program/progress.h"
#include "stkpipe/resources.h"
#include "stkpipe/version.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>


#define LEVEL_MAX   22		/* zstd's own */
#define THREADS_MAX 1024
#define MESSAGE_MAX 2048
#define DEAF_SECONDS   3	/* of computing after a signal, by all threads together, until program_stopping is
				 * asked */
#define FINISH_SECONDS 10	/* and after program_finish_soon */

struct program_common program_common = { .level = -1 };

static const char *name_of_program = "stkpipe";
static bool want_help, want_version, want_list;
static struct option_uses option_uses;
static atomic_int status;
static atomic_bool ending;		/* by program_end, or because of a mistake in the usage */
static volatile sig_atomic_t caught_signal, time_runs;	/* time_runs: the timer that ends us is set */
static bool patient;
static bool confined, no_sandbox;
static bool (*unconfined)(void);	/* NULL: always confined */
static struct written_files also_written;

/* The last is that of programs which are confined. */
static struct option_row rare_options[] = {
	OPT_NUMBER_IN(0, "level", &program_common.level, 1, LEVEL_MAX, "N", "zstd level of a record stream, 1 to 22"),
	OPT_NUMBER_IN(0, "threads", &program_common.threads, 1, THREADS_MAX, "N",
		      "use N threads; the result is the same"),
	OPT_FLAG(0, "progress", &program_common.progress, "show progress even when stderr is not a terminal"),
	OPT_NUMBER_IN(0, "width", &program_common.width, SCREEN_WIDTH_LEAST, SCREEN_WIDTH_MOST, "N",
		      "columns of a line for people (default: the terminal's, else 100)"),
	OPT_CHOICE(0, "color", &program_common.color, "WHEN", "auto, always, never", "use colours (auto: at a terminal)"),
	OPT_FLAG(0, "no-sandbox", &no_sandbox, "let this run write, start and connect to what it likes"),
	OPT_END
};

/* The -f row is first, so that a program without formats has the table from its second row on. */
static struct option_row common_options[] = {
	OPT_WORD('f', "format", &program_common.format, "FORMAT", "", "output"),
	OPT_TEXT('o', "output", &program_common.output, "FILE", "write to FILE, which appears whole or not at all"),
	OPT_FLAG('q', "quiet", &program_common.quiet, "print only warnings and errors"),
	OPT_TABLE_NAMED(rare_options, "common options, see stkpipe(7)"),
	OPT_FLAG('h', "help", &want_help, "show this help"),
	OPT_FLAG('V', "version", &want_version, "show the version"),
	OPT_FLAG(0, "list-options", &want_list, NULL),
	OPT_END
};

/* --- messages --- */

static const char *subject = "";

void
program_about(const char *about)
{
	subject = about;
}

/* One write, so that lines of several filters in a pipe do not mix. */
static void
say_line(const char *text)
{
	char line[MESSAGE_MAX + 200];
	int length = snprintf(line, sizeof line - 1, "%s: %s%s", name_of_program, subject, text);

	if (length < 0)
		return;
	if ((size_t)length > sizeof line - 2)
		length = (int)sizeof line - 2;
	for (char *at = line; (at = strpbrk(at, "\t\n\r")) != NULL; )	/* it stays one line */
		*at = ' ';
	length = (int)mask_text(line, (size_t)length, "");
	line[length] = '\n';
	progress_hide();
	if (write(STDERR_FILENO, line, (size_t)length + 1) < 0)
		program_status_raise(PROGRAM_FAILED);	/* it cannot be reported, except by the status */
}

#define SAY(format) do { \
	char text_[MESSAGE_MAX]; \
	va_list args_; \
	va_start(args_, format); \
	vsnprintf(text_, sizeof text_, format, args_); \
	va_end(args_); \
	say_line(text_); \
} while (0)

void
program_say(const char *format, ...)
{
	if (!program_common.quiet)
		SAY(format);
}

void
program_warn(const char *format, ...)
{
	program_status_raise(PROGRAM_BAD_INPUT);
	SAY(format);
}

void
program_fail(const char *format, ...)
{
	program_status_raise(PROGRAM_FAILED);
	SAY(format);
}

static bool
has_failed(void)
{
	return atomic_load(&status) == PROGRAM_FAILED;
}

void
program_usage(const char *format, ...)
{
	char text[MESSAGE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text - 100, format, args);
	va_end(args);
	/* what is asked for may be missing only because an input could not be read */
	if (!has_failed())
		snprintf(text + strlen(text), 100, " (try %.60s --help)", name_of_program);
	say_line(text);
	atomic_store(&ending, true);
	exit(has_failed() ? PROGRAM_FAILED : PROGRAM_BAD_USAGE);
}

void
program_report(const char *where, const struct stk_error *err)
{
	const char *text =
		err->text[0] != '\0' ? err->text : "internal error: failed without a message; please report it";
	const char *between = where != NULL ? ": " : "";

	if (where == NULL)
		where = "";
	if (err->code == STK_EDATA)
		program_warn("%s%s%s", where, between, text);
	else
		program_fail("%s%s%s", where, between, text);
}

/* A finding outranks bad input, and a failure outranks both. */
static int
gravity(int of)
{
	static const int order[] = { [PROGRAM_WELL] = 0,
				     [PROGRAM_BAD_INPUT] = 1,
				     [PROGRAM_FOUND] = 2,
				     [PROGRAM_BAD_USAGE] = 3,
				     [PROGRAM_FAILED] = 4 };

	return order[of];
}

void
program_status_raise(enum program_status to)
{
	int now = atomic_load(&status);

	while (gravity(now) < gravity((int)to) && !atomic_compare_exchange_weak(&status, &now, (int)to))
		continue;
}

const char *
program_name(void)
{
	return name_of_program;
}

/* --- signals --- */

/* Removes the temporary files; then the signal does what it would have done, so that the shell sees what ended us. */
static void
end_at_once(int number)
{
	temp_files_remove();
	signal(number, SIG_DFL);
	raise(number);
}

/* In processor time, so that a loaded machine or a slow pipe does not shorten it. 0: no limit. */
static void
end_within(int seconds)
{
	const struct itimerval after = { .it_value.tv_sec = seconds };

	(void)setitimer(ITIMER_PROF, &after, NULL);
	time_runs = seconds != 0;
}

/* As if the signal had not been caught. */
static void
end_for_caught(int timer)
{
	(void)timer;
	end_at_once(caught_signal);
}

/* A second signal of the kind always ends us. */
static void
note_signal(int number)
{
	caught_signal = number;
	signal(number, end_at_once);
	if (!patient)
		end_within(DEAF_SECONDS);
}

static void
catch_timer(void)
{
	struct sigaction new = { .sa_handler = end_for_caught };

	sigemptyset(&new.sa_mask);
	sigaction(SIGPROF, &new, NULL);
}

/* Writing beyond the limit of a file's size (ulimit -f) then fails with EFBIG, which is reported like a full disk. Not
 * ignored: programs that we start would inherit that. */
static void
pass_over(int number)
{
	(void)number;
}

/* Without SA_RESTART, so that a blocked read from a pipe is interrupted. A signal that was ignored when we began stays
 * ignored, for nohup. */
static void
catch_by(int number, void (*handler)(int))
{
	struct sigaction old, new = { .sa_handler = handler };

	sigemptyset(&new.sa_mask);
	if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(number, &new, NULL);
}

static void
catch_signal(int number)
{
	catch_by(number, note_signal);
}

/* Signals that end a program at once. Crashes are left to the system, and to sanitizers. */
static void
catch_deadly_signals(void)
{
	static const int deadly[] = { SIGPIPE, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU };

	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		catch_by(deadly[i], end_at_once);
	catch_by(SIGXFSZ, pass_over);
}

static void
let_go(int number)
{
	struct sigaction now;

	if (sigaction(number, NULL, &now) == 0 && now.sa_handler == note_signal)
		signal(number, SIG_DFL);
}

void
program_stop_at_once(bool at_once)
{
	static const int asked[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
		if (at_once)
			let_go(asked[i]);
		else
			catch_signal(asked[i]);
}

/* Some parents leave SIGPIPE ignored or blocked; then `| head` would end in an error message instead of quietly. */
static void
restore_sigpipe(void)
{
	sigset_t pipe_only;

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &pipe_only, NULL);
}

bool
program_stopping(void)
{
	if (caught_signal == 0)
		return false;
	if (time_runs)
		end_within(0);
	return true;
}

void
program_finish_soon(void)
{
	if (caught_signal != 0 && !patient)
		end_within(FINISH_SECONDS);
}

void
program_stop_patiently(void)
{
	patient = true;
}

/* --- the host functions of the library --- */

/* Any thread may get here, with any lock held: so no stdio, no atexit handlers, and status 3, "could not finish". Half
 * a file is still removed. */
static void
out_of_memory(size_t count, size_t size)
{
	char line[200];
	int length = snprintf(line, sizeof line, "%s: out of memory: no room for %zu times %zu bytes\n",
			      name_of_program, count, size);

	temp_files_remove();
	if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
		_exit(3);
	_exit(3);
}

/* Before main: programs look at their arguments before program_begin, and that takes memory. */
__attribute__((constructor)) static void
end_without_memory(void)
{
	name_of_program = program_invocation_short_name;
	stk_on_out_of_memory(out_of_memory);
}

/* A mistake in the usage that is found late exits with its output open. Where it is not this program that exits, a
 * library does, as libarchive without memory: its status would say something else. */
static void
leave(void)
{
	temp_files_remove();
	if (atomic_load(&ending))
		return;
	program_fail("a library ended the program");
	_exit(PROGRAM_FAILED);
}

static const char *
folder_in(const char *name)
{
	const char *folder = getenv(name);

	return folder != NULL && *folder != '\0' ? folder : NULL;
}

/* The environment is read here, so that the library need not. */
static void
be_host(void)
{
	const struct host host = {
		.stopping = program_stopping,
		.failed = has_failed,
		.out_of_memory = out_of_memory,
		.scratch_folder = folder_in("TMPDIR"),
		.local_zone = getenv("TZ"),
		.zone_folder = folder_in("TZDIR")
	};

	host_set(&host);
	(void)atexit(leave);
}

/* --- beginning and end --- */

void
program_confine(bool (*unless)(void))
{
	confined = true;
	unconfined = unless;
}

void
program_will_write(const char *path)
{
	*array_push(&also_written.list) = path;
}

static void
leave_out_no_sandbox(void)
{
	rare_options[sizeof rare_options / sizeof *rare_options - 2].type = OPTION_END;
}

/* A file opened later must not become stdout by accident. Each is opened the wrong way round, so that using it fails
 * instead of losing data. */
static void
fill_standard_files(void)
{
	static const int flags[] = { O_WRONLY, O_RDONLY, O_RDWR };

	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) < 0)
			_exit(PROGRAM_FAILED);
}

/* Larger blocks are returned to the system when they are freed. Otherwise glibc keeps ever larger pieces, and
 * a process that works in large arrays holds nearly twice what it uses. Of small ones a few megabytes are kept:
 * what is freed and needed again for each block would be asked for anew, page by page. */
static void
give_back_large_memory(void)
{
#ifdef __GLIBC__
	(void)mallopt(M_MMAP_THRESHOLD, 256 << 10);
	(void)mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

static void
print_help(const char *purpose, const char *operands, const struct option_row *own, const struct option_row *common)
{
	printf("usage: %s [OPTION]...%s%s\n", name_of_program, *operands != '\0' ? " " : "", operands);
	printf("%s: %s\n\n", name_of_program, purpose);
	options_help(own, common);
	printf("\nExit status: 0 success, 1 bad input, 2 wrong usage, 3 failure, 4 rule matched. See man %s\n",
	       name_of_program);
}

static void
say_renamed(const char *old, const char *new)
{
	program_say("--%s is now called --%s", old, new);
}

bool
program_given(const char *option)
{
	return options_given(&option_uses, option);
}

int
program_threads(void)
{
	long processors;

	if (program_common.threads > 0)
		return (int)program_common.threads;
	processors = sysconf(_SC_NPROCESSORS_ONLN);
	return processors < 1 ? 1 : processors > 8 ? 8 : (int)processors;
}

int
program_begin(const char *name, const char *purpose, const char *operands, const char *formats,
	      const struct option_row *options, int argc, char **argv)
{
	const struct option_row *common = formats != NULL ? common_options : common_options + 1;
	struct stk_error err = { 0 };
	int first;

	name_of_program = name;
	option_uses.renamed = say_renamed;
	common_options[0].words = formats;
	if (!confined)
		leave_out_no_sandbox();
	fill_standard_files();
	restore_sigpipe();
	catch_deadly_signals();
	give_back_large_memory();
	be_host();
	first = options_parse(options, common, argc, argv, &option_uses, &err);
	if (first < 0)
		program_usage("%s", err.text);
	if (want_help)
		print_help(purpose, operands != NULL ? operands : "", options, common);
	if (want_version)
		printf("%s (stkpipe) %s\n", name, stk_version());
	if (want_list)
		options_list(options, common);
	if (want_help || want_version || want_list)
		exit(program_end());
	if (confined && !no_sandbox && (unconfined == NULL || !unconfined()))
		confine(options, &also_written);
	progress_set(name, program_common.quiet      ? PROGRESS_NEVER
			   : program_common.progress ? PROGRESS_ALWAYS
						     : PROGRESS_ON_TERMINAL);
	catch_timer();
	catch_signal(SIGINT);
	catch_signal(SIGTERM);
	catch_signal(SIGHUP);
	return first;
}

void
program_need_input(int operands)
{
	if (operands == 0 && isatty(STDIN_FILENO))
		program_usage("no input: name a file, or pipe something in; - reads the terminal");
}

void
program_close_stdout(void)
{
	static bool closed;
	int late;

	if (closed)
		return;
	closed = true;
	errno = 0;
	late = ferror(stdout);
	if (fclose(stdout) != 0 || late)
		program_fail("cannot write to stdout: %s", errno != 0 ? strerror(errno) : "an earlier write failed");
}

void
program_say_error(const struct stk_error *err)
{
	if (err->code == STK_EUSAGE) {
		program_warn("%s", err->text);
		program_status_raise(PROGRAM_BAD_USAGE);
	} else if (err->code != STK_EOK) {
		program_fail("%s", err->text);
	}
}

int
program_finish(const struct stk_error *err, const char *where)
{
	const char *between = where != NULL ? ": " : "";

	if (where == NULL)
		where = "";
	if (err->code == STK_EUSAGE)
		program_usage("%s%s%s", where, between, err->text);
	if (err->code != STK_EOK)
		program_fail("%s%s%s", where, between, err->text);
	return program_end();
}

int
program_end(void)
{
	progress_end();
	program_close_stdout();
	atomic_store(&ending, true);
	if (caught_signal != 0) {	/* the shell must see that a signal ended us, or its loops continue */
		signal(caught_signal, SIG_DFL);
		raise(caught_signal);
	}
	return atomic_load(&status);
}
