/* SPDX-License-Identifier: MIT
 * stkpath_runtime: keeps a list of the program's probed functions and writes what they counted. Writing may happen in a
 * signal handler, so it takes memory only from the kernel and calls only system calls. Threads count without waiting,
 * in memory of their own (own_counts); what must not be found half changed (lists, steps) is protected by a lock, and a
 * signal waits for it. */
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

#define PATH_TEXT_MOST  (1u << 25)	/* bytes of a path's text; longer ones are truncated */
#define STEPS_AT_ONCE   (1u << 22)	/* bytes of steps that are written together */
#define ROWS_AT_ONCE    200000u
#define ROW_MOST        60000u
#define SIGNAL_STACK    (1u << 17)	/* bytes on which signals are handled when the stack is full */

/* --- the schema of what is written: these kinds, from the common schema table --- */

#define T_TEXT    "text"
#define T_COUNT   "count"
#define T_NUMBER  "number"
#define T_TIME    "time"
#define T_SOURCE  "id:source"
#define T_STRING  "id:string"
#define T_RUNTIME "enum:unknown|jvm|native|script"
#define T_CLOCK   "enum:unknown|wall|monotonic"
#define COLUMN(name, type, prediction, key, about) "column " #name " " T_##type "\n"

/* What is written: kinds of the table, and how many columns of each. */
#define KINDS_WRITTEN(KIND) \
	KIND(STRING, string, 1, definition, 1) \
	KIND(SOURCE, source, 4, definition, 8) \
	KIND(CFG, cfg, 29, row, 5) \
	KIND(PATH_CALL, path_call, 30, row, 9) \
	KIND(PATH_COUNT, path_count, 31, row, 6) \
	KIND(NOTE, note, 32, row, 3) \
	KIND(PATH_STEP, path_step, 50, row, 7)

#define KIND(NAME, name, number, role, columns) "kind " #number " " #name " " #role "\n" STK_COLUMNS_##NAME(COLUMN)
static const char schema[] = KINDS_WRITTEN(KIND);
#undef KIND
#undef COLUMN

