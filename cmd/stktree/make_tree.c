/* SPDX-License-Identifier: MIT
 * make_tree: drives a tree_maker with the blocks of the inputs, and puts what it made where it belongs. */
#include "make_tree.h"

#include "base/host.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "base/output.h"
#include "model/model.h"
#include "program/program.h"
#include "stream/stream_file.h"
#include "timetree/tree_maker.h"
#include "timetree/tree_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COPY_BYTES (1u << 20)

struct making {
	const struct settings *settings;
	struct maker_options options;
	struct filter *filter;
	struct tree_maker *maker;
	struct stk_workers *workers;
	struct tree_facts *facts;	/* of the tree that says the shape; NULL */
	uint64_t lost;			/* of filter->lost: told to the maker */
};

static void
tell_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	(void)bytes;
	program_warn("%s:%lld: %s", (const char *)context, (long long)offset, what);
}

/* --- taking the inputs --- */

static int
take(struct making *making, const struct stk_block *block, struct stk_error *err)
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
		if (take(making, &block, err) < 0)
			return -1;
	return got < 0 ? -1 : tree_maker_end_stream(making->maker, err);
}

static int
finish(struct making *making, struct stk_error *err)
{
	tree_maker_lost(making->maker, making->filter->lost - making->lost);
	making->lost = making->filter->lost;
	return tree_maker_finish(making->maker, err);
}

/* What is not in the tree, or is in it without what it refers to. */
static void
say_lost(const struct maker_totals *t)
{
	if (t->lost_blocks > 0)
		program_warn("%llu damaged blocks of definitions or samples are left out", (unsigned long long)t->lost_blocks);
	if (t->lost_nodes > 0)
		program_warn("%llu nodes of the inputs' trees cannot be read; samples that were thinned to their counts are left out", (unsigned long long)t->lost_nodes);
	if (t->lost_rows > 0)
		program_warn("%llu rows refer to what their stream does not define; they are kept and refer to nothing", (unsigned long long)t->lost_rows);
	if (t->unknown_rows > 0)
		program_warn("%llu rows of kinds that this version does not know cannot be renumbered; they are left out", (unsigned long long)t->unknown_rows);
	if (t->lost_stacks > 0)
		program_warn("%llu samples have stacks that the stream does not define; \"?\" stands for these", (unsigned long long)t->lost_stacks);
}

static void
say_totals(const struct maker_totals *t)
{
	say_lost(t);
	if (t->other_events > 0)
		program_say("counted samples of one event only; %llu samples of others are kept, and not counted (see --event)", (unsigned long long)t->other_events);
	if (t->untimed > 0)
		program_say("%llu samples have no time: they stand in no window", (unsigned long long)t->untimed);
	if (t->thinned > 0 || t->dropped > 0)
		program_say("%llu samples became counts, %llu are gone", (unsigned long long)t->thinned, (unsigned long long)t->dropped);
	if (t->samples == 0)
		program_warn("no samples: the tree is empty");
	program_say("%llu samples; %llu nodes, %llu counts", (unsigned long long)t->samples, (unsigned long long)t->nodes, (unsigned long long)t->counts);
}

/* --- putting the result in place --- */

static int
copy_to_output(const struct scratch *from, struct output *to, struct stk_error *err)
{
	char *buffer = mem_new(COPY_BYTES, 1);
	int64_t at = 0;
	long got;
	int result = 0;

	while (result == 0 && (got = scratch_read_at(from, buffer, COPY_BYTES, at, err)) != 0) {
		result = got < 0 ? -1 : output_write(to, buffer, (size_t)got, err);
		at += got;
	}
	free(buffer);
	return result;
}

