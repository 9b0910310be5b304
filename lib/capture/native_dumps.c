/* SPDX-License-Identifier: MIT
 * native_dumps: the stacks of all threads of a process at one instant, unwound by libdwfl. All are stopped, their callers noted, and let go; names are looked up
 * afterwards, because that takes longer than all the rest. Stopping interrupts some calls of the kernel: epoll_wait, semop and sigtimedwait end with EINTR. */
#include "capture/dump_source.h"

#include "base/array.h"
#include "base/hash_map.h"

#ifdef HAVE_DWFL

#include <dirent.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEPTH_MAX    1024
#define THREADS_MAX  65536
#define STOP_NS      INT64_C(200000000)	/* a thread that does not stop within this is left out */
#define ENDING_MS    1000
#define NAME_MAX_SHOWN 512
#define CACHE_MAX    (1u << 20)		/* names kept; then it is begun anew */

struct stopped { pid_t tid; bool halted; int signal; size_t first, count; };	/* its callers among the addresses */

struct name { uint64_t address; char *text; };

struct map_lines { char *at; size_t count, room; };

struct native {
	struct process process;
	Dwfl *dwfl;
	Dwfl_Callbacks callbacks;
	ARRAY(struct stopped) threads;
	ARRAY(uint64_t) addresses;
	ARRAY(struct name) names;	/* of addresses that were met */
	struct hash_map name_map;
	struct map_lines map;		/* when names were looked up: others make them wrong */
};

/* --- stopping and letting go --- */

static bool
is_known(const struct native *n, pid_t tid)
{
	for (size_t i = 0; i < n->threads.count; i++)
		if (n->threads.at[i].tid == tid)
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
	DIR *folder;

	snprintf(path, sizeof path, "/proc/%ld/task", (long)n->process.pid);
	folder = opendir(path);
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || n->threads.count >= THREADS_MAX || (before > 0 && is_known(n, tid)))
			continue;
		if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) == 0 && ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0)
			*array_push(&n->threads) = (struct stopped){ .tid = tid };
	}
	if (folder != NULL)
		closedir(folder);
	return n->threads.count - before;
}

static void
wait_for_stop(struct stopped *thread, int64_t until_ns)
{
	static const struct timespec nap = { .tv_nsec = 50000 };
	int status, got;

	while ((got = waitpid(thread->tid, &status, __WALL | WNOHANG)) == 0 && monotonic_ns() < until_ns)
		nanosleep(&nap, NULL);
	thread->halted = got == thread->tid && WIFSTOPPED(status);
	if (thread->halted && status >> 16 == 0)	/* it was about to get a signal: it gets it when it is let go */
		thread->signal = WSTOPSIG(status);
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
		wait_for_stop(&n->threads.at[i], until);
		halted += n->threads.at[i].halted;
	}
	return halted > 0 ? 0 : stk_fail(err, STK_EDATA, "none of its threads stopped");
}

/* A thread that was killed is gone only when its tracer has seen it, and its process only when all its threads are. */
static void
let_go(struct native *n)
{
	int64_t until = monotonic_ns() + STOP_NS;

	for (size_t i = 0; i < n->threads.count; i++) {
		struct stopped *thread = &n->threads.at[i];

		if (!thread->halted)
			wait_for_stop(thread, 0);
		if (ptrace(PTRACE_DETACH, thread->tid, NULL, (void *)(intptr_t)thread->signal) < 0)
			wait_for_stop(thread, until);
	}
}

/* --- unwinding --- */

static int
take_frame(Dwfl_Frame *frame, void *of)
{
	struct native *n = of;
	struct stopped *thread = &n->threads.at[n->threads.count];	/* the one at hand stands behind the list's end */
	bool activation;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, &activation))
		return DWARF_CB_ABORT;
	*array_push(&n->addresses) = activation ? pc : pc - 1;	/* the call, not where it returns to */
	return ++thread->count < DEPTH_MAX ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/* A stopped thread has one frame at least, unless it was killed meanwhile, and all others with it. libdwfl bears no further call then. */
