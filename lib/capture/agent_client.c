/* SPDX-License-Identifier: MIT
 * agent_client: the agent's socket lies in the VM's /tmp, the agent's file beside our programs; a VM in a container gets a copy of it for as long as loading takes. */
#include "capture/agent_client.h"

#include "base/array.h"
#include "base/bytes.h"
#include "capture/dump_source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define MAP_NS INT64_C(1000000000)	/* between two dumps that are taken to learn of new threads, at least */

struct handle { pid_t tid; uint64_t handle; };	/* the system's number, as the VM sees it, and the VM's own */

struct agent_client {
	struct process process;
	struct attach *attach;
	char socket[108], inner_socket[64], library[PATH_MAX];
	pthread_mutex_t lock;
	ARRAY(struct handle) handles;
	int64_t mapped_ns;
};

/* --- the agent's file --- */

/* Beside our programs: build/lib/stkpipe, /usr/local/lib/stkpipe. */
static bool
find_library(char path[PATH_MAX])
{
	char program[PATH_MAX];
	long size = readlink("/proc/self/exe", program, sizeof program - 1);
	char *slash;

	program[size > 0 ? size : 0] = '\0';
	slash = strrchr(program, '/');
	if (slash == NULL)
		return false;
	*slash = '\0';
	snprintf(path, PATH_MAX, "%.*s/../lib/stkpipe/libstkagent.so", PATH_MAX - 100, program);
	return access(path, R_OK) == 0;
}

static bool
shares_files(const struct process *process)
{
	struct stat ours, theirs;
	char path[64];

	snprintf(path, sizeof path, "/proc/%ld/ns/mnt", (long)process->pid);
	return stat("/proc/self/ns/mnt", &ours) == 0 && stat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino;
}

static bool
copy_library(const struct agent_client *c, const char *to)
{
	int from = open(c->library, O_RDONLY | O_CLOEXEC), fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	struct stat is;
	bool done = from >= 0 && fd >= 0 && fstat(from, &is) == 0 && sendfile(fd, from, NULL, (size_t)is.st_size) == is.st_size && fchmod(fd, 0644) == 0;

	if (from >= 0)
		close(from);
	if (fd >= 0)
		close(fd);
	return done;
}

/* Success is what the reply says: a VM that does not load agents may answer 0 and explain. */
static enum attach_result
load(struct agent_client *c, int64_t deadline_ns, struct attach_reply *reply, struct stk_error *err)
{
	char inner[64], outer[128], real[PATH_MAX];
	const char *command[4] = { "load", realpath(c->library, real) != NULL ? real : c->library, "true", c->inner_socket };
	bool copied = !shares_files(&c->process);
	enum attach_result result;

	snprintf(inner, sizeof inner, "/tmp/.stkagent%ld.so", (long)c->process.inner_pid);
	process_path(outer, sizeof outer, &c->process, inner);
	if (copied) {
		(void)unlink(outer);
		if (!copy_library(c, outer)) {
			(void)stk_fail_errno(err, "the agent cannot be copied to its %s", inner);
			return ATTACH_REFUSED;
		}
		command[1] = inner;
	}
	result = attach_ask(c->attach, command, deadline_ns, reply, err);
	if (copied)
		(void)unlink(outer);
	if (result != ATTACH_ANSWERED)
		return result;
	if (memmem(reply->text, reply->size, "return code: 0", 14) != NULL || (reply->size > 0 && reply->text[0] == '0'))
		return ATTACH_ANSWERED;
	(void)stk_fail(err, STK_EDATA, "it did not load the agent: %.*s", (int)(reply->size < 150 ? reply->size : 150), reply->text);
	return ATTACH_REFUSED;
}

/* --- asking --- */

static int
connect_to(const struct agent_client *c)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred peer;
	socklen_t size = sizeof peer;

	memcpy(to.sun_path, c->socket, sizeof to.sun_path);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == c->process.pid)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static enum attach_result
read_reply(int fd, int64_t deadline_ns, struct attach_reply *reply, struct stk_error *err)
{
	while (attach_wait(fd, POLLIN, deadline_ns)) {
		long got;

		if (reply->room - reply->size <= 65536) {
			reply->room = reply->room * 2 + 262144;
			reply->text = mem_resize(reply->text, reply->room, 1);
		}
		got = recv(fd, reply->text + reply->size, reply->room - reply->size - 1, MSG_DONTWAIT);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got <= 0)
			return ATTACH_ANSWERED;
		reply->end_ns = monotonic_ns();
		if (reply->first_ns == 0)
			reply->first_ns = reply->end_ns;
		reply->size += (size_t)got;
		reply->text[reply->size] = '\0';
		if (reply->size > ATTACH_REPLY_MAX) {
			(void)stk_fail(err, STK_EDATA, "its reply is longer than %zu MB: the rest is left out", ATTACH_REPLY_MAX >> 20);
			return ATTACH_CUT;
		}
	}
	(void)stk_fail(err, STK_EDATA, "its agent did not answer in time");
	return ATTACH_LATE;
}

enum attach_result
agent_client_ask(struct agent_client *c, const char *request, int64_t deadline_ns, struct attach_reply *reply, struct stk_error *err)
{
	enum attach_result result;
	int fd = connect_to(c);

	if (fd < 0 && !process_is_alive(&c->process))
		return ATTACH_GONE;
	if (fd < 0) {
		result = load(c, deadline_ns, reply, err);
		if (result != ATTACH_ANSWERED)
			return result;
		fd = connect_to(c);
	}
	reply->size = 0;
	reply->first_ns = 0;
	reply->asked_ns = reply->end_ns = monotonic_ns();
	if (fd < 0 || send(fd, request, strlen(request), MSG_NOSIGNAL) != (long)strlen(request)) {
		(void)stk_fail_errno(err, "its agent cannot be asked");
		result = process_is_ending(&c->process) ? ATTACH_GONE : ATTACH_REFUSED;
	} else {
		result = read_reply(fd, deadline_ns, reply, err);
	}
	if (fd >= 0)
		close(fd);
	return result;
}

