/* SPDX-License-Identifier: MIT
 * tick_sampler: perf_event_open, one event and one ring a processor. */
#include "capture/tick_sampler.h"

#include "base/array.h"
#include "base/hash_map.h"
#include "capture/attach.h"	/* monotonic_ns */
#include "capture/tick_ring.h"
#include "capture/tracepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_PAGES    64u		/* of data: a power of two */
#define TURNS_BYTES   (512u << 10)	/* a power of two */
#define COPY_PAGES    1024u		/* with copies of stacks, if so much memory may be locked */
#define COPY_NS       INT64_C(1000000000)	/* how late a copy is still of use: the VM's code changes meanwhile */
#define CALLERS_MAX   128u		/* the kernel's default limit of callers */
#define RECORD_MAX    (64 + 8 * CALLERS_MAX)
#define COPY_MAX      65536u		/* the kernel has 16 bits for the size of a record */
#define SPIN_NS       INT64_C(2000000)	/* the longest that a processor waits for another's stack */
#define WAIT_MS       200		/* for a tick that wakes */
#define LOOK_MS       10		/* for what does not: not in step with ticks */
#define ROLES_MAX     65536		/* threads whose names are kept; beyond that all are dropped */
#define ROLE_NS       INT64_C(2000000000)	/* how long a name is used: threads are renamed after they start */

#define THREADS_MAX   (4u << 20)	/* the most that the kernel numbers */
#define FLAGS_INTERRUPT 0x18		/* of a tracepoint: within an interrupt, or what follows one */

const char *const tick_state_names[TICK_STATES] = { "inside", "gc", "vm-internal", "outside", "idle", "self", "unmet" };

struct role { pid_t tid; enum tick_state state; int64_t until_ns; };

struct watched_process { bool is_vm; tick_gc_function *in_gc; void *context; };

/* Ticks so far, by states. */
struct tick_counts { uint64_t expected, seen, of_process[TICK_PROCESSES_MAX][3], of_none[TICK_STATES]; };

struct cpu {
	struct tick_sampler *sampler;
	int number;			/* the system's */
	int fd;
	struct perf_event_mmap_page *ring;
	size_t ring_bytes;
	int turns_fd;			/* records of when it turns to another thread; -1: none */
	int wakings_fd;			/* records of whom it wakes, in the same ring; -1: none */
	struct perf_event_mmap_page *turns;
	bool was_full;			/* perhaps, when it was read last */
	int64_t last_turn_ns;
	pthread_t thread;
	bool running;
	struct tick work;		/* the work area: the tick that is being processed */
	struct stack_copy stack;	/* of it */
	unsigned char *record;		/* the kernel's words about it */
	ARRAY(struct role) roles;
	struct hash_map role_map;
	ARRAY(struct { pid_t pid; bool met; int64_t until_ns; }) mets;
	int64_t began_ns;
	_Atomic uint64_t lost, stacks, stale;
	struct tick_counts counts;		/* changed with the lock for reading */
	struct tick_counts looked;		/* as they were at tick_sampler_look */
};

struct tick_sampler {
	struct tick_plan plan;
	tick_take_function *take;
	void *context;
	struct cpu *cpus;
	unsigned count;
	pid_t self;
	atomic_bool stop;
	atomic_bool machine_meets;	/* the conditions on the machine are met */
	atomic_int fetching;		/* stacks that are being fetched */
	atomic_int only;		/* the one process that is of interest; -1: all are */
	struct processor_moments *moments;	/* NULL: not asked for */
	struct off_times *turns;	/* likewise */
	struct tracepoint waking;	/* number 0: it is not known who wakes threads; and why: */
	struct stk_error waking_why;
	_Atomic uint64_t *of_interest;	/* a bit for each number of a thread that has left a processor so far */
	pthread_rwlock_t lock;		/* of: */
	pid_t pids[TICK_PROCESSES_MAX];	/* of the processes; 0: there is none of that number; */
	int pids_end;			/* nor from here on */
	struct watched_process processes[TICK_PROCESSES_MAX];
};

/* --- events --- */

struct event_kind { const char *name; uint32_t type; uint64_t config; };

static const struct event_kind event_kinds[] = {
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
};

static const struct event_kind *
event_named(const char *name)
{
	for (size_t i = 0; i < sizeof event_kinds / sizeof *event_kinds; i++)
		if (strcmp(event_kinds[i].name, name) == 0)
			return &event_kinds[i];
	return NULL;
}

/* The registers that the kernel calls so, lowest bit first, and what DWARF calls them. */
#define REGISTER_MASK UINT64_C(0xff01ff)

