/* SPDX-License-Identifier: MIT
 * plan_lines: writing is by the order above; reading takes lines in that order too, and uses none of them before it was
 * checked against the graph. */
#include "path/plan_lines.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <stdio.h>

/* --- writing --- */

struct line_writer {
	plan_write_function *write;
	void *context;
	const struct path_plan *plan;
	ARRAY(char) line;
	struct stk_error *err;
	bool failed;
};

static void
put(struct line_writer *w, const char *text)
{
	size_t size = strlen(text);

	array_reserve(&w->line, size);
	memcpy(w->line.at + w->line.count, text, size);
	w->line.count += size;
}

static void
put_number(struct line_writer *w, const mpz_t number)
{
	char *text = mpz_get_str(NULL, 10, number);

	put(w, text);
	free(text);
}

static void
end_line(struct line_writer *w)
{
	put(w, "\n");
	if (!w->failed && w->write(w->context, w->line.at, w->line.count, w->err) < 0)
		w->failed = true;
	w->line.count = 0;
}

static const char *
block_name(const struct line_writer *w, uint32_t block)
{
	return w->plan->graph->blocks.at[block].name;
}

static void
put_digits(struct line_writer *w, const struct probe *probe)
{
	char text[32];

	for (size_t i = 0; i < probe->digits.count; i++) {
		snprintf(text, sizeof text, "%s%u %u", i > 0 ? " " : "", probe->digits.at[i].base,
			 probe->digits.at[i].digit);
		put(w, text);
	}
}

static void
put_value(struct line_writer *w, const struct probe *probe)
{
	switch (probe->kind) {
	case PROBE_MUL:
		put_number(w, probe->a);
		put(w, " ");
		put_number(w, probe->b);
		break;
	case PROBE_CHK:
	case PROBE_LCHK:
		for (size_t i = 0; i < probe->set_count; i++) {
			put(w, i > 0 ? " " : "");
			put_number(w, probe->set[i]);
		}
		break;
	case PROBE_END:
	case PROBE_COUNT:
		break;
	default:
		put_number(w, probe->a);
	}
}

static void
put_head(struct line_writer *w, const char *kind, const char *where, const char *to, const char *op)
{
	put(w, kind);
	put(w, "\t");
	put(w, where);
	if (to != NULL) {
		put(w, ">");
		put(w, to);
	}
	put(w, "\t");
	put(w, op);
	put(w, "\t");
}

static void
write_probes(struct line_writer *w, const char *kind, const char *where, const char *to, const struct probes *probes)
{
	for (size_t i = 0; i < probes->list.count; i++) {
		const struct probe *probe = &probes->list.at[i];

		put_head(w, kind, where, to, probe_names[probe->kind]);
		put_value(w, probe);
		end_line(w);
		if (probe->kind == PROBE_MUL && probe->digits.count > 1) {
			put_head(w, "parts", where, to, probe_names[probe->kind]);
			put_digits(w, probe);
			end_line(w);
		}
	}
}

static void
write_graph(struct line_writer *w)
{
	const struct flow_graph *g = w->plan->graph;
	char sum[24];

	snprintf(sum, sizeof sum, "%016" PRIx64, flow_graph_checksum(g));
	put_head(w, "graph", g->function, NULL, "sum");
	put(w, sum);
	end_line(w);
	put_head(w, "walk", block_name(w, g->entry), NULL, "to");
	put(w, block_name(w, g->exit));
	end_line(w);
	for (uint32_t b = 0; b < g->blocks.count; b++) {
		put_head(w, "block", block_name(w, b), NULL, "succ");
		for (size_t k = 0; k < g->blocks.at[b].out.count; k++) {
			put(w, k > 0 ? " " : "");
			put(w, block_name(w, g->edges.at[g->blocks.at[b].out.at[k]].to));
		}
		end_line(w);
	}
}

static void
write_paths(struct line_writer *w)
{
	const struct flow_graph *g = w->plan->graph;

	for (size_t i = 0; i < w->plan->paths.count; i++) {
		const struct flow_path *path = &w->plan->paths.at[i];
		size_t from = flow_path_first(g, path);

		put(w, "path\t");
		for (size_t k = from; k < path->blocks.count; k++) {
			put(w, k > from ? " " : "");
			put(w, block_name(w, path->blocks.at[k]));
		}
		put(w, "\t");
		put_number(w, w->plan->ids[i]);
		end_line(w);
	}
}

