/* SPDX-License-Identifier: MIT
 * probe_facts: the globals of probed functions: their counts, and what the runtime needs to make paths of them
 * (runtime/probed_function.h). */
#include "probe/probe_facts.h"

#include "base/bytes.h"
#include "path/path_pieces.h"
#include "path/runtime/probed_function.h"
#include "probe/probe_kind.h"

#include <inttypes.h>
#include <string.h>

/* --- data: numbers of 32 bits --- */

struct numbers { ARRAY(uint32_t) list; };

static void
put_number(struct numbers *to, uint32_t number)
{
	*array_push(&to->list) = number;
}

static void
put_path(struct numbers *to, const struct flow_path *path)
{
	put_number(to, (uint32_t)path->blocks.count);
	for (size_t k = 0; k < path->blocks.count; k++)
		put_number(to, path->blocks.at[k]);
}

/* One count per path; with tables the count's place is the number with which the path ends. */
static void
put_listed(struct numbers *to, const struct word_plan *words)
{
	const struct path_plan *plan = words->plan;
	size_t *path_at = mem_new(plan->paths.count, sizeof *path_at);

	for (size_t i = 0; i < plan->paths.count; i++)
		path_at[words->keeping == KEEP_TABLE ? (size_t)words->ids[i] - 1 : i] = i;
	for (size_t i = 0; i < plan->paths.count; i++)
		put_path(to, &plan->paths.at[path_at[i]]);
	free(path_at);
}

static int
put_sums(struct numbers *to, const struct flow_graph *g, struct stk_error *err)
{
	struct path_pieces pieces;
	uint32_t edges = 0;

	if (path_pieces_make(&pieces, g, err) < 0) {
		path_pieces_release(&pieces);
		return -1;
	}
	put_number(to, (uint32_t)pieces.acyclic->blocks.count);
	for (uint32_t b = 0; b < pieces.acyclic->blocks.count; b++) {
		put_number(to, edges);
		edges += (uint32_t)pieces.acyclic->blocks.at[b].out.count;
	}
	put_number(to, edges);
	for (uint32_t b = 0; b < pieces.acyclic->blocks.count; b++)
		for (size_t k = 0; k < pieces.acyclic->blocks.at[b].out.count; k++) {
			uint32_t e = pieces.acyclic->blocks.at[b].out.at[k];

			put_number(to, pieces.acyclic->edges.at[e].to);
			put_number(to, (uint32_t)pieces.weights.weight[e]);
			put_number(to, (uint32_t)(pieces.weights.weight[e] >> 32));
		}
	path_pieces_release(&pieces);
	return 0;
}

static void
put_ways(struct numbers *to, const struct flow_graph *g)
{
	uint32_t ways = 0;

	for (uint32_t b = 0; b < g->blocks.count; b++) {
		put_number(to, ways);
		ways += (uint32_t)g->blocks.at[b].in.count;
	}
	put_number(to, ways);
	for (uint32_t b = 0; b < g->blocks.count; b++)
		for (size_t k = 0; k < g->blocks.at[b].in.count; k++)
			put_number(to, g->edges.at[g->blocks.at[b].in.at[k]].from);
}

static void
put_sub_paths(struct numbers *to, const struct word_plan *words)
{
	const struct sub_paths *s = words->sub_paths;
	const struct flow_graph *g = words->plan->graph;
	uint32_t states = sub_paths_states(s);

	put_number(to, states);
	put_number(to, (uint32_t)words->plan->paths.count);
	for (uint32_t i = 0; i < states; i++)
		put_number(to, i > 0 ? sub_paths_from(s, i) : 0);
	for (uint32_t i = 0; i < states; i++)
		put_number(to, i > 0 ? sub_paths_block(s, i) : 0);
	for (uint32_t i = 0; i < states; i++)
		put_number(to, sub_paths_link(s, i));
	for (uint32_t i = 0; i < states; i++)
		put_number(to, sub_paths_order(s)[i]);
	for (size_t i = 0; i < words->plan->paths.count; i++)
		put_number(to, sub_paths_end(s, i));
	for (size_t i = 0; i < words->visits; i++)
		put_number(to, words->state_of_visit[i]);
	for (uint32_t b = 0; b < g->blocks.count; b++)
		for (uint32_t i = words->first_visit[b]; i < words->first_visit[b + 1]; i++)
			put_number(to, b);
	for (size_t i = 0; i < words->visits; i++)
		put_number(to, words->next_visit != NULL ? words->next_visit[i] : NO_VISIT);
}

