/* SPDX-License-Identifier: MIT
 * stkpath_runtime: keeps a list of the program's probed functions and writes what they counted. Writing may happen in a
 * signal handler, so it takes memory only from the kernel and calls only system calls. Threads count without waiting,
 * in memory of their own (own_counts); what must not be found half changed (lists, steps) is protected by a lock, and a
 * signal waits for it. */
#include "counted_stream.h"
#include "counts_image.h"
#include "function_rows.h"
#include "imaged_functions.h"
#include "own_counts.h"
#include "plain_stream.h"
#include "probed_function.h"
#include "runtime_memory.h"
#include "unprobed_functions.h"

#include "stkpipe/path_runtime.h"
#include "stkpipe/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <time.h>
#include <unistd.h>

#define STEPS_AT_ONCE   (1u << 22)	/* bytes of steps that are written together */
#define ROWS_AT_ONCE    200000u
#define ROW_MOST        60000u
#define SIGNAL_STACK    (1u << 17)	/* bytes on which signals are handled when the stack is full */

static struct {
	struct probed_function *functions;
	pthread_mutex_t lock;		/* of lists of counts, of steps, and of writing */
	volatile sig_atomic_t changing;	/* steps are being changed: signals are handled afterwards */
	volatile sig_atomic_t waiting;	/* that signal; 0 */
	volatile sig_atomic_t writing;	/* threads whose ids would grow meanwhile wait: else the end might never come */
	int asked;			/* the signal at which counts are written and the program continues; 0 */
	struct timespec period;		/* between writings; 0: only when asked, and at the end */
	pthread_t writer;		/* the thread that does so */
	sem_t no_more;			/* asks it to end */
	bool writes_often;		/* it exists */
	bool begun;			/* what happens at the end, and at a fork, is arranged */
	bool said_left_out;		/* functions without probes are said once */
	int child;			/* its parent writes the functions that nobody called */
	void (*stop)(void);
	char file[4096], map[4096], host[65];
	bool images;			/* functions are those of an image, or were */
	struct plain_block steps;
	const char *row_function;	/* of the open row of steps */
	uint64_t registered;		/* how many functions so far: whether others have probes may have changed */
	uint64_t row_thread, row_call, row_begins, last_call;	/* row_call: 0 when none is open */
	struct plain_bytes row;
} runtime = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local uint64_t own_number;	/* the kernel's of this thread, once it wrote steps; 0 */

static void answer(int number);
static void begin_writing_often(void);

static void
answer_waiting(void)
{
	int number = runtime.waiting;

	if (number != 0) {
		runtime.waiting = 0;
		answer(number);
	}
}

/* Whether the lock was taken: a program that never had a second thread need not. */
static bool
enter(void)
{
	bool locks = !__libc_single_threaded;

	if (locks)
		(void)pthread_mutex_lock(&runtime.lock);
	runtime.changing = 1;
	return locks;
}

static void
leave(bool locked)
{
	runtime.changing = 0;
	if (locked)
		(void)pthread_mutex_unlock(&runtime.lock);
	answer_waiting();
}

/* As enter(), but signals come later: a handler that calls a probed function must not find lists half changed, nor wait
 * for the thread that it interrupts. */
static void
enter_lists(sigset_t *old)
{
	sigset_t all;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, old);
	(void)pthread_mutex_lock(&runtime.lock);
}

static void
leave_lists(const sigset_t *old)
{
	(void)pthread_mutex_unlock(&runtime.lock);
	(void)pthread_sigmask(SIG_SETMASK, old, NULL);
	answer_waiting();
}

/* --- what threads count --- */

/* The function that counts for one of a module: its image, when there is one. */
static struct probed_function *
counting(struct probed_function *f)
{
	return runtime.images && f->kind != PROBED_STEPS ? f->next : f;
}

uint64_t *
stkpath_own(struct probed_function *f)
{
	struct own_counts *own;
	sigset_t old;

	enter_lists(&old);
	own = own_counts_get(counting(f));
	if (counting(f) != f)
		imaged_function_note(counting(f));
	leave_lists(&old);
	return own->counts;
}