static int
unwind_all(struct native *n, struct stk_error *err)
{
	size_t count = n->threads.count;

	n->addresses.count = 0;
	array_reserve(&n->threads, 1);
	for (size_t i = 0; i < count; i++) {
		struct stopped *thread = &n->threads.at[i];

		n->threads.at[count] = (struct stopped){ .tid = thread->tid };
		thread->first = n->addresses.count;
		if (thread->halted)
			(void)dwfl_getthread_frames(n->dwfl, thread->tid, take_frame, n);
		thread->count = n->addresses.count - thread->first;
		if (thread->halted && thread->count == 0)
			return stk_fail(err, STK_EDATA, "it ended while it was looked at");
	}
	return 0;
}

/* --- names --- */

static void
forget_names(struct native *n)
{
	for (size_t i = 0; i < n->names.count; i++)
		free(n->names.at[i].text);
	n->names.count = 0;
	hash_map_clear(&n->name_map);
}

static char *
look_up(const struct native *n, uint64_t address)
{
	Dwfl_Module *module = dwfl_addrmodule(n->dwfl, address);
	const char *file = NULL, *symbol = NULL;
	GElf_Off offset = 0;
	GElf_Sym unused;
	char text[NAME_MAX_SHOWN];
	int size = 0;

	if (module != NULL) {
		symbol = dwfl_module_addrinfo(module, address, &offset, &unused, NULL, NULL, NULL);
		file = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	}
	size += snprintf(text, 300, "%s", symbol != NULL ? symbol : "??");
	size = size < 300 ? size : 299;
	if (symbol != NULL)
		size += snprintf(text + size, sizeof text - (size_t)size, "+0x%llx", (unsigned long long)offset);
	if (file != NULL)
		snprintf(text + size, sizeof text - (size_t)size, " - %s%s", *file == '/' || *file == '[' ? "" : "/", file);
	return strdup(text);
}

static const char *
name_of(struct native *n, uint64_t address)
{
	uint64_t hash = address * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = hash_map_start(&n->name_map, hash), id;

	while ((id = hash_map_next(&n->name_map, hash, &at)) != 0)
		if (n->names.at[id - 1].address == address)
			return n->names.at[id - 1].text;
	if (n->names.count >= CACHE_MAX)
		forget_names(n);
	*array_push(&n->names) = (struct name){ address, look_up(n, address) };
	hash_map_put(&n->name_map, hash, (uint32_t)n->names.count);
	return n->names.at[n->names.count - 1].text;
}

/* --- as text --- */

