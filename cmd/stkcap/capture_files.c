/* SPDX-License-Identifier: MIT
 * capture_files: blocks are collected in memory until they are committed, and then written at once: a file ends behind a whole commit, or is cut back to there. */
#include "capture_files.h"

#include "base/array.h"
#include "base/program.h"
#include "base/shared_folder.h"
#include "base/time_text.h"
#include "stream/block.h"
#include "stream/stream_mend.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LEVEL_LIVE 3		/* blocks of one dump are small: more costs, and gains nothing */
#define PARTS_MAX 100000	/* files of one time, when they are limited in size */

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

/* --- names --- */

static void
name_of_time(const struct file_plan *plan, int64_t time_ns, char to[PATH_MAX])
{
	int64_t seconds = time_ns / 1000000000;
	time_t civil = (time_t)(seconds + time_zone_offset(plan->zone, seconds));
	struct tm tm;

	gmtime_r(&civil, &tm);
	if (strchr(plan->name, '%') == NULL || strftime(to, PATH_MAX, plan->name, &tm) == 0)
		snprintf(to, PATH_MAX, "%s", plan->name);
}

/* "cap.stk", "cap.2.stk", ... */
static void
name_of_part(const char *stem, unsigned part, char to[PATH_MAX])
{
	const char *slash = strrchr(stem, '/'), *dot = strrchr(slash != NULL ? slash + 1 : stem, '.');
	int before = dot == NULL ? (int)strlen(stem) : (int)(dot - stem);

	if (part <= 1)
		snprintf(to, PATH_MAX, "%s", stem);
	else
		snprintf(to, PATH_MAX, "%.*s.%u%s", before < PATH_MAX - 300 ? before : PATH_MAX - 300, stem, part, dot == NULL ? "" : dot);
}

/* --- old files --- */

struct old_file { char *path; int64_t size; struct timespec changed; };

static bool
is_ours(const char *path)
{
	unsigned char first[64];
	const char *unused;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	long got = fd < 0 ? -1 : read(fd, first, sizeof first);

	if (fd >= 0)
		close(fd);
	return got > 0 && block_header_find(first, (size_t)got, &unused) >= 0;
}

static int
compare_changed(const void *a, const void *b)
{
	const struct old_file *left = a, *right = b;

	if (left->changed.tv_sec != right->changed.tv_sec)
		return left->changed.tv_sec < right->changed.tv_sec ? 1 : -1;
	if (left->changed.tv_nsec != right->changed.tv_nsec)
		return left->changed.tv_nsec < right->changed.tv_nsec ? 1 : -1;
	return strcmp(right->path, left->path);
}

/* What the pattern may have made: each of its times is any text. */
static void
pattern_of_names(const char *name, char to[PATH_MAX])
{
	const char *slash = strrchr(name, '/'), *dot = strrchr(slash != NULL ? slash + 1 : name, '.');
	size_t size = 0;

	for (const char *at = name; *at != '\0' && size < PATH_MAX - 4; at++) {
		if (at == dot && (size == 0 || to[size - 1] != '*'))
			to[size++] = '*';		/* of parts */
		if (*at == '%' && at[1] == '%')
			to[size++] = *++at;
		else if (*at == '%' && at[1] != '\0')
			to[size++] = '*', at++;
		else if (strchr("*?[\\", *at) != NULL)
			to[size++] = '\\', to[size++] = *at;
		else
			to[size++] = *at;
	}
	to[size] = '\0';
}

/* Removes the oldest of what the pattern made. Never the present file, and nothing that is no record stream. */
static void
remove_old(const struct capture_files *files)
{
	const struct file_plan *plan = files->plan;
	ARRAY(struct old_file) old = { 0 };
	char pattern[PATH_MAX];
	int64_t total = 0;
	glob_t found;

	if ((plan->keep == 0 && plan->most_total == 0) || files->plain)
		return;
	pattern_of_names(plan->name, pattern);
	if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct stat is;

		if (lstat(found.gl_pathv[i], &is) == 0 && S_ISREG(is.st_mode) && strcmp(found.gl_pathv[i], files->path) != 0 && is_ours(found.gl_pathv[i]))
			*array_push(&old) = (struct old_file){ found.gl_pathv[i], is.st_size, is.st_mtim };
	}
	if (old.count > 0)
		qsort(old.at, old.count, sizeof *old.at, compare_changed);
	total = files->size;
	for (size_t i = 0; i < old.count; i++) {
		total += old.at[i].size;
		if (((plan->keep > 0 && (int64_t)i + 2 > plan->keep) || (plan->most_total > 0 && total > plan->most_total)) && unlink(old.at[i].path) == 0)
			program_say("%s: removed, as asked", old.at[i].path);
	}
	array_release(&old);
	globfree(&found);
}

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

/* Nobody else writes there: two captures into one file would tear each other's blocks apart. */
static int
open_file(struct capture_files *files, struct stk_error *err)
{
	struct stat is;
	uint64_t cut = 0;

	files->plain = false;
	files->fd = shared_folder_open(files->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666, err);
	if (files->fd < 0)
		return -1;
	if (fstat(files->fd, &is) < 0)
		return stk_fail_errno(err, "cannot write to %s", files->path);
	if (!S_ISREG(is.st_mode)) {
		files->plain = true;
		return 0;
	}
	if (flock(files->fd, LOCK_EX | LOCK_NB) < 0)
		return stk_fail(err, STK_ESYSTEM, "%s: another capture writes to it", files->path);
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
	for (unsigned part = 1; part < PARTS_MAX; part++) {
		struct stat is;

		name_of_part(files->stem, part, files->path);
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
		name_of_time(files->plan, time_ns, stem);
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
		remove_old(files);
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