/* What a scratch holds becomes the end of the file, from a place on. */
static int
end_file_with(const struct scratch *from, int fd, int64_t place, const char *path, struct stk_error *err)
{
	char *buffer = mem_new(COPY_BYTES, 1);
	int64_t at = 0;
	long got;
	int result = 0;

	while (result == 0 && (got = scratch_read_at(from, buffer, COPY_BYTES, at, err)) != 0) {
		for (long done = 0; got > 0 && done < got && result == 0; ) {
			ssize_t written = pwrite(fd, buffer + done, (size_t)(got - done), place + at + done);

			if (written < 0 && errno != EINTR)
				result = stk_fail_errno(err, "cannot write to %s", path);
			done += written > 0 ? written : 0;
		}
		if (got < 0)
			result = -1;
		at += got;
	}
	free(buffer);
	while (result == 0 && ftruncate(fd, place + at) < 0)
		if (errno != EINTR)
			result = stk_fail_errno(err, "cannot write to %s", path);
	while (result == 0 && fdatasync(fd) < 0)
		if (errno != EINTR)
			result = stk_fail_errno(err, "cannot write to %s", path);
	return result;
}

static int
save_end(struct scratch *to, int fd, int64_t place, const char *path, struct stk_error *err)
{
	char *buffer = mem_new(COPY_BYTES, 1);
	ssize_t got;
	int result = 0;

	while (result == 0 && (got = pread(fd, buffer, COPY_BYTES, place + scratch_size(to))) != 0)
		if (got > 0)
			result = scratch_write(to, buffer, (size_t)got, err);
		else if (errno != EINTR)
			result = stk_fail_errno(err, "cannot read %s", path);
	free(buffer);
	return result;
}

/* Over the index and the end of the file: everything before them stays as it is, so that a file of which this was cut short answers for what was there. When
 * it fails, the old end is put back: that has its place on the disk. */
static int
copy_behind(const struct scratch *from, int fd, int64_t place, const char *path, struct stk_error *err)
{
	struct scratch *old = NULL;
	struct stk_error unused = { 0 };
	int result = host_check_finished(path, err);

	if (result == 0)
		result = scratch_open(&old, err);
	if (result == 0)
		result = save_end(old, fd, place, path, err);
	if (result == 0 && end_file_with(from, fd, place, path, err) < 0) {
		result = -1;
		if (end_file_with(old, fd, place, path, &unused) < 0)
			program_fail("%s: its old end could not be put back: samples that were there are, and the next --append mends it", path);
	}
	scratch_close(old);
	return result;
}

/* --- shapes --- */

static int
use_facts(struct making *making, const struct tree_facts *facts, struct stk_error *err)
{
	static const char *const rules[] = { [TREE_BY_TIME] = "time", [TREE_BY_SAMPLES] = "samples", [TREE_BY_CALENDAR] = "calendar" };
	struct maker_options *o = &making->options;
	struct time_zone *zone = NULL;
	struct stk_error why = { 0 };
	bool known = false;

	for (unsigned r = 0; r < 3; r++)
		if (strcmp(facts->rule, rules[r]) == 0)
			o->shape.rule = (enum tree_rule)r, known = true;
	if (!known || facts->row.leaf < 1 || facts->row.leaf > TREE_LEAF_MOST || facts->row.split < 2 || facts->row.split > TREE_SPLIT_MOST || !(facts->row.keep >= 80 && facts->row.keep <= 100))
		return stk_fail(err, STK_EDATA, "the shape of the tree is none that stktree makes");
	o->shape.leaf = (uint32_t)facts->row.leaf;
	o->shape.split = (uint32_t)facts->row.split;
	o->shape.keep = facts->row.keep;
	if (*facts->zone != '\0' && time_zone_open(&zone, facts->zone, &why) < 0)
		return stk_fail(err, STK_EDATA, "the tree's calendar: %s", why.text);
	o->shape.zone = zone;		/* one a process */
	o->rule = facts->rule;
	o->zone = facts->zone;
	o->by = *facts->by == '\0' ? NULL : facts->by;
	if (facts->row.rows > 0)		/* else none was met yet, and there is nothing to go on with */
		o->event = *facts->event == '\0' ? "all" : facts->event;
	return 0;
}

/* What a tree is of: its shape, and the clocks of its sources. */
struct kind_of_tree { struct tree_facts facts; bool wall, monotonic; };

