/* SPDX-License-Identifier: MIT
 * capture_files: blocks are collected in memory until they are committed, and then written at once: a file ends after a
 * whole commit, or is cut back to there. */
#include "capture_files_state.h"
#include "file_keeping.h"

#include "capture/attach.h" /* monotonic_ns */
#include "capture/file_changes.h"
#include "capture/file_pattern.h"
#include "capture/locked_file.h"
#include "capture/look_back.h"
#include "capture/patient_write.h"
#include "program/program.h"
#include "stream/stream_mend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LEVEL_LIVE    3		/* blocks of one dump are small: a higher level costs time and gains nothing */

/* --- counting --- */

/* After the writer handed over the rows: they are in the file, or lost. */
static void
count_rows(struct capture_files *files, bool written)
{
	struct capture_rows rows = { stk_writer_rows(files->writer, STK_DUMP),
		stk_writer_rows(files->writer, STK_SAMPLE) };

	capture_rows_subtract(&rows, &files->stream);
	capture_rows_add(&files->stream, &rows);
	capture_rows_add(written ? &files->totals.kept : &files->totals.lost, &rows);
	if (written)
		capture_rows_add(&files->file, &rows);
}

/* Of the rows that this capture wrote to the present file, these are still there. */
static void
count_left(struct capture_files *files, const struct capture_rows *left)
{
	struct capture_rows lost = files->file;

	capture_rows_subtract(&lost, left);
	capture_rows_subtract(&files->totals.kept, &lost);
	capture_rows_add(&files->totals.lost, &lost);
	files->file = (struct capture_rows){ 0 };
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

/* On a full disk nothing gets into it: it would be taken for damaged, and for one of the files to keep. */
static void
remove_if_bare(const struct capture_files *files)
{
	struct stat is;

	if (files->created && files->size == 0 && fstat(files->fd, &is) == 0 && is.st_size == 0 &&
	    file_is_named(files->path, &is))
		(void)unlink(files->path);
}

static void
close_file(struct capture_files *files)
{
	if (files->fd >= 0 && !files->plain)
		remove_if_bare(files);
	if (files->fd >= 0 && files->fd != STDOUT_FILENO)
		close(files->fd);
	files->fd = -1;
	files->file = (struct capture_rows){ 0 };
}

/* If truncating fails now, it is done when the file is opened again. */
static void
cut_back(struct capture_files *files)
{
	if (ftruncate(files->fd, files->size) < 0 || lseek(files->fd, files->size, SEEK_SET) != files->size)
		close_file(files);
}

static int
write_pending(struct capture_files *files, struct stk_error *err)
{
	size_t size = files->pending.count;
	bool whole = patient_write(files->fd, files->plain, files->pending.at, size, &files->give_up_ns) == size;

	files->pending.count = 0;
	if (whole) {
		files->size += (int64_t)size;
		return 0;
	}
	(void)stk_fail_errno(err, "cannot write to %s", capture_files_name(files));
	if (!files->plain)
		cut_back(files);
	return -1;
}

int
capture_files_put(struct capture_files *files, const void *bytes, size_t size, struct stk_error *err)
{
	return collect_bytes(files, bytes, size, err) < 0 ? -1 : write_pending(files, err);
}

/* Without its end: the reader sees that the stream is truncated. Uncommitted rows are lost. */
static void
drop_writer(struct capture_files *files)
{
	struct stk_error unused = { 0 };

	if (files->writer == NULL)
		return;
	if (stk_writer_flush(files->writer, &unused) < 0)
		stk_error_clear(&unused);
	count_rows(files, false);
	if (stk_writer_close(files->writer, false, &unused) < 0)
		stk_error_clear(&unused);
	files->writer = NULL;
	files->pending.count = 0;
}

/* Ends the present stream whole. */
static int
end_stream(struct capture_files *files, struct stk_error *err)
{
	int result;

	if (files->writer == NULL)
		return 0;
	stk_writer_lost(files->writer, files->incidents);
	files->incidents = 0;
	result = stk_writer_flush(files->writer, err) < 0 || write_pending(files, err) < 0 ? -1 : 0;
	count_rows(files, result == 0);
	if (stk_writer_close(files->writer, result == 0, err) < 0 || (result == 0 && write_pending(files, err) < 0))
		result = -1;
	files->writer = NULL;
	files->pending.count = 0;
	return result;
}

/* --- changes by other programs --- */

/* What is left of the rows that this capture wrote to the present file. */
static struct capture_rows
rows_left(const struct capture_files *files)
{
	struct file_rows left = file_rows_from(files->path, files->began);

	return (struct capture_rows){
		.dumps = left.dumps < files->file.dumps ? left.dumps : files->file.dumps,
		.samples = left.samples < files->file.samples ? left.samples : files->file.samples
	};
}

/* The file cannot be continued: it was truncated or written to at places that our index and our ids refer to. */
static void
leave_changed(struct capture_files *files, enum file_state state, int64_t bytes, bool over)
{
	const char *next;
	struct capture_rows before = files->totals.lost, lost, left;
	struct stk_error unused = { 0 };
	uint64_t cut;

	drop_writer(files);
	files->anew = state != FILE_CUT || stream_mend(files->path, &cut, &unused) < 0;
	stk_error_clear(&unused);
	left = state == FILE_REMOVED ? (struct capture_rows){ 0 } : rows_left(files);
	count_left(files, &left);
	lost = files->totals.lost;
	capture_rows_subtract(&lost, &before);
	next = over ? "the capture is over" : files->anew ? "starting another file" : "appending to it";
	if (state == FILE_REMOVED)
		program_warn("%s: removed by another program: its %llu dumps, %llu samples are lost; %s",
			     files->path, (unsigned long long)lost.dumps, (unsigned long long)lost.samples, next);
	else
		program_warn("%s: changed by another program (%lld bytes, expected %lld): %llu dumps, %llu samples of "
			     "it are lost; %s", files->path, (long long)bytes, (long long)files->size,
			     (unsigned long long)lost.dumps, (unsigned long long)lost.samples, next);
	files->incidents++;
	close_file(files);
}

/* Continues the present file only if it is unchanged. A file that was moved is completed where it is now. */
static int
check_file(struct capture_files *files, bool over, struct stk_error *err)
{
	enum file_state state = FILE_AS_LEFT;
	int64_t bytes = 0;
	int result = 0;

	if (files->fd >= 0 && !files->plain)
		state = file_state_of(files->fd, files->path, files->size, &bytes);
	if (state == FILE_AS_LEFT)
		return 0;
	if (state != FILE_MOVED) {
		leave_changed(files, state, bytes, over);
		return 0;
	}
	result = end_stream(files, err);
	program_say("%s: moved by another program, nothing is lost; %s", files->path,
		    over ? "the capture is over" : "starting another file");
	files->anew = true;
	close_file(files);
	return result;
}

int
capture_files_finish(struct capture_files *files, bool over, struct stk_error *err)
{
	int result = check_file(files, over, err);
	bool is_there = files->fd >= 0 && !files->plain && (files->writer != NULL || files->size > files->began);

	if (end_stream(files, err) < 0)
		result = -1;
	close_file(files);
	if (is_there && result == 0 && files->plan->finished != NULL)
		files->plan->finished(files->plan->context, files->path);
	return result;
}

/* --- opening --- */

static int
open_file(struct capture_files *files, struct stk_error *err)
{
	struct stat is;
	uint64_t cut = 0;

	files->plain = false;
	files->created = lstat(files->path, &is) < 0 && errno == ENOENT;
	files->size = files->began = 0;
	files->fd = locked_file_open(files->path, &is, err);
	if (files->fd < 0)
		return -1;
	if (files->anew && (!S_ISREG(is.st_mode) || is.st_size != 0))
		return stk_fail(err, STK_ESYSTEM, "cannot write to %s: it belongs to another program", files->path);
	files->plain = !S_ISREG(is.st_mode);
	if (files->plain)
		return 0;
	if (stream_mend(files->path, &cut, err) < 0)
		return -1;
	if (cut > 0)
		program_say("%s: removed %llu bytes that an earlier capture left incomplete; appending after its "
			    "last whole block", files->path, (unsigned long long)cut);
	files->size = files->began = lseek(files->fd, 0, SEEK_END);
	return files->size < 0 ? stk_fail_errno(err, "cannot write to %s", files->path) : 0;
}

static bool
has_room(const struct capture_files *files)
{
	struct stat is;

	if (files->anew)
		return lstat(files->path, &is) < 0 || (S_ISREG(is.st_mode) && is.st_size == 0);
	return files->plan->most_bytes == 0 || stat(files->path, &is) < 0 || !S_ISREG(is.st_mode) ||
		is.st_size < files->plan->most_bytes;
}

/* The first part of a time's file that has room. */
static int
open_part(struct capture_files *files, struct stk_error *err)
{
	for (; files->part < FILE_PARTS_MAX; files->part++) {
		file_pattern_part(files->stem, files->part, files->path);
		if (has_room(files))
			break;
	}
	if (open_file(files, err) == 0) {
		files->anew = false;
		return 0;
	}
	close_file(files);
	return -1;
}

static void
use_stdout(struct capture_files *files)
{
	files->fd = STDOUT_FILENO;
	files->plain = true;
}

/* Leaves the present file when it is not the one for this time, or has no room. */
static int
choose_file(struct capture_files *files, int64_t time_ns, struct stk_error *err)
{
	bool is_full, is_another;
	char stem[PATH_MAX];

	if (check_file(files, false, err) < 0)
		return -1;
	file_pattern_name(files->plan->name, files->plan->zone, time_ns, stem);
	is_full = files->plan->most_bytes > 0 && files->size >= files->plan->most_bytes;
	is_another = strcmp(stem, files->stem) != 0;
	if ((is_full || is_another) && files->fd >= 0 && !files->plain && capture_files_finish(files, false, err) < 0)
		return -1;
	if (!is_another)
		return 0;
	memcpy(files->stem, stem, sizeof stem);
	files->part = 1;
	files->anew = false;
	return 0;
}

static bool
is_stdout(const struct capture_files *files)
{
	return files->plan->name == NULL || strcmp(files->plan->name, "-") == 0;
}

int
capture_files_ready(struct capture_files *files, int64_t time_ns, struct stk_error *err)
{
	if (is_stdout(files)) {
		use_stdout(files);
		return 0;
	}
	return choose_file(files, time_ns, err) < 0 || (files->fd < 0 && open_part(files, err) < 0) ? -1 : 0;
}

int
capture_files_level(const struct capture_files *files, bool plain)
{
	return files->plan->level >= 0 ? (int)files->plan->level : plain ? STK_LEVEL_PIPE : LEVEL_LIVE;
}

int
capture_files_writer(struct capture_files *files, int64_t time_ns, struct stk_writer **writer, bool *fresh,
		     struct stk_error *err)
{
	struct stk_writer_options to = { .write = collect_bytes, .context = files, .workers = files->plan->workers };

	if (files->holding)
		return look_back_writer(files->back, monotonic_ns(), writer, fresh, err);
	if (capture_files_ready(files, time_ns, err) < 0)
		return -1;
	*fresh = files->writer == NULL;
	if (*fresh) {
		to.level = capture_files_level(files, files->plain);
		if (stk_writer_open(&files->writer, &to, err) < 0)
			return -1;
		files->stream = (struct capture_rows){ 0 };
		if (!files->plain)
			file_keeping_apply(files->plan, files->path, files->size);
		if (!files->plain && files->plan->begun != NULL)
			files->plan->begun(files->plan->context, files->path);
	}
	*writer = files->writer;
	return 0;
}

int
capture_files_commit(struct capture_files *files, struct stk_error *err)
{
	if (files->holding)
		return look_back_commit(files->back, monotonic_ns(), err);
	if (files->writer == NULL)
		return 0;
	if (stk_writer_flush(files->writer, err) == 0 && write_pending(files, err) == 0) {
		count_rows(files, true);
		return 0;
	}
	drop_writer(files);
	return -1;
}

int
capture_files_reopen(struct capture_files *files, struct stk_error *err)
{
	return files->plain || files->holding ? 0 : capture_files_finish(files, false, err);
}

const struct capture_totals *
capture_files_totals(const struct capture_files *files, int64_t *bytes)
{
	*bytes = files->plain ? 0 : files->size;
	return &files->totals;
}

const char *
capture_files_name(const struct capture_files *files)
{
	return files->fd == STDOUT_FILENO ? "standard output" : files->path;
}

void
capture_files_lost(struct capture_files *files, uint64_t incidents)
{
	files->incidents += incidents;
}

void
capture_files_unwritten(struct capture_files *files, const struct capture_rows *rows)
{
	capture_rows_add(&files->totals.lost, rows);
}

void
capture_files_open(struct capture_files **out, const struct file_plan *plan)
{
	struct capture_files *files = *out = mem_new(1, sizeof *files);

	files->plan = plan;
	files->fd = -1;
}

int
capture_files_close(struct capture_files *files, struct capture_totals *totals, struct stk_error *err)
{
	int result;

	if (files == NULL)
		return 0;
	result = capture_files_finish(files, true, err);
	capture_files_hold_end(files);
	if (totals != NULL)
		*totals = files->totals;
	array_release(&files->pending);
	free(files);
	return result;
}
