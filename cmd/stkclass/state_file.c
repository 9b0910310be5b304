/* SPDX-License-Identifier: MIT
 * state_file: the file of --state. */
#include "state_file.h"

#include "base/bytes.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

/* --- the lock --- */

struct state_lock { int fd; };

int
state_lock_take(struct state_lock **out, const char *path, struct stk_error *err)
{
	size_t size = strlen(path) + sizeof ".lock";
	char *name = mem_new(size, 1);
	int fd, result = 0;

	*out = NULL;
	(void)snprintf(name, size, "%s.lock", path);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		result = stk_fail_errno(err, "cannot open the lock %s", name);
	else if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		result = errno == EWOULDBLOCK ? stk_fail(err, STK_ESYSTEM, "another run holds it (%s); nothing was changed", name) : stk_fail_errno(err, "cannot lock %s", name);
	free(name);
	if (result < 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	*out = mem_new(1, sizeof **out);
	(*out)->fd = fd;
	return 0;
}

/* The file of the lock stays: to remove it would let a third run lock what a second one still waits for. */
void
state_lock_release(struct state_lock *lock)
{
	if (lock == NULL)
		return;
	close(lock->fd);
	free(lock);
}

/* --- reading --- */

static long
read_bytes(void *context, void *to, size_t size, struct stk_error *err)
{
	return input_read(context, to, size, err);
}

static int
take_blocks(struct class_state *state, struct stk_reader *reader, struct stk_error *err)
{
	struct stk_reader_state whole;
	struct stk_block block;
	int got;

	while ((got = stk_reader_next(reader, &block, err)) > 0)
		if (class_state_take(state, reader, &block, err) < 0)
			return -1;
	stk_reader_state(reader, &whole);
	if (got == 0 && (whole.damages > 0 || whole.streams != 1 || whole.ended != 1))
		return stk_fail(err, STK_EDATA, "is damaged or cut; it is left as it is: restore it from a copy, or move it away and begin anew");
	return got;
}

static int
read_state(struct input *input, const char *identity, struct classifier *classifier, struct sample_intake *intake, struct stk_error *err)
{
	struct stk_reader_options options = { .read = read_bytes, .context = input };
	struct class_state *state = NULL;
	struct stk_reader *reader = NULL;
	struct stk_text had;
	int result = stk_reader_open(&reader, &options, err);

	class_state_open(&state);
	if (result == 0)
		result = take_blocks(state, reader, err);
	had = class_state_options(state);
	if (result == 0 && had.size == 0)
		result = stk_fail(err, STK_EDATA, "is no state of stkclass");
	if (result == 0 && identity != NULL && !text_is(had, identity))
		result = stk_fail(err, STK_EUSAGE, "was made with other options (%.*s), not with %s", (int)had.size, had.data, identity);
	if (result == 0)
		result = class_state_restore(state, classifier, intake, err);
	class_state_close(state);
	stk_reader_close(reader);
	return result;
}

int
state_file_read(const char *path, const char *identity, struct classifier *classifier, struct sample_intake *intake, struct stk_error *err)
{
	static const struct input_limits limits = { .keep_zstd = true };
	struct input *input = NULL;
	int result;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	if (input_open(&input, path, &limits, err) < 0)
		return -1;
	result = read_state(input, identity, classifier, intake, err);
	input_close(input);
	return result < 0 ? -1 : 1;
}

/* --- writing --- */

static int
write_bytes(void *context, const void *from, size_t size, struct stk_error *err)
{
	return output_write(context, from, size, err);
}

int
state_file_write(const char *path, const char *identity, struct classifier *classifier, struct sample_intake *intake, struct stk_error *err)
{
	struct stk_writer_options options = { .write = write_bytes, .level = STK_LEVEL_FILE };
	struct stk_writer *writer = NULL;
	struct output *output = NULL;
	int result = output_open(&output, path, err);

	options.context = output;
	if (result == 0)
		result = stk_writer_open(&writer, &options, err);
	if (result == 0)
		result = class_state_write(classifier, intake, text_from(identity), writer, err);
	if (stk_writer_close(writer, result == 0, result == 0 ? err : &(struct stk_error){ 0 }) < 0)
		result = -1;
	if (output_close(output, result == 0, result == 0 ? err : &(struct stk_error){ 0 }) < 0)
		result = -1;
	return result;
}
