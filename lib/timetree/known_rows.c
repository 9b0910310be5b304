/* SPDX-License-Identifier: MIT
 * known_rows: hashes of rows, with how often each is there; blocks to be read are found by a tree over their times. */
#include "timetree/known_rows.h"

#include "base/array.h"
#include "base/hash_map.h"
#include "base/memory.h"

#include <stdlib.h>

/* The blocks of a kind by the time at which they begin, and above them a heap of the latest time of those that are not
 * read yet: that of place i is the larger one of 2i and 2i + 1, and those of the blocks are the second half. */
struct known_kind {
	bool begun, met;
	ARRAY(struct file_block) blocks;
	ARRAY(int64_t) latest;
	size_t half;
	int64_t from_ns, to_ns;		/* of the blocks that were read; met: some were */
};

struct known_row { uint64_t hash; uint64_t left; };
struct known_dump { uint64_t hash; uint32_t id; bool taken; };

struct known_rows {
	struct stream_file *file;
	struct model *model;
	struct content_hashes *hashes;
	struct known_kind kinds[STK_KIND_COUNT];
	ARRAY(struct known_row) rows;
	struct hash_map map;			/* to places in rows, from 1 */
	ARRAY(struct known_dump) dumps;
	struct hash_map dump_map;
	bool dumps_begun;
	int64_t last_dump_ns;			/* no dump is later */
	uint32_t dumps_end;			/* ids of the file's dumps are below */
	uint64_t row[STK_COLUMN_MAX * 2];
};

static int64_t
end_of(const struct file_block *block)
{
	return block->has_time ? block->to_ns : INT64_MAX;
}

static int64_t
begin_of(const struct file_block *block)
{
	return block->has_time ? block->from_ns : INT64_MIN;
}

void
known_rows_open(struct known_rows **out, struct stream_file *file, struct model *model, struct content_hashes *hashes)
{
	struct known_rows *k = *out = mem_new(1, sizeof *k);
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, 0, STK_DUMP, &count);

	k->file = file;
	k->model = model;
	k->hashes = hashes;
	k->last_dump_ns = INT64_MIN;
	for (size_t b = 0; b < count; b++)
		k->last_dump_ns = end_of(&blocks[b]) > k->last_dump_ns ? end_of(&blocks[b]) : k->last_dump_ns;
	k->dumps_end = model_before(model, STK_DUMP, UINT32_MAX) + 1;
	for (unsigned kind = 0; kind < STK_KIND_COUNT; kind++) {	/* as it is now: the file will grow */
		blocks = stream_file_blocks(file, 0, kind, &count);
		for (size_t b = 0; b < count; b++)
			*array_push(&k->kinds[kind].blocks) = blocks[b];
	}
}

void
known_rows_close(struct known_rows *k)
{
	if (k == NULL)
		return;
	for (unsigned kind = 0; kind < STK_KIND_COUNT; kind++) {
		array_release(&k->kinds[kind].blocks);
		array_release(&k->kinds[kind].latest);
	}
	array_release(&k->rows);
	hash_map_release(&k->map);
	array_release(&k->dumps);
	hash_map_release(&k->dump_map);
	free(k);
}

void
known_rows_move(struct known_rows *k, struct stream_file *file)
{
	k->file = file;
}

/* --- blocks that are not read yet --- */

