/* SPDX-License-Identifier: MIT
 * agent_client: the agent's socket lies in the VM's /tmp, the agent's file beside our programs; a VM in a container
 * gets a copy of it for as long as loading takes. */
#include "capture/agent_client.h"

#include "base/array.h"
#include "base/bytes.h"
#include "capture/dump_source.h"
#include "capture/process_files.h"

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
#include <unistd.h>

#define MAP_NS INT64_C(1000000000)	/* between two dumps that are taken to learn of new threads, at least */
#define HANDLES_MAX 65536		/* threads; those of more have no stacks at their ticks */

struct handle { pid_t tid; uint64_t handle; };	/* the system's number, as the VM sees it, and the VM's own */

struct agent_client {
	struct process process;
	struct attach *attach;
	char socket[32], copy[32];	/* names in the VM's /tmp */
	char library[PATH_MAX];
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

/* The VM loads the file of this name, so nobody else may be able to put one there. What an earlier capture left is
 * removed. */
static int
copy_library(const struct agent_client *c, int tmp, struct stk_error *err)
{
	int from, fd;
	struct stat is;
	bool done;

	if (!folder_takes_files_of(tmp, c->process.uid) || !folder_keeps_files_for(tmp, &c->process))
		return stk_fail(
			err, STK_EDATA,
			"the agent is not copied to its /tmp, where others could replace it (the folder is not sticky, or belongs to another user)");
	(void)unlinkat(tmp, c->copy, 0);
	from = open(c->library, O_RDONLY | O_CLOEXEC);
	fd = folder_create_for(tmp, c->copy, 0644, &c->process);
	done = from >= 0 && fd >= 0 && fstat(from, &is) == 0 &&
	       sendfile(fd, from, NULL, (size_t)is.st_size) == is.st_size && fchmod(fd, 0644) == 0;
	if (!done)
		(void)stk_fail_errno(err, "the agent cannot be copied to its /tmp/%s", c->copy);
	if (fd >= 0 && !done)
		(void)unlinkat(tmp, c->copy, 0);
	if (from >= 0)
		close(from);
	if (fd >= 0)
		close(fd);
	return done ? 0 : -1;
}

/* Only the reply tells of success: a VM that does not load agents may answer 0 and explain. */
static enum attach_result
load(struct agent_client *c, int tmp, int64_t deadline_ns, struct attach_reply *reply, struct stk_error *err)
{
	char inner[64], socket[64], real[PATH_MAX];
	const char *command[4] = { "load", realpath(c->library, real) != NULL ? real : c->library, "true", socket };
	bool copied = !shares_files(&c->process);
	enum attach_result result;

	snprintf(inner, sizeof inner, "/tmp/%s", c->copy);
	snprintf(socket, sizeof socket, "/tmp/%s", c->socket);
	if (copied) {
		if (copy_library(c, tmp, err) < 0)
			return ATTACH_REFUSED;
		command[1] = inner;
	}
	result = attach_ask(c->attach, command, deadline_ns, reply, err);
	if (copied)
		(void)unlinkat(tmp, c->copy, 0);
	if (result != ATTACH_ANSWERED)
		return result;
	if (memmem(reply->text, reply->size, "return code: 0", 14) != NULL ||
	    (reply->size > 0 && reply->text[0] == '0'))
		return ATTACH_ANSWERED;
	(void)stk_fail(err, STK_EDATA, "it did not load the agent: %.*s", (int)(reply->size < 150 ? reply->size : 150),
		       reply->text);
	return ATTACH_REFUSED;
}

/* --- asking --- */

/* A connection to the agent, which is loaded when it does not serve yet; -1 with *result and *err. */
static int
connect_or_load(struct agent_client *c, int64_t deadline_ns, struct attach_reply *reply, enum attach_result *result,
		struct stk_error *err)
{
	int tmp, fd = -1;

	process_read_user(&c->process);
	tmp = process_open_tmp(&c->process, err);
	*result = process_is_alive(&c->process) ? ATTACH_REFUSED : ATTACH_GONE;
	if (tmp < 0)
		return -1;
	fd = socket_connect_in(tmp, c->socket, &c->process);
	if (fd < 0 && *result != ATTACH_GONE && (*result = load(c, tmp, deadline_ns, reply, err)) == ATTACH_ANSWERED) {
		fd = socket_connect_in(tmp, c->socket, &c->process);
		if (fd < 0) {
			(void)stk_fail_errno(err, "its agent cannot be asked");
			*result = process_is_ending(&c->process) ? ATTACH_GONE : ATTACH_REFUSED;
		}
	}
	close(tmp);
	return fd;
}

enum attach_result
agent_client_ask(struct agent_client *c, const char *request, int64_t deadline_ns, struct attach_reply *reply,
		 struct stk_error *err)
{
	enum attach_result result;
	int fd = connect_or_load(c, deadline_ns, reply, &result, err);

	if (fd < 0)
		return result;
	reply->size = 0;
	reply->first_ns = 0;
	reply->asked_ns = reply->end_ns = monotonic_ns();
	if (send(fd, request, strlen(request), MSG_NOSIGNAL) != (long)strlen(request)) {
		(void)stk_fail_errno(err, "its agent cannot be asked");
		result = process_is_ending(&c->process) ? ATTACH_GONE : ATTACH_REFUSED;
	} else {
		result = attach_read(fd, NULL, deadline_ns, reply, err);
	}
	close(fd);
	return result;
}

/* --- one thread --- */

/* The number after a word of a header, in base 16 with 0x and 10 without. */
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

	if (monotonic_ns() - c->mapped_ns < MAP_NS ||
	    attach_thread_dump(c->attach, false, deadline_ns, reply, &unused) != ATTACH_ANSWERED)
		return;
	c->mapped_ns = monotonic_ns();
	c->handles.count = 0;
	for (line = reply->text; line < reply->text + reply->size; line = end + 1) {
		end = memchr(line, '\n', (size_t)(reply->text + reply->size - line));
		if (end == NULL)
			break;
		if (*line == '"' && c->handles.count < HANDLES_MAX)
			*array_push(&c->handles) = (struct handle){ (pid_t)number_behind(line, end, " nid="),
								    number_behind(line, end, " tid=") };
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
	snprintf(c->socket, sizeof c->socket, ".stkagent_pid%ld", (long)process->inner_pid);
	snprintf(c->copy, sizeof c->copy, ".stkagent%ld.so", (long)process->inner_pid);
	if (!find_library(c->library))
		(void)stk_fail(err, STK_EDATA,
			       "no agent is installed with this program (%s): it is built where a JDK's headers are",
			       c->library);
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
	enum attach_result result =
		agent_client_ask(dumps->client, dumps->locks ? "dump locks\n" : "dump\n", deadline_ns, reply, err);

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
