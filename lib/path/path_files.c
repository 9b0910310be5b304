/* SPDX-License-Identifier: MIT
 * path_files: from YAML nodes to blocks, edges and walks. */
#include "path/path_files.h"

#include "base/bytes.h"
#include "base/config_text.h"
#include "path/repetition.h"

#include <stdio.h>
#include <xxhash.h>

#define REPEATS_MOST 1000000u
#define GAP_WAYS_MOST  10000u		/* ways that fill the gaps of one path */
#define GAP_STEPS_MOST 10000000u
#define GAP            NO_BLOCK	/* in a path that is not filled yet */

struct reading {
	const char *file;
	struct flow_graph *graph;	/* being made */
	const struct flow_graph *of;	/* of whose paths are read */
	struct flow_paths *paths;
	bool parts;			/* they may begin and end anywhere */
	size_t blocks;			/* of all paths so far */
	struct stk_error *err;
};

static int
fail_at(const struct reading *r, const struct config_node *node, const char *what, struct stk_text text,
	const char *expected)
{
	return config_fail(r->err, r->file, node, what, text, expected);
}

static const struct config_node *
member(const struct reading *r, const struct config_node *map, const char *key, enum config_type type,
       const char *expected)
{
	const struct config_node *node = map->type == CONFIG_MAP ? config_member(map, key) : NULL;
	char what[80];

	if (node != NULL && node->type == type && (type != CONFIG_TEXT || node->text.size > 0))
		return node;
	snprintf(what, sizeof what, node == NULL ? "there is no '%s'" : "'%s' is of another type", key);
	(void)fail_at(r, node != NULL ? node : map, what, text_of("", 0), expected);
	return NULL;
}

/* --- graphs --- */

static int
read_name(const struct reading *r, const struct config_node *node, struct stk_text *name)
{
	*name = node->text;
	if (node->type != CONFIG_TEXT || node->text.size == 0)
		return fail_at(r, node, "not a name", text_of("", 0), "the name of a block");
	for (size_t i = 0; i < name->size; i++)
		if ((unsigned char)name->data[i] <= ' ' || name->data[i] == '>' || name->data[i] == 127)
			return fail_at(r, node, "a blank or '>' in the name", *name, "a name without");
	return 0;
}

static int
read_block(struct reading *r, const struct config_node *node)
{
	const struct config_node *id = member(r, node, "id", CONFIG_TEXT, "{id: NAME, succ: [NAME, ...]}"), *successors;
	struct stk_text name;

	if (id == NULL || read_name(r, id, &name) < 0)
		return -1;
	if (flow_graph_find(r->graph, name) != NO_BLOCK)
		return fail_at(r, id, "a second block", name, "");
	if (r->graph->blocks.count >= GRAPH_BLOCKS_MOST)
		return fail_at(r, id, "more than 100000 blocks", text_of("", 0), "");
	(void)flow_graph_add_block(r->graph, name);
	successors = config_member(node, "succ");
	return successors == NULL || successors->type == CONFIG_LIST ||
			       (successors->type == CONFIG_TEXT && successors->text.size == 0)
		       ? 0
		       : fail_at(r, successors, "not a list", text_of("", 0), "the names of the blocks that may follow");
}

static int
read_successors(struct reading *r, const struct config_node *node)
{
	const struct config_node *successors = config_member(node, "succ");
	uint32_t from = flow_graph_find(r->graph, config_member(node, "id")->text);

	for (const struct config_node *one = successors != NULL && successors->type == CONFIG_LIST ? successors->first
												   : NULL;
	     one != NULL; one = one->next) {
		struct stk_text name;
		uint32_t to;

		if (read_name(r, one, &name) < 0)
			return -1;
		to = flow_graph_find(r->graph, name);
		if (to == NO_BLOCK)
			return fail_at(r, one, "there is no block", name, "");
		if (r->graph->edges.count >= GRAPH_EDGES_MOST)
			return fail_at(r, one, "more than 1000000 edges", text_of("", 0), "");
		flow_graph_add_edge(r->graph, from, to);
	}
	return 0;
}