/* static: other modules that call this name call another function. */
static bool
is_static(const struct ir_module *m, const struct ir_function *f)
{
	return text_starts(m->lines.at[f->first_line], "define internal ") ||
	       text_starts(m->lines.at[f->first_line], "define private ");
}

static int
put_data(struct numbers *to, const struct ir_module *m, const struct probed *probed, struct stk_error *err)
{
	switch (probed_kind_of(probed)) {
	case PROBED_LISTED:    put_listed(to, probed->words); break;
	case PROBED_SUMS:      return put_sums(to, probed->graph, err);
	case PROBED_DIGITS:    put_ways(to, probed->graph); break;
	case PROBED_SUB_PATHS: put_sub_paths(to, probed->words); break;
	case PROBED_STEPS:     put_number(to, is_static(m, probed->function)); break;
	}
	return 0;
}

/* --- globals --- */

static void
write_numbers(struct probe_writer *w, const char *what, const struct numbers *numbers)
{
	size_t count = numbers->list.count;

	ir_put(w->globals, "@stk.f%u.%s = private unnamed_addr constant [%zu x i32] ", w->number, what, count);
	if (count == 0)
		ir_put(w->globals, "zeroinitializer");
	for (size_t i = 0; i < count; i++)
		ir_put(w->globals, "%si32 %" PRIu32, i > 0 ? "," : "[", numbers->list.at[i]);
	ir_put(w->globals, "%s\n", count > 0 ? "]" : "");
}

/* In a section of that name; NULL: with other constants. */
static size_t
write_string(struct probe_writer *w, const char *what, const char *string, size_t size, const char *section)
{
	ir_put(w->globals, "@stk.f%u.%s = private unnamed_addr constant [%zu x i8] ", w->number, what, size + 1);
	ir_put_string(w->globals, string, size);
	if (section != NULL)
		ir_put(w->globals, ", section \"%s\"", section);
	ir_put(w->globals, "\n");
	return size + 1;
}

/* A pointer to a global, as i8* or ptr. */
static void
write_pointer(struct probe_writer *w, const char *what, size_t count, const char *type)
{
	if (w->module->opaque)
		ir_put(w->globals, ", ptr @stk.f%u.%s", w->number, what);
	else
		ir_put(w->globals, ", i8* bitcast ([%zu x %s]* @stk.f%u.%s to i8*)", count, type, w->number, what);
}

/* The path of an id: its count's place, or that of others. */
static void
write_find(struct probe_writer *w)
{
	const struct word_plan *words = w->probed->words;
	size_t count = words->plan->paths.count;

	ir_put(w->globals, "define internal i64 @stk.f%u.find(%s %%r) nounwind {\n  switch %s %%r, label %%none [",
	       w->number, probe_word(w), probe_word(w));
	for (size_t i = 0; i < count; i++) {
		bool known = false;

		/* ids of inexact methods may be those of others, which get the counts */
		for (size_t k = 0; k < i && !words->plan->exact; k++)
			known |= words->ids[k] == words->ids[i];
		if (known)
			continue;
		ir_put(w->globals, "\n    %s ", probe_word(w));
		probe_put_word(w->globals, words->ids[i]);
		ir_put(w->globals, ", label %%p%zu", i);
	}
	ir_put(w->globals, " ]\nnone:\n  ret i64 %d\n", PROBED_OTHERS);
	for (size_t i = 0; i < count; i++)
		ir_put(w->globals, "p%zu:\n  ret i64 %zu\n", i, i + PROBED_MARKS);
	ir_put(w->globals, "}\n");
}

