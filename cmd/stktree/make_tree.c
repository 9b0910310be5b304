/* SPDX-License-Identifier: MIT
 * make_tree: drives a tree_maker with the blocks of the inputs, and puts what it made where it belongs. */
#include "make_tree.h"

#include "tree_maker.h"
#include "tree_reader.h"

#include "base/input.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "base/output.h"
#include "base/program.h"
#include "model/model.h"
#include "stream/stream_file.h"

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
	struct workers *workers;
	struct tree_facts *facts;	/* of the tree that says the shape; NULL */
	/* the operand that blocks come from, and which of its streams; whether that has thinned nodes */
	char *operand;
	unsigned streams;
	bool has_tree;
	uint64_t lost;			/* of filter->lost: told to the maker */
};

static void
tell_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	(void)bytes;
	program_warn("%s:%lld: %s", (const char *)context, (long long)offset, what);
}

/* --- taking the inputs --- */

/* The stream before is over: what its tree keeps without samples is taken from the file. */
static int
end_stream(struct making *making, struct stk_error *err)
{
	struct stream_file *file = NULL;
	struct stat is;
	int result = 0;

	if (making->has_tree && (strcmp(making->operand, "-") == 0 || stat(making->operand, &is) < 0 || !S_ISREG(is.st_mode))) {
		program_say("%s: its tree comes through a pipe: nodes that were thinned, if it has any, are left out", making->operand);
	} else if (making->has_tree) {
		result = stream_file_open(&file, making->operand, NULL, NULL, err);
		if (result == 0 && making->streams - 1 < stream_file_streams(file))
			result = tree_maker_take_thinned(making->maker, file, making->streams - 1, err);
		stream_file_close(file);
	}
	making->has_tree = false;
	return result;
}

static int
note_stream(struct making *making, const struct stk_block *block, struct stk_error *err)
{
	bool other = making->operand == NULL || strcmp(making->operand, making->filter->name) != 0;

	if (block->kind == STK_HEAD || other) {
		if (end_stream(making, err) < 0)
			return -1;
		if (other) {
			free(making->operand);
			making->operand = strdup(making->filter->name);
			making->streams = 0;
		}
		making->streams += block->kind == STK_HEAD;
	}
	making->has_tree |= block->kind == STK_TREE;
	return 0;
}

static int
take_all(struct making *making, struct stk_error *err)
{
	struct stk_block block;
	int got;

	while ((got = filter_next(making->filter, &block, err)) > 0) {
		if (note_stream(making, &block, err) < 0)
			return -1;
		if (tree_maker_take(making->maker, making->filter->reader, &block, err) == 0)
			continue;
		if (err->code != STK_EDATA)
			return -1;
		filter_damaged(making->filter, err);
		stk_error_clear(err);
	}
	if (got == 0 && making->operand != NULL)
		got = end_stream(making, err);
	free(making->operand);
	making->operand = NULL;
	return got;
}

static int
finish(struct making *making, struct stk_error *err)
{
	tree_maker_lost(making->maker, making->filter->lost - making->lost);
	making->lost = making->filter->lost;
	return tree_maker_finish(making->maker, err);
}

static void
say_totals(const struct making *making)
{
	const struct maker_totals *t = tree_maker_totals(making->maker);

	if (t->lost_stacks > 0)
		program_warn("%llu samples have stacks that the stream does not define; \"?\" stands for these", (unsigned long long)t->lost_stacks);
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
	int result = program_check_finished(path, err);

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

static int
check_trees(struct making *making, char **operands, int count, struct stk_error *err)
{
	static struct kind_of_tree first, next;

	if (count < 2)
		program_usage("--merge: expected two trees or more");
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
	say_totals(making);
	return copy_to_output(tree_maker_result(making->maker), making->filter->output, err);
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
	return stream_file_open(file, path, tell_damage, (void *)(uintptr_t)path, err) < 0 ? -1 : 1;
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

	if (got > 0 && (look_at_tree(path, file, &kind, err) < 0 || use_facts(making, &kind.facts, err) < 0))
		result = -1;
	if (result == 0 && (tree_maker_open(&making->maker, &making->options, file, err) < 0 || take_all(making, err) < 0 || finish(making, err) < 0))
		result = -1;
	if (result == 0 && !program_stopping()) {		/* half an input would be there twice, once it is appended whole */
		say_totals(making);
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
	int fd;
	struct stream_file *file;	/* the tree as it is; NULL before there is one */
	bool pending;			/* something was taken since */
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

/* What was taken becomes part of the tree in the file. */
static int
commit(struct following *f, struct stk_error *err)
{
	struct making *making = f->making;

	if (finish(making, err) < 0)
		return -1;
	if (f->file == NULL) {
		if (create_target(making, f->path, err) < 0)
			return -1;
	} else if (copy_behind(tree_maker_result(making->maker), f->fd, stream_file_blocks_end(f->file, 0), f->path, err) < 0) {
		return -1;
	}
	stream_file_close(f->file);
	f->file = NULL;
	if (f->fd >= 0)
		close(f->fd);
	f->pending = false;
	if (open_target(f->path, &f->fd, &f->file, err) <= 0)
		return err->code == STK_EOK ? stk_fail(err, STK_ESYSTEM, "%s: it is gone", f->path) : -1;
	return tree_maker_again(making->maker, f->file, err);
}

/* Before the input is waited for: until what was taken is due. */
static void
before_read(void *context, const struct input *input)
{
	struct following *f = context;
	int64_t left = f->due_ms - now_ms();

	if (!f->pending || f->failed || (left > 0 && input_ready(input, (int)left) && now_ms() < f->due_ms))
		return;
	f->failed = commit(f, &f->error) < 0;
}

static int
follow(struct making *making, const char *path, struct stk_error *err)
{
	static struct kind_of_tree kind;
	struct following f = { .making = making, .path = path, .fd = -1 };
	struct stk_block block;
	int got = open_target(path, &f.fd, &f.file, err), result = got < 0 ? -1 : 0;

	program_stop_patiently();	/* a live input is not read again */
	if (got > 0 && (look_at_tree(path, f.file, &kind, err) < 0 || use_facts(making, &kind.facts, err) < 0))
		result = -1;
	if (result == 0)
		result = tree_maker_open(&making->maker, &making->options, f.file, err);
	making->filter->before_read = before_read;
	making->filter->before_read_context = &f;
	while (result == 0 && !f.failed && (got = filter_next(making->filter, &block, err)) > 0) {
		if (tree_maker_take(making->maker, making->filter->reader, &block, err) < 0) {
			if (err->code != STK_EDATA)
				result = -1;
			else
				filter_damaged(making->filter, err), stk_error_clear(err);
		}
		if (!f.pending)
			f.due_ms = now_ms() + making->settings->every_ns / 1000000;
		f.pending = true;
	}
	if (result == 0 && !f.failed && got < 0)
		result = -1;
	if (f.failed) {
		*err = f.error;
		result = -1;
	}
	if (result == 0 && (f.pending || f.file == NULL))
		result = commit(&f, err);
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
		making.workers = making.options.workers = workers_open(program_threads());
	if (settings->job == JOB_MERGE)
		result = check_trees(&making, operands, count, err);
	else if (settings->job == JOB_THIN && count == 1)
		result = keep_shape(&making, operands[0], err);
	if (result < 0)
		;
	else if (settings->job == JOB_APPEND)
		result = append(&making, settings->target, err);
	else if (settings->job == JOB_FOLLOW)
		result = follow(&making, settings->target, err);
	else
		result = build(&making, err);
	tree_maker_close(making.maker);
	workers_close(making.workers);
	return result;
}
