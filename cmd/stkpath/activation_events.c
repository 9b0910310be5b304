/* SPDX-License-Identifier: MIT
 * activation_events: a stack of activations for each thread; blocks belong to the top of the present one. */
#include "activation_events.h"
#include "step_records.h"

#include "base/bytes.h"
#include "base/input.h"
#include "base/text_buffer.h"
#include "program/program.h"

#include <stdlib.h>
#include <xxhash.h>

#define LINE_MOST    4096u
#define TOLD_MOST    10			/* lines that are wrong; the others are only counted */
#define MAGIC_BYTES 4		/* of a record stream, and of compressed lines */
#define THREADS_MOST 1000000u
#define CALLS_MOST   10000000u		/* unfinished at once */

struct thread { char *name; ARRAY(struct path_activation *) calls; };

struct events {
	const char *path;
	const struct flow_graph *graph;
	struct path_machine *machine;
	ARRAY(struct thread) threads;
	struct hash_map by_name;
	struct thread *present;		/* NULL: none yet */
	size_t calls;
	uint64_t line, wrong;
};

static void
tell(struct events *e, const char *what, struct stk_text text)
{
	if (text.size > 60)
		text.size = 60;
	if (++e->wrong <= TOLD_MOST)
		program_warn("%s:%llu: %s%s%.*s%s", e->path, (unsigned long long)e->line, what,
			     text.size > 0 ? " '" : "", (int)text.size, text.data != NULL ? text.data : "",
			     text.size > 0 ? "'" : "");
}

static struct thread *
thread_named(struct events *e, struct stk_text name)
{
	uint64_t hash = XXH3_64bits(name.data, name.size);
	uint32_t at = hash_map_start(&e->by_name, hash), id;
	struct thread *thread;

	while ((id = hash_map_next(&e->by_name, hash, &at)) != 0)
		if (text_is(name, e->threads.at[id - 1].name))
			return &e->threads.at[id - 1];
	if (e->threads.count >= THREADS_MOST)
		return NULL;
	thread = array_push(&e->threads);
	*thread = (struct thread){ .name = mem_new(name.size + 1, 1) };
	memcpy(thread->name, name.data, name.size);
	hash_map_put(&e->by_name, hash, (uint32_t)e->threads.count);
	return thread;
}

static struct stk_text
behind_mark(struct stk_text line)
{
	struct stk_text rest = text_of(line.data + 1, line.size - 1);

	while (rest.size > 0 && *rest.data == ' ')
		rest = text_of(rest.data + 1, rest.size - 1);
	return rest;
}

static void
take_line(struct events *e, struct stk_text line)
{
	struct path_activation *top = e->present != NULL && e->present->calls.count > 0
					      ? e->present->calls.at[e->present->calls.count - 1]
					      : NULL;
	uint32_t block;

	if (line.size == 0)
		return;
	if (*line.data == '>' || (*line.data == '@' && line.size > 1 && line.data[1] == ' ')) {
		struct thread *thread = thread_named(e, behind_mark(line));

		if (thread == NULL || e->calls >= CALLS_MOST) {
			tell(e, "too many threads or calls at once; left out:", line);
			return;
		}
		e->present = thread;
		if (*line.data == '>') {
			*array_push(&thread->calls) = path_machine_begin(e->machine);
			e->calls++;
		}
		return;
	}
	if (top == NULL) {
		tell(e, "no call has begun:", line);
		return;
	}
	if (text_is(line, "<")) {
		path_machine_finish(e->machine, top);
		e->present->calls.count--;
		e->calls--;
		return;
	}
	block = flow_graph_find(e->graph, line);
	if (block == NO_BLOCK)
		tell(e, "not a block of the graph:", line);
	if (path_machine_step(e->machine, top, block) == PATH_NO_EDGE && block != NO_BLOCK)
		tell(e, "no edge leads here from the block before; the call is not counted:", line);
}