static uint32_t
read_end(const struct reading *r, const struct config_node *root, const char *key)
{
	const struct config_node *node = member(r, root, key, CONFIG_TEXT, "the name of a block");
	uint32_t block = node == NULL ? NO_BLOCK : flow_graph_find(r->graph, node->text);

	if (node != NULL && block == NO_BLOCK)
		(void)fail_at(r, node, "there is no block", node->text, "");
	return block;
}

/* What a block calls, where the file says it. */
static int
read_calls(struct reading *r, const struct config_node *node)
{
	const struct config_node *calls = config_member(node, "calls");
	uint32_t block = flow_graph_find(r->graph, config_member(node, "id")->text);

	if (calls != NULL && calls->type != CONFIG_LIST)
		return fail_at(r, calls, "not a list", text_of("", 0), "the names of functions");
	for (const struct config_node *one = calls == NULL ? NULL : calls->first; one != NULL; one = one->next) {
		if (one->type != CONFIG_TEXT || one->text.size == 0)
			return fail_at(r, one, "not a name", text_of("", 0), "the name of a function");
		flow_graph_add_call(r->graph, block, one->text);
	}
	return 0;
}

/* The place of a block in the list, for messages. */
static const struct config_node *
node_of(const struct config_node *blocks, uint32_t block)
{
	const struct config_node *node = blocks->first;

	while (block-- > 0 && node->next != NULL)
		node = node->next;
	return node;
}

static int
build_graph(struct reading *r, const struct config_node *root)
{
	const struct config_node *function = root->type == CONFIG_MAP ? config_member(root, "function") : NULL, *blocks;
	struct stk_error why = { 0 };
	uint32_t entry, exit, fault;

	r->graph = flow_graph_new(function != NULL && function->type == CONFIG_TEXT ? function->text : text_of("", 0));
	blocks = member(r, root, "blocks", CONFIG_LIST, "a list of {id: NAME, succ: [NAME, ...]}");
	if (blocks == NULL)
		return -1;
	for (const struct config_node *one = blocks->first; one != NULL; one = one->next)
		if (read_block(r, one) < 0)
			return -1;
	for (const struct config_node *one = blocks->first; one != NULL; one = one->next)
		if (read_successors(r, one) < 0 || read_calls(r, one) < 0)
			return -1;
	entry = read_end(r, root, "entry");
	exit = entry == NO_BLOCK ? NO_BLOCK : read_end(r, root, "exit");
	if (exit == NO_BLOCK)
		return -1;
	return flow_graph_seal(r->graph, entry, exit, &fault, &why) == 0
		       ? 0
		       : fail_at(r, node_of(blocks, fault), why.text, text_of("", 0), "");
}

static int
graph_of_config(struct flow_graph **out, const char *name, const struct config *config, struct stk_error *err)
{
	struct reading r = { .file = name, .err = err };
	int result = build_graph(&r, config_root(config));

	if (result < 0)
		flow_graph_free(r.graph);
	*out = result < 0 ? NULL : r.graph;
	return result;
}

int
flow_graph_read_file(struct flow_graph **out, const char *path, struct stk_error *err)
{
	struct config *config;
	int result;

	*out = NULL;
	if (config_read_file(&config, path, err) < 0)
		return -1;
	result = graph_of_config(out, path, config, err);
	config_close(config);
	return result;
}

int
flow_graph_read(struct flow_graph **out, const char *name, const char *text, size_t size, struct stk_error *err)
{
	struct config *config;
	int result;

	*out = NULL;
	if (config_read(&config, text, size, err) < 0)
		return -1;
	result = graph_of_config(out, name, config, err);
	config_close(config);
	return result;
}

/* --- paths --- */

/* The block of that name, or the only one that may be called so. */
static uint32_t
block_called(const struct flow_graph *g, struct stk_text name, bool *several)
{
	uint32_t block = flow_graph_find(g, name), found = NO_BLOCK;

	*several = false;
	for (uint32_t b = 0; block == NO_BLOCK && b < g->blocks.count; b++) {
		if (!flow_graph_is_called(g, b, name))
			continue;
		*several |= found != NO_BLOCK;
		found = b;
	}
	return block != NO_BLOCK ? block : *several ? NO_BLOCK : found;
}

