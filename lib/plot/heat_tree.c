/* SPDX-License-Identifier: MIT
 * heat_tree: ids are those of a stream, so each stream has its own threads and rows. Sums of bytes are made when the
 * page is written, of what is in the file then. */
#include "plot/heat_tree.h"

#include "base/open_file.h"
#include "plot/heat_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

struct tree_block {
	int64_t offset;
	uint64_t bytes;
	uint32_t stream, samples;
	int64_t from_ns, to_ns;		/* of the samples that count */
	uint64_t sum;			/* of their weights */
	uint32_t adler;
};

struct tree_thread { uint64_t id; uint32_t prefixes[2]; };
struct tree_key { uint32_t stack, group, row; };

struct tree_stream {
	ARRAY(uint64_t) events;
	ARRAY(struct tree_thread) threads;
	ARRAY(struct tree_key) keys;
	uint64_t groups;
};

struct heat_tree {
	ARRAY(struct tree_stream) streams;	/* that ended */
	ARRAY(uint64_t) events;		/* of the present one */
	ARRAY(struct tree_block) blocks;
	const char *obstacle;
	bool summed;			/* the blocks' bytes */
};

void
heat_tree_open(struct heat_tree **out)
{
	*out = mem_new(1, sizeof **out);
}

void
heat_tree_close(struct heat_tree *tree)
{
	if (tree == NULL)
		return;
	for (size_t i = 0; i < tree->streams.count; i++) {
		array_release(&tree->streams.at[i].events);
		array_release(&tree->streams.at[i].threads);
		array_release(&tree->streams.at[i].keys);
	}
	array_release(&tree->streams);
	array_release(&tree->events);
	array_release(&tree->blocks);
	free(tree);
}

static void
note_event(struct heat_tree *tree, uint64_t event)
{
	for (size_t i = tree->events.count; i-- > 0;)
		if (tree->events.at[i] == event)
			return;
	*array_push(&tree->events) = event;
}

void
heat_tree_add(struct heat_tree *tree, const struct stk_block *block, const struct heat_samples *samples)
{
	const struct sample_columns *c = samples->columns;
	struct tree_block made = { .offset = block->offset,
				   .bytes = block->bytes,
				   .stream = (uint32_t)tree->streams.count,
				   .from_ns = INT64_MAX,
				   .to_ns = INT64_MIN };

	for (uint32_t i = 0; i < samples->count; i++) {
		uint32_t row = selected_row(samples->chosen, i);
		int64_t time = (int64_t)sample_value(&c->time, row);
		uint64_t weight = samples->alike ? 1 : sample_value(&c->weight, row);

		if (time == STK_TIME_UNKNOWN || weight == 0)
			continue;
		note_event(tree, sample_value(&c->event, row));
		made.samples++;
		made.sum += weight;
		made.from_ns = time < made.from_ns ? time : made.from_ns;
		made.to_ns = time > made.to_ns ? time : made.to_ns;
	}
	if (made.samples > 0)
		*array_push(&tree->blocks) = made;
}