/* Where the calling thread counts: asked for at its first call, then remembered. */
static void
write_own(struct probe_writer *w)
{
	const char *counts = PROBE_POINTER(w, "i64"), *place = w->module->opaque ? "ptr" : "i64**";
	unsigned n = w->number;

	ir_put(w->globals, "@stk.f%u.own = internal thread_local global %s null\n", n, counts);
	ir_put(w->globals,
	       "define internal %s @stk.f%u.mine() alwaysinline nounwind {\nentry:\n"
	       "  %%had = load %s, %s @stk.f%u.own\n  %%none = icmp eq %s %%had, null\n"
	       "  br i1 %%none, label %%first, label %%known\n", counts, n, counts, place, n, counts);
	ir_put(w->globals,
	       "first:\n  %%new = call %s @stkpath_own(%s @stk.f%u)\n  store %s %%new, %s @stk.f%u.own\n"
	       "  br label %%known\nknown:\n  %%counts = phi %s [ %%had, %%entry ], [ %%new, %%first ]\n"
	       "  ret %s %%counts\n}\n", counts, PROBE_POINTER(w, "%stk.function"), n, counts, place, n, counts,
	       counts);
}

static size_t
write_block_names(struct probe_writer *w)
{
	const struct flow_graph *g = w->probed->graph;
	struct ir_buffer names = { 0 };
	size_t size;

	for (uint32_t b = 0; b < g->blocks.count; b++) {
		ir_put_text(&names, text_from(g->blocks.at[b].name));
		*array_push(&names) = '\0';
	}
	size = write_string(w, "blocks", names.at, names.count, NULL);
	array_release(&names);
	return size;
}

/* The name of the method in the stream. An exact plan of prepp has a name of its own: readers mark counts of `prepp` as
 * inexact. */
static const char *
method_name(const struct probed *p)
{
	if (p->words == NULL)
		return "steps";
	if (p->words->plan->method == PATH_PREPP && p->words->plan->exact)
		return "prepp --poison";
	return path_method_names[p->words->plan->method];
}

int
probe_write_globals(struct probe_writer *w, struct stk_error *err)
{
	const struct probed *p = w->probed;
	const struct flow_graph *g = p->graph;
	const char *method = method_name(p),
		*pointer = w->module->opaque ? "ptr" : "i8*";
	struct numbers edges = { 0 }, data = { 0 };
	size_t name, file, methods, blocks;

	if (put_data(&data, w->module, p, err) < 0) {
		array_release(&data.list);
		return -1;
	}
	for (uint32_t e = 0; e < g->edges.count; e++) {
		put_number(&edges, g->edges.at[e].from);
		put_number(&edges, g->edges.at[e].to);
	}
	if (probed_kind_of(p) == PROBED_LISTED && p->words->keeping != KEEP_TABLE)
		write_find(w);
	if (p->words != NULL)
		write_own(w);
	/* a program can be asked which of its functions have probes, and of which files, as stkpath-cc does */
	name = write_string(w, "name", p->function->name.data, p->function->name.size, "stkpath_names");
	file = write_string(w, "file", p->function->file.data, p->function->file.size, "stkpath_files");
	methods = write_string(w, "method", method, strlen(method), NULL);
	blocks = write_block_names(w);
	write_numbers(w, "edges", &edges);
	write_numbers(w, "data", &data);
	ir_put(w->globals, "@stk.f%u = internal global %%stk.function { i64 %u, i64 %d", w->number, PROBED_VERSION,
	       (int)probed_kind_of(p));
	write_pointer(w, "name", name, "i8");
	write_pointer(w, "file", file, "i8");
	write_pointer(w, "method", methods, "i8");
	write_pointer(w, "blocks", blocks, "i8");
	ir_put(w->globals, ", i64 %zu, i64 %zu, i64 %u, i64 %u", g->blocks.count, g->edges.count, g->entry, g->exit);
	write_pointer(w, "edges", edges.list.count, "i32");
	write_pointer(w, "data", data.list.count, "i32");
	ir_put(w->globals, ", i64 %zu, i64 %" PRIu64 ", %s null, %s null, %s null, %s null, i64 0 }\n", data.list.count,
	       probe_count_total(p), pointer, pointer, pointer, pointer);
	array_release(&edges.list);
	array_release(&data.list);
	return 0;
}

/* --- the module --- */

/* Adds our function to those that run before main, or after it: @llvm.global_ctors = appending global [N x TYPE]
 * [ELEMENTS]. */