/* Also of what adds no block: repeated, it takes time. */
static int
count_step(struct reading *r, const struct config_node *node)
{
	return ++r->blocks > PATH_BLOCKS_MOST
		? fail_at(r, node, "paths of more than 10000000 blocks together", text_of("", 0), "")
		: 0;
}

static int
add_step(struct reading *r, const struct config_node *node, struct flow_path *path, struct stk_text name)
{
	bool several, first = path->blocks.count == 0;
	uint32_t block = block_called(r->of, name, &several),
		 last = first ? GAP : path->blocks.at[path->blocks.count - 1];

	if (block == NO_BLOCK)
		return fail_at(r, node, several ? "there are several blocks called" : "the graph has no block", name,
			       several ? "the name of one" : "");
	if (first && block != r->of->first && !r->parts)
		return fail_at(r, node, "a path that begins at", name, r->of->blocks.at[r->of->first].name);
	if (first && r->of->first != r->of->entry && !r->parts)
		*array_push(&path->blocks) = r->of->entry;
	else if (last != GAP && flow_graph_edge(r->of, last, block) == NO_EDGE) {
		char what[200];

		snprintf(what, sizeof what, "no edge leads from '%.60s' to", r->of->blocks.at[last].name);
		return fail_at(r, node, what, name, "");
	}
	if (count_step(r, node) < 0)
		return -1;
	*array_push(&path->blocks) = block;
	return 0;
}

/* "...": anything between; at the start of a path it follows the entry. */
static int
add_gap(struct reading *r, const struct config_node *node, struct flow_path *path)
{
	bool first = path->blocks.count == 0;

	if (count_step(r, node) < 0)
		return -1;
	if (r->parts && first)
		return fail_at(r, node, "a gap in front of all: a part may begin anywhere", text_of("", 0), "");
	if (first && r->of->first != r->of->entry)
		*array_push(&path->blocks) = r->of->entry;
	if (first)
		*array_push(&path->blocks) = r->of->first;
	if (path->blocks.at[path->blocks.count - 1] != GAP)
		*array_push(&path->blocks) = GAP;
	return 0;
}

/* Names and "(NAMES)*N", with blanks between. */
static int
add_steps(struct reading *r, const struct config_node *node, struct flow_path *path, const char *from, const char *end,
	  unsigned depth)
{
	while (from < end) {
		const char *stop = from;
		struct repetition of;

		if (*from == ' ') {
			from++;
			continue;
		}
		if (*from == '(' && repetition_read(from, end, REPEATS_MOST, &of)) {
			if (of.times == 0 || depth >= REPETITIONS_NESTED_MOST)
				return fail_at(r, node, "not a repetition", text_of(from, (size_t)(end - from)),
					       "(A B)*3");
			while (of.times-- > 0)
				if (add_steps(r, node, path, of.from, of.to, depth + 1) < 0)
					return -1;
			from = of.rest;
			continue;
		}
		for (stop = from; stop < end && *stop != ' '; stop++)
			continue;
		if (stop - from == 3 && memcmp(from, "...", 3) == 0
			    ? add_gap(r, node, path) < 0
			    : add_step(r, node, path, text_of(from, (size_t)(stop - from))) < 0)
			return -1;
		from = stop;
	}
	return 0;
}

