/* SPDX-License-Identifier: MIT
 * process: reads /proc/PID. Whatever another process can make of these files (its name, its arguments) is taken as
 * bytes, never trusted. */
#include "capture/process.h"

#include "base/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ENDING_MS 100
#define STATUS_MAX 8192
#define NAME_KEPT 15u

/* The bytes of /proc/PID/NAME, up to room - 1 and a NUL; how many, or -1. */
static long
read_file(pid_t pid, const char *name, char *to, size_t room)
{
	char path[64];
	size_t size = 0;
	long got = 0;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while (size < room - 1 && (got = read(fd, to + size, room - 1 - size)) > 0)
		size += (size_t)got;
	close(fd);
	to[size] = '\0';
	return got < 0 ? -1 : (long)size;
}

/* The text after "NAME:" in /proc/PID/status, or NULL. */
static const char *
status_value(const char *status, const char *name)
{
	size_t size = strlen(name);

	for (const char *line = status; line != NULL && *line != '\0';
	     line = strchr(line, '\n'), line = line != NULL ? line + 1 : NULL)
		if (strncmp(line, name, size) == 0 && line[size] == ':')
			return line + size + 1;
	return NULL;
}

static unsigned long long
status_number(const char *status, const char *name, int base)
{
	const char *value = status_value(status, name);

	return value == NULL ? 0 : strtoull(value, NULL, base);
}

/* The last number of a line such as "NSpid: 812 7 1". */
static pid_t
last_number(const char *line, pid_t fallback)
{
	char *next;

	if (line == NULL)
		return fallback;
	for (long number = strtol(line, &next, 10); next != line && number > 0; number = strtol(line = next, &next, 10))
		fallback = (pid_t)number;
	return fallback;
}

/* "Uid: 0 33 0 0", or Gid: real, effective, saved, of files. */
static unsigned
effective_number(const char *line)
{
	char *next = NULL;

	if (line == NULL)
		return (unsigned)-1;
	(void)strtoul(line, &next, 10);
	return (unsigned)strtoul(next, NULL, 10);
}

/* "State: T (stopped)", or t when a debugger holds it. */
static bool
is_stopped(const char *line)
{
	line = line == NULL ? "" : line + strspn(line, " \t");
	return *line == 'T' || *line == 't';
}

/* A field of /proc/PID/stat, counted from 1 as in proc(5); only those after the name, which may contain anything. */
static unsigned long long
stat_field(const char *stat, int field)
{
	const char *at = strrchr(stat, ')');

	for (int i = 2; at != NULL && i < field; i++) {
		at = strchr(at, ' ');
		at = at == NULL ? NULL : at + 1;
	}
	return at == NULL ? 0 : strtoull(at, NULL, 10);
}

static int64_t
boot_ns(void)
{
	struct timespec now, since;

	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &since);
	return (now.tv_sec - since.tv_sec) * INT64_C(1000000000) + now.tv_nsec - since.tv_nsec;
}

/* It has ended and waits for its parent. A process of which only the first thread has ended looks the same, but has
 * other threads. */
static bool
is_zombie(const char *stat)
{
	const char *state = strrchr(stat, ')');

	return state != NULL && (state[2] == 'Z' || state[2] == 'X') && stat_field(stat, 20) <= 1;
}

/* 0 when there is none, or it has ended. */
static uint64_t
start_of(pid_t pid)
{
	char stat[1024];

	return read_file(pid, "stat", stat, sizeof stat) <= 0 || is_zombie(stat) ? 0 : stat_field(stat, 22);
}

int
process_read(struct process *process, pid_t pid, struct stk_error *err)
{
	char status[STATUS_MAX], *newline;
	long size;

	*process = (struct process){ .pid = pid };
	process->start_ticks = start_of(pid);
	if (process->start_ticks == 0 || read_file(pid, "status", status, sizeof status) <= 0)
		return stk_fail(err, STK_EDATA, "no such process");
	process->start_ns = boot_ns() + (int64_t)process->start_ticks * (1000000000 / sysconf(_SC_CLK_TCK));
	process->inner_pid = last_number(status_value(status, "NSpid"), pid);
	process->catches_quit = (status_number(status, "SigCgt", 16) >> (SIGQUIT - 1) & 1) != 0;
	process->uid = effective_number(status_value(status, "Uid"));
	process->gid = effective_number(status_value(status, "Gid"));
	process->stopped = is_stopped(status_value(status, "State"));
	(void)read_file(pid, "comm", process->name, sizeof process->name);
	newline = strchr(process->name, '\n');
	if (newline != NULL)
		*newline = '\0';
	size = read_file(pid, "cmdline", process->command, sizeof process->command);
	process->command_size = size < 0 ? 0 : (size_t)size;
	return 0;
}