/* A column that the table got later would be missing in our blocks. */
#define COLUMN(name, type, prediction, key, about) + 1
#define KIND(NAME, name, number, role, columns) \
	_Static_assert(STK_##NAME == (number), #name " has another number in the table"); \
	_Static_assert((0 STK_COLUMNS_##NAME(COLUMN)) == (columns), #name " has other columns in the table");
KINDS_WRITTEN(KIND)
#undef KIND
#undef COLUMN
_Static_assert(STK_RUNTIME_SCRIPT == 3 && STK_CLOCK_MONOTONIC == 2, "T_RUNTIME and T_CLOCK have all names");

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
	char file[4096], host[65];
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

uint64_t *
stkpath_own(struct probed_function *f)
{
	struct own_counts *own;
	sigset_t old;

	enter_lists(&old);
	own = own_counts_get(f);
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

/* --- the rows of one writing --- */

struct writing {
	struct plain_stream stream;
	struct plain_block edges, calls, counts;
	struct plain_bytes path;	/* the current text */
	uint64_t now;
};

static void
find_names(struct probed_function *f)
{
	const char *name = f->blocks;

	if (f->names != NULL)
		return;
	f->names = runtime_pages(f->block_count * sizeof *f->names);
	for (uint64_t b = 0; b < f->block_count; b++) {
		f->names[b] = name;
		name += strlen(name) + 1;
	}
}

static void
begin_path(struct writing *w)
{
	w->path.count = 0;
}

static void
add_block(struct writing *w, const struct probed_function *f, uint64_t block)
{
	if (w->path.count > PATH_TEXT_MOST)
		return;
	if (w->path.count > 0)
		plain_put(&w->path, " ", 1);
	plain_put(&w->path, f->names[block], strlen(f->names[block]));
	if (w->path.count > PATH_TEXT_MOST)
		plain_put(&w->path, " ...", 4);
}

static void
put_common(struct writing *w, struct plain_block *block, const struct probed_function *f)
{
	plain_word(block, w->now);
	plain_word(block, 1);			/* the source */
	plain_text(block, f->name, strlen(f->name));
	plain_text(block, f->file, strlen(f->file));
}

static void
put_path(struct writing *w, const struct probed_function *f, uint64_t count)
{
	put_common(w, &w->counts, f);
	plain_text(&w->counts, (const char *)w->path.at, w->path.count);
	plain_word(&w->counts, count);
	plain_row(&w->stream, &w->counts);
}

static void
put_graph(struct writing *w, const struct probed_function *f)
{
	for (uint64_t e = 0; e < f->edge_count; e++) {
		const char *from = f->names[f->edges[2 * e]], *to = f->names[f->edges[2 * e + 1]];

		plain_text(&w->edges, f->name, strlen(f->name));
		plain_text(&w->edges, f->file, strlen(f->file));
		plain_word(&w->edges, e);
		plain_text(&w->edges, from, strlen(from));
		plain_text(&w->edges, to, strlen(to));
		plain_row(&w->stream, &w->edges);
	}
}

/* --- from counts to paths --- */

/* What all threads counted in place. */
static uint64_t
sum_of(const struct probed_function *f, uint64_t i)
{
	uint64_t sum = 0;

	for (const struct own_counts *own = own_counts_first(f); own != NULL; own = own->next)
		sum += *(const volatile uint64_t *)&own->counts[i];
	return sum;
}

/* Since the last writing. */
static uint64_t
take(struct probed_function *f, uint64_t i)
{
	uint64_t now = sum_of(f, i), count = now - f->written[i];

	f->written[i] = now;
	return count;
}

static uint64_t
put_listed(struct writing *w, struct probed_function *f)
{
	const uint32_t *at = f->data;
	uint64_t finished = 0;

	for (uint64_t i = PROBED_MARKS; i < f->count_total; i++) {
		uint32_t length = *at++;
		uint64_t count = take(f, i);

		begin_path(w);
		for (uint32_t k = 0; k < length; k++)
			add_block(w, f, *at++);
		put_path(w, f, count);		/* those of interest, also when the count is 0 */
		finished += count;
	}
	return finished;
}

static uint64_t
weight_of(const uint32_t *edge)
{
	return (uint64_t)edge[2] << 32 | edge[1];
}

/* From the entry, always the way with the largest weight that is not above the rest of the id. Returns whether the
 * piece ends at the exit. w may be NULL. */
static int
walk_sum(struct writing *w, const struct probed_function *f, uint64_t id)
{
	uint64_t nodes = f->data[0], node = f->entry;
	const uint32_t *first = f->data + 1, *edges = first + nodes + 1;
	int finished = 1;

	if (w != NULL)
		begin_path(w);
	while (node != f->exit) {
		uint64_t best = first[node], next;

		for (uint64_t e = best + 1; e < first[node + 1]; e++)
			if (weight_of(edges + 3 * e) <= id && (weight_of(edges + 3 * best) > id ||
							       weight_of(edges + 3 * e) > weight_of(edges + 3 * best)))
				best = e;
		id -= weight_of(edges + 3 * best);
		next = edges[3 * best];
		if (w != NULL && node < f->block_count && !(node == f->entry && next >= f->block_count))
			add_block(w, f, node);
		finished = node < f->block_count;
		node = next;
	}
	if (w != NULL && finished)
		add_block(w, f, f->exit);
	return finished;
}

/* Backwards from the exit; the blocks are turned around. A digit 1 before all others ends a piece. */
static void
walk_digits(struct writing *w, const struct probed_function *f, const struct counted_ids *pieces, uint64_t digits,
	    uint64_t piece)
{
	const uint32_t *first = f->data, *before = first + f->block_count + 1;
	struct plain_bytes back = { 0 };
	uint32_t block = (uint32_t)f->exit;

	plain_put(&back, &block, sizeof block);
	while (block != f->entry && !back.failed) {
		uint64_t ways = first[block + 1] - first[block], way = 0;

		if (ways > 1) {
			if (digits == 1 && piece != 0) {
				struct counted_id put = counted_ids_entry(pieces, piece - 1);

				digits = put.b;
				piece = put.a;
			}
			way = digits % ways;
			digits /= ways;
		}
		block = before[first[block] + way];
		plain_put(&back, &block, sizeof block);
	}
	begin_path(w);
	w->path.failed |= back.failed;
	for (size_t i = back.count / sizeof block; i-- > 0; ) {
		memcpy(&block, back.at + i * sizeof block, sizeof block);
		add_block(w, f, block);
	}
	if (back.at != NULL)
		munmap(back.at, back.room);
}

/* The ids of all threads, since the last writing. */
struct all_ids { struct counted_ids ids, pieces; };

/* A thread's pieces have numbers of their own; each is after the one that it continues. */
static void
add_ids(struct all_ids *all, struct own_counts *own)
{
	uint64_t total = counted_ids_total(&own->ids), pieces = counted_ids_total(&own->pieces);
	uint64_t *number = runtime_pages((pieces + 1) * sizeof *number);

	for (uint64_t i = 0; i < pieces; i++) {
		struct counted_id put = counted_ids_entry(&own->pieces, i);

		number[i + 1] = counted_ids_place(&all->pieces, number[put.a], put.b) + 1;
	}
	for (uint64_t i = 0; i < total; i++) {
		struct counted_id id = counted_ids_entry(&own->ids, i);
		uint64_t place = counted_ids_place(&all->ids, id.a, number[id.b]);

		all->ids.entries[place].count += counted_ids_take(&own->ids, i);
	}
	munmap(number, (pieces + 1) * sizeof *number);
}

static uint64_t
put_id(struct writing *w, const struct probed_function *f, const struct counted_ids *pieces, uint64_t id,
       uint64_t piece, uint64_t count)
{
	int finished = 1;

	if (count == 0)
		return 0;
	if (f->kind == PROBED_SUMS)
		finished = walk_sum(w, f, id);
	else
		walk_digits(w, f, pieces, id, piece);
	put_path(w, f, count);
	return finished ? count : 0;
}

static uint64_t
put_ids(struct writing *w, struct probed_function *f)
{
	struct all_ids all = { 0 };
	uint64_t finished = 0;

	for (uint64_t i = PROBED_MARKS; i < f->count_total; i++)
		finished += put_id(w, f, NULL, i - PROBED_MARKS, 0, take(f, i));
	for (struct own_counts *own = own_counts_first(f); own != NULL; own = own->next)
		if (counted_ids_total(&own->ids) > 0)
			add_ids(&all, own);
	for (uint64_t i = 0; i < counted_ids_total(&all.ids); i++) {
		struct counted_id id = counted_ids_entry(&all.ids, i);

		finished += put_id(w, f, &all.pieces, id.a, id.b, id.count);
	}
	counted_ids_release(&all.ids);
	counted_ids_release(&all.pieces);
	return finished;
}

/* Calls that began are visits of the entry, those that ended visits of the exit. */
static uint64_t
put_sub_paths(struct writing *w, struct probed_function *f, uint64_t *calls)
{
	uint64_t states = f->data[0], paths = f->data[1], places = f->count_total - PROBED_MARKS, finished = 0;
	const uint32_t *from = f->data + 2, *block = from + states, *link = block + states, *order = link + states,
		       *end = order + states, *state_of = end + paths;
	const uint32_t *block_of = state_of + places, *next = block_of + places;	/* of each place */
	uint64_t *visits = runtime_pages(states * sizeof *visits), size = states * sizeof *visits;
	struct plain_bytes back = { 0 };

	*calls = 0;
	for (uint64_t i = 0; i < places; i++) {
		uint64_t count = take(f, PROBED_MARKS + i);

		for (uint64_t at = i; at != PROBED_NO_PLACE && count > 0; at = next[at])
			visits[state_of[at]] += count;
		*calls += block_of[i] == f->entry ? count : 0;
		finished += block_of[i] == f->exit ? count : 0;
	}
	for (uint64_t i = states; i-- > 1; )
		visits[link[order[i]]] += visits[order[i]];
	for (uint64_t p = 0; p < paths; p++) {
		if (visits[end[p]] == 0)
			continue;
		back.count = 0;
		for (uint32_t s = end[p]; s != 0; s = from[s])
			plain_put(&back, &block[s], sizeof *block);
		begin_path(w);
		w->path.failed |= back.failed;
		for (size_t i = back.count / sizeof *block; i-- > 0; ) {
			uint32_t b;

			memcpy(&b, back.at + i * sizeof b, sizeof b);
			add_block(w, f, b);
		}
		put_path(w, f, visits[end[p]]);
	}
	if (back.at != NULL)
		munmap(back.at, back.room);
	munmap(visits, size);
	return finished;
}

/* Whether something was counted since the last writing. */
static int
has_changed(const struct probed_function *f)
{
	for (uint64_t i = 0; i < f->count_total; i++)
		if (sum_of(f, i) != f->written[i])
			return 1;
	for (const struct own_counts *own = own_counts_first(f); own != NULL; own = own->next)
		if (counted_ids_changed(&own->ids))
			return 1;
	return 0;
}

/* Also a function that nobody called, once, unless only chosen paths are counted: coverage is of all functions. */
static int
is_news(const struct probed_function *f)
{
	bool is_covered = f->kind != PROBED_LISTED && f->names == NULL;

	return f->kind != PROBED_STEPS && (has_changed(f) || is_covered);
}

static void
put_function(struct writing *w, struct probed_function *f)
{
	uint64_t calls, others, finished;

	if (!is_news(f))
		return;
	find_names(f);
	put_graph(w, f);
	calls = take(f, PROBED_CALLS);
	others = take(f, PROBED_OTHERS);
	finished = f->kind == PROBED_LISTED      ? put_listed(w, f)
		   : f->kind == PROBED_SUB_PATHS ? put_sub_paths(w, f, &calls)
						 : put_ids(w, f);
	calls += f->adopted;
	f->adopted = 0;
	put_common(w, &w->calls, f);
	plain_text(&w->calls, f->method, strlen(f->method));
	plain_word(&w->calls, calls);
	plain_word(&w->calls, finished);
	plain_word(&w->calls, others);
	/* negative, when they were active at the last writing */
	plain_word(&w->calls, calls - finished - others);
	plain_row(&w->stream, &w->calls);
}

/* --- writing --- */

/* The file's name with %p and %%. */
static void
name_file(char *to, size_t room)
{
	size_t size = 0;

	for (const char *c = runtime.file; *c != '\0' && size + 24 < room; c++) {
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

static void
put_string(struct plain_stream *stream, struct plain_block *strings, const char *text)
{
	plain_text(strings, text, strlen(text));
	plain_row(stream, strings);
}

static void
put_source(struct plain_stream *stream)
{
	struct plain_block strings = { .kind = STK_STRING, .columns = 1, .time_column = plain_none, .first_id = 1 };
	struct plain_block source = { .kind = STK_SOURCE, .columns = 8, .time_column = plain_none, .first_id = 1 };
	const uint64_t row[8] = { 1, 2, (uint64_t)getpid(), 1, 0, STK_RUNTIME_NATIVE, STK_CLOCK_WALL, 0 };

	put_string(stream, &strings, program_invocation_short_name);
	put_string(stream, &strings, runtime.host);
	plain_flush(stream, &strings);
	for (int c = 0; c < 8; c++)
		plain_word(&source, row[c]);
	plain_row(stream, &source);
	plain_flush(stream, &source);
	plain_release(&strings);
	plain_release(&source);
}

/* Opens the file and begins a stream at its end, under a lock. */
static int
begin_stream(struct plain_stream *stream)
{
	char name[4200];
	int fd;

	name_file(name, sizeof name);
	fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0) {
		runtime_lost(name, strerror(errno));
		return -1;
	}
	(void)flock(fd, LOCK_EX);
	plain_stream_begin(stream, fd, schema);
	put_source(stream);
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
	struct plain_block notes = { .kind = STK_NOTE, .columns = 3, .time_column = plain_none };

	for (const char *text = next_unprobed(NULL); text != NULL && !runtime.said_left_out && !runtime.child;
	     text = next_unprobed(text)) {
		plain_word(&notes, 1);
		plain_text(&notes, "no probes", strlen("no probes"));
		plain_text(&notes, text, strlen(text));
		plain_row(stream, &notes);
	}
	plain_flush(stream, &notes);
	plain_release(&notes);
	runtime.said_left_out = true;
}

static void
write_counts(void)
{
	struct writing w = { .now = now_ns() };
	struct plain_block *blocks[] = { &w.edges, &w.counts, &w.calls };
	int some = 0;

	for (const struct probed_function *f = runtime.functions; f != NULL; f = f->next)
		some |= has_changed(f) || (is_news(f) && !runtime.child);
	if (!some || begin_stream(&w.stream) < 0)
		return;
	put_left_out(&w.stream);
	w.edges = (struct plain_block){ .kind = STK_CFG, .columns = 5, .time_column = plain_none };
	w.calls = (struct plain_block){ .kind = STK_PATH_CALL, .columns = 9, .time_column = 0 };
	w.counts = (struct plain_block){ .kind = STK_PATH_COUNT, .columns = 6, .time_column = 0 };
	for (struct probed_function *f = runtime.functions; f != NULL; f = f->next)
		put_function(&w, f);
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		plain_flush(&w.stream, blocks[i]);
		plain_release(blocks[i]);
	}
	w.stream.failed |= w.path.failed;
	if (w.path.at != NULL)
		munmap(w.path.at, w.path.room);
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
put_step_graphs(struct writing *w)
{
	w->edges = (struct plain_block){ .kind = STK_CFG, .columns = 5, .time_column = plain_none };
	for (struct probed_function *f = runtime.functions; f != NULL; f = f->next)
		if (wants_graph(f)) {
			find_names(f);
			put_graph(w, f);
			f->adopted = 1;
		}
	plain_flush(&w->stream, &w->edges);
	plain_release(&w->edges);
}

static void
write_steps(void)
{
	struct writing w = { .now = 0 };
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
	find_names(f);
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

/* Only for sub-paths; for others the data may not be read. */
static const uint32_t *
block_of_places(const struct probed_function *f)
{
	return f->kind == PROBED_SUB_PATHS ? f->data + f->data_count - 2 * (f->count_total - PROBED_MARKS) : NULL;
}

/* How many calls of this thread have ended so far, or were abandoned. */
static uint64_t
ended_calls(const struct probed_function *f, const struct own_counts *own)
{
	const uint32_t *block_of = block_of_places(f);
	uint64_t ended = own->counts[PROBED_OTHERS];

	for (uint64_t i = PROBED_MARKS; i < f->count_total; i++)
		if (f->kind == PROBED_LISTED || f->kind == PROBED_DIGITS ||
		    (f->kind == PROBED_SUMS && own->counts[i] > 0 && walk_sum(NULL, f, i - PROBED_MARKS)) ||
		    (f->kind == PROBED_SUB_PATHS && block_of[i - PROBED_MARKS] == f->exit))
			ended += own->counts[i];
	for (uint64_t i = 0; i < counted_ids_total(&own->ids); i++) {
		struct counted_id id = counted_ids_entry(&own->ids, i);

		if (f->kind == PROBED_DIGITS || walk_sum(NULL, f, id.a))
			ended += id.count;
	}
	return ended;
}

static uint64_t
begun_calls(const struct probed_function *f, const struct own_counts *own)
{
	const uint32_t *block_of = block_of_places(f);
	uint64_t begun = own->counts[PROBED_CALLS];

	for (uint64_t i = PROBED_MARKS; i < f->count_total && f->kind == PROBED_SUB_PATHS; i++)
		begun += block_of[i - PROBED_MARKS] == f->entry ? own->counts[i] : 0;
	return begun;
}

/* No other thread may be changing a list when only the forking one remains. */
static void
before_fork(void)
{
	(void)pthread_mutex_lock(&runtime.lock);
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
	(void)pthread_mutex_init(&runtime.lock, NULL);
	runtime.changing = runtime.waiting = runtime.writing = 0;
	runtime.child = 1;
	runtime.writes_often = false;
	plain_forget(&runtime.steps);
	runtime.row.count = 0;
	runtime.row_call = 0;
	own_number = 0;
	own_counts_forked();
	for (struct probed_function *f = runtime.functions; f != NULL; f = f->next) {
		f->adopted = 0;
		for (uint64_t i = 0; i < f->count_total; i++)
			f->written[i] = sum_of(f, i);
		for (struct own_counts *own = own_counts_first(f); own != NULL; own = own->next) {
			if (own_counts_mine(own) && f->kind != PROBED_STEPS)
				f->adopted += begun_calls(f, own) - ended_calls(f, own);
			for (uint64_t i = 0; i < counted_ids_total(&own->ids); i++)
				(void)counted_ids_take(&own->ids, i);
		}
	}
	begin_writing_often();
}

/* A program that changes its folder later does not take the file with it. */
static void
choose_file(void)
{
	const char *file = getenv("STKPATH_FILE");
	char folder[1024];			/* of a deeper one, the name is taken as it is */
	size_t size = 0;

	if (file == NULL || *file == '\0')
		file = "stkpath-%p.stk";
	if (*file != '/' && getcwd(folder, sizeof folder) != NULL) {
		for (const char *c = folder; *c != '\0' && size + 3 < sizeof runtime.file; c++) {
			if (*c == '%')		/* as name_file() takes it */
				runtime.file[size++] = '%';
			runtime.file[size++] = *c;
		}
		runtime.file[size++] = '/';
	}
	(void)snprintf(runtime.file + size, sizeof runtime.file - size, "%s", file);
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

static void
begin(void)
{
	const char *asked = getenv("STKPATH_SIGNAL");

	choose_file();
	if (gethostname(runtime.host, sizeof runtime.host - 1) < 0)
		runtime.host[0] = '\0';
	runtime.steps = (struct plain_block){ .kind = STK_PATH_STEP, .columns = 7, .time_column = plain_none };
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
	if (f->count_total > 0)
		f->written = runtime_pages(f->count_total * sizeof *f->written);
	f->next = runtime.functions;
	runtime.functions = f;
	runtime.registered++;
}

void
stkpath_unregister(struct probed_function *f)
{
	stkpath_write();
	for (struct probed_function **at = &runtime.functions; *at != NULL; at = &(*at)->next)
		if (*at == f) {
			sigset_t old;

			enter_lists(&old);
			*at = f->next;
			runtime.registered++;
			own_counts_retire(f);
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