static int
look_at_tree(const char *path, struct stream_file *file, struct kind_of_tree *kind, struct stk_error *err)
{
	struct tree_reader *reader;
	struct model *model;
	static const unsigned needed[] = { STK_STRING, STK_SOURCE };
	int got;

	if (stream_file_streams(file) != 1)
		return stk_fail(err, STK_EDATA, "%s: expected one stream with a tree, and there are %u streams: build a tree of it first", path, stream_file_streams(file));
	got = tree_reader_open(&reader, file, 0, err);
	if (got <= 0)
		return got < 0 ? -1 : stk_fail(err, STK_EDATA, "%s: it has no tree: build one first (stktree -o FILE %s)", path, path);
	kind->facts = *tree_reader_facts(reader);
	memset(&kind->facts.roots, 0, sizeof kind->facts.roots);
	tree_reader_close(reader);
	if (model_open(&model) < 0)
		return -1;
	for (unsigned k = 0; k < 2; k++) {
		size_t count;
		const struct file_block *blocks = stream_file_blocks(file, 0, needed[k], &count);
		struct stk_block block;

		for (size_t b = 0; b < count; b++)
			if (stream_file_go(file, 0, &blocks[b], &block, err) > 0 && model_take(model, stream_file_reader(file), &block, err) < 0)
				stk_error_clear(err);
	}
	for (uint32_t id = model_next(model, STK_SOURCE, 0); id != 0; id = model_next(model, STK_SOURCE, id)) {
		uint64_t clock = model_source(model, id).clock;

		kind->wall |= clock == STK_CLOCK_WALL;
		kind->monotonic |= clock == STK_CLOCK_MONOTONIC;
	}
	model_close(model);
	return 0;
}

/* Trees of different shapes or clocks have no sum. */
static void
compare_trees(const char *path, const struct kind_of_tree *a, const char *other, const struct kind_of_tree *b)
{
	const struct stk_tree *x = &a->facts.row, *y = &b->facts.row;

	if ((a->wall && b->monotonic) || (a->monotonic && b->wall))
		program_usage("--merge: times of %s are of a %s clock, of %s of a %s one", path, a->wall ? "wall" : "monotonic", other, b->wall ? "wall" : "monotonic");
	if (x->leaf != y->leaf)
		program_usage("--merge: --leaf of %s is %llu, of %s %llu", path, (unsigned long long)x->leaf, other, (unsigned long long)y->leaf);
	if (x->split != y->split)
		program_usage("--merge: --split of %s is %llu, of %s %llu", path, (unsigned long long)x->split, other, (unsigned long long)y->split);
	if (x->keep < y->keep || x->keep > y->keep)
		program_usage("--merge: --keep-percent of %s is %g, of %s %g", path, x->keep, other, y->keep);
	if (strcmp(a->facts.rule, b->facts.rule) != 0 || strcmp(a->facts.zone, b->facts.zone) != 0)
		program_usage("--merge: %s is split by %s %s, %s by %s %s", path, a->facts.rule, a->facts.zone, other, b->facts.rule, b->facts.zone);
	if (strcmp(a->facts.by, b->facts.by) != 0)
		program_usage("--merge: --by of %s is '%s', of %s '%s'", path, a->facts.by, other, b->facts.by);
	if (strcmp(a->facts.event, b->facts.event) != 0)
		program_usage("--merge: %s counts event '%s', %s '%s'", path, a->facts.event, other, b->facts.event);
}

/* The shapes are looked at before anything is read. */
static void
refuse_pipe(const char *operand)
{
	struct stat is;

	if ((strcmp(operand, "-") == 0 ? fstat(STDIN_FILENO, &is) : stat(operand, &is)) == 0 && (S_ISFIFO(is.st_mode) || S_ISSOCK(is.st_mode)))
		program_usage("--merge: %s is a pipe, expected a file: trees are read twice", operand);
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
			result = look_at_tree(operands[i], file, i == 0 ? &first : &next, err);
		}
		stream_file_close(file);
		if (result < 0)
			return -1;
		if (i > 0)
			compare_trees(operands[0], &first, operands[i], &next);
	}
	return use_facts(making, &first.facts, err);
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
	if (stream_file_open(&file, path, NULL, NULL, err) == 0 && look_at_tree(path, file, &kind, err) == 0)
		result = use_facts(making, &kind.facts, err);
	else if (err->code == STK_EDATA)
		stk_error_clear(err);		/* no tree: the options say the shape */
	else
		result = -1;
	stream_file_close(file);
	return result;
}

