/* SPDX-License-Identifier: MIT
 * folded_walk: the order of lines is that of their bytes, for trees of 0, 1, 2 and many nodes. */
#include "../lib/tap.h"

#include "choose/folded_walk.h"

#include <stdlib.h>

/* What the walk of a tree gives, a line each. */
static const char *
walked(const struct call_tree *tree)
{
	static char lines[20000];
	struct folded_walk *walk;
	struct stk_text text;
	size_t used = 0;
	uint32_t node;

	folded_walk_open(&walk, tree);
	while (folded_walk_next(walk, &node, &text))
		used += (size_t)snprintf(lines + used, sizeof lines - used, "%.*s\n", (int)text.size, text.data);
	lines[used] = '\0';
	folded_walk_close(walk);
	return lines;
}

static void
test_small(void)
{
	struct call_tree tree;

	call_tree_open(&tree, 1);
	is_text(walked(&tree), "?\n", "an empty tree has its root");
	call_tree_path(&tree, 0, text_from("x"));
	is_text(walked(&tree), "?\nx\n", "one node");
	call_tree_path(&tree, 0, text_from("x;a"));
	is_text(walked(&tree), "?\nx\nx;a\n", "a node and its callee");
	call_tree_path(&tree, 0, text_from("x$1"));
	is_text(walked(&tree), "?\nx\nx$1\nx;a\n", "a sibling whose name sorts between a node and its callees");
	call_tree_path(&tree, 0, text_from("x<y>"));
	call_tree_path(&tree, 0, text_from("!"));
	is_text(walked(&tree), "!\n?\nx\nx$1\nx;a\nx<y>\n", "one after them, and one before the root's");
	call_tree_release(&tree);
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Random paths of letters around ';': the walk is what sorting gives. */
static void
test_random(void)
{
	static const char letters[] = "a!$:<~";
	char *lines[300], expected[20000] = "";
	size_t count = 0, used = 0;
	struct call_tree tree;
	uint32_t seed = 7;

	call_tree_open(&tree, 1);
	for (unsigned i = 0; i < 60; i++) {
		char path[20];
		size_t size = 0;

		for (unsigned part = 0; part < 4; part++) {
			for (unsigned n = (seed = seed * 1664525 + 1013904223) >> 30; n != UINT32_MAX; n--)
				path[size++] = letters[(seed = seed * 1664525 + 1013904223) >> 16 & 3];
			path[size++] = part < 3 ? ';' : '\0';
		}
		call_tree_path(&tree, 0, text_from(path));
	}
	for (uint32_t n = 0; n < tree.nodes.count; n++) {
		struct text_buffer text = { 0 };

		call_tree_add_path(&tree, n, &text);
		lines[count++] = strndup(text.at, text.count);
		array_release(&text);
	}
	qsort(lines, count, sizeof *lines, by_bytes);
	for (size_t i = 0; i < count; i++) {
		used += (size_t)snprintf(expected + used, sizeof expected - used, "%s\n", lines[i]);
		free(lines[i]);
	}
	is_text(walked(&tree), expected, "%zu random paths come in the order of their bytes", count);
	call_tree_release(&tree);
}

int
main(void)
{
	test_small();
	test_random();
	return tap_end();
}