/* --- one thread --- */

/* What stands behind a word of a header, in base 16 with 0x and 10 without. */
static uint64_t
number_behind(const char *line, const char *end, const char *word)
{
	const char *at = memmem(line, (size_t)(end - line), word, strlen(word));

	return at == NULL ? 0 : strtoull(at + strlen(word), NULL, 0);
}

/* A thread dump says both numbers of each thread. */
static void
learn_handles(struct agent_client *c, int64_t deadline_ns, struct attach_reply *reply)
{
	struct stk_error unused = { 0 };
	const char *line, *end;

	if (monotonic_ns() - c->mapped_ns < MAP_NS || attach_thread_dump(c->attach, false, deadline_ns, reply, &unused) != ATTACH_ANSWERED)
		return;
	c->mapped_ns = monotonic_ns();
	c->handles.count = 0;
	for (line = reply->text; line < reply->text + reply->size; line = end + 1) {
		end = memchr(line, '\n', (size_t)(reply->text + reply->size - line));
		if (end == NULL)
			break;
		if (*line == '"')
			*array_push(&c->handles) = (struct handle){ (pid_t)number_behind(line, end, " nid="), number_behind(line, end, " tid=") };
	}
}

static uint64_t
handle_of(const struct agent_client *c, pid_t tid)
{
	for (size_t i = 0; i < c->handles.count; i++)
		if (c->handles.at[i].tid == tid)
			return c->handles.at[i].handle;
	return 0;
}

bool
agent_client_stack(struct agent_client *c, pid_t tid, int64_t deadline_ns, struct attach_reply *reply)
{
	struct stk_error unused = { 0 };
	pid_t inner = process_inner_tid(&c->process, tid);
	char request[64];
	bool had = false;
	uint64_t handle;

	pthread_mutex_lock(&c->lock);
	handle = handle_of(c, inner);
	if (handle == 0) {
		learn_handles(c, deadline_ns, reply);
		handle = handle_of(c, inner);
	}
	snprintf(request, sizeof request, "stack %llx\n", (unsigned long long)handle);
	if (handle != 0)
		had = agent_client_ask(c, request, deadline_ns, reply, &unused) == ATTACH_ANSWERED && reply->size > 0;
	pthread_mutex_unlock(&c->lock);
	return had;
}

int
agent_client_open(struct agent_client **out, const struct process *process, struct stk_error *err)
{
	struct agent_client *c = mem_new(1, sizeof *c);

	*out = NULL;
	c->process = *process;
	snprintf(c->inner_socket, sizeof c->inner_socket, "/tmp/.stkagent_pid%ld", (long)process->inner_pid);
	process_path(c->socket, sizeof c->socket, process, c->inner_socket);
	if (!find_library(c->library))
		(void)stk_fail(err, STK_EDATA, "there is no agent beside this program (%s): it is built where a JDK's headers are", c->library);
	else if (process_argument(process, "-XX:-EnableDynamicAgentLoading") != NULL)
		(void)stk_fail(err, STK_EDATA, "it was started with -XX:-EnableDynamicAgentLoading");
	if (err->code == STK_EOK && attach_open(&c->attach, process, err) == 0) {
		pthread_mutex_init(&c->lock, NULL);
		*out = c;
		return 0;
	}
	free(c);
	return -1;
}

void
agent_client_close(struct agent_client *c)
{
	if (c == NULL)
		return;
	attach_close(c->attach);
	array_release(&c->handles);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* --- all threads --- */

struct agent_dumps { struct agent_client *client; bool locks; };

static enum attach_result
agent_take(void *source, int64_t deadline_ns, struct attach_reply *reply, struct stk_error *err)
{
	struct agent_dumps *dumps = source;
	enum attach_result result = agent_client_ask(dumps->client, dumps->locks ? "dump locks\n" : "dump\n", deadline_ns, reply, err);

	if (result != ATTACH_ANSWERED || memmem(reply->text, reply->size, "\nJNI global ref", 15) != NULL)
		return result;
	(void)stk_fail(err, STK_EDATA, "its agent's dump ends in the middle");
	return reply->size == 0 && process_is_ending(&dumps->client->process) ? ATTACH_GONE : ATTACH_CUT;
}

static bool
agent_is_owed(void *source)
{
	struct agent_dumps *dumps = source;

	return attach_is_owed(dumps->client->attach);
}

static void
agent_close(void *source)
{
	struct agent_dumps *dumps = source;

	agent_client_close(dumps->client);
	free(dumps);
}

int
agent_dumps_open(struct dump_source **out, const struct process *process, bool locks, struct stk_error *err)
{
	static const struct dump_source_kind kind = { "agent", "thread-dump", agent_take, agent_is_owed, agent_close };
	struct agent_client *client;
	struct agent_dumps *dumps;

	*out = NULL;
	if (agent_client_open(&client, process, err) < 0)
		return -1;
	dumps = mem_new(1, sizeof *dumps);
	*dumps = (struct agent_dumps){ client, locks };
	*out = dump_source_of(&kind, dumps);
	return 0;
}