/* Those whose tables may be changed: others in a signal handler that interrupts a change. */
static struct own_counts *
enter_tables(uint64_t *counts)
{
	struct own_counts *own = own_counts_of(counts);
	sigset_t old;

	if (runtime.writing) {
		enter_lists(&old);
		leave_lists(&old);
	}
	while (own->changing) {
		if (own->nested == NULL) {
			enter_lists(&old);
			(void)own_counts_nest(own);
			if (runtime.images)
				imaged_function_note(own->function);
			leave_lists(&old);
		}
		own = own->nested;
	}
	own->changing = true;
	return own;
}

void
stkpath_count(uint64_t *counts, uint64_t id, uint64_t piece)
{
	struct own_counts *own = enter_tables(counts);

	counted_ids_count(&own->ids, id, piece);
	own->changing = false;
}

uint64_t
stkpath_put_away(uint64_t *counts, uint64_t piece, uint64_t digits)
{
	struct own_counts *own = enter_tables(counts);
	uint64_t number = counted_ids_place(&own->pieces, piece, digits) + 1;

	own->changing = false;
	return number;
}

/* --- writing --- */

/* A file's name with %p and %%. */
static void
name_file(char *to, size_t room, const char *name)
{
	size_t size = 0;

	for (const char *c = name; *c != '\0' && size + 24 < room; c++) {
		if (c[0] == '%' && c[1] == 'p') {
			size += (size_t)snprintf(to + size, room - size, "%ld", (long)getpid());
			c++;
		} else {
			to[size++] = *c;
			c += c[0] == '%' && c[1] == '%';
		}
	}
	to[size] = '\0';
}

/* Opens the file and begins a stream at its end, under a lock. */
static int
begin_stream(struct plain_stream *stream)
{
	const struct counted_program program = { program_invocation_short_name, runtime.host, (uint64_t)getpid() };
	char name[4200];
	int fd;

	name_file(name, sizeof name, runtime.file);
	fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0) {
		runtime_lost(name, strerror(errno));
		return -1;
	}
	(void)flock(fd, LOCK_EX);
	counted_stream_begin(stream, fd, &program);
	return 0;
}

static void
end_stream(struct plain_stream *stream)
{
	plain_stream_end(stream);
	if (stream->failed)
		runtime_lost(runtime.file, strerror(stream->error));
	(void)close(stream->fd);
}

static uint64_t
now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The functions that could have no probes, and why: once, by the parent. */
static void
put_left_out(struct plain_stream *stream)
{
	struct plain_block notes = { 0 };

	for (const char *text = next_unprobed(NULL); text != NULL && !runtime.said_left_out && !runtime.child;
	     text = next_unprobed(text))
		counted_stream_left_out(stream, &notes, text);
	plain_flush(stream, &notes);
	plain_release(&notes);
	runtime.said_left_out = true;
}

static bool
is_unwritten(const struct probed_function *f)
{
	return function_rows_changed(f) || (function_rows_are_news(f) && !runtime.child);
}

/* Those of an image are there already. */
static void
write_counts(void)
{
	struct function_rows w = { .now = 0 };
	bool some = false;

	if (counts_image_now() != NULL)
		return;
	for (const struct probed_function *f = runtime.functions; f != NULL && !some; f = f->next)
		some = is_unwritten(f);
	if (!some || begin_stream(&w.stream) < 0)
		return;
	put_left_out(&w.stream);
	function_rows_begin(&w, now_ns());
	for (struct probed_function *f = runtime.functions; f != NULL; f = f->next)
		function_rows_put(&w, f);
	function_rows_end(&w);
	end_stream(&w.stream);
}

/* --- steps --- */

/* Those of functions whose steps are written come before the first of them, once, also of functions that nobody
 * called. */
static bool
wants_graph(const struct probed_function *f)
{
	return f->kind == PROBED_STEPS && f->adopted == 0;
}

