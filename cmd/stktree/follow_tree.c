/* SPDX-License-Identifier: MIT
 * follow_tree: adds what was read to the tree while it waits for more input. */
#include "follow_tree.h"

#include "base/input.h"
#include "program/program.h"
#include "stream/stream_file.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct following {
	struct making *making;
	const char *path;
	int fd;				/* of the tree: locked from the first commit on */
	struct stream_file *file;	/* the present tree; NULL before there is one */
	struct maker_totals totals;	/* as of the last commit */
	bool waiting;			/* for a block, with none half taken: only then may a commit be */
	bool pending;			/* something was taken since the last one */
	int64_t due_ms;			/* when it must be in the file */
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

/* The first commit: the tree appears, and is locked by this process from then on. */
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
		return stk_fail(err, STK_ESYSTEM, "%s: another program wrote to the tree", f->path);
	return got < 0 ? -1 : 0;
}

static int
write_and_open(struct following *f, struct stk_error *err)
{
	if (!making_has_news(f->making, f->file))
		return 0;
	if (making_replace_end(f->making, f->fd, stream_file_blocks_end(f->file, 0), f->path, err) < 0)
		return -1;
	stream_file_close(f->file);
	f->file = NULL;
	return stream_file_open(&f->file, f->path, report_damage, (void *)(uintptr_t)f->path, err);
}

/* Adds what was taken to the tree in the file. */
static int
commit(struct following *f, struct stk_error *err)
{
	struct making *making = f->making;

	f->pending = false;
	if (making_finish(making, err) < 0)
		return -1;
	f->totals = *tree_maker_totals(making->maker);
	if ((f->file == NULL ? create_and_open(f, err) : write_and_open(f, err)) < 0)
		return -1;
	return tree_maker_again(making->maker, f->file, err);
}

/* Before waiting for input: waits at most until the next commit is due. After a failure there is no writer, and nothing
 * more is taken. */
static void
before_read(void *context, const struct input *input)
{
	struct following *f = context;
	int64_t left = f->due_ms - now_ms();

	if (!f->waiting || !f->pending || f->failed ||
		(left > 0 && input_ready(input, (int)left) && now_ms() < f->due_ms))
		return;
	f->failed = commit(f, &f->error) < 0;
}

/* The next block, with all of its bytes: taking it waits for nothing, so that no commit comes in between. 1, 0, -1. */
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
		if (making_take(making, &block, err) < 0)
			return -1;
		if (!f->pending)
			f->due_ms = now_ms() + making->settings->every_ns / 1000000;
		f->pending = true;
	}
	f->pending |= tree_maker_nodes_wait(making->maker);	/* a commit that was just before did not have these */
	if (got < 0 || tree_maker_end_stream(making->maker, err) < 0)
		return -1;
	return f->pending || f->file == NULL || making->filter->lost != making->lost ? commit(f, err) : 0;
}

/* A tree that is its own input would grow without end. */
void
refuse_own_tree(const char *path, char **operands, int count)
{
	struct stat tree, input;

	if (stat(path, &tree) < 0)
		return;
	for (int i = 0; i < count || (i == 0 && count == 0); i++)
		if ((count == 0 || strcmp(operands[i], "-") == 0 ? fstat(STDIN_FILENO, &input)
								 : stat(operands[i], &input)) == 0 &&
			input.st_dev == tree.st_dev && input.st_ino == tree.st_ino)
			program_usage("--follow: %s is the tree itself (expected another input)",
				count == 0 ? "standard input" : operands[i]);
}

int
follow_tree(struct making *making, const char *path, struct stk_error *err)
{
	struct following f = { .making = making, .path = path, .fd = -1 };
	int got = open_target(path, &f.fd, &f.file, err), result = got < 0 ? -1 : 0;

	program_stop_patiently();	/* a live input cannot be read again */
	if (got > 0 && shape_of_target(making, path, f.file, err) < 0)
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
