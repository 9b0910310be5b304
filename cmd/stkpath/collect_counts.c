/* SPDX-License-Identifier: MIT
 * collect_counts: stkpath collect. The files of STKPATH_MAP become record streams, one after another: also of programs
 * that were killed, or still run. */
#include "stkpath.h"

#include "base/input.h"
#include "base/open_file.h"
#include "base/output.h"
#include "path/count_image.h"
#include "program/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 10			/* to read a file that grows meanwhile */

struct mapped_file { const void *bytes; size_t size; uint64_t changed_ns; };

/* It is mapped, not read, because a program may be counting in it. */
static int
map_file(struct mapped_file *file, const char *name, struct stk_error *err)
{
	int fd = open_file(name, O_RDONLY, 0);
	struct stat found;

	*file = (struct mapped_file){ 0 };
	if (fd < 0)
		return is_missing_file(errno) ? stk_fail(err, STK_EDATA, "%s", strerror(errno))
					      : stk_fail_errno(err, "%s", name);
	if (fstat(fd, &found) < 0) {
		(void)close(fd);
		return stk_fail_errno(err, "%s", name);
	}
	file->size = (size_t)found.st_size;
	file->changed_ns = (uint64_t)found.st_mtim.tv_sec * 1000000000u + (uint64_t)found.st_mtim.tv_nsec;
	if (S_ISREG(found.st_mode) && file->size > 0)
		file->bytes = mmap(NULL, file->size, PROT_READ, MAP_SHARED, fd, 0);
	(void)close(fd);
	if (!S_ISREG(found.st_mode))
		return stk_fail(err, STK_EDATA, "not a file: counts of STKPATH_MAP are read where they are");
	if (file->bytes == MAP_FAILED) {
		file->bytes = NULL;
		return stk_fail_errno(err, "%s", name);
	}
	return 0;
}

static void
unmap_file(struct mapped_file *file)
{
	if (file->bytes != NULL)
		(void)munmap((void *)file->bytes, file->size);
}

/* The stream of one file. */
static int
make_stream(int fd, const char *name, struct image_outcome *out, struct stk_error *err)
{
	struct mapped_file file;
	int result = map_file(&file, name, err);

	if (result == 0)
		result = count_image_write(fd, file.bytes != NULL ? file.bytes : "", file.size, file.changed_ns, out, err);
	unmap_file(&file);
	return result;
}

static bool
has_grown(const char *name, off_t *size)
{
	struct stat now;
	off_t was = *size;

	if (stat(name, &now) < 0)
		return false;
	*size = now.st_size;
	return now.st_size != was;
}

/* Where a program adds to its file, what is new may be beyond what was mapped: then it is mapped again. */
static int
make_whole_stream(int fd, const char *name, struct image_outcome *out, struct stk_error *err)
{
	off_t size = 0;
	int result = 0;

	(void)has_grown(name, &size);
	for (int tries = 0; tries < TRIES; tries++) {
		if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
			return stk_fail_errno(err, "temporary file");
		result = make_stream(fd, name, out, err);
		if ((result == 0 && out->damaged == 0) || !has_grown(name, &size))
			break;
	}
	return result;
}

static int
copy_to_output(int fd, struct output *to, struct stk_error *err)
{
	static unsigned char bytes[1 << 16];
	ssize_t size;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return stk_fail_errno(err, "temporary file");
	while ((size = read(fd, bytes, sizeof bytes)) > 0)
		if (output_write(to, bytes, (size_t)size, err) < 0)
			return -1;
	return size < 0 ? stk_fail_errno(err, "temporary file") : 0;
}

/* A file that is not one, or is damaged, is reported, and others are still collected. */
static int
collect(int fd, const char *name, struct output *to, struct stk_error *err)
{
	struct image_outcome outcome;

	if (make_whole_stream(fd, name, &outcome, err) < 0) {
		if (err->code != STK_EDATA)
			return -1;
		program_report(name, err);
		*err = (struct stk_error){ 0 };
		return 0;
	}
	if (outcome.damaged > 0)
		program_warn("%s: damaged: the counts of %llu functions are lost", name,
			     (unsigned long long)outcome.damaged);
	if (outcome.lost)
		program_warn("%s: the program found no more room in it: what it counted elsewhere is missing", name);
	return copy_to_output(fd, to, err);
}

static void
complain(const char *path, const struct stk_error *why)
{
	program_report(path, why);
}

static int
collect_all(char **operands, int count, struct output *to, struct stk_error *err)
{
	struct file_list *files = NULL;
	const char *name;
	int fd = memfd_create("counts", MFD_CLOEXEC), result;

	if (fd < 0)
		return stk_fail_errno(err, "temporary file");
	result = file_list_open(&files, operands, count, complain);
	while (result == 0 && (name = file_list_next(files)) != NULL && !program_stopping())
		result = collect(fd, name, to, err);
	file_list_close(files);
	(void)close(fd);
	return result;
}

int
collect_counts(char **operands, int count)
{
	struct output *output = NULL;
	struct stk_error err = { 0 }, late = { 0 };
	int result;

	if (count == 0)
		program_usage("collect: expected files of STKPATH_MAP");
	result = output_open(&output, program_common.output, &err);
	if (result == 0 && output_is_terminal(output))
		program_usage("records are not for a terminal: use -o FILE, or a pipe such as '| stkpath coverage'");
	if (result == 0)
		result = collect_all(operands, count, output, &err);
	if (output_close(output, result == 0, &late) < 0 && result == 0) {
		err = late;
		result = -1;
	}
	return program_finish(&err, NULL);
}