static void
finish_all(struct events *e)
{
	for (size_t t = 0; t < e->threads.count; t++) {
		for (size_t c = e->threads.at[t].calls.count; c-- > 0; )
			path_machine_finish(e->machine, e->threads.at[t].calls.at[c]);
		array_release(&e->threads.at[t].calls);
		free(e->threads.at[t].name);
	}
	array_release(&e->threads);
	hash_map_release(&e->by_name);
}

/* Takes the whole lines; the rest is moved to the front. */
static size_t
take_lines(struct events *e, char *bytes, size_t count, bool last)
{
	size_t from = 0;

	while (from < count) {
		const char *newline = memchr(bytes + from, '\n', count - from);
		size_t size = newline != NULL ? (size_t)(newline - (bytes + from)) : count - from;

		if (newline == NULL && !last && size <= LINE_MOST)
			break;
		e->line++;
		if (newline == NULL && last)
			tell(e, "the last line is incomplete; left out", text_of("", 0));
		else if (size > LINE_MOST || memchr(bytes + from, '\0', size) != NULL)
			tell(e, "not a line of events", text_of("", 0));
		else
			take_line(e,
				  text_of(bytes + from, size > 0 && bytes[from + size - 1] == '\r' ? size - 1 : size));
		from += size + (newline != NULL);
	}
	memmove(bytes, bytes + from, count - from);
	return count - from;
}

static void
read_lines(struct events *e, struct input *in, struct text_buffer *bytes)
{
	struct stk_error why = { 0 };
	long got = 1;

	while (got > 0 && !program_stopping()) {
		bytes->count = take_lines(e, bytes->at, bytes->count, false);
		array_reserve(bytes, 65536);
		got = input_read(in, bytes->at + bytes->count, 65536, &why);
		bytes->count += got > 0 ? (size_t)got : 0;
	}
	(void)take_lines(e, bytes->at, bytes->count, true);
	if (got < 0)
		program_report(e->path, &why);
	if (e->wrong > TOLD_MOST)
		program_warn("%s: %llu more such lines", e->path, (unsigned long long)(e->wrong - TOLD_MOST));
	finish_all(e);
}

/* Opens an input and reads its first bytes. Record streams pass unchanged; lines may be in a compressed file. */
static int
open_events(struct input **in, const char *path, struct text_buffer *bytes, struct stk_error *err)
{
	static const struct input_limits records = { .keep_zstd = true };
	const struct input_limits *limits = &records;
	long got;

	for (;;) {
		if (input_open(in, path, limits, err) < 0)
			return -1;
		array_reserve(bytes, 65536);
		bytes->count = 0;
		while ((got = input_read(*in, bytes->at + bytes->count, 65536 - bytes->count, err)) > 0 &&
		       (bytes->count += (size_t)got) < MAGIC_BYTES)
			continue;		/* a pipe may give less at once */
		if (got < 0 || limits == NULL || bytes->count < MAGIC_BYTES || memcmp(bytes->at, "\x28\xb5\x2f\xfd", 4) != 0)
			break;
		input_close(*in);		/* compressed lines; from a pipe, zstd reports the missing
						 * beginning */
		limits = NULL;
	}
	if (got < 0)
		input_close(*in);
	return got < 0 ? -1 : 0;
}

void
activation_events_read(const char *path, const struct flow_graph *graph, struct path_machine *machine,
		       struct walked_paths *others)
{
	struct events e = { .path = path, .graph = graph, .machine = machine };
	struct text_buffer bytes = { 0 };
	struct stk_error why = { 0 };
	struct input *in;

	if (open_events(&in, path, &bytes, &why) < 0) {
		program_report(path, &why);
	} else {
		if (step_records_are(text_of(bytes.at, bytes.count)))
			step_records_read(path, in, text_of(bytes.at, bytes.count), graph, machine, others);
		else
			read_lines(&e, in, &bytes);
		input_close(in);
	}
	array_release(&bytes);
}
