/* SPDX-License-Identifier: MIT
 * flame_page: head, style, controls, data, script. The script has no data in it: its hash, which the page's policy
 * names, is made when the program is built (scripts/embed-page). */
#include "plot/flame_page.h"

#include "plot/heat_names.h"
#include "plot/page_text.h"

extern const struct page_source flame_page_source; /* written by scripts/embed-page */

#define NODES_MOST 60000u	/* of what is kept apart: more than a screen has pixels to show */

/* --- numbers for the script --- */

static void
add_groups(struct text_buffer *to, const struct scheme *scheme)
{
	add_string(to, ",\"groups\":[");
	for (size_t i = 0; scheme != NULL && i < scheme->groups.count; i++) {
		if (i > 0)
			add_char(to, ',');
		page_add_json(to, scheme->groups.at[i].name);
	}
	add_string(to, "]");
}

/* Nanoseconds are texts: they do not fit into the script's numbers. */
static void
add_facts(struct text_buffer *to, const struct flame_tree *tree, const struct flame_page_options *options,
	  uint64_t least)
{
	page_begin_facts(to);
	add_format(to, ",\"t0\":\"%lld\",\"cell\":%lld,\"cells\":%u,\"each\":1,\"sum\":%llu", (long long)tree->begin_ns,
		   (long long)tree->cell_ns, tree->cells, (unsigned long long)tree->calls.total.at[0]);
	add_format(to, ",\"rest\":[%llu,%llu,%llu]", (unsigned long long)tree->rest_nodes,
		   (unsigned long long)tree->rest_sum, (unsigned long long)least);
	add_format(to, ",\"monotonic\":%s,\"icicle\":%s", options->monotonic ? "true" : "false",
		   options->icicle ? "true" : "false");
	page_add_field(to, "title", options->title);
	page_add_field(to, "zone", options->zone);
	page_add_field(to, "unit", options->unit);
	page_add_field(to, "command", options->command);
	page_add_palette(to, options->palette);
	if (options->sides[0] != NULL) {
		add_string(to, ",\"sides\":[");
		page_add_json(to, text_from(options->sides[0]));
		add_char(to, ',');
		page_add_json(to, text_from(options->sides[1]));
		add_format(to, "],\"durations\":[%.9f,%.9f],\"shares\":%s", options->seconds[0], options->seconds[1],
			   options->shares ? "true" : "false");
	}
	page_add_states(to);
	add_groups(to, options->scheme);
	page_end_facts(to);
}

/* --- blocks --- */

static void
add_texts(struct text_buffer *to, const struct text_table *texts)
{
	for (uint32_t i = 1; i <= texts->texts.count; i++)
		heat_add_varint(to, text_table_text(texts, i).size);
}

static void
add_names(struct text_buffer *to, const struct flame_tree *tree)
{
	const struct call_tree *calls = &tree->calls;
	struct text_buffer plain = { 0 };

	heat_add_varint(&plain, calls->names.texts.count);
	heat_add_varint(&plain, calls->nodes.count);
	heat_add_varint(&plain, tree->rows.sums.count);
	heat_add_varint(&plain, tree->module_texts.texts.count);
	heat_add_varint(&plain, tree->groups.count > 0);
	for (size_t n = 1; n < calls->nodes.count; n++)
		heat_add_varint(&plain, n - calls->nodes.at[n].parent);
	for (size_t n = 1; n < calls->nodes.count; n++)
		heat_add_varint(&plain, calls->nodes.at[n].name - 1);
	for (size_t n = 1; n < calls->nodes.count && tree->groups.count > 0; n++)
		heat_add_varint(&plain, tree->groups.at[n]);
	for (size_t i = 0; i < tree->rows.sums.count; i++)
		heat_add_varint(&plain, tree->rows.sums.at[i].a);
	for (size_t i = 0; i < tree->rows.sums.count; i++)
		heat_add_varint(&plain, tree->rows.sums.at[i].b);
	for (size_t i = 1; i <= calls->names.texts.count; i++)
		heat_add_varint(&plain, tree->modules.at[i]);
	add_texts(&plain, &calls->names);
	add_texts(&plain, &tree->module_texts);
	for (size_t i = 0; i < calls->names.texts.count; i++)
		add_text(&plain, calls->names.texts.at[i]);
	for (size_t i = 0; i < tree->module_texts.texts.count; i++)
		add_text(&plain, tree->module_texts.texts.at[i]);
	heat_add_deflated(to, HEAT_NAMES, &plain);
	array_release(&plain);
}