static int
read_path(struct reading *r, const struct config_node *node, struct flow_path *path)
{
	if (node->type == CONFIG_TEXT &&
	    add_steps(r, node, path, node->text.data, node->text.data + node->text.size, 0) < 0)
		return -1;
	if (node->type == CONFIG_MAP)
		return fail_at(r, node, "not a path", text_of("", 0), "a list of blocks");
	for (const struct config_node *one = node->type == CONFIG_LIST ? node->first : NULL; one != NULL;
	     one = one->next)
		if (one->type != CONFIG_TEXT)
			return fail_at(r, one, "not a block", text_of("", 0), "its name");
		else if (add_steps(r, one, path, one->text.data, one->text.data + one->text.size, 0) < 0)
			return -1;
	if (path->blocks.count == 0)
		return fail_at(r, node, "an empty path", text_of("", 0), "");
	if (path->blocks.at[path->blocks.count - 1] == GAP && r->parts)
		return fail_at(r, node, "a gap at the end: a part may end anywhere", text_of("", 0), "");
	if (path->blocks.at[path->blocks.count - 1] == GAP)
		*array_push(&path->blocks) = r->of->exit;
	if (path->blocks.at[path->blocks.count - 1] != r->of->exit && !r->parts)
		return fail_at(r, node, "a path that ends at",
			       text_from(r->of->blocks.at[path->blocks.at[path->blocks.count - 1]].name),
			       r->of->blocks.at[r->of->exit].name);
	return 0;
}

static bool
is_known(const struct flow_paths *paths, struct hash_map *map, const struct flow_path *path)
{
	size_t bytes = path->blocks.count * sizeof *path->blocks.at;
	uint64_t hash = XXH3_64bits(path->blocks.at, bytes);
	uint32_t at = hash_map_start(map, hash), id;

	while ((id = hash_map_next(map, hash, &at)) != 0) {
		const struct flow_path *known = &paths->list.at[id - 1];

		if (known->blocks.count == path->blocks.count && memcmp(known->blocks.at, path->blocks.at, bytes) == 0)
			return true;
	}
	hash_map_put(map, hash, (uint32_t)paths->list.count + 1);
	return false;
}

/* --- gaps --- */

struct filling {
	struct reading *r;
	const struct config_node *node;
	const struct flow_path *pattern;
	struct flow_path way;		/* so far */
	struct hash_map *known;
	uint64_t ways, steps;
};

static int fill_from(struct filling *f, size_t at);

/* All ways to a block, of which `leads` says from where it is reached, that come to no block twice; then the rest of
 * the pattern, from `at` on. */
static int
fill_gap(struct filling *f, uint32_t to, const bool *leads, bool *on, size_t at)
{
	const struct flow_graph *g = f->r->of;
	const struct flow_block *block = &g->blocks.at[f->way.blocks.at[f->way.blocks.count - 1]];
	size_t count = f->way.blocks.count;

	if (++f->steps > GAP_STEPS_MOST)
		return fail_at(f->r, f->node, "a gap with too many ways", text_of("", 0), "blocks between");
	for (size_t k = 0; k < block->out.count; k++) {
		uint32_t next = g->edges.at[block->out.at[k]].to;
		int result = 0;

		if (next != to && (on[next] || !leads[next]))
			continue;
		*array_push(&f->way.blocks) = next;
		if (next == to) {
			result = fill_from(f, at);
		} else {
			on[next] = true;
			result = fill_gap(f, to, leads, on, at);
			on[next] = false;
		}
		f->way.blocks.count = count;
		if (result < 0)
			return -1;
	}
	return 0;
}

static int
add_way(struct filling *f)
{
	struct flow_path path = { 0 };

	if (++f->ways > GAP_WAYS_MOST)
		return fail_at(f->r, f->node, "more than 10000 ways", text_of("", 0), "blocks between");
	array_reserve(&path.blocks, f->way.blocks.count);
	memcpy(path.blocks.at, f->way.blocks.at, f->way.blocks.count * sizeof *path.blocks.at);
	path.blocks.count = f->way.blocks.count;
	if (is_known(f->r->paths, f->known, &path))	/* another gap may have had it */
		array_release(&path.blocks);
	else
		*array_push(&f->r->paths->list) = path;
	return 0;
}

