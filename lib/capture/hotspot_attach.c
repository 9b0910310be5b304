/* SPDX-License-Identifier: MIT
 * hotspot_attach: the protocol of HotSpot: a socket in the VM's /tmp, which it opens when a file lies in its working
 * directory and SIGQUIT comes. SIGQUIT kills any process that does not expect it, and makes a VM that refuses to be
 * asked print a dump into its own output. So it is sent only to processes that are known to expect it. */
#include "capture/attach.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/perf_memory.h"
#include "capture/process_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_MAX   4096
#define STATUS_DIGITS 12		/* of a reply's first line, which is a number */
#define STALE_SECONDS 10		/* an .attach_pid file of this age is a leftover */
#define PATIENCE_NS   INT64_C(20000000)	/* how long we wait between two looks, at most */

struct hotspot {
	struct process process;
	char socket[32], trigger[32];	/* names in folders */
	unsigned version;		/* of the protocol; 0: not asked yet */
	bool can_buffer;		/* it can collect its reply before it writes to us */
};

/* --- who may be asked --- */

/* By its performance memory, or else its command line: the first character of the capabilities is '1' when it can be
 * attached to. */
static bool
refuses(const struct process *process)
{
	struct perf_memory *memory;
	struct stk_error none = { 0 };
	bool refuses = process_argument(process, "-XX:+DisableAttachMechanism") != NULL;

	if (perf_memory_open(&memory, process, &none) == 0) {
		struct stk_text can = perf_memory_text_of(memory, "sun.rt.jvmCapabilities");

		refuses = refuses || (can.size > 0 && can.data[0] == '0');
		perf_memory_close(memory);
	}
	return refuses;
}

static bool
may_be_woken(const struct process *process, struct stk_error *err)
{
	if (refuses(process))
		(void)stk_fail(err, STK_EDATA, "it was started with -XX:+DisableAttachMechanism");
	else if (!process->catches_quit)
		(void)stk_fail(
			err, STK_EDATA,
			"it does not expect the signal that makes it listen: it is starting, or was started with -Xrs");
	return err->code == STK_EOK;
}

static void *
hotspot_open(const struct process *process, struct stk_error *err)
{
	struct hotspot *vm = mem_new(1, sizeof *vm);
	int tmp = process_open_tmp(process, err);

	vm->process = *process;
	snprintf(vm->socket, sizeof vm->socket, ".java_pid%ld", (long)process->inner_pid);
	snprintf(vm->trigger, sizeof vm->trigger, ".attach_pid%ld", (long)process->inner_pid);
	if (tmp >= 0 && (socket_is_in(tmp, vm->socket) || may_be_woken(process, err))) {
		close(tmp);
		return vm;
	}
	if (tmp >= 0)
		close(tmp);
	free(vm);
	return NULL;
}

static void
hotspot_close(void *vm)
{
	free(vm);
}

/* --- making it listen --- */

/* A trigger file of root or of the VM's user belongs to another capture; an old one, or one of a user whom the VM does
 * not obey, is a leftover. */
