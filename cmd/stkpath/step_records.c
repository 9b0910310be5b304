/* SPDX-License-Identifier: MIT
 * step_records: rows are stretches of calls, or counts that a program made by itself. Where a part of the stream is
 * lost, unfinished calls may lack blocks unnoticed: they are not counted. */
#include "step_records.h"

#include "base/bytes.h"
#include "program/program.h"
#include "report/counting_methods.h"
#include "stkpipe/stream.h"

#include <string.h>

#define CALLS_MOST 10000000u		/* unfinished at once */
#define TOLD_MOST  10

struct call { uint64_t pid, number; struct path_activation *activation; };

struct steps {
	const char *path;
	struct input *input;
	struct stk_text first;		/* the part that was read but not passed to the reader yet */
	const struct flow_graph *graph;
	struct path_machine *machine;
	struct stk_reader *reader;
	ARRAY(uint64_t) pids;		/* of the stream's sources */
	ARRAY(struct call) calls;	/* unfinished, the latest last */
	struct walked_paths *others;	/* counted paths that are not in the plan; NULL: they are left out */
	uint64_t wrong, taken, foreign;	/* foreign: how many were left out */
};

bool
step_records_are(struct stk_text first)
{
	return first.size >= 4 && memcmp(first.data, "\x53\x2a\x4d\x18", 4) == 0;
}

static long
read_bytes(void *context, void *to, size_t size, struct stk_error *err)
{
	struct steps *s = context;

	if (s->first.size == 0)
		return input_read(s->input, to, size, err);
	size = size < s->first.size ? size : s->first.size;
	memcpy(to, s->first.data, size);
	s->first = text_of(s->first.data + size, s->first.size - size);
	return (long)size;
}

static void
tell(struct steps *s, const char *what, uint64_t call)
{
	if (++s->wrong <= TOLD_MOST)
		program_warn("%s: call %llu: %s", s->path, (unsigned long long)call, what);
}

static void
break_calls(struct steps *s)
{
	for (size_t i = 0; i < s->calls.count; i++)
		(void)path_machine_step(s->machine, s->calls.at[i].activation, NO_BLOCK);
}

static void
tell_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	struct steps *s = context;

	program_warn("%s:%lld: %s; %llu bytes are left out; unfinished calls are not counted", s->path, (long long)offset,
		     what, (unsigned long long)bytes);
	break_calls(s);
}

/* The place of a call among the unfinished ones, from the latest on. Their count: not found. */
static size_t
find_call(const struct steps *s, uint64_t pid, uint64_t number)
{
	for (size_t i = s->calls.count; i-- > 0; )
		if (s->calls.at[i].pid == pid && s->calls.at[i].number == number)
			return i;
	return s->calls.count;
}

static void
walk(struct steps *s, const struct call *call, struct stk_text blocks)
{
	while (blocks.size > 0) {
		uint32_t block = flow_graph_find(s->graph, text_take(&blocks, ' '));

		if (path_machine_step(s->machine, call->activation, block) == PATH_NO_EDGE) {
			tell(s,
			     block == NO_BLOCK ? "the graph has no block that it went through: it counts nothing"
					       : "it went where no edge leads: it counts nothing",
			     call->number);
			return;
		}
	}
}

static void
take_step(struct steps *s, const struct stk_path_step *row)
{
	uint64_t pid = row->source > 0 && row->source <= s->pids.count ? s->pids.at[row->source - 1] : 0;
	size_t at;

	if (!text_is(row->function, s->graph->function))
		return;
	s->taken++;
	at = find_call(s, pid, row->call);
	if (row->begins != 0 && s->calls.count < CALLS_MOST) {
		if (at < s->calls.count)
			tell(s, "begins a second time", row->call);
		at = s->calls.count;
		*array_push(&s->calls) = (struct call){ pid, row->call, path_machine_begin(s->machine) };
	} else if (at == s->calls.count) {
		tell(s, "has no beginning; left out", row->call);
		return;
	}
	walk(s, &s->calls.at[at], row->blocks);
	if (row->ends == 0)
		return;
	path_machine_finish(s->machine, s->calls.at[at].activation);
	memmove(&s->calls.at[at], &s->calls.at[at + 1], (s->calls.count - at - 1) * sizeof *s->calls.at);
	s->calls.count--;
}

