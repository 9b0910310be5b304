/* SPDX-License-Identifier: MIT
 * attach: one request at a time to a VM, whatever its protocol. While a reply arrives nothing is done but reading it:
 * some VMs are stopped until we have it. */
#include "capture/attach.h"

#include "base/memory.h"
#include "capture/process_user.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES (32u << 10)	/* least room for a read */
#define OFFSET_NS  1000			/* what clocks may be apart in an offset */

struct attach {
	struct process process;
	const struct attach_protocol *protocol;
	void *vm;			/* the protocol's own */
	int owed;			/* the connection of a request that was not answered in time; -1 */
};

int64_t
monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Both clocks are read at one moment, as far as that can be known: between two reads another thread may get the
 * processor for a while. */
int64_t
wall_minus_monotonic_ns(void)
{
	int64_t least = INT64_MAX, offset = 0;

	for (int tries = 0; tries < 10 && least > OFFSET_NS; tries++) {
		int64_t before = monotonic_ns(), gap;
		struct timespec wall;

		clock_gettime(CLOCK_REALTIME, &wall);
		gap = monotonic_ns() - before;
		if (gap < least) {
			least = gap;
			offset = wall.tv_sec * INT64_C(1000000000) + wall.tv_nsec - before - gap / 2;
		}
	}
	return offset;
}

/* Per thread, not passed as an argument: the taker of a dump knows its deadline, and no function between needs to know
 * that it may come early. */
static _Thread_local int stop_fd = -1;

void
attach_stop_by(int fd)
{
	stop_fd = fd;
}

bool
attach_is_stopped(void)
{
	struct pollfd stop = { .fd = stop_fd, .events = POLLIN };

	return stop_fd >= 0 && poll(&stop, 1, 0) > 0;
}

bool
attach_wait(int fd, short events, int64_t deadline_ns)
{
	struct pollfd wait[2] = { { .fd = fd, .events = events }, { .fd = stop_fd, .events = POLLIN } };

	for (;;) {
		int64_t left = deadline_ns - monotonic_ns();
		int ready = poll(wait, 2,
				 left <= 0                        ? 0
				 : left > INT64_C(86400000000000) ? -1
								  : (int)((left + 999999) / 1000000));

		if (ready > 0)
			return wait[1].revents == 0;
		if (left <= 0 || (ready < 0 && errno != EINTR))
			return false;
	}
}

int
attach_is_allowed(const struct process *process, struct stk_error *err)
{
	if (geteuid() != 0 && geteuid() != process->uid)
		return stk_fail(err, STK_EDATA, "it belongs to another user (%ld): root or that user may ask it",
				(long)process->uid);
	if (process_vm_kind(process) == VM_NONE)
		return stk_fail(err, STK_EDATA, "it is not a Java VM");
	return process_user_may_take(process)
		       ? 0
		       : stk_fail(err, STK_EDATA,
				  "it is in a container with users of its own: asking it takes CAP_SETUID and CAP_SETGID");
}

int
attach_open(struct attach **out, const struct process *process, struct stk_error *err)
{
	static const struct attach_protocol *const protocols[] = {
		[VM_HOTSPOT] = &hotspot_protocol, [VM_OPENJ9] = &openj9_protocol
	};
	enum vm_kind kind;
	void *vm;

	*out = NULL;
	if (attach_is_allowed(process, err) < 0)
		return -1;
	kind = process_vm_kind(process);
	if (kind == VM_NONE)	/* it has ended since */
		return stk_fail(err, STK_EDATA, "it is not a Java VM");
	vm = protocols[kind]->open(process, err);
	if (vm == NULL)
		return -1;
	*out = mem_new(1, sizeof **out);
	**out = (struct attach){ .process = *process, .protocol = protocols[kind], .vm = vm, .owed = -1 };
	return 0;
}