int
plan_lines_write(const struct path_plan *plan, plan_write_function *write, void *context, struct stk_error *err)
{
	const struct flow_graph *g = plan->graph;
	struct line_writer w = { .write = write, .context = context, .plan = plan, .err = err };

	put(&w, "kind\twhere\top\tvalue");
	end_line(&w);
	put_head(&w, "plan", path_method_names[plan->method], NULL, path_keeping_names[plan->keeping]);
	put(&w, plan->exact ? "exact" : "inexact");
	end_line(&w);
	write_graph(&w);
	write_probes(&w, "entry", block_name(&w, g->entry), NULL, &plan->entry);
	for (uint32_t e = 0; e < g->edges.count; e++)
		write_probes(&w, "edge", block_name(&w, g->edges.at[e].from), block_name(&w, g->edges.at[e].to),
			     &plan->of_edge[e]);
	for (uint32_t b = 0; b < g->blocks.count; b++)
		write_probes(&w, "node", block_name(&w, b), NULL, &plan->of_block[b]);
	write_paths(&w);
	array_release(&w.line);
	return w.failed ? -1 : 0;
}

/* --- reading --- */

struct line_reader {
	const char *name;
	unsigned line;
	struct stk_text fields[4];
	unsigned count;
	struct flow_graph *graph;
	struct path_plan *plan;
	enum path_method method;
	enum path_keeping keeping;
	bool exact, has_plan;
	uint64_t sum;
	struct stk_text entry, exit;
	ARRAY(struct { uint32_t block; struct stk_text names; unsigned line; }) successors;
	ARRAY(char *) ids;		/* as they were written */
	struct stk_error *err;
};

static int
fail(const struct line_reader *r, const char *what, struct stk_text text)
{
	if (text.size > 60)
		text.size = 60;
	return stk_fail(r->err, STK_EUSAGE, "%s:%u: %s%s%.*s%s", r->name, r->line, what, text.size > 0 ? " '" : "",
			(int)text.size, text.data != NULL ? text.data : "", text.size > 0 ? "'" : "");
}

/* The next piece before a blank; empty at the end. */
static struct stk_text
next_word(struct stk_text *rest)
{
	struct stk_text word = { rest->data, 0 };

	while (word.size < rest->size && word.data[word.size] != ' ')
		word.size++;
	rest->data += word.size + (word.size < rest->size);
	rest->size -= word.size + (word.size < rest->size);
	return word;
}

static bool
read_number(mpz_t to, struct stk_text word)
{
	char *copy;
	bool good = word.size > 0;

	for (size_t i = 0; i < word.size && good; i++)
		good = word.data[i] >= '0' && word.data[i] <= '9';
	if (!good)
		return false;
	copy = mem_new(word.size + 1, 1);
	memcpy(copy, word.data, word.size);
	good = mpz_set_str(to, copy, 10) == 0;
	free(copy);
	return good;
}

static int
find_name(const char *const *names, int count, struct stk_text text)
{
	for (int i = 0; i < count; i++)
		if (text_is(text, names[i]))
			return i;
	return -1;
}

static int
read_plan(struct line_reader *r)
{
	int method = find_name(path_method_names, PATH_METHODS, r->fields[1]),
	    keeping = find_name(path_keeping_names, KEEPINGS, r->fields[2]);

	if (r->has_plan)
		return fail(r, "a second plan", text_of("", 0));
	if (method < 0)
		return fail(r, "a plan of an unknown method", r->fields[1]);
	if (keeping < 0 || (!text_is(r->fields[3], "exact") && !text_is(r->fields[3], "inexact")))
		return fail(r, "a plan of another version", r->fields[keeping < 0 ? 2 : 3]);
	r->method = (enum path_method)method;
	r->keeping = (enum path_keeping)keeping;
	r->exact = text_is(r->fields[3], "exact");
	r->has_plan = true;
	return 0;
}

static int
read_graph(struct line_reader *r)
{
	char sum[17] = "", *end;

	if (r->graph != NULL || !r->has_plan)
		return fail(r, "a graph where none belongs", text_of("", 0));
	if (r->fields[3].size == 16)
		memcpy(sum, r->fields[3].data, 16);
	r->sum = strtoull(sum, &end, 16);
	if (end != sum + 16)
		return fail(r, "not a checksum", r->fields[3]);
	r->graph = flow_graph_new(r->fields[1]);
	return 0;
}

