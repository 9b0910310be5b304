/* SPDX-License-Identifier: MIT
 * deepest: passes a record stream on and reports its deepest stack:  stkcap dumps.txt | deepest | stkcat
 * Damage is treated as stkpipe's own filters do: reported with its place and left out, the rest kept, status 1. */
#include <stdio.h>
#include <stkpipe/definitions.h>
#include <stkpipe/stream.h>
#include <unistd.h>

struct deepest { struct stk_definitions *names; uint32_t frames; char leaf[200]; };

static long
get(void *context, void *to, size_t size, struct stk_error *err)
{
	ssize_t got = read(*(const int *)context, to, size);

	return got < 0 ? stk_fail_errno(err, "cannot read") : got;
}

static int
put(void *context, const void *from, size_t size, struct stk_error *err)
{
	return fwrite(from, 1, size, context) == size ? 0 : stk_fail_errno(err, "cannot write");
}

static void
report(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	fprintf(context, "deepest: -:%lld: %s; %llu bytes are left out\n", (long long)offset, what,
		(unsigned long long)bytes);
}

/* Keeps the leaf's text, not the stack's id: ids start anew at the next head. */
static int
take(struct deepest *d, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	if (stk_definitions_take(d->names, reader, block, err) < 0)
		return -1;
	for (uint64_t id = block->first_id; block->kind == STK_STACK && id < (uint64_t)block->first_id + block->rows;
	     id++) {
		uint64_t leaf = stk_definitions_stack(d->names, id).frame;
		uint32_t frames = stk_definitions_frames(d->names, id, NULL, 0);

		if (frames > d->frames) {
			size_t size = stk_definitions_frame_text(d->names, leaf, d->leaf, sizeof d->leaf - 1);

			d->frames = frames;
			d->leaf[size < sizeof d->leaf ? size : sizeof d->leaf - 1] = '\0';
		}
	}
	return 0;
}

int
main(void)
{
	struct deepest d = { .names = stk_definitions_open() };
	const struct stk_writer_options to = { .write = put, .context = stdout, .level = STK_LEVEL_PIPE };
	struct stk_reader_options from = {
		.read = get, .context = &(int){ STDIN_FILENO }, .damage = report, .damage_context = stderr
	};
	struct stk_reader_state state = { 0 };
	struct stk_reader *reader = NULL;
	struct stk_block block;
	struct stk_error err = { 0 };
	int got = -1;

	if (stk_writer_open(&from.writer, &to, &err) == 0 && stk_reader_open(&reader, &from, &err) == 0)
		while ((got = stk_reader_next(reader, &block, &err)) > 0) {
			if (take(&d, reader, &block, &err) == 0 && stk_writer_pass(from.writer, reader, &err) == 0)
				continue;
			if (err.code != STK_EDATA)
				break;				/* status 3 */
			stk_error_clear(&err);			/* a damaged block, which was reported */
		}
	if (reader != NULL)
		stk_reader_state(reader, &state);
	stk_reader_close(reader);
	if (stk_writer_close(from.writer, got == 0, &err) == 0 && fflush(stdout) != 0)
		(void)stk_fail_errno(&err, "cannot write");
	stk_definitions_close(d.names);
	if (err.code != STK_EOK)
		return fprintf(stderr, "deepest: %s\n", err.text), 3;
	fprintf(stderr, "deepest: %u frames, up to %s\n", (unsigned)d.frames, d.leaf);
	return state.damages > 0 ? 1 : 0;
}