static void
write_list(struct ir_buffer *to, const struct ir_module *m, const char *list, const char *ours)
{
	const char *type = m->opaque ? "{ i32, ptr, ptr }" : "{ i32, void ()*, i8* }";

	ir_put(to, "@llvm.%s = appending global [1 x %s] [%s { i32 65535, %s @stk.%s, %s null }]\n", list, type, type,
	       m->opaque ? "ptr" : "void ()*", ours, m->opaque ? "ptr" : "i8*");
}

bool
probe_extend_list(struct ir_buffer *to, const struct ir_module *m, struct stk_text line)
{
	static const char *const lists[] = { "@llvm.global_ctors = appending global [",
		"@llvm.global_dtors = appending global [" };
	static const char *const ours[] = { "register", "unregister" };

	for (int i = 0; i < 2; i++) {
		size_t size = strlen(lists[i]), end = line.size;
		unsigned long long count = 0;
		const char *type = m->opaque ? "{ i32, ptr, ptr }" : "{ i32, void ()*, i8* }";

		if (line.size < size || memcmp(line.data, lists[i], size) != 0)
			continue;
		for (; size < line.size && line.data[size] >= '0' && line.data[size] <= '9'; size++)
			count = count * 10 + (unsigned)(line.data[size] - '0');
		while (end > size && line.data[end - 1] != ']')
			end--;
		if (end == size)
			return false;
		ir_put(to, "%s%llu", lists[i], count + 1);
		ir_put_text(to, text_of(line.data + size, end - 1 - size));
		ir_put(to, ", %s { i32 65535, %s @stk.%s, %s null }", type, m->opaque ? "ptr" : "void ()*", ours[i],
		       m->opaque ? "ptr" : "i8*");
		ir_put_text(to, text_of(line.data + end - 1, line.size - end + 1));
		ir_put(to, "\n");
		return true;
	}
	return false;
}

void
probe_write_scope(struct ir_buffer *to, uint32_t first)
{
	ir_put(to, "!%u = distinct !{!%u, !\"stkpath\"}\n!%u = distinct !{!%u, !%u}\n!%u = !{!%u}\n", first, first,
	       first + 1, first + 1, first, first + 2, first + 1);
}

void
probe_write_type(struct ir_buffer *to, const struct ir_module *m)
{
	const char *any = m->opaque ? "ptr" : "i8*";

	ir_put(to,
	       "%%stk.function = type { i64, i64, %s, %s, %s, %s, i64, i64, i64, i64, %s, %s, i64, i64, %s, %s, %s, "
	       "%s, i64 }\n", any, any, any, any, any, any, any, any, any, any);
}

void
probe_write_module(struct ir_buffer *to, const struct ir_module *m, unsigned functions, bool has_ctors, bool has_dtors)
{
	const char *function = m->opaque ? "ptr" : "%stk.function*", *counts = m->opaque ? "ptr" : "i64*";
	static const char *const calls[] = { "register", "unregister" };

	ir_put(to,
	       "declare %s @stkpath_own(%s) cold nounwind\ndeclare void @stkpath_count(%s, i64, i64) nounwind\n"
	       "declare i64 @stkpath_put_away(%s, i64, i64) nounwind\ndeclare void @stkpath_stop() noreturn\n"
	       "declare void @stkpath_leave() nounwind\n", counts,
	       function, counts, counts);
	ir_put(to,
	       "declare i64 @stkpath_begin(%s)\ndeclare void @stkpath_step(%s, i64, i64)\n"
	       "declare void @stkpath_end(%s, i64)\n", function, function, function);
	for (int i = 0; i < 2; i++) {
		ir_put(to, "declare void @stkpath_%s(%s)\n", calls[i], function);
		ir_put(to, "define internal void @stk.%s() {\n", calls[i]);
		for (unsigned f = 0; f < functions; f++)
			ir_put(to, "  call void @stkpath_%s(%s @stk.f%u)\n", calls[i], function, f);
		ir_put(to, "  ret void\n}\n");
	}
	if (!has_ctors)
		write_list(to, m, "global_ctors", "register");
	if (!has_dtors)
		write_list(to, m, "global_dtors", "unregister");
}