static bool
is_walk(const struct flow_graph *g, const struct flow_path *path)
{
	for (size_t k = 0; k < path->blocks.count; k++)
		if (path->blocks.at[k] == NO_BLOCK ||
		    (k > 0 && flow_graph_edge(g, path->blocks.at[k - 1], path->blocks.at[k]) == NO_EDGE))
			return false;
	return true;
}

/* A path that is not in the plan begins anywhere, so an entry that we added is not part of it. */
static void
take_other(struct steps *s, struct flow_path path, uint64_t count)
{
	size_t first = flow_path_first(s->graph, &path);
	struct flow_path own = { { path.blocks.at + first, path.blocks.count - first, 0 } };

	if (s->others != NULL && is_walk(s->graph, &own))
		(void)walked_paths_add(s->others, own.blocks.at, own.blocks.count, count);
	else
		s->foreign++;
}

/* Counts of the program itself. */
static void
take_count(struct steps *s, const struct stk_path_count *row)
{
	struct flow_path path = { 0 };
	struct stk_text rest = row->path;

	if (!text_is(row->function, s->graph->function))
		return;
	s->taken++;
	if (s->graph->entry != s->graph->first)
		*array_push(&path.blocks) = s->graph->entry;
	while (rest.size > 0)
		*array_push(&path.blocks) = flow_graph_find(s->graph, text_take(&rest, ' '));
	if (!path_machine_add(s->machine, &path, row->count) && row->count > 0)
		take_other(s, path, row->count);
	array_release(&path.blocks);
}

static int
take_block(struct steps *s, const struct stk_block *block, struct stk_error *err)
{
	if (block->kind == STK_HEAD)
		s->pids.count = 0;
	if (block->kind != STK_SOURCE && block->kind != STK_PATH_STEP && block->kind != STK_PATH_COUNT &&
	    block->kind != STK_PATH_CALL)
		return 0;
	if (stk_reader_rows(s->reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		struct stk_path_step step;
		struct stk_path_count count;
		struct stk_path_call call;
		struct stk_source source;

		if (block->kind == STK_PATH_STEP) {
			stk_reader_row(s->reader, i, &step);
			take_step(s, &step);
		} else if (block->kind == STK_PATH_COUNT) {
			stk_reader_row(s->reader, i, &count);
			take_count(s, &count);
		} else if (block->kind == STK_PATH_CALL) {
			stk_reader_row(s->reader, i, &call);
			if (text_is(call.function, s->graph->function) && method_is_inexact(call.method))
				path_machine_distrust(s->machine);
		} else {
			stk_reader_row(s->reader, i, &source);
			*array_push(&s->pids) = source.pid;
		}
	}
	return 0;
}

void
step_records_read(const char *path, struct input *input, struct stk_text first, const struct flow_graph *graph,
		  struct path_machine *machine, struct walked_paths *others)
{
	struct steps s = { .path = path, .input = input, .first = first, .graph = graph, .machine = machine,
			   .others = others };
	struct stk_reader_options options = {
		.read = read_bytes, .context = &s, .damage = tell_damage, .damage_context = &s
	};
	struct stk_error err = { 0 };
	struct stk_block block;
	int got = stk_reader_open(&s.reader, &options, &err);

	while (got == 0 && !program_stopping() && (got = stk_reader_next(s.reader, &block, &err)) > 0) {
		struct stk_error damage = { 0 };

		got = 0;
		if (take_block(&s, &block, &damage) < 0 && damage.code != STK_EDATA) {
			err = damage;
			break;
		}
	}
	if (err.code != STK_EOK)
		program_report(path, &err);
	else if (s.taken == 0)
		program_warn("%s: has no steps and no counts of %s", path, graph->function);
	else if (s.foreign > 0)
		program_say("%s: %llu counted paths are not in the %s, and left out", path,
			    (unsigned long long)s.foreign, others != NULL ? "graph" : "plan");
	if (s.wrong > TOLD_MOST)
		program_warn("%s: %llu more such calls", path, (unsigned long long)(s.wrong - TOLD_MOST));
	for (size_t i = s.calls.count; i-- > 0; )
		path_machine_finish(machine, s.calls.at[i].activation);
	stk_reader_close(s.reader);
	array_release(&s.pids);
	array_release(&s.calls);
}
