/* SPDX-License-Identifier: MIT
 * node_writer: nodes and counts of a time tree as records; and the numbers of types: a prefix and a stack. */
#ifndef TIMETREE_NODE_WRITER_H
#define TIMETREE_NODE_WRITER_H

#include "base/pair_sums.h"
#include "choose/stack_prefix.h"
#include "timetree/alike_stacks.h"
#include "timetree/tree_builder.h"

struct stream_file;

/* How many the stream has; of keys one more, or 0; and the rows of the present blocks. */
struct node_numbers { uint64_t next_key, next_node, next_count; uint32_t block_counts, block_nodes; };

struct node_writer {
	struct stk_writer *writer;		/* borrowed; may be changed between calls */
	struct stack_prefixes *prefixes;	/* borrowed */
	struct alike_stacks *alike;		/* borrowed; NULL: no counts are left out */
	struct pair_sums types;			/* type n is at n - 1 */
	struct node_numbers *numbers;		/* borrowed: those who write to one stream share them */
	unsigned set;				/* of keys, which the prefixes are of */
	ARRAY(uint64_t) keys;			/* by prefix: the stored key; 0: none yet */
};

/* A zeroed struct with writer, prefixes and zeroed numbers set is one of a new stream. */
void node_writer_release(struct node_writer *nodes);
struct tree_sink node_writer_sink(struct node_writer *nodes);

static inline uint32_t
node_writer_type(struct node_writer *nodes, uint32_t prefix, uint32_t stack)
{
	return pair_sums_index(&nodes->types, prefix, stack) + 1;
}

/* What was written since the numbers were these went to a stream that is given up. */
void node_writer_go_back(struct node_writer *nodes, const struct node_numbers *then);

/* The nodes to come continue those of a file's first stream: its numbers of nodes and counts; and its keys, all of
 * them. -1 with *err: it cannot be read, or (STK_EDATA) a block of keys is damaged. */
void node_writer_resume(struct node_writer *nodes, struct stream_file *file);
int  node_writer_know_keys(struct node_writer *nodes, struct stream_file *file, struct stk_error *err) STK_MUST_CHECK;

#endif