static int
build(struct making *making, struct stk_error *err)
{
	if (tree_maker_open(&making->maker, &making->options, NULL, err) < 0 || take_all(making, err) < 0 || finish(making, err) < 0)
		return -1;
	say_totals(tree_maker_totals(making->maker));
	return copy_to_output(tree_maker_result(making->maker), making->filter->output, err);
}

/* What comes after the last tree of a file whose end is missing was not finished, and is no part of that tree: it is written over. */
static void
leave_unfinished(const char *path, struct stream_file *file)
{
	size_t count, all, total;
	const struct file_block *blocks, *trees;

	if (stream_file_streams(file) != 1 || stream_file_is_whole(file, 0))
		return;
	trees = stream_file_blocks(file, 0, STK_TREE, &count);
	if (count == 0)
		return;
	blocks = stream_file_all_blocks(file, 0, &all);
	for (total = all; all > 0 && blocks[all - 1].offset > trees[count - 1].offset; )
		all--;
	if (all == total)
		return;
	program_warn("%s: its last writer was interrupted; what that had not finished is left out", path);
	stream_file_shorten(file, 0, all);
}

/* The tree at the path, alone: 1; 0: there is none yet; -1. */
static int
open_target(const char *path, int *fd, struct stream_file **file, struct stk_error *err)
{
	*file = NULL;
	*fd = open_file(path, O_RDWR, 0);
	if (*fd < 0)
		return errno == ENOENT ? 0 : stk_fail_errno(err, "cannot open %s", path);
	if (flock(*fd, LOCK_EX | LOCK_NB) < 0)
		return stk_fail(err, STK_ESYSTEM, "%s: another stktree writes to it", path);
	if (stream_file_open(file, path, tell_damage, (void *)(uintptr_t)path, err) < 0)
		return -1;
	leave_unfinished(path, *file);
	return 1;
}

/* The end of the last append that was whole: its block of STK_TREE; in older files what the tree speaks of comes after it. 0 when there is none. */
static int64_t
end_of_tree(const struct stream_file *file)
{
	size_t count, at;
	const struct file_block *blocks = stream_file_all_blocks(file, 0, &count);

	for (at = count; at > 0 && blocks[at - 1].kind != STK_TREE; at--)
		continue;
	while (at > 0 && at < count && (blocks[at].kind == STK_TREE_KEY || blocks[at].kind == STK_TREE_COUNT))
		at++;
	return at == 0 ? 0 : blocks[at - 1].offset + (int64_t)blocks[at - 1].bytes;
}

/* What an append that was killed left: no node of the tree knows it, and its inputs will be given again. Kept, it would be there twice, and half a block in the
 * middle of the file for good. */
static int
drop_torn_end(const char *path, int fd, struct stream_file **file, struct stk_error *err)
{
	struct stat is;
	int64_t end;

	if (stream_file_streams(*file) != 1 || stream_file_is_whole(*file, 0) || fstat(fd, &is) < 0)
		return 0;
	end = end_of_tree(*file);
	if (end == 0)
		return 0;		/* no tree: refused later */
	program_warn("%s: an append to it was cut short; what is after the last whole one, %lld bytes, is dropped", path, (long long)(is.st_size - end));
	while (ftruncate(fd, end) < 0)
		if (errno != EINTR)
			return stk_fail_errno(err, "cannot shorten %s", path);
	stream_file_close(*file);
	return stream_file_open(file, path, NULL, NULL, err);
}