static int
compare_counts(const void *a, const void *b)
{
	const struct pair_sum *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

static void
add_counts(struct text_buffer *to, const struct flame_tree *tree)
{
	size_t count = tree->counts.sums.count, at = 0;
	struct pair_sum *sorted = mem_new(count + 1, sizeof *sorted);
	struct text_buffer plain = { 0 };

	if (count > 0)
		memcpy(sorted, tree->counts.sums.at, count * sizeof *sorted);
	qsort(sorted, count, sizeof *sorted, compare_counts);
	for (uint32_t row = 0; row < tree->rows.sums.count; row++) {
		size_t end = at;
		uint32_t cell = 0;

		while (end < count && sorted[end].a == row)
			end++;
		heat_add_varint(&plain, end - at);
		for (; at < end; at++) {
			heat_add_varint(&plain, sorted[at].b - cell);
			heat_add_varint(&plain, sorted[at].weight);
			cell = sorted[at].b + 1;
		}
	}
	heat_add_deflated(to, HEAT_LEVEL, &plain);
	array_release(&plain);
	free(sorted);
}

/* Of a comparison. */
static void
add_marks(struct text_buffer *to, const struct flame_tree *tree)
{
	struct text_buffer plain = { 0 };

	add_bytes(&plain, (const char *)tree->marks.at, tree->marks.count);
	add_bytes(&plain, (const char *)tree->name_marks.at, tree->name_marks.count);
	heat_add_deflated(to, HEAT_NAMES, &plain);
	array_release(&plain);
}

/* --- the page --- */

void
flame_page_add_blocks(struct text_buffer *to, const struct flame_tree *tree, bool plain)
{
	struct text_buffer block = { 0 };

	add_names(&block, tree);
	page_add_block(to, "n", text_in(&block, 0), plain);
	block.count = 0;
	add_counts(&block, tree);
	page_add_block(to, "l", text_in(&block, 0), plain);
	block.count = 0;
	if (tree->marks.count > 0) {
		add_marks(&block, tree);
		page_add_block(to, "c", text_in(&block, 0), plain);
	}
	array_release(&block);
}

static void
add_page(struct text_buffer *to, const struct flame_tree *tree, const struct flame_page_options *options,
	 uint64_t least)
{
	page_add_head(to, &flame_page_source, options->title);
	add_facts(to, tree, options, least);
	page_add_probe(to, options->plain);
	flame_page_add_blocks(to, tree, options->plain);
	page_add_script(to, &flame_page_source, options->plain);
}

/* How many paths have at least so many counts. */
static size_t
paths_of(const struct flame_tree *tree, uint64_t least)
{
	size_t count = 0;

	for (size_t n = 1; n < tree->calls.nodes.count; n++)
		count += tree->calls.total.at[n] >= least;
	return count;
}

int
flame_page_add(struct text_buffer *to, const struct flame_tree *tree, const struct flame_page_options *options,
	       uint64_t *least, struct stk_error *err)
{
	size_t begin = to->count, parts = page_bytes_without_data(&flame_page_source, options->plain);
	size_t smallest = parts + 4096;

	if (options->max_bytes < 2 * smallest)
		return stk_fail(err, STK_EUSAGE, "--max-size: a page without data has %zu kB; expected at least twice that",
				smallest / 1024);
	*least = 1;
	while (paths_of(tree, *least) > NODES_MOST)
		*least *= 2;
	for (;;) {
		struct flame_tree thin;

		flame_tree_thin(&thin, tree, *least);
		add_page(to, &thin, options, *least);
		flame_tree_release(&thin);
		if (to->count - begin <= options->max_bytes || *least > tree->calls.total.at[0])
			return 0;
		to->count = begin;
		*least *= 2;
	}
}