static const unsigned char register_order[REGISTERS] = { 0, AT_RBX, 2, 1, 4, 5, AT_RBP, AT_RSP, AT_RIP,
							 8, 9, 10, 11, AT_R12, AT_R13, AT_R14, AT_R15 };

static int
open_event(const struct tick_plan *plan, int cpu, struct stk_error *err)
{
	const struct event_kind *kind = event_named(plan->event != NULL ? plan->event : "cpu-clock");
	struct perf_event_attr attr = { .size = sizeof attr };
	long fd;

	if (kind == NULL)
		return stk_fail(
			err, STK_EUSAGE,
			"no event '%s': expected cpu-clock, page-faults, context-switches, cpu-migrations, cycles, instructions, cache-references, "
			"cache-misses, branches or branch-misses",
			plan->event);
	attr.type = kind->type;
	attr.config = kind->config;
	attr.sample_period = plan->event != NULL ? plan->period : 1000000000 / plan->hertz;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | (plan->callers ? PERF_SAMPLE_CALLCHAIN : 0) |
			   (plan->stack_bytes > 0 ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0);
	attr.sample_regs_user = plan->stack_bytes > 0 ? REGISTER_MASK : 0;
	attr.sample_stack_user = plan->stack_bytes;
	attr.exclude_callchain_kernel = 1;
	attr.disabled = 1;
	attr.watermark = !plan->prompt;		/* of 0: half of the ring */
	attr.wakeup_events = plan->prompt;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		return (int)fd;
	if (errno == EACCES || errno == EPERM)
		return stk_fail(
			err, STK_ESYSTEM,
			"sampling all processors needs root, CAP_PERFMON, or /proc/sys/kernel/perf_event_paranoid of 0");
	if (kind->type == PERF_TYPE_HARDWARE && (errno == ENOENT || errno == EOPNOTSUPP || errno == ENODEV))
		return stk_fail(err, STK_ESYSTEM,
				"this machine has no counter of %s (virtual machines often have none): use the clock",
				kind->name);
	return stk_fail_errno(err, "perf_event_open");
}

/* --- what a thread is --- */

/* HotSpot's names and OpenJ9's, of which the system keeps 15 bytes. */
static const char *const gc_names[] = { "GC Thread#", "G1 ",        "ParGC",        "ZWorker",
					"ZDriver",    "ZDirector",  "ZStat",        "ZUncommitter",
					"ZUnmapper",  "Shenandoah", "Gang worker#", "Concurrent Mark",
					"GC Slave",   NULL };
/* "JVMCI CompilerThread0", and "JVMCI-native ..." where Graal is a library, whose own threads are called after it. */
static const char *const compiler_names[] = { "C1 Comp",      "C2 Comp",  "JVMCI Comp", "JVMCI-native",
					      "libgraal", "LibGraal", "JIT Compilation", NULL };
static const char *const vm_names[] = { "VM Thread",       "VM Periodic",     "Sweeper thread",  "Signal Dispatch",
					"Service Thread",  "Monitor Deflati", "Attach Listener", "DestroyJavaVM",
					"Notification Th", NULL };

static bool
begins_with_one(const char *name, const char *const *beginnings)
{
	for (; *beginnings != NULL; beginnings++)
		if (strncmp(name, *beginnings, strlen(*beginnings)) == 0)
			return true;
	return false;
}

bool
tick_thread_compiles(const char *name)
{
	return begins_with_one(name, compiler_names);
}

enum tick_state
tick_state_of_thread(const char *name)
{
	return begins_with_one(name, gc_names)				       ? TICK_GC
	       : tick_thread_compiles(name) || begins_with_one(name, vm_names) ? TICK_VM
									       : TICK_INSIDE;
}

static enum tick_state
read_role(pid_t pid, pid_t tid)
{
	char path[64], name[32] = "";
	long got;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/task/%ld/comm", (long)pid, (long)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return TICK_INSIDE;
	got = read(fd, name, sizeof name - 1);
	close(fd);
	name[got > 0 ? got : 0] = '\0';
	return tick_state_of_thread(name);
}