/* A new file, whole or not at all. */
static int
create_target(struct making *making, const char *path, struct stk_error *err)
{
	struct output *output = NULL;
	int result = output_open(&output, path, err);

	if (result == 0)
		result = copy_to_output(tree_maker_result(making->maker), output, err);
	if (output_close(output, result == 0, result == 0 ? err : &(struct stk_error){ 0 }) < 0)
		result = -1;
	return result;
}

static int
append(struct making *making, const char *path, struct stk_error *err)
{
	static struct kind_of_tree kind;
	struct stream_file *file = NULL;
	int fd = -1, got = open_target(path, &fd, &file, err), result = got < 0 ? -1 : 0;

	if (got > 0 && (drop_torn_end(path, fd, &file, err) < 0 || look_at_tree(path, file, &kind, err) < 0 || use_facts(making, &kind.facts, err) < 0))
		result = -1;
	if (result == 0 && (tree_maker_open(&making->maker, &making->options, file, err) < 0 || take_all(making, err) < 0 || finish(making, err) < 0))
		result = -1;
	if (result == 0 && !program_stopping()) {		/* half an input would be there twice, once it is appended whole */
		say_totals(tree_maker_totals(making->maker));
		result = got == 0 ? create_target(making, path, err) : copy_behind(tree_maker_result(making->maker), fd, stream_file_blocks_end(file, 0), path, err);
	}
	tree_maker_close(making->maker);
	making->maker = NULL;
	stream_file_close(file);
	if (fd >= 0)
		close(fd);
	return result;
}

/* --- following --- */

struct following {
	struct making *making;
	const char *path;
	int fd;				/* of the tree: locked from the first commit on */
	struct stream_file *file;	/* the tree as it is; NULL before there is one */
	struct maker_totals totals;	/* as of the last commit */
	bool waiting;			/* for a block, with none half taken: only then may a commit be */
	bool pending;			/* something was taken since the last one */
	int64_t due_ms;			/* when that is to be seen */
	bool failed;
	struct stk_error error;
};

static int64_t
now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* The file that is open is still the one of this name: nothing is written into one that was moved away, where nobody would look for it. */
static int
check_place(const struct following *f, struct stk_error *err)
{
	struct stat named, open;

	if (stat(f->path, &named) < 0)
		return stk_fail_errno(err, "%s: the tree is gone", f->path);
	if (fstat(f->fd, &open) < 0 || named.st_dev != open.st_dev || named.st_ino != open.st_ino)
		return stk_fail(err, STK_ESYSTEM, "%s: another file is in the place of the tree", f->path);
	return 0;
}

/* The first commit: the tree appears, and is this process's from then on. */
static int
create_and_open(struct following *f, struct stk_error *err)
{
	const struct scratch *made = tree_maker_result(f->making->maker);
	int got;

	if (create_target(f->making, f->path, err) < 0)
		return -1;
	got = open_target(f->path, &f->fd, &f->file, err);
	if (got == 0)
		return stk_fail(err, STK_ESYSTEM, "%s: the tree is gone", f->path);
	if (got > 0 && stream_file_size(f->file) != (uint64_t)scratch_size(made))
		return stk_fail(err, STK_ESYSTEM, "%s: another program has written to the tree", f->path);
	return got < 0 ? -1 : 0;
}

static int
write_and_open(struct following *f, struct stk_error *err)
{
	if (check_place(f, err) < 0 || copy_behind(tree_maker_result(f->making->maker), f->fd, stream_file_blocks_end(f->file, 0), f->path, err) < 0)
		return -1;
	stream_file_close(f->file);
	f->file = NULL;
	return stream_file_open(&f->file, f->path, tell_damage, (void *)(uintptr_t)f->path, err);
}

/* What was taken becomes part of the tree in the file. */
static int
commit(struct following *f, struct stk_error *err)
{
	struct making *making = f->making;

	f->pending = false;
	if (finish(making, err) < 0)
		return -1;
	f->totals = *tree_maker_totals(making->maker);
	if ((f->file == NULL ? create_and_open(f, err) : write_and_open(f, err)) < 0)
		return -1;
	return tree_maker_again(making->maker, f->file, err);
}

