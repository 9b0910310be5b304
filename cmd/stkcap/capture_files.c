/* SPDX-License-Identifier: MIT
 * capture_files: blocks are collected in memory until they are committed, and then written at once: a file ends behind a whole commit, or is cut back to there. */
#include "capture_files.h"

#include "file_pattern.h"
#include "old_files.h"

#include "base/array.h"
#include "base/program.h"
#include "base/shared_folder.h"
#include "stream/stream_mend.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LEVEL_LIVE    3		/* blocks of one dump are small: more costs, and gains nothing */
#define OPEN_ATTEMPTS 10	/* a file whose lock is only tried by another capture is free soon */
#define OPEN_NAP_NS   20000000

struct capture_files {
	const struct file_plan *plan;
	struct stk_writer *writer;	/* NULL: none yet, or the last one failed */
	ARRAY(char) pending;		/* not committed */
	int fd;				/* -1: none */
	bool plain;			/* standard output, or what is no file */
	int64_t size;			/* of the file, as committed */
	char stem[PATH_MAX], path[PATH_MAX];	/* as the pattern says; and with a part's number */
	uint64_t lost;
};

/* --- writing --- */

static int
collect_bytes(void *context, const void *from, size_t size, struct stk_error *err)
{
	struct capture_files *files = context;

	(void)err;
	array_reserve(&files->pending, size);
	memcpy(files->pending.at + files->pending.count, from, size);
	files->pending.count += size;
	return 0;
}

static int
write_pending(struct capture_files *files, struct stk_error *err)
{
	size_t done = 0;

	while (done < files->pending.count) {
		ssize_t written = write(files->fd, files->pending.at + done, files->pending.count - done);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			break;
		done += (size_t)written;
	}
	if (done == files->pending.count) {
		files->size += (int64_t)done;
		files->pending.count = 0;
		return 0;
	}
	(void)stk_fail_errno(err, "cannot write to %s", capture_files_name(files));
	files->pending.count = 0;
	if (!files->plain && ftruncate(files->fd, files->size) == 0)
		(void)lseek(files->fd, files->size, SEEK_SET);
	return -1;
}

/* Without its end: the reader sees that the stream was cut. */
static void
drop_writer(struct capture_files *files)
{
	struct stk_error unused = { 0 };

	if (files->writer != NULL && stk_writer_close(files->writer, false, &unused) < 0)
		stk_error_clear(&unused);
	files->writer = NULL;
	files->pending.count = 0;
}

static void
close_file(struct capture_files *files)
{
	if (files->fd >= 0 && files->fd != STDOUT_FILENO)
		close(files->fd);
	files->fd = -1;
}

/* Ends the present stream, and leaves its file. */
static int
finish_file(struct capture_files *files, struct stk_error *err)
{
	int result = 0;

	if (files->writer != NULL) {
		stk_writer_lost(files->writer, files->lost);
		files->lost = 0;
		result = stk_writer_close(files->writer, true, err);
		files->writer = NULL;
		if (write_pending(files, err) < 0)
			result = -1;
	}
	close_file(files);
	return result;
}

static bool
is_named(const char *path, const struct stat *is)
{
	struct stat named;

	return stat(path, &named) == 0 && named.st_dev == is->st_dev && named.st_ino == is->st_ino;
}

/* Nobody else writes there: two captures into one file would tear each other's blocks apart. What --keep of another capture removed before it was locked is
 * made again. */
static int
open_locked(struct capture_files *files, struct stat *is, struct stk_error *err)
{
	struct timespec nap = { .tv_nsec = OPEN_NAP_NS };

	for (unsigned attempt = 1;; attempt++) {
		files->fd = shared_folder_open(files->path, O_WRONLY | O_CREAT, 0666, err);
		if (files->fd < 0)
			return -1;
		if (fstat(files->fd, is) < 0)
			return stk_fail_errno(err, "cannot write to %s", files->path);
		if (!S_ISREG(is->st_mode) || (flock(files->fd, LOCK_EX | LOCK_NB) == 0 && is_named(files->path, is)))
			return 0;
		if (attempt == OPEN_ATTEMPTS)
			return stk_fail(err, STK_ESYSTEM, "%s: another capture writes to it", files->path);
		close(files->fd);
		nanosleep(&nap, NULL);
	}
}