static int
read_block(struct line_reader *r)
{
	if (r->graph == NULL || r->plan != NULL)
		return fail(r, "a block where none belongs", r->fields[1]);
	if (r->fields[1].size == 0 || flow_graph_find(r->graph, r->fields[1]) != NO_BLOCK ||
	    r->graph->blocks.count >= GRAPH_BLOCKS_MOST)
		return fail(r, "a block that was there before, has no name, or is one too many", r->fields[1]);
	array_reserve(&r->successors, 1);
	r->successors.at[r->successors.count].block = flow_graph_add_block(r->graph, r->fields[1]);
	r->successors.at[r->successors.count].names = r->fields[3];
	r->successors.at[r->successors.count++].line = r->line;
	return 0;
}

/* Called at the first line after the blocks: the graph is complete, or is not the one that the plan was made for. */
static int
finish_graph(struct line_reader *r)
{
	struct stk_error why = { 0 };
	uint32_t entry, exit, fault;

	if (r->plan != NULL)
		return 0;
	if (r->graph == NULL)
		return fail(r, "not a plan (the lines 'plan', 'graph', 'walk' and 'block' come first)", text_of("", 0));
	for (size_t i = 0; i < r->successors.count; i++)
		for (struct stk_text rest = r->successors.at[i].names; rest.size > 0; ) {
			struct stk_text name = next_word(&rest);
			uint32_t to = flow_graph_find(r->graph, name);

			if (to == NO_BLOCK || r->graph->edges.count >= GRAPH_EDGES_MOST) {
				r->line = r->successors.at[i].line;
				return fail(r, "there is no block", name);
			}
			flow_graph_add_edge(r->graph, r->successors.at[i].block, to);
		}
	entry = flow_graph_find(r->graph, r->entry);
	exit = flow_graph_find(r->graph, r->exit);
	if (entry == NO_BLOCK || exit == NO_BLOCK)
		return fail(r, "there is no block", entry == NO_BLOCK ? r->entry : r->exit);
	if (flow_graph_seal(r->graph, entry, exit, &fault, &why) < 0)
		return fail(r, why.text, text_of("", 0));
	if (r->graph->entry != entry || flow_graph_checksum(r->graph) != r->sum)
		return fail(r, "the graph is not the one that the plan was made for: its checksum differs",
			    text_of("", 0));
	if (r->graph->blocks.at[entry].out.count == 1 && text_is(r->entry, "(entry)"))
		r->graph->first = r->graph->edges.at[r->graph->blocks.at[entry].out.at[0]].to;
	r->plan = path_plan_new(r->graph, r->method);
	r->plan->keeping = r->keeping;
	r->plan->exact = r->exact;
	return 0;
}

static uint32_t
edge_named(const struct flow_graph *g, struct stk_text ends)
{
	const char *arrow = memchr(ends.data, '>', ends.size);
	uint32_t from, to;

	if (arrow == NULL)
		return NO_EDGE;
	from = flow_graph_find(g, text_of(ends.data, (size_t)(arrow - ends.data)));
	to = flow_graph_find(g, text_of(arrow + 1, ends.size - (size_t)(arrow + 1 - ends.data)));
	return from == NO_BLOCK || to == NO_BLOCK ? NO_EDGE : flow_graph_edge(g, from, to);
}

static struct probes *
place(struct line_reader *r)
{
	uint32_t at;

	if (text_is(r->fields[0], "entry"))
		return &r->plan->entry;
	if (text_is(r->fields[0], "node")) {
		at = flow_graph_find(r->graph, r->fields[1]);
		return at == NO_BLOCK ? NULL : &r->plan->of_block[at];
	}
	at = edge_named(r->graph, r->fields[1]);
	return at == NO_EDGE ? NULL : &r->plan->of_edge[at];
}

static bool
read_value(struct probe *probe, struct stk_text rest)
{
	switch (probe->kind) {
	case PROBE_MUL:
		if (!read_number(probe->a, next_word(&rest)) || !read_number(probe->b, next_word(&rest)) ||
		    mpz_cmp(probe->b, probe->a) >= 0)
			return false;
		if (mpz_fits_uint_p(probe->a))
			*array_push(&probe->digits) =
				(struct probe_digit){ (uint32_t)mpz_get_ui(probe->a), (uint32_t)mpz_get_ui(probe->b) };
		return rest.size == 0;
	case PROBE_CHK:
	case PROBE_LCHK:
		while (rest.size > 0) {
			if ((probe->set_count & (probe->set_count - 1)) == 0)
				probe->set = mem_resize(probe->set, probe->set_count == 0 ? 1 : probe->set_count * 2,
							sizeof *probe->set);
			mpz_init(probe->set[probe->set_count++]);
			if (!read_number(probe->set[probe->set_count - 1], next_word(&rest)) ||
			    (probe->set_count > 1 &&
			     mpz_cmp(probe->set[probe->set_count - 2], probe->set[probe->set_count - 1]) >= 0))
				return false;
		}
		return probe->set_count > 0;
	case PROBE_END:
	case PROBE_COUNT:
		return rest.size == 0;
	default:
		return read_number(probe->a, next_word(&rest)) && rest.size == 0;
	}
}