/* Before the input is waited for: until what was taken is due. After a failure there is no writer, and nothing more is taken. */
static void
before_read(void *context, const struct input *input)
{
	struct following *f = context;
	int64_t left = f->due_ms - now_ms();

	if (!f->waiting || !f->pending || f->failed || (left > 0 && input_ready(input, (int)left) && now_ms() < f->due_ms))
		return;
	f->failed = commit(f, &f->error) < 0;
}

/* The next block, with all of its bytes: taking it waits for nothing, so that no commit comes in the middle. 1, 0, -1. */
static int
wait_for_block(struct following *f, struct stk_block *block, struct stk_error *err)
{
	struct filter *filter = f->making->filter;
	int got;

	f->waiting = true;
	got = filter_next(filter, block, err);
	if (got > 0 && !f->failed && stk_reader_fetch(filter->reader, err) < 0)
		got = -1;
	f->waiting = false;
	if (!f->failed)
		return got;
	stk_error_clear(err);
	return stk_fail(err, f->error.code, "%s", f->error.text);
}

static int
take_as_it_comes(struct following *f, struct stk_error *err)
{
	struct making *making = f->making;
	struct stk_block block;
	int got;

	while ((got = wait_for_block(f, &block, err)) > 0) {
		if (take(making, &block, err) < 0)
			return -1;
		if (!f->pending)
			f->due_ms = now_ms() + making->settings->every_ns / 1000000;
		f->pending = true;
	}
	if (got < 0 || tree_maker_end_stream(making->maker, err) < 0)
		return -1;
	return f->pending || f->file == NULL || making->filter->lost != making->lost ? commit(f, err) : 0;
}

/* A tree that grows by what is read from it has no end. */
static void
refuse_own_tree(const char *path, char **operands, int count)
{
	struct stat tree, input;

	if (stat(path, &tree) < 0)
		return;
	for (int i = 0; i < count || (i == 0 && count == 0); i++)
		if ((count == 0 || strcmp(operands[i], "-") == 0 ? fstat(STDIN_FILENO, &input) : stat(operands[i], &input)) == 0 &&
		    input.st_dev == tree.st_dev && input.st_ino == tree.st_ino)
			program_usage("--follow: %s is the tree itself, expected another input", count == 0 ? "standard input" : operands[i]);
}

static int
follow(struct making *making, const char *path, struct stk_error *err)
{
	static struct kind_of_tree kind;
	struct following f = { .making = making, .path = path, .fd = -1 };
	int got = open_target(path, &f.fd, &f.file, err), result = got < 0 ? -1 : 0;

	program_stop_patiently();	/* a live input is not read again */
	if (got > 0 && (look_at_tree(path, f.file, &kind, err) < 0 || use_facts(making, &kind.facts, err) < 0))
		result = -1;
	if (result == 0)
		result = tree_maker_open(&making->maker, &making->options, f.file, err);
	making->filter->before_read = before_read;
	making->filter->before_read_context = &f;
	if (result == 0)
		result = take_as_it_comes(&f, err);
	if (result == 0)
		say_totals(&f.totals);
	making->filter->before_read = NULL;
	tree_maker_close(making->maker);
	making->maker = NULL;
	stream_file_close(f.file);
	if (f.fd >= 0)
		close(f.fd);
	return result;
}

/* --- --- */

int
make_tree(const struct settings *settings, struct filter *filter, char **operands, int count, struct stk_error *err)
{
	struct making making = { .settings = settings, .options = settings->maker, .filter = filter };
	bool to_file = settings->target != NULL || settings->job == JOB_FOLLOW || output_is_file(filter->output);
	int result = 0;

	making.options.level = program_common.level >= 0 ? (int)program_common.level : to_file ? STK_LEVEL_FILE : STK_LEVEL_PIPE;
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
		result = follow(&making, settings->target, err);
	}
	else
		result = build(&making, err);
	tree_maker_close(making.maker);
	stk_workers_close(making.workers);
	return result;
}