static void
put_step_graphs(struct function_rows *w)
{
	w->edges = (struct plain_block){ .kind = STK_CFG, .columns = 5, .time_column = plain_none };
	for (struct probed_function *f = runtime.functions; f != NULL; f = f->next)
		if (wants_graph(f)) {
			function_rows_name_blocks(f);
			function_rows_put_graph(w, f);
			f->adopted = 1;
		}
	plain_flush(&w->stream, &w->edges);
	plain_release(&w->edges);
}

static void
write_steps(void)
{
	struct function_rows w = { .now = 0 };
	bool some = runtime.steps.rows > 0;

	for (const struct probed_function *f = runtime.functions; f != NULL && !runtime.child; f = f->next)
		some |= wants_graph(f);
	if (!some)
		return;
	if (begin_stream(&w.stream) == 0) {
		put_step_graphs(&w);
		plain_flush(&w.stream, &runtime.steps);
		end_stream(&w.stream);
	}
	plain_forget(&runtime.steps);
}

/* Closes the open row. */
static void
end_row(const char *function, int ends)
{
	struct plain_block *steps = &runtime.steps;

	plain_word(steps, 1);
	plain_word(steps, runtime.row_thread);
	plain_word(steps, runtime.row_call);
	plain_text(steps, function, strlen(function));
	plain_word(steps, runtime.row_begins);
	plain_word(steps, (uint64_t)ends);
	plain_text(steps, (const char *)runtime.row.at, runtime.row.count);
	steps->rows++;
	runtime.row.count = 0;
	runtime.row_begins = 0;
	runtime.row_call = 0;
	if (steps->text_bytes > STEPS_AT_ONCE || steps->rows == ROWS_AT_ONCE)
		write_steps();
}

static uint64_t
this_thread(void)
{
	if (own_number == 0)
		own_number = (uint64_t)gettid();
	return own_number;
}

/* The following steps belong to this call. */
static void
turn_to(const char *function, uint64_t call)
{
	if (runtime.row_call == call)
		return;
	if (runtime.row_call != 0)
		end_row(runtime.row_function, 0);
	runtime.row_function = function;
	runtime.row_thread = this_thread();	/* another thread may close it */
	runtime.row_call = call;
}

uint64_t
stkpath_begin(struct probed_function *f)
{
	bool locked = enter();
	uint64_t call = ++runtime.last_call;

	turn_to(f->name, call);
	runtime.row_begins = 1;
	leave(locked);
	return call;
}

void
stkpath_step(struct probed_function *f, uint64_t call, uint64_t block)
{
	bool locked = enter();

	turn_to(f->name, call);
	function_rows_name_blocks(f);
	if (runtime.row.count > 0)
		plain_put(&runtime.row, " ", 1);
	plain_put(&runtime.row, f->names[block], strlen(f->names[block]));
	if (runtime.row.count > ROW_MOST)
		end_row(f->name, 0);
	leave(locked);
}

void
stkpath_end(struct probed_function *f, uint64_t call)
{
	bool locked = enter();

	turn_to(f->name, call);
	end_row(f->name, 1);
	leave(locked);
}

static bool
is_static(const struct probed_function *f)
{
	return f->kind == PROBED_STEPS && f->data_count > 0 && f->data[0] != 0;
}

/* Whether the called function writes its steps itself: in another module of the program, where it is not static. */
static bool
writes_itself(struct outside_function *o)
{
	if (o->asked == runtime.registered)
		return o->probed != 0;
	o->probed = 0;
	for (const struct probed_function *f = runtime.functions; f != NULL; f = f->next)
		o->probed |= strcmp(f->name, o->name) == 0 && !is_static(f);
	o->asked = runtime.registered;
	return o->probed != 0;
}

/* Before the first function is registered, nothing is followed yet. */
void
stkpath_outside(struct outside_function *o)
{
	bool locked = enter();

	if (runtime.functions != NULL && !writes_itself(o)) {
		turn_to(o->name, ++runtime.last_call);
		runtime.row_begins = 1;
		end_row(o->name, 1);
	}
	leave(locked);
}

/* --- when --- */

static void
write_all(void)
{
	if (runtime.row_call != 0)
		end_row(runtime.row_function, 0);
	write_steps();
	write_counts();
}