static int
compare_keys(const void *a, const void *b)
{
	const struct tree_key *x = a, *y = b;

	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

void
heat_tree_turn(struct heat_tree *tree, const struct heat_rows *rows)
{
	struct tree_stream *stream = array_push(&tree->streams);
	const struct pair_sums *known = heat_rows_known(rows);

	*stream = (struct tree_stream){ .groups = 1 };
	if (tree->obstacle == NULL)
		tree->obstacle = heat_rows_obstacle(rows);
	for (size_t i = 0; i < tree->events.count; i++)
		*array_push(&stream->events) = tree->events.at[i];
	tree->events.count = 0;
	for (uint64_t thread = 0; thread < heat_rows_threads(rows); thread++) {
		struct tree_thread made = { .id = thread };

		for (unsigned dump = 0; dump < 2; dump++)
			made.prefixes[dump] = heat_rows_prefix(rows, thread, dump == 1);
		if (made.prefixes[0] != 0 || made.prefixes[1] != 0)
			*array_push(&stream->threads) = made;
	}
	for (size_t i = 0; i < known->sums.count; i++) {
		const struct pair_sum *sum = &known->sums.at[i];

		*array_push(&stream->keys) = (struct tree_key){ sum->b, sum->a, (uint32_t)sum->weight };
		stream->groups = sum->a >= stream->groups ? sum->a + UINT64_C(1) : stream->groups;
	}
	if (stream->keys.count > 0)
		qsort(stream->keys.at, stream->keys.count, sizeof *stream->keys.at, compare_keys);
}

const char *
heat_tree_obstacle(const struct heat_tree *tree)
{
	return tree->obstacle;
}

uint64_t
heat_tree_bytes(const struct heat_tree *tree)
{
	uint64_t most = 0;

	for (size_t i = 0; i < tree->blocks.count; i++) {
		uint64_t end = (uint64_t)tree->blocks.at[i].offset + tree->blocks.at[i].bytes;

		most = end > most ? end : most;
	}
	return most;
}

/* --- the blocks' bytes --- */

static int
sum_block(struct tree_block *block, int file, const char *path, struct stk_error *err)
{
	unsigned char bytes[65536];
	uLong adler = adler32(0, NULL, 0);

	for (uint64_t done = 0; done < block->bytes;) {
		uint64_t left = block->bytes - done;
		ssize_t got = pread(file, bytes, left < sizeof bytes ? left : sizeof bytes,
				    block->offset + (int64_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return stk_fail(err, STK_ESYSTEM, "%s: %s", path,
					got < 0 ? strerror(errno) : "has become shorter");
		adler = adler32(adler, bytes, (uInt)got);
		done += (uint64_t)got;
	}
	block->adler = (uint32_t)adler;
	return 0;
}

static int
sum_blocks(struct heat_tree *tree, const char *path, struct stk_error *err)
{
	int file, result = 0;

	if (tree->summed)
		return 0;
	file = open_file(path, O_RDONLY, 0);
	if (file < 0)
		return stk_fail(err, STK_ESYSTEM, "%s: %s", path, strerror(errno));
	for (size_t i = 0; result == 0 && i < tree->blocks.count; i++)
		result = sum_block(&tree->blocks.at[i], file, path, err);
	(void)close(file);
	tree->summed = result == 0;
	return result;
}

/* --- writing --- */

static void
write_stream(struct text_buffer *to, const struct tree_stream *stream, const uint32_t *row_numbers)
{
	uint64_t last = 0;

	heat_add_varint(to, stream->events.count);
	for (size_t i = 0; i < stream->events.count; i++)
		heat_add_varint(to, stream->events.at[i]);
	heat_add_varint(to, stream->groups);
	heat_add_varint(to, stream->threads.count);
	for (size_t i = 0; i < stream->threads.count; last = stream->threads.at[i++].id)
		heat_add_varint(to, stream->threads.at[i].id - last);
	for (size_t i = 0; i < stream->threads.count; i++)
		for (unsigned dump = 0; dump < 2; dump++)
			heat_add_varint(to, stream->threads.at[i].prefixes[dump]);
	last = 0;
	heat_add_varint(to, stream->keys.count);
	for (size_t i = 0; i < stream->keys.count; i++) {
		const struct tree_key *at = &stream->keys.at[i];
		uint64_t key = at->stack * stream->groups + at->group;

		heat_add_varint(to, key - last);
		last = key;
	}
	for (size_t i = 0; i < stream->keys.count; i++) {
		uint32_t row = stream->keys.at[i].row;

		heat_add_varint(to, row_numbers == NULL ? row : row_numbers[row]);
	}
}

static int
compare_blocks(const void *a, const void *b)
{
	const struct tree_block *x = a, *y = b;

	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

int
heat_tree_write(struct heat_tree *tree, struct text_buffer *to, const char *path, const struct heat_grid *grid,
		const uint32_t *row_numbers, struct stk_error *err)
{
	uint64_t before = 0, end = 0;

	if (sum_blocks(tree, path, err) < 0)
		return -1;
	heat_add_varint(to, tree->streams.count);
	for (size_t i = 0; i < tree->streams.count; i++)
		write_stream(to, &tree->streams.at[i], row_numbers);
	if (tree->blocks.count > 0)
		qsort(tree->blocks.at, tree->blocks.count, sizeof *tree->blocks.at, compare_blocks);
	heat_add_varint(to, tree->blocks.count);
	for (size_t i = 0; i < tree->blocks.count; i++) {
		const struct tree_block *block = &tree->blocks.at[i];
		uint64_t first = (uint64_t)((block->from_ns - grid->begin_ns) / grid->cell_ns);
		uint64_t after = (uint64_t)((block->to_ns - grid->begin_ns) / grid->cell_ns) + 1;

		end = after > end ? after : end;
		heat_add_varint(to, first - before);
		heat_add_varint(to, block->stream);
		heat_add_varint(to, end - first);
		heat_add_varint(to, block->samples);
		heat_add_varint(to, block->sum / grid->unit);
		heat_add_varint(to, (uint64_t)block->offset);
		heat_add_varint(to, block->bytes);
		heat_add_varint(to, block->adler);
		before = first;
	}
	return 0;
}
