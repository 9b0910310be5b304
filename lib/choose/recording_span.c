/* SPDX-License-Identifier: MIT
 * recording_span: when recordings begin and end, and in which zone their clocks were. */
#include "choose/recording_span.h"

#include "base/bytes.h"
#include "stream/stream_file.h"

#include <string.h>

void
recording_span_init(struct recording_span *span)
{
	*span = (struct recording_span){ .range = TIME_RANGE_NONE };
}

/* Moves to a block: false when it is damaged, or the file cannot be read further. */
static bool
go_to(struct stream_file *file, unsigned stream, const struct file_block *at, struct stk_block *block)
{
	struct stk_error unused = { 0 };

	return stream_file_go(file, stream, at, block, &unused) > 0;
}

/* The times of a block whose header does not know them: some of its rows have none. */
static void
add_rows(struct recording_span *span, struct stream_file *file, unsigned stream, const struct file_block *at)
{
	struct stk_error unused = { 0 };
	const uint64_t *times;
	struct stk_block block;

	if (!go_to(file, stream, at, &block) || block.schema == NULL || block.schema->time < 0 ||
	    stk_reader_column(stream_file_reader(file), (unsigned)block.schema->time, &times, &unused) < 0)
		return;
	for (uint32_t row = 0; row < block.rows; row++)
		time_range_add(&span->range, (int64_t)times[row]);
}

/* Whether rows of a kind can have times, by the head that was read last: blocks of others, often thousands, need not be
 * read. */
static bool
may_have_times(struct stream_file *file, unsigned kind)
{
	const struct stk_schema *schema = stk_reader_schema(stream_file_reader(file));

	return schema == NULL || kind >= schema->kinds || schema->kind[kind].name == NULL ||
	       schema->kind[kind].time >= 0;
}

static void
add_times(struct recording_span *span, struct stream_file *file, unsigned stream)
{
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(file, stream, &count);
	struct stk_block head;

	if (count > 0)
		(void)go_to(file, stream, &blocks[0], &head);
	for (size_t b = 0; b < count; b++) {
		if (!blocks[b].has_time) {
			if (blocks[b].kind != STK_HEAD && may_have_times(file, blocks[b].kind))
				add_rows(span, file, stream, &blocks[b]);
			continue;
		}
		time_range_add(&span->range, blocks[b].from_ns);
		time_range_add(&span->range, blocks[b].to_ns);
	}
}

static void
note_zone(struct recording_span *span, struct stk_text zone)
{
	if (zone.size == 0 || zone.size >= sizeof span->zone || memchr(zone.data, '\0', zone.size) != NULL ||
	    span->zones_differ)
		return;
	if (span->zone[0] != '\0' && !text_is(zone, span->zone)) {
		span->zones_differ = true;
		span->zone[0] = '\0';
		return;
	}
	memcpy(span->zone, zone.data, zone.size);
	span->zone[zone.size] = '\0';
}

/* The string with this id is the name of a zone. */
static void
add_zone(struct recording_span *span, struct stream_file *file, unsigned stream, uint64_t id)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, stream, STK_STRING, &count);
	struct stk_error unused = { 0 };

	for (size_t b = 0; b < count; b++) {
		const struct stk_text *texts;
		struct stk_block block;

		if (!go_to(file, stream, &blocks[b], &block) || id < block.first_id ||
		    id - block.first_id >= block.rows)
			continue;
		if (stk_reader_texts(stream_file_reader(file), STK_COLUMN(string, text), &texts, &unused) == 0)
			note_zone(span, texts[id - block.first_id]);
		return;
	}
}

static void
add_zones(struct recording_span *span, struct stream_file *file, unsigned stream)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, stream, STK_SOURCE, &count);
	struct stk_error unused = { 0 };

	for (size_t b = 0; b < count; b++) {
		uint64_t last = 0, ids[256];
		const uint64_t *zones;
		struct stk_block block;
		unsigned different = 0;

		if (!go_to(file, stream, &blocks[b], &block) ||
		    stk_reader_column(stream_file_reader(file), STK_COLUMN(source, zone), &zones, &unused) < 0)
			continue;
		for (uint32_t row = 0; row < block.rows && different < sizeof ids / sizeof *ids; row++)
			if (zones[row] != 0 && zones[row] != last)
				ids[different++] = last = zones[row];
		/* moving on forgets the columns of the sources */
		for (unsigned i = 0; i < different; i++)
			add_zone(span, file, stream, ids[i]);
	}
}

static void
pass_over(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	(void)context;
	(void)offset;
	(void)bytes;
	(void)what;
}

int
recording_span_add(struct recording_span *span, const char *path, struct stream_file **keep, bool ids,
		   struct stk_error *err)
{
	struct stream_file *file;
	int got;

	if (keep != NULL)
		*keep = NULL;
	got = ids ? stream_file_open(&file, path, pass_over, NULL, err)
		  : stream_file_open_without_ids(&file, path, pass_over, NULL, err);
	if (got < 0)
		return -1;
	for (unsigned stream = 0; stream < stream_file_streams(file); stream++) {
		add_times(span, file, stream);
		add_zones(span, file, stream);
	}
	if (keep != NULL && stream_file_is_sound(file))
		*keep = file;
	else
		stream_file_close(file);
	return 0;
}
