/* SPDX-License-Identifier: MIT
 * tree_file: the properties of a file with a tree, for making another like it or resuming it. */
#ifndef TIMETREE_TREE_FILE_H
#define TIMETREE_TREE_FILE_H

#include "timetree/maker_options.h"
#include "timetree/tree_reader.h"

/* What a tree is of: its shape (without its roots), the keys that it counts by, and the clocks of its sources. */
struct kind_of_tree {
	struct tree_facts facts;
	struct key_sets keys;
	char texts[KEY_SETS_MOST][KEYS_TEXT_MAX];	/* of the keys */
	bool wall, monotonic;
};

/* Looks at the one tree of a file; the path is for messages. *kind owns nothing, and is not to be copied. -1 with *err:
 * the file cannot be read, or (STK_EDATA) has several streams or no tree. */
int tree_file_look(
	const char *path, struct stream_file *file, struct kind_of_tree *kind, struct stk_error *err) STK_MUST_CHECK;

/* The options with which the same tree would be made, beside those for compression and retention. The kind is borrowed
 * by them. *zone: to be closed by time_zone_close after the options are not used any more; NULL: none. -1 with
 * *err (STK_EDATA): its shape or its zone is not known here. */
int tree_file_options(const struct kind_of_tree *kind, struct maker_options *options, struct time_zone **zone,
	struct stk_error *err) STK_MUST_CHECK;

/* What comes after the last tree of a file whose end is missing was not finished, and belongs to no tree: its blocks
 * are forgotten. True: there were such. */
bool tree_file_forget_unfinished(struct stream_file *file);

/* Where the last append that was whole ends: after its block of STK_TREE; in older files after what the tree speaks of.
 * 0: there is none. */
int64_t tree_file_end(const struct stream_file *file);

#endif