static int
read_probe(struct line_reader *r)
{
	int kind = find_name(probe_names, PROBE_KINDS, r->fields[2]);
	struct probes *probes;

	if (finish_graph(r) < 0)
		return -1;
	probes = place(r);
	if (probes == NULL)
		return fail(r, "the graph has no such place", r->fields[1]);
	if (kind < 0)
		return fail(r, "an unknown probe", r->fields[2]);
	return read_value(probes_add(probes, (enum probe_kind)kind), r->fields[3])
		       ? 0
		       : fail(r, "not a value of such a probe", r->fields[3]);
}

/* The digits of the mul before it; their product is its factor. */
static int
read_parts(struct line_reader *r)
{
	struct probes *probes = finish_graph(r) < 0 ? NULL : place(r);
	struct probe *probe =
		probes != NULL && probes->list.count > 0 ? &probes->list.at[probes->list.count - 1] : NULL;
	struct stk_text rest = r->fields[3];
	mpz_t base, digit, product, value;
	bool good = probe != NULL && probe->kind == PROBE_MUL;

	if (!good)
		return fail(r, "parts without a mul", r->fields[1]);
	probe->digits.count = 0;
	mpz_inits(base, digit, product, value, NULL);
	mpz_set_ui(product, 1);
	while (rest.size > 0 && good) {
		good = read_number(base, next_word(&rest)) && read_number(digit, next_word(&rest)) &&
		       mpz_fits_uint_p(base) && mpz_cmp(digit, base) < 0;
		*array_push(&probe->digits) =
			(struct probe_digit){ (uint32_t)mpz_get_ui(base), (uint32_t)mpz_get_ui(digit) };
		mpz_mul(product, product, base);
		mpz_mul(value, value, base);
		mpz_add(value, value, digit);
	}
	good = good && mpz_cmp(product, probe->a) == 0 && mpz_cmp(value, probe->b) == 0;
	mpz_clears(base, digit, product, value, NULL);
	return good ? 0 : fail(r, "parts that are not those of the mul before", r->fields[3]);
}

static int
read_path(struct line_reader *r)
{
	struct stk_text rest = r->fields[1];
	struct flow_path *path;

	if (finish_graph(r) < 0)
		return -1;
	path = array_push(&r->plan->paths);
	*path = (struct flow_path){ 0 };
	if (r->graph->entry != r->graph->first && r->method != PATH_AC)
		*array_push(&path->blocks) = r->graph->entry;
	while (rest.size > 0) {
		struct stk_text name = next_word(&rest);
		uint32_t block = flow_graph_find(r->graph, name);

		if (block == NO_BLOCK)
			return fail(r, "the graph has no block", name);
		if (path->blocks.count > 0
			    ? flow_graph_edge(r->graph, path->blocks.at[path->blocks.count - 1], block) == NO_EDGE
			    : block != r->graph->first && r->method != PATH_AC)
			return fail(r, "the graph has no edge that leads to", name);
		*array_push(&path->blocks) = block;
	}
	if (path->blocks.count == 0 ||
	    (path->blocks.at[path->blocks.count - 1] != r->graph->exit && r->method != PATH_AC))
		return fail(r, "a path that does not end at the exit", text_of("", 0));
	*array_push(&r->ids) = mem_new(r->fields[2].size + 1, 1);
	memcpy(r->ids.at[r->ids.count - 1], r->fields[2].data, r->fields[2].size);
	return 0;
}