void
stkpath_write(void)
{
	sigset_t old;

	enter_lists(&old);
	runtime.writing = 1;
	write_all();
	runtime.writing = 0;
	leave_lists(&old);
}

/* A deadly signal has its old action again (SA_RESETHAND), and is raised once more. */
static void
answer(int number)
{
	stkpath_write();
	if (number != runtime.asked)
		(void)raise(number);
}

/* Whether no thread is changing tables, including the one that the signal interrupts. */
static bool
may_answer(void)
{
	if (runtime.changing || pthread_mutex_trylock(&runtime.lock) != 0)
		return false;
	(void)pthread_mutex_unlock(&runtime.lock);
	return true;
}

/* A thread that is changing tables handles it afterwards. A signal of an instruction that would only fail again cannot
 * wait long. */
static void
take_signal(int number)
{
	bool now = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
		   number == SIGABRT || number == SIGTRAP || number == SIGSYS;
	const struct timespec pause = { .tv_nsec = 1000000 };
	int error = errno;

	for (int tries = 0; now && tries < 100 && !may_answer(); tries++)
		(void)nanosleep(&pause, NULL);
	if (may_answer()) {
		answer(number);
	} else if (now) {
		runtime_lost(runtime.file, "it crashed where paths are counted");
		(void)raise(number);
	} else {
		runtime.waiting = number;
	}
	errno = error;
}

/* Whether it is ours now: not when the program handles or ignores it. */
static bool
handle(int number, int flags)
{
	struct sigaction old, now = { .sa_handler = take_signal, .sa_flags = flags };

	(void)sigemptyset(&now.sa_mask);
	return sigaction(number, NULL, &old) == 0 && (old.sa_flags & SA_SIGINFO) == 0 &&
	       old.sa_handler == SIG_DFL && sigaction(number, &now, NULL) == 0;
}

/* "USR2", "SIGUSR2" or a number; 0: there is none of that name. */
static int
signal_named(const char *name)
{
	char *end;
	long value;

	if (strncmp(name, "SIG", 3) == 0)
		name += 3;
	for (int number = 1; number < 32; number++)
		if (sigabbrev_np(number) != NULL && strcmp(sigabbrev_np(number), name) == 0)
			return number;
	value = strtol(name, &end, 10);
	return end != name && *end == '\0' && value > 0 && value <= SIGRTMAX ? (int)value : 0;
}

/* No other thread may be changing a list when only the forking one remains. */
static void
before_fork(void)
{
	(void)pthread_mutex_lock(&runtime.lock);
	if (counts_image_now() != NULL)
		imaged_functions_before_fork(runtime.functions);
}

static void
behind_fork(void)
{
	(void)pthread_mutex_unlock(&runtime.lock);
}

/* A child counts for itself: what was counted before belongs to its parent, except the calls that are active, which it
 * will end. */
static void
begin_child(void)
{
	bool has_image;
	char name[4200];

	(void)pthread_mutex_init(&runtime.lock, NULL);
	runtime.changing = runtime.waiting = runtime.writing = 0;
	runtime.child = 1;
	runtime.writes_often = false;
	plain_forget(&runtime.steps);
	runtime.row.count = 0;
	runtime.row_call = 0;
	own_number = 0;
	has_image = counts_image_now() != NULL;
	if (has_image) {
		name_file(name, sizeof name, runtime.map);
		imaged_functions_forked(runtime.functions, name);
	}
	own_counts_forked();
	for (struct probed_function *f = runtime.functions; f != NULL; f = f->next) {
		f->adopted = 0;
		for (struct own_counts *own = own_counts_first(f); own != NULL; own = own->next)
			if (own_counts_mine(own) && f->kind != PROBED_STEPS && !has_image)
				f->adopted += function_rows_active(f, own);
		function_rows_pass_over(f);
	}
	if (has_image)
		imaged_functions_adopt();
	begin_writing_often();
}