void
attach_close(struct attach *attach)
{
	if (attach == NULL)
		return;
	if (attach->owed >= 0)
		close(attach->owed);
	attach->protocol->close(attach->vm);
	free(attach);
}

/* --- replies --- */

enum attach_result
attach_read(int fd, bool (*is_whole)(const struct attach_reply *reply), int64_t deadline_ns, struct attach_reply *reply,
	    struct stk_error *err)
{
	while (attach_wait(fd, POLLIN, deadline_ns)) {
		long got;

		if (!attach_reply_make_room(reply, READ_BYTES, err))
			return ATTACH_CUT;
		got = recv(fd, reply->text + reply->size, reply->room - reply->size - 1, MSG_DONTWAIT);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got < 0 && errno != ECONNRESET)
			(void)stk_fail_errno(err, "its reply could not be read");
		if (got <= 0)
			return err->code == STK_EOK ? ATTACH_ANSWERED : ATTACH_CUT;
		reply->end_ns = monotonic_ns();
		if (reply->first_ns == 0)
			reply->first_ns = reply->end_ns;
		reply->size += (size_t)got;
		reply->text[reply->size] = '\0';
		if (is_whole != NULL && is_whole(reply))
			return ATTACH_ANSWERED;
	}
	(void)stk_fail(err, STK_EDATA, "it did not answer in time");
	return ATTACH_LATE;
}

/* --- requests --- */

enum attach_result
attach_ask(struct attach *attach, const char *const command[4], int64_t deadline_ns, struct attach_reply *reply,
	   struct stk_error *err)
{
	enum attach_result result = ATTACH_ANSWERED, kind;
	int fd;

	reply->size = 0;
	reply->asked_ns = monotonic_ns();
	reply->first_ns = 0;
	reply->end_ns = reply->asked_ns;
	if (attach_is_owed(attach)) {
		(void)stk_fail(err, STK_EDATA, "it has not answered the request before");
		return ATTACH_LATE;
	}
	fd = attach->protocol->send(attach->vm, command, deadline_ns, &result, err);
	if (fd < 0)
		return process_is_ending(&attach->process) ? ATTACH_GONE : result;
	reply->asked_ns = monotonic_ns();
	if (result == ATTACH_ANSWERED)
		result = attach_read(fd, attach->protocol->is_whole, deadline_ns, reply, err);
	if (result == ATTACH_LATE) {
		attach->owed = fd;
		return result;
	}
	kind = reply->size == 0 ? ATTACH_CUT : attach->protocol->read(attach->vm, fd, reply, err);
	close(fd);
	if (reply->size == 0 && result == ATTACH_ANSWERED && kind == ATTACH_CUT)
		(void)stk_fail(err, STK_EDATA, "it closed the connection without an answer");
	return kind != ATTACH_ANSWERED && process_is_ending(&attach->process) ? ATTACH_GONE
	       : result == ATTACH_ANSWERED                                    ? kind
									      : result;
}

enum attach_result
attach_thread_dump(struct attach *attach, bool locks, int64_t deadline_ns, struct attach_reply *reply,
		   struct stk_error *err)
{
	const char *command[4] = { NULL };
	enum attach_result result;

	attach->protocol->dump_command(attach->vm, locks, command);
	result = attach_ask(attach, command, deadline_ns, reply, err);
	if (result != ATTACH_ANSWERED || attach->protocol->is_whole_dump(reply))
		return result;
	(void)stk_fail(err, STK_EDATA, "its dump ends in the middle");
	return reply->size == 0 && process_is_ending(&attach->process) ? ATTACH_GONE : ATTACH_CUT;
}

bool
attach_is_owed(struct attach *attach)
{
	char unwanted[READ_BYTES];
	long got = 1;

	if (attach->owed < 0)
		return false;
	while (got > 0)
		got = recv(attach->owed, unwanted, sizeof unwanted, MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	close(attach->owed);
	attach->owed = -1;
	return false;
}