static int
read_line(struct line_reader *r)
{
	struct stk_text kind = r->fields[0];

	if (text_is(kind, "path"))
		return r->count == 3 ? read_path(r) : fail(r, "a path has three columns", text_of("", 0));
	if (r->count != 4)
		return fail(r, "not a line of a plan", kind);
	if (text_is(kind, "kind"))
		return r->line == 1 ? 0 : fail(r, "a heading in the middle", text_of("", 0));
	if (text_is(kind, "plan"))
		return read_plan(r);
	if (text_is(kind, "graph"))
		return read_graph(r);
	if (text_is(kind, "walk")) {
		r->entry = r->fields[1];
		r->exit = r->fields[3];
		return 0;
	}
	if (text_is(kind, "block"))
		return read_block(r);
	if (text_is(kind, "entry") || text_is(kind, "edge") || text_is(kind, "node"))
		return read_probe(r);
	return text_is(kind, "parts") ? read_parts(r) : fail(r, "a line of an unknown kind", kind);
}

static void
split(struct line_reader *r, const char *from, const char *end)
{
	r->count = 0;
	for (;;) {
		const char *tab = memchr(from, '\t', (size_t)(end - from)), *stop = tab != NULL ? tab : end;

		if (r->count < 4)
			r->fields[r->count] = text_of(from, (size_t)(stop - from));
		r->count++;
		if (tab == NULL)
			return;
		from = tab + 1;
	}
}

/* The ids are computed, not trusted. */
static int
check_ids(struct line_reader *r)
{
	if (path_plan_compute_ids(r->plan, r->err) < 0)
		return -1;
	for (size_t i = 0; i < r->plan->paths.count; i++) {
		char *id = mpz_get_str(NULL, 10, r->plan->ids[i]);
		bool same = strcmp(id, r->ids.at[i]) == 0;

		free(id);
		if (!same)
			return fail(r, "the probes do not give the id that a path is said to have",
				    text_from(r->ids.at[i]));
	}
	return 0;
}

static bool
same_probes(const struct probes *a, const struct probes *b)
{
	bool same = a->list.count == b->list.count;

	for (size_t i = 0; i < a->list.count && same; i++)
		same = a->list.at[i].kind == b->list.at[i].kind && mpz_cmp(a->list.at[i].a, b->list.at[i].a) == 0 &&
		       mpz_cmp(a->list.at[i].b, b->list.at[i].b) == 0;
	return same;
}

/* Where every id is counted, not only those of paths that were named, the probes must be those that the method makes,
 * because turning an id into a path relies on it. */
static int
check_probes(struct line_reader *r)
{
	const struct flow_graph *g = r->graph;
	struct path_plan *made;
	bool same;

	if (r->plan->method != PATH_EPP && (r->plan->method != PATH_PAP || r->plan->paths.count > 0))
		return 0;
	if (path_plan_make(&made, g, r->plan->method, NULL, 0, r->err) < 0)
		return -1;
	same = same_probes(&made->entry, &r->plan->entry);
	for (uint32_t e = 0; e < g->edges.count && same; e++)
		same = same_probes(&made->of_edge[e], &r->plan->of_edge[e]);
	for (uint32_t b = 0; b < g->blocks.count && same; b++)
		same = same_probes(&made->of_block[b], &r->plan->of_block[b]);
	r->plan->all_paths = made->all_paths;
	r->plan->keeping = r->plan->keeping < made->keeping ? made->keeping : r->plan->keeping;
	path_plan_free(made);
	return same ? 0 : fail(r, "these are not the probes of this method for this graph", text_of("", 0));
}

int
plan_lines_read(struct path_plan **out, struct flow_graph **graph, const char *name, const char *text, size_t size,
		struct stk_error *err)
{
	struct line_reader r = { .name = name, .err = err };
	const char *end = text + size;
	int result = 0;

	for (const char *from = text; from < end && result == 0; ) {
		const char *newline = memchr(from, '\n', (size_t)(end - from));

		r.line++;
		if (newline == NULL) {
			result = fail(&r, "the last line is truncated", text_of("", 0));
			break;
		}
		split(&r, from, newline);
		result = read_line(&r);
		from = newline + 1;
	}
	if (result == 0)
		result = finish_graph(&r);
	if (result == 0)
		result = check_ids(&r);
	if (result == 0)
		result = check_probes(&r);
	for (size_t i = 0; i < r.ids.count; i++)
		free(r.ids.at[i]);
	array_release(&r.ids);
	array_release(&r.successors);
	if (result < 0) {
		path_plan_free(r.plan);
		flow_graph_free(r.graph);
	}
	*out = result < 0 ? NULL : r.plan;
	*graph = result < 0 ? NULL : r.graph;
	return result;
}
