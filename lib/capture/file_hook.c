/* SPDX-License-Identifier: MIT
 * file_hook: a queue of names, and one child. */
#include "capture/file_hook.h"

#include "base/array.h"
#include "capture/attach.h" /* monotonic_ns */

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAITING_MAX 1000
#define RUN_NS INT64_C(600000000000)	/* a program that runs for longer is killed */
#define RETRY_NS INT64_C(30000000000)	/* doubled at each failure */
#define RETRY_MAX INT64_C(3600000000000)
#define NAP_NS 20000000

enum { INPUT, OUTPUT, MESSAGES };		/* the standard files of the program */

extern char **environ;

struct file_hook {
	char *program;
	file_hook_hear *hear;
	ARRAY(char *) waiting;		/* the first is dealt with */
	pid_t child;		/* 0: none */
	int64_t began_ns, next_ns, pause_ns;
	uint64_t failures;
};

void
file_hook_open(struct file_hook **out, file_hook_hear *hear)
{
	*out = mem_new(1, sizeof **out);
	(*out)->hear = hear;
}

void
file_hook_program(struct file_hook *hook, const char *program)
{
	free(hook->program);
	hook->program = NULL;
	if (program != NULL)
		hook->program = memcpy(mem_new(strlen(program) + 1, 1), program, strlen(program));
}

static void
drop_first(struct file_hook *hook)
{
	free(hook->waiting.at[0]);
	memmove(hook->waiting.at, hook->waiting.at + 1, --hook->waiting.count * sizeof *hook->waiting.at);
}

/* A file that waits already is not added again, unless the program is reading it now. */
void
file_hook_add(struct file_hook *hook, const char *path)
{
	if (hook->program == NULL)
		return;
	for (size_t i = hook->child != 0; i < hook->waiting.count; i++)
		if (strcmp(hook->waiting.at[i], path) == 0)
			return;
	if (hook->waiting.count == WAITING_MAX) {
		hook->hear(path, HOOK_LEFT, "too many files wait");
		return;
	}
	*array_push(&hook->waiting) = memcpy(mem_new(strlen(path) + 1, 1), path, strlen(path));
}

size_t
file_hook_waiting(const struct file_hook *hook)
{
	return hook->waiting.count;
}

uint64_t
file_hook_failures(const struct file_hook *hook)
{
	return hook->failures;
}

static int
check_path(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0 || access(path, X_OK) < 0)
		return errno;
	return S_ISREG(status.st_mode) ? 0 : EACCES;
}

int
file_hook_check(const char *program, const char *folders)
{
	if (strchr(program, '/') != NULL)
		return check_path(program);
	if (folders == NULL)
		return 0;		/* it is looked for in places that only the system knows */
	for (const char *at = folders; at != NULL; at = strchr(at, ':') != NULL ? strchr(at, ':') + 1 : NULL) {
		char path[PATH_MAX];
		int size = (int)strcspn(at, ":");

		snprintf(path, sizeof path, "%.*s/%s", size, size > 0 ? at : ".", program);
		if (check_path(path) == 0)
			return 0;
	}
	return ENOENT;
}

static void
fail(struct file_hook *hook, const char *why)
{
	hook->failures++;
	hook->pause_ns = hook->pause_ns == 0              ? RETRY_NS
			 : hook->pause_ns < RETRY_MAX / 2 ? hook->pause_ns * 2
							  : RETRY_MAX;
	hook->next_ns = monotonic_ns() + hook->pause_ns;
	hook->hear(hook->waiting.at[0], HOOK_FAILED, why);
}

/* Nothing on its standard input, and what it prints among our messages; with a group of its own, so that what it starts
 * is killed with it. */
static void
start(struct file_hook *hook)
{
	char *arguments[] = { hook->program, hook->waiting.at[0], NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none, all;
	int failed;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, INPUT, "/dev/null", 0, 0);
	posix_spawn_file_actions_adddup2(&files, MESSAGES, OUTPUT);
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setsigdefault(&how, &all);
	failed = posix_spawnp(&hook->child, hook->program, &files, &how, arguments, environ);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	hook->began_ns = monotonic_ns();
	if (failed == 0)
		return;
	hook->child = 0;
	fail(hook, strerror(failed));
}

static void
take_status(struct file_hook *hook, int status)
{
	char why[80];

	hook->child = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		hook->pause_ns = 0;
		hook->hear(hook->waiting.at[0], HOOK_DONE, "");
		drop_first(hook);
		return;
	}
	if (WIFEXITED(status))
		snprintf(why, sizeof why, "it ended with status %d", WEXITSTATUS(status));
	else
		snprintf(why, sizeof why, "it was ended by signal %d", WTERMSIG(status));
	fail(hook, why);
}

static void
look_after(struct file_hook *hook)
{
	int status;

	if (monotonic_ns() - hook->began_ns > RUN_NS)
		kill(-hook->child, SIGKILL);
	if (waitpid(hook->child, &status, WNOHANG) == hook->child)
		take_status(hook, status);
}

void
file_hook_step(struct file_hook *hook)
{
	if (hook->child != 0)
		look_after(hook);
	if (hook->child != 0 || hook->waiting.count == 0 || hook->program == NULL || monotonic_ns() < hook->next_ns)
		return;
	if (access(hook->waiting.at[0], F_OK) == 0) {
		start(hook);
		return;
	}
	hook->hear(hook->waiting.at[0], HOOK_GONE, strerror(errno));
	drop_first(hook);
}

/* One more try of each: after that a failure is final. */
static void
finish(struct file_hook *hook, int64_t deadline_ns)
{
	uint64_t failed = hook->failures;
	const struct timespec nap = { .tv_nsec = NAP_NS };

	hook->next_ns = 0;
	while (hook->waiting.count > 0 && monotonic_ns() < deadline_ns) {
		file_hook_step(hook);
		if (hook->failures > failed) {
			hook->hear(hook->waiting.at[0], HOOK_LEFT, "the capture ends");
			drop_first(hook);
			failed = hook->failures;
			hook->next_ns = 0;
		} else if (hook->child != 0) {
			nanosleep(&nap, NULL);
		}
	}
}

void
file_hook_close(struct file_hook *hook, int64_t deadline_ns)
{
	int status;

	if (hook == NULL)
		return;
	if (hook->program != NULL)
		finish(hook, deadline_ns);
	if (hook->child != 0) {
		kill(-hook->child, SIGKILL);
		(void)waitpid(hook->child, &status, 0);
	}
	while (hook->waiting.count > 0) {
		hook->hear(hook->waiting.at[0], HOOK_LEFT, "the capture ends");
		drop_first(hook);
	}
	array_release(&hook->waiting);
	free(hook->program);
	free(hook);
}
