/* SPDX-License-Identifier: MIT
 * untaken_paths: those with the fewest turns first, together by the first one. For people, a turn is said in words of
 * the source: the lines where the block before it and the block after it begin. */
#include "untaken_paths.h"

#include "base/bytes.h"
#include "base/whole_file.h"
#include "path/path_nearness.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

#define SOURCE_MOST ((size_t)16 << 20)
#define WORDS_MOST  60u			/* of a line of the source */

struct untaken { const struct flow_path *path; size_t turns, first, order; };

struct source { struct text_buffer text; };

/* --- what is printed --- */

static int
compare_untaken(const void *a, const void *b)
{
	const struct untaken *x = a, *y = b;

	if (x->turns != y->turns)
		return x->turns < y->turns ? -1 : 1;
	for (size_t k = 0; k < 2 && x->turns > 0; k++)
		if (x->path->blocks.at[x->first + k] != y->path->blocks.at[y->first + k])
			return x->path->blocks.at[x->first + k] < y->path->blocks.at[y->first + k] ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static struct untaken *
find_untaken(const struct flow_graph *graph, const struct flow_paths *prime, const bool *taken, size_t *count)
{
	struct untaken *list = mem_new(prime->list.count + 1, sizeof *list);
	struct path_nearness *nearness;

	path_nearness_open(&nearness, graph);
	for (size_t i = 0; i < prime->list.count; i++)
		if (taken[i])
			path_nearness_add(nearness, &prime->list.at[i]);
	*count = 0;
	for (size_t i = 0; i < prime->list.count && !program_stopping(); i++) {
		struct path_turns turns;

		if (taken[i])
			continue;
		turns = path_nearness_of(nearness, &prime->list.at[i]);
		list[(*count)++] = (struct untaken){ &prime->list.at[i], turns.turns, turns.first, i };
	}
	path_nearness_close(nearness);
	qsort(list, *count, sizeof *list, compare_untaken);
	return list;
}

static void
add_path(struct text_buffer *to, const struct flow_graph *graph, const struct flow_path *path)
{
	for (size_t k = 0; k < path->blocks.count; k++) {
		if (k > 0)
			add_char(to, ' ');
		add_masked(to, text_from(graph->blocks.at[path->blocks.at[k]].name));
	}
}

static void
add_row(struct text_buffer *to, const struct flow_graph *graph, const struct untaken *one)
{
	add_path(to, graph, one->path);
	add_format(to, "\t0\t%zu\t", one->turns);
	if (one->turns > 0) {
		struct flow_path turn = { { one->path->blocks.at + one->first, 2, 0 } };

		add_path(to, graph, &turn);
	}
	add_char(to, '\n');
}

/* --- for people --- */

/* The line in a block's name, as 12 in "@12"; 0: it has none. */
static unsigned long
line_of(const char *block)
{
	const char *at = strrchr(block, '@');

	return at != NULL ? strtoul(at + 1, NULL, 10) : 0;
}

static struct stk_text
words_of(const struct source *source, unsigned long line)
{
	struct stk_text rest = text_of(source->text.at, source->text.count), words = { "", 0 };

	for (; line > 0 && rest.size > 0; line--)
		words = text_take(&rest, '\n');
	if (line > 0)
		return text_of("", 0);
	while (words.size > 0 && (*words.data == ' ' || *words.data == '\t'))
		words = text_of(words.data + 1, words.size - 1);
	while (words.size > 0 && strchr(" \t\r", words.data[words.size - 1]) != NULL)
		words.size--;
	return words;
}

/* "if.then@14 (line 14: return 1;)" */
static void
add_block(struct text_buffer *to, const struct source *source, const char *block)
{
	unsigned long line = line_of(block);
	struct stk_text words = words_of(source, line);

	add_masked(to, text_from(block));
	if (line == 0 || words.size == 0)
		return;
	add_format(to, " (line %lu: ", line);
	add_masked(to, text_of(words.data, words.size > WORDS_MOST ? WORDS_MOST : words.size));
	add_string(to, words.size > WORDS_MOST ? "...)" : ")");
}

static void
add_heading(struct text_buffer *to, const struct flow_graph *graph, const struct source *source,
	    const struct untaken *one)
{
	if (one->turns == 0) {
		add_string(to, "further along what was taken:\n");
		return;
	}
	if (one->turns == 1)
		add_string(to, "one turn, from ");
	else
		add_format(to, "%zu turns, the first from ", one->turns);
	add_block(to, source, graph->blocks.at[one->path->blocks.at[one->first]].name);
	add_string(to, " to ");
	add_block(to, source, graph->blocks.at[one->path->blocks.at[one->first + 1]].name);
	add_string(to, ":\n");
}

static bool
has_same_heading(const struct untaken *a, const struct untaken *b)
{
	return a->turns == b->turns &&
	       (a->turns == 0 || (a->path->blocks.at[a->first] == b->path->blocks.at[b->first] &&
				  a->path->blocks.at[a->first + 1] == b->path->blocks.at[b->first + 1]));
}

/* --- the command's part --- */

int
untaken_paths_print(struct printer *to, const struct flow_graph *graph, const struct flow_paths *prime,
		    const bool *taken, struct stk_text file, struct stk_error *err)
{
	bool for_people = program_common.format != NULL && strcmp(program_common.format, "text") == 0;
	struct source source = { 0 };
	struct stk_error unreadable = { 0 };
	size_t count;
	struct untaken *list = find_untaken(graph, prime, taken, &count);
	char *path = mem_new(file.size + 1, 1);
	int result = 0;

	memcpy(path, file.data, file.size);
	if (for_people && file.size > 0 && whole_file_read(&source.text, path, SOURCE_MOST, &unreadable) < 0)
		source.text.count = 0;		/* then only blocks are named */
	if (!for_people)
		add_string(&to->text, "path\tcount\tturns\tturn\n");
	for (size_t i = 0; i < count && result == 0; i++) {
		if (!for_people) {
			add_row(&to->text, graph, &list[i]);
		} else {
			if (i == 0 || !has_same_heading(&list[i - 1], &list[i]))
				add_heading(&to->text, graph, &source, &list[i]);
			add_string(&to->text, "    ");
			add_path(&to->text, graph, list[i].path);
			add_char(&to->text, '\n');
		}
		result = printer_settle(to, false, err);
	}
	array_release(&source.text);
	free(path);
	free(list);
	return result;
}
