/* SPDX-License-Identifier: MIT
 * service_notify: a datagram to the socket that NOTIFY_SOCKET names; '@' is an abstract one. */
#include "service_notify.h"

#include "capture/attach.h" /* monotonic_ns */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define USUAL_NS INT64_C(10000000000)

void
service_notify(const char *lines)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *name = getenv("NOTIFY_SOCKET");
	size_t size = name != NULL ? strlen(name) : 0;
	int fd;

	if (size == 0 || size >= sizeof address.sun_path || (name[0] != '/' && name[0] != '@'))
		return;
	memcpy(address.sun_path, name, size);
	if (name[0] == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* a manager that does not listen is no reason to stop */
	(void)!sendto(fd, lines, strlen(lines), MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)&address,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size));
	close(fd);
}

void
service_notify_reloading(void)
{
	char lines[80];

	snprintf(lines, sizeof lines, "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)(monotonic_ns() / 1000));
	service_notify(lines);
}

bool
service_notify_is_due(void)
{
	static int64_t next_ns;
	const char *patience = getenv("WATCHDOG_USEC");
	int64_t now = monotonic_ns(), wait_ns = patience != NULL ? strtoll(patience, NULL, 10) * 1000 / 2 : 0;

	if (getenv("NOTIFY_SOCKET") == NULL || now < next_ns)
		return false;
	next_ns = now + (wait_ns > 0 && wait_ns < USUAL_NS ? wait_ns : USUAL_NS);
	return true;
}