static enum tick_state
role_of(struct cpu *cpu, const struct tick *tick)
{
	uint64_t hash = (uint64_t)tick->tid * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = hash_map_start(&cpu->role_map, hash), id;
	struct role *role = NULL;

	while (role == NULL && (id = hash_map_next(&cpu->role_map, hash, &at)) != 0)
		if (cpu->roles.at[id - 1].tid == tick->tid)
			role = &cpu->roles.at[id - 1];
	if (role != NULL && tick->time_ns < role->until_ns)
		return role->state;
	if (role == NULL) {
		if (cpu->roles.count >= ROLES_MAX) {
			cpu->roles.count = 0;
			hash_map_clear(&cpu->role_map);
		}
		role = array_push(&cpu->roles);
		hash_map_put(&cpu->role_map, hash, (uint32_t)cpu->roles.count);
	}
	*role = (struct role){ tick->tid, read_role(tick->pid, tick->tid), tick->time_ns + ROLE_NS };
	return role->state;
}

/* Of a thread in a process of interest. With the lock. */
static enum tick_state
state_in(struct cpu *cpu, const struct tick *tick, int process)
{
	return cpu->sampler->processes[process].is_vm ? role_of(cpu, tick) : TICK_INSIDE;
}

/* --- conditions --- */

static bool
is_met(struct cpu *cpu, const struct tick *tick)
{
	const struct conditions *conditions = cpu->sampler->plan.conditions;
	bool met;

	if (conditions == NULL || !conditions_are_of_process(conditions))
		return true;
	for (size_t i = 0; i < cpu->mets.count; i++)
		if (cpu->mets.at[i].pid == tick->pid && tick->time_ns < cpu->mets.at[i].until_ns)
			return cpu->mets.at[i].met;
	met = conditions_process_met(conditions, tick->pid);
	if (cpu->mets.count >= 256)
		cpu->mets.count = 0;
	array_reserve(&cpu->mets, 1);
	cpu->mets.at[cpu->mets.count].pid = tick->pid;
	cpu->mets.at[cpu->mets.count].met = met;
	cpu->mets.at[cpu->mets.count++].until_ns = tick->time_ns + ROLE_NS;
	return met;
}

void
tick_sampler_meets(struct tick_sampler *s, bool met)
{
	atomic_store(&s->machine_meets, met);
}

/* --- a tick --- */

/* Which process of interest it is in; -1. */
static int
find_process(const struct tick_sampler *s, pid_t pid)
{
	int only = atomic_load(&s->only);

	if (pid == s->self || pid == 0)
		return -1;
	for (int i = 0; i < s->pids_end; i++)
		if (s->pids[i] == pid)
			return only < 0 || only == i ? i : -1;
	return -1;
}

static void
wait_for_others(struct tick_sampler *s)
{
	int64_t until = monotonic_ns() + SPIN_NS;

	while (atomic_load(&s->fetching) > 0 && monotonic_ns() < until)
		continue;
}

static void
fetch_stack(struct cpu *cpu, const struct tick *tick)
{
	struct tick_sampler *s = cpu->sampler;

	if (s->take == NULL)
		return;
	if (monotonic_ns() - tick->time_ns > (s->plan.prompt ? s->plan.most_age_ns : COPY_NS)) {
		cpu->stale++;
		return;
	}
	atomic_fetch_add(&s->fetching, 1);
	if (s->take(s->context, tick) >= 0)
		cpu->stacks++;
	atomic_fetch_sub(&s->fetching, 1);
}

/* How the processor's thread relates to the processes of interest. */
static enum tick_state
decide(struct cpu *cpu, const struct tick *tick, int process)
{
	const struct watched_process *watched;
	enum tick_state state;

	if (!atomic_load_explicit(&cpu->sampler->machine_meets, memory_order_relaxed))
		return TICK_UNMET;
	if (tick->pid == 0)
		return TICK_IDLE;
	if (process < 0)
		return tick->pid == cpu->sampler->self ? TICK_SELF : TICK_OUTSIDE;
	if (!is_met(cpu, tick))
		return TICK_UNMET;
	watched = &cpu->sampler->processes[process];
	state = state_in(cpu, tick, process);
	if (watched->in_gc != NULL && state != TICK_GC && watched->in_gc(watched->context, tick, state))
		return TICK_GC;
	return state;
}

/* The processor turns to another thread. */
static void
note_turn(struct cpu *cpu, const struct tick *turn)
{
	struct tick_sampler *s = cpu->sampler;
	struct processor_state state = { .time_ns = turn->time_ns, .tid = turn->tid };

	pthread_rwlock_rdlock(&s->lock);
	state.process = find_process(s, turn->pid);
	state.state = turn->pid == 0          ? TICK_IDLE
		      : state.process >= 0    ? state_in(cpu, turn, state.process)
		      : turn->pid == s->self ? TICK_SELF
					      : TICK_OUTSIDE;
	pthread_rwlock_unlock(&s->lock);
	processor_moments_switch(s->moments, (unsigned)(cpu - s->cpus), &state);
}