static int
compare_begins(const void *a, const void *b)
{
	const struct file_block *x = a, *y = b;
	int64_t from = begin_of(x), other = begin_of(y);

	if (from != other)
		return (from > other) - (from < other);
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void
begin_kind(struct known_kind *kind)
{
	size_t count = kind->blocks.count;

	if (kind->begun)
		return;
	kind->begun = true;
	if (count > 1)
		qsort(kind->blocks.at, count, sizeof *kind->blocks.at, compare_begins);
	for (kind->half = 1; kind->half < count;)
		kind->half *= 2;
	array_lengthen(&kind->latest, 2 * kind->half);
	for (size_t i = 0; i < kind->half; i++)
		kind->latest.at[kind->half + i] = i < count ? end_of(&kind->blocks.at[i]) : INT64_MIN;
	for (size_t i = kind->half - 1; i > 0; i--)
		kind->latest.at[i] = kind->latest.at[2 * i] > kind->latest.at[2 * i + 1] ? kind->latest.at[2 * i]
											 : kind->latest.at[2 * i + 1];
}

/* The first block that is not read yet, and ends at or after a moment; `count` where there is none. */
static size_t
first_unread(const struct known_kind *kind, int64_t from)
{
	size_t at = 1;

	if (kind->blocks.count == 0 || kind->latest.at[1] < from || kind->latest.at[1] == INT64_MIN)
		return kind->blocks.count;
	while (at < kind->half)
		at = kind->latest.at[2 * at] >= from && kind->latest.at[2 * at] > INT64_MIN ? 2 * at : 2 * at + 1;
	return at - kind->half;
}

static void
mark_read(struct known_kind *kind, size_t block)
{
	size_t at = kind->half + block;

	for (kind->latest.at[at] = INT64_MIN; at > 1; at /= 2)
		kind->latest.at[at / 2] = kind->latest.at[at] > kind->latest.at[at ^ 1] ? kind->latest.at[at]
										       : kind->latest.at[at ^ 1];
}

/* --- rows --- */

static struct known_row *
find_row(struct known_rows *k, uint64_t hash)
{
	uint32_t at = hash_map_start(&k->map, hash), number;

	while ((number = hash_map_next(&k->map, hash, &at)) != 0)
		if (k->rows.at[number - 1].hash == hash)
			return &k->rows.at[number - 1];
	return NULL;
}

static void
add_row(struct known_rows *k, uint64_t hash)
{
	struct known_row *row = find_row(k, hash);

	if (row != NULL) {
		row->left++;
		return;
	}
	*array_push(&k->rows) = (struct known_row){ hash, 1 };
	hash_map_put(&k->map, hash, (uint32_t)k->rows.count);
}

static int
read_block(struct known_rows *k, unsigned kind, const struct file_block *at, struct stk_error *err)
{
	struct stk_reader *reader = stream_file_reader(k->file);
	struct stk_block block;
	int got = stream_file_go(k->file, 0, at, &block, err);

	if (got > 0 && stk_reader_rows(reader, err) < 0) {
		if (err->code != STK_EDATA)
			return -1;
		stk_error_clear(err);
		got = 0;
	}
	for (uint32_t i = 0; got > 0 && i < block.rows; i++) {
		stk_reader_row(reader, i, k->row);
		add_row(k, content_hash_of_row(k->hashes, kind, k->row));
	}
	return got < 0 ? -1 : 0;
}

int
known_rows_load(struct known_rows *k, unsigned number, int64_t from, int64_t to, struct stk_error *err)
{
	struct known_kind *kind = &k->kinds[number];

	begin_kind(kind);
	for (size_t b; (b = first_unread(kind, from)) < kind->blocks.count; ) {
		const struct file_block *block = &kind->blocks.at[b];

		if (begin_of(block) > to)
			break;
		if (read_block(k, number, block, err) < 0)
			return -1;
		mark_read(kind, b);
		kind->from_ns = !kind->met || begin_of(block) < kind->from_ns ? begin_of(block) : kind->from_ns;
		kind->to_ns = !kind->met || end_of(block) > kind->to_ns ? end_of(block) : kind->to_ns;
		kind->met = true;
	}
	return kind->met && kind->from_ns <= to && kind->to_ns >= from;
}

bool
known_rows_take(struct known_rows *k, unsigned kind, const void *row)
{
	struct known_row *found = find_row(k, content_hash_of_row(k->hashes, kind, row));

	if (found == NULL || found->left == 0)
		return false;
	found->left--;
	return true;
}

int
known_rows_any_sample(struct known_rows *k, int64_t from, int64_t to, struct stk_error *err)
{
	const struct known_kind *kind = &k->kinds[STK_SAMPLE];

	for (size_t b = 0; b < kind->blocks.count; b++) {
		const struct file_block *at = &kind->blocks.at[b];
		struct stk_block block;
		const uint64_t *times;
		int got;

		if (begin_of(at) >= to || end_of(at) < from)
			continue;
		got = stream_file_go(k->file, 0, at, &block, err);
		if (got > 0 &&
			stk_reader_column(stream_file_reader(k->file), STK_COLUMN(sample, time), &times, err) < 0)
			got = err->code == STK_EDATA ? 0 : -1;
		if (got < 0)
			return -1;
		stk_error_clear(err);
		for (uint32_t i = 0; got > 0 && i < block.rows; i++)
			if ((int64_t)times[i] >= from && (int64_t)times[i] < to)
				return 1;
	}
	return 0;
}

/* --- dumps --- */

static void
begin_dumps(struct known_rows *k)
{
	if (k->dumps_begun)
		return;
	k->dumps_begun = true;
	for (uint32_t id = model_next(k->model, STK_DUMP, 0); id != 0 && id < k->dumps_end;
	     id = model_next(k->model, STK_DUMP, id)) {
		struct stk_dump row = model_dump(k->model, id);
		uint64_t hash = content_hash_of_row(k->hashes, STK_DUMP, &row);

		*array_push(&k->dumps) = (struct known_dump){ hash, id, false };
		hash_map_put(&k->dump_map, hash, (uint32_t)k->dumps.count);
	}
}

uint32_t
known_rows_dump(struct known_rows *k, const struct stk_dump *row)
{
	uint64_t hash;
	uint32_t at, number;

	if (row->time == STK_TIME_UNKNOWN || row->time > k->last_dump_ns)
		return 0;
	begin_dumps(k);
	hash = content_hash_of_row(k->hashes, STK_DUMP, row);
	at = hash_map_start(&k->dump_map, hash);
	while ((number = hash_map_next(&k->dump_map, hash, &at)) != 0) {
		struct known_dump *dump = &k->dumps.at[number - 1];

		if (dump->hash != hash || dump->taken)
			continue;
		dump->taken = true;
		return dump->id;
	}
	return 0;
}