/* A program that changes its folder later does not take the file with it. */
static void
choose_file(char to[4096], const char *file)
{
	const size_t room = sizeof runtime.file;
	char folder[1024];			/* of a deeper one, the name is taken as it is */
	size_t size = 0;

	if (*file != '/' && getcwd(folder, sizeof folder) != NULL) {
		for (const char *c = folder; *c != '\0' && size + 3 < room; c++) {
			if (*c == '%')		/* as name_file() takes it */
				to[size++] = '%';
			to[size++] = *c;
		}
		to[size++] = '/';
	}
	(void)snprintf(to + size, room - size, "%s", file);
}

static const char *
variable(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0' ? value : otherwise;
}

/* Without a stack of its own, the handler could not run when the stack is what overflowed. */
static void
give_signals_a_stack(void)
{
	stack_t old, own = { .ss_size = SIGNAL_STACK };

	if (sigaltstack(NULL, &old) < 0 || (old.ss_flags & SS_DISABLE) == 0)
		return;
	own.ss_sp = runtime_pages(own.ss_size);
	(void)sigaltstack(&own, NULL);
}

/* Comes before the deadly ones, of which it may be one. */
static void
handle_asked(const char *name)
{
	runtime.asked = signal_named(name);
	if (runtime.asked == 0 || !handle(runtime.asked, SA_RESTART | SA_ONSTACK)) {
		runtime.asked = 0;
		runtime_complain(
			"STKPATH_SIGNAL: not a signal that can be handled: counts are written at the end only");
	}
}

/* When now begins the next period. */
static struct timespec
period_end(void)
{
	struct timespec end;

	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += runtime.period.tv_sec + (end.tv_nsec + runtime.period.tv_nsec) / 1000000000;
	end.tv_nsec = (end.tv_nsec + runtime.period.tv_nsec) % 1000000000;
	return end;
}

/* Takes no signals, which are for the program's own threads. */
static void *
write_often(void *unused)
{
	struct timespec end = period_end();

	while (sem_clockwait(&runtime.no_more, CLOCK_MONOTONIC, &end) < 0) {
		stkpath_write();
		end = period_end();
	}
	return unused;
}

static void
begin_writing_often(void)
{
	sigset_t all, old;

	if (runtime.period.tv_sec == 0 && runtime.period.tv_nsec == 0)
		return;
	(void)sem_init(&runtime.no_more, 0, 0);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &old);
	runtime.writes_often = pthread_create(&runtime.writer, NULL, write_often, NULL) == 0;
	if (!runtime.writes_often)
		runtime_complain("STKPATH_EVERY: no thread can be made: counts are written at the end only");
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void
choose_period(const char *every)
{
	char *end;
	double seconds;

	if (every == NULL || *every == '\0')
		return;
	seconds = strtod(every, &end);
	if (end == every || (*end != '\0' && strcmp(end, "s") != 0) || !(seconds >= 0.01 && seconds <= 1e9)) {
		runtime_complain("STKPATH_EVERY: not a number of seconds: counts are written at the end only");
		return;
	}
	runtime.period.tv_sec = (time_t)seconds;
	runtime.period.tv_nsec = (long)((seconds - (double)runtime.period.tv_sec) * 1e9);
	begin_writing_often();
}

static const int deadly[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGILL,  SIGABRT, SIGBUS,
			      SIGFPE,  SIGSEGV, SIGPIPE, SIGALRM, SIGXCPU, SIGXFSZ, SIGUSR1,
			      SIGUSR2, SIGTRAP, SIGSYS,  SIGPROF, SIGPOLL, SIGPWR,  SIGVTALRM };

/* At the end of the program, or before it. */
static void
begin_once(void)
{
	if (runtime.begun)
		return;
	runtime.begun = true;
	(void)pthread_atfork(before_fork, behind_fork, begin_child);
	(void)atexit(stkpath_write);
	(void)at_quick_exit(stkpath_write);
}

/* NULL: there is none. */
static const char *
image_left_out(void)
{
	size_t size = 0;
	char *to, *all;

	for (const char *text = next_unprobed(NULL); text != NULL; text = next_unprobed(text))
		size += strlen(text) + 1;
	to = all = counts_image_take(size + 1);
	for (const char *text = next_unprobed(NULL); text != NULL; text = next_unprobed(text))
		to = stpcpy(to, text) + 1;
	return all;
}

