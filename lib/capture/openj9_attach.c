/* SPDX-License-Identifier: MIT
 * openj9_attach: the protocol of OpenJ9: the client listens on a port, writes it and a key into the VM's folder in
 * /tmp, and wakes all VMs by a semaphore; the one that finds the file connects, shows the key, and takes commands that
 * end in a NUL. The other VMs, which were woken for nothing, are held by locks until the request is over. */
#include "capture/attach.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/terminal_text.h"
#include "capture/process_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/random.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER       ".com_ibm_tools_attach"	/* in /tmp: what -Dcom.ibm.tools.attach.directory says is not looked
						 * for */
#define REPLY_FILE   "replyInfo"
#define PROJECT      0xa1		/* of ftok(3), for the semaphore's key */
#define HELD_MAX     256		/* VMs that are held while one is asked; anybody may make folders there */
#define GREETING_MAX 512
#define COMMAND_MAX  4096

struct openj9 { struct process process; };

/* What one request holds until the VM has connected. Only the reply file is ours: the other files belong to the VMs,
 * and are never created. */
struct call {
	int folder, own;		/* of all VMs, and this one's in it */
	int lock, listener;
	ARRAY(int) held;		/* locks of VMs */
	unsigned woken;
	int semaphore;
	bool wrote;			/* the reply file is there */
	char key[20];
};

