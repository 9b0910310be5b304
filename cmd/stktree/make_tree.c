/* SPDX-License-Identifier: MIT
 * make_tree: drives a tree_maker with the blocks of the inputs, and puts the result where it belongs. */
#include "make_tree.h"

#include "follow_tree.h"
#include "making.h"

#include "base/lock_file.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "base/output.h"
#include "program/program.h"
#include "stream/stream_file.h"
#include "timetree/file_end.h"
#include "timetree/tree_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEYS_SHOWN 300

void
report_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	(void)bytes;
	program_warn("%s:%lld: %s", (const char *)context, (long long)offset, what);
}

/* --- taking the inputs --- */

int
making_take(struct making *making, const struct stk_block *block, struct stk_error *err)
{
	if (tree_maker_take(making->maker, making->filter->reader, block, err) == 0)
		return 0;
	if (err->code != STK_EDATA)
		return -1;
	filter_damaged(making->filter, err);
	stk_error_clear(err);
	return 0;
}

static int
take_all(struct making *making, struct stk_error *err)
{
	struct stk_block block;
	int got;

	while ((got = filter_next(making->filter, &block, err)) > 0)
		if (making_take(making, &block, err) < 0)
			return -1;
	return got < 0 ? -1 : tree_maker_end_stream(making->maker, err);
}

int
making_finish(struct making *making, struct stk_error *err)
{
	tree_maker_lost(making->maker, making->filter->lost - making->lost);
	making->lost = making->filter->lost;
	return tree_maker_finish(making->maker, err);
}

/* --- putting the result in place --- */

/* Checks that the open file still has this name: what is written into a file that was moved would not be found. */
static int
check_place(const struct stat *open, const char *path, struct stk_error *err)
{
	struct stat named;

	if (stat(path, &named) < 0)
		return stk_fail_errno(err, "%s: the tree is gone", path);
	if (named.st_dev != open->st_dev || named.st_ino != open->st_ino)
		return stk_fail(err, STK_ESYSTEM, "%s: the tree was replaced by another file", path);
	return 0;
}

/* Overwrites the index and the end of the file: the next --append repairs what a failure leaves. */
int
making_replace_end(const struct making *making, int fd, int64_t place, const char *path, struct stk_error *err)
{
	struct stat open;
	bool torn = false;
	int result;

	if (fstat(fd, &open) < 0)
		return stk_fail_errno(err, "cannot examine %s", path);
	result = check_place(&open, path, err);
	if (result == 0)
		result = file_end_replace(fd, place, tree_maker_result(making->maker), path, &torn, err);

	if (torn)
		program_fail(
			"%s: its old end could not be restored: its samples are intact, and the next --append repairs it",
			path);
	return result == 0 ? check_place(&open, path, err) : -1;
}

/* What the tree lacks, or what it does not say that it has lost. */
bool
making_has_news(const struct making *making, const struct stream_file *file)
{
	enum maker_news least = making->settings->job == JOB_FOLLOW ? MAKER_DEFINITIONS : MAKER_ROWS;

	return tree_maker_news(making->maker) >= least || !stream_file_is_whole(file, 0) ||
	       (making->lost > 0 && stream_file_lost(file, 0) == 0);
}

/* --- shapes --- */

/* A tree keeps its shape: options that ask for another are refused. done: what is done with it. */
static void
refuse_other_shape(const struct making *making, const char *path, const struct kind_of_tree *kind, const char *done)
{
	const struct maker_options *o = &making->settings->maker;
	const struct tree_facts *facts = &kind->facts;
	const struct stk_tree *row = &facts->row;
	char keys[KEYS_SHOWN];

	if (program_given("leaf") && o->shape.leaf != row->leaf)
		program_usage("--leaf of %s is %llu: it cannot %s with another", path, (unsigned long long)row->leaf,
			      done);
	if (program_given("split") && o->shape.split != row->split)
		program_usage("--split of %s is %llu: it cannot %s with another", path, (unsigned long long)row->split,
			      done);
	if (program_given("keep-percent") && (o->shape.keep < row->keep || o->shape.keep > row->keep))
		program_usage("--keep-percent of %s is %g: it cannot %s with another", path, row->keep, done);
	if (program_given("split-by") && strcmp(o->rule, facts->rule) != 0)
		program_usage("--split-by of %s is %s: it cannot %s with another", path, facts->rule, done);
	if (program_given("zone") && strcmp(o->zone, facts->zone) != 0)
		program_usage("--zone of %s is '%s': it cannot %s with another", path, facts->zone, done);
	if (o->keys.count > 0 && !key_sets_equal(&o->keys, &kind->keys))
		program_usage("--by of %s is '%s': it cannot %s with another", path,
			key_sets_print(keys, sizeof keys, &kind->keys), done);
	if (o->event != NULL && row->rows > 0 && strcmp(strcmp(o->event, "all") == 0 ? "" : o->event, facts->event) != 0)
		program_usage("--event of %s is '%s': it cannot %s with another", path,
			*facts->event == '\0' ? "all" : facts->event, done);
}