static int
fill_from(struct filling *f, size_t at)
{
	bool *leads, *on;
	int result;

	while (at < f->pattern->blocks.count && f->pattern->blocks.at[at] != GAP)
		*array_push(&f->way.blocks) = f->pattern->blocks.at[at++];
	if (at == f->pattern->blocks.count)
		return add_way(f);
	leads = mem_new(f->r->of->blocks.count, sizeof *leads);
	on = mem_new(f->r->of->blocks.count, sizeof *on);
	flow_graph_reach(f->r->of, f->pattern->blocks.at[at + 1], false, leads);
	on[f->way.blocks.at[f->way.blocks.count - 1]] = true;
	result = fill_gap(f, f->pattern->blocks.at[at + 1], leads, on, at + 2);
	free(leads);
	free(on);
	return result;
}

static bool
has_gap(const struct flow_path *path)
{
	for (size_t k = 0; k < path->blocks.count; k++)
		if (path->blocks.at[k] == GAP)
			return true;
	return false;
}

/* Each way that fills the gaps is a path of its own. */
static int
fill_gaps(struct reading *r, const struct config_node *node, const struct flow_path *pattern, struct hash_map *known)
{
	struct filling f = { .r = r, .node = node, .pattern = pattern, .known = known };
	int result = fill_from(&f, 0);

	array_release(&f.way.blocks);
	if (result == 0 && f.ways == 0)
		result = fail_at(r, node, "no way fills the gap", text_of("", 0), "");
	return result;
}

/* --- paths --- */

static int
take_path(struct reading *r, const struct config_node *node, struct hash_map *known)
{
	struct flow_path path = { 0 };
	int result = read_path(r, node, &path);

	if (result == 0 && has_gap(&path)) {
		result = fill_gaps(r, node, &path, known);
	} else if (result == 0 && is_known(r->paths, known, &path)) {
		result = fail_at(r, node, "a path that was there before", text_of("", 0), "");
	} else if (result == 0) {
		*array_push(&r->paths->list) = path;
		return 0;
	}
	array_release(&path.blocks);
	return result;
}

static int
read_paths(struct reading *r, const struct config_node *root)
{
	const struct config_node *list =
		member(r, root, "paths", CONFIG_LIST, "a list of paths, each a list of blocks");
	struct hash_map known = { 0 };

	for (const struct config_node *one = list != NULL ? list->first : NULL; one != NULL && r->err->code == STK_EOK;
	     one = one->next) {
		if (r->paths->list.count >= PATHS_MOST)
			(void)fail_at(r, one, "more than 1000000 paths", text_of("", 0), "");
		else
			(void)!take_path(r, one, &known);
	}
	hash_map_release(&known);
	if (list != NULL && list->first == NULL)
		return fail_at(r, list, "no paths", text_of("", 0), "one at least");
	return r->err->code == STK_EOK ? 0 : -1;
}

static int
paths_of_config(struct flow_paths *out, const char *name, const struct config *config, const struct flow_graph *graph,
		bool parts, struct stk_error *err)
{
	struct reading r = { .file = name, .of = graph, .paths = out, .parts = parts, .err = err };
	int result = read_paths(&r, config_root(config));

	if (result < 0)
		flow_paths_release(out);
	return result;
}

int
flow_paths_read_file(struct flow_paths *out, const char *path, const struct flow_graph *graph, bool parts,
		     struct stk_error *err)
{
	struct config *config;
	int result;

	*out = (struct flow_paths){ 0 };
	if (config_read_file(&config, path, err) < 0)
		return -1;
	result = paths_of_config(out, path, config, graph, parts, err);
	config_close(config);
	return result;
}

int
flow_paths_read(struct flow_paths *out, const char *name, const char *text, size_t size, const struct flow_graph *graph,
		bool parts, struct stk_error *err)
{
	struct config *config;
	int result;

	*out = (struct flow_paths){ 0 };
	if (config_read(&config, text, size, err) < 0)
		return -1;
	result = paths_of_config(out, name, config, graph, parts, err);
	config_close(config);
	return result;
}

void
flow_paths_release(struct flow_paths *paths)
{
	for (size_t i = 0; i < paths->list.count; i++)
		array_release(&paths->list.at[i].blocks);
	array_release(&paths->list);
}
