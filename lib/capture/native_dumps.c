/* SPDX-License-Identifier: MIT
 * native_dumps: the stacks of all threads of a process at one instant, unwound by libdwfl. All are stopped, unwound and
 * released; names are looked up afterwards, because that takes longer than all the rest. Stopping interrupts some calls
 * of the kernel: epoll_wait, semop and sigtimedwait end with EINTR. */
#include "capture/dump_source.h"

#include "base/array.h"
#include "capture/go_stack.h"
#include "capture/native_names.h"
#include "capture/thread_stop.h"

#ifdef HAVE_DWFL

#include <dirent.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MAX    1024
#define THREADS_MAX  65536
#define ADDRESSES_MAX (1u << 20)	/* of all threads: a process can have any number of both */
#define STOP_NS      INT64_C(200000000)	/* a thread that does not stop within this is left out */
#define ENDING_MS    1000
#define FRAME_BYTES  (3 * NATIVE_NAME_MAX + 128)

struct stopped { struct thread_stop stop; size_t first, count; };	/* its callers among the addresses */

struct native {
	struct process process;
	struct native_names *names;
	Dwfl *dwfl;			/* of the names */
	ARRAY(struct stopped) threads;
	ARRAY(uint64_t) addresses;
	struct stk_error *err;		/* of the dump that is taken */
};

/* --- stopping and releasing --- */

static bool
is_known(const struct native *n, pid_t tid)
{
	for (size_t i = 0; i < n->threads.count; i++)
		if (n->threads.at[i].stop.tid == tid)
			return true;
	return false;
}

/* Threads that are not seized yet: how many there were. */
static size_t
seize_new(struct native *n)
{
	char path[64];
	size_t before = n->threads.count;
	const struct dirent *entry;
	struct thread_stop stop;
	DIR *folder;

	snprintf(path, sizeof path, "/proc/%ld/task", (long)n->process.pid);
	folder = opendir(path);
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || n->threads.count >= THREADS_MAX || (before > 0 && is_known(n, tid)))
			continue;
		if (thread_stop_begin(&stop, tid))
			*array_push(&n->threads) = (struct stopped){ .stop = stop };
	}
	if (folder != NULL)
		closedir(folder);
	return n->threads.count - before;
}

static int
stop_all(struct native *n, struct stk_error *err)
{
	int64_t until = monotonic_ns() + STOP_NS;
	size_t halted = 0;

	n->threads.count = 0;
	while (seize_new(n) > 0 && monotonic_ns() < until)
		continue;	/* those that were made meanwhile */
	if (n->threads.count == 0)
		return stk_fail_errno(err, "its threads cannot be stopped");
	for (size_t i = 0; i < n->threads.count; i++) {
		thread_stop_wait(&n->threads.at[i].stop, until);
		halted += n->threads.at[i].stop.halted;
	}
	return halted > 0 ? 0 : stk_fail(err, STK_EDATA, "none of its threads stopped");
}

static void
let_go(struct native *n)
{
	int64_t until = monotonic_ns() + STOP_NS;

	for (size_t i = 0; i < n->threads.count; i++)
		thread_stop_end(&n->threads.at[i].stop, until);
}

/* --- unwinding --- */

static int
take_frame(Dwfl_Frame *frame, void *of)
{
	struct native *n = of;
	/* the current one is after the list's end */
	struct stopped *thread = &n->threads.at[n->threads.count];
	bool activation;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, &activation))
		return DWARF_CB_ABORT;
	*array_push(&n->addresses) = activation ? pc : pc - 1;	/* the address of the call, not of its return */
	return ++thread->count < DEPTH_MAX && n->addresses.count < ADDRESSES_MAX ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/* False: it is not in code of Go alone. */