/* With the lock, so that a process is not removed while its tick is processed. */
static void
deal_with(struct cpu *cpu, struct tick *tick)
{
	struct tick_sampler *s = cpu->sampler;
	enum tick_state state;
	int process;

	pthread_rwlock_rdlock(&s->lock);
	if (s->moments != NULL)
		processor_moments_tick(s->moments, (unsigned)(cpu - s->cpus), tick->time_ns, tick->tid);
	tick->process = process = find_process(s, tick->pid);
	state = decide(cpu, tick, process);
	cpu->counts.seen++;
	if (state <= TICK_VM)
		cpu->counts.of_process[process][state]++;
	else
		cpu->counts.of_none[state]++;
	tick->state = state;
	if (state == TICK_INSIDE || (state == TICK_OUTSIDE && s->plan.others && is_met(cpu, tick)))
		fetch_stack(cpu, tick);
	else if (state <= TICK_VM && s->take != NULL && s->turns == NULL)
		(void)s->take(s->context, tick);	/* there is no stack to be late for */
	pthread_rwlock_unlock(&s->lock);
	if (s->plan.spin && state != TICK_INSIDE)
		wait_for_others(s);
}

/* --- rings --- */

struct sample_record { struct perf_event_header header; uint32_t pid, tid; uint64_t time; };
struct lost_record { struct perf_event_header header; uint64_t id, lost; };
struct switch_record { struct perf_event_header header; uint32_t other_pid, other_tid, pid, tid; uint64_t time; };

/* What is left of a record. */
struct rest { const unsigned char *at, *end; };

static bool
take_word(struct rest *rest, uint64_t *word)
{
	if ((size_t)(rest->end - rest->at) < sizeof *word)
		return false;
	memcpy(word, rest->at, sizeof *word);
	rest->at += sizeof *word;
	return true;
}

/* The addresses are aligned, as all parts of a record are words. A marker of whose they are comes first: it is not an
 * address. */
static bool
take_callers(struct rest *rest, struct tick *tick)
{
	const uint64_t *from;
	uint64_t count;

	if (!take_word(rest, &count) || count > (uint64_t)(rest->end - rest->at) / sizeof *from)
		return false;
	from = (const uint64_t *)(const void *)rest->at;
	rest->at += count * sizeof *from;
	while (count > 0 && *from >= PERF_CONTEXT_MAX) {
		from++;
		count--;
	}
	tick->callers = from;
	tick->caller_count = (size_t)count;
	return true;
}

/* Registers, if the thread has any of its own (the kernel's threads have none), and the bytes above its sp. Behind the
 * bytes is how many of them are real. */
