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

/* Damage is passed over; what the system refused is not, nor is it known what was there then: false, and *err says why.
 * Else the error is forgotten. */
static bool
may_go_on(struct stk_error *err)
{
	if (err->code == STK_ESYSTEM)
		return false;
	stk_error_clear(err);
	return true;
}

/* Moves to a block: 1; 0 when it is damaged; -1 when the file cannot be read. */
static int
go_to(struct stream_file *file, unsigned stream, const struct file_block *at, struct stk_block *block,
      struct stk_error *err)
{
	int got = stream_file_go(file, stream, at, block, err);

	return got < 0 && may_go_on(err) ? 0 : got;
}

/* The times of a block whose header does not know them: some of its rows have none. */
static int
add_rows(struct recording_span *span, struct stream_file *file, unsigned stream, const struct file_block *at,
	 struct stk_error *err)
{
	const uint64_t *times;
	struct stk_block block;
	int got = go_to(file, stream, at, &block, err);

	if (got <= 0 || block.schema == NULL || block.schema->time < 0)
		return got;
	if (stk_reader_column(stream_file_reader(file), (unsigned)block.schema->time, &times, err) < 0)
		return may_go_on(err) ? 0 : -1;
	for (uint32_t row = 0; row < block.rows; row++)
		time_range_add(&span->range, (int64_t)times[row]);
	return 0;
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

static int
add_times(struct recording_span *span, struct stream_file *file, unsigned stream, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(file, stream, &count);
	struct stk_block head;
	int result = count > 0 ? go_to(file, stream, &blocks[0], &head, err) : 0;

	for (size_t b = 0; b < count && result >= 0; b++) {
		if (!blocks[b].has_time) {
			if (blocks[b].kind != STK_HEAD && may_have_times(file, blocks[b].kind))
				result = add_rows(span, file, stream, &blocks[b], err);
			continue;
		}
		time_range_add(&span->range, blocks[b].from_ns);
		time_range_add(&span->range, blocks[b].to_ns);
	}
	return result < 0 ? -1 : 0;
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
static int
add_zone(struct recording_span *span, struct stream_file *file, unsigned stream, uint64_t id, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, stream, STK_STRING, &count);

	for (size_t b = 0; b < count; b++) {
		const struct stk_text *texts;
		struct stk_block block;
		int got = go_to(file, stream, &blocks[b], &block, err);

		if (got < 0)
			return -1;
		if (got == 0 || id < block.first_id || id - block.first_id >= block.rows)
			continue;
		if (stk_reader_texts(stream_file_reader(file), STK_COLUMN(string, text), &texts, err) < 0)
			return may_go_on(err) ? 0 : -1;
		note_zone(span, texts[id - block.first_id]);
		return 0;
	}
	return 0;
}

/* Those of a block of sources. */
static int
add_zones_of(struct recording_span *span, struct stream_file *file, unsigned stream, const struct file_block *at,
	     struct stk_error *err)
{
	uint64_t last = 0, ids[256];
	const uint64_t *zones;
	struct stk_block block;
	unsigned different = 0;
	int result = go_to(file, stream, at, &block, err);

	if (result <= 0)
		return result;
	if (stk_reader_column(stream_file_reader(file), STK_COLUMN(source, zone), &zones, err) < 0)
		return may_go_on(err) ? 0 : -1;
	for (uint32_t row = 0; row < block.rows && different < sizeof ids / sizeof *ids; row++)
		if (zones[row] != 0 && zones[row] != last)
			ids[different++] = last = zones[row];
	/* moving on forgets the columns of the sources */
	for (unsigned i = 0; i < different && result >= 0; i++)
		result = add_zone(span, file, stream, ids[i], err);
	return result;
}

static int
add_zones(struct recording_span *span, struct stream_file *file, unsigned stream, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, stream, STK_SOURCE, &count);
	int result = 0;

	for (size_t b = 0; b < count && result >= 0; b++)
		result = add_zones_of(span, file, stream, &blocks[b], err);
	return result;
}

int
recording_span_add(struct recording_span *span, const char *path, struct stream_file **keep, bool ids,
		   struct stk_error *err)
{
	struct recording_span with = *span;
	struct stream_file *file;
	int result;

	if (keep != NULL)
		*keep = NULL;
	result = ids ? stream_file_open(&file, path, stream_file_ignore_damage, NULL, err)
		     : stream_file_open_without_ids(&file, path, stream_file_ignore_damage, NULL, err);
	if (result < 0)
		return -1;
	for (unsigned stream = 0; stream < stream_file_streams(file) && result >= 0; stream++) {
		result = add_times(&with, file, stream, err);
		if (result >= 0)
			result = add_zones(&with, file, stream, err);
	}
	if (result >= 0)
		*span = with;
	if (result >= 0 && keep != NULL && stream_file_is_sound(file))
		*keep = file;
	else
		stream_file_close(file);
	return result < 0 ? -1 : 0;
}