int
shape_of_target(struct making *making, const char *path, struct stream_file *file, struct stk_error *err)
{
	static struct kind_of_tree kind;

	if (tree_file_look(path, file, &kind, err) < 0)
		return -1;
	refuse_other_shape(making, path, &kind, "grow");
	return tree_file_options(&kind, &making->options, &making->zone, err);
}

/* Trees of different shapes or clocks cannot be merged. */
static void
compare_trees(const char *path, const struct kind_of_tree *a, const char *other, const struct kind_of_tree *b)
{
	const struct stk_tree *x = &a->facts.row, *y = &b->facts.row;
	char keys[2][KEYS_SHOWN];

	if ((a->wall && b->monotonic) || (a->monotonic && b->wall))
		program_usage("--merge: %s has a %s clock, %s a %s one", path,
			a->wall ? "wall" : "monotonic", other, b->wall ? "wall" : "monotonic");
	if (x->leaf != y->leaf)
		program_usage("--merge: --leaf of %s is %llu, of %s %llu", path, (unsigned long long)x->leaf, other,
			(unsigned long long)y->leaf);
	if (x->split != y->split)
		program_usage("--merge: --split of %s is %llu, of %s %llu", path, (unsigned long long)x->split, other,
			(unsigned long long)y->split);
	if (x->keep < y->keep || x->keep > y->keep)
		program_usage("--merge: --keep-percent of %s is %g, of %s %g", path, x->keep, other, y->keep);
	if (strcmp(a->facts.rule, b->facts.rule) != 0 ||
	    (strncmp(a->facts.rule, "calendar", 8) == 0 && strcmp(a->facts.zone, b->facts.zone) != 0))
		program_usage("--merge: %s is split by %s %s, %s by %s %s", path, a->facts.rule, a->facts.zone, other,
			b->facts.rule, b->facts.zone);
	if (!key_sets_equal(&a->keys, &b->keys))
		program_usage("--merge: --by of %s is '%s', of %s '%s'", path,
			key_sets_print(keys[0], sizeof keys[0], &a->keys), other,
			key_sets_print(keys[1], sizeof keys[1], &b->keys));
	if (strcmp(a->facts.event, b->facts.event) != 0)
		program_usage("--merge: %s counts event '%s', %s '%s'", path, a->facts.event, other, b->facts.event);
}

/* The shapes are checked before anything is read. */
static void
refuse_pipe(const char *operand)
{
	struct stat is;

	if ((strcmp(operand, "-") == 0 ? fstat(STDIN_FILENO, &is) : stat(operand, &is)) == 0 &&
		(S_ISFIFO(is.st_mode) || S_ISSOCK(is.st_mode)))
		program_usage("--merge: %s is a pipe (expected a file, because trees are read twice)", operand);
}

static int
check_trees(struct making *making, char **operands, int count, struct stk_error *err)
{
	static struct kind_of_tree first, next;

	if (count < 2)
		program_usage("--merge: expected two trees or more");
	for (int i = 0; i < count; i++)
		refuse_pipe(operands[i]);
	for (int i = 0; i < count; i++) {
		struct stream_file *file;
		int result = stream_file_open(&file, operands[i], NULL, NULL, err);

		next = (struct kind_of_tree){ 0 };
		if (result < 0 && strstr(err->text, operands[i]) == NULL) {
			struct stk_error why = *err;

			stk_error_clear(err);
			result = stk_fail(err, why.code, "%s: %s", operands[i], why.text);
		} else if (result == 0) {
			result = tree_file_look(operands[i], file, i == 0 ? &first : &next, err);
		}
		stream_file_close(file);
		if (result < 0)
			return -1;
		if (i > 0)
			compare_trees(operands[0], &first, operands[i], &next);
	}
	refuse_other_shape(making, operands[0], &first, "be merged");
	return tree_file_options(&first, &making->options, &making->zone, err);
}

/* --- the tasks --- */

/* A tree that is thinned keeps its shape. */
static int
keep_shape(struct making *making, const char *path, struct stk_error *err)
{
	static struct kind_of_tree kind;
	struct stream_file *file;
	struct stat is;
	int result = 0;

	if (stat(path, &is) < 0 || !S_ISREG(is.st_mode))
		return 0;
	if (stream_file_open(&file, path, NULL, NULL, err) == 0 && tree_file_look(path, file, &kind, err) == 0) {
		refuse_other_shape(making, path, &kind, "be thinned");
		result = tree_file_options(&kind, &making->options, &making->zone, err);
	} else if (err->code == STK_EDATA)
		stk_error_clear(err);		/* no tree: the options define the shape */
	else
		result = -1;
	stream_file_close(file);
	return result;
}

/* A tree that another process lets grow is not to be replaced: what that one adds would be lost. The lock ends with the
 * process, when the new file is in its place. */
static int
lock_old_output(const char *path, struct stk_error *err)
{
	struct stat is;
	int fd;

	if (path == NULL || stat(path, &is) < 0 || !S_ISREG(is.st_mode))
		return 0;
	fd = open_file(path, O_RDONLY, 0);
	if (fd < 0 || lock_file_try(fd) || errno != EWOULDBLOCK)
		return 0;
	close(fd);
	return stk_fail(err, STK_ESYSTEM, "%s: another stktree is writing to it", path);
}