void
process_read_user(struct process *process)
{
	char status[STATUS_MAX];

	if (read_file(process->pid, "status", status, sizeof status) <= 0 || !process_is_alive(process))
		return;
	process->uid = effective_number(status_value(status, "Uid"));
	process->gid = effective_number(status_value(status, "Gid"));
}

bool
process_is_alive(const struct process *process)
{
	return start_of(process->pid) == process->start_ticks;
}

bool
process_ends_within(const struct process *process, int milliseconds)
{
	long fd = syscall(SYS_pidfd_open, process->pid, 0);
	struct pollfd end = { .fd = (int)fd, .events = POLLIN };

	if (fd >= 0) {
		(void)poll(&end, 1, milliseconds);
		close((int)fd);
	}
	return !process_is_alive(process);
}

/* A process that is ending has lost its program a while before it disappears. */
bool
process_is_ending(const struct process *process)
{
	char path[32], program[8];

	snprintf(path, sizeof path, "/proc/%ld/exe", (long)process->pid);
	return process_ends_within(process,
				   readlink(path, program, sizeof program) < 0 && errno == ENOENT ? ENDING_MS : 0);
}

/* A descriptor of the process is held while it is checked, so that the signal cannot reach another one. */
bool
process_signal(const struct process *process, int signal)
{
	long fd = syscall(SYS_pidfd_open, process->pid, 0);
	bool sent;

	if (fd < 0)	/* an old kernel: the race window is as short as possible */
		return process_is_alive(process) && kill(process->pid, signal) == 0;
	sent = process_is_alive(process) && syscall(SYS_pidfd_send_signal, (int)fd, signal, NULL, 0) == 0;
	close((int)fd);
	return sent;
}

int64_t
process_cpu_ns(const struct process *process)
{
	char stat[1024];

	if (read_file(process->pid, "stat", stat, sizeof stat) <= 0 || stat_field(stat, 22) != process->start_ticks)
		return -1;
	return (int64_t)(stat_field(stat, 14) + stat_field(stat, 15)) * (1000000000 / sysconf(_SC_CLK_TCK));
}

pid_t
process_inner_tid(const struct process *process, pid_t tid)
{
	char status[STATUS_MAX], name[40];

	if (process->pid == process->inner_pid)
		return tid;
	snprintf(name, sizeof name, "task/%ld/status", (long)tid);
	return read_file(process->pid, name, status, sizeof status) <= 0
		       ? tid
		       : last_number(status_value(status, "NSpid"), tid);
}

/* --- names --- */