static bool
take_go_stack(struct native *n, const struct stopped *thread)
{
	size_t room = ADDRESSES_MAX - n->addresses.count, most = room < DEPTH_MAX ? room : DEPTH_MAX, count;

	array_reserve(&n->addresses, most);
	count = go_stack_read(n->names, n->process.pid, thread->stop.tid, n->addresses.at + n->addresses.count, most);
	n->addresses.count += count;
	return count > 0;
}

/* A stopped thread has one frame at least, unless it was killed meanwhile, and all others with it. libdwfl must not be
 * called again then. */
static int
unwind_all(struct native *n, struct stk_error *err)
{
	size_t count = n->threads.count;

	n->addresses.count = 0;
	array_reserve(&n->threads, 1);
	for (size_t i = 0; i < count; i++) {
		struct stopped *thread = &n->threads.at[i];

		n->threads.at[count] = (struct stopped){ .stop = thread->stop };
		thread->first = n->addresses.count;
		if (thread->stop.halted && n->addresses.count < ADDRESSES_MAX && !take_go_stack(n, thread))
			(void)dwfl_getthread_frames(n->dwfl, thread->stop.tid, take_frame, n);
		thread->count = n->addresses.count - thread->first;
		if (thread->stop.halted && thread->count == 0 && n->addresses.count < ADDRESSES_MAX)
			return stk_fail(err, STK_EDATA, "it ended while it was being unwound");
	}
	return 0;
}

/* --- as text --- */

static bool
add(struct attach_reply *reply, const char *text, struct stk_error *err)
{
	size_t size = strlen(text);

	if (!attach_reply_make_room(reply, size, err))
		return false;
	memcpy(reply->text + reply->size, text, size + 1);
	reply->size += size;
	return true;
}

static void
read_thread_name(const struct native *n, pid_t tid, char *to, size_t room)
{
	char path[64];
	long got = -1;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/task/%ld/comm", (long)n->process.pid, (long)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, to, room - 1);
		close(fd);
	}
	to[got > 0 ? got - 1 : 0] = '\0';
	for (char *c = to; *c != '\0'; c++)
		if (*c == '"' || (unsigned char)*c < ' ')
			*c = '?';
}

/* " - /lib/libc.so.6", as eu-stack does, and a line with the place in the source. */
static size_t
write_place(char *to, size_t room, const char *file, const char *source, uint32_t line)
{
	size_t size = 0;

	if (file != NULL)
		size += (size_t)snprintf(to, room, " - %s%s", *file == '/' || *file == '[' ? "" : "/", file);
	if (source != NULL)
		size += (size_t)snprintf(to + size, room - size, "\n    at %s:%" PRIu32, source, line);
	return size + (size_t)snprintf(to + size, room - size, "\n");
}

static void
write_name(char *to, size_t room, const struct native_name *name)
{
	int size = name->symbol != NULL
			   ? snprintf(to, room, "%s+0x%llx", name->symbol, (unsigned long long)name->offset)
			   : snprintf(to, room, "??");

	write_place(to + size, room - (size_t)size, name->file, name->source, name->line);
}

struct writing { struct attach_reply *reply; struct stk_error *err; size_t frames; };

/* False: it does not fit. */
static bool
write_frame(struct native *n, uint64_t address, struct writing *w)
{
	char line[FRAME_BYTES];
	const struct native_name *name = native_names_of(n->names, address);
	bool fits = true;
	size_t size;

	for (size_t i = 0; i < name->inlined_count && fits; i++) {
		const struct native_place *place = &name->inlined[i];

		size = (size_t)snprintf(line, sizeof line, "#%zu 0x%016llx [inlined] %s", w->frames++,
					(unsigned long long)address, place->symbol != NULL ? place->symbol : "??");
		write_place(line + size, sizeof line - size, name->file, place->source, place->line);
		fits = add(w->reply, line, w->err);
	}
	if (!fits)
		return false;
	size = (size_t)snprintf(line, sizeof line, "#%zu 0x%016llx ", w->frames++, (unsigned long long)address);
	write_name(line + size, sizeof line - size, name);
	return add(w->reply, line, w->err);
}

