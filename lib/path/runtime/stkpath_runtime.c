/* SPDX-License-Identifier: MIT
 * stkpath_runtime: keeps a list of the program's probed functions and writes what they counted. Writing may happen in a
 * signal handler, so it takes memory only from the kernel and calls only system calls; what it must not find half
 * changed (tables of ids that grow) is protected by a lock, and a signal waits for it. */
#include "plain_stream.h"
#include "probed_function.h"

#include "stkpipe/path_runtime.h"
#include "stkpipe/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
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

/* Pairs and how often each was counted; the number of a pair is its place in `entries`, from 1. */
struct id_entry { uint64_t a, b, count, written; };
struct id_table { struct id_entry *entries; uint32_t *slots; uint64_t count, room; };

static struct {
	struct probed_function *functions;
	pthread_mutex_t lock;		/* of tables of ids, of steps, and of writing */
	volatile sig_atomic_t changing;	/* tables or steps are being changed or written: signals are handled
					 * afterwards */
	volatile sig_atomic_t waiting;	/* that signal; 0 */
	int asked;			/* the signal at which counts are written and the program continues; 0 */
	int child;			/* its parent writes the functions that nobody called */
	void (*stop)(void);
	char file[4096], host[65];
	struct plain_block steps;
	const struct probed_function *row_function;	/* of the open row of steps */
	uint64_t row_call, row_begins, last_call;	/* row_call: 0 when none is open */
	struct plain_bytes row;
} runtime = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
say(const char *what, const char *why)
{
	char text[4400];
	int size = snprintf(text, sizeof text, "stkpath: %s: %s: counts are lost\n", what, why);

	if (size > 0 && write(2, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1) < 0)
		return;
}

static void *
pages(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at != MAP_FAILED)
		return at;
	say("memory", strerror(ENOMEM));
	_exit(3);
}

/* --- tables of ids --- */

static uint64_t
slot_of(const struct id_table *t, uint64_t a, uint64_t b)
{
	uint64_t hash = (a ^ b * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;

	return (hash ^ hash >> 32) & (t->room * 2 - 1);
}

static void
grow(struct id_table *t)
{
	struct id_table larger = { .count = t->count, .room = t->room == 0 ? 4096 : t->room * 2 };

	larger.entries = pages(larger.room * sizeof *larger.entries);
	larger.slots = pages(larger.room * 2 * sizeof *larger.slots);
	for (uint64_t i = 0; i < t->count; i++) {
		uint64_t slot = slot_of(&larger, t->entries[i].a, t->entries[i].b);

		larger.entries[i] = t->entries[i];
		while (larger.slots[slot] != 0)
			slot = (slot + 1) & (larger.room * 2 - 1);
		larger.slots[slot] = (uint32_t)i + 1;
	}
	if (t->room > 0) {
		munmap(t->entries, t->room * sizeof *t->entries);
		munmap(t->slots, t->room * 2 * sizeof *t->slots);
	}
	*t = larger;
}

/* The number of a pair, which is added when it is new. */
static uint64_t
number_of(struct id_table **table, uint64_t a, uint64_t b)
{
	struct id_table *t = *table;
	uint64_t slot;

	if (t == NULL)
		t = *table = pages(sizeof *t);
	if (t->count == t->room)
		grow(t);
	for (slot = slot_of(t, a, b); t->slots[slot] != 0; slot = (slot + 1) & (t->room * 2 - 1))
		if (t->entries[t->slots[slot] - 1].a == a && t->entries[t->slots[slot] - 1].b == b)
			return t->slots[slot];
	t->entries[t->count] = (struct id_entry){ .a = a, .b = b };
	t->slots[slot] = (uint32_t)++t->count;
	return t->count;
}

static void answer(int number);

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
	int number;

	runtime.changing = 0;
	if (locked)
		(void)pthread_mutex_unlock(&runtime.lock);
	number = runtime.waiting;
	if (number != 0) {
		runtime.waiting = 0;
		answer(number);
	}
}

void
stkpath_count(struct probed_function *f, uint64_t id, uint64_t piece)
{
	bool locked = enter();
	uint64_t number = number_of(&f->ids, id, piece);

	f->ids->entries[number - 1].count++;
	leave(locked);
}

uint64_t
stkpath_put_away(struct probed_function *f, uint64_t piece, uint64_t digits)
{
	bool locked = enter();
	uint64_t number = number_of(&f->pieces, piece, digits);

	leave(locked);
	return number;
}

/* --- the rows of one writing --- */

struct writing {
	struct plain_stream stream;
	struct plain_block edges, calls, counts, notes;
	struct plain_bytes path;	/* the current text */
	uint64_t now;
};

