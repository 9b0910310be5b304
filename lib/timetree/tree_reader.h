/* SPDX-License-Identifier: MIT
 * tree_reader: the time tree of a stream in a file: its description, keys, nodes and counts, read as they are asked
 * for. */
#ifndef TIMETREE_TREE_READER_H
#define TIMETREE_TREE_READER_H

#include "base/array.h"
#include "base/pair_sums.h"
#include "choose/stack_prefix.h"
#include "stream/stream_file.h"
#include "timetree/key_sets.h"
#include "timetree/shape_text.h"
#include "timetree/tree_query.h"

#define TREE_TEXT_MAX 256		/* as KEYS_TEXT_MAX */

struct tree_facts {
	struct stk_tree row;		/* its texts are in what follows */
	char rule[RULE_TEXT_MAX], zone[TREE_TEXT_MAX], by[TREE_TEXT_MAX], event[TREE_TEXT_MAX];
	ARRAY(uint64_t) roots;
};

struct tree_reader;

/* The last tree of a stream: 1; 0: there is none (or what there was is damaged); -1, with STK_EDATA when it says what
 * cannot be. The file is borrowed. */
int tree_reader_open(
	struct tree_reader **out, struct stream_file *file, unsigned stream, struct stk_error *err) STK_MUST_CHECK;
void tree_reader_close(struct tree_reader *reader);
/* The times of samples of which only the tree's counts were left, as far as its nodes tell, whether the tree itself can
 * be opened or not; all times when these cannot be read. 1: there are such, 0: there are none, or no tree; -1. */
int tree_reader_thinned(struct stream_file *file, unsigned stream, struct tree_interval *lost,
			struct stk_error *err) STK_MUST_CHECK;
/* What precedes the frames of its counts: texts 0 to tree_reader_keys - 1. Borrowed. */
size_t tree_reader_keys(const struct tree_reader *reader);
struct stk_text tree_reader_key(const struct tree_reader *reader, size_t at);

const struct tree_facts *tree_reader_facts(const struct tree_reader *reader);

/* A tree has nodes for each set of its keys. Facts and roots are those of set 0, until another is chosen; but for the
 * keys and the roots they are the same. The texts of *sets are the reader's. */
void tree_reader_sets(const struct tree_reader *reader, struct key_sets *sets);
void tree_reader_choose(struct tree_reader *reader, unsigned set);
/* Chooses the set with these keys. False: there is none, and nothing is chosen. */
bool tree_reader_choose_keys(struct tree_reader *reader, const char *by);

uint64_t tree_reader_nodes(const struct tree_reader *reader);
enum tree_access_result tree_reader_node(
	struct tree_reader *reader, uint64_t id, struct stk_tree_node *node, struct stk_error *err);

/* Adds a node's counts to sums by prefix and stack. Prefixes are those of `prefixes`; bare: without their texts. */
enum tree_access_result tree_reader_counts(struct tree_reader *reader, const struct stk_tree_node *node,
	struct stack_prefixes *prefixes, bool bare, struct pair_sums *sums, struct stk_error *err);

#endif