static void
add(struct attach_reply *reply, const char *text)
{
	size_t size = strlen(text);

	if (reply->room - reply->size <= size + 1) {
		reply->room = reply->room * 2 + size + 65536;
		reply->text = mem_resize(reply->text, reply->room, 1);
	}
	memcpy(reply->text + reply->size, text, size + 1);
	reply->size += size;
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

static void
write_text(struct native *n, struct attach_reply *reply)
{
	char line[NAME_MAX_SHOWN + 64], name[64];

	snprintf(line, sizeof line, "PID %ld - process\n", (long)n->process.pid);
	add(reply, line);
	for (size_t i = 0; i < n->threads.count; i++) {
		const struct stopped *thread = &n->threads.at[i];

		read_thread_name(n, thread->tid, name, sizeof name);
		snprintf(line, sizeof line, "TID %ld \"%s\":\n", (long)thread->tid, name);
		add(reply, line);
		for (size_t f = 0; f < thread->count; f++) {
			uint64_t address = n->addresses.at[thread->first + f];

			snprintf(line, sizeof line, "#%zu 0x%016llx %s\n", f, (unsigned long long)address, name_of(n, address));
			add(reply, line);
		}
	}
}

/* --- the source --- */

/* The lines of /proc/PID/maps that are code of files. A VM maps and unmaps other memory all the time. */
static int
read_code_maps(const struct native *n, struct map_lines *map, struct stk_error *err)
{
	char path[64], line[4096];
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%ld/maps", (long)n->process.pid);
	maps = fopen(path, "re");
	if (maps == NULL)
		return stk_fail_errno(err, "what it has mapped cannot be read");
	while (fgets(line, sizeof line, maps) != NULL) {
		const char *permissions = strchr(line, ' ');
		size_t size = strlen(line);

		if (permissions == NULL || permissions[3] != 'x' || strchr(line, '/') == NULL)
			continue;
		array_reserve(map, size);
		memcpy(map->at + map->count, line, size);
		map->count += size;
	}
	(void)fclose(maps);
	return 0;
}

/* Modules as they are mapped now; names stay while these stay. */
static int
report_modules(struct native *n, struct stk_error *err)
{
	struct map_lines map = { 0 };
	bool same;

	if (read_code_maps(n, &map, err) < 0)
		return -1;
	same = map.count == n->map.count && map.count > 0 && memcmp(map.at, n->map.at, map.count) == 0;
	array_release(&n->map);
	n->map = map;
	if (same)
		return 0;
	forget_names(n);
	dwfl_report_begin(n->dwfl);
	if (dwfl_linux_proc_report(n->dwfl, n->process.pid) != 0 || dwfl_report_end(n->dwfl, NULL, NULL) != 0)
		return stk_fail(err, STK_EDATA, "its modules cannot be read: %s", dwfl_errmsg(-1));
	return 0;
}

static void
forget_modules(struct native *n)
{
	dwfl_end(n->dwfl);
	n->dwfl = NULL;
	n->map.count = 0;
	forget_names(n);
}

static int
prepare(struct native *n, struct stk_error *err)
{
	if (n->dwfl == NULL)
		n->dwfl = dwfl_begin(&n->callbacks);
	if (n->dwfl == NULL)
		return stk_fail(err, STK_ESYSTEM, "libdwfl: %s", dwfl_errmsg(-1));
	if (report_modules(n, err) < 0)
		return -1;
	if (dwfl_pid(n->dwfl) < 0 && dwfl_linux_proc_attach(n->dwfl, n->process.pid, true) != 0)
		return stk_fail(err, STK_EDATA, "it cannot be unwound: %s", dwfl_errmsg(-1));
	return 0;
}

static enum attach_result
native_take(void *source, int64_t deadline_ns, struct attach_reply *reply, struct stk_error *err)
{
	struct native *n = source;
	int taken;

	(void)deadline_ns;
	reply->size = 0;
	reply->asked_ns = reply->first_ns = reply->end_ns = monotonic_ns();
	if (prepare(n, err) == 0) {
		reply->asked_ns = reply->first_ns = monotonic_ns();
		taken = stop_all(n, err) == 0 ? unwind_all(n, err) : 0;
		let_go(n);
		reply->end_ns = monotonic_ns();
		if (taken < 0)
			forget_modules(n);
	}
	if (err->code == STK_EOK) {
		write_text(n, reply);
		return ATTACH_ANSWERED;
	}
	return process_ends_within(&n->process, ENDING_MS) ? ATTACH_GONE : ATTACH_REFUSED;
}

static void
native_close(void *source)
{
	struct native *n = source;

	dwfl_end(n->dwfl);
	forget_names(n);
	array_release(&n->threads);
	array_release(&n->addresses);
	array_release(&n->names);
	array_release(&n->map);
	hash_map_release(&n->name_map);
	free(n);
}

int
native_dumps_open(struct dump_source **out, const struct process *process, struct stk_error *err)
{
	static const struct dump_source_kind kind = { "native", "process-dump", native_take, NULL, native_close };
	struct native *n;

	*out = NULL;
	if (geteuid() != 0 && geteuid() != process->uid)
		return stk_fail(err, STK_EDATA, "it belongs to another user (%ld): root or that user may stop it", (long)process->uid);
	n = mem_new(1, sizeof *n);
	n->process = *process;
	n->callbacks = (Dwfl_Callbacks){ .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo };
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
