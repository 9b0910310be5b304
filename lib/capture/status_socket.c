/* SPDX-License-Identifier: MIT
 * status_socket: a UNIX socket with mode 0600. */
#include "capture/status_socket.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/shared_folder.h"
#include "capture/attach.h" /* monotonic_ns */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define TURN_MOST 16	/* who ask, before the capture goes on */

struct status_socket {
	int fd;
	char path[sizeof((struct sockaddr_un *)0)->sun_path];
	dev_t device;
	ino_t inode;		/* of the socket: another one at its name is not removed */
};

static int
address_of(struct sockaddr_un *address, const char *path, struct stk_error *err)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof address->sun_path)
		return stk_fail(err, STK_EUSAGE, "%s: the name of a socket has at most %zu bytes", path,
				sizeof address->sun_path - 1);
	memcpy(address->sun_path, path, strlen(path) + 1);
	return 0;
}

/* Waits so long while more wait there than have room, then fails with EAGAIN. */
static int
connect_to(const struct sockaddr_un *address, int64_t patience_ns)
{
	struct timeval patience = { .tv_sec = patience_ns / 1000000000, .tv_usec = patience_ns / 1000 % 1000000 + 1 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
	    connect(fd, (const struct sockaddr *)address, sizeof *address) == 0)
		return fd;
	if (fd >= 0) {
		int why = errno;

		close(fd);
		errno = why;
	}
	return -1;
}

/* A socket that a killed capture left refuses connections. */
static int
clear_place(const struct sockaddr_un *address, struct stk_error *err)
{
	const char *path = address->sun_path;
	struct stat is;
	int fd;

	if (lstat(path, &is) < 0)
		return 0;
	if (!S_ISSOCK(is.st_mode))
		return stk_fail(err, STK_ESYSTEM, "%s: not a socket, and not replaced", path);
	if (!shared_folder_allows(path, &is, err))
		return -1;
	fd = connect_to(address, 0);
	if (fd >= 0 || errno == EAGAIN) {
		if (fd >= 0)
			close(fd);
		return stk_fail(err, STK_ESYSTEM, "%s: another capture answers there", path);
	}
	if (errno != ECONNREFUSED || unlink(path) < 0)
		return stk_fail_errno(err, "cannot replace %s", path);
	return 0;
}

static int
bind_privately(int fd, const struct sockaddr_un *address)
{
	mode_t before = umask(0177);
	int result = bind(fd, (const struct sockaddr *)address, sizeof *address);

	umask(before);
	return result;
}

int
status_socket_open(struct status_socket **out, const char *path, struct stk_error *err)
{
	struct sockaddr_un address;
	struct stat is;
	struct status_socket *s;

	*out = NULL;
	if (address_of(&address, path, err) < 0 || clear_place(&address, err) < 0)
		return -1;
	s = mem_new(1, sizeof *s);
	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd >= 0 && bind_privately(s->fd, &address) == 0) {
		memcpy(s->path, address.sun_path, sizeof s->path);
		if (lstat(path, &is) == 0) {
			s->device = is.st_dev;
			s->inode = is.st_ino;
		}
		if (listen(s->fd, TURN_MOST) == 0) {
			*out = s;
			return 0;
		}
	}
	(void)stk_fail_errno(err, "cannot make the socket %s", path);
	status_socket_close(s);
	return -1;
}

void
status_socket_close(struct status_socket *s)
{
	struct stat is;

	if (s == NULL)
		return;
	if (s->path[0] != '\0' && lstat(s->path, &is) == 0 && is.st_dev == s->device && is.st_ino == s->inode)
		(void)unlink(s->path);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

int
status_socket_fd(const struct status_socket *s)
{
	return s->fd;
}

void
status_socket_answer(struct status_socket *s, status_make *make, void *context)
{
	for (unsigned turn = 0; turn < TURN_MOST; turn++) {
		int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), room = (int)STATUS_BYTES_MOST;
		struct stk_text text;

		if (fd < 0)
			return;
		text = make(context);
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
		while (text.size > 0) {
			ssize_t sent = send(fd, text.data, text.size, MSG_NOSIGNAL | MSG_DONTWAIT);

			if (sent <= 0)
				break;
			text = text_of(text.data + sent, text.size - (size_t)sent);
		}
		close(fd);
	}
}

/* Reads to the end. */
static int
read_answer(int fd, int64_t until_ns, char **text, size_t *size, struct stk_error *err)
{
	char *to = mem_new(STATUS_BYTES_MOST + 1, 1);
	size_t got = 0;

	for (;;) {
		int64_t left_ms = (until_ns - monotonic_ns()) / 1000000;
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		ssize_t n;

		if (left_ms <= 0 || poll(&wait, 1, left_ms > 1000 ? 1000 : (int)left_ms) < 0) {
			free(to);
			return stk_fail(err, STK_ESYSTEM, "the capture gave no whole answer in time");
		}
		n = recv(fd, to + got, STATUS_BYTES_MOST - got, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	*text = to;
	*size = got;
	return 0;
}

/* Why it did not connect. */
static int
fail_to_connect(const char *path, int why, struct stk_error *err)
{
	struct stat is;

	if (stat(path, &is) == 0 && (!S_ISSOCK(is.st_mode) || why == EPROTOTYPE))
		return stk_fail(err, STK_ESYSTEM, "%s: not the socket of a capture", path);
	if (why == ECONNREFUSED)
		return stk_fail(err, STK_ESYSTEM, "%s: the capture has ended", path);
	if (why == EAGAIN)
		return stk_fail(err, STK_ESYSTEM, "the capture gave no whole answer in time: it may be stopped");
	errno = why;
	return stk_fail_errno(err, "%s", path);
}

int
status_socket_ask(const char *path, int64_t patience_ns, char **text, size_t *size, struct stk_error *err)
{
	int64_t until_ns = monotonic_ns() + patience_ns;
	struct sockaddr_un address;
	int fd, result;

	if (address_of(&address, path, err) < 0)
		return -1;
	fd = connect_to(&address, patience_ns);
	if (fd < 0)
		return fail_to_connect(path, errno, err);
	result = read_answer(fd, until_ns, text, size, err);
	close(fd);
	if (result == 0 && *size == 0) {	/* killed, while what it was about to run still had the socket */
		free(*text);
		*text = NULL;
		return fail_to_connect(path, ECONNREFUSED, err);
	}
	return result;
}