static bool
take_stack(struct rest *rest, struct stack_copy *stack)
{
	uint64_t abi, word, size, real;

	if (!take_word(rest, &abi) || abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (unsigned i = 0; i < REGISTERS; i++) {
		if (!take_word(rest, &word))
			return false;
		stack->registers[register_order[i]] = word;
	}
	if (!take_word(rest, &size) || size == 0 || size > (uint64_t)(rest->end - rest->at))
		return false;
	stack->bytes = rest->at;
	rest->at += size;
	if (!take_word(rest, &real))
		return false;
	stack->from = stack->registers[AT_RSP];
	stack->size = (size_t)(real < size ? real : size);
	stack->ran_out = false;
	return true;
}

static void
take_sample(struct cpu *cpu, const unsigned char *record, size_t size)
{
	const struct tick_plan *plan = &cpu->sampler->plan;
	struct sample_record sample;
	struct rest rest = { record + sizeof sample, record + size };

	memcpy(&sample, record, sizeof sample);
	cpu->work = (struct tick){ .cpu = cpu->number,
				   .pid = (pid_t)sample.pid,
				   .tid = (pid_t)sample.tid,
				   .time_ns = (int64_t)sample.time };
	if (plan->callers && !take_callers(&rest, &cpu->work))
		rest.at = rest.end;
	if (plan->stack_bytes > 0 && take_stack(&rest, &cpu->stack))
		cpu->work.stack = &cpu->stack;
	deal_with(cpu, &cpu->work);
}

/* Only threads that were seen to leave a processor can come back: a number that another process has by now does no
 * harm. */
static void
note_thread(struct tick_sampler *s, uint32_t tid)
{
	if (s->of_interest != NULL && tid < THREADS_MAX)
		atomic_fetch_or_explicit(&s->of_interest[tid / 64], UINT64_C(1) << tid % 64, memory_order_relaxed);
}

static bool
was_noted(const struct tick_sampler *s, uint32_t tid)
{
	return tid < THREADS_MAX &&
	       (atomic_load_explicit(&s->of_interest[tid / 64], memory_order_relaxed) >> tid % 64 & 1) != 0;
}

/* What a tracepoint records begins with two bytes of its type, one of flags, and one more. */
static void
take_waking(struct cpu *cpu, const unsigned char *record, size_t size)
{
	const struct tracepoint *point = &cpu->sampler->waking;
	struct sample_record sample;
	struct off_waker by = { 0 };
	uint32_t raw_size, woken;
	const unsigned char *raw = record + sizeof sample + sizeof raw_size;

	if (size < sizeof sample + sizeof raw_size || cpu->sampler->of_interest == NULL)
		return;
	memcpy(&sample, record, sizeof sample);
	memcpy(&raw_size, record + sizeof sample, sizeof raw_size);
	if (raw_size > size - sizeof sample - sizeof raw_size || raw_size < 4 ||
	    raw_size < point->offset + sizeof woken)
		return;
	memcpy(&woken, raw + point->offset, sizeof woken);
	if (!was_noted(cpu->sampler, woken))
		return;
	by = (struct off_waker){ (pid_t)sample.pid, (pid_t)sample.tid, (raw[2] & FLAGS_INTERRUPT) != 0 };
	off_times_woken(cpu->sampler->turns, (pid_t)woken, (int64_t)sample.time, &by);
}

/* A thread of a process of interest leaves the processor, or comes back. */
static void
note_leave_or_return(struct cpu *cpu, const struct switch_record *turn)
{
	struct tick_sampler *s = cpu->sampler;
	int process;

	pthread_rwlock_rdlock(&s->lock);
	process = find_process(s, (pid_t)turn->pid);
	pthread_rwlock_unlock(&s->lock);
	if (process >= 0)
		note_thread(s, turn->tid);
	if (process >= 0)
		off_times_turn(s->turns, (pid_t)turn->tid, (int64_t)turn->time,
			       (turn->header.misc & PERF_RECORD_MISC_SWITCH_OUT) == 0	       ? TURN_COMES
			       : (turn->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0 ? TURN_IS_PUT_OFF
												: TURN_LEAVES);
}

/* A thread whose return is lost seems to be away until its next one: so that is counted. */
static void
note_lost_turns(struct cpu *cpu, const unsigned char *record, size_t size)
{
	struct lost_record lost;

	if (cpu->sampler->moments != NULL)
		processor_moments_lost(cpu->sampler->moments, (unsigned)(cpu - cpu->sampler->cpus));
	if (cpu->sampler->turns == NULL || size < sizeof lost)
		return;
	memcpy(&lost, record, sizeof lost);
	cpu->lost += lost.lost;
}

/* Of each turn there are two records: of the thread that left the processor, and of the one that came. That an idle
 * processor's own thread came is not recorded of all processors, but the one that left says who comes. */
static void
take_turn(struct cpu *cpu, const unsigned char *record, size_t size)
{
	struct switch_record turn;

	memcpy(&turn, record, size < sizeof turn ? size : sizeof turn);
	if (turn.header.type == PERF_RECORD_LOST) {
		note_lost_turns(cpu, record, size);
		return;
	}
	if (turn.header.type == PERF_RECORD_SAMPLE)
		take_waking(cpu, record, size);
	if (turn.header.type != PERF_RECORD_SWITCH_CPU_WIDE || size < sizeof turn)
		return;
	cpu->last_turn_ns = (int64_t)turn.time;
	if (cpu->sampler->turns != NULL)
		note_leave_or_return(cpu, &turn);
	else if ((turn.header.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0 && turn.other_tid == 0)
		note_turn(cpu, &(struct tick){ .time_ns = (int64_t)turn.time });
	else if ((turn.header.misc & PERF_RECORD_MISC_SWITCH_OUT) == 0)
		note_turn(cpu, &(struct tick){
				       .pid = (pid_t)turn.pid, .tid = (pid_t)turn.tid, .time_ns = (int64_t)turn.time });
}

static void
take_record(struct cpu *cpu, const unsigned char *record, size_t size)
{
	struct perf_event_header header;
	struct lost_record lost;

	memcpy(&header, record, sizeof header);
	if (header.type == PERF_RECORD_SAMPLE && size >= sizeof(struct sample_record)) {
		take_sample(cpu, record, size);
	} else if (header.type == PERF_RECORD_LOST && size >= sizeof lost) {
		memcpy(&lost, record, sizeof lost);
		cpu->lost += lost.lost;
	}
}

static size_t
record_room(const struct tick_plan *plan)
{
	return plan->stack_bytes > 0 ? COPY_MAX : RECORD_MAX;
}

/* When the ring may have been full, later records may be missing, of which only the next one tells: until then nothing
 * is known after the last one. */
static int64_t
take_turns(struct cpu *cpu, int64_t before_ns)
{
	size_t size, bytes = 0;

	while (tick_ring_next(cpu->turns, cpu->record, record_room(&cpu->sampler->plan), &size)) {
		take_turn(cpu, cpu->record, size);
		bytes += size;
	}
	if (bytes > 0)
		cpu->was_full = bytes > TURNS_BYTES / 2;
	return cpu->was_full ? cpu->last_turn_ns : before_ns;
}

static uint64_t
read_counter(const struct cpu *cpu)
{
	uint64_t value = 0;

	return read(cpu->fd, &value, sizeof value) == (long)sizeof value ? value : 0;
}

/* Ticks until now. */
static uint64_t
expected_ticks(const struct cpu *cpu)
{
	const struct tick_plan *plan = &cpu->sampler->plan;

	if (plan->event != NULL)
		return read_counter(cpu) / plan->period;
	return (uint64_t)((double)(monotonic_ns() - cpu->began_ns) / 1e9 * (double)plan->hertz);
}

static void
take_ticks(struct cpu *cpu)
{
	struct tick_sampler *s = cpu->sampler;
	uint64_t expected = expected_ticks(cpu);
	size_t size;

	while (tick_ring_next(cpu->ring, cpu->record, record_room(&s->plan), &size))
		take_record(cpu, cpu->record, size);
	pthread_rwlock_rdlock(&s->lock);
	cpu->counts.expected = expected;
	pthread_rwlock_unlock(&s->lock);
}

static void
take_records(struct cpu *cpu)
{
	struct tick_sampler *s = cpu->sampler;
	int64_t seen_ns = monotonic_ns();

	take_ticks(cpu);
	if (cpu->turns != NULL)
		seen_ns = take_turns(cpu, seen_ns);
	if (s->moments != NULL)
		processor_moments_seen(s->moments, (unsigned)(cpu - s->cpus), seen_ns);
	if (s->turns != NULL)
		off_times_seen(s->turns, (unsigned)(cpu - s->cpus), seen_ns);
}

static void *
watch_cpu(void *of)
{
	struct cpu *cpu = of;
	struct pollfd wait[] = { { .fd = cpu->fd, .events = POLLIN }, { .fd = cpu->turns_fd, .events = POLLIN } };
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET((size_t)cpu->number, &here);
	/* a processor it may not be pinned to is watched from another one */
	(void)sched_setaffinity(0, sizeof here, &here);
	while (!atomic_load(&cpu->sampler->stop)) {
		(void)poll(wait, 2, cpu->sampler->plan.prompt && cpu->turns == NULL ? WAIT_MS : LOOK_MS);
		take_records(cpu);
	}
	return NULL;
}

/* --- opening --- */

/* A large ring if so much memory may be locked, else a smaller one. */
static int
map_ring(struct cpu *cpu, struct stk_error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	size_t pages = cpu->sampler->plan.stack_bytes > 0 ? COPY_PAGES : RING_PAGES;

	for (; pages >= RING_PAGES; pages /= 2) {
		cpu->ring_bytes = page * (1 + pages);
		cpu->ring = mmap(NULL, cpu->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, cpu->fd, 0);
		if (cpu->ring != MAP_FAILED)
			return 0;
	}
	cpu->ring = NULL;
	return stk_fail_errno(err, "a ring of %zu bytes (see /proc/sys/kernel/perf_event_mlock_kb)", cpu->ring_bytes);
}

/* In a ring of their own: copies of stacks may fill the other one. It is looked at when it is half full, or with the
 * next tick. */
static int
open_turns(struct cpu *cpu, struct stk_error *err)
{
	struct perf_event_attr attr = { .size = sizeof attr,
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY,
					.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
					.context_switch = 1,
					.sample_id_all = 1,
					.watermark = 1,
					.wakeup_watermark = TURNS_BYTES / 2,
					.use_clockid = 1,
					.clockid = CLOCK_MONOTONIC };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	cpu->turns_fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu->number, -1, PERF_FLAG_FD_CLOEXEC);
	if (cpu->turns_fd < 0)
		return stk_fail_errno(err, "the kernel does not record which threads run");
	cpu->turns = mmap(NULL, page + TURNS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, cpu->turns_fd, 0);
	if (cpu->turns != MAP_FAILED)
		return 0;
	cpu->turns = NULL;
	return stk_fail_errno(err, "a ring of %u bytes (see /proc/sys/kernel/perf_event_mlock_kb)", TURNS_BYTES);
}

/* Into the ring of turns. Where it is not permitted, it is not known who wakes threads, and all else is. */
static void
open_wakings(struct cpu *cpu)
{
	struct tick_sampler *s = cpu->sampler;
	struct perf_event_attr attr = { .size = sizeof attr,
					.type = PERF_TYPE_TRACEPOINT,
					.config = s->waking.number,
					.sample_period = 1,
					.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
					.sample_id_all = 1,
					.watermark = 1,
					.wakeup_watermark = TURNS_BYTES / 2,
					.use_clockid = 1,
					.clockid = CLOCK_MONOTONIC };

	if (s->waking.number == 0)
		return;
	cpu->wakings_fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu->number, -1, PERF_FLAG_FD_CLOEXEC);
	if (cpu->wakings_fd >= 0 && ioctl(cpu->wakings_fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->turns_fd) == 0)
		return;
	(void)stk_fail_errno(&s->waking_why, "the kernel does not record who wakes threads");
	s->waking.number = 0;
	if (cpu->wakings_fd >= 0)
		close(cpu->wakings_fd);
	cpu->wakings_fd = -1;
}

static void
ask_for_wakings(struct tick_sampler *s)
{
	if (!s->plan.wakers || !s->plan.turns ||
	    tracepoint_read(&s->waking, "sched/sched_waking", "pid", &s->waking_why) < 0)
		return;
	s->of_interest = mem_new(THREADS_MAX / 64, sizeof *s->of_interest);
}

static int
open_cpu(struct tick_sampler *s, int number, struct stk_error *err)
{
	struct cpu *cpu = &s->cpus[s->count];

	cpu->sampler = s;
	cpu->number = number;
	cpu->turns_fd = cpu->wakings_fd = -1;
	cpu->fd = open_event(&s->plan, number, err);
	if (cpu->fd < 0)
		return -1;
	s->count++;
	cpu->record = mem_new(record_room(&s->plan), 1);
	if (map_ring(cpu, err) < 0 || ((s->plan.moments || s->plan.turns) && open_turns(cpu, err) < 0))
		return -1;
	open_wakings(cpu);
	return 0;
}

static int
start(struct cpu *cpu, struct stk_error *err)
{
	sigset_t all, before;

	cpu->began_ns = monotonic_ns();
	if (ioctl(cpu->fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return stk_fail_errno(err, "an event cannot be enabled");
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	errno = pthread_create(&cpu->thread, NULL, watch_cpu, cpu);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	cpu->running = errno == 0;
	return cpu->running ? 0 : stk_fail_errno(err, "cannot start a thread");
}

int
tick_sampler_open(struct tick_sampler **out, const struct tick_plan *plan, tick_take_function *take, void *context,
		  struct stk_error *err)
{
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	struct tick_sampler *s = *out = mem_new(1, sizeof *s);

	s->plan = *plan;
	s->self = getpid();
	s->take = take;
	s->context = context;
	s->only = -1;
	s->cpus = mem_new((size_t)configured, sizeof *s->cpus);
	pthread_rwlock_init(&s->lock, NULL);
	tick_sampler_meets(s, true);
	ask_for_wakings(s);
	for (int cpu = 0; cpu < configured && err->code == STK_EOK; cpu++) {
		char path[80];

		snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/online", cpu);
		if (cpu > 0 && access(path, R_OK) == 0) {
			FILE *file = fopen(path, "re");
			int online = file == NULL ? '1' : getc(file);

			if (file != NULL)
				(void)fclose(file);
			if (online == '0')
				continue;
		}
		(void)open_cpu(s, cpu, err);
	}
	if (plan->moments && err->code == STK_EOK)
		processor_moments_open(&s->moments, s->count,
				       plan->event != NULL ? 0 : 1000000000 / (int64_t)plan->hertz);
	if (plan->turns && err->code == STK_EOK)
		off_times_open(&s->turns, s->count);
	for (unsigned i = 0; i < s->count && err->code == STK_EOK; i++)
		(void)start(&s->cpus[i], err);
	if (err->code == STK_EOK)
		return 0;
	tick_sampler_close(s);
	*out = NULL;
	return -1;
}

void
tick_sampler_close(struct tick_sampler *s)
{
	if (s == NULL)
		return;
	atomic_store(&s->stop, true);
	for (unsigned i = 0; i < s->count; i++) {
		struct cpu *cpu = &s->cpus[i];

		if (cpu->running)
			pthread_join(cpu->thread, NULL);
		if (cpu->ring != NULL)
			munmap(cpu->ring, cpu->ring_bytes);
		if (cpu->turns != NULL)
			munmap(cpu->turns, (size_t)sysconf(_SC_PAGESIZE) + TURNS_BYTES);
		if (cpu->wakings_fd >= 0)
			close(cpu->wakings_fd);
		if (cpu->turns_fd >= 0)
			close(cpu->turns_fd);
		close(cpu->fd);
		free(cpu->record);
		array_release(&cpu->roles);
		array_release(&cpu->mets);
		hash_map_release(&cpu->role_map);
	}
	processor_moments_close(s->moments);
	off_times_close(s->turns);
	free(s->of_interest);
	pthread_rwlock_destroy(&s->lock);
	free(s->cpus);
	free(s);
}

struct processor_moments *
tick_sampler_moments(const struct tick_sampler *s)
{
	return s->moments;
}

struct off_times *
tick_sampler_turns(const struct tick_sampler *s)
{
	return s->turns;
}

const char *
tick_sampler_wakers(const struct tick_sampler *s)
{
	return s->waking_why.code == STK_EOK ? NULL : s->waking_why.text;
}

int
tick_sampler_cpu(const struct tick_sampler *s, unsigned cpu)
{
	return s->cpus[cpu].number;
}

unsigned
tick_sampler_cpus(const struct tick_sampler *s)
{
	return s->count;
}

const char *
tick_sampler_event(const struct tick_sampler *s)
{
	return s->plan.event != NULL ? s->plan.event : "cpu-clock";
}

/* --- processes --- */

/* Those of the process that had the number before. */
static void
forget_counts(struct tick_sampler *s, int number)
{
	for (unsigned i = 0; i < s->count; i++) {
		struct cpu *cpu = &s->cpus[i];

		memset(cpu->counts.of_process[number], 0, sizeof cpu->counts.of_process[number]);
		memset(cpu->looked.of_process[number], 0, sizeof cpu->looked.of_process[number]);
	}
}

int
tick_sampler_add(struct tick_sampler *s, const struct process *process, bool is_vm, tick_gc_function *in_gc,
		 void *context)
{
	int number = 0;

	pthread_rwlock_wrlock(&s->lock);
	while (number < TICK_PROCESSES_MAX && s->pids[number] != 0)
		number++;
	if (number < TICK_PROCESSES_MAX) {
		s->pids[number] = process->pid;
		s->processes[number] = (struct watched_process){ is_vm, in_gc, context };
		forget_counts(s, number);
		if (number == s->pids_end)
			s->pids_end++;
	}
	pthread_rwlock_unlock(&s->lock);
	return number < TICK_PROCESSES_MAX ? number : -1;
}

void
tick_sampler_remove(struct tick_sampler *s, int number)
{
	pthread_rwlock_wrlock(&s->lock);
	s->pids[number] = 0;
	while (s->pids_end > 0 && s->pids[s->pids_end - 1] == 0)
		s->pids_end--;
	pthread_rwlock_unlock(&s->lock);
}

void
tick_sampler_interest(struct tick_sampler *s, int number)
{
	atomic_store(&s->only, number);
}

/* --- counts --- */

void
tick_sampler_look(struct tick_sampler *s)
{
	pthread_rwlock_wrlock(&s->lock);
	for (unsigned i = 0; i < s->count; i++)
		s->cpus[i].looked = s->cpus[i].counts;
	pthread_rwlock_unlock(&s->lock);
}

uint64_t
tick_sampler_count(const struct tick_sampler *s, unsigned cpu, int number, enum tick_state state)
{
	const struct tick_counts *counts = &s->cpus[cpu].looked;

	return number < 0 ? counts->of_none[state] : counts->of_process[number][state];
}

void
tick_sampler_totals(const struct tick_sampler *s, unsigned at, struct tick_totals *totals)
{
	const struct cpu *cpu = &s->cpus[at];

	*totals = (struct tick_totals){ .expected = cpu->looked.expected,
					.seen = cpu->looked.seen,
					.lost = cpu->lost,
					.stacks = cpu->stacks,
					.stale = cpu->stale };
	if (totals->expected < totals->seen + totals->lost)
		totals->expected = totals->seen + totals->lost;
}

uint64_t
tick_sampler_read(const struct tick_sampler *s, unsigned cpu)
{
	return read_counter(&s->cpus[cpu]);
}