static bool
write_thread(struct native *n, const struct stopped *thread, struct attach_reply *reply, struct stk_error *err)
{
	struct writing w = { reply, err, 0 };
	char line[FRAME_BYTES], name[64];
	bool fits;

	read_thread_name(n, thread->stop.tid, name, sizeof name);
	snprintf(line, sizeof line, "TID %ld \"%s\":\n", (long)thread->stop.tid, name);
	fits = add(reply, line, err);
	for (size_t f = 0; f < thread->count && fits; f++)
		fits = write_frame(n, n->addresses.at[thread->first + f], &w);
	return fits;
}

/* False: the text did not fit, and *err says so. */
static bool
write_text(struct native *n, struct attach_reply *reply, struct stk_error *err)
{
	char line[64];
	bool fits;

	snprintf(line, sizeof line, "PID %ld - process\n", (long)n->process.pid);
	fits = add(reply, line, err);
	for (size_t i = 0; i < n->threads.count && fits; i++)
		fits = write_thread(n, &n->threads.at[i], reply, err);
	return fits && (n->addresses.count < ADDRESSES_MAX ||
			stk_fail(err, STK_EDATA, "its threads have more than %u frames together; the rest is left out",
				 ADDRESSES_MAX) == 0);
}

/* --- the source --- */

static int
prepare(struct native *n, struct stk_error *err)
{
	int result = 0;

	if (native_names_refresh(n->names, err) < 0)
		return -1;
	n->dwfl = native_names_dwfl(n->names);
	if (dwfl_pid(n->dwfl) < 0)
		result = dwfl_linux_proc_attach(n->dwfl, n->process.pid, true);
	return result == 0 ? 0 : stk_fail(err, STK_EDATA, "it cannot be unwound: %s", native_names_reason(result));
}

static void
take_all(void *of)
{
	struct native *n = of;
	int taken = stop_all(n, n->err) == 0 ? unwind_all(n, n->err) : 0;

	let_go(n);
	if (taken < 0)
		native_names_forget(n->names);
}

static enum attach_result
native_take(void *source, int64_t deadline_ns, struct attach_reply *reply, struct stk_error *err)
{
	struct native *n = source;

	(void)deadline_ns;
	n->err = err;
	reply->size = 0;
	reply->asked_ns = reply->first_ns = reply->end_ns = monotonic_ns();
	if (prepare(n, err) == 0) {
		reply->asked_ns = reply->first_ns = monotonic_ns();
		if (thread_stop_apart(take_all, n, err) < 0)
			return ATTACH_REFUSED;
		reply->end_ns = monotonic_ns();
	}
	if (err->code == STK_EOK)
		return write_text(n, reply, err) ? ATTACH_ANSWERED : ATTACH_CUT;
	return process_ends_within(&n->process, ENDING_MS) ? ATTACH_GONE : ATTACH_REFUSED;
}

static void
native_close(void *source)
{
	struct native *n = source;

	native_names_close(n->names);
	array_release(&n->threads);
	array_release(&n->addresses);
	free(n);
}

int
native_dumps_open(struct dump_source **out, const struct process *process, struct stk_error *err)
{
	static const struct dump_source_kind kind = { "native", "process-dump", native_take, NULL, native_close };
	struct native *n;

	*out = NULL;
	if (geteuid() != 0 && geteuid() != process->uid)
		return stk_fail(err, STK_EDATA, "it belongs to another user (%ld): root or that user may stop it",
				(long)process->uid);
	n = mem_new(1, sizeof *n);
	n->process = *process;
	native_names_open(&n->names, process);
	*out = dump_source_of(&kind, n);
	return 0;
}

#else

int
native_dumps_open(struct dump_source **out, const struct process *process, struct stk_error *err)
{
	(void)process;
	*out = NULL;
	return stk_fail(err, STK_EDATA, "native stacks need libdw: install libdw-dev and build again");
}

#endif
