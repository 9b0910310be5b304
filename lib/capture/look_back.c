/* SPDX-License-Identifier: MIT
 * look_back: an eighth of the time is a part. What is older than the span is dropped with its part, so that up to an
 * eighth more is in memory. */
#include "capture/look_back.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define PARTS          8
#define PART_LEAST_NS  INT64_C(1000000000)

struct look_back {
	ARRAY(struct look_back_part) parts;	/* the oldest first */
	ARRAY(char) bytes;		/* of the part that is being written */
	struct stk_writer *writer;	/* of it; NULL: none */
	int64_t begun_ns, added_ns;	/* of that part */
	int64_t span_ns, most_bytes;
	int level;
	size_t held;			/* bytes of parts */
	bool early;
};

static int
keep_bytes(void *context, const void *from, size_t size, struct stk_error *err)
{
	struct look_back *back = context;

	(void)err;
	array_reserve(&back->bytes, size);
	memcpy(back->bytes.at + back->bytes.count, from, size);
	back->bytes.count += size;
	return 0;
}

void
look_back_open(struct look_back **out, int64_t span_ns, int64_t most_bytes, int level)
{
	struct look_back *back = *out = mem_new(1, sizeof *back);

	back->span_ns = span_ns;
	back->most_bytes = most_bytes;
	back->level = level;
}

void
look_back_drop_first(struct look_back *back)
{
	back->held -= back->parts.at[0].size;
	free(back->parts.at[0].bytes);
	memmove(back->parts.at, back->parts.at + 1, --back->parts.count * sizeof *back->parts.at);
}

static void
drop_before(struct look_back *back, int64_t from_ns)
{
	while (back->parts.count > 0 && back->parts.at[0].to_ns < from_ns)
		look_back_drop_first(back);
	while (back->parts.count > 0 && (int64_t)(back->held + back->bytes.count) > back->most_bytes) {
		look_back_drop_first(back);
		back->early = true;
	}
}

static int
end_part(struct look_back *back, struct stk_error *err)
{
	struct look_back_part part = { .from_ns = back->begun_ns, .to_ns = back->added_ns };
	int result;

	if (back->writer == NULL)
		return 0;
	result = stk_writer_flush(back->writer, err);
	part.dumps = stk_writer_rows(back->writer, STK_DUMP);
	part.samples = stk_writer_rows(back->writer, STK_SAMPLE);
	if (stk_writer_close(back->writer, result == 0, err) < 0)
		result = -1;
	back->writer = NULL;
	part.size = back->bytes.count;
	part.bytes = back->bytes.at;
	memset(&back->bytes, 0, sizeof back->bytes);
	back->held += part.size;
	*array_push(&back->parts) = part;
	return result;
}

int
look_back_writer(struct look_back *back, int64_t now_ns, struct stk_writer **writer, bool *fresh,
		 struct stk_error *err)
{
	struct stk_writer_options to = { .write = keep_bytes, .context = back, .level = back->level };
	int64_t part_ns = back->span_ns / PARTS > PART_LEAST_NS ? back->span_ns / PARTS : PART_LEAST_NS;

	if (back->writer != NULL && (now_ns - back->begun_ns >= part_ns ||
				     (int64_t)back->bytes.count >= back->most_bytes / PARTS) &&
	    end_part(back, err) < 0)
		return -1;
	drop_before(back, now_ns - back->span_ns);
	*fresh = back->writer == NULL;
	if (*fresh) {
		back->begun_ns = back->added_ns = now_ns;
		if (stk_writer_open(&back->writer, &to, err) < 0)
			return -1;
	}
	*writer = back->writer;
	return 0;
}

int
look_back_commit(struct look_back *back, int64_t now_ns, struct stk_error *err)
{
	back->added_ns = now_ns;
	return back->writer == NULL ? 0 : stk_writer_flush(back->writer, err);
}

int
look_back_end(struct look_back *back, int64_t from_ns, struct stk_error *err)
{
	int result = end_part(back, err);

	drop_before(back, from_ns);
	return result;
}

bool
look_back_first(const struct look_back *back, struct look_back_part *part)
{
	if (back->parts.count == 0)
		return false;
	*part = back->parts.at[0];
	return true;
}

void
look_back_state(const struct look_back *back, struct look_back_state *state)
{
	*state = (struct look_back_state){ .bytes = back->held + back->bytes.count, .early = back->early };
	state->from_ns = back->parts.count > 0 ? back->parts.at[0].from_ns
			 : back->writer != NULL ? back->begun_ns
						: 0;
	for (size_t i = 0; i < back->parts.count; i++) {
		state->dumps += back->parts.at[i].dumps;
		state->samples += back->parts.at[i].samples;
	}
}

void
look_back_close(struct look_back *back)
{
	struct stk_error unused = { 0 };

	if (back == NULL)
		return;
	if (end_part(back, &unused) < 0)
		stk_error_clear(&unused);
	while (back->parts.count > 0)
		look_back_drop_first(back);
	array_release(&back->parts);
	array_release(&back->bytes);
	free(back);
}
