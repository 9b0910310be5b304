/* SPDX-License-Identifier: MIT
 * command_dumps: the output of a command, which is run for each dump. It has its own process group, so that all of it
 * can be killed when it is late. */
#include "capture/dump_source.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND_MAX 8192
#define READ_BYTES  (32u << 10)
#define PAUSE_NS    INT64_C(20000000)	/* longest time between two checks whether it has ended */

extern char **environ;

struct command { char text[COMMAND_MAX]; struct process process; bool has_process; };

/* "py-spy dump --pid {pid}" */
static bool
put_pid(char to[COMMAND_MAX], const char *command, pid_t pid)
{
	size_t size = 0;

	for (const char *at = command; *at != '\0';) {
		int more = strncmp(at, "{pid}", 5) == 0 ? snprintf(to + size, COMMAND_MAX - size, "%ld", (long)pid)
							: snprintf(to + size, COMMAND_MAX - size, "%c", *at);

		if (more < 0 || (size += (size_t)more) >= COMMAND_MAX)
			return false;
		at += strncmp(at, "{pid}", 5) == 0 ? 5 : 1;
	}
	return true;
}

/* Its output comes through *from; -1: errno. */
static pid_t
start(const char *text, int *from)
{
	char *arguments[] = { (char *)"sh", (char *)"-c", (char *)text, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none;
	int ends[2], failed;
	pid_t pid = -1;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	failed = posix_spawn(&pid, "/bin/sh", &files, &attributes, arguments, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	close(ends[1]);
	*from = ends[0];
	if (failed == 0)
		return pid;
	close(ends[0]);
	errno = failed;
	return -1;
}

static enum attach_result
late(const struct attach_reply *reply, struct stk_error *err)
{
	(void)stk_fail(err, STK_EDATA, "it did not end in time, and was killed");
	return reply->size > 0 ? ATTACH_CUT : ATTACH_LATE;
}

static enum attach_result
read_all(int from, int64_t deadline_ns, struct attach_reply *reply, struct stk_error *err)
{
	while (attach_wait(from, POLLIN, deadline_ns)) {
		long got;

		if (!attach_reply_make_room(reply, READ_BYTES, err))
			return ATTACH_CUT;
		got = read(from, reply->text + reply->size, reply->room - reply->size - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return ATTACH_ANSWERED;
		if (reply->first_ns == 0)
			reply->first_ns = monotonic_ns();
		reply->size += (size_t)got;
		reply->text[reply->size] = '\0';
	}
	return late(reply, err);
}

/* It may close its output long before it ends. */
static bool
ends_in_time(pid_t pid, int64_t deadline_ns)
{
	for (int64_t pause = 500000;; pause = pause < PAUSE_NS ? pause * 2 : pause) {
		siginfo_t ended = { 0 };

		if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 || ended.si_pid == pid)
			return true;
		if (monotonic_ns() >= deadline_ns || attach_is_stopped())
			return false;
		(void)attach_wait(-1, 0, monotonic_ns() + pause);
	}
}

static enum attach_result
command_take(void *source, int64_t deadline_ns, struct attach_reply *reply, struct stk_error *err)
{
	struct command *command = source;
	enum attach_result result;
	int from, status;
	pid_t pid;

	reply->size = 0;
	reply->first_ns = 0;
	reply->asked_ns = reply->end_ns = monotonic_ns();
	if (command->has_process && !process_is_alive(&command->process))
		return ATTACH_GONE;
	pid = start(command->text, &from);
	if (pid < 0) {
		(void)stk_fail_errno(err, "cannot start it");
		return ATTACH_REFUSED;
	}
	result = read_all(from, deadline_ns, reply, err);
	close(from);
	if (result == ATTACH_ANSWERED && !ends_in_time(pid, deadline_ns))
		result = late(reply, err);
	if (result != ATTACH_ANSWERED)
		kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	kill(-pid, SIGKILL);		/* what it left in the background */
	reply->end_ns = monotonic_ns();
	if (result != ATTACH_ANSWERED || (WIFEXITED(status) && WEXITSTATUS(status) == 0 && reply->size > 0))
		return result;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		(void)stk_fail(err, STK_EDATA, "it printed nothing");
	else
		(void)stk_fail(err, STK_EDATA,
			       WIFEXITED(status) ? "it failed with status %d" : "it was ended by signal %d",
			       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return reply->size > 0 ? ATTACH_CUT : ATTACH_REFUSED;
}

static void
command_close(void *source)
{
	free(source);
}

int
command_dumps_open(struct dump_source **out, const char *text, const struct process *process, struct stk_error *err)
{
	static const struct dump_source_kind kind = { "command", NULL, command_take, NULL, command_close };
	struct command *command = mem_new(1, sizeof *command);

	*out = NULL;
	command->has_process = process != NULL;
	if (process != NULL)
		command->process = *process;
	if (!put_pid(command->text, text, process != NULL ? process->pid : 0)) {
		free(command);
		return stk_fail(err, STK_EUSAGE, "the command is too long");
	}
	*out = dump_source_of(&kind, command);
	return 0;
}
