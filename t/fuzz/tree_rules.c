/* SPDX-License-Identifier: MIT
 * Any bytes as rules, of a comparison and of one recording, held against their own lines as folded stacks: reading and
 * judging end without a crash, and no share is above the whole. */
#include "base/bytes.h"
#include "base/memory.h"
#include "timetree/tree_rules.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_finding(void *context, const struct rule_finding *finding)
{
	(void)context;
	if (finding->part > finding->whole)
		abort();
}

static void
sum_up(struct call_tree *tree)
{
	array_lengthen(&tree->total, tree->nodes.count);
	for (size_t n = tree->nodes.count; n-- > 0;) {
		*call_tree_total(tree, (uint32_t)n) += *call_tree_self(tree, (uint32_t)n);
		if (n > 0)
			*call_tree_total(tree, tree->nodes.at[n].parent) += *call_tree_total(tree, (uint32_t)n);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stk_text text = text_of((const char *)data, size);
	struct tree_rules rules;
	struct stk_error err = { 0 };
	struct call_tree tree;
	uint64_t *sums;
	size_t from = 0;

	if (size > 4096)
		return 0;
	if (tree_rules_read_text(&rules, text, "fuzz.yaml", true, &err) < 0)
		stk_error_clear(&err);
	tree_rules_release(&rules);
	if (tree_rules_read_text(&rules, text, "fuzz.yaml", false, &err) < 0)
		stk_error_clear(&err);
	call_tree_open(&tree, 1);
	for (size_t at = 0; at <= size; at++) {
		if (at < size && data[at] != '\n')
			continue;
		*call_tree_self(&tree, call_tree_path(&tree, 0, text_of(text.data + from, at - from))) += at % 3;
		from = at + 1;
	}
	sum_up(&tree);
	sums = mem_new(2 * (tree.names.texts.count + 1), sizeof *sums);
	for (uint32_t n = 1; n < tree.nodes.count; n++) {
		sums[2 * tree.nodes.at[n].name] += *call_tree_self(&tree, n);
		sums[2 * tree.nodes.at[n].name + 1] = *call_tree_total(&tree, 0);
	}
	for (size_t r = 0; r < rules.list.count; r++)
		tree_rule_judge(&rules.list.at[r], &(struct judged_tree){ &tree, sums, size % 2 }, check_finding, NULL);
	free(sums);
	call_tree_release(&tree);
	tree_rules_release(&rules);
	return 0;
}