static bool
trigger_is_good(int folder, const char *name, uid_t user)
{
	struct stat is;

	return fstatat(folder, name, &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(is.st_mode) &&
	       (is.st_uid == user || is.st_uid == 0) && time(NULL) - is.st_mtime <= STALE_SECONDS;
}

/* 1 created by us, 0 another one exists, -1. */
static int
make_trigger(const struct hotspot *vm, int folder)
{
	const char *name = vm->trigger;
	uid_t user = vm->process.uid;
	int fd = folder_create_for(folder, name, 0600, &vm->process);

	if (fd < 0 && errno == EEXIST && !trigger_is_good(folder, name, user) && unlinkat(folder, name, 0) == 0)
		fd = folder_create_for(folder, name, 0600, &vm->process);
	if (fd < 0)
		return errno == EEXIST && trigger_is_good(folder, name, user) ? 0 : -1;
	close(fd);
	return 1;
}

/* In the VM's working directory if its user owns that, or else in its /tmp: it looks in both. The folder is held open,
 * so that the file can be removed even after the VM has ended. */
static int
place_trigger(const struct hotspot *vm, int tmp, int *folder)
{
	int made = -1;

	*folder = process_open_own_cwd(&vm->process);
	if (*folder >= 0)
		made = make_trigger(vm, *folder);
	if (made >= 0)
		return made;
	if (*folder >= 0)
		close(*folder);
	*folder = fcntl(tmp, F_DUPFD_CLOEXEC, 3);
	errno = EPERM;
	return *folder >= 0 && folder_takes_files_of(*folder, vm->process.uid)
		       ? make_trigger(vm, *folder)
		       : -1;
}

static bool
wait_for_socket(const struct hotspot *vm, int tmp, int64_t deadline_ns)
{
	int64_t pause = 500000;

	while (!socket_is_in(tmp, vm->socket)) {
		struct timespec nap = { .tv_nsec = pause };

		if (monotonic_ns() >= deadline_ns || attach_is_stopped() || !process_is_alive(&vm->process))
			return false;
		nanosleep(&nap, NULL);
		pause = pause < PATIENCE_NS ? pause * 2 : pause;
	}
	return true;
}

/* What is known of the process may be outdated: it is checked again before a signal is sent that could kill it. */
static bool
may_be_woken_now(const struct hotspot *vm, struct stk_error *err)
{
	struct process now;

	return process_read(&now, vm->process.pid, err) == 0 && now.start_ticks == vm->process.start_ticks &&
	       (process_vm_kind(&now) == VM_HOTSPOT || stk_fail(err, STK_EDATA, "it is not a Java VM") == 0) &&
	       may_be_woken(&now, err);
}

static bool
make_it_listen(struct hotspot *vm, int tmp, int64_t deadline_ns, enum attach_result *result, struct stk_error *err)
{
	bool listens;
	int made, folder;

	*result = ATTACH_REFUSED;
	if (!may_be_woken_now(vm, err))
		return false;
	made = place_trigger(vm, tmp, &folder);
	if (made < 0)
		(void)stk_fail_errno(err, "cannot create %s in its /tmp", vm->trigger);
	listens = made >= 0 && process_signal(&vm->process, SIGQUIT) && wait_for_socket(vm, tmp, deadline_ns);
	if (made > 0)
		(void)unlinkat(folder, vm->trigger, 0);
	if (folder >= 0)
		close(folder);
	if (made < 0)
		return false;
	if (!listens) {
		*result = ATTACH_LATE;
		(void)stk_fail(err, STK_EDATA, "it did not begin to listen in time");
	}
	return listens;
}

/* --- asking --- */

/* The stale socket of an earlier process with the same number. */
static bool
remove_stale_socket(const struct hotspot *vm, int tmp)
{
	return folder_takes_files_of(tmp, vm->process.uid) && socket_is_in(tmp, vm->socket) &&
	       unlinkat(tmp, vm->socket, 0) == 0;
}

/* -1: *err. A VM that does not accept has a queue of connections that fills up. */
static int
connect_or_wake(struct hotspot *vm, int tmp, int64_t deadline_ns, enum attach_result *result, struct stk_error *err)
{
	int fd;

	*result = ATTACH_REFUSED;
	if (!socket_is_in(tmp, vm->socket) && !make_it_listen(vm, tmp, deadline_ns, result, err))
		return -1;
	fd = socket_connect_in(tmp, vm->socket, &vm->process);
	if (fd < 0 && errno == ECONNREFUSED && remove_stale_socket(vm, tmp)) {
		if (!make_it_listen(vm, tmp, deadline_ns, result, err))
			return -1;
		fd = socket_connect_in(tmp, vm->socket, &vm->process);
	}
	if (fd >= 0) {
		*result = ATTACH_ANSWERED;
		return fd;
	}
	*result = errno == EAGAIN ? ATTACH_LATE : ATTACH_REFUSED;
	return errno == EPERM ? stk_fail(err, STK_EDATA, "another process listens at its /tmp/%s", vm->socket)
			      : stk_fail_errno(err, "cannot connect to it");
}

static size_t
add_part(char *request, size_t size, const char *part)
{
	size_t length = strlen(part) + 1;

	if (size + length > REQUEST_MAX)
		return REQUEST_MAX + 1;
	memcpy(request + size, part, length);
	return size + length;
}

/* Version 1: "1", the command and three arguments, each ended by a NUL. Version 2 begins with the number of bytes that
 * follow. */
static size_t
make_request(const struct hotspot *vm, const char *const command[4], char *request)
{
	char body[REQUEST_MAX], length[24];
	size_t size = 0, body_size = 0;

	for (unsigned i = 0; i < 4 && body_size <= REQUEST_MAX; i++)
		body_size = add_part(body, body_size, command[i] != NULL ? command[i] : "");
	size = add_part(request, size, vm->version >= 2 ? "2" : "1");
	snprintf(length, sizeof length, "%zu", body_size);
	if (vm->version >= 2)
		size = add_part(request, size, length);
	if (body_size > REQUEST_MAX - size)
		return 0;
	memcpy(request + size, body, body_size);
	return size + body_size;
}

/* A request is a few hundred bytes: a socket that does not take them at once never will. */
static int
send_request(struct hotspot *vm, const char *const command[4], int64_t deadline_ns, enum attach_result *result,
	     struct stk_error *err)
{
	char request[REQUEST_MAX];
	size_t size = make_request(vm, command, request);
	int fd, tmp;

	*result = ATTACH_REFUSED;
	if (size == 0)
		return stk_fail(err, STK_EUSAGE, "the command is too long");
	process_read_user(&vm->process);
	tmp = process_open_tmp(&vm->process, err);
	if (tmp < 0)
		return -1;
	fd = connect_or_wake(vm, tmp, deadline_ns, result, err);
	close(tmp);
	if (fd < 0 || send(fd, request, size, MSG_NOSIGNAL) == (long)size)
		return fd;
	/* it closed: whether at once or a moment later, reading finds that */
	if (errno == EPIPE || errno == ECONNRESET)
		return fd;
	*result = ATTACH_REFUSED;
	(void)stk_fail_errno(err, "it does not take the request");
	close(fd);
	return -1;
}

/* The version is asked for once. VMs before JDK 25 answer that they do not know the command. 0, or the result of `send`
 * when it fails. */
static int
ask_version(struct hotspot *vm, int64_t deadline_ns, enum attach_result *result, struct stk_error *err)
{
	static const char *const command[4] = { "getversion", "options", NULL, NULL };
	char answer[256];
	size_t size = 0;
	long got = 1;
	int fd = send_request(vm, command, deadline_ns, result, err);

	if (fd < 0)
		return -1;
	while (got > 0 && size < sizeof answer - 1) {
		if (!attach_wait(fd, POLLIN, deadline_ns)) {
			*result = ATTACH_LATE;
			(void)stk_fail(err, STK_EDATA, "it did not answer in time");
			return fd;
		}
		got = recv(fd, answer + size, sizeof answer - 1 - size, MSG_DONTWAIT);
		size += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	answer[size] = '\0';
	vm->version = strncmp(answer, "0\n2", 3) == 0 ? 2 : 1;
	vm->can_buffer = vm->version == 2 && strstr(answer, "streaming") != NULL;
	return 0;
}

static int
hotspot_send(void *of, const char *const command[4], int64_t deadline_ns, enum attach_result *result,
	     struct stk_error *err)
{
	struct hotspot *vm = of;
	char name[64];
	const char *buffered[4] = { name, command[1], command[2], command[3] };

	int asked = vm->version == 0 ? ask_version(vm, deadline_ns, result, err) : 0;

	if (asked != 0)
		return asked;
	if (!vm->can_buffer)
		return send_request(vm, command, deadline_ns, result, err);
	snprintf(name, sizeof name, "%s streaming=0", command[0]);
	return send_request(vm, buffered, deadline_ns, result, err);
}

/* --- replies --- */

static bool
hotspot_is_whole(const struct attach_reply *reply)
{
	(void)reply;
	return false;		/* the end of the connection says it */
}

/* Only deadlocks follow this line: a dump that has it is whole; a connection that ends without it does not say why. */
static bool
hotspot_is_whole_dump(const struct attach_reply *reply)
{
	return memmem(reply->text, reply->size, "\nJNI global ref", 15) != NULL;
}

/* "0\n" and the text; another number is a refusal, followed by its reason. */
static enum attach_result
hotspot_read(void *vm, int fd, struct attach_reply *reply, struct stk_error *err)
{
	const char *newline = memchr(reply->text, '\n', reply->size < STATUS_DIGITS ? reply->size : STATUS_DIGITS);
	size_t line;
	char *end;
	long status = strtol(reply->text, &end, 10);

	(void)vm, (void)fd;
	if (newline == NULL || end != newline) {
		(void)stk_fail(err, STK_EDATA, "its reply does not begin as a reply does");
		return ATTACH_CUT;
	}
	line = (size_t)(newline - reply->text) + 1;
	reply->size -= line;
	memmove(reply->text, newline + 1, reply->size + 1);
	if (status == 0)
		return ATTACH_ANSWERED;
	(void)stk_fail(err, STK_EDATA, "it refused (%ld): %.200s", status, reply->text);
	return ATTACH_REFUSED;
}

/* All options of a dump are in its first argument: -l, which walks the whole heap with all threads stopped, only where
 * asked for. */
static void
hotspot_dump_command(void *vm, bool locks, const char *command[4])
{
	(void)vm;
	command[0] = "threaddump";
	command[1] = locks ? "-le" : "-e";
}

const struct attach_protocol hotspot_protocol = { hotspot_open,         hotspot_close, hotspot_send,
						  hotspot_is_whole,     hotspot_read,  hotspot_dump_command,
						  hotspot_is_whole_dump };
