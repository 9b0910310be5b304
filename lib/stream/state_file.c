/* SPDX-License-Identifier: MIT
 * state_file: reads a whole state before any of it is used, and replaces it as a whole. */
#include "stream/state_file.h"

#include "base/bytes.h"
#include "base/host.h"
#include "base/input.h"
#include "base/lock_file.h"
#include "base/memory.h"
#include "base/output.h"
#include "stream/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct state_file {
	const char *path;
	struct lock_file *lock;
	struct output *output;	/* the new state, beside the old one; NULL: none yet */
	bool whole;		/* the new state is complete */
};

/* --- reading --- */

struct reading {
	const struct state_kind *kind;
	struct stk_reader *reader;
	state_take_function *take;
	void *context;
	bool any;			/* a block was met */
	bool known;			/* its note was met */
	struct stk_error unfit;		/* why it cannot be taken, once that is known */
};

static long
read_bytes(void *context, void *to, size_t size, struct stk_error *err)
{
	return input_read(context, to, size, err);
}

static int
take_notes(struct reading *r, const struct stk_block *block, struct stk_error *err)
{
	struct stk_note note;

	if (stk_reader_rows(r->reader, err) < 0)
		return -1;
	for (uint32_t row = 0; row < block->rows; row++) {
		stk_reader_row(r->reader, row, &note);
		if (!text_is(note.about, r->kind->about) || note.text.size == 0)
			continue;
		r->known = true;
		if (text_is(note.text, r->kind->identity) ||
		    (r->kind->former != NULL && text_is(note.text, r->kind->former)))
			continue;
		stk_error_clear(&r->unfit);
		(void)stk_fail(&r->unfit, STK_EUSAGE, "was made with other options (%.*s), not with %s",
			       (int)note.text.size, note.text.data, r->kind->identity);
	}
	return 0;
}

/* Reading continues after what does not fit: a note of other options may come after the rows that do not fit for that
 * reason, and damage after both. */
static int
take_blocks(struct reading *r, struct stk_error *err)
{
	struct stk_block block;
	int got;

	while ((got = stk_reader_next(r->reader, &block, err)) > 0) {
		r->any = true;
		if (block.kind == STK_NOTE && take_notes(r, &block, err) < 0)
			return -1;
		if (r->unfit.code == STK_EOK)
			(void)r->take(r->context, r->reader, &block, &r->unfit);
	}
	return got;
}

/* Whether nothing in the file is a block, and it does not begin like a truncated one either. */
static bool
is_foreign(const struct reading *r, const struct input *input)
{
	unsigned char magic[4];
	size_t size;
	const unsigned char *first = input_first_bytes(input, &size);

	store32(magic, BLOCK_MAGIC);
	return !r->any && memcmp(first, magic, size < sizeof magic ? size : sizeof magic) != 0;
}

/* A state is one whole stream: half of it would be counted as if it were all. */
static int
check_whole(const struct reading *r, const struct input *input, struct stk_error *err)
{
	struct stk_reader_state is;

	stk_reader_state(r->reader, &is);
	if (is_foreign(r, input))
		return stk_fail(err, STK_EDATA, "not a %s state file", r->kind->program);
	if (is.damages > 0 || is.streams != 1 || is.ended != 1)
		return stk_fail(
			err, STK_EDATA,
			"damaged or truncated, left unchanged: restore it from a copy, or move it away and begin anew");
	if (r->unfit.code != STK_EOK)
		return stk_fail(err, r->unfit.code, "%s", r->unfit.text);
	return r->known ? 0 : stk_fail(err, STK_EDATA, "not a %s state file", r->kind->program);
}

static int
read_stream(struct reading *r, struct input *input, struct stk_error *err)
{
	struct stk_reader_options options = { .read = read_bytes, .context = input };
	int result = stk_reader_open(&r->reader, &options, err);

	if (result == 0)
		result = take_blocks(r, err);
	if (result == 0)
		result = check_whole(r, input, err);
	stk_reader_close(r->reader);
	return result;
}

/* The same failure, with the file's name; see the header for its code. */
static int
refuse(const char *path, const struct stk_error *why, struct stk_error *err)
{
	return stk_fail(err, why->code == STK_EUSAGE ? STK_EUSAGE : STK_ESYSTEM, "%s: %s", path, why->text);
}

int
state_file_read(const char *path, const struct state_kind *kind, state_take_function *take, void *context,
		struct stk_error *err)
{
	static const struct input_limits limits = { .keep_zstd = true };
	struct reading r = { .kind = kind, .take = take, .context = context };
	struct stk_error why = { 0 };
	struct input *input = NULL;
	int result;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	result = input_open(&input, path, &limits, &why);
	if (result == 0)
		result = read_stream(&r, input, &why);
	input_close(input);
	return result < 0 ? refuse(path, &why, err) : 1;
}

/* --- writing --- */

int
state_file_open(struct state_file **out, const char *path, struct stk_error *err)
{
	struct stk_error why = { 0 };
	struct lock_file *lock;

	*out = NULL;
	if (lock_file_take(&lock, path, &why) < 0)
		return refuse(path, &why, err);
	*out = mem_new(1, sizeof **out);
	**out = (struct state_file){ .path = path, .lock = lock };
	return 0;
}

static int
write_bytes(void *context, const void *from, size_t size, struct stk_error *err)
{
	return output_write(context, from, size, err);
}

int
state_file_write(struct state_file *file, const struct state_kind *kind, state_add_function *add, void *context,
		 struct stk_error *err)
{
	struct stk_writer_options options = { .write = write_bytes, .level = STK_LEVEL_FILE };
	struct stk_note note = { .about = text_from(kind->about), .text = text_from(kind->identity) };
	struct stk_writer *writer = NULL;
	int result = output_open(&file->output, file->path, err);

	options.context = file->output;
	if (result == 0)
		result = stk_writer_open(&writer, &options, err);
	if (result == 0)
		result = stk_writer_add(writer, STK_NOTE, &note, err);
	if (result == 0)
		result = add(context, writer, err);
	if (stk_writer_close(writer, result == 0, result == 0 ? err : &(struct stk_error){ 0 }) < 0)
		result = -1;
	file->whole = result == 0;
	return result;
}

int
state_file_close(struct state_file *file, bool delivered, struct stk_error *err)
{
	int result;

	if (file == NULL)
		return 0;
	/* asks host_check_finished */
	result = output_close(file->output, delivered && file->whole && !host_stopping(), err);
	lock_file_release(file->lock);
	free(file);
	return result;
}
