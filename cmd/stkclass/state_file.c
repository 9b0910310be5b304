/* SPDX-License-Identifier: MIT
 * state_file: the file of --state. */
#include "state_file.h"

#include "base/bytes.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/output.h"

#include <errno.h>
#include <unistd.h>

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
state_file_write(struct output **output, const char *path, const char *identity, struct classifier *classifier, struct sample_intake *intake, struct stk_error *err)
{
	struct stk_writer_options options = { .write = write_bytes, .level = STK_LEVEL_FILE };
	struct stk_writer *writer = NULL;
	int result = output_open(output, path, err);

	options.context = *output;
	if (result == 0)
		result = stk_writer_open(&writer, &options, err);
	if (result == 0)
		result = class_state_write(classifier, intake, text_from(identity), writer, err);
	if (stk_writer_close(writer, result == 0, result == 0 ? err : &(struct stk_error){ 0 }) < 0)
		result = -1;
	return result;
}
