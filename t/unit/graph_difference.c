/* SPDX-License-Identifier: MIT
 * graph_difference: says nothing of equal graphs, and of others names what differs first, also the end of the list of
 * blocks, the entry and the exit. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "graph/graph_difference.h"

#include <string.h>

/* "ab bc cd" are edges between blocks of one letter, in order; the entry and the exit are the last two letters. */
static struct flow_graph *
graph_of(const char *edges, const char *ends)
{
	struct flow_graph *g = flow_graph_new(text_from("f"));
	uint32_t entry, exit, fault;
	struct stk_error err = { 0 };

	for (const char *at = edges; *at != '\0'; at += 2 + (at[2] == ' ')) {
		uint32_t from = flow_graph_add_block(g, text_of(at, 1)),
			 to = flow_graph_add_block(g, text_of(at + 1, 1));

		flow_graph_add_edge(g, from, to);
	}
	entry = flow_graph_find(g, text_of(ends, 1));
	exit = flow_graph_find(g, text_of(ends + 1, 1));
	(void)!flow_graph_seal(g, entry, exit, &fault, &err);
	return g;
}

static void
differ(const char *edges, const char *ends, const char *had_edges, const char *had_ends, const char *expected)
{
	struct flow_graph *graph = graph_of(edges, ends), *had = graph_of(had_edges, had_ends);
	struct text_buffer words = { 0 };
	bool alike = flow_graph_checksum(graph) == flow_graph_checksum(had);

	graph_add_difference(&words, graph, had, "the plan");
	ok(alike == (words.count == 0), "%s, %s: words only where checksums differ", edges, had_edges);
	add_char(&words, '\0');
	ok(strcmp(words.at, expected) == 0, "%s", words.count > 1 ? words.at : "the same");
	array_release(&words);
	flow_graph_free(graph);
	flow_graph_free(had);
}

int
main(void)
{
	differ("ab ac bd cd", "ad", "ab ac bd cd", "ad", "");
	differ("ab ac bd cd", "ad", "ab ax bd xd", "ad", "its block 'a' leads to 'c' where the plan has 'x'");
	differ("ab ac bd cd", "ad", "xb xc bd cd", "xd", "it has block 'a' where the plan has 'x'");
	differ("ab ac bd cd", "ad", "ac ab bd cd", "ad", "its block 'a' leads to 'b' where the plan has 'c'");
	differ("ab ac ad bd cd", "ad", "ab ac bd cd", "ad", "its block 'a' leads to 'd', not in the plan");
	differ("ab ac bd cd", "ad", "ab ac ad bd cd", "ad", "its block 'a' leads to 'd' only in the plan");
	differ("ab bc ce", "ae", "ab bc", "ac", "its block 'c' leads to 'e', not in the plan");
	differ("ab ba bc", "ac", "ab ba bc", "bc", "its block '(entry)' leads to 'a' where the plan has 'b'");
	return tap_end();
}