static const char *
next_argument(const struct process *process, const char *argument)
{
	const char *end = process->command + process->command_size;

	argument = argument == NULL ? process->command : argument + strlen(argument) + 1;
	return argument < end ? argument : NULL;
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

/* Options of the java command whose value is the next argument. */
static bool
takes_value(const char *option)
{
	static const char *const options[] = { "-cp",
					       "-classpath",
					       "--class-path",
					       "-p",
					       "--module-path",
					       "--upgrade-module-path",
					       "--add-modules",
					       "--add-exports",
					       "--add-opens",
					       "--add-reads",
					       "--patch-module",
					       "--limit-modules",
					       "--enable-native-access",
					       "--source",
					       NULL };

	for (size_t i = 0; options[i] != NULL; i++)
		if (strcmp(option, options[i]) == 0)
			return true;
	return false;
}

/* "python", "python3", "python3.11" */
static bool
is_python_command(const char *argument)
{
	const char *name = base_name(argument);

	return strncmp(name, "python", 6) == 0 && strspn(name + 6, "0123456789.") == strlen(name + 6);
}

/* Of a Python command the script, or the module of -m; NULL: neither. */
static const char *
python_title(const struct process *process, const char *argument)
{
	while ((argument = next_argument(process, argument)) != NULL) {
		if (strcmp(argument, "-m") == 0)
			return next_argument(process, argument);
		if (*argument != '-' && *argument != '\0')
			return base_name(argument);
		if (strcmp(argument, "-c") == 0 || strcmp(argument, "-") == 0)
			return NULL;
		if (strcmp(argument, "-W") == 0 || strcmp(argument, "-X") == 0)
			argument = next_argument(process, argument);
		if (argument == NULL)
			break;
	}
	return NULL;
}

static const char *
java_title(const struct process *process, const char *argument)
{
	while ((argument = next_argument(process, argument)) != NULL) {
		if (strcmp(argument, "-jar") == 0 || strcmp(argument, "-m") == 0 || strcmp(argument, "--module") == 0) {
			argument = next_argument(process, argument);
			return argument == NULL ? "java" : base_name(argument);
		}
		if (*argument != '-' && *argument != '@' && *argument != '\0')
			return base_name(argument);
		if (takes_value(argument) && (argument = next_argument(process, argument)) == NULL)
			break;
	}
	return "java";
}

/* The system keeps 15 bytes of a name: a longer one is that of the command, if it begins with these. */
static const char *
whole_name(const struct process *process, const char *argument)
{
	const char *command = argument != NULL ? base_name(argument) : "";

	return strlen(process->name) == NAME_KEPT && strncmp(command, process->name, NAME_KEPT) == 0 ? command
												     : process->name;
}

const char *
process_title(const struct process *process)
{
	const char *argument = next_argument(process, NULL), *title = NULL;

	if (argument != NULL && strcmp(base_name(argument), "java") == 0)
		return java_title(process, argument);
	if (argument != NULL && is_python_command(argument))
		title = python_title(process, argument);
	if (title == NULL || *title == '\0')
		title = whole_name(process, argument);
	return *title != '\0' ? title : "?";
}

/* "com.example.Main" is also called "Main", "app-1.2.jar" also "app-1.2", and "work.py" also "work". */
bool
process_is_called(const struct process *process, const char *pattern)
{
	const char *title = process_title(process), *dot = strrchr(title, '.');
	char stem[256];

	if (fnmatch(pattern, title, 0) == 0 || fnmatch(pattern, process->name, 0) == 0)
		return true;
	if (dot == NULL)
		return false;
	if (strcmp(dot, ".jar") != 0 && strcmp(dot, ".java") != 0 && strcmp(dot, ".py") != 0)
		return fnmatch(pattern, dot + 1, 0) == 0;
	snprintf(stem, sizeof stem, "%.*s", (int)(dot - title), title);
	return fnmatch(pattern, stem, 0) == 0;
}

const char *
process_argument(const struct process *process, const char *argument)
{
	size_t size = strlen(argument);

	for (const char *at = next_argument(process, NULL); at != NULL; at = next_argument(process, at))
		if (argument[size - 1] == '=' ? strncmp(at, argument, size) == 0 : strcmp(at, argument) == 0)
			return at + size;
	return NULL;
}

/* Calls `see` with each line of the map of its memory until that returns false. A line that is longer than our buffer
 * comes in pieces. */
static void
each_mapping(const struct process *process, bool (*see)(void *of, const char *line), void *of)
{
	char path[64], line[1024];
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%ld/maps", (long)process->pid);
	maps = fopen(path, "re");
	while (maps != NULL && fgets(line, sizeof line, maps) != NULL && see(of, line))
		continue;
	if (maps != NULL)
		(void)fclose(maps);
}

/* OpenJ9 has a libjvm.so too, which only loads its own. */
static bool
look_for_vm(void *of, const char *line)
{
	enum vm_kind *kind = of;

	*kind = strstr(line, "/libj9vm") != NULL     ? VM_OPENJ9
		: strstr(line, "/libjvm.so") != NULL ? VM_HOTSPOT
						     : *kind;
	return *kind != VM_OPENJ9;
}

enum vm_kind
process_vm_kind(const struct process *process)
{
	enum vm_kind kind = VM_NONE;

	each_mapping(process, look_for_vm, &kind);
	return kind;
}

static bool
look_for_python(void *of, const char *line)
{
	const char *slash = strrchr(line, '/');
	bool *found = of;

	*found = slash != NULL && (strncmp(slash, "/libpython3", 11) == 0 || strncmp(slash, "/python3", 8) == 0);
	return !*found;
}

bool
process_is_python(const struct process *process)
{
	bool found = false;

	each_mapping(process, look_for_python, &found);
	return found;
}

/* --- all of them --- */

static int
compare_pids(const void *a, const void *b)
{
	pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;

	return (left > right) - (left < right);
}

bool
process_is_in_cgroup(pid_t pid, const char *cgroup)
{
	char path[64], line[4096];
	bool in = false;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%ld/cgroup", (long)pid);
	file = fopen(path, "re");
	while (file != NULL && !in && fgets(line, sizeof line, file) != NULL) {
		const char *at = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		in = at != NULL && strncmp(at, cgroup, strlen(cgroup)) == 0 &&
		     (at[strlen(cgroup)] == '\0' || at[strlen(cgroup)] == '/');
	}
	if (file != NULL)
		(void)fclose(file);
	return in;
}

bool
process_has_no_program(pid_t pid)
{
	char path[64], program[8];

	snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
	return readlink(path, program, sizeof program) < 0 && errno == ENOENT;
}

void
process_each(void (*see)(void *context, pid_t pid), void *context)
{
	ARRAY(pid_t) pids = { 0 };
	DIR *folder = opendir("/proc");
	const struct dirent *entry;

	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid > 0)
			*array_push(&pids) = (pid_t)pid;
	}
	if (folder != NULL)
		closedir(folder);
	if (pids.count > 0)
		qsort(pids.at, pids.count, sizeof *pids.at, compare_pids);
	for (size_t i = 0; i < pids.count; i++)
		see(context, pids.at[i]);
	array_release(&pids);
}
