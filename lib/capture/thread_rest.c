/* SPDX-License-Identifier: MIT
 * thread_rest: when a thread leaves a processor the kernel adds what it ran to schedstat; while it runs it need not do
 * so, but then the thread's state is R. So a thread that is not in state R at either look, with the same schedstat, has
 * not run. schedstat is read first and last: what happens between the two files shows in it. */
#include "capture/thread_rest.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
read_task_file(const struct thread_rest *rest, const char *name, char *to, size_t room)
{
	char path[96];
	ssize_t got = -1;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/task/%ld/%s", (long)rest->pid, (long)rest->tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, to, room - 1);
		close(fd);
	}
	to[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/* After the name of the thread, which is in brackets and may have brackets. */
static char
read_state(const struct thread_rest *rest)
{
	char stat[512];
	const char *bracket = read_task_file(rest, "stat", stat, sizeof stat) ? strrchr(stat, ')') : NULL;

	return bracket != NULL && bracket[1] == ' ' ? bracket[2] : '\0';
}

/* "RAN WAITED TURNS"; a kernel that does not count has zeros. */
static bool
read_turns(const struct thread_rest *rest, uint64_t *ran_ns, uint64_t *turns)
{
	char text[128], *at;

	*ran_ns = *turns = 0;
	if (!read_task_file(rest, "schedstat", text, sizeof text))
		return false;
	*ran_ns = strtoull(text, &at, 10);
	(void)strtoull(at, &at, 10);
	*turns = strtoull(at, NULL, 10);
	return *turns > 0;
}

static bool
is_rest(char state)
{
	return state != '\0' && state != 'R' && state != 'X' && state != 'Z';
}

bool
thread_rest_begin(struct thread_rest *rest, pid_t pid, pid_t tid)
{
	bool counted;

	*rest = (struct thread_rest){ .pid = pid, .tid = tid };
	counted = read_turns(rest, &rest->ran_ns, &rest->turns);
	rest->state = read_state(rest);
	return counted && is_rest(rest->state);
}

bool
thread_rest_held(const struct thread_rest *rest)
{
	char state = read_state(rest);
	uint64_t ran_ns, turns;

	return is_rest(state) && read_turns(rest, &ran_ns, &turns) && ran_ns == rest->ran_ns && turns == rest->turns;
}