static void
find_names(struct probed_function *f)
{
	const char *name = f->blocks;

	if (f->names != NULL)
		return;
	f->names = pages(f->block_count * sizeof *f->names);
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

static void
put_note(struct writing *w, const char *about, const char *text)
{
	plain_word(&w->notes, 1);
	plain_text(&w->notes, about, strlen(about));
	plain_text(&w->notes, text, strlen(text));
	plain_row(&w->stream, &w->notes);
}

/* --- from counts to paths --- */

/* What was counted in place since the last writing. */
static uint64_t
take(struct probed_function *f, uint64_t i)
{
	uint64_t now = *(volatile uint64_t *)&f->counts[i], count = now - f->written[i];

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
walk_digits(struct writing *w, const struct probed_function *f, uint64_t digits, uint64_t piece)
{
	const uint32_t *first = f->data, *before = first + f->block_count + 1;
	struct plain_bytes back = { 0 };
	uint32_t block = (uint32_t)f->exit;

	plain_put(&back, &block, sizeof block);
	while (block != f->entry && !back.failed) {
		uint64_t ways = first[block + 1] - first[block], way = 0;

		if (ways > 1) {
			if (digits == 1 && piece != 0) {
				const struct id_entry *put = &f->pieces->entries[piece - 1];

				digits = put->b;
				piece = put->a;
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

static uint64_t
put_id(struct writing *w, const struct probed_function *f, uint64_t id, uint64_t piece, uint64_t count)
{
	int finished = 1;

	if (count == 0)
		return 0;
	if (f->kind == PROBED_SUMS)
		finished = walk_sum(w, f, id);
	else
		walk_digits(w, f, id, piece);
	put_path(w, f, count);
	return finished ? count : 0;
}

static uint64_t
put_ids(struct writing *w, struct probed_function *f)
{
	uint64_t finished = 0;

	for (uint64_t i = PROBED_MARKS; i < f->count_total; i++)
		finished += put_id(w, f, i - PROBED_MARKS, 0, take(f, i));
	for (uint64_t i = 0; f->ids != NULL && i < f->ids->count; i++) {
		struct id_entry *entry = &f->ids->entries[i];

		finished += put_id(w, f, entry->a, entry->b, entry->count - entry->written);
		entry->written = entry->count;
	}
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
	uint64_t *visits = pages(states * sizeof *visits), size = states * sizeof *visits;
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
		if (f->counts[i] != f->written[i])
			return 1;
	for (uint64_t i = 0; f->ids != NULL && i < f->ids->count; i++)
		if (f->ids->entries[i].count != f->ids->entries[i].written)
			return 1;
	return 0;
}

/* Also a function that nobody called, once: the sub-paths that coverage counts are those of all functions. */
static int
is_news(const struct probed_function *f)
{
	return f->kind != PROBED_STEPS && (has_changed(f) || (f->kind == PROBED_SUB_PATHS && f->names == NULL));
}

static void
put_function(struct writing *w, struct probed_function *f)
{
	uint64_t calls, others, finished;

	if (!is_news(f))
		return;
	find_names(f);
	put_graph(w, f);
	if (f->threads == 0 && !__libc_single_threaded)
		put_note(
			w, f->name,
			"the program ran several threads but was instrumented without --atomic: counts may be too low");
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
		say(name, strerror(errno));
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
		say(runtime.file, strerror(stream->error));
	(void)close(stream->fd);
}

static uint64_t
now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void
write_counts(void)
{
	struct writing w = { .now = now_ns() };
	struct plain_block *blocks[] = { &w.edges, &w.counts, &w.calls, &w.notes };
	int some = 0;

	for (const struct probed_function *f = runtime.functions; f != NULL; f = f->next)
		some |= has_changed(f) || (is_news(f) && !runtime.child);
	if (!some || begin_stream(&w.stream) < 0)
		return;
	w.edges = (struct plain_block){ .kind = STK_CFG, .columns = 5, .time_column = plain_none };
	w.calls = (struct plain_block){ .kind = STK_PATH_CALL, .columns = 9, .time_column = 0 };
	w.counts = (struct plain_block){ .kind = STK_PATH_COUNT, .columns = 6, .time_column = 0 };
	w.notes = (struct plain_block){ .kind = STK_NOTE, .columns = 3, .time_column = plain_none };
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

static void
write_steps(void)
{
	struct plain_stream stream;

	if (runtime.steps.rows == 0)
		return;
	if (begin_stream(&stream) == 0) {
		plain_flush(&stream, &runtime.steps);
		end_stream(&stream);
	}
	plain_forget(&runtime.steps);
}

/* Closes the open row. */
static void
end_row(const struct probed_function *f, int ends)
{
	struct plain_block *steps = &runtime.steps;

	plain_word(steps, 1);
	plain_word(steps, (uint64_t)gettid());
	plain_word(steps, runtime.row_call);
	plain_text(steps, f->name, strlen(f->name));
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

/* The following steps belong to this call. */
static void
turn_to(const struct probed_function *f, uint64_t call)
{
	if (runtime.row_call == call)
		return;
	if (runtime.row_call != 0)
		end_row(runtime.row_function, 0);
	runtime.row_function = f;
	runtime.row_call = call;
}

uint64_t
stkpath_begin(struct probed_function *f)
{
	bool locked = enter();
	uint64_t call = ++runtime.last_call;

	turn_to(f, call);
	runtime.row_begins = 1;
	leave(locked);
	return call;
}

void
stkpath_step(struct probed_function *f, uint64_t call, uint64_t block)
{
	bool locked = enter();

	turn_to(f, call);
	find_names(f);
	if (runtime.row.count > 0)
		plain_put(&runtime.row, " ", 1);
	plain_put(&runtime.row, f->names[block], strlen(f->names[block]));
	if (runtime.row.count > ROW_MOST)
		end_row(f, 0);
	leave(locked);
}

void
stkpath_end(struct probed_function *f, uint64_t call)
{
	bool locked = enter();

	turn_to(f, call);
	end_row(f, 1);
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
	bool locked = enter();

	write_all();
	leave(locked);
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
		say(runtime.file, "it crashed where paths are counted");
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

/* How many calls have ended so far, or were abandoned. */
static uint64_t
ended_calls(const struct probed_function *f)
{
	uint64_t ended = f->counts[PROBED_OTHERS];
	const uint32_t *block_of = block_of_places(f);

	for (uint64_t i = PROBED_MARKS; i < f->count_total; i++)
		if (f->kind == PROBED_LISTED || f->kind == PROBED_DIGITS ||
		    (f->kind == PROBED_SUMS && f->counts[i] > 0 && walk_sum(NULL, f, i - PROBED_MARKS)) ||
		    (f->kind == PROBED_SUB_PATHS && block_of[i - PROBED_MARKS] == f->exit))
			ended += f->counts[i];
	for (uint64_t i = 0; f->ids != NULL && i < f->ids->count; i++)
		if (f->kind == PROBED_DIGITS || walk_sum(NULL, f, f->ids->entries[i].a))
			ended += f->ids->entries[i].count;
	return ended;
}

static uint64_t
begun_calls(const struct probed_function *f)
{
	const uint32_t *block_of = block_of_places(f);
	uint64_t begun = f->counts[PROBED_CALLS];

	for (uint64_t i = PROBED_MARKS; i < f->count_total && f->kind == PROBED_SUB_PATHS; i++)
		begun += block_of[i - PROBED_MARKS] == f->entry ? f->counts[i] : 0;
	return begun;
}

/* No other thread may be changing a table when only the forking one remains. */
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
	runtime.changing = runtime.waiting = 0;
	runtime.child = 1;
	plain_forget(&runtime.steps);
	runtime.row.count = 0;
	runtime.row_call = 0;
	for (struct probed_function *f = runtime.functions; f != NULL; f = f->next) {
		f->adopted = f->kind == PROBED_STEPS ? 0 : begun_calls(f) - ended_calls(f);
		for (uint64_t i = 0; i < f->count_total; i++)
			f->written[i] = f->counts[i];
		for (uint64_t i = 0; f->ids != NULL && i < f->ids->count; i++)
			f->ids->entries[i].written = f->ids->entries[i].count;
	}
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
	own.ss_sp = pages(own.ss_size);
	(void)sigaltstack(&own, NULL);
}

/* Comes before the deadly ones, of which it may be one. */
static void
handle_asked(const char *name)
{
	static const char why[] = "stkpath: STKPATH_SIGNAL: not a signal that can be handled: counts are written at the end only\n";

	runtime.asked = signal_named(name);
	if (runtime.asked == 0 || !handle(runtime.asked, SA_RESTART | SA_ONSTACK)) {
		runtime.asked = 0;
		if (write(2, why, sizeof why - 1) < 0)
			return;
	}
}

static void
begin(void)
{
	static const int deadly[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGILL,  SIGABRT,   SIGBUS,  SIGFPE, SIGSEGV,
				      SIGPIPE, SIGALRM, SIGXCPU, SIGXFSZ, SIGUSR1, SIGUSR2,   SIGTRAP, SIGSYS, SIGPROF,
				      SIGPOLL, SIGPWR,  SIGVTALRM };
	const char *asked = getenv("STKPATH_SIGNAL");

	choose_file();
	if (gethostname(runtime.host, sizeof runtime.host - 1) < 0)
		runtime.host[0] = '\0';
	runtime.steps = (struct plain_block){ .kind = STK_PATH_STEP, .columns = 7, .time_column = plain_none };
	give_signals_a_stack();
	if (asked != NULL && *asked != '\0')
		handle_asked(asked);
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		(void)handle(deadly[i], (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK));
	(void)pthread_atfork(before_fork, behind_fork, begin_child);
	(void)atexit(stkpath_write);
	(void)at_quick_exit(stkpath_write);
}

void
stkpath_register(struct probed_function *f)
{
	if (f->version != PROBED_VERSION) {
		say(f->name, "instrumented for another version of the library");
		return;
	}
	if (runtime.functions == NULL)
		begin();
	if (f->count_total > 0)
		f->written = pages(f->count_total * sizeof *f->written);
	f->next = runtime.functions;
	runtime.functions = f;
}

void
stkpath_unregister(struct probed_function *f)
{
	stkpath_write();
	for (struct probed_function **at = &runtime.functions; *at != NULL; at = &(*at)->next)
		if (*at == f) {
			*at = f->next;
			return;
		}
}

void
stkpath_on_stop(void (*stop)(void))
{
	runtime.stop = stop;
}

void
stkpath_stop(void)
{
	if (runtime.stop != NULL)
		runtime.stop();
	exit(0);
}