static int
build(struct making *making, struct stk_error *err)
{
	making->options.output = making->filter->output;
	if (lock_old_output(program_common.output, err) < 0 ||
		tree_maker_open(&making->maker, &making->options, NULL, err) < 0 || take_all(making, err) < 0 ||
		making_finish(making, err) < 0)
		return -1;
	say_totals(tree_maker_totals(making->maker));
	return output_take(making->filter->output, tree_maker_result(making->maker), err);
}

/* The tree at the path, alone: 1; 0: there is none yet; -1. */
int
open_target(const char *path, int *fd, struct stream_file **file, struct stk_error *err)
{
	*file = NULL;
	*fd = open_file(path, O_RDWR, 0);
	if (*fd < 0)
		return errno == ENOENT ? 0 : stk_fail_errno(err, "cannot open %s", path);
	if (!lock_file_try(*fd))
		return errno == EWOULDBLOCK ? stk_fail(err, STK_ESYSTEM, "%s: another stktree is writing to it", path)
					    : stk_fail_errno(err, "cannot lock %s", path);
	if (stream_file_open(file, path, report_damage, (void *)(uintptr_t)path, err) < 0)
		return -1;
	if (tree_file_forget_unfinished(*file))
		program_warn("%s: its last writer was interrupted; the unfinished part is left out", path);
	return 1;
}

/* Removes the samples that a killed append left: no node of the tree covers them, and their inputs will be given again.
 * If kept, they would be there twice, with half a block in the middle of the file for good. */
static int
drop_torn_end(const char *path, int fd, struct stream_file **file, struct stk_error *err)
{
	struct stat is;
	int64_t end;

	if (stream_file_streams(*file) != 1 || stream_file_is_whole(*file, 0) || fstat(fd, &is) < 0)
		return 0;
	end = tree_file_end(*file);
	if (end == 0)
		return 0;		/* no tree: refused later */
	program_warn("%s: an append to it was interrupted; %lld bytes after the last complete one are dropped",
		path, (long long)(is.st_size - end));
	while (ftruncate(fd, end) < 0)
		if (errno != EINTR)
			return stk_fail_errno(err, "cannot shorten %s", path);
	stream_file_close(*file);
	return stream_file_open(file, path, NULL, NULL, err);
}

/* A new file, whole or not at all. */
int
create_target(struct making *making, const char *path, struct stk_error *err)
{
	struct output *output = NULL;
	int result = output_open(&output, path, err);

	if (result == 0)
		result = output_take(output, tree_maker_result(making->maker), err);
	if (output_close(output, result == 0, result == 0 ? err : &(struct stk_error){ 0 }) < 0)
		result = -1;
	return result;
}

static int
append(struct making *making, const char *path, struct stk_error *err)
{
	struct stream_file *file = NULL;
	int fd = -1, got = open_target(path, &fd, &file, err), result = got < 0 ? -1 : 0;

	if (got > 0 && (drop_torn_end(path, fd, &file, err) < 0 || shape_of_target(making, path, file, err) < 0))
		result = -1;
	if (result == 0 && (tree_maker_open(&making->maker, &making->options, file, err) < 0 ||
				   take_all(making, err) < 0 || making_finish(making, err) < 0))
		result = -1;
	if (result == 0 && !program_stopping()) { /* else half an input would be there twice after the next append */
		say_totals(tree_maker_totals(making->maker));
		if (got == 0)
			result = create_target(making, path, err);
		else if (making_has_news(making, file))
			result = making_replace_end(making, fd, stream_file_blocks_end(file, 0), path, err);
	}
	tree_maker_close(making->maker);
	making->maker = NULL;
	stream_file_close(file);
	if (fd >= 0)
		close(fd);
	return result;
}

/* --- --- */

int
make_tree(const struct settings *settings, struct filter *filter, char **operands, int count, struct stk_error *err)
{
	struct making making = { .settings = settings, .options = settings->maker, .filter = filter };
	bool to_file = settings->target != NULL || settings->job == JOB_FOLLOW || output_is_file(filter->output);
	int result = 0;

	making.options.level = program_common.level >= 0 ? (int)program_common.level
			       : to_file                 ? STK_LEVEL_FILE
							 : STK_LEVEL_PIPE;
	if (program_threads() > 1)
		making.workers = making.options.workers = stk_workers_open(program_threads());
	if (settings->job == JOB_MERGE)
		result = check_trees(&making, operands, count, err);
	else if (settings->job == JOB_THIN && count == 1)
		result = keep_shape(&making, operands[0], err);
	if (result < 0)
		;
	else if (settings->job == JOB_APPEND)
		result = append(&making, settings->target, err);
	else if (settings->job == JOB_FOLLOW) {
		refuse_own_tree(settings->target, operands, count);
		result = follow_tree(&making, settings->target, err);
	}
	else
		result = build(&making, err);
	tree_maker_close(making.maker);
	time_zone_close(making.zone);
	stk_workers_close(making.workers);
	return result;
}