static void
begin_image(const char *asked)
{
	struct counts_image *head;
	char name[4200], what[4400];

	if (asked == NULL || runtime.images)
		return;
	choose_file(runtime.map, asked);
	name_file(name, sizeof name, runtime.map);
	head = counts_image_open(name);
	if (head == NULL) {
		(void)snprintf(what, sizeof what, "STKPATH_MAP: %s: %s: counts are written at the end only", name,
			       strerror(errno));
		runtime_complain(what);
		return;
	}
	runtime.images = true;
	head->pid = (uint64_t)getpid();
	(void)snprintf(head->program, sizeof head->program, "%s", program_invocation_short_name);
	(void)snprintf(head->host, sizeof head->host, "%s", runtime.host);
	head->left_out = image_left_out();
}

static void
begin(void)
{
	const char *asked = getenv("STKPATH_SIGNAL");

	choose_file(runtime.file, variable("STKPATH_FILE", "stkpath-%p.stk"));
	if (gethostname(runtime.host, sizeof runtime.host - 1) < 0)
		runtime.host[0] = '\0';
	runtime.steps = (struct plain_block){ .kind = STK_PATH_STEP, .columns = 7, .time_column = plain_none };
	begin_image(variable("STKPATH_MAP", NULL));
	own_counts_begin();
	give_signals_a_stack();
	choose_period(getenv("STKPATH_EVERY"));
	if (asked != NULL && *asked != '\0')
		handle_asked(asked);
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		(void)handle(deadly[i], (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK));
	begin_once();
}

static void
unhandle(int number)
{
	struct sigaction now;

	if (sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == take_signal)
		(void)signal(number, SIG_DFL);
}

/* A library that is unloaded takes this code with it: nothing may come here any more, no signal, no thread. */
static void
end(void)
{
	own_counts_end();
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		unhandle(deadly[i]);
	if (runtime.asked != 0)
		unhandle(runtime.asked);
	if (runtime.writes_often) {
		(void)sem_post(&runtime.no_more);
		(void)pthread_join(runtime.writer, NULL);
	}
	runtime.writes_often = false;
}

void
stkpath_register(struct probed_function *f)
{
	if (f->version != PROBED_VERSION) {
		runtime_lost(f->name, "instrumented for another version of the library");
		return;
	}
	if (runtime.functions == NULL)
		begin();
	own_counts_reuse();
	if (runtime.images && f->kind != PROBED_STEPS)
		f = imaged_function_load(f);
	else if (f->count_total > 0)
		f->written = runtime_pages(f->count_total * sizeof *f->written);
	f->next = runtime.functions;
	runtime.functions = f;
	runtime.registered++;
}

/* An image keeps what it has: the library may be loaded again. */
static void
retire(struct probed_function *f)
{
	if (runtime.images && f->kind != PROBED_STEPS)
		imaged_function_unload(f);
	else
		own_counts_retire(f);
}

/* All that was counted is written with the first function of a module; then its others, of which there may be
 * thousands, have nothing more to write, unless a thread goes on. */
static void
write_before_leaving(const struct probed_function *f)
{
	bool needed = f->version != PROBED_VERSION || f->kind == PROBED_STEPS || runtime.images;
	sigset_t old;

	if (!needed) {
		enter_lists(&old);
		needed = is_unwritten(f);
		leave_lists(&old);
	}
	if (needed)
		stkpath_write();
}

void
stkpath_unregister(struct probed_function *f)
{
	write_before_leaving(f);
	f = counting(f);
	for (struct probed_function **at = &runtime.functions; *at != NULL; at = &(*at)->next)
		if (*at == f) {
			sigset_t old;

			enter_lists(&old);
			*at = f->next;
			runtime.registered++;
			retire(f);
			leave_lists(&old);
			break;
		}
	if (runtime.functions == NULL)
		end();
}

void
stkpath_on_stop(void (*stop)(void))
{
	runtime.stop = stop;
}

void
stkpath_leave(void)
{
	stkpath_write();
}

void
stkpath_stop(void)
{
	if (runtime.stop != NULL)
		runtime.stop();
	exit(0);
}
