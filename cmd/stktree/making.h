/* SPDX-License-Identifier: MIT
 * making: common to the tasks that write trees; defined in make_tree.c. */
#ifndef STKTREE_MAKING_H
#define STKTREE_MAKING_H

#include "tree_settings.h"

#include "program/filter.h"

struct stream_file;

struct making {
	const struct settings *settings;
	struct maker_options options;
	struct filter *filter;
	struct tree_maker *maker;
	struct stk_workers *workers;
	struct time_zone *zone;		/* of the calendar of a tree that is continued; NULL */
	uint64_t lost;			/* of filter->lost: passed to the maker */
};

/* A damaged block is reported, and left out. -1 with *err: it cannot continue. */
int  making_take(struct making *making, const struct stk_block *block, struct stk_error *err);
/* Everything was taken: builds the tree. */
int  making_finish(struct making *making, struct stk_error *err);
/* Writes the result at the end of a file, from a place on. */
int  making_replace_end(const struct making *making, int fd, int64_t place, const char *path, struct stk_error *err);
/* Whether the result has to be written at the end of the tree in the file. */
bool making_has_news(const struct making *making, const struct stream_file *file);
/* What was written, what was left out, and what is lost. */
void say_totals(const struct maker_totals *totals);

/* For stream_file: the context is the path. */
void report_damage(void *context, int64_t offset, uint64_t bytes, const char *what);

/* The tree at the path, locked: 1; 0: there is none yet; -1. The caller closes the file and *fd in any case. */
int  open_target(const char *path, int *fd, struct stream_file **file, struct stk_error *err);
/* What is added has the shape of that tree: options that ask for another are wrong usage. */
int  shape_of_target(struct making *making, const char *path, struct stream_file *file, struct stk_error *err);
/* Writes the result to a new file, whole or not at all. */
int  create_target(struct making *making, const char *path, struct stk_error *err);

#endif
