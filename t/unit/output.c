/* SPDX-License-Identifier: MIT
 * output: a file appears whole or not at all, and a disk that is full is noticed. */
#include "../lib/tap.h"

#include "base/output.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

static struct stk_error err;

static const char *
content_of(const char *path)
{
	static char content[100];
	FILE *file = fopen(path, "r");

	if (file == NULL)
		return NULL;
	content[fread(content, 1, sizeof content - 1, file)] = '\0';
	fclose(file);
	return content;
}

static int
entries(void)
{
	DIR *dir = opendir(".");
	int count = -2;		/* . and .. */

	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

static struct output *
opened(const char *path)
{
	struct output *out;

	stk_error_clear(&err);
	return output_open(&out, path, &err) == 0 ? out : NULL;
}

static unsigned
mode_of(const char *path)
{
	struct stat is;

	return stat(path, &is) < 0 ? 0 : is.st_mode & 07777;
}

static void
test_new(void)
{
	struct output *out = opened("new");

	ok(out != NULL && output_is_file(out) && !output_is_terminal(out), "a new file is a file");
	ok(output_write(out, "abc", 3, &err) == 0 && output_write(out, "def", 3, &err) == 0, "it can be written");
	ok(access("new", F_OK) < 0, "its name is not there before the end");
	ok(output_close(out, true, &err) == 0, "it is closed well");
	is_text(content_of("new"), "abcdef", "then all is there");
	is_i64(mode_of("new"), 0644, "with the mode that umask leaves");
	is_i64(entries(), 1, "and nothing else");
}

static void
test_dropped(void)
{
	struct output *out = opened("new");

	ok(output_write(out, "other", 5, &err) == 0 && output_close(out, false, &err) == 0, "a file may be given up");
	is_text(content_of("new"), "abcdef", "then the old one stays");
	out = opened("never");
	ok(output_close(out, false, &err) == 0 && access("never", F_OK) < 0, "or none appears");
	is_i64(entries(), 1, "and nothing else");
}

static void
test_replaced(void)
{
	struct output *out;
	struct stat is;

	if (chmod("new", 0600) < 0 || symlink("new", "link") < 0)
		abort();
	out = opened("link");
	ok(output_write(out, "through", 7, &err) == 0 && output_close(out, true, &err) == 0,
	   "a link can be written through");
	is_text(content_of("new"), "through", "what it points to is replaced");
	ok(lstat("link", &is) == 0 && S_ISLNK(is.st_mode), "it stays a link");
	is_i64(mode_of("new"), 0600, "the mode is kept");
	is_i64(entries(), 2, "and nothing else");
}

static void
test_long_name(void)
{
	char name[256];
	struct output *out;

	memset(name, 'n', 255);
	name[255] = '\0';
	out = opened(name);
	ok(out != NULL && output_close(out, true, &err) == 0 && access(name, F_OK) == 0,
	   "the longest name is not too long");
	unlink(name);
}

static void
test_refused(void)
{
	ok(opened("no/such/directory") == NULL && err.code == STK_ESYSTEM, "a missing directory is refused");
	ok(strstr(err.text, "no/such/directory") != NULL, "by name");
	ok(opened(".") == NULL && err.code == STK_ESYSTEM, "a directory is refused");
	ok(output_close(NULL, true, &err) == 0, "closing nothing is well");
}

static void
test_full(void)
{
	struct output *out = opened("/dev/full");

	if (out == NULL) {
		skip("no /dev/full", "a full disk is noticed");
		return;
	}
	ok(!output_is_file(out), "a device is no file");
	ok(output_write(out, "abc", 3, &err) == -1 && err.code == STK_ESYSTEM && strstr(err.text, "/dev/full") != NULL,
	   "a full disk is noticed");
	ok(output_close(out, false, &err) == 0 && access("/dev/full", F_OK) == 0, "a device is not replaced");
}

/* Writes a scratch; 0. */
static int
fill(struct scratch *scratch, const char *text)
{
	return scratch_write(scratch, text, strlen(text), &err);
}

static void
test_scratch_in_place(void)
{
	struct output *out = opened("lent");
	struct scratch *lent = output_scratch(out);
	char back[8] = "";

	ok(lent != NULL && output_scratch(out) == NULL, "a new file is lent to one scratch");
	is_i64(fill(lent, "abc") + fill(lent, "def"), 0, "which is written");
	ok(scratch_read_at(lent, back, 3, 2, &err) == 3 && strcmp(back, "cde") == 0, "and read back");
	ok(access("lent", F_OK) < 0, "its name is not there before the end");
	is_i64(output_take(out, lent, &err), 0, "what is taken is there already");
	scratch_close(lent);
	ok(output_close(out, true, &err) == 0, "the file is closed after the scratch");
	is_text(content_of("lent"), "abcdef", "and has its bytes, once");
}

/* What was written in place is not the result: something shorter is. */
static void
test_scratch_elsewhere(void)
{
	struct output *out = opened("lent");
	struct scratch *lent = output_scratch(out), *other;
	int filled = fill(lent, "much longer");

	scratch_close(lent);		/* the next one may be at the same address */
	ok(filled == 0 && scratch_open(&other, &err) == 0 && fill(other, "short") == 0, "another scratch is written");
	is_i64(output_take(out, other, &err), 0, "and taken instead of the lent one");
	scratch_close(other);
	ok(output_close(out, true, &err) == 0, "the file is closed");
	is_text(content_of("lent"), "short", "and has nothing of what was in its place");
}

static void
test_scratch_dropped(void)
{
	struct output *out = opened("lent");
	struct scratch *lent = output_scratch(out);
	int before = entries();

	is_i64(fill(lent, "other"), 0, "a scratch in place of a file that is given up");
	scratch_close(lent);
	ok(output_close(out, false, &err) == 0, "leaves");
	is_text(content_of("lent"), "short", "the old file");
	is_i64(entries(), before - 1, "and nothing beside it");
	unlink("lent");
	out = opened(NULL);
	ok(output_scratch(out) == NULL && output_close(out, true, &err) == 0, "stdout is lent to nobody");
}

/* A pipe that others made non-blocking: nothing may be lost or refused. */
static void
test_nonblocking(void)
{
	static char bytes[300000];
	int ends[2], old = dup(1);
	struct output *out = opened(NULL);
	long seen = 0, got;

	fflush(stdout);
	if (pipe(ends) < 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0)
		abort();
	if (fork() == 0) {
		dup2(ends[1], 1);
		close(ends[0]);
		_exit(output_write(out, bytes, sizeof bytes, &err) == 0 ? 0 : 1);
	}
	close(ends[1]);
	while ((got = read(ends[0], bytes, sizeof bytes)) > 0)
		seen += got;
	close(ends[0]);
	close(old);
	is_i64(seen, sizeof bytes, "a non-blocking pipe takes all");
	ok(output_close(out, true, &err) == 0 && fcntl(1, F_GETFD) >= 0, "stdout stays open");
}

int
main(void)
{
	umask(022);
	scratch();
	test_new();
	test_dropped();
	test_replaced();
	test_long_name();
	test_refused();
	test_full();
	test_scratch_in_place();
	test_scratch_elsewhere();
	test_scratch_dropped();
	test_nonblocking();
	return tap_end();
}