static bool
shares_namespace(const struct process *process, const char *kind)
{
	struct stat ours, theirs;
	char path[64], own[64];

	snprintf(path, sizeof path, "/proc/%ld/ns/%s", (long)process->pid, kind);
	snprintf(own, sizeof own, "/proc/self/ns/%s", kind);
	return stat(own, &ours) == 0 && stat(path, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
	       ours.st_ino == theirs.st_ino;
}

static void
close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The folder of all VMs belongs to whoever came first; this VM's folder must belong to its own user, who may do
 * anything there anyway. */
static int
open_folders(const struct openj9 *vm, int *folder, int *own, struct stk_error *err)
{
	int tmp = process_open_tmp(&vm->process, err), info = -1;
	char name[32];

	*folder = *own = -1;
	if (tmp < 0)
		return -1;
	snprintf(name, sizeof name, "%ld", (long)vm->process.inner_pid);
	*folder = folder_open_in(tmp, FOLDER);
	close(tmp);
	if (*folder >= 0)
		*own = folder_open_in(*folder, name);
	if (*own < 0)
		(void)stk_fail_errno(err, "its folder /tmp/%s/%s cannot be opened", FOLDER, name);
	else if (!folder_belongs_to(*own, vm->process.uid))
		(void)stk_fail(err, STK_EDATA, "its folder /tmp/%s/%s belongs to another user", FOLDER, name);
	else if ((info = file_open_in(*own, "attachInfo", vm->process.uid)) < 0)
		(void)stk_fail_errno(err, "its /tmp/%s/%s/attachInfo cannot be opened", FOLDER, name);
	close_one(&info);
	if (err->code == STK_EOK)
		return 0;
	close_one(folder);
	close_one(own);
	return -1;
}

static void *
openj9_open(const struct process *process, struct stk_error *err)
{
	struct openj9 *vm = mem_new(1, sizeof *vm);
	int folder, own;

	vm->process = *process;
	if (open_folders(vm, &folder, &own, err) == 0) {
		close_one(&folder);
		close_one(&own);
		if (shares_namespace(process, "ipc") && shares_namespace(process, "net"))
			return vm;
		(void)stk_fail(
			err, STK_EDATA,
			"it is in a container whose semaphores or network are not ours: OpenJ9 is asked from within (--exec 'nsenter ...')");
	}
	free(vm);
	return NULL;
}

static void
openj9_close(void *vm)
{
	free(vm);
}

/* --- waking it --- */

/* -1: errno; EWOULDBLOCK: another process holds it. */
static int
lock_file(int fd)
{
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	close(fd);
	errno = EWOULDBLOCK;
	return -1;
}

/* The first client creates the lock file, so it may not exist yet. We create nothing, but lock the folder itself then,
 * which keeps other captures away. */
static int
take_attach_lock(int folder)
{
	int fd = lock_file(file_open_in(folder, "_attachlock", ANYBODY));

	return fd >= 0 || errno != ENOENT ? fd : lock_file(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/* Only a lock file of the VM's user in a folder of that user; any other could be a file that somebody else needs. */
static int
hold(int folder, const char *name)
{
	int own = folder_open_in(folder, name), fd = -1;
	struct stat is;

	if (own >= 0 && fstat(own, &is) == 0)
		fd = lock_file(file_open_in(own, "attachNotificationSync", is.st_uid));
	close_one(&own);
	return fd;
}

/* The others look when they are woken, find nothing, and wait here until we are done. A VM whose lock we cannot take is
 * woken all the same. */
static void
hold_all(struct call *call)
{
	int fd = openat(call->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *all = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	while (all != NULL && call->woken < HELD_MAX && (entry = readdir(all)) != NULL) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		fd = hold(call->folder, entry->d_name);
		if (fd >= 0)
			*array_push(&call->held) = fd;
		call->woken++;
	}
	if (all != NULL)
		closedir(all);
	else
		close_one(&fd);
}

/* Its key is that of a file that any user may have put there, so it must be a semaphore that this VM's user, or
 * anybody, may use. Waiting VMs have created it. */
static int
find_semaphore(int folder, uid_t user)
{
	union { int value; struct semid_ds *set; unsigned short *values; } is;
	int notifier = file_open_in(folder, "_notifier", ANYBODY), semaphore;
	struct semid_ds set;
	char path[40];
	key_t key;

	if (notifier < 0)
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", notifier);
	key = ftok(path, PROJECT);
	close(notifier);
	semaphore = key == (key_t)-1 ? -1 : semget(key, 1, 0);
	is.set = &set;
	if (semaphore < 0 || semctl(semaphore, 0, IPC_STAT, is) < 0)
		return -1;
	if (set.sem_perm.uid == user || set.sem_perm.cuid == user || (set.sem_perm.mode & 06) == 06)
		return semaphore;
	errno = EPERM;
	return -1;
}

static void
post(const struct call *call, short value)
{
	struct sembuf operation = { 0, value, IPC_NOWAIT };

	for (unsigned i = 0; i < call->woken && call->semaphore >= 0; i++)
		(void)semop(call->semaphore, &operation, 1);
}

static int
listen_anywhere(struct call *call)
{
	struct sockaddr_in6 at = { .sin6_family = AF_INET6 };
	socklen_t size = sizeof at;

	call->listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (call->listener >= 0 && bind(call->listener, (struct sockaddr *)&at, size) == 0 &&
	    listen(call->listener, 1) == 0 && getsockname(call->listener, (struct sockaddr *)&at, &size) == 0)
		return ntohs(at.sin6_port);
	return -1;
}

/* In the VM's own folder, for its user. An existing one was left by a killed process, because we have the lock. */
static bool
write_reply_file(struct call *call, const struct process *process, int port)
{
	uint64_t key;
	char text[64];
	int fd, size;
	bool done;

	if (getrandom(&key, sizeof key, 0) != (long)sizeof key)
		return false;
	snprintf(call->key, sizeof call->key, "%016llx", (unsigned long long)key);
	size = snprintf(text, sizeof text, "%s\n%d\n", call->key, port);
	(void)unlinkat(call->own, REPLY_FILE, 0);
	fd = folder_create_for(call->own, REPLY_FILE, 0600, process);
	call->wrote = fd >= 0;
	done = fd >= 0 && write(fd, text, (size_t)size) == size &&
	       (geteuid() == process->uid || fchown(fd, process->uid, (gid_t)-1) == 0);
	if (fd >= 0)
		close(fd);
	return done;
}

static bool
begin_call(const struct openj9 *vm, struct call *call, struct stk_error *err)
{
	int port;

	*call = (struct call){ .folder = -1, .own = -1, .lock = -1, .listener = -1, .semaphore = -1 };
	if (open_folders(vm, &call->folder, &call->own, err) < 0)
		return false;
	call->lock = take_attach_lock(call->folder);
	if (call->lock < 0 && errno == EWOULDBLOCK)
		(void)stk_fail(err, STK_EDATA, "another process is attaching to a VM right now");
	else if (call->lock < 0)
		(void)stk_fail_errno(err, "cannot lock /tmp/%s", FOLDER);
	else if ((call->semaphore = find_semaphore(call->folder, vm->process.uid)) < 0)
		(void)stk_fail_errno(err, "the semaphore of /tmp/%s/_notifier", FOLDER);
	else if ((port = listen_anywhere(call)) < 0 || !write_reply_file(call, &vm->process, port))
		(void)stk_fail_errno(err, "cannot prepare a port and its %s", REPLY_FILE);
	if (err->code != STK_EOK)
		return false;
	hold_all(call);
	post(call, 1);
	return true;
}

static void
end_call(struct call *call)
{
	if (call->wrote)
		(void)unlinkat(call->own, REPLY_FILE, 0);
	for (size_t i = 0; i < call->held.count; i++)
		close(call->held.at[i]);
	post(call, -1);		/* stop waking VMs */
	array_release(&call->held);
	close_one(&call->listener);
	close_one(&call->lock);
	close_one(&call->own);
	close_one(&call->folder);
}

/* --- its connection --- */

static bool
is_from_here(const struct sockaddr_in6 *peer)
{
	static const unsigned char v4[13] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127 };

	return IN6_IS_ADDR_LOOPBACK(&peer->sin6_addr) || memcmp(&peer->sin6_addr, v4, sizeof v4) == 0;
}

/* "ATTACH_CONNECTED KEY ...", up to a NUL. */
static bool
is_greeting(int fd, const char *key, int64_t deadline_ns)
{
	char text[GREETING_MAX], wanted[64];
	size_t size = 0;

	while (size < sizeof text && attach_wait(fd, POLLIN, deadline_ns)) {
		long got = recv(fd, text + size, 1, MSG_DONTWAIT);

		if (got <= 0 || text[size] == '\0')
			break;
		size++;
	}
	snprintf(wanted, sizeof wanted, "ATTACH_CONNECTED %s ", key);
	return size >= strlen(wanted) && memcmp(text, wanted, strlen(wanted)) == 0;
}

static int
wait_for_vm(const struct call *call, int64_t deadline_ns)
{
	while (attach_wait(call->listener, POLLIN, deadline_ns)) {
		struct sockaddr_in6 peer;
		socklen_t size = sizeof peer;
		int fd = accept4(call->listener, (struct sockaddr *)&peer, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			continue;
		if (is_from_here(&peer) && is_greeting(fd, call->key, deadline_ns))
			return fd;
		close(fd);		/* a stranger, who knows the port but not the key */
	}
	return -1;
}

/* --- requests and replies --- */

static void
make_command(const char *const command[4], char to[COMMAND_MAX])
{
	if (strcmp(command[0], "threaddump") == 0)
		snprintf(to, COMMAND_MAX, "ATTACH_DIAGNOSTICS:Thread.print,%s", command[1] != NULL ? command[1] : "");
	else if (strcmp(command[0], "load") == 0)
		snprintf(to, COMMAND_MAX, "ATTACH_LOADAGENTPATH(%s,%s)", command[1],
			 command[3] != NULL ? command[3] : "");
	else
		snprintf(to, COMMAND_MAX, "%s", command[0]);
}

static int
openj9_send(void *of, const char *const command[4], int64_t deadline_ns, enum attach_result *result,
	    struct stk_error *err)
{
	struct openj9 *vm = of;
	char text[COMMAND_MAX];
	struct call call;
	int fd = -1;

	*result = ATTACH_REFUSED;
	process_read_user(&vm->process);
	make_command(command, text);
	if (begin_call(vm, &call, err)) {
		fd = wait_for_vm(&call, deadline_ns);
		if (fd < 0) {
			*result = ATTACH_LATE;
			(void)stk_fail(err, STK_EDATA, "it did not connect in time");
		}
	}
	end_call(&call);
	if (fd >= 0 && send(fd, text, strlen(text) + 1, MSG_NOSIGNAL) != (long)strlen(text) + 1) {
		(void)stk_fail_errno(err, "it does not take the request");
		close(fd);
		return -1;
	}
	if (fd >= 0)
		*result = ATTACH_ANSWERED;
	return fd;
}

static bool
openj9_is_whole(const struct attach_reply *reply)
{
	return reply->size > 0 && reply->text[reply->size - 1] == '\0';
}

/* A value of Java properties: one line, with \n, \t, \\ and \uXXXX in it. In place: it only becomes shorter. */
static size_t
unescape(char *to, const char *from, const char *end)
{
	char *start = to;

	for (; from < end && *from != '\n' && *from != '\0'; from++) {
		if (*from != '\\' || from + 1 >= end) {
			*to++ = *from;
			continue;
		}
		from++;
		if (*from == 'u' && from + 4 < end) {
			char digits[5] = { from[1], from[2], from[3], from[4], '\0' };

			to += utf8_write(to, (uint32_t)strtoul(digits, NULL, 16));
			from += 4;
			continue;
		}
		*to++ = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from == 'r' ? '\r' : *from == 'f' ? '\f' : *from;
	}
	return (size_t)(to - start);
}

static enum attach_result
openj9_read(void *vm, int fd, struct attach_reply *reply, struct stk_error *err)
{
	static const char value[] = "openj9_diagnostics.string_result=", detach[] = "ATTACH_DETACHED";
	bool whole = openj9_is_whole(reply);
	const char *at;

	(void)vm;
	(void)send(fd, detach, sizeof detach, MSG_NOSIGNAL);
	if (text_starts(text_of(reply->text, reply->size), "ATTACH_ERR")) {
		(void)stk_fail(err, STK_EDATA, "it refused: %.200s", reply->text);
		return ATTACH_REFUSED;
	}
	if (text_starts(text_of(reply->text, reply->size), "ATTACH_ACK")) {		/* an agent was loaded */
		reply->size = (size_t)snprintf(reply->text, reply->room, "return code: 0");
		return ATTACH_ANSWERED;
	}
	at = memmem(reply->text, reply->size, value, sizeof value - 1);
	if (at == NULL) {
		(void)stk_fail(err, STK_EDATA, "its reply does not begin as a reply does");
		return ATTACH_CUT;
	}
	reply->size = unescape(reply->text, at + sizeof value - 1, reply->text + reply->size);
	reply->text[reply->size] = '\0';
	if (!whole)
		(void)stk_fail(err, STK_EDATA, "its dump ends in the middle");
	return whole ? ATTACH_ANSWERED : ATTACH_CUT;
}

static void
openj9_dump_command(void *vm, bool locks, const char *command[4])
{
	(void)vm;
	command[0] = "threaddump";
	command[1] = locks ? "-l=true" : "";
}

/* It was ended by a NUL. */
static bool
openj9_is_whole_dump(const struct attach_reply *reply)
{
	return reply->size > 0;
}

const struct attach_protocol openj9_protocol = { openj9_open, openj9_close,        openj9_send,         openj9_is_whole,
						 openj9_read, openj9_dump_command, openj9_is_whole_dump };
