/* SPDX-License-Identifier: MIT
 * intruder: a library to be preloaded: at the end of the program it tries what nobody who reads files needs, as
 * somebody would who got in by a stream, and writes a line for each to the file that INTRUDER names: "NAME: done", or
 * why not. It runs after the filter's own end, under the rules that the filter began. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int report = -1;

__attribute__((constructor)) static void
begin(void)
{
	const char *path = getenv("INTRUDER");

	unsetenv("LD_PRELOAD");
	if (path != NULL)
		report = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void
say(const char *name, int result)
{
	dprintf(report, "%s: %s\n", name, result >= 0 ? "done" : strerrorname_np(errno));
}

static int
make_file(const char *name)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", getenv("ELSEWHERE"), name);
	return open(path, O_WRONLY | O_CREAT, 0600);
}

static int
in_elsewhere(int (*what)(const char *))
{
	char path[4096];

	snprintf(path, sizeof path, "%s/there", getenv("ELSEWHERE"));
	return what(path);
}

static int overwrite(const char *path) { return open(path, O_WRONLY); }
static int empty(const char *path) { return truncate(path, 0); }
static int link_to(const char *path) { return symlink("/", strcat(strcpy((char [4097]){ 0 }, path), "x")); }

/* In a process of its own, which is where a program would be started. */
static int
start(void)
{
	pid_t child = fork();

	if (child == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	return child < 0 ? -1 : (waitpid(child, NULL, 0), 0);
}

static void *nothing(void *context) { return context; }

static int
begin_thread(void)
{
	pthread_t thread;
	int result = pthread_create(&thread, NULL, nothing, NULL);

	if (result != 0) {
		errno = result;
		return -1;
	}
	return pthread_join(thread, NULL);
}

__attribute__((destructor)) static void
end(void)
{
	if (report < 0)
		return;
	say("make a file elsewhere", make_file("made"));
	say("write to a file elsewhere", in_elsewhere(overwrite));
	say("empty a file elsewhere", in_elsewhere(empty));
	say("remove a file elsewhere", in_elsewhere(unlink));
	say("make a link elsewhere", in_elsewhere(link_to));
	say("open a socket", socket(AF_INET, SOCK_STREAM, 0));
	say("start a program", start());
	say("become a program", execl("/nowhere", "nowhere", (char *)NULL));
	say("signal the process before", kill(getppid(), 0));
	say("begin a thread", begin_thread());
	say("read a file", open("/etc/passwd", O_RDONLY));
}