static int
open_file(struct capture_files *files, struct stk_error *err)
{
	struct stat is;
	uint64_t cut = 0;

	files->plain = false;
	if (open_locked(files, &is, err) < 0)
		return -1;
	if (!S_ISREG(is.st_mode)) {
		files->plain = true;
		return 0;
	}
	if (stream_mend(files->path, &cut, err) < 0)
		return -1;
	if (cut > 0)
		program_say("%s: %llu bytes that an earlier capture had begun to write are taken off; it goes on behind them", files->path, (unsigned long long)cut);
	files->size = lseek(files->fd, 0, SEEK_END);
	return files->size < 0 ? stk_fail_errno(err, "cannot write to %s", files->path) : 0;
}

/* The first part of a time's file that has room. */
static int
open_part(struct capture_files *files, struct stk_error *err)
{
	for (unsigned part = 1; part < FILE_PARTS_MAX; part++) {
		struct stat is;

		file_pattern_part(files->stem, part, files->path);
		if (files->plan->most_bytes == 0 || stat(files->path, &is) < 0 || !S_ISREG(is.st_mode) || is.st_size < files->plan->most_bytes)
			break;
	}
	if (open_file(files, err) == 0)
		return 0;
	close_file(files);
	return -1;
}

static int
open_stdout(struct capture_files *files)
{
	files->fd = STDOUT_FILENO;
	files->plain = true;
	files->size = 0;
	return 0;
}

int
capture_files_writer(struct capture_files *files, int64_t time_ns, struct stk_writer **writer, bool *fresh, struct stk_error *err)
{
	bool to_stdout = files->plan->name == NULL || strcmp(files->plan->name, "-") == 0;
	struct stk_writer_options to = { .write = collect_bytes, .context = files, .workers = files->plan->workers };
	char stem[PATH_MAX] = "";

	if (!to_stdout)
		file_pattern_name(files->plan->name, files->plan->zone, time_ns, stem);
	if (files->fd >= 0 && !files->plain && (strcmp(stem, files->stem) != 0 || (files->plan->most_bytes > 0 && files->size >= files->plan->most_bytes)) &&
			finish_file(files, err) < 0)
		return -1;
	memcpy(files->stem, stem, sizeof stem);
	*fresh = files->writer == NULL;
	if (*fresh) {
		if (files->fd < 0 && (to_stdout ? open_stdout(files) : open_part(files, err)) < 0)
			return -1;
		to.level = files->plan->level >= 0 ? (int)files->plan->level : files->plain ? STK_LEVEL_PIPE : LEVEL_LIVE;
		if (stk_writer_open(&files->writer, &to, err) < 0)
			return -1;
		if (!files->plain)
			old_files_remove(files->plan, files->path, files->size);
	}
	*writer = files->writer;
	return 0;
}

int
capture_files_commit(struct capture_files *files, struct stk_error *err)
{
	if (files->writer == NULL)
		return 0;
	if (stk_writer_flush(files->writer, err) == 0 && write_pending(files, err) == 0)
		return 0;
	drop_writer(files);
	return -1;
}

int
capture_files_reopen(struct capture_files *files, struct stk_error *err)
{
	return files->plain ? 0 : finish_file(files, err);
}

const char *
capture_files_name(const struct capture_files *files)
{
	return files->fd == STDOUT_FILENO ? "standard output" : files->path;
}

void
capture_files_lost(struct capture_files *files, uint64_t incidents)
{
	files->lost += incidents;
}

void
capture_files_open(struct capture_files **out, const struct file_plan *plan)
{
	struct capture_files *files = *out = mem_new(1, sizeof *files);

	files->plan = plan;
	files->fd = -1;
}

int
capture_files_close(struct capture_files *files, struct stk_error *err)
{
	int result;

	if (files == NULL)
		return 0;
	result = finish_file(files, err);
	array_release(&files->pending);
	free(files);
	return result;
}
